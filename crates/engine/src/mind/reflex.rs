//! The mind `reflex`: no model at all. It recalls, quotes its sources, runs commands, and says plainly what it is.

use abide_domain::turn::{MindError, Thought, TurnRequest, Usage};
use futures_util::future::BoxFuture;

use super::{Desk, Mind};

/// A mind that works offline.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReflexMind;

impl Mind for ReflexMind {
    fn name(&self) -> String {
        "reflex".into()
    }

    fn think<'a>(
        &'a self,
        request: &'a TurnRequest,
        _desk: &'a dyn Desk,
    ) -> BoxFuture<'a, Result<Thought, MindError>> {
        let voice = abide_models::reflex(request);
        // No model was asked, so the cost is known: nothing.
        let usage = Usage { cost_microusd: Some(0), ..Usage::default() };
        Box::pin(std::future::ready(Ok(Thought { voice, usage })))
    }
}
