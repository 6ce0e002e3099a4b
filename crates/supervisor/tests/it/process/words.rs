//! A real agent's standard error: a flood costs little and stops nobody, and the last words are kept.

use abide_supervisor::{LAST_WORDS_MAX, ProcessEnd, StderrLog};

use super::world::{Running, agent, run, script};

#[tokio::test]
async fn a_flood_does_not_stop_the_agent_and_its_last_words_are_kept() {
    let text = "i=0; while [ $i -lt 20000 ]; do echo \"noise $i\" >&2; i=$((i+1)); done; \
                echo 'Traceback: out of ideas' >&2; exit 1";
    let mut running = Running::start(&script(text));
    let log = StderrLog::new(agent(), run());
    let words = log.last_words();
    let ((), ended) = tokio::join!(log.pump(running.stderr), running.process.ended());
    assert_eq!(ended, ProcessEnd::Code(1));
    let lines = words.lines();
    assert_eq!(lines.len(), LAST_WORDS_MAX);
    assert_eq!(lines[LAST_WORDS_MAX - 2..], ["noise 19999", "Traceback: out of ideas"]);
    assert!(words.suppressed() > 10_000, "{}", words.suppressed());
}

#[tokio::test]
async fn words_end_with_the_last_process_of_the_tree() {
    let mut running = Running::start(&script("setsid sleep 600 & echo end >&2"));
    let log = StderrLog::new(agent(), run());
    let words = log.last_words();
    log.pump(running.stderr).await;
    assert_eq!(words.lines(), ["end"]);
    assert_eq!(running.process.ended().await, ProcessEnd::Code(0));
}
