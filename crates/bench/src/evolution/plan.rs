//! How changes of agents are measured, and what all questions share.

use std::path::PathBuf;

use tokio::runtime::Runtime;

use crate::scratch::Scratch;

/// How `abide bench evolution` is run.
#[derive(Clone, Debug)]
pub struct EvolutionPlan {
    /// A scratch folder is made in it, or in the nearest folder above it that exists.
    pub folder: PathBuf,
    /// Slices of each kind.
    pub rounds: u32,
    /// The program that has the children of benchmarks in it.
    pub child: PathBuf,
    /// The program to start as a keeper: the same one, outside tests. Without one, what needs a keeper is left out.
    pub binary: Option<PathBuf>,
    /// Calls of a module in a slice.
    pub calls: u32,
}

impl EvolutionPlan {
    /// The usual plan, on the disk of a folder, with a program to start.
    pub fn new(folder: PathBuf, binary: PathBuf) -> Self {
        Self { folder, rounds: 10, child: binary.clone(), binary: Some(binary), calls: 500 }
    }
}

/// What all questions share.
pub(super) struct EvolutionBench<'a> {
    pub(super) plan: &'a EvolutionPlan,
    pub(super) scratch: &'a Scratch,
    pub(super) runtime: &'a Runtime,
}
