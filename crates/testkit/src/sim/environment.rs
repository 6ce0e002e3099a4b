//! How much happens in a run, what outlives each keeper of it, and what the run came to.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use abide_domain::EpochId;
use abide_engine::{Blobs, snapshot::Snapshots};
use abide_ledger::storage::fault::FaultStorage;

use crate::{SeededIds, SplitMix64, TokioClock, rig::ToolRuns};

/// How much happens in a run.
#[derive(Clone, Copy, Debug)]
pub struct SimPlan {
    /// Keepers that are killed before the last one runs to the end.
    pub lives: u64,
    /// Stimuli that are sent in each life.
    pub stimuli: u64,
    /// The longest a life lasts, in simulated time.
    pub life_max: Duration,
}

impl Default for SimPlan {
    fn default() -> Self {
        Self { lives: 6, stimuli: 12, life_max: Duration::from_secs(400) }
    }
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimOutcome {
    /// The seed.
    pub seed: u64,
    /// Events in the ledger at the end.
    pub events: u64,
    /// Stimuli that were acknowledged.
    pub acknowledged: usize,
    /// Epochs that ended with a reply.
    pub committed: usize,
    /// Sleeps that ended.
    pub sleeps: usize,
    /// Notes in the agents' logs.
    pub notes: usize,
    /// Messages between agents that were delivered.
    pub said: usize,
    /// Wakes that fired.
    pub woken: usize,
    /// Calls of the world tool whose outcome nobody knows.
    pub unknown: usize,
    /// The last chain value of the ledger: equal for equal runs.
    pub chain: String,
}

/// What outlives a keeper.
pub(crate) struct SimEnvironment {
    pub(crate) storage: Arc<FaultStorage>,
    pub(crate) clock: TokioClock,
    pub(crate) ids: Arc<SeededIds>,
    pub(crate) blobs: Blobs,
    pub(crate) world: Arc<ToolRuns>,
    pub(crate) outside: OutsideView,
    pub(crate) rng: SplitMix64,
    pub(crate) seed: u64,
    /// Where the logs of `\stdout` lie.
    pub(crate) logs: tempfile::TempDir,
    /// Snapshots of the state.
    pub(crate) snapshots: Snapshots,
    /// Their disk: it has as many bytes as maps happen to be written in, so it must not fill the ledger's.
    pub(crate) snapshot_disk: Arc<FaultStorage>,
}

/// What the outside saw: the half of the truth that no keeper can take back.
#[derive(Clone, Debug, Default)]
pub(crate) struct OutsideView {
    /// Stimuli that were acknowledged, by number.
    pub(crate) acknowledged: BTreeMap<u64, EpochId>,
    /// Stimuli that were sent and never answered: their sender tries again.
    pub(crate) unanswered: Vec<u64>,
    pub(super) sent: u64,
}
