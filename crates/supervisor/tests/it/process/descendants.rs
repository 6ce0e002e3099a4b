//! The end of a tree: by whatever way it comes, nothing of it is left.

use std::{
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
};

use abide_supervisor::ProcessEnd;
use rustix::process::Signal;

use super::world::{
    Running, SUPERVISED, children, descriptors, exists, marked, pids, role, runs, script, signal,
    wait_for_end,
};

#[tokio::test]
async fn restarts_leave_no_survivor_no_zombie_and_no_descriptor() {
    let mut open = None;
    for round in 0..abide_testkit::rounds(500) {
        let mut running = Running::start(&role("family"));
        let family = running.pids().await;
        assert_eq!(family.len(), 4);
        let mut stdin = Some(running.stdin);
        let expected = match round % 4 {
            0 => {
                running.process.kill();
                ProcessEnd::Signal(9)
            }
            1 => {
                running.process.terminate();
                ProcessEnd::Signal(15)
            }
            2 => {
                signal(running.process.started().await.unwrap(), Signal::ABORT);
                ProcessEnd::Signal(6)
            }
            _ => {
                stdin = None;
                ProcessEnd::Code(4)
            }
        };
        assert_eq!(running.process.ended().await, expected, "round {round}");
        let left: Vec<_> = family.into_iter().filter(|pid| exists(*pid)).collect();
        assert!(left.is_empty(), "round {round}: {left:?}");
        assert_eq!(children(), "", "round {round}");
        drop((running.process, stdin, running.lines, running.stderr));
        assert_eq!(*open.get_or_insert_with(descriptors), descriptors(), "round {round}");
    }
}

#[tokio::test]
async fn a_keeper_that_is_killed_takes_the_whole_tree_with_it() {
    let mut keeper = Command::new(SUPERVISED)
        .arg("keeper")
        .stdout(Stdio::piped())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(keeper.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let all = pids(&line);
    assert_eq!(all.len(), 5);
    assert!(all.iter().all(|pid| runs(*pid)));

    keeper.kill().unwrap();
    keeper.wait().unwrap();

    // The shim goes last, when it has collected the others.
    wait_for_end(all[0]);
    assert!(all[1..].iter().all(|pid| !exists(*pid)));
}

#[tokio::test]
async fn a_process_that_is_let_go_of_is_ended() {
    let mut running = Running::start(&role("family"));
    let family = running.pids().await;
    drop(running.process);
    for pid in family {
        wait_for_end(pid);
        assert!(!runs(pid));
    }
}

#[tokio::test]
async fn a_stopped_agent_is_killed() {
    let mut running = Running::start(&script("sleep 600 & echo $!; wait"));
    let child = running.pids().await[0];
    signal(running.process.started().await.unwrap(), Signal::STOP);
    signal(child.as_raw_pid().unsigned_abs(), Signal::STOP);
    running.process.kill();
    assert_eq!(running.process.ended().await, ProcessEnd::Signal(9));
    assert!(!exists(child));
}

#[tokio::test]
async fn a_stopped_shim_does_not_save_its_agent() {
    let mut running = Running::start(&script("echo $$; read x"));
    let agent = running.pids().await[0];
    signal(running.process.pid(), Signal::STOP);
    running.process.kill();
    assert_eq!(running.process.ended().await, ProcessEnd::Signal(9));
    assert!(!exists(agent));
}

#[tokio::test]
async fn an_agent_may_end_in_its_own_way_when_asked() {
    let text = "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 600 & wait $!; done";
    let mut running = Running::start(&script(text));
    assert_eq!(running.line().await, "ready");
    running.process.terminate();
    assert_eq!(running.line().await, "bye");
    assert_eq!(running.process.ended().await, ProcessEnd::Code(5));
}

#[tokio::test]
async fn an_agent_that_will_not_end_when_asked_is_killed() {
    let mut running =
        Running::start(&script("trap '' TERM; echo ready; read x; echo \"still $x\"; read y"));
    assert_eq!(running.line().await, "ready");
    running.process.terminate();
    running.say("here").await;
    assert_eq!(running.line().await, "still here");
    running.process.kill();
    assert_eq!(running.process.ended().await, ProcessEnd::Signal(9));
}

#[tokio::test]
async fn a_process_in_another_session_is_asked_to_end_too() {
    let wait = "while :; do sleep 600 & wait $!; done";
    let away = format!("setsid sh -c 'trap \"echo away; exit\" TERM; echo up; {wait}'");
    let mut running = Running::start(&script(&format!("trap : TERM; {away} & {wait}")));
    assert_eq!(running.line().await, "up");
    running.process.terminate();
    assert_eq!(running.line().await, "away");
    running.process.kill();
    assert_eq!(running.process.ended().await, ProcessEnd::Signal(9));
}

#[tokio::test]
async fn an_agent_that_closed_its_output_still_runs() {
    let mut running = Running::start(&script("exec >&-; read x; exit 6"));
    assert_eq!(running.line().await, "(end)");
    tokio::select! {
        biased;
        ended = running.process.ended() => panic!("{ended:?}"),
        () = tokio::task::yield_now() => {}
    }
    running.say("go").await;
    assert_eq!(running.process.ended().await, ProcessEnd::Code(6));
}

#[tokio::test]
async fn orphans_are_collected_while_the_agent_runs() {
    // The subshell ends at once; its child is the shim's then, ends, and must not stay as a zombie.
    let text = "trap 'echo asked' TERM; (sh -c 'echo $$; read x </dev/null' &); \
                while :; do sleep 600 & wait $!; done";
    let mut running = Running::start(&script(text));
    let orphan = running.pids().await[0];
    wait_for_end(orphan);
    // The shim looks for ended children between two orders.
    for _ in 0..2 {
        running.process.terminate();
        assert_eq!(running.line().await, "asked");
    }
    assert!(!exists(orphan));
    running.process.kill();
    assert_eq!(running.process.ended().await, ProcessEnd::Signal(9));
}

#[tokio::test]
async fn the_tree_of_a_lost_shim_is_found_and_ended() {
    let mut running = Running::start(&role("family"));
    let family = running.pids().await;
    signal(running.process.pid(), Signal::KILL);
    assert_eq!(running.process.ended().await, ProcessEnd::Lost);
    // Collected by whoever inherited them.
    assert!(family.into_iter().all(|pid| !runs(pid)));
}

#[tokio::test]
async fn a_tree_that_grows_while_it_is_killed_is_ended_all_the_same() {
    // Two that start one stray process after the other, each in a session of its own.
    let grower = "setsid sh -c 'while :; do (sleep 600 & echo $!); done' &";
    let order = script(&format!("{grower} {grower} read x"));
    let mut running = Running::start(&order);
    for _ in 0..40 {
        running.line().await;
    }
    running.process.kill();
    assert_eq!(running.process.ended().await, ProcessEnd::Signal(9));
    assert_eq!(marked(order.run), Vec::<String>::new());
}

#[tokio::test]
async fn a_shim_is_not_ended_by_signals_that_end_a_program() {
    let mut running = Running::start(&script("read x; exit 3"));
    running.process.started().await;
    for each in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT] {
        signal(running.process.pid(), each);
    }
    running.say("go").await;
    assert_eq!(running.process.ended().await, ProcessEnd::Code(3));
}
