//! A mind elsewhere whose model is known here: what an attempt cost that it never told of can be estimated.

use std::sync::Arc;

use abide_domain::turn::{MindError, Thought, TurnRequest, Usage};
use abide_models::Model;
use futures_util::future::BoxFuture;

use super::{Mind, MindHost};

/// A mind with the price of its model.
#[derive(Debug)]
pub struct PricedMind {
    mind: Arc<dyn Mind>,
    model: Model,
}

impl PricedMind {
    /// Adds the price of a model. The model is asked nothing.
    pub fn new(mind: Arc<dyn Mind>, model: Model) -> Self {
        Self { mind, model }
    }
}

impl Mind for PricedMind {
    fn name(&self) -> String {
        self.mind.name()
    }

    fn works_elsewhere(&self) -> bool {
        self.mind.works_elsewhere()
    }

    fn price(&self, input_tokens: u64, output_tokens: u64) -> Option<Usage> {
        Some(self.model.price(input_tokens, output_tokens))
    }

    fn think<'a>(
        &'a self,
        request: &'a TurnRequest,
        host: &'a dyn MindHost,
    ) -> BoxFuture<'a, Result<Thought, MindError>> {
        self.mind.think(request, host)
    }
}
