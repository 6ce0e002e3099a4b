//! The nursery: takes agents in that others brought into being (`\spawn`), at once and after each start.
//!
//! It reads from the house who they are, so that nothing about them stands anywhere but in the ledger. It must never give one
//! a process, or a model that its maker does not think with.

use std::{collections::BTreeSet, time::Duration};

use abide_domain::{AgentId, EntityName};
use abide_engine::{Keeper, Lane, keeper::StartError, state::SpawnedAgent};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{
    config::AgentSection,
    crew::{CrewError, Outfitter, Own},
    minds::{Chosen, MindError, Minds, Thinker},
};

/// Between two tries where something cannot be made: a folder, or a line on a disk that is full.
const TRY_AGAIN: Duration = Duration::from_secs(30);

/// What agents are taken in with.
#[derive(Debug)]
pub(super) struct Nursery {
    minds: Minds,
    outfitter: Outfitter,
}

/// Says why an agent cannot be taken in.
#[derive(Debug, thiserror::Error)]
enum NurseryError {
    /// Nobody of the configuration stands at the beginning of its line.
    #[error("its maker {0} is not in the configuration any more")]
    NoMaker(EntityName),
    /// Its mind cannot be made.
    #[error(transparent)]
    Mind(#[from] MindError),
    /// It cannot be put together.
    #[error(transparent)]
    Crew(#[from] CrewError),
    /// The house cannot take it up.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A thread ended.
    #[error("it could not be waited for")]
    Thread(#[from] tokio::task::JoinError),
}

impl Nursery {
    pub(super) fn new(minds: Minds, outfitter: Outfitter) -> Self {
        Self { minds, outfitter }
    }

    /// Follows the house until told to stop; lanes of newcomers go to whoever runs lanes.
    pub(super) async fn run(
        self,
        keeper: Keeper,
        newborn: mpsc::Sender<Lane>,
        stop: CancellationToken,
    ) {
        let mut applications = keeper.services().view.applications();
        let mut seen = 0;
        loop {
            let count = keeper.house().society.spawned.len();
            let lanes = if count == seen { Vec::new() } else { self.take_in(&keeper).await };
            seen = count;
            for lane in lanes {
                // Nobody runs lanes any more only where the keeper stops.
                drop(newborn.send(lane).await);
            }
            let is_missing = absent(&keeper).next().is_some();
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                changed = applications.changed() => if changed.is_err() { return },
                () = tokio::time::sleep(TRY_AGAIN), if is_missing => seen = 0,
            }
        }
    }

    /// Takes in who is not there yet; who cannot be is told of, and tried again later.
    pub(super) async fn take_in(&self, keeper: &Keeper) -> Vec<Lane> {
        let mut lanes = Vec::new();
        for spawned in absent(keeper) {
            match self.raise(keeper, &spawned).await {
                Ok(lane) => lanes.extend(lane),
                Err(error) => {
                    let error: &dyn std::error::Error = &error;
                    tracing::warn!(agent = %spawned.agent.agent, error, "an agent cannot be taken in");
                }
            }
        }
        lanes
    }

    async fn raise(
        &self,
        keeper: &Keeper,
        spawned: &SpawnedAgent,
    ) -> Result<Option<Lane>, NurseryError> {
        let maker = self.maker(keeper, spawned)?;
        let (id, role) = (spawned.agent.agent.clone(), spawned.agent.role.clone());
        let (settings, chosen) = self.minds.offspring(maker, id, role)?;
        let Chosen { thinker, announcement, distiller, explorer } = chosen;
        // Neither a model nor the reflex is a process.
        let Thinker::Here(mind) = thinker else { return Ok(None) };
        tracing::info!("{announcement}");
        let own = Own { distiller: Some(distiller), explorer };
        let (outfitter, head) = (self.outfitter.clone(), keeper.ledger().head().seq);
        let outfit = move || outfitter.outfit(settings, (mind, own), head);
        let (agent, belongings) = tokio::task::spawn_blocking(outfit).await??;
        Ok(keeper.welcome(agent, belongings).await?)
    }

    /// The agent of the configuration from which a line of makers begins.
    fn maker(
        &self,
        keeper: &Keeper,
        spawned: &SpawnedAgent,
    ) -> Result<&AgentSection, NurseryError> {
        let house = keeper.house();
        let mut by = spawned.by.clone();
        let mut met = BTreeSet::new();
        loop {
            if let Some(maker) = self.minds.configured(by.bare()) {
                return Ok(maker);
            }
            let made = house.society.spawned.iter().find(|one| one.agent.agent.entity() == by);
            match made {
                Some(made) if met.insert(by.clone()) => by = made.by.clone(),
                _ => return Err(NurseryError::NoMaker(by)),
            }
        }
    }
}

/// Who was brought into being and does not live here yet.
fn absent(keeper: &Keeper) -> impl Iterator<Item = SpawnedAgent> + use<> {
    let spawned = keeper.house().society.spawned.clone();
    let mut here: BTreeSet<AgentId> = keeper.agents().iter().map(|one| one.id.clone()).collect();
    spawned.into_iter().filter(move |one| here.insert(one.agent.agent.clone()))
}
