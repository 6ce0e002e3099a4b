//! What a mind is shown: who it is, whom it speaks with, what was said, within its bounds; and the same again from the
//! ledger alone.

use std::time::Duration;

use abide_domain::{
    AgentId, EntityName, EpochId,
    envelope::{Channel, StimulusEnvelope},
    event::{ContextAssembled, ContextEvent, Event},
    turn::TurnRequest,
};
use abide_engine::{
    context::{History, Scope, assemble},
    keeper::Acceptance,
    state::House,
};
use abide_memory::estimate_tokens;
use abide_testkit::rig::{Rig, Setup, say, silence};

async fn talker(tokens_max: u64, history: History) -> Rig {
    let script = |request: &TurnRequest, _| say(format!("answer to {}", request.message));
    let setup = Setup::new(script).with(|setup| setup.tokens_max = tokens_max);
    setup.with(|setup| setup.history = history).start().await
}

async fn say_in(rig: &Rig, session: &str, content: &str) -> EpochId {
    let session_id = Some(session.to_owned());
    let stimulus = StimulusEnvelope { session_id, ..rig.stimulus(content) };
    let epoch = rig.accept(stimulus, Acceptance::default()).await.unwrap().epoch;
    rig.ended(epoch).await;
    epoch
}

fn contexts(rig: &Rig, epoch: EpochId) -> Vec<(u64, ContextAssembled)> {
    let entries = rig.entries_of(epoch).into_iter();
    let contexts = entries.filter_map(|entry| match entry.event {
        Event::Context(ContextEvent::Assembled(context)) => Some((entry.seq, context)),
        _ => None,
    });
    contexts.collect()
}

