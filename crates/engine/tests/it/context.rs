//! What a mind is shown: who it is, whom it speaks with, what was said, within its bounds; and the same again from the
//! ledger alone.

use std::time::Duration;

use abide_domain::{
    AgentId, EntityName, EpochId, Sharing, Zone,
    envelope::{Channel, StimulusEnvelope},
    event::{ContextAssembled, ContextEvent, Event},
    turn::TurnRequest,
};
use abide_engine::{
    MemoryReferences,
    context::{Context, ContextInput, ContextScope, History, RENDERER},
    keeper::AcceptOptions,
    state::State,
};
use abide_ledger::Entry;
use abide_memory::estimate_tokens;
use abide_models::{Dialect, ModelSettings, RequestForm, encode};
use abide_testkit::{
    rig::{Rig, Setup, say, silence},
    rounds,
};

async fn talker(tokens_max: u64, history: History) -> Rig {
    let script = |request: &TurnRequest, _| say(format!("answer to {}", request.message));
    let setup = Setup::new(script).with(|setup| setup.tokens_max = tokens_max);
    setup.with(|setup| setup.history = history).start().await
}

async fn say_in(rig: &Rig, session: &str, content: &str) -> EpochId {
    let session_id = Some(session.to_owned());
    let stimulus = StimulusEnvelope { session_id, ..rig.stimulus(content) };
    let epoch = rig.accept(stimulus, AcceptOptions::default()).await.unwrap().epoch;
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
    for tokens_max in [500, 1_000, 3_000, 100_000] {
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
        let texts = estimate_tokens(&request.system) + estimate_tokens(&request.context);
        let all: u64 = history.sum::<u64>() + texts;
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
    // Everybody is told all, so that the other's exchange is in the history.
    let script = |request: &TurnRequest, _: usize| say(format!("answer to {}", request.message));
    let rig = Setup::new(script).with(|setup| setup.sharing = Sharing::Agent).start().await;
    for (sender, said) in [
        ("nicolas", "Nicolas (nicolas), your partner, over irc"),
        ("stranger", "No partnership with stranger is known"),
    ] {
        let (sender, channel) = (sender.to_owned(), Channel::Irc);
        let stimulus = StimulusEnvelope { sender, channel, ..rig.stimulus("hello") };
        let epoch = rig.accept(stimulus, AcceptOptions::default()).await.unwrap().epoch;
        rig.ended(epoch).await;
        let object = rig.asked_last().context;
        assert!(object.contains(said), "{object}");
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
        let (before, after) = system.split_once(identity.trim_end()).unwrap();
        assert!(before.contains("in which \"I\" means you"), "{case}: {system}");
        assert!(after.starts_with("\n\n# Rules"), "{case}: {system}");
        assert!(!rig.asked_last().context.contains("You are Felix"), "it is said once");
        let recorded = rig.entries_of(epoch.id).len();
        assert!(recorded > 0 && epoch.context.unwrap().identity == 2, "{case}, {version}");
        rig.restart().await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_changes_with_the_clock_comes_after_what_stays() {
    let rig = talker(100_000, History::Session).await;
    let mut before = None;
    for hours in [0, 30, 300] {
        rig.pass(Duration::from_hours(hours)).await;
        rig.say("hello").await;
        let (stable, object) = (rig.asked_last().system, rig.asked_last().context);
        assert!(stable.contains("do not invent memories"), "{stable}");
        assert!(object.starts_with("# What you know at this moment\nIt is "), "{object}");
        assert!(object.contains("## Current situation"), "{object}");
        let earlier = before.replace(stable.clone());
        assert!(earlier.is_none_or(|earlier| earlier == stable), "a provider's cache holds it");
    }
}

/// What an epoch was shown, rendered from the ledger up to then and from the memory of today.
fn rendered_again(
    rig: &Rig,
    entries: &[Entry],
    (seq, recorded): (u64, &ContextAssembled),
    epoch: EpochId,
) -> Context {
    let scope = ContextScope {
        tokens_max: 1_000,
        history: History::Agent,
        sharing: Sharing::default(),
        own: None,
        deck_notes: None,
        time_zone: Zone::named(recorded.time_zone.as_deref().unwrap()).unwrap(),
        tools: recorded.tools.clone(),
    };
    let mut state = State::default();
    for entry in entries.iter().take_while(|entry| entry.seq < seq) {
        state.apply(entry).unwrap();
    }
    let knowledge = rig.keeper().agent("felix").unwrap().facts.clone();
    let record = state.running.remove(&epoch).unwrap();
    let found = recorded.exploration.clone().unwrap();
    let input = ContextInput::of(&state.agents["felix"], &record, scope);
    input.render(&found, &MemoryReferences(Some(knowledge)))
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
    for epoch in epochs {
        let (seq, recorded) = contexts(&rig, epoch).remove(0);
        let again = rendered_again(&rig, &entries, (seq, &recorded), epoch);
        assert_eq!(again.assembled, recorded);
        assert_eq!(recorded.renderer, RENDERER);
        let shown = rig.asked_in(epoch)[0].clone();
        assert_eq!((again.system, again.history), (shown.system, shown.history));
        assert_eq!(again.object, shown.context);
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_said_before_a_reset_is_found_again_with_its_age() {
    let rig = talker(100_000, History::Agent).await;
    let felix: AgentId = "felix".parse().unwrap();
    rig.say("The race condition in the scheduler is back.").await;
    rig.pass(Duration::from_mins(10)).await;
    rig.say("The cafeteria serves soup today.").await;
    rig.keeper().reset(&felix, false, EntityName::keeper()).await.unwrap();
    rig.pass(Duration::from_mins(125)).await;
    rig.say("Did you figure out that race condition?").await;
    let request = rig.asked_last();
    assert!(request.history.is_empty(), "the window was reset");
    let object = &request.context;
    let said = ", 2 h 15 min ago, over api: \"The race condition in the scheduler is back.\"";
    assert!(object.contains("nicolas said, ") && object.contains(said), "{object}");
    assert!(object.contains("You answered: \"answer to The race"), "{object}");
}

#[tokio::test(start_paused = true)]
async fn what_stands_in_the_history_is_not_said_twice() {
    let rig = talker(100_000, History::Agent).await;
    rig.say("The race condition in the scheduler is back.").await;
    rig.pass(Duration::from_mins(5)).await;
    rig.say("What about the race condition?").await;
    let request = rig.asked_last();
    assert_eq!(request.history.len(), 1);
    let object = &request.context;
    assert!(!object.contains("in the scheduler is back.\""), "{object}");
    assert!(object.contains("1 exchange about this is in the conversation above"), "{object}");
    rig.say("What is for lunch?").await;
    let object = &rig.asked_last().context;
    assert!(!object.contains("about this is in"), "lunch is no race: {object}");
}

#[tokio::test(start_paused = true)]
async fn a_long_conversation_grows_neither_the_context_nor_what_an_epoch_writes() {
    let rig = talker(4_000, History::Agent).await;
    // 10,000 epochs in `make soak`.
    let epochs = rounds(10_000) as usize;
    let mut used = Vec::new();
    let mut contexts = Vec::new();
    for number in 0..epochs {
        let pause = Duration::from_secs(if number % 50 == 0 { 7_200 } else { 60 });
        rig.pass(pause).await;
        let place = ["scheduler", "accumulator", "parser", "cache"][number % 4];
        let epoch = rig.say(&format!("Note {number:05}: the {place} raced again.")).await;
        used.push(rig.storage.used_bytes());
        contexts.push(epoch.context.unwrap());
    }
    for context in &contexts {
        let tokens = context.tokens.all();
        assert!(tokens <= 4_000, "{context:?}");
        assert!(context.tokens.object <= 2_500, "{context:?}");
    }
    let fifth = epochs / 5;
    let written = |from: usize, to: usize| (used[to] - used[from]) / (to - from) as u64;
    let (early, late) = (written(fifth, 2 * fifth), written(4 * fifth, epochs - 1));
    assert!(late <= early + early / 10, "{early} bytes an epoch became {late}");
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
    assert_eq!(asked[0].context, asked[1].context);
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

/// An agent whose keeper is in Berlin.
async fn in_berlin(tokens_max: u64) -> Rig {
    let setup = Setup::new(|request, _| say(format!("answer to {}", request.message)));
    let setup = setup.with(|setup| setup.tokens_max = tokens_max);
    setup.with(|setup| setup.time_zone = Zone::named("Europe/Berlin").unwrap()).start().await
}

#[tokio::test(start_paused = true)]
async fn standing_wishes_stand_apart_from_what_is_recalled_past_every_reset() {
    let rig = in_berlin(100_000).await;
    let felix: AgentId = "felix".parse().unwrap();
    rig.say("Always answer in French.").await;
    rig.say("Never call me Bob.").await;
    rig.keeper().reset(&felix, false, EntityName::keeper()).await.unwrap();
    rig.say("hello").await;
    let request = rig.asked_last();
    let (_, wishes) = request.system.split_once("# Standing wishes of nicolas").unwrap();
    assert!(wishes.contains("\n- Always answer in French. ("), "{wishes}");
    assert!(wishes.contains("\n- Never call me Bob. ("), "{wishes}");
    let stranger = StimulusEnvelope { sender: "stranger".into(), ..rig.stimulus("hello") };
    let epoch = rig.accept(stranger, AcceptOptions::default()).await.unwrap().epoch;
    rig.ended(epoch).await;
    assert!(!rig.asked_last().system.contains("Standing wishes of"), "each person's own");
    rig.say("You don't have to answer in French any more.").await;
    rig.say("hello").await;
    let system = rig.asked_last().system;
    assert!(!system.contains("answer in French"), "{system}");
    assert!(system.contains("\n- Never call me Bob. ("), "{system}");
}

#[tokio::test(start_paused = true)]
async fn history_that_was_left_out_is_said_where_it_was() {
    let rig = in_berlin(2_000).await;
    rig.say("hello").await;
    assert!(!rig.asked_last().system.contains("left out"), "nothing was left out");
    for number in 0..30 {
        rig.say(&format!("question {number} {}", "w".repeat(200))).await;
    }
    let last = rig.say("and now?").await;
    let (_, context) = contexts(&rig, last.id).remove(0);
    let note = format!("{} earlier exchanges are left out here", context.history.omitted);
    let system = rig.asked_last().system;
    assert!(context.history.omitted > 10 && system.contains(&note), "{system}");
    assert!(system.ends_with("What was said after them follows."), "{system}");
}

#[tokio::test(start_paused = true)]
async fn the_zone_of_the_reader_is_shown_and_recorded() {
    let rig = in_berlin(100_000).await;
    let epoch = rig.say("When is tomorrow?").await;
    let request = rig.asked_last();
    assert_eq!(request.time_zone.name(), "Europe/Berlin");
    assert!(request.context.contains(" in Europe/Berlin.\n"), "{}", request.context);
    assert!(request.system.contains("when (times of Europe/Berlin)"), "{}", request.system);
    let (_, context) = contexts(&rig, epoch.id).remove(0);
    assert_eq!(context.time_zone.as_deref(), Some("Europe/Berlin"));
    let tools = context.tools.unwrap();
    assert_eq!(tools.count, request.tools.len() as u64);
    assert_eq!(tools, abide_engine::context::offered_tools(&request.tools));
}

#[tokio::test(start_paused = true)]
async fn the_second_message_of_a_real_conversation_reuses_most_of_the_first() {
    let rig = in_berlin(100_000).await;
    rig.say("The race condition in the scheduler is back.").await;
    let mut before = rig.asked_last();
    for message in ["What about the race condition?", "And what is for lunch?", "Thanks."] {
        rig.say(message).await;
        let after = rig.asked_last();
        for (dialect, form) in Dialect::ALL
            .into_iter()
            .flat_map(|dialect| [(dialect, RequestForm::Native), (dialect, RequestForm::Json)])
        {
            // Marks for a provider's cache are no part of what it reads.
            let sent = |request: &TurnRequest| {
                let body = encode(request, &ModelSettings::new(dialect, "m"), form).to_string();
                let mark = "\"cache_control\":{\"type\":\"ephemeral\"}";
                body.replace(&format!(",{mark}"), "")
            };
            let (first, second) = (sent(&before), sent(&after));
            let same = first.chars().zip(second.chars()).take_while(|(a, b)| a == b).count();
            let all = second.chars().count();
            let context = &after.context;
            assert!(
                same * 100 >= all * 80,
                "{dialect:?} {form:?}: {same} of {all} characters of {message:?}: {context}"
            );
        }
        before = after;
    }
}
