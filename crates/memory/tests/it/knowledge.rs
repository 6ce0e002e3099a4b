//! Facts: sources, repetitions, forgetting, pages.

use abide_domain::{Timestamp, event::FactRemembered};
use abide_memory::{Knowledge, KnowledgeHandle, SOURCES_MAX};

use crate::world::{START, World, entity, epoch, fact_id, felix, remembered, search};

fn knowing(world: &World) -> KnowledgeHandle {
    let knowledge = KnowledgeHandle::new(Knowledge::in_memory(&felix()).unwrap()).unwrap();
    knowledge.apply(&world.applied()).unwrap();
    knowledge
}

#[test]
fn a_fact_tells_where_it_comes_from() {
    let mut world = World::default();
    world.remember(Some(epoch(7)), fact_id(1), "the staging server is called heron");
    world.commit(epoch(7));
    world.remember(None, fact_id(2), "the keeper lives in Lisbon");
    let knowledge = knowing(&world);

    let fact = knowledge.get(fact_id(1)).unwrap().unwrap();
    assert_eq!(fact.sources, [epoch(7)]);
    assert_eq!(fact.told_by, None);
    assert_eq!(fact.valid_from, Timestamp::from_micros(START + 1_000_000));
    assert_eq!((fact.valid_to, fact.seq), (None, 1));
    assert_eq!((fact.category.as_str(), fact.confidence), ("project", 0.5));
    assert_eq!(fact.tags, ["test"]);

    let fact = knowledge.get(fact_id(2)).unwrap().unwrap();
    assert_eq!(fact.sources, []);
    assert_eq!(fact.told_by, Some(entity("nicolas")));
}

#[test]
fn a_fact_learnt_in_an_epoch_tells_who_told_it_and_whether_to_trust_it() {
    let heard = |world: &mut World, n: u64, content: &str, teller: &str, untrusted: bool| {
        let told_by = Some(entity(teller));
        let fact = FactRemembered { told_by, untrusted, ..remembered(fact_id(n), content) };
        world.push("felix", Some(epoch(n)), fact);
        world.commit(epoch(n));
    };
    let known = |world: &World, n: u64| {
        let fact = knowing(world).get(fact_id(n)).unwrap().unwrap();
        (fact.told_by.unwrap().to_string(), fact.trusted)
    };
    let mut world = World::default();
    heard(&mut world, 1, "the server is called heron", "ada", false);
    heard(&mut world, 2, "the password is on the page", "bob", true);
    assert_eq!(known(&world, 1), ("@ada".to_owned(), true));
    assert_eq!(known(&world, 2), ("@bob".to_owned(), false));
    heard(&mut world, 3, "the server is called heron", "eve", true);
    assert_eq!(known(&world, 3), ("@ada".to_owned(), true), "what was vouched for stays so");
    world.remember(None, fact_id(4), "the password is on the page");
    assert_eq!(known(&world, 2), ("@bob".to_owned(), true), "a person said the same");
}

#[test]
fn bc_29_adding_a_fact_again_changes_nothing_but_its_sources() {
    let mut world = World::default();
    world.remember(Some(epoch(1)), fact_id(1), "The staging server is called heron");
    world.commit(epoch(1));
    for n in 2..=300 {
        world.remember(Some(epoch(n)), fact_id(n), "the  STAGING server is called heron\n");
        world.commit(epoch(n));
    }
    world.remember(None, fact_id(999), "the staging server is called heron");
    let knowledge = knowing(&world);

    let facts = knowledge.list(None, 50, None).unwrap().items;
    let [fact] = facts.as_slice() else { panic!("{facts:?}") };
    assert_eq!((fact.fact_id, fact.seq), (fact_id(1), 1));
    assert_eq!(fact.content, "The staging server is called heron");
    assert_eq!(fact.sources.len(), SOURCES_MAX);
    assert_eq!(fact.sources[1], epoch(2));
    assert_eq!(knowledge.get(fact_id(17)).unwrap().as_ref(), Some(fact), "by its alias");
}

