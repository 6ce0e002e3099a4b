//! An agent whose process ends again and again: it is started less and less often, and a person is told.

use std::time::Duration;

use abide_domain::{
    event::{AgentEvent, Event, RestartsFrequent},
    turn::MindError,
};
use abide_supervisor::ProcessState;
use tokio::time::Instant;

use super::world::{RecordingHost, RunningAgent, World, request};

/// The pauses before the third to the sixth start in a row, each at its shortest; the second start is at once.
const PAUSES_MIN: Duration = Duration::from_millis((100 + 200 + 400 + 800) * 4 / 5);

async fn fail_in_a_row(agent: &RunningAgent, starts: u128) {
    for epoch in 1..=starts {
        let answer = agent.say(epoch, "say hello").await;
        assert!(matches!(answer, Err(MindError::Unavailable { .. })), "{answer:?}");
    }
}

/// Ends the agent and gives all that was recorded.
async fn stop(agent: RunningAgent) -> Vec<Event> {
    let ledger = agent.ledger.clone();
    agent.stop().await;
    ledger.records(1).map(|record| record.unwrap().entry().unwrap().event).collect()
}

#[tokio::test]
async fn bc_17_an_acp_agent_that_ends_at_once_is_started_as_often_as_the_restart_policy_allows() {
    let world = World::new();
    let agent = world.keep(&["--gone"]);
    let began_at = Instant::now();
    fail_in_a_row(&agent, 6).await;
    assert!(began_at.elapsed() >= PAUSES_MIN, "{:?}", began_at.elapsed());
    let status = agent.mind.status();
    assert_eq!((status.restarts, status.failures, status.restarts_recent), (5, 6, 6));
    let events = stop(agent).await;
    let failures: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Agent(AgentEvent::Started(started)) => Some(started.failures),
            _ => None,
        })
        .collect();
    assert_eq!(failures, [0, 1, 2, 3, 4, 5]);
    let frequent: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Agent(AgentEvent::RestartsFrequent(frequent)) => Some(frequent),
            _ => None,
        })
        .collect();
    let [RestartsFrequent { restarts: 5, window_ms: 60_000, pause_ms, message }] = &frequent[..]
    else {
        panic!("{frequent:?}")
    };
    assert!((640..=800).contains(pause_ms) && message.contains("exit code 3"), "{frequent:?}");
}

#[tokio::test]
async fn a_turn_that_waits_for_the_next_start_can_be_withdrawn_and_the_keeper_can_stop() {
    let world = World::new();
    let agent = world.keep(&["--gone"]);
    fail_in_a_row(&agent, 6).await;
    let waits = async |agent: &RunningAgent| {
        let mut changes = agent.mind.status_changes();
        let is_waiting = |state| matches!(state, ProcessState::Waiting { .. });
        changes.wait_for(|status| is_waiting(status.state)).await.unwrap();
    };
    let (asked, host) = (request(7, "say hello"), RecordingHost::new());
    tokio::select! {
        answer = agent.ask(&asked, &host) => panic!("{answer:?}"),
        () = waits(&agent) => {}
    }
    let shut_down = async {
        waits(&agent).await;
        agent.mind.shutdown().await;
    };
    let (answer, ()) = tokio::join!(agent.say(8, "say hello"), shut_down);
    assert!(matches!(answer, Err(MindError::Unavailable { .. })), "{answer:?}");
    let started = |event: &&Event| matches!(event, Event::Agent(AgentEvent::Started(_)));
    assert_eq!(stop(agent).await.iter().filter(started).count(), 6);
}
