//! Agents as processes that can die at any time and lose nothing.
//!
//! Reading order: what others see of all agents ([`Supervisor`]) and how a turn gets to one ([`AgentMind`]); beside it the
//! mind of an agent of another protocol, with its own session ([`AcpMind`]). Both run their process by one `lifecycle` and
//! `restart` policy, and bound what it keeps on the disk (`disk_limit`, on measurements of `disk_usage`). The actor of one
//! agent over all its runs (`agent`), its pure rules (`clocks`, `evolution`), its `link` and the listeners for agents that
//! connect by themselves (`socket`). A second process of an agent's program, which nobody hears, is a [`Shadow`]. Below it a running agent: its tree of processes
//! ([`Process`]), the [`shim`] that keeps hold of it, what it may not do ([`Confinement`], held by [`confine`]), its stderr ([`StderrLog`]). Below that its private state:
//! [`PrivateState`], which opens, feeds and restores it; its log (`wal`, from [`StoredEntry`] on); its checkpoints (`checkpoint`).
//!
//! A supervisor starts no task: whoever makes it runs the tasks that it hands out.
//!
//! ```
//! # use std::sync::Arc;
//! # use abide_ledger::{FileStorage, Ledger, LedgerOptions};
//! # use abide_testkit::{SeededIds, TokioClock};
//! use abide_supervisor::{
//!     AgentSpec, Launch, ProcessLimits, ProcessState, ShimCommand, StartMode, Supervisor,
//!     SupervisorParts, SupervisorSettings,
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let home = folder.path().to_path_buf();
//! # let clock: Arc<dyn abide_domain::Clock> = Arc::new(TokioClock::default());
//! # let storage = Arc::new(FileStorage::create(&home.join("ledger"))?);
//! # let (ledger, committer) = Ledger::open(storage, LedgerOptions::new(clock.clone()))?;
//! # committer.spawn()?;
//! # let ids = Arc::new(SeededIds::new(1));
//! let felix: abide_domain::AgentId = "felix".parse()?;
//! let spec = AgentSpec {
//!     id: felix.clone(),
//!     launch: Launch::Stdio {
//!         program: "/usr/bin/python3".into(),
//!         args: vec!["felix.py".into()],
//!         folder: home.clone(),
//!         environment: Vec::new(),
//!     },
//!     start: StartMode::Lazy,
//!     limits: ProcessLimits { memory_bytes: Some(512 << 20), ..ProcessLimits::default() },
//!     sandbox: None,
//! };
//! let shim = ShimCommand { program: std::env::current_exe()?, args: vec!["shim".into()] };
//! let (settings, agents) = (SupervisorSettings::default(), vec![spec]);
//! let parts = SupervisorParts { home, ledger, clock, ids, shim, settings, agents };
//! let (supervisor, tasks) = Supervisor::new(parts)?;
//! let mut running = tokio::task::JoinSet::new();
//! for task in tasks {
//!     running.spawn(task.future);
//! }
//!
//! assert!(supervisor.mind(&felix, "agent felix").is_some());
//! let status = supervisor.status(&felix).ok_or("felix is configured")?;
//! assert_eq!(status.state, ProcessState::NotStarted);
//!
//! supervisor.shutdown().await;
//! # Ok(())
//! # }
//! ```

pub mod confine;
pub mod shim;

mod acp;
mod mind;
mod supervisor;

mod agent;
mod clocks;
mod disk_limit;
mod disk_usage;
mod evolution;
mod format;
mod lifecycle;
mod link;
mod recorder;
mod restart;
mod shadow;
mod shared;
mod socket;

mod confinement;
mod probe;
mod process;
mod stderr;

mod checkpoint;
mod private;
mod wal;

pub use acp::{AcpMind, AcpParts, AcpSettings, AcpSpec};
pub use checkpoint::{
    CheckpointStep, CheckpointWriteError, ListedCheckpoint, StoredCheckpoint, list_checkpoints,
    verify_checkpoint,
};
pub use confinement::{Confinement, ConfinementLevel, NetworkAccess};
pub use disk_limit::{DiskExcess, DiskLimit, DiskWatch};
pub use mind::AgentMind;
pub use private::{
    PrivateState, PrivateStateError, PrivateStateFolders, PrivateStateLimits, PrivateStateOptions,
    PrivateStateProblem, PrivateStateStatus, RestoreError, RestoredState, TidySummary,
};
pub use probe::{ProbeFailure, ProbedSandbox, probe_sandbox};
pub use process::{
    Pipes, Process, ProcessEnd, ProcessLimits, ShimCommand, ShimStartError, Spawn, environment,
    limits_memory_of_trees,
};
pub use shadow::{Shadow, ShadowParts, copy_checkpoint};
pub use stderr::{LAST_WORD_CHARS_MAX, LAST_WORDS_MAX, LastWords, StderrLog};
pub use supervisor::{
    AgentSpec, CheckpointStatus, CodeProblem, DiskHold, Launch, LoadedCandidate,
    ProcessCommandError, ProcessState, ProcessStatus, ProgramCode, ProgramCodes, ReportedMetrics,
    RestoreSummary, Sandbox, StartMode, StateProblem, StateProblemKind, Supervisor,
    SupervisorError, SupervisorParts, SupervisorSettings, SupervisorTask,
};
pub use wal::{
    BATCH_BYTES_MAX, ENTRY_BYTES_MAX, Numbering, OPERATION_BYTES_MAX, SEQUENCE_MAX, StoredEntry,
    WalAppendError, WalAppended,
};