#[tokio::test(start_paused = true)]
async fn the_newest_history_is_shown_within_the_bounds_of_the_prompt() {
    for tokens_max in [400, 1_000, 3_000, 100_000] {
        let rig = talker(tokens_max, History::Agent).await;
        let filler = "w".repeat(200);
        for number in 0..30 {
            rig.say(&format!("question {number} {filler}")).await;
        }
        let last = rig.say("and now?").await;
        let request = rig.asked_last();
        let history = request
            .history
            .iter()
            .map(|told| estimate_tokens(&told.stimulus) + estimate_tokens(&told.reply));
        let all: u64 = history.sum::<u64>() + estimate_tokens(&request.system);
        assert!(all <= tokens_max, "{all} of {tokens_max} tokens");
        let shown = request.history.len();
        for (told, number) in request.history.iter().rev().zip((0..30).rev()) {
            assert!(told.stimulus.starts_with(&format!("question {number} ")), "newest last");
        }
        let (_, context) = contexts(&rig, last.id).remove(0);
        assert_eq!(
            (context.history.epochs, context.history.omitted),
            (shown as u64, 30 - shown as u64)
        );
        assert_eq!(context.history.from, request.history.first().map(|told| told.epoch));
        assert_eq!(shown == 30, tokens_max == 100_000, "{shown} of 30 with {tokens_max}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_history_is_the_agents_or_that_of_the_session() {
    for (history, shown) in [(History::Agent, 4), (History::Session, 2)] {
        let rig = talker(100_000, history).await;
        for content in ["one", "two"] {
            say_in(&rig, "work", content).await;
            say_in(&rig, "home", content).await;
        }
        say_in(&rig, "work", "three").await;
        let request = rig.asked_last();
        assert_eq!(request.history.len(), shown, "{history:?}");
        let last = request.last_driver_output.unwrap();
        assert_eq!(&*last.content, "answer to two", "the last output is always the session's");
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_speaks_is_named_and_a_stranger_is_said_to_be_one() {
    let rig = talker(100_000, History::Agent).await;
    for (sender, said) in [
        ("nicolas", "Nicolas (nicolas), your partner, over irc"),
        ("stranger", "No partnership with stranger is known"),
    ] {
        let (sender, channel) = (sender.to_owned(), Channel::Irc);
        let stimulus = StimulusEnvelope { sender, channel, ..rig.stimulus("hello") };
        let epoch = rig.accept(stimulus, Acceptance::default()).await.unwrap().epoch;
        rig.ended(epoch).await;
        let system = rig.asked_last().system;
        assert!(system.contains(said), "{system}");
    }
    assert_eq!(rig.asked_last().history[0].sender, "nicolas", "each exchange keeps its sender");
}

#[tokio::test(start_paused = true)]
async fn the_identity_in_force_is_shown() {
    let mut rig = talker(100_000, History::Agent).await;
    rig.say("hello").await;
    assert!(rig.asked_last().system.contains("felix"), "at first it is made of the profile");
    let identity = "# Who I am\n\nI am Felix and I look after the herons of the river.\n";
    let (felix, by): (AgentId, _) = ("felix".parse().unwrap(), EntityName::keeper());
    let keeper = rig.keeper();
    let version = keeper.set_identity(&felix, identity.into(), true, by).await.unwrap();
    for case in ["at once", "after a restart"] {
        let epoch = rig.say("hello").await;
        let system = rig.asked_last().system;
        assert!(system.starts_with(identity.trim_end()), "{case}: {system}");
        let recorded = rig.entries_of(epoch.id).len();
        assert!(recorded > 0 && epoch.context.unwrap().identity == 2, "{case}, {version}");
        rig.restart().await;
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_in_the_context_changes_with_the_clock() {
    let rig = talker(100_000, History::Session).await;
    rig.say("hello").await;
    let before = rig.asked_last().system;
    rig.pass(Duration::from_hours(30)).await;
    rig.say("hello").await;
    assert_eq!(rig.asked_last().system, before);
}

#[tokio::test(start_paused = true)]
async fn folding_the_ledger_up_to_an_epoch_gives_its_context_again() {
    let mut rig = talker(1_000, History::Agent).await;
    let felix: AgentId = "felix".parse().unwrap();
    let mut epochs = Vec::new();
    for number in 0..20 {
        epochs.push(rig.say(&format!("question {number} {}", "w".repeat(100))).await.id);
        match number {
            5 => rig.restart().await,
            9 => {
                let (identity, by) =
                    ("# I\n\nI am another one now, and I say so here.\n", EntityName::keeper());
                rig.keeper().set_identity(&felix, identity.into(), true, by).await.unwrap();
            }
            13 => {
                rig.keeper().reset(&felix, false, EntityName::keeper()).await.unwrap();
            }
            _ => {}
        }
    }
    let entries = rig.entries();
    let scope = Scope { tokens_max: 1_000, history: History::Agent };
    for epoch in epochs {
        let (seq, recorded) = contexts(&rig, epoch).remove(0);
        let mut house = House::default();
        for entry in entries.iter().take_while(|entry| entry.seq < seq) {
            house.apply(entry).unwrap();
        }
        let again = assemble(&house.agents["felix"], &house.running[&epoch], scope);
        assert_eq!(again.assembled, recorded);
        let shown = rig.asked_in(epoch)[0].clone();
        assert_eq!((again.system, again.history), (shown.system, shown.history));
    }
}

#[tokio::test(start_paused = true)]
async fn a_cut_epoch_is_shown_the_same_again() {
    let setup = Setup::new(|_, n| if n == 4 { silence() } else { say("so") });
    let mut rig = setup.start().await;
    for _ in 0..3 {
        rig.say("hello").await;
    }
    let epoch = rig.begin("and now?").await;
    rig.until(epoch, "turn.started").await;
    rig.restart().await;
    rig.ended(epoch).await;
    let asked = rig.asked_in(epoch);
    assert_eq!((&asked[0].system, &asked[0].history), (&asked[1].system, &asked[1].history));
    assert_eq!(contexts(&rig, epoch).len(), 1, "it is assembled once");
}

#[tokio::test(start_paused = true)]
async fn a_stimulus_reaches_the_mind_byte_for_byte() {
    let rig = talker(100_000, History::Agent).await;
    let content = " \u{feff}\"quoted\"\n\ttäb \u{1f408} \\n \u{0} end ";
    rig.say(content).await;
    assert_eq!(&*rig.asked_last().message, content);
    rig.say("next").await;
    assert_eq!(&*rig.asked_last().history[0].stimulus, content);
}
