//! Which embedder agents' memories are searched with: the configured one, and for `auto` the static table where its weights
//! are installed.
//!
//! Always announced in one line: a search by words only must not pass for one that understands them. Memory names no model
//! and `models` knows no memory; this is where they meet.

use std::{path::Path, sync::Arc};

use abide_http::{Client, Secret};
use abide_memory::{Embedder, EmbedderError, VectorKind, VectorModel};
use abide_models::{Dialect, EmbedError, Embeddings, LocalEmbedder, ModelSettings, WeightsError};
use futures_util::future::BoxFuture;

use crate::{
    config::{EmbedderKind, MemorySection},
    weights::folder_of,
};

/// The embedder that was chosen.
#[derive(Debug)]
pub(crate) struct EmbedderChoice {
    /// The embedder; none where search in memory is lexical alone.
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    /// The choice in one line, for people.
    pub(crate) announcement: String,
}

/// Chooses. An error means that the configuration names weights that cannot be used; `auto` goes on without them.
pub(crate) fn choose_embedder(
    settings: &MemorySection,
    models: &Path,
    key: Option<Secret>,
    http: &Client,
) -> Result<EmbedderChoice, WeightsError> {
    let local = |embedder| Embeddings::load(&folder_of(models, embedder), embedder);
    match settings.embedder {
        EmbedderKind::None => Ok(lexical("memory.embedder is \"none\"")),
        EmbedderKind::Auto => Ok(match local(LocalEmbedder::WordLlama) {
            Ok(embeddings) => EmbedderChoice::of(embeddings, VectorKind::Static),
            Err(WeightsError::Missing { .. }) => {
                lexical("no weights are installed; `abide model pull wordllama` fetches them")
            }
            Err(error) => lexical(&error.to_string()),
        }),
        EmbedderKind::Wordllama => {
            Ok(EmbedderChoice::of(local(LocalEmbedder::WordLlama)?, VectorKind::Static))
        }
        EmbedderKind::Minilm => {
            Ok(EmbedderChoice::of(local(LocalEmbedder::MiniLm)?, VectorKind::Contextual))
        }
        EmbedderKind::Openai => {
            let mut model = ModelSettings::new(Dialect::OpenAiChat, &settings.embedder_name);
            model.base_url.clone_from(&settings.embedder_url);
            model.api_key = key;
            Ok(EmbedderChoice::of(
                Embeddings::endpoint(model, http.clone()),
                VectorKind::Contextual,
            ))
        }
    }
}

fn lexical(why: &str) -> EmbedderChoice {
    let announcement = format!("memory search: by words only, because {why}");
    EmbedderChoice { embedder: None, announcement }
}

impl EmbedderChoice {
    fn of(embeddings: Embeddings, kind: VectorKind) -> Self {
        let announcement =
            format!("memory search: by words and by the vectors of {}", embeddings.model().name);
        Self { embedder: Some(Arc::new(ModelEmbedder { embeddings, kind })), announcement }
    }
}

/// A model that makes vectors for memory.
#[derive(Clone, Debug)]
struct ModelEmbedder {
    embeddings: Embeddings,
    kind: VectorKind,
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
        Box::pin(async move {
            self.embeddings.embed(texts).await.map_err(|error| self.memory_error(&error))
        })
    }
}

impl ModelEmbedder {
    fn memory_error(&self, error: &EmbedError) -> EmbedderError {
        EmbedderError {
            model: self.embeddings.model().name.clone(),
            message: error.to_string(),
            is_passing: matches!(error, EmbedError::Unavailable { .. }),
        }
    }
}
