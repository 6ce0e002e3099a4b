//! What answers a turn: a model, or the reflex. The same code in the keeper and in an agent's own process, so the answer
//! does not depend on where it runs.

use abide_domain::turn::{MindError, Thought, TurnRequest, Usage};

use crate::{Model, ReplyDelta, reflex};

/// A model or the reflex, ready to be asked.
#[derive(Debug)]
pub enum Reasoner {
    /// No model at all.
    Reflex,
    /// A provider's model.
    Model(Box<Model>),
}

impl Reasoner {
    /// A short name for people and logs: `reflex`, or `model` and the model's.
    pub fn name(&self) -> String {
        match self {
            Self::Reflex => "reflex".into(),
            Self::Model(model) => format!("model {}", model.settings().name),
        }
    }

    /// What so many tokens of its model cost; none without a model.
    pub fn price(&self, input_tokens: u64, output_tokens: u64) -> Option<Usage> {
        match self {
            Self::Reflex => None,
            Self::Model(model) => Some(model.price(input_tokens, output_tokens)),
        }
    }

    /// Answers one turn. Pieces of the answer go to `on_delta` as they come.
    pub async fn think(
        &self,
        request: &TurnRequest,
        on_delta: &(dyn Fn(ReplyDelta) + Send + Sync),
    ) -> Result<Thought, MindError> {
        match self {
            // No model was asked, so the cost is known: nothing.
            Self::Reflex => Ok(Thought::new(
                reflex(request),
                Usage { cost_microusd: Some(0), ..Usage::default() },
            )),
            Self::Model(model) => model.ask(request, on_delta).await,
        }
    }
}
