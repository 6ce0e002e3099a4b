//! Kills at any moment: what was acknowledged is there afterwards, and whoever is asked again answers.

use std::time::Duration;

use abide_domain::{
    event::{AgentEvent, Event, ExitReason},
    turn::MindError,
};
use abide_supervisor::ProcessState;
use abide_testkit::{SplitMix64, rounds};
use rustix::process::Signal;

use super::world::{Home, Keeper, agent, exited, is_there, quick, try_signal};

/// Asks again until there is an answer, as the engine does after a crash.
async fn insist(keeper: &Keeper, message: &str) -> (String, u32) {
    let mut crashes = 0;
    loop {
        match keeper.ask(message).await {
            Ok(answer) => return (answer, crashes),
            Err(MindError::Crashed { .. }) => {
                crashes += 1;
                hurry(keeper).await;
            }
            Err(other) => panic!("{other:?}"),
        }
    }
}

/// Takes the pause away that frequent deaths earn.
async fn hurry(keeper: &Keeper) {
    let status = keeper
        .until_status("back or waiting", |status| {
            matches!(status.state, ProcessState::Ready | ProcessState::Waiting { .. })
        })
        .await;
    if matches!(status.state, ProcessState::Waiting { .. }) {
        keeper.supervisor.restart(&super::world::felix()).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_at_any_moment_loses_no_acknowledged_entry_and_every_turn_is_answered() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    let mut dice = SplitMix64::new(7);
    let mut said: Vec<String> = Vec::new();
    for round in 0..rounds(300) {
        let note = format!("note {round}");
        if round > 0 {
            hurry(&keeper).await;
        }
        let pid = keeper.status().pid;
        let kill_after = Duration::from_micros(dice.next_u64() % 3000);
        let killer = async {
            if let Some(pid) = pid {
                tokio::time::sleep(kill_after).await;
                // It may have been killed already, as the last of an earlier round.
                let _ = try_signal(pid, Signal::KILL);
            }
        };
        let ((_, crashes), ()) = tokio::join!(insist(&keeper, &note), killer);
        // An attempt that crashed may have logged its note before it did.
        said.push(format!("{round}"));
        let notes = keeper_notes(&keeper).await;
        let mut unique = notes.clone();
        unique.dedup();
        assert_eq!(unique, said, "round {round}, {crashes} crashes");
        if dice.next_u64().is_multiple_of(4) {
            keeper.supervisor.checkpoint(&super::world::felix()).await.ok();
        }
    }
    let problems = keeper.kinds().get("agent.state_troubled").copied();
    assert_eq!(problems, None);
    keeper.stop().await;
    let keeper = home.keeper(agent(&[]), quick());
    let mut notes = keeper.notes().await;
    notes.dedup();
    assert_eq!(notes, said);
    keeper.stop().await;
}

async fn keeper_notes(keeper: &Keeper) -> Vec<String> {
    let (list, _) = insist(keeper, "list").await;
    serde_json::from_str(&list).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_keeper_that_vanishes_is_followed_by_one_that_closes_its_books() {
    let home = Home::new();
    let keeper = home.keeper(agent(&["--children", "2"]), quick());
    keeper.ask("note before").await.unwrap();
    let pid = keeper.status().pid.unwrap();
    keeper.vanish().await;
    let keeper = home.keeper(agent(&[]), quick());
    assert_eq!(keeper.notes().await, ["before"]);
    assert_eq!(keeper.exit().await.reason, ExitReason::KeeperLost);
    keeper.until("ready", super::world::ready).await;
    let kinds: Vec<_> = keeper.events().iter().map(|event| event.kind().name).collect();
    let lives: Vec<_> = kinds.into_iter().filter(|kind| kind.starts_with("agent.")).collect();
    assert_eq!(lives, ["agent.exited", "agent.started", "agent.ready"]);
    // The shim of the old one has seen the end of its keeper.
    let patience = tokio::time::timeout(super::world::PATIENCE, async {
        while is_there(pid) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    patience.await.unwrap();
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bc_26_restart_cycles_of_an_agent_with_children_leave_nobody_and_no_descriptor() {
    let home = Home::new();
    let keeper = home.keeper(agent(&["--children", "2"]), quick());
    keeper.ask("list").await.unwrap();
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let mut before = 0;
    let mut pids = Vec::new();
    for round in 0..rounds(500).max(10) {
        let running =
            |s: &abide_supervisor::ProcessStatus| s.pid.is_some() && s.state == ProcessState::Ready;
        let pid = keeper.until_status("ready", running).await.pid.unwrap();
        pids.push(pid);
        if round == 3 {
            before = descriptors();
        }
        if round % 2 == 0 {
            keeper.supervisor.restart(&super::world::felix()).await.unwrap();
        } else {
            keeper.ask("exit 1").await.unwrap_err();
            // A person's restart clears the pauses that the crashes earn.
            keeper.supervisor.restart(&super::world::felix()).await.unwrap();
        }
        keeper.ask("list").await.unwrap();
    }
    let after = descriptors();
    assert!(after <= before + 5, "{before} descriptors became {after}");
    let last = keeper.status().pid.unwrap();
    let left: Vec<_> = pids.iter().filter(|pid| **pid != last && is_there(**pid)).collect();
    assert!(left.is_empty(), "{left:?}");
    let events = keeper.stop().await;
    assert!(!is_there(last));
    let count = |kind: &str| events.iter().filter(|event| event.kind().name == kind).count();
    assert_eq!(count("agent.started"), count("agent.exited"));
}

#[tokio::test]
async fn the_last_words_of_an_agent_are_kept_with_its_end() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("gap").await.unwrap();
    let error = keeper.ask("exit 3").await.unwrap_err().to_string();
    // Whoever asked may have done so where others read along.
    assert!(error.contains("exit code 3") && !error.contains("SEQUENCE_GAP"), "{error}");
    let shown = keeper.until_status("a message", |status| status.message.is_some()).await;
    assert!(shown.message.is_some_and(|message| message.contains("SEQUENCE_GAP")));
    let exit = keeper.until("an exit", exited).await;
    assert_eq!(exit.reason, ExitReason::Exited);
    assert!(exit.message.contains("exit code 3"), "{}", exit.message);
    assert!(exit.last_words.iter().any(|line| line.contains("SEQUENCE_GAP")), "{exit:?}");
    keeper.stop().await;
}

#[tokio::test]
async fn a_fatal_error_ends_the_turn_and_an_end_after_one_is_told_as_such() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    let error = keeper.ask("fatal EVAL_ERROR no stack").await.unwrap_err();
    assert_eq!(
        error,
        MindError::ProcessFailed {
            message: "the agent's process reported EVAL_ERROR: no stack".into()
        }
    );
    let fault = keeper
        .until("a fault", |event| match event {
            Event::Agent(AgentEvent::Faulted(faulted)) => Some(faulted.clone()),
            _ => None,
        })
        .await;
    assert_eq!((&*fault.code, fault.is_fatal), ("EVAL_ERROR", true));
    assert_eq!(fault.stack_trace.as_deref(), Some("at work.rs"));
    assert_eq!(keeper.ask("list").await, Ok("[]".into()));
    keeper.ask("fatal-exit").await.unwrap();
    let exit = keeper.exit().await;
    assert_eq!(exit.reason, ExitReason::Fatal);
    assert!(exit.message.contains("MEMORY_FULL") && exit.message.contains("exit code 9"));
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ledger_that_takes_nothing_stops_no_agent() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("note one").await.unwrap();
    keeper.ledger.clone().close().await;
    keeper.ask("crash").await.unwrap_err();
    assert_eq!(keeper_notes(&keeper).await, ["one"]);
    keeper.ask("note two").await.unwrap();
    keeper.supervisor.checkpoint(&super::world::felix()).await.unwrap();
    assert_eq!(keeper.kinds().get("agent.exited"), None);
    keeper.stop().await;
}
