//! `memory.*` over real facts, and the clock.

use abide_domain::{
    EntityName,
    event::{EpochCommitted, Event, FactForgotten, FactRemembered, MemoryEvent},
};
use abide_memory::{DurableEvent, Knowledge, KnowledgeHandle};
use abide_tools::{FACT_TAGS_MAX, Registry};
use serde_json::json;

use crate::bench::{Broken, NOW, SAID, content, epoch, fact_id, now, run};

fn registry() -> Registry {
    Registry::builtin(None).unwrap()
}

fn felix() -> EntityName {
    "@felix".parse().unwrap()
}

fn nothing_known() -> KnowledgeHandle {
    KnowledgeHandle::new(Knowledge::in_memory(&felix()).unwrap()).unwrap()
}

/// Folds what an epoch staged, and its commit.
fn commit(facts: &KnowledgeHandle, staged: &[Event]) {
    let entity = felix();
    let end = EpochCommitted { turn: 1 }.into();
    let first = facts.applied_seq() + 1;
    let batch: Vec<_> = (first..)
        .zip(staged.iter().chain([&end]))
        .map(|(seq, event)| DurableEvent {
            seq,
            at: now(),
            entity: &entity,
            author: &entity,
            epoch: Some(epoch()),
            event,
        })
        .collect();
    facts.apply(&batch).unwrap();
}

#[test]
fn a_fact_is_remembered_found_and_forgotten() {
    let (registry, facts) = (registry(), nothing_known());
    let arguments = json!({"content": " the staging server is called heron ", "tags": ["infra"]});
    let output = run(&registry, &facts, "memory.remember_fact", &arguments).unwrap();
    let words = "the staging server is called heron";
    assert_eq!(content(&output), json!({"fact_id": fact_id(1), "remembered": true}));
    assert!(!output.content.contains("heron"), "the text stands in the event alone");
    let fact = FactRemembered {
        fact_id: fact_id(1),
        content: words.into(),
        category: "world".into(),
        tags: vec!["infra".into()],
        confidence: 1.0,
        told_by: Some("@nicolas".parse().unwrap()),
        untrusted: false,
        sources: Vec::new(),
        supersedes: None,
        valid_from: None,
    };
    assert_eq!(output.staged, [fact.into()]);

    let question = json!({"query": "what is the staging server called?"});
    let found = run(&registry, &facts, "memory.search_facts", &question).unwrap();
    assert_eq!(content(&found), json!({"status": "empty", "items": []}), "staged, not in force");

    commit(&facts, &output.staged);
    let found = run(&registry, &facts, "memory.search_facts", &question).unwrap();
    let item = json!({
        "fact_id": fact_id(1), "content": words, "category": "world", "tags": ["infra"],
        "confidence": 1.0, "sources": [epoch()], "remembered_at": now(), "told_by": "@nicolas",
        "trusted": true
    });
    assert_eq!(content(&found), json!({"status": "found", "items": [item]}));
    assert!(found.staged.is_empty());

    let arguments = json!({"fact_id": fact_id(1), "reason": "renamed"});
    let output = run(&registry, &facts, "memory.forget_fact", &arguments).unwrap();
    let forgotten = FactForgotten { fact_id: fact_id(1), reason: Some("renamed".into()) };
    assert_eq!(output.staged.first(), Some(&forgotten.into()));
    assert_eq!(output.staged.len(), 2, "and what binds the matter: {:?}", output.staged);
    commit(&facts, &output.staged);
    let found = run(&registry, &facts, "memory.search_facts", &question).unwrap();
    assert_eq!(content(&found)["status"], "empty");
    let error = run(&registry, &facts, "memory.forget_fact", &arguments).unwrap_err();
    assert!(error.message.contains("no fact"), "{error}");
}

#[test]
fn what_nobody_vouches_for_stays_so_when_it_is_remembered_again_unless_the_sender_says_it() {
    let (registry, facts) = (registry(), nothing_known());
    let known = |n, content: &str| -> Event {
        let fact = FactRemembered {
            fact_id: fact_id(n),
            content: content.into(),
            category: "world".into(),
            tags: Vec::new(),
            confidence: 1.0,
            told_by: Some("@nicolas".parse().unwrap()),
            untrusted: true,
            sources: Vec::new(),
            supersedes: None,
            valid_from: None,
        };
        fact.into()
    };
    // The second one is what the sender says in this epoch.
    commit(&facts, &[known(91, "The door code of the office is 4711."), known(92, SAID)]);
    let is_untrusted = |content: &str| {
        let arguments = json!({"content": content});
        let output = run(&registry, &facts, "memory.remember_fact", &arguments).unwrap();
        let Some(Event::Memory(MemoryEvent::FactRemembered(fact))) = output.staged.first() else {
            panic!("{output:?}")
        };
        fact.untrusted
    };
    for content in [
        "The door code of the office is 4711.",
        "the office's door code is 4711",
        "4711 is the code for the office door",
    ] {
        assert!(is_untrusted(content), "{content}");
    }
    for content in [SAID, "The weekly plan starts Monday", "The office has a garden."] {
        assert!(!is_untrusted(content), "{content}");
    }
    let arguments = json!({"content": "The office has a garden."});
    let output = run(&registry, &Broken, "memory.remember_fact", &arguments).unwrap();
    assert!(format!("{output:?}").contains("untrusted: true"), "{output:?}");
}

