//! What is known already, what takes an older fact's place, and what was taken back.

use abide_domain::{EntityName, EpochId, FactId, Timestamp};
use uuid::Uuid;

use super::{TakenBack, reconcile_facts};
use crate::{Fact, FactCategory, FoundFact};

fn fact(content: &str, slot: Option<&str>, said: i64) -> FoundFact {
    FoundFact {
        content: content.into(),
        category: FactCategory::User,
        tags: vec!["home".into()],
        confidence: 0.8,
        slot: slot.map(str::to_owned),
        replaces: None,
        sources: vec![EpochId::from_uuid(Uuid::from_u128(7))],
        told_by: "nicolas".into(),
        said_at: Timestamp::from_micros(said),
        untrusted: false,
        doubt: None,
    }
}

fn known(content: &str, slot: &str, since: i64) -> Fact {
    Fact {
        fact_id: FactId::from_uuid(Uuid::from_u128(1000)),
        content: content.into(),
        category: "user".into(),
        tags: vec![format!("slot:{slot}")],
        confidence: 0.8,
        valid_from: Timestamp::from_micros(since),
        valid_to: None,
        sources: Vec::new(),
        told_by: None,
        trusted: true,
        seq: 1,
        supersedes: None,
    }
}

fn ids() -> impl FnMut() -> FactId {
    let mut next = 0;
    move || {
        next += 1;
        FactId::from_uuid(Uuid::from_u128(next))
    }
}

#[test]
fn what_is_said_again_changes_nothing() {
    let stands = [known("nicolas lives in Berlin", "nicolas/home", 5)];
    let again = ["nicolas lives in Berlin", "Nicolas  lives in berlin"];
    let found = again.iter().map(|text| fact(text, Some("nicolas/home"), 9)).collect();
    let sifted = reconcile_facts(found, &stands, &TakenBack::default(), &mut ids());
    assert_eq!((sifted.facts.len(), sifted.known), (0, 2));
}

#[test]
fn another_value_takes_the_place_of_the_older_one_and_no_other() {
    let stands = [known("nicolas lives in Berlin", "nicolas/home", 5)];
    let found = vec![
        fact("nicolas lives in Rome", Some("nicolas/home"), 9),
        fact("ada lives in Oslo", Some("ada/home"), 10),
        fact("nicolas lives in Lisbon", Some("nicolas/home"), 11),
    ];
    let sifted = reconcile_facts(found, &stands, &TakenBack::default(), &mut ids());
    let first = sifted.facts[0].fact_id;
    let closed: Vec<_> = sifted.facts.iter().map(|fact| fact.supersedes).collect();
    assert_eq!(closed, [Some(stands[0].fact_id), None, Some(first)]);
    assert_eq!(sifted.replacing, 2);
    assert_eq!(sifted.facts[0].told_by, EntityName::sender("nicolas").ok());
    assert_eq!(sifted.facts[0].valid_from, Some(Timestamp::from_micros(9)));
    assert!(sifted.facts[0].tags.contains(&"slot:nicolas/home".to_owned()));
}

#[test]
fn what_was_said_earlier_closes_nothing_and_what_was_taken_back_stays_so() {
    let stands = [known("nicolas lives in Berlin", "nicolas/home", 50)];
    let older = vec![fact("nicolas lives in Rome", Some("nicolas/home"), 9)];
    assert_eq!(reconcile_facts(older, &stands, &TakenBack::default(), &mut ids()).facts, []);
    let contents = vec![("nicolas lives in Rome".to_owned(), Timestamp::from_micros(20))];
    let gone = TakenBack { contents, ..TakenBack::default() };
    let before = vec![fact("nicolas lives in Rome", Some("nicolas/home"), 19)];
    assert_eq!(reconcile_facts(before, &[], &gone, &mut ids()).facts, []);
    let after = vec![fact("nicolas lives in Rome", Some("nicolas/home"), 21)];
    assert_eq!(reconcile_facts(after, &[], &gone, &mut ids()).facts.len(), 1);
}

#[test]
fn a_claim_inside_a_longer_one_is_known_unless_its_words_stand_otherwise() {
    let stands = [known("alice manages bob in the billing team", "x", 5)];
    let sifted = |text: &str| {
        reconcile_facts(vec![fact(text, None, 9)], &stands, &TakenBack::default(), &mut ids())
            .facts
            .len()
    };
    assert_eq!(sifted("alice manages bob"), 0);
    assert_eq!(sifted("bob manages alice"), 1);
    assert_eq!(sifted("alice never manages bob"), 1);
    assert_eq!(sifted("alice manages bob in the shipping team"), 1);
}
