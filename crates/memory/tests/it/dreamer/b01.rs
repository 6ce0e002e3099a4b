//! B01's memory (spec-background A7): both acts' contexts hold what its criteria ask for.

use abide_domain::{
    event::Lens,
    graph::{
        CodeReference, Constraint, ConstraintStatus, ConversationMemory, EmotionalState,
        FailedAttempt, Node, Partnership, Person, Severity, StrategyPattern, TechnicalContext,
    },
};

use super::past::{Past, at, dreamt, envelope, explored, said_before, sections};

fn strings(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

pub(super) const RECORDED: &str = "2024-11-15T14:20:00Z";

pub(super) fn people_and_matters() -> Vec<Node> {
    vec![
        Node::Person(Person { name: "Nicolas".into(), role: "co-founder".into() }),
        Node::Partnership(Partnership {
            partner_name: "nicolas".into(),
            partner_role: "co-founder".into(),
            trust_level: 0.9,
            communication_style: "direct".into(),
            relationship_type: "engineering partnership".into(),
            shared_history: strings(&["built the first engine together"]),
            partnership_duration: "8 months".into(),
        }),
        Node::Conversation(ConversationMemory {
            partner: "nicolas".into(),
            topic: "race condition in the consciousness engine".into(),
            message_count: 10,
            key_points: strings(&["the lock is released too early under load"]),
            emotional_tone: "frustrated".into(),
            outcome: "a sleep was put in; the root cause stayed open".into(),
            timestamp: Some(at(RECORDED)),
        }),
        Node::Technical(TechnicalContext {
            component: "consciousness engine".into(),
            issue_type: "race condition".into(),
            description: "two ticks accumulate energy at once".into(),
            status: "recurring".into(),
            recurrence_count: 3,
            related_code: strings(&["engine/energy_accumulator.py", "engine/tick_scheduler.py"]),
        }),
    ]
}

pub(super) fn ways_and_bounds() -> Vec<Node> {
    vec![
        Node::Emotion(EmotionalState {
            emotion: "frustration".into(),
            intensity: 0.8,
            context: "bug recurrence: the same race condition returns".into(),
            counterbalance: "determination to find the root cause".into(),
            trigger_pattern: "a solved problem comes back".into(),
        }),
        Node::Strategy(StrategyPattern {
            approach: "systematic debugging".into(),
            success_rate: 0.85,
            steps: strings(&[
                "reproduce it",
                "instrument the lock",
                "find the root cause",
                "fix it",
            ]),
            applicability: "race condition, timing".into(),
        }),
        Node::Code(CodeReference {
            file_path: "engine/energy_accumulator.py".into(),
            description: "accumulates energy under a lock".into(),
            complexity: "high".into(),
            dependencies: strings(&["engine/tick_scheduler.py"]),
        }),
        Node::Code(CodeReference {
            file_path: "engine/tick_scheduler.py".into(),
            complexity: "medium".into(),
            ..CodeReference::default()
        }),
        Node::Failure(FailedAttempt {
            context: "race condition in energy accumulation".into(),
            approach: "a sleep of 10 ms before the write".into(),
            why_failed: "it made the race rarer and did not remove it".into(),
            lesson_learned: "timing patches hide a race condition".into(),
            timestamp: Some(at("2024-11-15T14:05:00Z")),
        }),
        Node::Constraint(Constraint {
            constraint_type: "deadline".into(),
            description: "the engine must run at the investor demo".into(),
            severity: Severity::Critical,
            deadline: Some("2024-11-25".into()),
            impact: "the demo cannot be shown".into(),
            status: ConstraintStatus::Active,
        }),
    ]
}

pub(super) fn seeded() -> Past {
    let mut past = Past::default();
    for (seq, node) in (1..).zip(people_and_matters().into_iter().chain(ways_and_bounds())) {
        past.node(seq, node, RECORDED);
    }
    past
}

pub(super) fn holds(text: &str, wanted: &[&str]) {
    let lower = text.to_lowercase();
    for words in wanted {
        assert!(lower.contains(&words.to_lowercase()), "`{words}` is missing in:\n{text}");
    }
}

#[test]
fn act_1_knows_partner_feeling_strategy_place_and_deadline() {
    let past = seeded();
    let mut stimulus = envelope("Hey Felix, the race condition is back.");
    stimulus.timestamp = at("2024-11-20T16:30:00Z");
    let object = dreamt(&past, &stimulus);
    holds(
        &object.text,
        &[
            "nicolas",
            "co-founder",
            "trust 0.9",
            "strongly frustration",
            "systematic debugging",
            "in 85% of cases",
            "root cause",
            "consciousness engine",
            "engine/energy_accumulator.py",
            "recurred 3 times",
            "5 days ago",
            "sleep of 10 ms",
            "Due 2024-11-25 (in 5 days)",
            "critical",
            "You have said nothing in this conversation yet",
        ],
    );
    assert_eq!(object.emotional_tone, "strongly frustration");
    assert_eq!(object.tensions.len(), 3, "{:?}", object.tensions);
    assert!(object.tokens <= 2_500, "{}", object.tokens);
}

#[test]
fn act_3_goes_on_from_what_was_said_two_hours_ago() {
    let mut past = seeded();
    past.exchange(
        90,
        "nicolas",
        "2024-11-20T16:30:00Z",
        [
            "Hey Felix, the race condition is back.",
            "Third time. I reproduce it first and instrument the lock.",
        ],
    );
    let stimulus = said_before(
        envelope("Did you figure out that race condition?"),
        "Third time. I reproduce it first and instrument the lock.",
        "2024-11-20T16:32:00Z",
    );
    let object = dreamt(&past, &stimulus);
    holds(
        &object.text,
        &[
            "nicolas said, Wed 2024-11-20 16:30, 2 h 15 min ago, over telegram: \"Hey Felix, the race condition is back.\" {c90/0}",
            "You answered: \"Third time. I reproduce it first and instrument the lock.\" {c90/1}",
            "Your last words in this conversation, Wed 2024-11-20 16:32, 2 h 13 min ago: \"Third time.",
            "It seems to be about consciousness engine: race condition. {n4}",
            "sleep of 10 ms",
            "recurring, recurred 3 times",
        ],
    );
    let found = explored(&past, &stimulus);
    assert!(found.found.len() >= 5 && found.failed.is_empty(), "{found:?}");
    assert!(!found.skipped.contains(&Lens::Connective));
}

#[test]
fn the_same_conversation_is_found_in_both_acts_and_only_the_time_of_day_differs() {
    let past = seeded();
    let mut first = envelope("Hey Felix, the race condition is back.");
    first.timestamp = at("2024-11-20T16:30:00Z");
    let third = envelope("Did you figure out that race condition?");
    let (first, third) = (dreamt(&past, &first), dreamt(&past, &third));
    for (one, other) in sections(&first.text).iter().zip(sections(&third.text)) {
        assert_eq!(*one, other);
    }
}
