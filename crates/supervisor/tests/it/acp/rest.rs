//! Turns that are withdrawn, agents with nothing to do, and the end of the keeper.

use std::time::Duration;

use abide_domain::{
    event::{ExitReason, ProcessSandbox},
    turn::MindError,
};
use abide_supervisor::{AcpSettings, Confinement, NetworkAccess, ProcessState, Sandbox};
use rustix::process::test_kill_process;

use crate::sandbox::levels;

use super::world::{RecordingHost, RunningAgent, World, again, quick, request};

/// Asks and goes away when the agent hangs.
async fn withdraw(agent: &RunningAgent, epoch: u128, order: &str) {
    let (host, request) = (RecordingHost::new(), request(epoch, order));
    tokio::select! {
        answer = agent.ask(&request, &host) => panic!("{answer:?}"),
        () = host.until_said("hanging") => {}
    }
}

#[tokio::test]
async fn an_agent_is_told_to_stop_when_nobody_waits_for_it_any_more() {
    let world = World::new();
    let agent = world.keep(&[]);
    withdraw(&agent, 1, "hang sweep").await;
    let pid = agent.pid();
    // The same turn again: it is told to go on, in the session that it has.
    let answer = agent.ask(&again(&request(1, "hang sweep")), &RecordingHost::new()).await;
    assert_eq!(answer.as_deref(), Ok("went on, done already: true, unknown: false"));
    assert_eq!(world.lines("work/cancelled.log"), ["sweep"]);
    assert_eq!(world.done(), ["sweep"]);
    assert_eq!(agent.pid(), pid);
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_that_does_not_stop_is_killed() {
    let world = World::new();
    let settings = AcpSettings { yield_grace: Duration::from_millis(200), ..quick() };
    let agent = world.keep_with(world.spec(&["--stubborn", "--load"]), settings);
    withdraw(&agent, 1, "hang sweep").await;
    let pid = agent.pid();
    assert_eq!(agent.say(2, "say hello").await.as_deref(), Ok("hello"));
    assert_ne!(agent.pid(), pid);
    assert_eq!(agent.until_exit().await.0, ExitReason::Deadline);
    assert!(test_kill_process(pid).is_err());
    agent.stop().await;
}

#[tokio::test]
async fn a_permission_that_nobody_decides_on_does_not_outlive_its_turn() {
    let world = World::new();
    let agent = world.keep(&[]);
    let (host, asked) = (RecordingHost::of_person(None), request(1, "ask to burn"));
    tokio::select! {
        answer = agent.ask(&asked, &host) => panic!("{answer:?}"),
        () = async {
            let mut asked = host.asked.subscribe();
            asked.wait_for(|asked| !asked.is_empty()).await.unwrap();
        } => {}
    }
    assert_eq!(agent.say(2, "say hello").await.as_deref(), Ok("hello"));
    assert_eq!(world.done(), [""; 0]);
    agent.stop().await;
}

#[tokio::test]
async fn an_idle_agent_rests_and_wakes_in_its_session() {
    let world = World::new();
    let settings = AcpSettings { idle_after: Duration::from_millis(100), ..quick() };
    let agent = world.keep_with(world.spec(&["--resume"]), settings);
    assert_eq!(agent.say(1, "count").await.as_deref(), Ok("blocks: 3"));
    agent.until_state(ProcessState::Hibernated).await;
    assert_eq!(agent.until_exit().await.0, ExitReason::Hibernated);
    assert_eq!(agent.mind.status().pid, None);
    assert_eq!(agent.say(2, "count").await.as_deref(), Ok("blocks: 1"));
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_that_dies_at_rest_is_started_by_the_next_turn() {
    let world = World::new();
    let agent = world.keep(&["--load"]);
    assert_eq!(agent.say(1, "say one").await.as_deref(), Ok("one"));
    agent.kill();
    agent.until_state(ProcessState::NotStarted).await;
    assert_eq!(agent.say(2, "say two").await.as_deref(), Ok("two"));
    agent.stop().await;
}

#[tokio::test]
async fn the_end_of_the_keeper_leaves_nothing() {
    let world = World::new();
    let settings = AcpSettings { yield_grace: Duration::from_millis(200), ..quick() };
    let agent = world.keep_with(world.spec(&["--stubborn", "--load"]), settings);
    let (host, asked) = (RecordingHost::new(), request(1, "hang sweep"));
    let answer = agent.ask(&asked, &host);
    let pid = async {
        host.until_said("hanging").await;
        let pid = agent.pid();
        agent.mind.shutdown().await;
        pid
    };
    let (answer, pid) = tokio::join!(answer, pid);
    assert!(answer.is_err());
    assert!(test_kill_process(pid).is_err());
    assert!(agent.say(2, "say hello").await.is_err());
    agent.stop().await;
}

#[tokio::test]
async fn a_keeper_that_stops_does_not_wait_for_an_agent_that_is_never_ready() {
    let world = World::new();
    let agent = world.keep(&["--late"]);
    let asked = request(1, "say hello");
    let host = RecordingHost::new();
    let stop = async {
        let mut changes = agent.mind.status_changes();
        changes.wait_for(|status| status.pid.is_some()).await.unwrap();
        let pid = agent.pid();
        agent.mind.shutdown().await;
        pid
    };
    let (answer, pid) = tokio::join!(agent.ask(&asked, &host), stop);
    assert!(
        matches!(&answer, Err(MindError::Unavailable { message }) if message.contains("stopping"))
    );
    assert!(test_kill_process(pid).is_err());
    assert_eq!(agent.until_exit().await.0, ExitReason::Shutdown);
    agent.stop().await;
}

#[tokio::test]
async fn a_confined_agent_answers_as_any_other_and_its_level_is_shown() {
    for level in levels() {
        let world = World::new();
        let mut spec = world.spec(&[]);
        let confinement = Confinement {
            level,
            network: NetworkAccess::Open,
            read: vec![spec.program.parent().unwrap().to_owned()],
            write: vec![spec.folder.clone()],
        };
        let recorded = ProcessSandbox { level: level.number(), open: Vec::new() };
        spec.sandbox = Some(Sandbox { confinement: Some(confinement), recorded });
        let agent = world.keep_with(spec, quick());
        assert_eq!(agent.say(1, "say hello").await.as_deref(), Ok("hello"), "{level:?}");
        assert_eq!(agent.mind.status().sandbox, Some(level.number()));
        agent.stop().await;
    }
}
