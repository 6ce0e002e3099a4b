//! The world outside a keeper under test: what tools really did there. A crash cannot undo it.
//!
//! It must never be told by the keeper what happened: only a tool that runs notes it.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use abide_domain::{CallId, EpochId};
use abide_tools::Call;

/// How often each call really ran.
#[derive(Debug, Default)]
pub struct ToolRuns {
    runs: Mutex<BTreeMap<(EpochId, CallId), CallRuns>>,
}

/// The executions of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallRuns {
    /// How often its effect happened.
    pub count: u32,
    /// Whether it may happen more than once.
    pub is_idempotent: bool,
}

impl ToolRuns {
    /// Notes that the effect of a call happens now; gives how often it has, this time included.
    pub fn note(&self, call: &Call<'_>, is_idempotent: bool) -> u32 {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = runs.entry((call.epoch, call.call_id.clone())).or_default();
        entry.count += 1;
        entry.is_idempotent = is_idempotent;
        entry.count
    }

    /// All that happened so far.
    pub fn runs(&self) -> BTreeMap<(EpochId, CallId), CallRuns> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
