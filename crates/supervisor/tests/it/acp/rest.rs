//! Turns that are withdrawn, agents with nothing to do, and the end of the keeper.

use std::time::Duration;

use abide_domain::{event::ExitReason, turn::MindError};
use abide_supervisor::{AcpSettings, ProcessState};
use rustix::process::test_kill_process;

use super::world::{Kept, Tray, World, again, quick, request};

/// Asks and goes away when the agent hangs.
async fn withdraw(kept: &Kept, epoch: u128, order: &str) {
    let (tray, request) = (Tray::new(), request(epoch, order));
    tokio::select! {
        answer = kept.ask(&request, &tray) => panic!("{answer:?}"),
        () = tray.until_said("hanging") => {}
    }
}

#[tokio::test]
async fn an_agent_is_told_to_stop_when_nobody_waits_for_it_any_more() {
    let world = World::new();
    let kept = world.keep(&[]);
    withdraw(&kept, 1, "hang sweep").await;
    let pid = kept.pid();
    // The same turn again: it is told to go on, in the session that it has.
    let answer = kept.ask(&again(&request(1, "hang sweep")), &Tray::new()).await;
    assert_eq!(answer.as_deref(), Ok("went on, done already: true, unknown: false"));
    assert_eq!(world.lines("work/cancelled.log"), ["sweep"]);
    assert_eq!(world.done(), ["sweep"]);
    assert_eq!(kept.pid(), pid);
    kept.stop().await;
}

#[tokio::test]
async fn an_agent_that_does_not_stop_is_killed() {
    let world = World::new();
    let settings = AcpSettings { yield_grace: Duration::from_millis(200), ..quick() };
    let kept = world.keep_with(world.spec(&["--stubborn", "--load"]), settings);
    withdraw(&kept, 1, "hang sweep").await;
    let pid = kept.pid();
    assert_eq!(kept.say(2, "say hello").await.as_deref(), Ok("hello"));
    assert_ne!(kept.pid(), pid);
    assert_eq!(kept.until_exit().await.0, ExitReason::Deadline);
    assert!(test_kill_process(pid).is_err());
    kept.stop().await;
}

#[tokio::test]
async fn a_permission_that_nobody_decides_on_does_not_outlive_its_turn() {
    let world = World::new();
    let kept = world.keep(&[]);
    let (tray, asked) = (Tray::of_person(None), request(1, "ask to burn"));
    tokio::select! {
        answer = kept.ask(&asked, &tray) => panic!("{answer:?}"),
        () = async {
            let mut asked = tray.asked.subscribe();
            asked.wait_for(|asked| !asked.is_empty()).await.unwrap();
        } => {}
    }
    assert_eq!(kept.say(2, "say hello").await.as_deref(), Ok("hello"));
    assert_eq!(world.done(), [""; 0]);
    kept.stop().await;
}

#[tokio::test]
async fn an_idle_agent_rests_and_wakes_in_its_session() {
    let world = World::new();
    let settings = AcpSettings { idle_after: Duration::from_millis(100), ..quick() };
    let kept = world.keep_with(world.spec(&["--resume"]), settings);
    assert_eq!(kept.say(1, "count").await.as_deref(), Ok("blocks: 3"));
    kept.until_state(ProcessState::Hibernated).await;
    assert_eq!(kept.until_exit().await.0, ExitReason::Hibernated);
    assert_eq!(kept.mind.status().pid, None);
    assert_eq!(kept.say(2, "count").await.as_deref(), Ok("blocks: 1"));
    kept.stop().await;
}

#[tokio::test]
async fn an_agent_that_dies_at_rest_is_started_by_the_next_turn() {
    let world = World::new();
    let kept = world.keep(&["--load"]);
    assert_eq!(kept.say(1, "say one").await.as_deref(), Ok("one"));
    kept.kill();
    kept.until_state(ProcessState::NotStarted).await;
    assert_eq!(kept.say(2, "say two").await.as_deref(), Ok("two"));
    kept.stop().await;
}

#[tokio::test]
async fn the_end_of_the_keeper_leaves_nothing() {
    let world = World::new();
    let settings = AcpSettings { yield_grace: Duration::from_millis(200), ..quick() };
    let kept = world.keep_with(world.spec(&["--stubborn", "--load"]), settings);
    let (tray, asked) = (Tray::new(), request(1, "hang sweep"));
    let answer = kept.ask(&asked, &tray);
    let pid = async {
        tray.until_said("hanging").await;
        let pid = kept.pid();
        kept.mind.shutdown().await;
        pid
    };
    let (answer, pid) = tokio::join!(answer, pid);
    assert!(answer.is_err());
    assert!(test_kill_process(pid).is_err());
    assert!(kept.say(2, "say hello").await.is_err());
    kept.stop().await;
}

#[tokio::test]
async fn a_keeper_that_stops_does_not_wait_for_an_agent_that_is_never_ready() {
    let world = World::new();
    let kept = world.keep(&["--late"]);
    let asked = request(1, "say hello");
    let tray = Tray::new();
    let stop = async {
        let mut changes = kept.mind.status_changes();
        changes.wait_for(|status| status.pid.is_some()).await.unwrap();
        let pid = kept.pid();
        kept.mind.shutdown().await;
        pid
    };
    let (answer, pid) = tokio::join!(kept.ask(&asked, &tray), stop);
    assert!(
        matches!(&answer, Err(MindError::Unavailable { message }) if message.contains("stopping"))
    );
    assert!(test_kill_process(pid).is_err());
    assert_eq!(kept.until_exit().await.0, ExitReason::Shutdown);
    kept.stop().await;
}
