//! `abide bench recovery`: agents as processes that are killed, restored, asked, put to rest and woken.
//!
//! A supervisor with a ledger on the disk runs in this process; agents, their shims and what they are compared with are
//! real processes of the binary. What comes back is checked after every kill: a fast restore of something else is an error.
//!
//! Reading order: `house` (the keeper), `asking` (a turn without an engine), `bare` (a parent and a child without Abide),
//! `times`; then the questions `deaths`, `checkpoints`, `frames` and `sleepers`.

use std::{path::PathBuf, time::Duration};

use tokio::runtime::Runtime;

use crate::{
    error::BenchError, machine::Machine, report::BenchReport, scratch::Scratch, system::runtime,
};

mod asking;
mod bare;
mod checkpoints;
mod deaths;
mod frames;
mod house;
mod sleepers;
mod times;

/// How long is waited before a process is killed or started.
const SETTLE: Duration = Duration::from_millis(20);

/// How `abide bench recovery` is run.
#[derive(Clone, Debug)]
pub struct RecoveryPlan {
    /// A scratch folder is made in it, or in the nearest folder above it that exists.
    pub folder: PathBuf,
    /// The program whose hidden words are the shim and the measured children.
    pub binary: PathBuf,
    /// Slices of each kind.
    pub rounds: u32,
    /// An agent with a small state.
    pub small: Deaths,
    /// An agent with a large state, which is also what checkpoints are made of.
    pub large: Deaths,
    /// Turns of a slice of asking.
    pub frames: u32,
    /// Agents that are put to rest.
    pub sleepers: usize,
    /// Idleness after which they are: longer than the wakes of a slice take, so that no end is among them.
    pub rest_after: Duration,
}

/// How often an agent is killed, and what it has to get back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deaths {
    /// Bytes of its state, which no compressor makes smaller.
    pub bytes: usize,
    /// Kills of a slice.
    pub kills: u32,
}

impl RecoveryPlan {
    /// The usual plan, on the disk of a folder, with a program to start.
    pub fn new(folder: PathBuf, binary: PathBuf) -> Self {
        Self {
            folder,
            binary,
            rounds: 10,
            small: Deaths { bytes: 1_000_000, kills: 40 },
            large: Deaths { bytes: 100_000_000, kills: 3 },
            frames: 1_000,
            sleepers: 1_000,
            rest_after: Duration::from_secs(3),
        }
    }
}

/// What all questions share.
struct Bench<'a> {
    plan: &'a RecoveryPlan,
    scratch: &'a Scratch,
    runtime: &'a Runtime,
}

impl Bench<'_> {
    /// Lets what came before die away: on few cores it would be in the next figure.
    fn settle(&self) {
        self.runtime.block_on(async { tokio::time::sleep(SETTLE).await });
    }
}

/// Runs all measurements of recovery; `tell` hears which is next. Blocks for minutes.
pub fn recovery(plan: &RecoveryPlan, tell: &dyn Fn(&str)) -> Result<BenchReport, BenchError> {
    let scratch = Scratch::within(&plan.folder)?;
    let machine = Machine::look(scratch.path())?;
    let runtime = runtime()?;
    let bench = Bench { plan, scratch: &scratch, runtime: &runtime };
    // First, while this process has held nothing large whose room could hide what they take.
    tell("agents at rest");
    let sleepers = sleepers::measure(&bench)?;
    tell("a small state, killed");
    let mut rows = deaths::small(&bench)?;
    tell("a large state, killed");
    rows.extend(deaths::large(&bench)?);
    tell("checkpoints");
    rows.extend(checkpoints::measure(&bench)?);
    tell("frames");
    rows.extend(frames::measure(&bench)?);
    rows.extend(sleepers);
    Ok(BenchReport {
        bench: "recovery",
        version: env!("CARGO_PKG_VERSION"),
        optimised: !cfg!(debug_assertions),
        rounds: plan.rounds,
        machine: machine.ended(),
        rows,
    })
}
