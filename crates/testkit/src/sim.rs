//! The simulator: whole keepers in one thread, from one seed, with everything that can go wrong going wrong.
//!
//! Time is tokio's paused time, ids and choices come from the seed, the disk is a model that loses what was not synced,
//! tears what was being written, and fails. Keepers are killed at random moments and started again on what is left; a
//! last one runs undisturbed to the end. After each life and at the end the laws are checked against the ledger and
//! against what the outside saw: which stimuli were acknowledged, and how often each tool really ran.
//!
//! A seed replays exactly: the same seed gives the same ledger, byte for byte, and a failure names its seed.
//!
//! Reading order: [`run`] here, `environment` (what outlives a keeper), `keeper` (one from start to death), `script` (the
//! mind), `tools`, `laws`, `spawned` (those of notes, words and wakes).

use std::sync::Arc;

use abide_domain::Timestamp;
use abide_engine::{Blobs, snapshot::Snapshots};
use abide_ledger::storage::fault::FaultStorage;

mod environment;
mod keeper;
mod law_error;
mod laws;
mod script;
mod spawned;
mod tools;

pub use self::environment::{SimOutcome, SimPlan};
use self::{
    environment::{OutsideView, SimEnvironment},
    keeper::SimulatedKeeper,
    law_error::LawError,
};
use crate::{SeededIds, SplitMix64, TokioClock};

/// A law that did not hold, and where to look.
#[derive(Debug)]
pub struct BrokenLaw {
    /// The seed that replays it.
    pub seed: u64,
    /// Which life, from 1; the last one is the undisturbed one.
    pub life: u64,
    /// What did not hold.
    pub broken: String,
}

/// 2026-11-27T22:10:03Z: runs begin near the end of a day, so that some cross midnight.
const START: Timestamp = Timestamp::from_micros(1_795_817_403_000_000);

/// Runs one seed in a runtime of its own.
pub fn run(seed: u64, plan: SimPlan) -> Result<SimOutcome, BrokenLaw> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .map_err(|error| BrokenLaw { seed, life: 0, broken: error.to_string() })?;
    runtime.block_on(async {
        let storage = Arc::new(FaultStorage::new(seed));
        let snapshot_disk = Arc::new(FaultStorage::new(seed));
        let mut stage = SimEnvironment {
            snapshots: Snapshots::new(snapshot_disk.clone()),
            snapshot_disk,
            storage,
            clock: TokioClock::new(START),
            ids: Arc::new(SeededIds::new(seed)),
            blobs: Blobs::memory(),
            world: Arc::default(),
            outside: OutsideView::default(),
            rng: SplitMix64::new(seed),
            seed,
            logs: tempfile::tempdir().map_err(|error| BrokenLaw {
                seed,
                life: 0,
                broken: error.to_string(),
            })?,
        };
        let mut number = 1;
        let fail = |life, broken: LawError| BrokenLaw { seed, life, broken: broken.to_string() };
        while number <= plan.lives {
            SimulatedKeeper::disturbed(&mut stage, plan)
                .await
                .map_err(|broken| fail(number, broken))?;
            laws::after_death(&stage).map_err(|broken| fail(number, broken))?;
            number += 1;
        }
        let house = SimulatedKeeper::undisturbed(&mut stage)
            .await
            .map_err(|broken| fail(number, broken))?;
        laws::at_the_end(&stage, &house).map_err(|broken| fail(number, broken))
    })
}
