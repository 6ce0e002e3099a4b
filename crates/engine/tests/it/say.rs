//! Agents that talk: each message is its receiver's stimulus in the commit that sends it, a conversation ends, and who is
//! not in a space hears nothing of it (decisions 18 and 50).

use std::time::Duration;

use abide_domain::{
    AgentId, EntityName,
    event::{AbortCode, AgentEvent, Event, PauseReason, SpaceEvent, StimulusCause, StimulusEvent},
    tool::Outcome,
    turn::TurnRequest,
};
use abide_testkit::{
    SplitMix64,
    rig::{Rig, RigAnswer, Setup, command, obey, say, silence},
    rounds,
};

const EXCHANGES: u32 = 50;

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn id(agent: &str) -> AgentId {
    agent.parse().unwrap()
}

/// Answers each message with the next number, up to the last, and then says DONE.
fn counts(request: &TurnRequest) -> RigAnswer {
    let other = if request.agent.as_str() == "felix" { "ada" } else { "felix" };
    let number = request.message.strip_prefix("exchange ").and_then(|n| n.parse::<u32>().ok());
    match (number, request.turn) {
        (Some(EXCHANGES), 1) => command(&format!(r"\say @{other} DONE ---")),
        (Some(n), 1) => command(&format!(r"\say @{other} exchange {} ---", n + 1)),
        _ => say("so"),
    }
}

fn counting() -> Setup {
    Setup::new(|request, _| counts(request).costing(10)).with(|setup| {
        setup.agents = vec!["felix", "ada"];
        setup.tokens_max = 2_000;
        // However often it dies, it is nobody's fault here.
        setup.limits.attempts = 1_000;
    })
}

/// What was said and counts, in order. Each message stands as its receivers' stimuli right behind the commit that sent it.
fn said(rig: &Rig) -> Vec<String> {
    let entries = rig.entries();
    let mut texts = Vec::new();
    let mut ids = Vec::new();
    for entry in &entries {
        let Event::Space(SpaceEvent::Said(said)) = &entry.event else { continue };
        let put_in_force = match entry.epoch {
            None => Some(entry.seq),
            Some(epoch) => entries.iter().find_map(|other| {
                let is_commit = other.event.kind().name == "epoch.committed";
                (is_commit && other.epoch == Some(epoch)).then_some(other.seq)
            }),
        };
        let Some(seq) = put_in_force else { continue };
        texts.push(said.text.to_string());
        let given: Vec<_> = entries
            .iter()
            .filter(|other| cause(other) == Some((said.message_id, said.hop)))
            .map(|other| (other.entity.clone(), other.seq))
            .collect();
        let receivers = given.iter().map(|(entity, _)| entity);
        assert!(receivers.eq(&said.to), "each receiver has it once: {}", said.text);
        let last_seq = seq + given.len() as u64;
        assert!(given.iter().all(|(_, given)| *given > seq && *given <= last_seq), "{given:?}");
        ids.extend(given.iter().map(|_| said.message_id));
    }
    let stimuli = entries.iter().filter_map(|entry| cause(entry).map(|(id, _)| id));
    let stimuli: std::collections::BTreeSet<_> = stimuli.collect();
    assert_eq!(stimuli, ids.into_iter().collect(), "no stimulus of what was never said");
    texts
}

fn cause(entry: &abide_ledger::Entry) -> Option<(abide_domain::MessageId, u32)> {
    let Event::Stimulus(StimulusEvent::Accepted(stimulus)) = &entry.event else { return None };
    match stimulus.cause {
        Some(StimulusCause::Message { message_id, hop, .. }) => Some((message_id, hop)),
        _ => None,
    }
}

/// The hops of all messages that reached an agent.
fn hops(rig: &Rig) -> Vec<u32> {
    rig.entries().iter().filter_map(|entry| cause(entry).map(|(_, hop)| hop)).collect()
}

fn expected() -> Vec<String> {
    let mut texts: Vec<_> = (1..=EXCHANGES).map(|n| format!("exchange {n}")).collect();
    texts.push("DONE".to_owned());
    texts
}

#[tokio::test(start_paused = true)]
async fn two_agents_talk_for_fifty_exchanges_until_one_says_that_it_is_done() {
    let rig = counting().start().await;
    rig.begin("exchange 0").await;
    rig.until_quiet().await;
    assert_eq!(said(&rig), expected());
    assert!(hops(&rig).into_iter().eq(1..=EXCHANGES + 1), "{:?}", hops(&rig));
    let read = rig.tell("ada", r"\read @felix last 2 ---").await.unwrap();
    assert!(read.contains("exchange 50") && read.ends_with("@felix: DONE"), "{read}");
}

