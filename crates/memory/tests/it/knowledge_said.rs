//! What was said becomes memory at the commit: whole, once, also across restarts in mid-epoch; and vectors beside it.

use abide_domain::{Timestamp, event::MemoryRef};
use abide_memory::{
    GraphQuery, Knowledge, KnowledgeError, KnowledgeHandle, Lead, QueryStatus, QuestionVector,
    ReferencedItem, VectorCursor, VectorKey, VectorKind, VectorModel,
};

use crate::world::{START, World, epoch, fact_id, felix};

fn now() -> Timestamp {
    Timestamp::from_micros(START)
}

fn knowing(world: &World) -> KnowledgeHandle {
    let mut knowledge = Knowledge::in_memory(&felix()).unwrap();
    knowledge.apply(&world.applied()).unwrap();
    KnowledgeHandle::new(knowledge).unwrap()
}

#[test]
fn a_long_exchange_is_kept_byte_for_byte_in_passages() {
    let said = "A sentence about herons. And another one!\n\nA paragraph.\n".repeat(120);
    let answered = "漢字 and words. ".repeat(900);
    let mut world = World::default();
    let seq = world.talk(("felix", 1), "nicolas", (&said, &answered), "neutral");
    let memory = knowing(&world);
    let parts = memory.exchange(seq).unwrap();
    let text = |by_agent: bool| -> String {
        parts.iter().filter(|part| part.by_agent == by_agent).map(|part| &*part.text).collect()
    };
    assert_eq!((text(false), text(true)), (said, answered));
    assert!(parts.len() > 10 && parts.iter().all(|part| part.text.chars().count() <= 1_000));
    for (n, part) in (0..).zip(&parts) {
        assert_eq!(part.reference, MemoryRef::Passage { seq, part: n });
        let resolved = memory.resolve(part.reference).unwrap();
        assert_eq!(resolved, Some(ReferencedItem::Passage(part.clone())));
    }
    assert_eq!(memory.resolve(MemoryRef::Passage { seq, part: 999 }).unwrap(), None);
    assert_eq!(memory.resolve(MemoryRef::Passage { seq: seq + 1, part: 0 }).unwrap(), None);
}

#[test]
fn an_aborted_epoch_leaves_nothing_and_the_last_attempt_counts() {
    let mut world = World::default();
    world.accept(epoch(1), "s", "never mind");
    world.answer(epoch(1), 1, 1, Some("aborted words"));
    world.abort(epoch(1));
    world.accept(epoch(2), "s", "a question");
    world.answer(epoch(2), 1, 1, Some("a first answer"));
    world.answer(epoch(2), 1, 2, Some("a better answer"));
    world.commit(epoch(2));
    let memory = knowing(&world);
    let parts = memory.exchange(world.head()).unwrap();
    let texts: Vec<_> = parts.iter().map(|part| part.text.as_str()).collect();
    assert_eq!(texts, ["a question", "a better answer"]);
    let dump = memory.dump().unwrap();
    assert!(!dump.contains("never mind") && !dump.contains("aborted") && !dump.contains("a first"));
    assert_eq!(memory.recall("never mind aborted words", &Lead::at(now()), 9).status(), "empty");
}

