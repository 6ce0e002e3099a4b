//! The eight queries: what they find, in which order, how sure they are, and that no agent finds what another remembers.

use std::fmt::Write as _;

use abide_domain::{
    Timestamp,
    event::MemoryRef,
    graph::{
        CodeReference, Constraint, ConstraintStatus, ConversationMemory, EdgeKind, EmotionalState,
        FailedAttempt, Node, Partnership, Person, Severity, StrategyPattern, TechnicalContext,
    },
};
use abide_memory::{
    GraphQuery, ItemBody, Knowledge, KnowledgeHandle, Lead, QueryItem, QueryResult, QueryStatus,
};
use proptest::prelude::*;
use serde_json::json;

use crate::world::{START, World, entity, epoch, fact_id, felix, remembered};

/// All eight, asked with the same words.
pub(crate) fn all(words: &str) -> Vec<GraphQuery> {
    let words = if words.trim().is_empty() { "x" } else { words };
    let params = [
        ("query_partnerships", json!({"partner_id": words})),
        ("query_conversations", json!({"partner_id": "*", "keywords": [words], "limit": 50})),
        ("query_technical_context", json!({"term": words, "limit": 50})),
        ("query_emotional_state", json!({"context_similar_to": words, "limit": 50})),
        (
            "query_strategy_patterns",
            json!({"situation_type": words, "min_success_rate": 0.0, "limit": 50}),
        ),
        ("query_related_code", json!({"filename": words, "limit": 50})),
        ("query_failed_attempts", json!({"context": words, "limit": 50})),
        ("query_active_constraints", json!({"min_severity": "low", "limit": 50})),
        ("query_conversations", json!({"partner_id": "*", "limit": 50})),
    ];
    params.iter().map(|(name, params)| GraphQuery::parse(name, params).unwrap()).collect()
}

fn now() -> Timestamp {
    Timestamp::from_micros(START)
}

fn knowing(world: &World) -> KnowledgeHandle {
    let mut knowledge = Knowledge::in_memory(&felix()).unwrap();
    knowledge.apply(&world.applied()).unwrap();
    KnowledgeHandle::new(knowledge).unwrap()
}

fn ask(memory: &KnowledgeHandle, name: &str, params: &serde_json::Value) -> QueryResult {
    memory.ask(&GraphQuery::parse(name, params).unwrap(), &Lead::at(now()))
}

/// How a query ended, and how sure it is in per cent.
fn sure(result: &QueryResult) -> (QueryStatus, i64) {
    #[expect(clippy::cast_possible_truncation, reason = "a share of one")]
    let percent = (result.confidence * 100.0).round() as i64;
    (result.status, percent)
}

fn ids(result: &QueryResult) -> Vec<&str> {
    result.data.iter().map(|item| item.id.as_str()).collect()
}

