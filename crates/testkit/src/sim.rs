//! The simulator: whole keepers in one thread, from one seed, with everything that can go wrong going wrong.
//!
//! Time is tokio's paused time, ids and choices come from the seed, the disk is a model that loses what was not synced,
//! tears what was being written, and fails. Keepers are killed at random moments and started again on what is left; a
//! last one runs undisturbed to the end. After each life and at the end the laws are checked against the ledger and
//! against what the outside saw: which stimuli were acknowledged, and how often each tool really ran.
//!
//! A seed replays exactly: the same seed gives the same ledger, byte for byte, and a failure names its seed.
//!
//! Reading order: [`run`] here, `life` (one keeper from start to death), `script` (the mind), `props` (the tools), `laws`, `society` (those of
//! notes, words and wakes).

use std::{sync::Arc, time::Duration};

use abide_domain::Timestamp;
use abide_engine::Blobs;
use abide_ledger::storage::fault::FaultStorage;

mod laws;
mod life;
mod props;
mod script;
mod society;

use self::{
    laws::LawError,
    life::{Life, Outside},
};
use crate::{SeededIds, SplitMix64, TokioClock, rig::World};

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

/// A law that did not hold, and where to look.
#[derive(Debug)]
pub struct Failure {
    /// The seed that replays it.
    pub seed: u64,
    /// Which life, from 1; the last one is the undisturbed one.
    pub life: u64,
    /// What did not hold.
    pub broken: String,
}

/// What outlives a keeper.
pub(crate) struct Stage {
    pub(crate) storage: Arc<FaultStorage>,
    pub(crate) clock: TokioClock,
    pub(crate) ids: Arc<SeededIds>,
    pub(crate) blobs: Blobs,
    pub(crate) world: Arc<World>,
    pub(crate) outside: Outside,
    pub(crate) rng: SplitMix64,
    pub(crate) seed: u64,
    /// Where the logs of `\stdout` lie.
    pub(crate) logs: tempfile::TempDir,
}

/// 2026-11-27T22:10:03Z: runs begin near the end of a day, so that some cross midnight.
const START: Timestamp = Timestamp::from_micros(1_795_817_403_000_000);

/// Runs one seed in a runtime of its own.
pub fn run(seed: u64, plan: SimPlan) -> Result<SimOutcome, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .map_err(|error| Failure { seed, life: 0, broken: error.to_string() })?;
    runtime.block_on(async {
        let mut stage = Stage {
            storage: Arc::new(FaultStorage::new(seed)),
            clock: TokioClock::new(START),
            ids: Arc::new(SeededIds::new(seed)),
            blobs: Blobs::memory(),
            world: Arc::default(),
            outside: Outside::default(),
            rng: SplitMix64::new(seed),
            seed,
            logs: tempfile::tempdir().map_err(|error| Failure {
                seed,
                life: 0,
                broken: error.to_string(),
            })?,
        };
        let mut number = 1;
        let fail = |life, broken: LawError| Failure { seed, life, broken: broken.to_string() };
        while number <= plan.lives {
            Life::disturbed(&mut stage, plan).await.map_err(|broken| fail(number, broken))?;
            laws::after_death(&stage).map_err(|broken| fail(number, broken))?;
            number += 1;
        }
        let house = Life::undisturbed(&mut stage).await.map_err(|broken| fail(number, broken))?;
        laws::at_the_end(&stage, &house).map_err(|broken| fail(number, broken))
    })
}