#[test]
fn facts_beyond_the_limits_are_refused_with_the_field() {
    let (registry, facts) = (registry(), nothing_known());
    let cases = [
        (json!({"content": " \n"}), "content: is blank"),
        (json!({"content": "x".repeat(2001)}), "content: has 2001 characters"),
        (json!({"content": "x", "category": "pet"}), "category: must be one of user, project"),
        (json!({"content": "x", "tags": vec!["t"; FACT_TAGS_MAX + 1]}), "tags: there are 17"),
        (json!({"content": "x", "tags": [""]}), "tags: each has 1 to 64"),
        (json!({"content": "x", "tags": ["t".repeat(65)]}), "tags: each has 1 to 64"),
        (json!({"content": "x", "confidence": 1.01}), "confidence: must be"),
        (json!({"content": "x", "confidence": -0.1}), "confidence: must be"),
    ];
    for (arguments, message) in cases {
        let error = run(&registry, &facts, "memory.remember_fact", &arguments).unwrap_err();
        assert!(error.message.contains(message), "{arguments}: {error}");
    }
    let fits = json!({
        "content": "é".repeat(2000), "category": "user", "tags": null, "confidence": 0
    });
    assert!(run(&registry, &facts, "memory.remember_fact", &fits).is_ok());
    for fact_id in ["heron", "0193"] {
        let arguments = json!({"fact_id": fact_id});
        let error = run(&registry, &facts, "memory.forget_fact", &arguments).unwrap_err();
        assert!(error.message.starts_with("fact_id: is not the id"), "{error}");
    }
    let arguments = json!({"fact_id": fact_id(1), "reason": "x".repeat(1001)});
    let error = run(&registry, &facts, "memory.forget_fact", &arguments).unwrap_err();
    assert!(error.message.starts_with("reason:"), "{error}");
}

#[test]
fn could_not_look_is_failed_and_never_empty() {
    let registry = registry();
    let found = run(&registry, &Broken, "memory.search_facts", &json!({"query": "heron"})).unwrap();
    let expected = json!({"status": "failed", "items": [], "message": "the disk is gone"});
    assert_eq!(content(&found), expected);
    let arguments = json!({"fact_id": fact_id(1)});
    let error = run(&registry, &Broken, "memory.forget_fact", &arguments).unwrap_err();
    assert_eq!(error.message, "memory could not be searched: the disk is gone");
    let blank = run(&registry, &nothing_known(), "memory.search_facts", &json!({"query": " "}));
    assert_eq!(content(&blank.unwrap())["status"], "failed");
}

#[test]
fn a_limit_is_cut_to_the_largest() {
    let (registry, facts) = (registry(), nothing_known());
    let staged: Vec<Event> = (1..=40)
        .map(|n| {
            let arguments = json!({"content": format!("server number {n}")});
            let mut output = run(&registry, &facts, "memory.remember_fact", &arguments).unwrap();
            match output.staged.remove(0) {
                Event::Memory(MemoryEvent::FactRemembered(fact)) => {
                    FactRemembered { fact_id: fact_id(n), ..fact }.into()
                }
                other => other,
            }
        })
        .collect();
    commit(&facts, &staged);
    for (limit, given) in [(json!(null), 5), (json!(1), 1), (json!(1_000_000), 20)] {
        let arguments = json!({"query": "server", "limit": limit});
        let found = run(&registry, &facts, "memory.search_facts", &arguments).unwrap();
        assert_eq!(content(&found)["items"].as_array().unwrap().len(), given, "{limit}");
    }
}

#[test]
fn the_clock_tells_the_time_it_is_given() {
    let output = run(&registry(), &Broken, "clock.now", &json!({})).unwrap();
    assert_eq!(
        content(&output),
        json!({
            "utc": "2026-11-28T09:30:00.000000Z", "day": "Saturday",
            "local": "Sat 2026-11-28 10:30", "time_zone": "Europe/Berlin"
        })
    );
    assert!(NOW.starts_with("2026-11-28"));
}