/// A day of work: the race condition of the specification's example.
#[expect(clippy::too_many_lines, reason = "a table of nodes")]
fn seeded() -> World {
    let mut world = World::default();
    let mut put = |id: &str, node: Node| world.node("felix", None, (id, None), node);
    put("person:nicolas", Node::Person(Person { name: "Nicolas".into(), role: "founder".into() }));
    put(
        "p1",
        Node::Partnership(Partnership {
            partner_name: "Nicolas".into(),
            trust_level: 0.9,
            ..Partnership::default()
        }),
    );
    put(
        "t1",
        Node::Technical(TechnicalContext {
            component: "telegram bridge".into(),
            issue_type: "race condition".into(),
            description:
                "Two messages at once are answered twice: a race condition between handlers".into(),
            status: "open".into(),
            recurrence_count: 3,
            ..TechnicalContext::default()
        }),
    );
    put(
        "t2",
        Node::Technical(TechnicalContext {
            component: "parser".into(),
            issue_type: "crash".into(),
            description: "Empty input panics".into(),
            ..TechnicalContext::default()
        }),
    );
    for (id, emotion, intensity) in [("e1", "frustration", 0.8), ("e2", "hope", 0.4)] {
        put(
            id,
            Node::Emotion(EmotionalState {
                emotion: emotion.into(),
                intensity,
                context: "the race condition came back".into(),
                ..EmotionalState::default()
            }),
        );
    }
    for (id, rate) in [("s1", 0.6), ("s2", 0.85), ("s3", 0.3)] {
        put(
            id,
            Node::Strategy(StrategyPattern {
                approach: "log first".into(),
                success_rate: rate,
                applicability: "race conditions".into(),
                ..StrategyPattern::default()
            }),
        );
    }
    put(
        "c1",
        Node::Code(CodeReference {
            file_path: "src/bridge.rs".into(),
            description: "bridge".into(),
            ..CodeReference::default()
        }),
    );
    put(
        "c2",
        Node::Code(CodeReference {
            file_path: "src/queue.rs".into(),
            description: "queue".into(),
            ..CodeReference::default()
        }),
    );
    put(
        "c3",
        Node::Code(CodeReference {
            file_path: "src/main.rs".into(),
            dependencies: vec!["bridge.rs".into()],
            ..CodeReference::default()
        }),
    );
    put(
        "f1",
        Node::Failure(FailedAttempt {
            context: "race condition in the bridge".into(),
            approach: "sleep 100 ms".into(),
            ..FailedAttempt::default()
        }),
    );
    for (id, severity, deadline, status) in [
        ("k1", Severity::Medium, Some("2026-12-01"), ConstraintStatus::Active),
        ("k2", Severity::Critical, Some("2026-11-25"), ConstraintStatus::Active),
        ("k3", Severity::Critical, None, ConstraintStatus::Active),
        ("k4", Severity::Critical, None, ConstraintStatus::Resolved),
        ("k5", Severity::Low, None, ConstraintStatus::Active),
    ] {
        put(
            id,
            Node::Constraint(Constraint {
                constraint_type: "deadline".into(),
                severity,
                status,
                deadline: deadline.map(Into::into),
                ..Constraint::default()
            }),
        );
    }
    put(
        "m1",
        Node::Conversation(ConversationMemory {
            partner: "nicolas".into(),
            topic: "the race condition".into(),
            key_points: vec!["log first".into()],
            ..ConversationMemory::default()
        }),
    );
    world.link("felix", ("c1", EdgeKind::DependsOn, "c2"));
    world
}

