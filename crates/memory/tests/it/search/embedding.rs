//! Vectors for what has none: in steps, begun again after a failure, and anew for another model.

use std::sync::Mutex;

use abide_memory::{
    EMBEDDED_AT_ONCE, EmbedMissingError, Embedder, EmbedderError, Knowledge, KnowledgeHandle,
    VectorKind, VectorModel, embed_missing,
};
use futures_util::{
    FutureExt as _,
    future::{BoxFuture, ready},
};

use crate::world::{World, fact_id, felix};

/// Embeds a text as its length, and fails in one of its steps.
#[derive(Debug)]
struct Lengths {
    id: &'static str,
    fails_at: Option<usize>,
    /// Vectors too few in each answer.
    withheld: usize,
    /// Texts of each step so far.
    steps: Mutex<Vec<usize>>,
}

impl Lengths {
    fn new(id: &'static str) -> Self {
        Self { id, fails_at: None, withheld: 0, steps: Mutex::default() }
    }

    fn steps(&self) -> Vec<usize> {
        self.steps.lock().unwrap().clone()
    }
}

impl Embedder for Lengths {
    fn model(&self) -> VectorModel {
        let name = "lengths".to_owned();
        VectorModel { name, id: self.id.to_owned(), dimensions: 2, kind: VectorKind::Static }
    }

    fn embed<'a>(
        &'a self,
        texts: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedderError>> {
        let mut steps = self.steps.lock().unwrap();
        steps.push(texts.len());
        let failed = self.fails_at == Some(steps.len());
        let length = |text: &str| f32::from(u16::try_from(text.len()).unwrap());
        let vectors = texts.iter().skip(self.withheld).map(|text| vec![1.0, length(text)]);
        let error = EmbedderError {
            model: "lengths".to_owned(),
            message: "gone for lunch".to_owned(),
            is_passing: true,
        };
        ready(if failed { Err(error) } else { Ok(vectors.collect()) }).boxed()
    }
}

/// A memory of so many facts.
fn knowing(facts: u64) -> KnowledgeHandle {
    let mut world = World::default();
    for n in 1..=facts {
        world.remember(None, fact_id(n), &format!("fact number {n}"));
    }
    let mut knowledge = Knowledge::in_memory(&felix()).unwrap();
    knowledge.apply(&world.applied()).unwrap();
    KnowledgeHandle::new(knowledge).unwrap()
}

/// Runs to the end, which comes without waiting, and returns what was told.
fn run(
    knowledge: &KnowledgeHandle,
    embedder: &Lengths,
) -> (Result<u64, EmbedMissingError>, Vec<(u64, u64)>) {
    let mut told = Vec::new();
    let given = embed_missing(knowledge, embedder, |step| told.push((step.done, step.total)))
        .now_or_never()
        .expect("nothing to wait for");
    (given, told)
}

#[test]
fn every_text_gets_a_vector_once() {
    let knowledge = knowing(150);
    let embedder = Lengths::new("a");
    let (given, told) = run(&knowledge, &embedder);
    assert_eq!(given.unwrap(), 150);
    assert_eq!(embedder.steps(), [EMBEDDED_AT_ONCE, EMBEDDED_AT_ONCE, 150 - 2 * EMBEDDED_AT_ONCE]);
    assert_eq!(told, [(64, 150), (128, 150), (150, 150)]);
    let (again, told) = run(&knowledge, &embedder);
    assert_eq!((again.unwrap(), told.len(), embedder.steps().len()), (0, 0, 3));
}

#[test]
fn a_failure_loses_no_vector_that_was_given() {
    let knowledge = knowing(150);
    let failing = Lengths { fails_at: Some(2), ..Lengths::new("a") };
    assert!(matches!(run(&knowledge, &failing).0, Err(EmbedMissingError::Embedder(_))));
    let (given, told) = run(&knowledge, &Lengths::new("a"));
    assert_eq!((given.unwrap(), told.last()), (86, Some(&(150, 150))));
}

#[test]
fn another_model_begins_anew() {
    let knowledge = knowing(70);
    run(&knowledge, &Lengths::new("a")).0.unwrap();
    let (given, told) = run(&knowledge, &Lengths::new("b"));
    assert_eq!((given.unwrap(), told), (70, vec![(64, 70), (70, 70)]));
    assert_eq!(knowledge.embedding_state().unwrap().model.as_deref(), Some("b"));
}

#[test]
fn an_embedder_that_gives_too_few_vectors_gives_none() {
    let knowledge = knowing(3);
    let sparing = Lengths { withheld: 1, ..Lengths::new("a") };
    let error = run(&knowledge, &sparing).0.unwrap_err();
    assert_eq!(error.to_string(), "cannot embed with lengths: it returned 2 vectors for 3 texts");
    assert_eq!(knowledge.embedding_state().unwrap().done, 0);
}
