//! The minds `model` and `reflex` in the keeper itself: light, for swarms. The same code thinks in an agent's own process.

use abide_domain::turn::{MindError, Thought, TurnRequest, Usage};
use abide_models::Reasoner;
use futures_util::future::BoxFuture;

use super::{Mind, MindDelta, MindHost};

/// A mind that thinks in this process.
#[derive(Debug)]
pub struct ReasonerMind {
    reasoner: Reasoner,
}

impl ReasonerMind {
    /// Makes a mind of a model or of the reflex.
    pub fn new(reasoner: Reasoner) -> Self {
        Self { reasoner }
    }
}

impl Mind for ReasonerMind {
    fn name(&self) -> String {
        self.reasoner.name()
    }

    fn price(&self, input_tokens: u64, output_tokens: u64) -> Option<Usage> {
        self.reasoner.price(input_tokens, output_tokens)
    }

    fn think<'a>(
        &'a self,
        request: &'a TurnRequest,
        host: &'a dyn MindHost,
    ) -> BoxFuture<'a, Result<Thought, MindError>> {
        Box::pin(async move {
            let forward = |delta: abide_models::ReplyDelta| {
                host.delta(MindDelta { text: delta.text, thought: delta.thought });
            };
            self.reasoner.think(request, &forward).await
        })
    }
}
