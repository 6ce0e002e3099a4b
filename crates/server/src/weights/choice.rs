//! Which embedder a keeper uses: what is configured, and for `auto` the static table where its weights are there.
//!
//! Always said in one line, for a search that looks for words alone must not pass for one that understands them.

use std::{path::Path, sync::Arc};

use abide_http::{Client, Secret};
use abide_memory::{Embedder, VectorKind};
use abide_models::{Dialect, Embeddings, LocalEmbedder, ModelSettings, WeightsError};

use super::folder_of;
use crate::{
    config::{EmbedderKind, MemorySection},
    embedder::ModelEmbedder,
};

/// What was chosen.
#[derive(Debug)]
pub(crate) struct Choice {
    /// The embedder; none where search in memory is lexical alone.
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    /// The choice in words.
    pub(crate) words: String,
}

/// Chooses. An error means that the configuration names weights that cannot be used; `auto` goes on without them.
pub(crate) fn choose(
    settings: &MemorySection,
    models: &Path,
    key: Option<Secret>,
    http: &Client,
) -> Result<Choice, WeightsError> {
    let local = |embedder| Embeddings::load(&folder_of(models, embedder), embedder);
    match settings.embedder {
        EmbedderKind::None => Ok(lexical("memory.embedder is \"none\"")),
        EmbedderKind::Auto => Ok(match local(LocalEmbedder::WordLlama) {
            Ok(embeddings) => Choice::of(embeddings, VectorKind::Static),
            Err(WeightsError::Missing { .. }) => {
                lexical("no weights are there; `abide model pull wordllama` fetches them")
            }
            Err(error) => lexical(&error.to_string()),
        }),
        EmbedderKind::Wordllama => {
            Ok(Choice::of(local(LocalEmbedder::WordLlama)?, VectorKind::Static))
        }
        EmbedderKind::Minilm => {
            Ok(Choice::of(local(LocalEmbedder::MiniLm)?, VectorKind::Contextual))
        }
        EmbedderKind::Openai => {
            let mut model = ModelSettings::new(Dialect::OpenAiChat, &settings.embedder_name);
            model.base_url.clone_from(&settings.embedder_url);
            model.api_key = key;
            Ok(Choice::of(Embeddings::endpoint(model, http.clone()), VectorKind::Contextual))
        }
    }
}

fn lexical(why: &str) -> Choice {
    let words = format!("search in memory goes by words alone: {why}");
    Choice { embedder: None, words }
}

impl Choice {
    fn of(embeddings: Embeddings, kind: VectorKind) -> Self {
        let words = format!("search in memory goes by words and by {}", embeddings.model().name);
        Self { embedder: Some(Arc::new(ModelEmbedder::new(embeddings, kind))), words }
    }
}
