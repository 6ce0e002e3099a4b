//! Agents and keepers that die in the middle of a prompt: nothing is done twice, and what is unknown is called so.

use abide_domain::turn::{MindError, TurnRequest};
use abide_testkit::SplitMix64;

use super::world::{RecordingHost, RunningAgent, World, again, request};

/// Puts the order to hang to an agent, and comes back when it hangs and has done something.
async fn hang(
    agent: &RunningAgent,
    request: &TurnRequest,
    then: impl AsyncFnOnce(),
) -> Option<MindError> {
    let host = RecordingHost::new();
    tokio::select! {
        answer = agent.ask(request, &host) => Some(answer.unwrap_err()),
        () = async {
            host.until_said("hanging").await;
            then().await;
        } => None,
    }
}

async fn killed(agent: &RunningAgent, request: &TurnRequest) -> String {
    let forever = || std::future::pending::<()>();
    let error = hang(agent, request, async || {
        agent.kill();
        forever().await;
    });
    match error.await {
        Some(MindError::Crashed { message }) => message,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_agent_that_can_load_its_session_goes_on_after_a_kill() {
    let world = World::new();
    let agent = world.keep(&["--load"]);
    let first = request(1, "hang sweep");
    let message = killed(&agent, &first).await;
    assert!(message.contains("signal 9") && message.contains("an agent on trial"), "{message}");
    let host = RecordingHost::new();
    let answer = agent.ask(&again(&first), &host).await;
    // What it had begun besides is in the replay, and it is told so.
    assert_eq!(answer.as_deref(), Ok("went on, done already: true, unknown: true"));
    assert_eq!(host.claims().first().unwrap().1, "acp resumed");
    assert_eq!(world.done(), ["sweep"]);
    // The session goes on, and knows who it is.
    assert_eq!(agent.say(2, "count").await.as_deref(), Ok("blocks: 1"));
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_that_can_only_resume_goes_on_too() {
    let world = World::new();
    let agent = world.keep(&["--resume"]);
    let first = request(1, "hang sweep");
    killed(&agent, &first).await;
    let answer = agent.ask(&again(&first), &RecordingHost::new()).await;
    assert_eq!(answer.as_deref(), Ok("went on, done already: true, unknown: false"));
    assert_eq!(world.done(), ["sweep"]);
    agent.stop().await;
}

#[tokio::test]
async fn without_a_session_to_bring_back_the_outcome_is_unknown() {
    let world = World::new();
    let agent = world.keep(&[]);
    let first = request(1, "hang sweep");
    killed(&agent, &first).await;
    for attempt in [2, 3] {
        let asked = TurnRequest { attempt, ..first.clone() };
        let answer = agent.ask(&asked, &RecordingHost::new()).await;
        let Err(MindError::OutcomeUnknown { message }) = answer else { panic!("{answer:?}") };
        assert!(message.contains("was cut off"), "{message}");
        assert!(message.contains("can neither load nor resume"), "{message}");
    }
    // The next message finds a new session, and that is said with its reason.
    let host = RecordingHost::new();
    assert_eq!(agent.ask(&request(2, "count"), &host).await.as_deref(), Ok("blocks: 3"));
    let reports = host.reports.lock().unwrap().clone();
    assert_eq!(reports[0].tags, ["acp", "new"]);
    assert!(reports[0].body["why"].as_str().unwrap().contains("can neither load"), "{reports:?}");
    assert_eq!(world.done(), ["sweep"]);
    agent.stop().await;
}

#[tokio::test]
async fn a_session_that_is_gone_leaves_the_outcome_unknown() {
    let world = World::new();
    let agent = world.keep(&["--load"]);
    let first = request(1, "hang sweep");
    killed(&agent, &first).await;
    let work = world.spec(&[]).folder;
    std::fs::remove_file(work.join("session-1.jsonl")).unwrap();
    let answer = agent.ask(&again(&first), &RecordingHost::new()).await;
    let Err(MindError::OutcomeUnknown { message }) = answer else { panic!("{answer:?}") };
    assert!(message.contains("no such session"), "{message}");
    assert_eq!(world.done(), ["sweep"]);
    agent.stop().await;
}

#[tokio::test]
async fn a_keeper_that_died_in_a_prompt_is_followed_by_one_that_knows() {
    let world = World::new();
    let agent = world.keep(&["--load"]);
    let first = request(1, "hang sweep");
    assert!(hang(&agent, &first, async || {}).await.is_none());
    agent.die().await;
    let agent = world.keep(&["--load"]);
    let answer = agent.ask(&again(&first), &RecordingHost::new()).await;
    assert_eq!(answer.as_deref(), Ok("went on, done already: true, unknown: true"));
    assert_eq!(world.done(), ["sweep"]);
    agent.stop().await;
}

#[tokio::test]
async fn an_answer_that_never_reached_the_ledger_is_given_again_and_not_asked_for() {
    let world = World::new();
    let agent = world.keep(&[]);
    let first = request(1, "do sweep");
    assert_eq!(
        agent.ask(&first, &RecordingHost::new()).await.as_deref(),
        Ok("It is done. did sweep")
    );
    agent.die().await;
    let agent = world.keep(&[]);
    assert_eq!(
        agent.ask(&again(&first), &RecordingHost::new()).await.as_deref(),
        Ok("It is done. did sweep")
    );
    assert_eq!(agent.mind.status().pid, None);
    assert_eq!(world.done(), ["sweep"]);
    agent.stop().await;
}

#[tokio::test]
async fn a_session_is_resumed_by_the_next_keeper() {
    for flag in ["--load", "--resume"] {
        let world = World::new();
        let agent = world.keep(&[flag]);
        assert_eq!(agent.say(1, "count").await.as_deref(), Ok("blocks: 3"));
        agent.stop().await;
        let agent = world.keep(&[flag]);
        let host = RecordingHost::new();
        assert_eq!(
            agent.ask(&request(2, "count"), &host).await.as_deref(),
            Ok("blocks: 1"),
            "{flag}"
        );
        assert_eq!(host.claims()[0].1, "acp resumed");
        agent.stop().await;
    }
}

#[tokio::test]
async fn a_damaged_note_is_unknown_to_a_turn_that_was_asked_before() {
    let world = World::new();
    let agent = world.keep(&["--load"]);
    assert_eq!(agent.say(1, "say hello").await.as_deref(), Ok("hello"));
    agent.stop().await;
    std::fs::write(world.note(), "{").unwrap();
    let agent = world.keep(&["--load"]);
    let answer = agent.ask(&again(&request(1, "say hello")), &RecordingHost::new()).await;
    assert!(
        matches!(&answer, Err(MindError::OutcomeUnknown { message }) if message.contains("damaged"))
    );
    assert_eq!(agent.say(2, "say hello").await.as_deref(), Ok("hello"));
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_that_is_killed_at_any_point_does_everything_once_and_answers() {
    let world = World::new();
    let agent = world.keep(&["--load", "--slow"]);
    let mut rng = SplitMix64::new(7);
    let mut crashes = 0;
    for epoch in 1..=60 {
        let mut asked = request(epoch, &format!("do item-{epoch}"));
        // In the middle of the prompt, at its end, or not at all.
        let mut fatal = Some(usize::try_from(rng.next_u64() % 4).unwrap());
        loop {
            let host = RecordingHost::new();
            let death = async {
                let mut heard = host.deltas.subscribe();
                let is_time = |pieces| move |deltas: &Vec<_>| deltas.len() > pieces;
                match fatal {
                    Some(pieces) => drop(heard.wait_for(is_time(pieces)).await.unwrap()),
                    None => std::future::pending().await,
                }
                agent.let_run_hold();
                agent.kill();
                std::future::pending::<()>().await;
            };
            let answer = tokio::select! {
                answer = agent.ask(&asked, &host) => answer,
                () = death => panic!("it goes on for ever"),
            };
            match answer {
                Ok(_) => break,
                Err(MindError::Crashed { .. } | MindError::Unavailable { .. }) => crashes += 1,
                Err(error) => panic!("{error}"),
            }
            fatal = None;
            asked = again(&asked);
        }
    }
    let all: Vec<_> = (1..=60).map(|epoch| format!("item-{epoch}")).collect();
    assert_eq!(world.done(), all);
    assert!(crashes > 5, "{crashes}");
    agent.stop().await;
}
