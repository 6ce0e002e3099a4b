//! Agents that agents made (`\spawn`): added to the keeper at once and after each start.
//!
//! Who they are is read from the folded ledger, so that nothing about them is stored anywhere else. A spawned agent must
//! never get a process, or a model that its maker does not think with.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use abide_domain::{AgentId, EntityName};
use abide_engine::{Keeper, Lane, keeper::StartError, state::SpawnedAgent};
use abide_memory::IdentityFileWriters;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    minds::{MindPlacement, MindSelector},
    models::MindError,
    setup::{AgentBuilder, AgentSetupError},
};
use crate::config::AgentSection;

/// Between two tries where an agent cannot be added: a folder, or an event on a disk that is full.
const RETRY_EVERY: Duration = Duration::from_secs(30);

/// Adds spawned agents to the keeper.
#[derive(Debug)]
pub(crate) struct Spawner {
    minds: Arc<MindSelector>,
    builder: AgentBuilder,
}

/// Says why an agent cannot be added.
#[derive(Debug, thiserror::Error)]
enum SpawnError {
    /// No agent of the configuration is at the beginning of its line of makers.
    #[error("its maker {0} is no longer in the configuration")]
    NoMaker(EntityName),
    /// Its mind cannot be made.
    #[error(transparent)]
    Mind(#[from] MindError),
    /// It cannot be set up.
    #[error(transparent)]
    Setup(#[from] AgentSetupError),
    /// The keeper cannot start it.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The thread that set it up ended.
    #[error("the thread that set it up ended early")]
    Thread(#[from] tokio::task::JoinError),
}

impl Spawner {
    /// Gives spawned agents minds and sets them up by these.
    pub(crate) fn new(minds: Arc<MindSelector>, builder: AgentBuilder) -> Self {
        Self { minds, builder }
    }

    /// Follows the folded ledger until told to stop; lanes of new agents are sent to `lanes`.
    pub(crate) async fn run(
        self,
        keeper: Keeper,
        lanes: mpsc::Sender<Lane>,
        stop: CancellationToken,
    ) {
        let mut applications = keeper.services().view.applications();
        let mut seen = 0;
        loop {
            let count = keeper.state().entities.spawned.len();
            let new = if count == seen { Vec::new() } else { self.add_missing(&keeper).await };
            seen = count;
            for lane in new {
                // The receiver is gone only where the keeper stops.
                drop(lanes.send(lane).await);
            }
            let is_missing = missing(&keeper).next().is_some();
            tokio::select! { biased; () = stop.cancelled() => return, changed = applications.changed() => if changed.is_err() { return }, () = tokio::time::sleep(RETRY_EVERY), if is_missing => seen = 0, }
        }
    }

    /// Adds the agents that are missing; one that cannot be added is logged, and tried again later.
    pub(crate) async fn add_missing(&self, keeper: &Keeper) -> Vec<Lane> {
        let mut lanes = Vec::new();
        for spawned in missing(keeper) {
            match self.add(keeper, &spawned).await {
                Ok(lane) => lanes.extend(lane),
                Err(error) => {
                    let error: &dyn std::error::Error = &error;
                    let agent = &spawned.agent.agent;
                    tracing::warn!(%agent, event = "spawned_agent_failed", error, "a spawned agent cannot be added; it is tried again");
                }
            }
        }
        lanes
    }

    async fn add(
        &self,
        keeper: &Keeper,
        spawned: &SpawnedAgent,
    ) -> Result<Option<Lane>, SpawnError> {
        let maker = self.maker(keeper, spawned)?;
        let (id, role) = (spawned.agent.agent.clone(), spawned.agent.role.clone());
        let (settings, choice) = self.minds.choose_for_spawned(maker, id, role)?; // Neither a model nor the reflex is a process.
        let MindPlacement::InKeeper(mind) = choice.placement else { return Ok(None) };
        let agent = settings.id.clone();
        tracing::info!(%agent, event = "mind_chosen", mind = choice.announcement, "a spawned agent has its mind");
        let (builder, head) = (self.builder.clone(), keeper.ledger().head().seq);
        let build = move || {
            builder.build(settings, (mind, choice.memory, IdentityFileWriters::People), head)
        };
        let (agent, files) = tokio::task::spawn_blocking(build).await??;
        Ok(keeper.add_agent(agent, files).await?)
    }

    /// The agent of the configuration from which a line of makers begins.
    fn maker(&self, keeper: &Keeper, spawned: &SpawnedAgent) -> Result<&AgentSection, SpawnError> {
        let state = keeper.state();
        let mut by = spawned.by.clone();
        let mut visited = BTreeSet::new();
        loop {
            if let Some(maker) = self.minds.configured(by.bare()) {
                return Ok(maker);
            }
            let made = state.entities.spawned.iter().find(|one| one.agent.agent.entity() == by);
            match made {
                Some(made) if visited.insert(by.clone()) => by = made.by.clone(),
                _ => return Err(SpawnError::NoMaker(by)),
            }
        }
    }
}

/// Agents that were spawned and that the keeper does not have yet.
fn missing(keeper: &Keeper) -> impl Iterator<Item = SpawnedAgent> + use<> {
    let spawned = keeper.state().entities.spawned.clone();
    let mut present: BTreeSet<AgentId> =
        keeper.agents().iter().map(|agent| agent.id.clone()).collect();
    spawned.into_iter().filter(move |one| present.insert(one.agent.agent.clone()))
}
