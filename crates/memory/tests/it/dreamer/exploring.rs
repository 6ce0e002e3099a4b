//! The exploration: its order, its leads, its bounds, and how it says what it could not do.

use std::{sync::Mutex, time::Duration};

use abide_domain::{
    envelope::Channel,
    event::{Lens, MemoryRef, UsageRecord},
    graph::{
        CodeReference, ConversationMemory, EmotionalState, Node, Partnership, TechnicalContext,
    },
};
use abide_memory::{
    ExplorationPace, ExplorationProgress, Explorer, ExplorerDecision, ExplorerStep, GraphQuery,
    QUERIES_MAX, STEPS_MAX, explore,
};
use futures_util::{FutureExt as _, future::BoxFuture};

use super::past::{Past, envelope, explored};

fn matter(seq: u64, past: &mut Past) {
    let matter = TechnicalContext {
        component: "energy accumulation".into(),
        issue_type: "race condition".into(),
        description: "two ticks write at once".into(),
        related_code: vec!["engine/accumulator.py".into(), "engine/ticks.py".into()],
        recurrence_count: 3,
        ..TechnicalContext::default()
    };
    past.node(seq, Node::Technical(matter), "2024-11-15T14:00:00Z");
}

#[test]
fn the_lenses_are_asked_in_order_and_one_without_a_lead_is_skipped_and_said_so() {
    let past = Past::default();
    let found =
        explored(&past, &envelope("Hey Felix, the race condition is back, third time this week."));
    assert_eq!(
        past.lenses_asked(),
        [
            Lens::Relational,
            Lens::Historical,
            Lens::Historical,
            Lens::Technical,
            Lens::Emotional,
            Lens::Strategic,
            Lens::Experiential,
            Lens::Constraint,
        ]
    );
    assert_eq!(found.skipped, [Lens::Connective], "no file is known");
    assert_eq!(found.empty().count(), 7);
    assert!(found.found.is_empty() && found.failed.is_empty() && found.explorer.is_none());
    // What was said with the partner and with all others is one step.
    assert_eq!((found.steps, found.queries), (7, 8));
}

#[test]
fn a_greeting_leads_to_the_partner_the_last_talk_and_what_binds_alone() {
    let past = Past::default();
    let found = explored(&past, &envelope("Hello!"));
    assert_eq!(past.lenses_asked(), [Lens::Relational, Lens::Historical, Lens::Constraint]);
    assert_eq!(
        past.asked()[1],
        GraphQuery::Conversations { partner_id: "nicolas".into(), keywords: vec![], limit: 5 }
    );
    assert_eq!(found.skipped.len(), 5);
}

#[test]
fn what_the_keeper_says_is_no_partnership() {
    let past = Past::default();
    let mut stimulus = envelope("Daily check of the race condition.");
    stimulus.sender = "system".into();
    stimulus.channel = Channel::System;
    let found = explored(&past, &stimulus);
    assert!(found.skipped.contains(&Lens::Relational));
    assert!(
        matches!(&past.asked()[0], GraphQuery::Conversations { partner_id, .. } if partner_id == "*")
    );
}

#[test]
fn a_vague_question_follows_the_last_talk_to_its_matter_and_from_there_to_the_rest() {
    let mut past = Past::default();
    past.exchange(
        40,
        "nicolas",
        "2024-11-20T16:30:00Z",
        ["The race condition in the accumulator is back", "I look at it"],
    );
    matter(5, &mut past);
    let feeling = EmotionalState {
        emotion: "frustration".into(),
        context: "the same race condition again".into(),
        ..EmotionalState::default()
    };
    past.node(6, Node::Emotion(feeling), "2024-11-15T14:00:00Z");
    for (seq, path) in [(7, "engine/accumulator.py"), (8, "engine/ticks.py")] {
        let code = CodeReference { file_path: path.into(), ..CodeReference::default() };
        past.node(seq, Node::Code(code), "2024-11-15T14:00:00Z");
    }
    let found = explored(&past, &envelope("Did you figure it out?"));
    let refs = |lens: Lens| found.found.get(&lens).cloned().unwrap_or_default();
    assert_eq!(refs(Lens::Historical)[0], MemoryRef::Passage { seq: 40, part: 0 });
    assert_eq!(refs(Lens::Technical), [MemoryRef::Node { seq: 5 }], "by the topic of the talk");
    assert_eq!(refs(Lens::Emotional), [MemoryRef::Node { seq: 6 }], "by the kind of the matter");
    assert_eq!(refs(Lens::Connective).len(), 2, "by the files of the matter");
    assert!(found.queries <= QUERIES_MAX && found.steps <= STEPS_MAX);
    let asked = past.asked();
    assert_eq!(asked.iter().filter(|q| matches!(q, GraphQuery::RelatedCode { .. })).count(), 2);
}

