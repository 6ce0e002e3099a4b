//! How the ledger is measured, and what all questions share.

use std::path::PathBuf;

use tokio::runtime::Runtime;

use crate::scratch::Scratch;

/// How `abide bench ledger` is run.
#[derive(Clone, Debug)]
pub struct LedgerPlan {
    /// A scratch folder is made in it, or in the nearest folder above it that exists.
    pub folder: PathBuf,
    /// Slices of each kind.
    pub rounds: u32,
    /// Epochs of ten events in the log that is read back.
    pub epochs: u32,
}

impl LedgerPlan {
    /// The usual plan, on the disk of a folder.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, rounds: 15, epochs: 20_000 }
    }
}

/// What all questions share.
pub(super) struct LedgerBench<'a> {
    pub(super) plan: &'a LedgerPlan,
    pub(super) scratch: &'a Scratch,
    pub(super) runtime: &'a Runtime,
}
