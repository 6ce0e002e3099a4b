//! The mind `model`: a provider called in this process; light, for swarms.

use abide_domain::turn::{MindError, Thought, TurnRequest};
use abide_models::Model;
use futures_util::future::BoxFuture;

use super::{Delta, Desk, Mind};

/// A mind that asks a model provider.
#[derive(Debug)]
pub struct ModelMind {
    model: Model,
}

impl ModelMind {
    /// Makes a mind of a configured model.
    pub fn new(model: Model) -> Self {
        Self { model }
    }
}

impl Mind for ModelMind {
    fn name(&self) -> String {
        format!("model {}", self.model.settings().name)
    }

    fn think<'a>(
        &'a self,
        request: &'a TurnRequest,
        desk: &'a dyn Desk,
    ) -> BoxFuture<'a, Result<Thought, MindError>> {
        Box::pin(async move {
            let forward = |delta: abide_models::Delta| {
                desk.delta(Delta { text: delta.text, thought: delta.thought });
            };
            self.model.ask(request, &forward).await
        })
    }
}
