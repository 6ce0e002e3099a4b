//! The embedders whose weights lie on this machine, asked from code that waits.
//!
//! Where there are none, or they cannot be used, that is said and the rows that need them are left out.

use std::{fmt, path::Path};

use abide_memory::{VectorKind, VectorModel};
use abide_models::{Embeddings, LocalEmbedder};
use tokio::runtime::Runtime;

use crate::error::BenchError;

/// Texts that are embedded before the next word about it.
const TEXTS_A_WORD: usize = 1_024;

/// Turns texts into vectors.
pub(super) trait Embed: fmt::Debug {
    /// For tables.
    fn name(&self) -> &str;
    /// How much its vectors are trusted.
    fn kind(&self) -> VectorKind;
    /// Which model it is, as a memory knows it.
    fn model(&self) -> VectorModel;
    /// One vector a text.
    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, BenchError>;
}

/// Weights on this machine.
#[derive(Debug)]
struct Local<'a> {
    runtime: &'a Runtime,
    embeddings: Embeddings,
    kind: VectorKind,
}

impl Embed for Local<'_> {
    fn name(&self) -> &str {
        &self.embeddings.model().name
    }

    fn kind(&self) -> VectorKind {
        self.kind
    }

    fn model(&self) -> VectorModel {
        let model = self.embeddings.model();
        VectorModel {
            name: model.name.clone(),
            id: model.id.clone(),
            dimensions: model.dimensions,
            kind: self.kind,
        }
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, BenchError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for some in texts.chunks(TEXTS_A_WORD) {
            let some: Vec<&str> = some.iter().map(String::as_str).collect();
            let found = self.runtime.block_on(self.embeddings.embed(&some));
            vectors.extend(found.map_err(BenchError::of("embed texts"))?);
        }
        Ok(vectors)
    }
}

/// The embedders below a folder, and why each other one is absent.
pub(super) fn found<'a>(
    runtime: &'a Runtime,
    models: Option<&Path>,
) -> (Vec<Box<dyn Embed + 'a>>, Vec<String>) {
    let (mut present, mut absent) = (Vec::<Box<dyn Embed>>::new(), Vec::new());
    for embedder in LocalEmbedder::ALL {
        let name = embedder.as_str();
        let Some(models) = models else {
            absent.push(format!("no rows with {name}: no folder of weights was named"));
            continue;
        };
        match Embeddings::load(&models.join(name), embedder) {
            Ok(embeddings) => {
                let kind = match embedder {
                    LocalEmbedder::WordLlama => VectorKind::Static,
                    LocalEmbedder::MiniLm => VectorKind::Contextual,
                };
                present.push(Box::new(Local { runtime, embeddings, kind }));
            }
            Err(why) => absent.push(format!("no rows with {name}: {why}")),
        }
    }
    (present, absent)
}
