//! What an agent brings to each of its sessions: who it is, how its state is made, its callbacks and its handler.

use abide_domain::AgentId;
use abide_wire::{EvolutionResult, Metrics, Secret};

use crate::{open_turn::TurnHandler, state::StateError};

/// The agent and run that `hello` names.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) agent: AgentId,
    pub(crate) run: String,
    pub(crate) token: Option<Secret>,
}

type OnHotReload = dyn FnMut(&str, &str) -> Result<(), StateError> + Send;
type OnMetrics<S> = dyn FnMut(&S, &mut Metrics) + Send;
type OnEvolutionResult = dyn FnMut(&EvolutionResult) + Send;

/// The callbacks that the author has set.
pub(crate) struct Callbacks<S> {
    pub(crate) hot_reload: Option<Box<OnHotReload>>,
    pub(crate) metrics: Option<Box<OnMetrics<S>>>,
    pub(crate) evolution_result: Option<Box<OnEvolutionResult>>,
}

impl<S> Default for Callbacks<S> {
    fn default() -> Self {
        Self { hot_reload: None, metrics: None, evolution_result: None }
    }
}

/// What a session is made of beside its link.
pub(crate) struct SessionSetup<'a, S> {
    pub(crate) identity: &'a Identity,
    pub(crate) make: &'a (dyn Fn() -> S + Send + Sync),
    pub(crate) callbacks: &'a mut Callbacks<S>,
    pub(crate) handler: &'a mut TurnHandler<S>,
}
