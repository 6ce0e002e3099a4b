//! Turns that end well, and turns that the agent or a person says no to.

use abide_domain::{turn::MindError, voice::VoiceError};
use abide_engine::mind::Mind as _;
use abide_supervisor::ProcessState;
use serde_json::json;

use super::world::{RecordingHost, World, request};

fn pairs(claims: &[(&str, &str)]) -> Vec<(String, String)> {
    claims.iter().map(|(claim, tags)| ((*claim).into(), (*tags).into())).collect()
}

#[tokio::test]
async fn an_answer_comes_in_pieces_and_as_a_whole() {
    let world = World::new();
    let agent = world.keep(&[]);
    assert_eq!(agent.mind.status().state, ProcessState::NotStarted);
    let host = RecordingHost::new();
    let thought = agent.mind.think(&request(1, "say all is well"), &host).await.unwrap();
    assert_eq!(thought.voice.final_response.as_deref(), Some("all is well"));
    assert_eq!((thought.voice.thought.as_str(), &*thought.voice.emotive_state), ("Hm.", "neutral"));
    assert_eq!(host.heard(), ("all is well".into(), "Hm.".into()));
    assert!(host.deltas.borrow().len() >= 4);
    assert_eq!(host.claims(), pairs(&[("session", "acp new")]));
    let status = agent.mind.status();
    assert_eq!((status.state, status.sdk.as_deref()), (ProcessState::Ready, Some("trial 1")));
    agent.stop().await;
}

#[tokio::test]
async fn what_an_agent_does_is_evidence_and_what_it_says_on_the_way_is_thought() {
    let world = World::new();
    let agent = world.keep(&[]);
    let host = RecordingHost::new();
    let thought = agent.mind.think(&request(1, "do sweep"), &host).await.unwrap();
    assert_eq!(thought.voice.final_response.as_deref(), Some("It is done. did sweep"));
    assert_eq!(thought.voice.thought, "I will do it.\n");
    let claims = [
        ("session", "acp new"),
        ("tool_call", "acp execute in_progress"),
        ("tool_call", "acp execute completed"),
    ];
    assert_eq!(host.claims(), pairs(&claims));
    assert_eq!(world.done(), ["sweep"]);

    let host = RecordingHost::new();
    assert_eq!(agent.ask(&request(2, "plan the week"), &host).await.as_deref(), Ok("planned"));
    assert_eq!(host.claims(), pairs(&[("plan", "acp")]));
    agent.stop().await;
}

#[tokio::test]
async fn a_person_allows_one_thing_once() {
    let world = World::new();
    let agent = world.keep(&[]);
    let host = RecordingHost::of_person(Some(true));
    assert_eq!(agent.ask(&request(1, "ask to sweep"), &host).await.as_deref(), Ok("did it"));
    let asked = host.asked.borrow().clone();
    assert_eq!(asked[0].tool, "to sweep");
    let arguments = json!({"title": "to sweep", "kind": "execute", "input": {"what": "to sweep"}});
    assert_eq!(asked[0].arguments, arguments);
    assert_eq!(world.done(), ["to sweep"]);
    agent.stop().await;
}

#[tokio::test]
async fn what_a_person_does_not_allow_is_not_done() {
    let world = World::new();
    let agent = world.keep(&[]);
    let host = RecordingHost::of_person(Some(false));
    let answer = agent.ask(&request(1, "ask to burn"), &host).await;
    assert_eq!(answer.as_deref(), Ok("was not allowed to"));
    assert_eq!(world.done(), [""; 0]);
    agent.stop().await;
}

#[tokio::test]
async fn nobody_is_asked_for_a_permission_that_lasts() {
    let world = World::new();
    let agent = world.keep(&[]);
    let host = RecordingHost::of_person(Some(true));
    let answer = agent.ask(&request(1, "forever burn"), &host).await;
    assert_eq!(answer.as_deref(), Ok("was not allowed to"));
    assert!(host.asked.borrow().is_empty());
    agent.stop().await;
}

#[tokio::test]
async fn a_session_is_told_who_it_is_once_and_when_that_changes() {
    let world = World::new();
    let agent = world.keep(&[]);
    assert_eq!(agent.say(1, "count").await.as_deref(), Ok("blocks: 3"));
    assert_eq!(agent.say(2, "count").await.as_deref(), Ok("blocks: 1"));
    let mut changed = request(3, "count");
    changed.system = "You are Felix, and it is Monday.".into();
    assert_eq!(agent.ask(&changed, &RecordingHost::new()).await.as_deref(), Ok("blocks: 2"));
    agent.stop().await;
}

#[tokio::test]
async fn a_refusal_and_an_empty_answer_are_told_as_what_they_are() {
    let world = World::new();
    let agent = world.keep(&[]);
    let refused = agent.say(1, "refuse").await;
    assert!(
        matches!(&refused, Err(MindError::Refused { message, .. }) if message == "That I will not do."),
        "{refused:?}"
    );
    let mute = request(2, "mute");
    let empty = agent.ask(&mute, &RecordingHost::new()).await;
    let Err(MindError::BadVoice { problem, .. }) = empty else { panic!("{empty:?}") };
    let mut repair = super::world::again(&mute);
    repair.repair = Some(VoiceError::new(problem.path, problem.message));
    // The order that it is given to mend its answer is no order that it knows: it stays mute, and is asked only that.
    let empty = agent.ask(&repair, &RecordingHost::new()).await;
    assert!(matches!(empty, Err(MindError::BadVoice { .. })), "{empty:?}");
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_whose_provider_failed_is_told_to_go_on() {
    let world = World::new();
    let agent = world.keep(&[]);
    let first = request(1, "fail");
    let failed = agent.ask(&first, &RecordingHost::new()).await;
    let Err(MindError::Unavailable { message }) = failed else { panic!("{failed:?}") };
    assert!(message.contains("the provider is away"), "{message}");
    let went_on = agent.ask(&super::world::again(&first), &RecordingHost::new()).await.unwrap();
    assert!(went_on.starts_with("went on"), "{went_on}");
    agent.stop().await;
}

#[tokio::test]
async fn what_is_not_known_is_passed_over_and_what_is_not_offered_is_refused() {
    let world = World::new();
    let agent = world.keep(&[]);
    assert_eq!(agent.say(1, "future").await.as_deref(), Ok("it came"));
    agent.stop().await;
}