#[test]
fn a_restart_in_mid_epoch_reads_the_open_epochs_again_and_loses_nothing() {
    for kills in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("knowledge.db");
        let mut world = World::default();
        world.exchange(1, "s", "before", "yes");
        world.accept(epoch(2), "s", "the long question");
        world.exchange(3, "other", "in between", "yes");
        world.remember(Some(epoch(2)), fact_id(1), "staged");
        let mut opened = Knowledge::open(&path, &felix(), world.head()).unwrap();
        opened.knowledge.apply(&world.applied()).unwrap();
        if kills {
            std::mem::forget(opened.knowledge);
        } else {
            drop(opened);
        }

        world.answer(epoch(2), 1, 1, Some("the long answer"));
        world.commit(epoch(2));
        let mut opened = Knowledge::open(&path, &felix(), world.head()).unwrap();
        assert_eq!((opened.replay_from, &opened.rebuilt), (4, &None), "from the open stimulus on");
        let later = opened.knowledge.apply(&world.applied()[8..]);
        assert!(matches!(later, Err(KnowledgeError::Behind { seq: 4 })), "{later:?}");
        opened.knowledge.apply(&world.applied()[3..]).unwrap();
        let whole = knowing(&world);
        assert_eq!(opened.knowledge.dump().unwrap(), whole.dump().unwrap());
        assert_eq!(whole.exchange(world.head()).unwrap().len(), 2);
        drop(opened);
        let opened = Knowledge::open(&path, &felix(), world.head()).unwrap();
        assert_eq!(opened.replay_from, world.head() + 1, "no epoch is open");
    }
}

#[test]
fn a_failed_commit_can_be_applied_again_with_what_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("knowledge.db");
    let mut world = World::default();
    world.accept(epoch(1), "s", "hello");
    world.answer(epoch(1), 1, 1, Some("hi"));
    let opened = Knowledge::open(&path, &felix(), 9).unwrap();
    let memory = KnowledgeHandle::new(opened.knowledge).unwrap();
    memory.apply(&world.applied()).unwrap();
    memory.warm().unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other
        .execute_batch(
            "CREATE TRIGGER full BEFORE INSERT ON passages WHEN new.text = 'hi'
             BEGIN SELECT RAISE(ABORT, 'disk full'); END",
        )
        .unwrap();
    world.commit(epoch(1));
    let commit = &world.applied()[2..];
    memory.apply(commit).unwrap_err();
    assert_eq!(memory.recall("hello", &Lead::at(now()), 9).status(), "failed", "it may be there");
    let query = GraphQuery::FailedAttempts { context: "hello".into(), limit: 5 };
    assert_eq!(memory.ask(&query, &Lead::at(now())).status, QueryStatus::Failed);
    other.execute_batch("DROP TRIGGER full").unwrap();
    memory.apply(commit).unwrap();
    assert_eq!(memory.recall("hello", &Lead::at(now()), 9).items()[0].text, "hello");
    assert_eq!(memory.exchange(3).unwrap().len(), 2);
}

#[test]
fn what_was_said_enters_the_digest_and_the_clock_does_not() {
    let mut world = World::default();
    world.exchange(1, "s", "hello", "hi");
    let memory = knowing(&world);
    let before = memory.state_parts().unwrap();
    assert_eq!(before["said"]["exchanges"], 1);
    let mut later = World::default();
    later.reset(None, 0);
    later.exchange(1, "s", "hello", "hi");
    assert_eq!(knowing(&later).state_parts().unwrap(), before);
    world.exchange(2, "s", "hello", "hi");
    memory.apply(&world.applied()).unwrap();
    assert_ne!(memory.state_parts().unwrap(), before);
}

fn model(id: &str) -> VectorModel {
    VectorModel { name: id.into(), id: id.into(), dimensions: 2, kind: VectorKind::Contextual }
}

/// Two meanings: animals and the rest.
fn vector(text: &str) -> Vec<f32> {
    let animal = ["heron", "stork", "bird"].iter().any(|word| text.contains(word));
    if animal { vec![1.0, 0.05] } else { vec![0.05, 1.0] }
}

fn embed_all(memory: &KnowledgeHandle, model: &VectorModel, batch: usize) -> usize {
    let (mut cursor, mut count) = (VectorCursor::default(), 0);
    loop {
        let missing = memory.missing_vectors(&model.id, cursor, batch).unwrap();
        let Some(last) = missing.last() else { return count };
        cursor.pass(last.key);
        count += missing.len();
        let vectors: Vec<_> = missing.iter().map(|text| (text.key, vector(&text.text))).collect();
        memory.put_vectors(model, &vectors).unwrap();
    }
}

