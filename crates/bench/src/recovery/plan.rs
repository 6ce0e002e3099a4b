//! How recovery is measured, and what all questions share.

use std::{path::PathBuf, time::Duration};

use tokio::runtime::Runtime;

use crate::scratch::Scratch;

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
pub(super) struct RecoveryBench<'a> {
    pub(super) plan: &'a RecoveryPlan,
    pub(super) scratch: &'a Scratch,
    pub(super) runtime: &'a Runtime,
}

impl RecoveryBench<'_> {
    /// Lets what came before die away: on few cores it would be in the next figure.
    pub(super) fn settle(&self) {
        self.runtime.block_on(async { tokio::time::sleep(SETTLE).await });
    }
}
