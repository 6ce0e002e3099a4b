//! Agents with nothing to do: put to rest, woken by a turn, and cheap meanwhile.

use std::time::Duration;

use abide_domain::event::ExitReason;
use abide_supervisor::{ProcessState, StartMode, SupervisorSettings};

use super::world::{Home, agent, is_there, quick};

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_agent_is_put_to_rest_and_woken_by_a_turn() {
    let home = Home::new();
    let settings = SupervisorSettings { hibernate_after: Duration::from_millis(300), ..quick() };
    let keeper = home.keeper(agent(&[]), settings);
    keeper.ask("note kept").await.unwrap();
    let pid = keeper.status().pid.unwrap();
    let status = keeper.until_state(ProcessState::Hibernated).await;
    assert_eq!((status.pid, is_there(pid)), (None, false));
    assert!(status.checkpoint.is_some(), "it was told to make one");
    assert_eq!(keeper.exit().await.reason, ExitReason::Hibernated);
    assert_eq!(keeper.notes().await, ["kept"]);
    assert_eq!(keeper.status().restarts_recent, 0);
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bc_37_a_resting_agent_holds_no_descriptor_and_no_process() {
    let home = Home::new();
    let settings = SupervisorSettings { hibernate_after: Duration::from_millis(50), ..quick() };
    let keeper = home.keeper(agent(&[]), settings);
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let mut counts = Vec::new();
    for _ in 0..5 {
        keeper.ask("note again").await.unwrap();
        keeper.until_state(ProcessState::Hibernated).await;
        counts.push(descriptors());
    }
    let (first, last) = (counts[1], counts[4]);
    assert!(last <= first + 2, "{counts:?}");
    keeper.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bc_09_idleness_and_checkpoints_in_the_middle_of_a_turn_leave_it_alone() {
    let home = Home::new();
    let settings = SupervisorSettings {
        hibernate_after: Duration::from_millis(50),
        checkpoint_interval: Duration::from_millis(50),
        ..quick()
    };
    let keeper = home.keeper(agent(&[]), settings);
    // It takes longer than two looks at whether there is anything to do.
    let (answer, kept) = tokio::join!(
        keeper.ask("slow 2500"),
        keeper.until_status("a checkpoint", |status| status.checkpoint.is_some())
    );
    assert_eq!(answer, Ok("slowly".into()));
    assert_eq!(kept.state, ProcessState::Busy);
    keeper.until_state(ProcessState::Hibernated).await;
    let events = keeper.stop().await;
    let exits = events.iter().filter(|event| event.kind().name == "agent.exited");
    assert_eq!(exits.count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_starts_with_the_keeper_stays() {
    let home = Home::new();
    let settings = SupervisorSettings {
        hibernate_after: Duration::from_millis(50),
        checkpoint_interval: Duration::from_millis(200),
        ..quick()
    };
    let mut spec = agent(&[]);
    spec.start = StartMode::WithKeeper;
    let keeper = home.keeper(spec, settings);
    keeper.ask("note kept").await.unwrap();
    let status = keeper.until_status("a checkpoint", |s| s.checkpoint.is_some()).await;
    assert_ne!(status.state, ProcessState::Hibernated);
    assert_eq!(keeper.notes().await, ["kept"]);
    keeper.stop().await;
}
