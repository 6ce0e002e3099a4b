//! Embedders: they turn texts into vectors whose angles measure how similar the texts are.
//!
//! Three kinds behind one type: a static table (a look-up and a mean, always affordable), a small transformer (better and
//! a thousand times slower), and any endpoint with OpenAI's `/embeddings`. Weights are read when the first text
//! comes, never at the start, and never without their hash. Nothing here decides which embedder is used, keeps a vector,
//! or compares two.
//!
//! Reading order: this file; `weights` (a folder of weights) and `tensors` (the file in it); `added` and the two
//! tokenizers, `bpe` and `wordpiece`; then the three kinds, `static_table`, `transformer` and `endpoint`.

mod added;
mod bpe;
mod endpoint;
mod error;
mod lazy_value;
mod static_table;
mod tensors;
mod transformer;
mod vector;
mod vocabulary;
mod weights;
mod wordpiece;

use std::{path::Path, sync::Arc};

use abide_http::Client;

use self::{
    endpoint::Endpoint, lazy_value::LazyValue, static_table::StaticTable, transformer::Transformer,
    weights::WeightsFolder,
};
pub use self::{
    endpoint::{BATCH_CHARS_MAX, BATCH_TEXTS_MAX, TEXT_CHARS_MAX},
    error::EmbedError,
    vector::EmbeddingModel,
    weights::{SUMS_FILE, TENSORS_FILE, TOKENIZER_FILE, WeightsError, sha256_of, sums_line},
};
use crate::ModelSettings;

/// Texts that a static table embeds before it lets other tasks run: about a millisecond of work.
const STATIC_TEXTS_A_YIELD: usize = 32;

/// The embedders whose weights lie on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalEmbedder {
    /// A static table of 32,000 tokens (WordLlama, MIT).
    WordLlama,
    /// A transformer of six layers (all-MiniLM-L6-v2, Apache-2.0).
    MiniLm,
}

impl LocalEmbedder {
    /// Both.
    pub const ALL: [Self; 2] = [Self::WordLlama, Self::MiniLm];

    /// As it is configured and pulled; its weights' folder has the same name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WordLlama => "wordllama",
            Self::MiniLm => "minilm",
        }
    }

    /// The embedder of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|embedder| embedder.as_str() == name)
    }
}

/// An embedder. A cheap clone that shares its weights.
#[derive(Clone, Debug)]
pub struct Embeddings {
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Static(Arc<LocalWeights<StaticTable>>),
    Transformer(Arc<LocalWeights<Transformer>>),
    Endpoint(Arc<Endpoint>),
}

/// Weights that are read when they are first needed.
#[derive(Debug)]
struct LocalWeights<T> {
    model: EmbeddingModel,
    folder: WeightsFolder,
    loaded: LazyValue<T>,
}

impl<T> LocalWeights<T> {
    fn new(name: &str, folder: WeightsFolder, dimensions: usize) -> Result<Self, WeightsError> {
        let digest = folder.digest()?;
        let beginning = digest.get(..16).unwrap_or(&digest);
        let model =
            EmbeddingModel { name: name.to_owned(), id: format!("{name}-{beginning}"), dimensions };
        Ok(Self { model, folder, loaded: LazyValue::default() })
    }

    fn get(
        &self,
        load: impl FnOnce(&WeightsFolder) -> Result<T, WeightsError>,
    ) -> Result<&T, WeightsError> {
        self.loaded.get_or_try(|| load(&self.folder))
    }
}

impl Embeddings {
    /// An embedder over the weights in a folder. Reads no weights yet: only that they are there, how wide they are, and
    /// which they are.
    pub fn load(folder: &Path, embedder: LocalEmbedder) -> Result<Self, WeightsError> {
        let folder = WeightsFolder::open(folder)?;
        let kind = match embedder {
            LocalEmbedder::WordLlama => {
                let dimensions = folder.width_of(static_table::TABLE)?;
                let name = format!("wordllama-{dimensions}");
                Kind::Static(Arc::new(LocalWeights::new(&name, folder, dimensions)?))
            }
            LocalEmbedder::MiniLm => {
                let dimensions = folder.width_of(transformer::WORDS)?;
                Kind::Transformer(Arc::new(LocalWeights::new("minilm-l6", folder, dimensions)?))
            }
        };
        Ok(Self { kind })
    }

    /// An embedder at an endpoint with OpenAI's `/embeddings`: address, model name, key and retries are those of
    /// the settings. Sends nothing yet.
    pub fn endpoint(settings: ModelSettings, http: Client) -> Self {
        Self { kind: Kind::Endpoint(Arc::new(Endpoint::new(settings, http))) }
    }

    /// Which model it is.
    pub fn model(&self) -> &EmbeddingModel {
        match &self.kind {
            Kind::Static(local) => &local.model,
            Kind::Transformer(local) => &local.model,
            Kind::Endpoint(endpoint) => endpoint.model(),
        }
    }

    /// One vector a text, in the texts' order, each of length one; of a blank text all zeros.
    ///
    /// The first texts wait for the weights to be read (tens of milliseconds). Dropping the future leaves at most one
    /// batch of work behind.
    pub async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        match &self.kind {
            Kind::Static(local) => embed_static(local, texts).await,
            Kind::Transformer(local) => embed_by_transformer(local, texts).await,
            Kind::Endpoint(endpoint) => endpoint.embed(texts).await,
        }
    }
}

async fn embed_static(
    local: &Arc<LocalWeights<StaticTable>>,
    texts: &[&str],
) -> Result<Vec<Vec<f32>>, EmbedError> {
    if local.loaded.get().is_none() {
        let local = Arc::clone(local);
        let name = local.model.name.clone();
        run_blocking(&name, move || Ok(local.get(StaticTable::load).map(drop)?)).await?;
    }
    let table = local.get(StaticTable::load)?;
    let mut vectors = Vec::with_capacity(texts.len());
    for some in texts.chunks(STATIC_TEXTS_A_YIELD) {
        if !vectors.is_empty() {
            tokio::task::yield_now().await;
        }
        vectors.extend(some.iter().map(|text| table.embed(text)));
    }
    Ok(vectors)
}

async fn embed_by_transformer(
    local: &Arc<LocalWeights<Transformer>>,
    texts: &[&str],
) -> Result<Vec<Vec<f32>>, EmbedError> {
    let mut vectors = Vec::with_capacity(texts.len());
    for some in texts.chunks(transformer::BATCH_TEXTS_MAX) {
        let (weights, name) = (Arc::clone(local), &local.model.name);
        let some: Vec<String> = some.iter().map(|&text| text.to_owned()).collect();
        let work = move || Ok(weights.get(Transformer::load)?.embed(&some)?);
        vectors.extend(run_blocking(name, work).await?);
    }
    Ok(vectors)
}

/// Runs long work on a blocking thread, so that other tasks go on.
async fn run_blocking<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> Result<T, EmbedError> + Send + 'static,
) -> Result<T, EmbedError> {
    let stopped = |_| EmbedError::Stopped { model: name.to_owned() };
    tokio::task::spawn_blocking(work).await.map_err(stopped)?
}
