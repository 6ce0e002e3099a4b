//! An agent that keeps more on the disk than it may: ended with the cause, held until there is room, started again by itself.

use std::{fs, path::Path, time::Duration};

use abide_domain::{event::ExitReason, turn::MindError};
use abide_supervisor::{AgentSpec, ProcessLimits, ProcessState, SupervisorSettings};

use super::world::{Home, Keeper, agent, exited, quick};

const MIB: usize = 1 << 20;

/// A trial agent that may keep one MB.
fn bounded() -> AgentSpec {
    let limits = ProcessLimits { disk_bytes: Some(1 << 20), ..ProcessLimits::default() };
    AgentSpec { limits, ..agent(&[]) }
}

fn often() -> SupervisorSettings {
    SupervisorSettings { disk_interval: Duration::from_millis(50), ..quick() }
}

/// Does what a process could: has a file of two MB there. At once, so that no look at it sees a part.
fn fill(home: &Home, file: &Path) {
    let beside = home.0.path().join("large");
    fs::write(&beside, vec![b'x'; 2 * MIB]).unwrap();
    fs::File::open(&beside).unwrap().sync_all().unwrap();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::rename(beside, file).unwrap();
}

/// How a turn fails while the process is held.
async fn refusal(keeper: &Keeper) -> String {
    match keeper.ask("hello").await {
        Err(MindError::ProcessFailed { message }) => message,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_process_that_fills_the_disk_is_ended_held_and_started_again_once_there_is_room() {
    let home = Home::new();
    let large = home.folder("work/large");
    let keeper = home.keeper(bounded(), often());
    keeper.ask("list").await.unwrap();
    fill(&home, &large);
    let exit = keeper.exit().await;
    assert_eq!(exit.reason, ExitReason::DiskLimit);
    let cause = "used 2.1 MB of its 1 MB of disk, most of it in agents/felix/work";
    assert_eq!(exit.message, format!("it {cause}; it was ended by signal 9"));

    let status = keeper.until_state(ProcessState::OverDiskLimit).await;
    let hold = status.disk_hold.unwrap();
    assert_eq!((hold.message.as_str(), hold.folder), (cause, home.folder("work")));
    let reason = format!("the agent's process is not started until there is room: it {cause}");
    for _ in 0..3 {
        assert_eq!(refusal(&keeper).await, reason, "whoever asks is told at once");
    }
    assert_eq!(keeper.kinds()["agent.started"], 1, "and no turn starts it");

    fs::remove_file(large).unwrap();
    keeper.until_state(ProcessState::Ready).await;
    assert_eq!(keeper.status().disk_hold, None);
    keeper.ask("list").await.unwrap();
    let exits = keeper.stop().await.iter().filter_map(exited).count();
    assert_eq!(exits, 2, "by the limit and by the end of the keeper");
}

#[tokio::test]
async fn a_person_who_starts_it_while_the_disk_is_full_sees_it_ended_again_and_may_park_it() {
    let home = Home::new();
    let keeper = home.keeper(bounded(), often());
    keeper.ask("list").await.unwrap();
    fill(&home, &home.folder("tmp/large"));
    keeper.until_state(ProcessState::OverDiskLimit).await;
    let felix = super::world::felix();
    keeper.supervisor.restart(&felix).await.unwrap();
    let second = keeper.until_nth("a second end", 2, exited).await;
    assert_eq!(second.reason, ExitReason::DiskLimit);
    let held = keeper.until_state(ProcessState::OverDiskLimit).await;
    assert!(held.disk_hold.is_some());

    keeper.supervisor.park(&felix).await.unwrap();
    let parked = keeper.until_state(ProcessState::Parked).await;
    assert_eq!(parked.disk_hold, None, "a person has seen to it");
    fs::remove_file(home.folder("tmp/large")).unwrap();
    keeper.supervisor.resume(&felix).await.unwrap();
    keeper.ask("list").await.unwrap();
    keeper.stop().await;
}
