//! Who turns texts into vectors: a role that the program fills with a local model or an endpoint.
//!
//! Memory names no model and reads no weights; without an embedder it searches by words alone. A vector belongs to a
//! passage and a model's identity, and vectors of different models are never compared. [`embed_missing`] gives vectors to
//! what has none; it can be dropped at any moment and begun again, and does no step twice.

use std::fmt::Debug;

use futures_util::future::BoxFuture;

mod model;

pub use model::VectorModel;

use crate::{KnowledgeError, KnowledgeHandle, VectorCursor};

/// Texts that are embedded in one step: a stop loses no more work than this.
pub const EMBEDDED_AT_ONCE: usize = 64;

/// Why texts could not be embedded; the caller goes on with words alone and logs it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot embed with {model}: {message}")]
pub struct EmbedderError {
    /// The model's name.
    pub model: String,
    /// The cause, in words for a person.
    pub message: String,
    /// Whether asking again later may help.
    pub is_passing: bool,
}

/// Turns texts into vectors whose angles say how much alike they are.
pub trait Embedder: Send + Sync + Debug {
    /// Which model it is.
    fn model(&self) -> VectorModel;

    /// One vector a text, in order.
    fn embed<'a>(
        &'a self,
        texts: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedderError>>;
}

/// How far [`embed_missing`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddingStep {
    /// Texts with a vector.
    pub done: u64,
    /// Texts that there are.
    pub total: u64,
}

/// Why not all texts have a vector; those that were given one keep it.
#[derive(Debug, thiserror::Error)]
pub enum EmbedMissingError {
    /// The embedder gave no vectors.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
    /// The texts could not be read, or their vectors not be kept.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
}

/// Gives a vector to each text of an agent's knowledge that has none of the embedder's model, in steps, and reports after
/// each how far it is. Returns how many it gave. What comes in meanwhile may be left to the next call.
///
/// # Errors
///
/// The first failure of the embedder or of the storage ends it; the next call goes on from there.
pub async fn embed_missing(
    knowledge: &KnowledgeHandle,
    embedder: &dyn Embedder,
    mut report: impl FnMut(EmbeddingStep),
) -> Result<u64, EmbedMissingError> {
    let mut cursor = VectorCursor::default();
    let mut given = 0;
    loop {
        let step = embed_next(knowledge, embedder, &mut cursor).await?;
        if step == 0 {
            return Ok(given);
        }
        given += step as u64;
        let state = knowledge.embedding_state()?;
        report(EmbeddingStep { done: state.done, total: state.total });
    }
}

/// Gives vectors to the next few texts behind a cursor that have none of the embedder's model, and moves the cursor past
/// them. Returns how many; 0 means that there are none for now. What it costs does not grow with what lies before the
/// cursor.
///
/// # Errors
///
/// The cursor stays where it was.
pub async fn embed_next(
    knowledge: &KnowledgeHandle,
    embedder: &dyn Embedder,
    cursor: &mut VectorCursor,
) -> Result<usize, EmbedMissingError> {
    let missing = knowledge.missing_vectors(&embedder.model().id, *cursor, EMBEDDED_AT_ONCE)?;
    if missing.is_empty() {
        return Ok(0);
    }
    let texts: Vec<&str> = missing.iter().map(|missing| missing.text.as_str()).collect();
    let vectors = embedder.embed(&texts).await?;
    let model = embedder.model();
    check_count(&model, texts.len(), vectors.len())?;
    let keyed: Vec<_> = missing.iter().map(|missing| missing.key).zip(vectors).collect();
    knowledge.put_vectors(&model, &keyed)?;
    for (key, _) in &keyed {
        cursor.pass(*key);
    }
    Ok(keyed.len())
}

/// Vectors are matched to texts by their order alone: one too few would give texts the vectors of others.
fn check_count(model: &VectorModel, texts: usize, vectors: usize) -> Result<(), EmbedderError> {
    if texts == vectors {
        return Ok(());
    }
    let message = format!("it returned {vectors} vectors for {texts} texts");
    Err(EmbedderError { model: model.name.clone(), message, is_passing: false })
}