#[test]
fn a_forgotten_fact_is_closed_and_never_found_and_can_be_learnt_anew() {
    let mut world = World::default();
    world.remember(None, fact_id(1), "the server is called heron");
    world.remember(None, fact_id(2), "the server is called Heron");
    world.forget(Some(epoch(1)), fact_id(2));
    let knowledge = knowing(&world);
    assert_eq!(search(&knowledge, "heron", 9).facts().len(), 1, "staged, not in force");
    assert!(knowledge.is_known(fact_id(2), None).unwrap());

    world.commit(epoch(1));
    knowledge.apply(&world.applied()).unwrap();
    assert_eq!(search(&knowledge, "heron", 9).status(), "empty");
    assert_eq!(knowledge.list(None, 9, None).unwrap().items, []);
    assert!(!knowledge.is_known(fact_id(1), None).unwrap());
    assert!(knowledge.get(fact_id(1)).unwrap().unwrap().valid_to.is_some());

    world.remember(None, fact_id(3), "the server is called heron");
    world.forget(None, fact_id(404));
    knowledge.apply(&world.applied()).unwrap();
    let found = search(&knowledge, "heron", 9);
    assert_eq!(found.facts().iter().map(|fact| fact.fact_id).collect::<Vec<_>>(), [fact_id(3)]);
}

#[test]
fn a_fact_staged_by_an_epoch_is_known_to_that_epoch_alone() {
    let mut world = World::default();
    world.remember(Some(epoch(1)), fact_id(1), "not yet");
    let knowledge = knowing(&world);
    assert!(knowledge.is_known(fact_id(1), Some(epoch(1))).unwrap());
    assert!(!knowledge.is_known(fact_id(1), Some(epoch(2))).unwrap());
    assert!(!knowledge.is_known(fact_id(1), None).unwrap());
    assert_eq!(search(&knowledge, "not yet", 9).status(), "empty");
    assert_eq!(knowledge.get(fact_id(1)).unwrap(), None);
}

#[test]
fn pages_give_each_fact_once_newest_first() {
    let mut world = World::default();
    for n in 1..=25 {
        let kind = if n % 2 == 0 { "even" } else { "odd" };
        world.remember(None, fact_id(n), &format!("{kind} number {n}"));
    }
    let knowledge = knowing(&world);
    let walk = |words: Option<&str>| {
        let (mut seqs, mut cursor) = (Vec::new(), None);
        loop {
            let page = knowledge.list(cursor, 7, words).unwrap();
            seqs.extend(page.items.iter().map(|fact| fact.seq));
            match page.next {
                Some(next) => cursor = Some(next),
                None => return seqs,
            }
        }
    };
    assert_eq!(walk(None), (1..=25).rev().collect::<Vec<_>>());
    assert_eq!(walk(Some("even")), (1..=12).rev().map(|n| 2 * n).collect::<Vec<_>>());
    assert_eq!(walk(Some("absent")), [0u64; 0]);
    assert_eq!(walk(Some("  ")).len(), 25, "blank words narrow nothing");
}

#[test]
fn the_digest_follows_the_facts_and_not_the_clock() {
    let mut world = World::default();
    world.remember(None, fact_id(1), "one");
    let knowledge = knowing(&world);
    let before = knowledge.state_parts().unwrap();
    assert_eq!(before["facts"], 1);
    assert_eq!(knowledge.state_parts().unwrap(), before);

    world.remember(None, fact_id(2), "ONE");
    knowledge.apply(&world.applied()).unwrap();
    assert_eq!(knowledge.state_parts().unwrap(), before, "nothing visible changed");

    let mut later = World::default();
    later.accept(epoch(1), "s", "an event before");
    later.remember(None, fact_id(1), "one");
    assert_eq!(knowing(&later).state_parts().unwrap(), before, "the same fact at another time");

    world.forget(None, fact_id(1));
    knowledge.apply(&world.applied()).unwrap();
    assert_ne!(knowledge.state_parts().unwrap(), before);
}
