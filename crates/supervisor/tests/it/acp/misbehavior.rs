//! Agents that do not behave, or cannot be used as they are: one clear error each.

use std::time::Duration;

use abide_domain::{event::ExitReason, turn::MindError};
use abide_supervisor::{AcpSettings, AcpSpec};

use super::world::{RecordingHost, World, again, quick, request};

async fn rejected(flags: &[&str]) -> (String, ExitReason) {
    let world = World::new();
    let agent = world.keep(flags);
    let answer = agent.say(1, "say hello").await;
    let Err(MindError::Rejected { message }) = answer else { panic!("{answer:?}") };
    let (reason, told) = agent.until_exit().await;
    assert!(told.contains("; it "), "{told}");
    assert_eq!(agent.mind.status().pid, None);
    agent.stop().await;
    (message, reason)
}

#[tokio::test]
async fn words_on_stdout_that_are_no_messages_are_passed_over() {
    let world = World::new();
    let agent = world.keep(&["--banner"]);
    assert_eq!(agent.say(1, "noise").await.unwrap(), "hello all the same");
    assert!(agent.mind.status().pid.is_some(), "its process goes on");
    agent.stop().await;
}

#[tokio::test]
async fn another_version_of_the_protocol_is_named() {
    let (message, reason) = rejected(&["--new"]).await;
    assert!(message.contains("it speaks version 7"), "{message}");
    assert_eq!(reason, ExitReason::Protocol);
}

#[tokio::test]
async fn an_agent_that_wants_a_login_says_so() {
    let world = World::new();
    let agent = world.keep(&["--auth"]);
    let answer = agent.say(1, "say hello").await;
    let Err(MindError::Rejected { message }) = answer else { panic!("{answer:?}") };
    assert!(message.contains("must be logged in"), "{message}");
    assert_eq!(
        agent.mind.status().message.as_deref(),
        Some(&*format!("the model rejected the request: {message}"))
    );
    agent.stop().await;
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let world = World::new();
    let spec = AcpSpec { program: "/nowhere/agent".into(), ..world.spec(&[]) };
    let agent = world.keep_with(spec, quick());
    let answer = agent.say(1, "say hello").await;
    let Err(MindError::Rejected { message }) = answer else { panic!("{answer:?}") };
    assert!(message.contains("could not be started"), "{message}");
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_that_ends_at_once_is_unavailable_and_its_words_are_told() {
    let world = World::new();
    let agent = world.keep(&["--gone"]);
    let answer = agent.say(1, "say hello").await;
    let Err(MindError::Unavailable { message }) = answer else { panic!("{answer:?}") };
    assert!(message.contains("exit code 3 before it was ready"), "{message}");
    assert!(message.contains("an agent on trial"), "{message}");
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_that_is_never_ready_is_ended() {
    let world = World::new();
    let settings = AcpSettings { ready_timeout: Duration::from_millis(200), ..quick() };
    let agent = world.keep_with(world.spec(&["--late"]), settings);
    let answer = agent.say(1, "say hello").await;
    assert!(
        matches!(&answer, Err(MindError::Unavailable { message }) if message.contains("not ready"))
    );
    assert_eq!(agent.until_exit().await.0, ExitReason::NotReady);
    agent.stop().await;
}

#[tokio::test]
async fn a_flood_of_noise_in_a_prompt_ends_the_run_and_the_turn_goes_on_in_another() {
    let world = World::new();
    let agent = world.keep(&["--load"]);
    let first = request(1, "flood");
    let answer = agent.ask(&first, &RecordingHost::new()).await;
    let Err(MindError::Unavailable { message }) = answer else { panic!("{answer:?}") };
    assert!(message.contains("`Traceback (most recent call last):`"), "{message}");
    assert_eq!(agent.until_exit().await.0, ExitReason::Protocol);
    let went_on = agent.ask(&again(&first), &RecordingHost::new()).await.unwrap();
    assert!(went_on.starts_with("went on"), "{went_on}");
    agent.stop().await;
}
