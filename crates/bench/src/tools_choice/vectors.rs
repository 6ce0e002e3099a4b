//! Vectors of meaning from the table on this machine, for the choices that have them.

use std::{path::Path, sync::Arc};

use abide_domain::tool::ToolSpec;
use abide_memory::{Embedder, EmbedderError, VectorKind, VectorModel};
use abide_models::{Embeddings, LocalEmbedder};
use abide_tools::ToolMeanings;
use futures_util::future::BoxFuture;
use tokio::runtime::Runtime;

use crate::{error::BenchError, system::runtime};

/// The table, asked from code that waits.
#[derive(Debug)]
pub(super) struct Vectors {
    runtime: Runtime,
    meanings: ToolMeanings,
}

impl Vectors {
    /// The table of a folder of weights, or why there is none.
    pub(super) fn find(models: Option<&Path>) -> Result<Self, String> {
        let models = models.ok_or("no folder of weights was named")?;
        let table = LocalEmbedder::WordLlama;
        let table = Embeddings::load(&models.join(table.as_str()), table);
        let table = Table(table.map_err(|error| error.to_string())?);
        let meanings = ToolMeanings::new(Arc::new(table)).ok_or("its vectors are no table")?;
        let runtime = runtime().map_err(|error: BenchError| error.to_string())?;
        Ok(Self { runtime, meanings })
    }

    /// How like each tool is to a text.
    pub(super) fn likeness(&self, specs: &[ToolSpec], text: &str) -> Vec<f64> {
        self.runtime.block_on(self.meanings.likeness(specs, text))
    }
}

/// A table of vectors as an embedder.
#[derive(Debug)]
struct Table(Embeddings);

impl Embedder for Table {
    fn model(&self) -> VectorModel {
        let model = self.0.model();
        VectorModel {
            name: model.name.clone(),
            id: model.id.clone(),
            dimensions: model.dimensions,
            kind: VectorKind::Static,
        }
    }

    fn embed<'a>(
        &'a self,
        texts: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedderError>> {
        Box::pin(async move {
            self.0.embed(texts).await.map_err(|error| EmbedderError {
                model: self.0.model().name.clone(),
                message: error.to_string(),
                is_passing: false,
            })
        })
    }
}
