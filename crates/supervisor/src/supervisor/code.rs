//! Code that a process loads beside its own, and what comes of it: plain values between whoever knows the ledger and the actor.

use std::sync::Arc;

use serde::Serialize;
use tokio::sync::oneshot;
use uuid::Uuid;

/// Code of one module of a program, in the program's own language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramCode {
    /// The module: `memory`, `tools` or `dsl`.
    pub module: String,
    /// The code.
    pub code: Arc<str>,
    /// The checkpoint of the state from before it.
    pub backup: Uuid,
}

/// All code that a process runs beside its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramCodes {
    /// At most one of each module, in the order in which they are loaded.
    pub modules: Vec<ProgramCode>,
    /// Checkpoints that stay however old they are, as long as there is room.
    pub kept: Vec<Uuid>,
}

/// Code that a process has loaded and that answers nothing yet. Dropped, it never will.
#[derive(Debug)]
pub struct LoadedCandidate {
    pub(crate) confirm: oneshot::Sender<()>,
}

impl LoadedCandidate {
    /// The code is in force: turns go on. Where the process has ended meanwhile, its next run loads what it is given then.
    pub fn confirm(self) {
        self.confirm.send(()).ok();
    }
}

/// Why a process cannot load the code in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CodeProblem {
    /// Runs in a row that could not.
    pub times: u32,
    /// Of which module.
    pub module: String,
    /// Why, for a person.
    pub message: String,
}
