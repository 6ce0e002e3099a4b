//! The crash rules (architecture, section 6), row by row: the process dies at a failpoint, as by `kill -9`, is started
//! again, and the caller asks again with the same key.

use abide_testkit::rounds;
use serde_json::{Value, json};

use crate::home::Home;

/// Rounds of each row in `make soak`.
const ROUNDS: u32 = 50;

const HEADERS: [(&str, &str); 2] =
    [("content-type", "application/json"), ("idempotency-key", "once")];

/// What was left after a crash and a start.
struct Aftermath {
    epoch: Value,
    ledger: Vec<Value>,
    /// Real executions of the tool.
    executions: usize,
    /// Whether the caller had its 202 before the crash.
    was_acknowledged: bool,
}

fn message(arguments: &Value) -> String {
    json!({"message": format!("\\tool probe.append {arguments}")}).to_string()
}

/// Dies at a point, comes back, and asks again.
fn crash_at(point: &str, arguments: &Value) -> Aftermath {
    let folder = tempfile::tempdir().unwrap();
    let probe = folder.path().join("probe");
    let home = Home::new(&format!("[test]\nprobe_file = {:?}\n", probe.to_str().unwrap()));
    // A point of recovery is reached by a start that has something to recover.
    let is_recovery = point.starts_with("recover.");
    let first = if is_recovery { "tool.effect_done" } else { point };
    let keeper = home.up_with(&dying_at(first));
    let acknowledged = keeper.client.attempt("POST", "/start-epoch", &HEADERS, &message(arguments));
    keeper.wait();
    if is_recovery {
        home.begin(&dying_at(point)).wait();
    }
    let keeper = home.up();
    let answer = keeper.client.send("POST", "/start-epoch?wait=1", &HEADERS, &message(arguments));
    assert_eq!(answer.status, 200, "{point}: {answer:?}");
    let lines = std::fs::read_to_string(&probe).unwrap_or_default();
    Aftermath {
        epoch: answer.json(),
        ledger: home.ledger(),
        executions: lines.lines().count(),
        was_acknowledged: acknowledged.is_some_and(|answer| answer.status == 202),
    }
}

fn dying_at(point: &str) -> [(&'static str, String); 1] {
    [("ABIDE_TEST_FAILPOINTS", format!("{point}=exit"))]
}

/// The points that an epoch passes; those of sleep, of logs and of answers on channels have tests of their own.
fn points() -> Vec<String> {
    let listed = Home::new("").run(["test", "failpoints"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    let is_passed =
        |point: &&str| !["sleep.", "stdout.", "answer."].iter().any(|of| point.starts_with(of));
    listed.lines().filter(is_passed).map(str::to_owned).collect()
}

fn of_kind<'a>(ledger: &'a [Value], kind: &str) -> Vec<&'a Value> {
    ledger.iter().filter(|line| line["kind"] == kind).collect()
}

#[test]
fn at_every_point_the_stimulus_is_answered_once_and_the_tool_runs_at_most_once() {
    for point in points() {
        for round in 0..rounds(ROUNDS) {
            let arguments = json!({"line": format!("{point} {round}")});
            let Aftermath { epoch, ledger, executions, was_acknowledged } =
                crash_at(&point, &arguments);
            let accepted = of_kind(&ledger, "stimulus.accepted");
            assert_eq!(accepted.len(), 1, "{point}: accepted once");
            if was_acknowledged {
                assert_eq!(
                    accepted[0]["epoch"], epoch["epoch_id"],
                    "{point}: it is the one that was acknowledged"
                );
            }
            assert_eq!(epoch["state"], "committed", "{point}: {epoch}");
            assert!(executions <= 1, "{point}: the tool ran {executions} times");
            let call = &epoch["turns"][0]["tool_calls"][0];
            let outcome = call["outcome"].as_str().unwrap();
            match outcome {
                "ok" => assert_eq!(executions, 1, "{point}: {epoch}"),
                "unknown" => assert_reported(&point, &epoch),
                other => panic!("{point}: {other}"),
            }
            assert_eq!(of_kind(&ledger, "tool.requested").len(), 1, "{point}: one intent");
            assert_eq!(of_kind(&ledger, "epoch.committed").len(), 1, "{point}: one end");
        }
    }
}

/// An unknown outcome is told to the mind, and by it to the person.
fn assert_reported(point: &str, epoch: &Value) {
    let reply = epoch["final_response"].as_str().unwrap();
    let call = &epoch["turns"][0]["tool_calls"][0];
    assert!(call["content"].as_str().unwrap().contains("unknown"), "{point}: {call}");
    assert!(reply.to_lowercase().contains("know"), "{point}: {reply}");
}

#[test]
fn between_intent_and_outcome_a_crash_leaves_an_unknown_outcome() {
    for point in ["tool.intent_durable", "tool.effect_done"] {
        let aftermath = crash_at(point, &json!({"line": "x"}));
        assert_eq!(aftermath.epoch["turns"][0]["tool_calls"][0]["outcome"], "unknown", "{point}");
        let ran = usize::from(point == "tool.effect_done");
        assert_eq!(aftermath.executions, ran, "{point}: nobody looked into the file to find out");
    }
}

#[test]
fn a_tool_that_says_it_may_run_again_runs_again() {
    let aftermath = crash_at("tool.effect_done", &json!({"line": "x", "idempotent": true}));
    assert_eq!(aftermath.epoch["turns"][0]["tool_calls"][0]["outcome"], "ok");
    assert_eq!(aftermath.executions, 2);
}

#[test]
fn before_it_is_durable_nothing_happened() {
    let aftermath = crash_at("accept.before_durable", &json!({"line": "x"}));
    assert!(!aftermath.was_acknowledged);
    assert_eq!(of_kind(&aftermath.ledger, "keeper.started").len(), 2);
    assert_eq!(aftermath.executions, 1);
}

#[test]
fn a_kill_inside_a_tool_is_survived_without_asking_again() {
    let folder = tempfile::tempdir().unwrap();
    let probe = folder.path().join("probe");
    let home = Home::new(&format!("[test]\nprobe_file = {:?}\n", probe.to_str().unwrap()));
    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[]);
    let body = message(&json!({"line": "x", "sleep_ms": 600_000}));
    let accepted = keeper.client.send("POST", "/start-epoch", &HEADERS, &body).json();
    events.until("tool.requested");
    keeper.kill();
    let keeper = home.up();
    // Nobody asks: the epoch ends by itself.
    let mut events = keeper.client.events("/events?after=0&kinds=epoch.committed", &[]);
    assert_eq!(events.next().unwrap().data["epoch"], accepted["epoch_id"]);
    let lines = std::fs::read_to_string(&probe).unwrap_or_default().lines().count();
    assert!(lines <= 1, "the tool ran {lines} times");
}