#[tokio::test(start_paused = true)]
async fn a_conversation_survives_deaths_with_no_word_lost_and_none_said_twice() {
    for seed in 0..u64::from(rounds(20)) {
        let mut rng = SplitMix64::new(seed);
        let mut rig = counting().start().await;
        rig.begin("exchange 0").await;
        let mut deaths = 0;
        while deaths < 40 && !rig.keeper().state().running.is_empty() {
            rig.storage.fail_power_at(1 + rng.below(30));
            rig.pass(secs(3)).await;
            rig.end_by(rng.per_mille(500)).await;
            rig.start_again().await;
            deaths += 1;
        }
        rig.until_quiet().await;
        assert!(deaths > 5, "{deaths}");
        assert_eq!(said(&rig), expected(), "seed {seed}");
        assert_eq!(rig.digest(), rig.digest_rebuilt(), "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_spent_budget_stops_a_conversation_and_a_person_lets_it_go_on() {
    // Two askings of 10 each for an exchange: felix is through after five of them.
    let rig = counting().with(|setup| setup.budget_microusd_day = Some(100)).start().await;
    rig.begin("exchange 0").await;
    rig.pass(secs(3_000)).await;
    assert_eq!(said(&rig).len(), 10, "it stands still");
    let paused = rig.keeper().state().agents["felix"].paused.clone().unwrap();
    assert_eq!(paused.reason, PauseReason::Budget);
    let mut resumed = 0;
    while !rig.keeper().state().running.is_empty() {
        for agent in ["felix", "ada"] {
            let is_paused = rig.keeper().state().agents[agent].paused.is_some();
            if is_paused {
                rig.keeper().resume(&id(agent), EntityName::keeper()).await.unwrap();
                resumed += 1;
            }
        }
        rig.pass(secs(60)).await;
    }
    assert!(resumed >= 9, "{resumed}");
    assert_eq!(said(&rig), expected(), "no word is lost by it");
    let aborted = rig.entries().iter().filter(|e| e.event.kind().name == "epoch.aborted").count();
    assert_eq!(aborted, 0);
    let events = rig.entries().into_iter().map(|entry| entry.event);
    let pauses = events.filter(|event| matches!(event, Event::Agent(AgentEvent::Paused(_))));
    assert_eq!(pauses.count(), resumed, "each pause is said once");
}

#[tokio::test(start_paused = true)]
async fn agents_that_only_thank_each_other_are_stopped() {
    let setup = Setup::new(|request, _| {
        let other = if request.agent.as_str() == "felix" { "ada" } else { "felix" };
        match request.turn {
            1 => command(&format!(r"\say @{other} Thank you, {other}! ---")),
            _ => say("so"),
        }
    });
    let rig = setup.with(|setup| setup.agents = vec!["felix", "ada"]).start().await;
    let first = rig.begin("hello").await;
    rig.until_quiet().await;
    assert!(said(&rig).len() < 8, "{:?}", said(&rig));
    let last = rig.asked_last().epoch;
    assert_ne!(last, first);
    assert_eq!(rig.outcomes_of(last), [Outcome::Error]);
    assert!(rig.finished_of(last)[0].content.contains("Nothing new is said in "));
}

#[tokio::test(start_paused = true)]
async fn a_chain_of_messages_without_a_person_has_an_end_and_a_person_begins_a_new_one() {
    let rig = counting().with(|setup| setup.limits.hops = 6).start().await;
    rig.begin("exchange 0").await;
    rig.until_quiet().await;
    assert_eq!(said(&rig).len(), 6);
    let last = rig.asked_last().epoch;
    assert!(rig.finished_of(last)[0].content.contains("limits.hops"), "the seventh is refused");
    rig.tell("nicolas", r"\say @ada exchange 20 ---").await.unwrap();
    rig.until_quiet().await;
    assert_eq!(said(&rig).len(), 13, "a person's word begins anew");
}

/// Three agents who do what they are told, two of them and a person in a space.
async fn lab() -> Rig {
    let setup = Setup::new(|request, _| obey(request));
    let rig = setup.with(|setup| setup.agents = vec!["felix", "ada", "bob"]).start().await;
    rig.say(r"\name #lab @(ada, nicolas) ---").await;
    rig
}

/// Who was woken by words since an event.
fn woken(rig: &Rig, after: u64) -> Vec<String> {
    let entries = rig.entries();
    let new = entries.iter().filter(|entry| entry.seq > after && cause(entry).is_some());
    new.map(|entry| entry.entity.to_string()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_word_in_a_space_wakes_whom_it_names_and_can_be_read_by_all_of_it() {
    let rig = lab().await;
    for (words, wakes) in [
        (r"\say #lab good morning ---", vec![]),
        (r"\say #lab @ada, is it green? ---", vec!["@ada"]),
        (r"\say #lab @adam and ada@example.org are nobody ---", vec![]),
        (r"\say #lab @bob is not here ---", vec![]),
        (r"\say #lab @felix is me ---", vec![]),
    ] {
        let before = rig.keeper().state().seq;
        rig.say(words).await;
        rig.until_quiet().await;
        assert_eq!(woken(&rig, before), wakes, "{words}");
    }
    for reader in ["ada", "felix", "nicolas"] {
        let read = rig.tell(reader, r"\read #lab ---").await.unwrap();
        assert_eq!(read.matches("@felix in #lab: ").count(), 5, "{read}");
    }
    let named = rig.say(r"\name #two @(ada) ---").await;
    assert_eq!(named.reply(), Some("#two has the members @ada, @felix"));
    let before = rig.keeper().state().seq;
    rig.say(r"\say #two hello ---").await;
    rig.until_quiet().await;
    assert_eq!(woken(&rig, before), ["@ada"], "of two, the other one");
}

#[tokio::test(start_paused = true)]
async fn who_is_not_in_a_space_can_neither_read_nor_speak_nor_let_itself_in() {
    let rig = lab().await;
    rig.say(r"\say #lab a secret ---").await;
    for input in [
        r"\read #lab ---",
        r"\say #lab hello ---",
        r"\name #lab @(bob) ---",
        r"\wake ?(from(#lab)) up ---",
    ] {
        let refused = rig.say_to("bob", input).await;
        assert_eq!(refused.reply(), Some("ERROR: @bob is not in #lab"), "{input}");
    }
    let read = rig.say_to("bob", r"\read ---").await;
    assert_eq!(read.reply(), Some("No messages for @bob yet"));
    let read = rig.say_to("bob", r"\read @felix ---").await;
    assert!(!read.reply().unwrap().contains("secret"));
    rig.say(r"\name #lab @(bob) ---").await;
    let refused = rig.say_to("ada", r"\read #lab ---").await;
    assert_eq!(refused.reply(), Some("ERROR: @ada is not in #lab"), "she was taken out");
    let nobody = rig.say_to("bob", r"\say @eve hello ---").await;
    assert!(nobody.reply().unwrap().starts_with("ERROR: Nobody here is called @eve"));
}

#[tokio::test(start_paused = true)]
async fn words_to_several_are_read_once_with_all_to_whom_they_were_said() {
    let rig = lab().await;
    rig.say(r"\say @(ada, bob) the build is green --- \say @ada and once more ---").await;
    let read = rig.say(r"\read ---").await;
    let read = read.reply().unwrap();
    assert!(read.starts_with("Last 2 messages for @felix:"), "{read}");
    assert!(read.contains("] @felix to @ada, @bob: the build is green"), "{read}");
    assert!(read.contains("] @felix to @ada: and once more"), "{read}");
    let heard = rig.tell("bob", r"\read ---").await.unwrap();
    assert!(heard.starts_with("Last 1 messages for @bob:"), "{heard}");
    assert!(heard.contains("] @felix: the build is green"), "{heard}");
}

#[tokio::test(start_paused = true)]
async fn an_aborted_epoch_has_said_nothing_to_anybody() {
    let setup = Setup::new(|request, _| match (&*request.message, request.turn) {
        ("break", 1) => command(
            r"\say @ada one --- \say #lab @ada two --- \name #lab @(bob) --- \name #new @(bob) ---",
        ),
        ("break", _) => silence(),
        _ => obey(request),
    });
    let rig = setup.with(|setup| setup.agents = vec!["felix", "ada", "bob"]).start().await;
    rig.say(r"\name #lab @(ada, nicolas) ---").await;
    rig.say_to("ada", r"\wake ?(from(@felix) or from(#lab)) up ---").await;
    let before = rig.keeper().state().seq;
    let epoch = rig.begin("break").await;
    rig.until_times(epoch, "turn.started", 2).await;
    assert_eq!(rig.tell("ada", r"\read ---").await.unwrap(), "No messages for @ada yet");
    rig.keeper().abort(epoch, "enough".into()).await.unwrap();
    assert_eq!(rig.ended(epoch).await.abort_code(), Some(AbortCode::Cancelled));
    rig.pass(secs(60)).await;
    assert!(woken(&rig, before).is_empty() && said(&rig).is_empty());
    assert_eq!(rig.tell("ada", r"\read ---").await.unwrap(), "No messages for @ada yet");
    assert!(rig.tell("bob", r"\read #lab ---").await.is_err(), "it named nothing");
    assert!(rig.tell("bob", r"\read #new ---").await.is_err());
    let waits = rig.tell("ada", r"\wake ---").await.unwrap();
    assert!(waits.contains("0 heard"), "{waits}");
}
