//! How epochs are measured, and what all questions share.

use std::path::PathBuf;

use tokio::runtime::Runtime;

use crate::scratch::Scratch;

/// How `abide bench epoch` is run.
#[derive(Clone, Debug)]
pub struct EpochPlan {
    /// A scratch folder is made in it, or in the nearest folder above it that exists.
    pub folder: PathBuf,
    /// Slices of each kind.
    pub rounds: u32,
    /// Epochs in one conversation, for the growth of the log and of the time; at least 1,000 say something.
    pub epochs: u32,
    /// The program to start as a keeper; without one, what needs a process of its own is left out.
    pub binary: Option<PathBuf>,
    /// The program that has the children of benchmarks in it: the same one, outside tests.
    pub child: Option<PathBuf>,
}

impl EpochPlan {
    /// The usual plan, on the disk of a folder, with a program to start.
    pub fn new(folder: PathBuf, binary: Option<PathBuf>) -> Self {
        Self { folder, rounds: 10, epochs: 10_000, child: binary.clone(), binary }
    }
}

/// What all questions share.
pub(super) struct EpochBench<'a> {
    pub(super) plan: &'a EpochPlan,
    pub(super) scratch: &'a Scratch,
    pub(super) runtime: &'a Runtime,
}
