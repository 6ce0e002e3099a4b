//! The Dreamer over the real store: B01's memory, folded from events.

use abide_domain::{
    Timestamp,
    envelope::{Channel, StimulusEnvelope},
    event::{Exploration, Lens, MemoryRef, NodeRecorded, StimulusAccepted},
};
use abide_memory::{
    ContextObject, ExplorationPace, GraphQuery, Knowledge, KnowledgeError, KnowledgeHandle, Lead,
    MemoryQueries, QueryResult, ReferenceLookup, ReferencedItem, explore,
};
use futures_util::FutureExt as _;

use super::{
    b01::{RECORDED, holds, people_and_matters, ways_and_bounds},
    past::{Ticking, at, envelope, rendered, said_before},
};
use crate::world::{World, epoch, felix};

struct Store<'a> {
    handle: &'a KnowledgeHandle,
    lead: Lead<'a>,
}

impl MemoryQueries for Store<'_> {
    fn ask(&self, query: &GraphQuery) -> QueryResult {
        self.handle.ask(query, &self.lead)
    }
}

impl ReferenceLookup for Store<'_> {
    fn resolve(&self, reference: MemoryRef) -> Result<Option<ReferencedItem>, KnowledgeError> {
        self.handle.resolve(reference)
    }
}

fn seeded() -> World {
    let mut world = World::default();
    for (n, node) in people_and_matters().into_iter().chain(ways_and_bounds()).enumerate() {
        let node_id = format!("node-{n}").parse().unwrap();
        let valid_from = Some(at(RECORDED));
        world.push("felix", None, NodeRecorded { node_id, node, valid_from, sources: Vec::new() });
    }
    world
}

fn exchange(world: &mut World, n: u64, who: &str, sent_at: Timestamp, texts: [&str; 2]) {
    let accepted = StimulusAccepted {
        content: texts[0].into(),
        sender: who.into(),
        channel: Channel::Telegram,
        sent_at,
        sender_zone: None,
        session_id: format!("telegram:{who}"),
        interactive: false,
        administrator: false,
        idempotency: None,
        claimed_output: None,
        cause: None,
    };
    world.push("felix", Some(epoch(n)), accepted);
    world.answer(epoch(n), 1, 1, Some(texts[1]));
    world.commit(epoch(n));
}

fn store(world: &World) -> KnowledgeHandle {
    let handle = KnowledgeHandle::new(Knowledge::in_memory(&felix()).unwrap()).unwrap();
    handle.apply(&world.applied()).unwrap();
    handle
}

fn dreamt(handle: &KnowledgeHandle, stimulus: &StimulusEnvelope) -> (Exploration, ContextObject) {
    let lead = Lead {
        said: &stimulus.content,
        asker: Some(&stimulus.sender),
        ..Lead::at(stimulus.timestamp)
    };
    let store = Store { handle, lead };
    let clock = Ticking::default();
    let found =
        explore(stimulus, &store, &ExplorationPace::of(&clock), None).now_or_never().unwrap();
    let object = rendered(&store, stimulus, &found);
    (found, object)
}

#[test]
fn both_acts_hold_what_b01_asks_for() {
    let mut world = seeded();
    let handle = store(&world);
    let mut first = envelope("Hey Felix, the race condition is back.");
    first.timestamp = at("2024-11-20T16:30:00Z");
    let (_, object) = dreamt(&handle, &first);
    let always = [
        "nicolas",
        "co-founder",
        "frustration",
        "systematic debugging",
        "root cause",
        "consciousness engine",
        "engine/energy_accumulator.py",
        "recurred 3 times",
        "sleep of 10 ms",
        "Due 2024-11-25 (in 5 days)",
    ];
    holds(&object.text, &always);
    let reply = "Third time. I reproduce it first and instrument the lock.";
    exchange(&mut world, 1, "nicolas", first.timestamp, [&first.content, reply]);
    for (n, minute) in [(2, "16:55"), (3, "17:30"), (4, "18:20")] {
        let sent_at = at(&format!("2024-11-20T{minute}:00Z"));
        let texts = ["The screenshots of the guide are from the old layout.", "I take them again."];
        exchange(&mut world, n, "ada", sent_at, texts);
    }
    let handle = store(&world);
    let third = said_before(
        envelope("Did you figure out that race condition?"),
        reply,
        "2024-11-20T16:32:00Z",
    );
    let (found, object) = dreamt(&handle, &third);
    holds(&object.text, &always);
    holds(
        &object.text,
        &[
            "nicolas said, Wed 2024-11-20 16:30, 2 h 15 min ago, over telegram: \"Hey Felix, the race condition is back.\"",
        ],
    );
    assert!(!object.text.contains("screenshots"), "{}", object.text);
    assert_eq!(found.found.len(), 8, "{found:?}");
    assert!(object.tokens <= 2_500);
}

#[test]
fn a_question_without_a_name_still_finds_what_was_spoken_of() {
    let mut world = seeded();
    let texts = ["Hey Felix, the race condition is back.", "I reproduce it first."];
    exchange(&mut world, 1, "nicolas", at("2024-11-20T16:30:00Z"), texts);
    let handle = store(&world);
    for words in ["Did you figure it out?", "Any news?", "So?"] {
        let (found, object) = dreamt(&handle, &envelope(words));
        holds(
            &object.text,
            &["the race condition is back", "consciousness engine: race condition"],
        );
        assert!(found.found.contains_key(&Lens::Technical), "{words}: {found:?}");
    }
}

#[test]
fn what_is_learnt_later_does_not_change_what_was_rendered() {
    let mut world = seeded();
    let stimulus = envelope("Did you figure out that race condition?");
    let handle = store(&world);
    let (found, object) = dreamt(&handle, &stimulus);
    // The same nodes again, with other fields: the versions of then stay what they were.
    for (n, node) in ways_and_bounds().into_iter().rev().enumerate() {
        let node_id = format!("node-{n}").parse().unwrap();
        world.push(
            "felix",
            None,
            NodeRecorded { node_id, node, valid_from: None, sources: vec![] },
        );
    }
    exchange(
        &mut world,
        9,
        "nicolas",
        at("2024-11-20T18:50:00Z"),
        ["The race condition?", "Gone."],
    );
    let later = store(&world);
    let again =
        rendered(&Store { handle: &later, lead: Lead::at(stimulus.timestamp) }, &stimulus, &found);
    assert_eq!(again, object);
}