#[test]
fn vectors_are_made_step_by_step_and_again_for_another_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("knowledge.db");
    let mut world = World::default();
    world.exchange(1, "s", "a heron stands in the water", "it waits");
    world.remember(None, fact_id(1), "storks eat frogs");
    world.remember(None, fact_id(2), "the sky is blue");
    let open = || {
        let opened = Knowledge::open(&path, &felix(), 99).unwrap();
        KnowledgeHandle::new(opened.knowledge).unwrap()
    };
    let memory = open();
    memory.apply(&world.applied()).unwrap();
    let lead_of = |model: &'static str| Lead {
        meaning: Some(QuestionVector { model, vector: &[1.0, 0.05] }),
        ..Lead::at(now())
    };
    assert_eq!(memory.recall("bird", &lead_of("a"), 9).status(), "empty");
    assert_eq!(memory.missing_vectors("a", VectorCursor::default(), 1).unwrap().len(), 1);
    assert_eq!(embed_all(&memory, &model("a"), 3), 4);
    let state = memory.embedding_state().unwrap();
    assert_eq!((state.model.as_deref(), state.done, state.total), (Some("a"), 4, 4));
    let found = memory.recall("bird", &lead_of("a"), 9);
    assert_eq!(found.items()[0].text, "a heron stands in the water");
    assert_eq!(memory.recall("bird", &lead_of("b"), 9).status(), "empty", "of another model");
    let facts = memory.search_facts("bird", &lead_of("a"), 9);
    assert_eq!(facts.items()[0].content, "storks eat frogs");

    // They are there after a restart, also those of what came since.
    drop(memory);
    let memory = open();
    assert_eq!(memory.recall("bird", &lead_of("a"), 9).status(), "found");
    world.exchange(2, "s", "and what about the stork?", "it flies");
    memory.apply(&world.applied()).unwrap();
    assert_eq!(embed_all(&memory, &model("a"), 64), 2);
    world.forget(None, fact_id(1));
    memory.apply(&world.applied()).unwrap();
    let state = memory.embedding_state().unwrap();
    assert_eq!((state.done, state.total), (5, 5), "a closed fact has no vector");
    memory.put_vectors(&model("a"), &[(VectorKey::FactOrNode(4), vec![1.0, 0.0])]).unwrap();
    assert_eq!(memory.embedding_state().unwrap(), state, "nor gets one");

    memory.put_vectors(&model("b"), &[]).unwrap();
    let state = memory.embedding_state().unwrap();
    assert_eq!((state.model.as_deref(), state.done), (Some("b"), 0));
    assert_eq!(memory.recall("bird", &lead_of("a"), 9).status(), "empty");
    assert_eq!(embed_all(&memory, &model("b"), 64), 5);
    assert_eq!(memory.recall("bird", &lead_of("b"), 9).status(), "found");
    let dump = memory.dump().unwrap();
    assert_eq!(dump, knowing(&world).dump().unwrap(), "vectors are no memory");
}

#[test]
fn with_vectors_of_everything_absence_is_certain() {
    let mut world = World::default();
    world.exchange(1, "s", "the sky is blue", "it is");
    let memory = knowing(&world);
    embed_all(&memory, &model("a"), 64);
    let query = GraphQuery::Conversations {
        partner_id: "nicolas".into(),
        keywords: vec!["zeppelin".into()],
        limit: 5,
    };
    let away = [-1.0, -1.0];
    let lead =
        Lead { meaning: Some(QuestionVector { model: "a", vector: &away }), ..Lead::at(now()) };
    let result = memory.ask(&query, &lead);
    assert_eq!(result.status, QueryStatus::Empty, "{result:?}");
    assert!(result.confidence > 0.99, "{result:?}");
    assert!(memory.ask(&query, &Lead::at(now())).confidence < 0.81);
    world.exchange(2, "s", "more", "of it");
    memory.apply(&world.applied()).unwrap();
    assert!(memory.ask(&query, &lead).confidence < 0.81, "not all of it has a vector");
}

