//! Agents as processes that can die at any time and lose nothing.
//!
//! Reading order: what others see of all agents ([`Supervisor`] in `roster`) and how a turn gets to one ([`AgentMind`]);
//! beside it the mind of an agent of another protocol, with its own process and session ([`AcpMind`]);
//! the actor of one agent over all its runs (`agent`), its pure rules (`clocks`, `restart`, `evolution`), its `link` and
//! the doors for agents that come by themselves (`socket`). Below it a running agent: its tree of processes
//! ([`Process`]), the [`shim`] that holds on to it, its words ([`StderrLog`]). Below that its private state:
//! [`PrivateState`], which opens, feeds and restores it; the write-ahead log (`wal`, from [`StoredEntry`] on); the checkpoints
//! (`checkpoint`).

pub mod shim;

mod acp;
mod mind;
mod roster;

mod agent;
mod clocks;
mod evolution;
mod link;
mod recorder;
mod restart;
mod socket;

mod process;
mod stderr;

mod private;

mod checkpoint;
mod wal;

pub use acp::{AcpMind, AcpParts, AcpSettings, AcpSpec};
pub use checkpoint::{
    CheckpointStep, CheckpointWriteError, Listed, StoredCheckpoint, list_checkpoints,
    verify_checkpoint,
};
pub use mind::AgentMind;
pub use private::{
    PrivateState, PrivateStateError, PrivateStateFolders, PrivateStateLimits, PrivateStateOptions,
    PrivateStateProblem, PrivateStateStatus, RestoreError, Restored, Tidied,
};
pub use process::{
    Pipes, Process, ProcessEnd, ProcessLimits, ShimCommand, ShimStartError, Spawn, environment,
};
pub use roster::{
    AgentSpec, CheckpointStatus, Launch, ProcessCommandError, ProcessState, ProcessStatus,
    ReportedMetrics, RestoreSummary, StartMode, Supervisor, SupervisorError, SupervisorParts,
    SupervisorSettings, SupervisorTask,
};
pub use stderr::{LAST_WORD_CHARS_MAX, LAST_WORDS_MAX, LastWords, StderrLog};
pub use wal::{
    BATCH_BYTES_MAX, ENTRY_BYTES_MAX, Numbering, OPERATION_BYTES_MAX, SEQUENCE_MAX, StoredEntry,
    WalAppendError, WalAppended,
};
