//! An agent that keeps more on the disk than it may: ended at rest or at work, and not started until there is room.

use std::{fs, path::PathBuf, time::Duration};

use abide_domain::{event::ExitReason, turn::MindError};
use abide_supervisor::{AcpSettings, AcpSpec, ProcessLimits, ProcessState};

use super::world::{RecordingHost, RunningAgent, World, quick, request};

const CAUSE: &str = "used 2.1 MB of its 1 MB of disk, most of it in agents/felix/work";

/// An agent that may keep one MB, which is looked at often.
fn bounded(world: &World) -> RunningAgent {
    let limits = ProcessLimits { disk_bytes: Some(1 << 20), ..ProcessLimits::default() };
    let spec = AcpSpec { limits, ..world.spec(&["--load"]) };
    let settings = AcpSettings { disk_interval: Duration::from_millis(50), ..quick() };
    world.keep_with(spec, settings)
}

/// Does what a process could: has a file of two MB there. At once, so that no look at it sees a part.
fn fill(world: &World) -> PathBuf {
    let folder = world.note().with_file_name("work");
    fs::create_dir_all(&folder).unwrap();
    let (beside, file) = (world.note().with_file_name("large"), folder.join("large"));
    fs::write(&beside, vec![b'x'; 2 << 20]).unwrap();
    fs::File::open(&beside).unwrap().sync_all().unwrap();
    fs::rename(beside, &file).unwrap();
    file
}

#[tokio::test]
async fn one_at_rest_is_ended_and_not_started_before_there_is_room() {
    let world = World::new();
    let agent = bounded(&world);
    assert_eq!(agent.say(1, "say one").await.as_deref(), Ok("one"));
    let large = fill(&world);
    agent.until_state(ProcessState::OverDiskLimit).await;
    let (reason, message) = agent.until_exit().await;
    assert_eq!(reason, ExitReason::DiskLimit);
    // The end of its input may be quicker than the signal.
    assert!(message.starts_with(&format!("the agent {CAUSE}; it ")), "{message}");
    let hold = agent.mind.status().disk_hold.unwrap();
    assert_eq!(hold.message, CAUSE);

    let message = format!("the agent's process is not started until there is room: it {CAUSE}");
    assert_eq!(agent.say(2, "say two").await, Err(MindError::Unavailable { message }));
    assert_eq!(agent.mind.status().state, ProcessState::OverDiskLimit);

    fs::remove_file(large).unwrap();
    agent.until_state(ProcessState::NotStarted).await;
    assert_eq!(agent.mind.status().disk_hold, None);
    assert_eq!(agent.say(2, "say two").await.as_deref(), Ok("two"));
    agent.stop().await;
}

#[tokio::test]
async fn one_at_work_is_ended_and_whoever_asked_is_told_why() {
    let world = World::new();
    let agent = bounded(&world);
    let (host, asked) = (RecordingHost::new(), request(1, "hang sweep"));
    let (answer, ()) = tokio::join!(agent.ask(&asked, &host), async {
        host.until_said("hanging").await;
        fill(&world);
    });
    let message = format!("the agent {CAUSE}");
    assert_eq!(answer, Err(MindError::Unavailable { message }));
    assert_eq!(agent.until_exit().await.0, ExitReason::DiskLimit);
    agent.stop().await;
}