/// A reply of several parts, of which one sentence says something.
fn long_reply() -> String {
    let filler = "Begin with the plan and write down what it costs. Ask somebody who has done it. ";
    format!("{}The zeppelin lands at the old mill. {}", filler.repeat(20), filler.repeat(20))
}

#[test]
fn of_a_long_reply_the_passage_is_found_and_named_and_its_part_keeps_its_name() {
    let mut world = World::default();
    let seq = world.talk(("felix", 1), "nicolas", ("where?", &long_reply()), "neutral");
    let memory = knowing(&world);
    let found = memory.recall("Where does the zeppelin land?", &Lead::at(now()), 9);
    let passage = &found.items()[0];
    assert!(passage.text.contains("zeppelin") && passage.by_agent, "{passage:?}");
    assert!(passage.text.split_whitespace().count() <= 120, "{}", passage.text);
    assert_eq!(found.items().iter().filter(|found| found.by_agent).count(), 1, "once a message");
    let MemoryRef::Passage { seq: of, part } = passage.reference else { panic!("{passage:?}") };
    assert!(of == seq && part > 255, "{part}");
    let resolved = memory.resolve(passage.reference).unwrap();
    let Some(ReferencedItem::Passage(resolved)) = resolved else { panic!("{resolved:?}") };
    assert_eq!((&resolved.text, resolved.reference), (&passage.text, passage.reference));

    // What an old ledger names: the whole part, as it was cut then.
    let whole = memory.resolve(MemoryRef::Passage { seq, part: part & 255 }).unwrap();
    let Some(ReferencedItem::Passage(whole)) = whole else { panic!("{whole:?}") };
    assert!(whole.text.contains(&passage.text) && whole.text.len() > passage.text.len());
    assert_eq!(memory.resolve(MemoryRef::Passage { seq, part: part | 0xf00 }).unwrap(), None);
    assert_eq!(memory.resolve(MemoryRef::Passage { seq, part: u32::MAX }).unwrap(), None);
}

#[test]
fn each_passage_has_its_vector_and_counts_as_a_text() {
    let mut world = World::default();
    world.talk(("felix", 1), "nicolas", ("where?", &long_reply()), "neutral");
    let memory = knowing(&world);
    let model =
        VectorModel { name: "m".into(), id: "m".into(), dimensions: 2, kind: VectorKind::Static };
    let missing = memory.missing_vectors("m", VectorCursor::default(), 999).unwrap();
    let total = memory.embedding_state().unwrap().total;
    assert!(missing.len() > 8 && missing.len() as u64 == total, "{} {total}", missing.len());
    let said: String = missing.iter().map(|missing| &*missing.text).collect();
    assert_eq!(said, format!("where?{}", long_reply()));

    // In steps of five, so that a step ends amid a part.
    let mut cursor = VectorCursor::default();
    let mut steps = Vec::new();
    loop {
        let some = memory.missing_vectors("m", cursor, 5).unwrap();
        let Some(last) = some.last() else { break };
        steps.extend(some.iter().map(|missing| missing.text.clone()));
        let vectors: Vec<_> = some.iter().map(|missing| (missing.key, vec![1.0, 0.5])).collect();
        memory.put_vectors(&model, &vectors).unwrap();
        cursor.pass(last.key);
    }
    assert_eq!(steps.concat(), said);
    assert_eq!(memory.embedding_state().unwrap().done, total);
    assert!(memory.missing_vectors("m", VectorCursor::default(), 9).unwrap().is_empty());
    let nowhere = [(VectorKey::Passage(u64::MAX >> 2), vec![1.0, 0.0])];
    memory.put_vectors(&model, &nowhere).unwrap();
    assert_eq!(memory.embedding_state().unwrap().done, total, "of no passage");
}
