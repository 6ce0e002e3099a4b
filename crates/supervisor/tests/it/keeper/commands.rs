//! What a person may want of a process: restart, park, resume, a checkpoint, an older checkpoint.

use abide_domain::event::ExitReason;
use abide_supervisor::{ProcessCommandError, ProcessState, StartMode};
use uuid::Uuid;

use super::world::{Home, agent, exited, felix, quick};

#[tokio::test]
async fn a_restart_gives_the_state_back_to_another_process() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("note kept").await.unwrap();
    let before = keeper.status();
    keeper.supervisor.restart(&felix()).await.unwrap();
    assert_eq!(keeper.notes().await, ["kept"]);
    let after = keeper.status();
    assert_ne!((before.pid, before.run), (after.pid, after.run));
    assert_eq!((after.restarts, after.restarts_recent), (1, 0));
    assert_eq!(keeper.exit().await.reason, ExitReason::Person);
    keeper.stop().await;
}

#[tokio::test]
async fn a_parked_agent_lets_turns_wait_until_it_is_resumed() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("note kept").await.unwrap();
    keeper.supervisor.park(&felix()).await.unwrap();
    keeper.until_state(ProcessState::Parked).await;
    let refused = keeper.supervisor.restart(&felix()).await;
    assert!(matches!(refused, Err(ProcessCommandError::Conflict { .. })), "{refused:?}");
    let (answer, ()) = tokio::join!(keeper.ask("list"), async {
        assert_eq!(keeper.status().state, ProcessState::Parked);
        keeper.supervisor.resume(&felix()).await.unwrap();
    });
    assert_eq!(answer, Ok("[\"kept\"]".into()));
    let refused = keeper.supervisor.resume(&felix()).await;
    assert!(matches!(refused, Err(ProcessCommandError::Conflict { .. })), "{refused:?}");
    keeper.stop().await;
}

#[tokio::test]
async fn an_agent_may_be_parked_from_the_start_or_start_with_the_keeper() {
    let home = Home::new();
    let mut spec = agent(&[]);
    spec.start = StartMode::Parked;
    let keeper = home.keeper(spec, quick());
    assert_eq!(keeper.status().state, ProcessState::Parked, "whoever looks first sees it parked");
    keeper.stop().await;
    let mut spec = agent(&[]);
    spec.start = StartMode::WithKeeper;
    let keeper = home.keeper(spec, quick());
    keeper.until_state(ProcessState::Ready).await;
    keeper.stop().await;
}

#[tokio::test]
async fn a_checkpoint_by_hand_is_durable_when_it_is_answered() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    let refused = keeper.supervisor.checkpoint(&felix()).await;
    assert!(matches!(refused, Err(ProcessCommandError::Conflict { .. })), "{refused:?}");
    keeper.ask("note kept").await.unwrap();
    let checkpoint = keeper.supervisor.checkpoint(&felix()).await.unwrap();
    assert_eq!(checkpoint.wal_sequence, 1);
    assert!(home.folder("checkpoints").join(&checkpoint.file).exists());
    let status = keeper.status();
    assert_eq!(status.checkpoint.map(|c| c.id.uuid()), Some(checkpoint.id));
    assert_eq!((status.wal_sequence, status.wal_entries), (1, 0));
    keeper.stop().await;
}

#[tokio::test]
async fn an_older_checkpoint_comes_back_without_what_came_later_and_says_where_that_is() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("note one").await.unwrap();
    let first = keeper.supervisor.checkpoint(&felix()).await.unwrap();
    keeper.ask("note two").await.unwrap();
    keeper.supervisor.checkpoint(&felix()).await.unwrap();
    keeper.ask("note three").await.unwrap();
    let summary = keeper.supervisor.restore(&felix(), first.id).await.unwrap();
    assert_eq!(summary.checkpoint.id, first.id);
    assert_eq!(summary.report.len(), 1);
    assert!(summary.report[0].starts_with("2 later entries"), "{:?}", summary.report);
    assert_eq!(keeper.notes().await, ["one"]);
    // Sequences go on: none is used twice.
    keeper.ask("note four").await.unwrap();
    assert_eq!(keeper.status().wal_sequence, 4);
    let unknown = keeper.supervisor.restore(&felix(), Uuid::from_u128(7)).await;
    assert_eq!(unknown, Err(ProcessCommandError::UnknownCheckpoint { id: Uuid::from_u128(7) }));
    assert_eq!(keeper.notes().await, ["one", "four"]);
    assert_eq!(keeper.kinds().get("agent.state_troubled"), Some(&1));
    keeper.stop().await;
}

#[tokio::test]
async fn commands_to_nobody_and_after_the_end_are_refused() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    let nobody = "nobody".parse().unwrap();
    let refused = keeper.supervisor.restart(&nobody).await;
    assert_eq!(refused, Err(ProcessCommandError::UnknownAgent { agent: "nobody".into() }));
    assert!(keeper.supervisor.mind(&nobody, "x").is_none());
    let supervisor = keeper.supervisor.clone();
    let events = keeper.stop().await;
    assert_eq!(events.iter().filter_map(exited).count(), 0);
    assert_eq!(supervisor.restart(&felix()).await, Err(ProcessCommandError::Stopping));
}