#[test]
fn a_lens_looks_again_only_with_another_lead_and_twice_at_most() {
    let mut past = Past::default();
    matter(5, &mut past);
    let found = explored(&past, &envelope("The race condition is back and the tests are red."));
    let asked = past.asked();
    let mut distinct = asked.clone();
    distinct.dedup();
    assert_eq!(distinct, asked, "nothing is asked twice");
    for lens in Lens::ALL {
        let tries = past.lenses_asked().iter().filter(|asked| **asked == lens).count();
        assert!(tries <= 3, "{lens:?}: {tries}");
    }
    assert!(found.queries <= QUERIES_MAX && found.steps <= STEPS_MAX, "{found:?}");
}

#[test]
fn twelve_steps_are_the_end_even_with_gaps_open() {
    let mut past = Past::default();
    // Everything leads on, and nothing fills the gaps behind it.
    matter(5, &mut past);
    let talk = ConversationMemory { topic: "race".into(), ..ConversationMemory::default() };
    past.node(4, Node::Conversation(talk), "2024-11-15T14:00:00Z");
    let stimulus = envelope("Did a.rs, b.rs and c.rs race?");
    let found = explored(&past, &stimulus);
    assert!(found.steps <= STEPS_MAX && found.queries <= QUERIES_MAX, "{found:?}");
    assert!(found.queries > found.steps, "files are asked for together");
}

#[test]
fn half_a_second_is_the_end_and_what_was_not_reached_is_said_to_be_skipped() {
    for (millis, queries) in [(1_000, 1), (200, 3), (100, 5)] {
        let past = Past { delay: Duration::from_millis(millis), ..Past::default() };
        let found = explored(&past, &envelope("The race condition is back and the tests are red."));
        assert_eq!(found.queries, queries, "{millis} ms a query");
        assert!(found.skipped.contains(&Lens::Constraint));
        assert!(!found.empty().any(|lens| lens == Lens::Constraint), "not reached is not empty");
    }
}

#[test]
fn a_lens_that_could_not_look_is_failed_and_never_empty() {
    let past = Past { failing: Lens::ALL.to_vec(), ..Past::default() };
    let found = explored(&past, &envelope("The race condition is back and the tests are red."));
    assert!(found.empty().next().is_none(), "{found:?}");
    assert_eq!(found.failed.len() + found.skipped.len(), 8);
    assert_eq!(found.steps, 7, "a failed lens is not asked again");
}

/// Steers by a list; then it is done or stuck.
#[derive(Debug)]
struct Listed {
    steps: Mutex<Vec<Result<ExplorerStep, String>>>,
}

impl Explorer for Listed {
    fn name(&self) -> String {
        "model test".into()
    }

    fn decide<'a>(&'a self, _: &'a ExplorationProgress<'a>) -> BoxFuture<'a, ExplorerDecision> {
        let step = self.steps.lock().unwrap().pop().unwrap_or(Ok(ExplorerStep::Crystallize));
        let usage = Some(UsageRecord { output_tokens: 5, ..UsageRecord::default() });
        async move { ExplorerDecision { step, usage } }.boxed()
    }
}

fn steered(
    past: &Past,
    steps: Vec<Result<ExplorerStep, String>>,
) -> abide_domain::event::Exploration {
    let explorer = Listed { steps: Mutex::new(steps.into_iter().rev().collect()) };
    let (stimulus, pace) =
        (envelope("The race condition is back, again."), ExplorationPace::of(&past.clock));
    explore(&stimulus, past, &pace, Some(&explorer)).now_or_never().expect("no wait")
}

fn partnership() -> ExplorerStep {
    ExplorerStep::Ask(GraphQuery::Partnerships { partner_id: "nicolas".into() })
}

#[test]
fn an_explorer_that_crystallises_is_believed() {
    let mut past = Past::default();
    let with = Partnership { partner_name: "nicolas".into(), ..Partnership::default() };
    past.node(3, Node::Partnership(with), "2024-11-15T14:00:00Z");
    let found = steered(&past, vec![Ok(partnership())]);
    assert_eq!(found.explorer.as_deref(), Some("model test"));
    assert_eq!((found.steps, found.skipped.len()), (1, 7));
    assert_eq!(found.usage.unwrap().output_tokens, 10, "two decisions");
}

#[test]
fn an_explorer_that_is_stuck_hands_over_to_the_plan_and_that_is_said() {
    for (steps, said) in [
        (vec![Err("not JSON".to_owned())], "model test, then the plan: not JSON"),
        (
            vec![Ok(partnership()), Ok(partnership())],
            "model test, then the plan: it repeated a query",
        ),
    ] {
        let past = Past::default();
        let found = steered(&past, steps);
        assert_eq!(found.explorer.as_deref(), Some(said));
        assert_eq!(found.skipped, [Lens::Connective], "the plan looked through the rest");
        let partnerships = past.lenses_asked().iter().filter(|l| **l == Lens::Relational).count();
        assert_eq!(partnerships, 1, "what was asked is not asked again");
    }
}

#[test]
fn an_explorer_that_never_ends_is_stopped() {
    let past = Past::default();
    let ask = |n: usize| {
        let keywords = vec![format!("word{n}")];
        Ok(ExplorerStep::Ask(GraphQuery::Conversations {
            partner_id: "*".into(),
            keywords,
            limit: 1,
        }))
    };
    let found = steered(&past, (0..50).map(ask).collect());
    assert_eq!(found.steps, STEPS_MAX);
}
