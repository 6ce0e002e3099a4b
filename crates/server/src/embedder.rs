//! The embedder of the configuration in memory's role.
//!
//! Memory names no model and `models` knows no memory; this is where they meet.

use abide_memory::{Embedder, EmbedderError, VectorKind, VectorModel};
use abide_models::{EmbedError as ModelError, Embeddings};
use futures_util::future::BoxFuture;

/// A model that makes vectors for memory.
#[derive(Clone, Debug)]
pub(crate) struct ModelEmbedder {
    embeddings: Embeddings,
    kind: VectorKind,
}

impl ModelEmbedder {
    /// Takes an embedder into memory's service.
    pub(crate) const fn new(embeddings: Embeddings, kind: VectorKind) -> Self {
        Self { embeddings, kind }
    }
}

impl Embedder for ModelEmbedder {
    fn model(&self) -> VectorModel {
        let model = self.embeddings.model();
        VectorModel {
            name: model.name.clone(),
            id: model.id.clone(),
            dimensions: model.dimensions,
            kind: self.kind,
        }
    }

    fn embed<'a>(
        &'a self,
        texts: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedderError>> {
        Box::pin(
            async move { self.embeddings.embed(texts).await.map_err(|error| self.fault(&error)) },
        )
    }
}

impl ModelEmbedder {
    fn fault(&self, error: &ModelError) -> EmbedderError {
        EmbedderError {
            model: self.embeddings.model().name.clone(),
            message: error.to_string(),
            is_passing: matches!(error, ModelError::Unavailable { .. }),
        }
    }
}
