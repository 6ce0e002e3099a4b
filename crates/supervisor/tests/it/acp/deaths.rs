//! Agents and keepers that die in the middle of a prompt: nothing is done twice, and what is unknown is called so.

use abide_domain::turn::{MindError, TurnRequest};
use abide_testkit::SplitMix64;

use super::world::{Kept, Tray, World, again, request};

/// Puts the order to hang to an agent, and comes back when it hangs and has done something.
async fn hang(kept: &Kept, request: &TurnRequest, then: impl AsyncFnOnce()) -> Option<MindError> {
    let tray = Tray::new();
    tokio::select! {
        answer = kept.ask(request, &tray) => Some(answer.unwrap_err()),
        () = async {
            tray.until_said("hanging").await;
            then().await;
        } => None,
    }
}

async fn killed(kept: &Kept, request: &TurnRequest) -> String {
    let forever = || std::future::pending::<()>();
    let error = hang(kept, request, async || {
        kept.kill();
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
    let kept = world.keep(&["--load"]);
    let first = request(1, "hang sweep");
    let message = killed(&kept, &first).await;
    assert!(message.contains("signal 9") && message.contains("an agent on trial"), "{message}");
    let tray = Tray::new();
    let answer = kept.ask(&again(&first), &tray).await;
    // What it had begun besides is in the replay, and it is told so.
    assert_eq!(answer.as_deref(), Ok("went on, done already: true, unknown: true"));
    assert_eq!(tray.claims().first().unwrap().1, "acp resumed");
    assert_eq!(world.done(), ["sweep"]);
    // The session goes on, and knows who it is.
    assert_eq!(kept.say(2, "count").await.as_deref(), Ok("blocks: 1"));
    kept.stop().await;
}

#[tokio::test]
async fn an_agent_that_can_only_resume_goes_on_too() {
    let world = World::new();
    let kept = world.keep(&["--resume"]);
    let first = request(1, "hang sweep");
    killed(&kept, &first).await;
    let answer = kept.ask(&again(&first), &Tray::new()).await;
    assert_eq!(answer.as_deref(), Ok("went on, done already: true, unknown: false"));
    assert_eq!(world.done(), ["sweep"]);
    kept.stop().await;
}

#[tokio::test]
async fn without_a_session_to_bring_back_the_outcome_is_unknown() {
    let world = World::new();
    let kept = world.keep(&[]);
    let first = request(1, "hang sweep");
    killed(&kept, &first).await;
    for attempt in [2, 3] {
        let asked = TurnRequest { attempt, ..first.clone() };
        let answer = kept.ask(&asked, &Tray::new()).await;
        let Err(MindError::OutcomeUnknown { message }) = answer else { panic!("{answer:?}") };
        assert!(message.contains("was cut off"), "{message}");
        assert!(message.contains("can neither load nor resume"), "{message}");
    }
    // The next message finds a new session, and that is said with its reason.
    let tray = Tray::new();
    assert_eq!(kept.ask(&request(2, "count"), &tray).await.as_deref(), Ok("blocks: 3"));
    let reports = tray.reports.lock().unwrap().clone();
    assert_eq!(reports[0].tags, ["acp", "new"]);
    assert!(reports[0].body["why"].as_str().unwrap().contains("can neither load"), "{reports:?}");
    assert_eq!(world.done(), ["sweep"]);
    kept.stop().await;
}

#[tokio::test]
async fn a_session_that_is_gone_leaves_the_outcome_unknown() {
    let world = World::new();
    let kept = world.keep(&["--load"]);
    let first = request(1, "hang sweep");
    killed(&kept, &first).await;
    let work = world.spec(&[]).folder;
    std::fs::remove_file(work.join("session-1.jsonl")).unwrap();
    let answer = kept.ask(&again(&first), &Tray::new()).await;
    let Err(MindError::OutcomeUnknown { message }) = answer else { panic!("{answer:?}") };
    assert!(message.contains("no such session"), "{message}");
    assert_eq!(world.done(), ["sweep"]);
    kept.stop().await;
}

#[tokio::test]
async fn a_keeper_that_died_in_a_prompt_is_followed_by_one_that_knows() {
    let world = World::new();
    let kept = world.keep(&["--load"]);
    let first = request(1, "hang sweep");
    assert!(hang(&kept, &first, async || {}).await.is_none());
    kept.die().await;
    let kept = world.keep(&["--load"]);
    let answer = kept.ask(&again(&first), &Tray::new()).await;
    assert_eq!(answer.as_deref(), Ok("went on, done already: true, unknown: true"));
    assert_eq!(world.done(), ["sweep"]);
    kept.stop().await;
}

#[tokio::test]
async fn an_answer_that_never_reached_the_ledger_is_given_again_and_not_asked_for() {
    let world = World::new();
    let kept = world.keep(&[]);
    let first = request(1, "do sweep");
    assert_eq!(kept.ask(&first, &Tray::new()).await.as_deref(), Ok("It is done. did sweep"));
    kept.die().await;
    let kept = world.keep(&[]);
    assert_eq!(
        kept.ask(&again(&first), &Tray::new()).await.as_deref(),
        Ok("It is done. did sweep")
    );
    assert_eq!(kept.mind.status().pid, None);
    assert_eq!(world.done(), ["sweep"]);
    kept.stop().await;
}

#[tokio::test]
async fn a_session_is_resumed_by_the_next_keeper() {
    for flag in ["--load", "--resume"] {
        let world = World::new();
        let kept = world.keep(&[flag]);
        assert_eq!(kept.say(1, "count").await.as_deref(), Ok("blocks: 3"));
        kept.stop().await;
        let kept = world.keep(&[flag]);
        let tray = Tray::new();
        assert_eq!(
            kept.ask(&request(2, "count"), &tray).await.as_deref(),
            Ok("blocks: 1"),
            "{flag}"
        );
        assert_eq!(tray.claims()[0].1, "acp resumed");
        kept.stop().await;
    }
}

#[tokio::test]
async fn a_damaged_note_is_unknown_to_a_turn_that_was_asked_before() {
    let world = World::new();
    let kept = world.keep(&["--load"]);
    assert_eq!(kept.say(1, "say hello").await.as_deref(), Ok("hello"));
    kept.stop().await;
    std::fs::write(world.note(), "{").unwrap();
    let kept = world.keep(&["--load"]);
    let answer = kept.ask(&again(&request(1, "say hello")), &Tray::new()).await;
    assert!(
        matches!(&answer, Err(MindError::OutcomeUnknown { message }) if message.contains("damaged"))
    );
    assert_eq!(kept.say(2, "say hello").await.as_deref(), Ok("hello"));
    kept.stop().await;
}

#[tokio::test]
async fn an_agent_that_is_killed_at_any_point_does_everything_once_and_answers() {
    let world = World::new();
    let kept = world.keep(&["--load", "--slow"]);
    let mut rng = SplitMix64::new(7);
    let mut crashes = 0;
    for epoch in 1..=60 {
        let mut asked = request(epoch, &format!("do item-{epoch}"));
        // In the middle of the prompt, at its end, or not at all.
        let mut fatal = Some(usize::try_from(rng.next_u64() % 4).unwrap());
        loop {
            let tray = Tray::new();
            let death = async {
                let mut heard = tray.deltas.subscribe();
                let is_time = |pieces| move |deltas: &Vec<_>| deltas.len() > pieces;
                match fatal {
                    Some(pieces) => drop(heard.wait_for(is_time(pieces)).await.unwrap()),
                    None => std::future::pending().await,
                }
                kept.kill();
                std::future::pending::<()>().await;
            };
            let answer = tokio::select! {
                answer = kept.ask(&asked, &tray) => answer,
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
    kept.stop().await;
}