#[test]
fn each_query_finds_its_own_in_its_order() {
    let memory = knowing(&seeded());
    let cases = [
        ("query_partnerships", json!({"partner_id": "NICOLAS"}), vec!["p1"]),
        ("query_technical_context", json!({"term": "race condition"}), vec!["t1"]),
        (
            "query_technical_context",
            json!({"term": "race condition", "issue_type": "crash"}),
            vec![],
        ),
        (
            "query_emotional_state",
            json!({"context_similar_to": "race condition"}),
            vec!["e1", "e2"],
        ),
        (
            "query_emotional_state",
            json!({"context_similar_to": "race condition", "emotion": "Hope", "limit": 1}),
            vec!["e2"],
        ),
        (
            "query_strategy_patterns",
            json!({"situation_type": "a race condition"}),
            vec!["s2", "s1"],
        ),
        ("query_related_code", json!({"filename": "bridge.rs"}), vec!["c1", "c2", "c3"]),
        (
            "query_related_code",
            json!({"filename": "bridge.rs", "include_dependencies": false}),
            vec!["c1"],
        ),
        ("query_failed_attempts", json!({"context": "race condition"}), vec!["f1"]),
        ("query_active_constraints", json!({}), vec!["k2", "k3", "k1"]),
        (
            "query_active_constraints",
            json!({"limit": 1, "constraint_type": "Deadline"}),
            vec!["k2"],
        ),
        (
            "query_conversations",
            json!({"partner_id": "Nicolas", "keywords": ["race", "condition"]}),
            vec!["m1"],
        ),
        ("query_conversations", json!({"partner_id": "ada"}), vec![]),
    ];
    for (name, params, expected) in cases {
        let result = ask(&memory, name, &params);
        assert_eq!(ids(&result), expected, "{name} {params}: {result:?}");
        let status = if expected.is_empty() { QueryStatus::Empty } else { QueryStatus::Found };
        assert_eq!(result.status, status, "{name} {params}");
    }
    let code = ask(&memory, "query_related_code", &json!({"filename": "src/bridge.rs"}));
    let relations: Vec<_> = code.data[1..]
        .iter()
        .map(|item| match &item.body {
            ItemBody::Linked { relation, .. } => *relation,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(relations, ["dependency", "dependent"]);
}

#[test]
fn a_result_has_the_form_of_decision_7() {
    let memory = knowing(&seeded());
    let result = ask(&memory, "query_failed_attempts", &json!({"context": "race condition"}));
    let mut told = serde_json::to_value(&result).unwrap();
    assert!(told["query_time_ms"].as_f64().unwrap() >= 0.0);
    told["query_time_ms"] = json!(0.0);
    let at = result.data[0].valid_from;
    let expected = json!({
        "status": "found", "found": true, "confidence": 1.0, "query_time_ms": 0.0, "message": "",
        "data": [{"type": "Failed_Attempt", "id": "f1", "approach": "sleep 100 ms",
            "context": "race condition in the bridge", "lesson_learned": "", "why_failed": "",
            "valid_from": at, "valid_to": null, "sources": [], "strength": 1.0, "ref": "n13"}],
    });
    assert_eq!(told, expected);
}

#[test]
fn absence_is_certain_only_where_both_searches_looked() {
    let memory = knowing(&seeded());
    let term = json!({"term": "quasar"});
    let result = ask(&memory, "query_technical_context", &term);
    assert_eq!(sure(&result), (QueryStatus::Empty, 80));
    assert!(result.message.contains("only words"), "{}", result.message);

    let result = ask(&memory, "query_active_constraints", &json!({"constraint_type": "budget"}));
    assert_eq!(sure(&result), (QueryStatus::Empty, 100));
    let nothing = knowing(&World::default());
    assert_eq!(sure(&ask(&nothing, "query_technical_context", &term)), (QueryStatus::Empty, 100));

    let failed = memory
        .ask(&GraphQuery::FailedAttempts { context: "  ".into(), limit: 5 }, &Lead::at(now()));
    assert_eq!(sure(&failed), (QueryStatus::Failed, 0));
    let told = serde_json::to_value(&failed).unwrap();
    assert_eq!((&told["status"], &told["found"]), (&json!("failed"), &json!(false)));
}

#[test]
fn age_and_partial_matches_lower_the_confidence() {
    let mut world = World::default();
    let old = Timestamp::from_micros(START - 40 * 86_400 * 1_000_000);
    let failure = |when| {
        Node::Failure(FailedAttempt {
            context: "cold start".into(),
            timestamp: when,
            ..FailedAttempt::default()
        })
    };
    world.node("felix", None, ("f1", None), failure(Some(old)));
    let memory = knowing(&world);
    let context = json!({"context": "cold start"});
    assert_eq!(sure(&ask(&memory, "query_failed_attempts", &context)).1, 90);
    world.node("felix", None, ("f1", None), failure(None));
    memory.apply(&world.applied()).unwrap();
    assert_eq!(sure(&ask(&memory, "query_failed_attempts", &context)).1, 100);
    let partial = ask(&memory, "query_failed_attempts", &json!({"context": "a warm start"}));
    assert_eq!(sure(&partial), (QueryStatus::Found, 80));
}

#[test]
fn a_committed_epoch_is_a_conversation_at_once() {
    let mut world = World::default();
    let first = world.talk(
        ("felix", 1),
        "nicolas",
        ("The race condition in the bridge is back", "Then we log first and look."),
        "frustrated",
    );
    world.talk(("felix", 2), "ada", ("Shall we plant tulips?", "Yes, in spring."), "neutral");
    let memory = knowing(&world);
    let params = json!({"partner_id": "nicolas", "keywords": ["race condition"]});
    let result = ask(&memory, "query_conversations", &params);
    let [item] = result.data.as_slice() else { panic!("{result:?}") };
    let ItemBody::Conversation { memory: had, passages } = &item.body else { panic!("{item:?}") };
    assert_eq!((had.partner.as_str(), had.message_count), ("nicolas", 2));
    assert!(had.topic.contains("race") && had.topic.contains("log"), "{}", had.topic);
    assert_eq!(had.emotional_tone, "frustrated");
    assert_eq!(item.sources, [epoch(1)]);
    assert_eq!(passages[0].text, "The race condition in the bridge is back");
    assert_eq!((passages[0].speaker.as_str(), passages[0].by_agent), ("nicolas", false));
    assert_eq!(item.reference.to_string(), format!("c{first}/0"));
    assert_eq!(passages[0].exchange.epoch, epoch(1));

    let felt =
        ask(&memory, "query_emotional_state", &json!({"context_similar_to": "race condition"}));
    assert_eq!(ids(&felt), [format!("emotion:{first}")]);
    assert!((felt.data[0].body.emotion().unwrap().intensity - 0.5).abs() < 1e-9);

    let newest = ask(&memory, "query_conversations", &json!({"partner_id": "*"}));
    assert_eq!(newest.data.len(), 2);
    let parts = memory.exchange(first).unwrap();
    assert_eq!(parts.iter().map(|part| part.by_agent).collect::<Vec<_>>(), [false, true]);

    let recalled = memory.recall("tulips", &Lead::at(now()), 5);
    assert!(recalled.items().iter().any(|passage| passage.text == "Shall we plant tulips?"));
    let senders: Vec<_> = recalled
        .items()
        .iter()
        .map(|p| (p.text.as_str(), p.exchange.sender.as_str(), p.strength))
        .collect();
    assert!(senders.iter().all(|(_, sender, _)| *sender == "ada"), "{senders:?}");
    assert_eq!(memory.recall("zeppelin", &Lead::at(now()), 5).status(), "empty");
    assert_eq!(memory.recall(" ", &Lead::at(now()), 5).status(), "failed");
}

#[test]
fn a_pause_of_an_hour_begins_another_conversation() {
    let mut world = World::default();
    for (n, minutes) in [(1, 0), (2, 30), (3, 89), (4, 150)] {
        world.sent_at = Some(Timestamp::from_micros(START + minutes * 60_000_000));
        world.talk(("felix", n), "nicolas", ("tulips again?", "yes"), "neutral");
    }
    let memory = knowing(&world);
    let result = ask(&memory, "query_conversations", &json!({"partner_id": "nicolas"}));
    let counts: Vec<_> =
        result.data.iter().map(|item| item.body.conversation().unwrap().message_count).collect();
    assert_eq!(counts, [2, 6], "the newest first");
}

#[test]
fn facts_join_partnerships_and_technical_matters() {
    let mut world = seeded();
    let fact = |n: u64, content: &str, category: &str, teller: Option<&str>| {
        abide_domain::event::FactRemembered {
            category: category.into(),
            told_by: teller.map(entity),
            ..remembered(fact_id(n), content)
        }
    };
    for (n, content, category, teller) in [
        (1, "Nicolas prefers tea", "user", None),
        (2, "I have two cats", "user", Some("nicolas")),
        (3, "the race condition needs a lock", "project", Some("ada")),
        (4, "Nicolasville has a race track", "world", Some("ada")),
    ] {
        world.push("felix", None, fact(n, content, category, teller));
    }
    let memory = knowing(&world);
    let facts = |result: &QueryResult| -> Vec<String> {
        let content = |item: &QueryItem| match &item.body {
            ItemBody::Fact(fact) => Some(fact.content.clone()),
            _ => None,
        };
        result.data.iter().filter_map(content).collect()
    };
    let partner = GraphQuery::Partnerships { partner_id: "nicolas".into() };
    let result = memory.ask(&partner, &Lead::at(now()));
    let told = facts(&result);
    assert!(
        told.contains(&"Nicolas prefers tea".into()) && told.contains(&"I have two cats".into())
    );
    assert!(!told.iter().any(|content| content.contains("ville")), "{told:?}");
    let lead = Lead { said: "how are my cats?", ..Lead::at(now()) };
    assert_eq!(facts(&memory.ask(&partner, &lead))[0], "I have two cats");

    let result = ask(&memory, "query_technical_context", &json!({"term": "race condition"}));
    assert_eq!(result.data[0].id, "t1");
    assert_eq!(facts(&result)[0], "the race condition needs a lock");
    assert!(!facts(&result).iter().any(|content| content.contains("tea")));
}

/// What an agent has, by a secret word of its own.
fn life(agent: &str, secret: &str, world: &mut World, n: u64) {
    let text = |what: &str| format!("{what} about the {secret} in the shared garden of tulips");
    world.talk((agent, n), "nicolas", (&text("news"), &text("thoughts")), "glad");
    let fact = remembered(fact_id(n), &text("a fact"));
    world.push(agent, None, fact);
    let nodes = [
        Node::Partnership(Partnership {
            partner_name: "tulips".into(),
            partner_role: text("who"),
            ..Default::default()
        }),
        Node::Technical(TechnicalContext { description: text("a matter"), ..Default::default() }),
        Node::Emotion(EmotionalState { context: text("joy"), ..Default::default() }),
        Node::Strategy(StrategyPattern { applicability: text("a way"), ..Default::default() }),
        Node::Code(CodeReference {
            file_path: "tulips".into(),
            description: text("code"),
            ..Default::default()
        }),
        Node::Failure(FailedAttempt { context: text("a failure"), ..Default::default() }),
        Node::Constraint(Constraint { description: text("a bound"), ..Default::default() }),
        Node::Conversation(ConversationMemory {
            partner: "nicolas".into(),
            topic: text("talk"),
            ..Default::default()
        }),
    ];
    for (kind, node) in nodes.into_iter().enumerate() {
        // The same ids in both graphs.
        world.node(agent, None, (&format!("shared{kind}"), None), node);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_query_finds_what_another_agent_remembers(
        order in prop::collection::vec(any::<bool>(), 2..6),
        words in "(tulips|garden|nicolas|shared0|osprey|kestrel|news about|a){1,3}",
    ) {
        let mut world = World::default();
        for (n, ours) in (1..).zip(&order) {
            let (agent, secret) = if *ours { ("felix", "osprey") } else { ("ada", "kestrel") };
            life(agent, secret, &mut world, n);
        }
        for (agent, secret, other) in [("felix", "osprey", "kestrel"), ("ada", "kestrel", "osprey")] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("knowledge.db");
            let opened = Knowledge::open(&path, &entity(agent), world.head()).unwrap();
            let memory = KnowledgeHandle::new(opened.knowledge).unwrap();
            memory.apply(&world.applied()).unwrap();
            let mut answers = String::new();
            for query in all(&words).into_iter().chain(all("tulips")) {
                let lead = Lead { said: &words, ..Lead::at(now()) };
                let answer = memory.ask(&query, &lead);
                prop_assert_ne!(answer.status, QueryStatus::Failed);
                answers += &serde_json::to_string(&answer).unwrap();
            }
            write!(answers, "{:?}", memory.recall("tulips", &Lead::at(now()), 99)).unwrap();
            write!(answers, "{:?}", memory.list(None, 99, Some("tulips")).unwrap()).unwrap();
            write!(answers, "{:?}", memory.search_facts(other, &Lead::at(now()), 99)).unwrap();
            answers += &memory.dump().unwrap();
            for seq in 1..=world.head() {
                let said = MemoryRef::Passage { seq, part: 0 };
                for reference in [MemoryRef::Node { seq }, MemoryRef::Fact { seq }, said] {
                    write!(answers, "{:?}", memory.resolve(reference).unwrap()).unwrap();
                }
            }
            let lives = order.iter().filter(|ours| **ours == (agent == "felix")).count();
            // The words that were asked for do not come back in an answer unless something holds them.
            prop_assert!(!answers.contains(&format!("the {other}")), "{agent}");
            prop_assert_eq!(answers.contains(&format!("the {secret}")), lives > 0);
        }
    }
}
