//! The status of an agent's process, for people and lists. No evidence of work (law 2).

use std::{collections::BTreeMap, path::PathBuf};

use abide_domain::{CheckpointId, RunId, Timestamp};
use serde::Serialize;

use super::code::CodeProblem;

/// The status of an agent's process.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ProcessStatus {
    /// What it is doing.
    pub state: ProcessState,
    /// Its process id, where the keeper started it.
    pub pid: Option<u32>,
    /// The run.
    pub run: Option<RunId>,
    /// The level at which it is confined, where the keeper started it: 0, 1 or 2.
    pub sandbox: Option<u8>,
    /// Version of the protocol that it speaks: 1, 2 or 3.
    pub protocol: Option<u32>,
    /// The SDK or program that speaks it, by its own account.
    pub sdk: Option<String>,
    /// Starts after the first since the keeper came up.
    pub restarts: u64,
    /// Runs that ended unasked within the last minute.
    pub restarts_recent: u32,
    /// Runs in a row that ended unasked before they had held for a minute.
    pub failures: u32,
    /// When the run began.
    pub started_at: Option<Timestamp>,
    /// When it sent anything last.
    pub last_heartbeat_at: Option<Timestamp>,
    /// When its work loop was seen to move.
    pub last_progress_at: Option<Timestamp>,
    /// Its progress counter.
    pub progress: Option<u64>,
    /// The last WAL sequence on the disk. This and what follows is unknown until the first start.
    pub wal_sequence: u64,
    /// Entries behind the newest checkpoint: the lag.
    pub wal_entries: u64,
    /// Bytes of the WAL.
    pub wal_bytes: u64,
    /// The newest checkpoint.
    pub checkpoint: Option<CheckpointStatus>,
    /// Why it is as it is, for a person.
    pub message: Option<String>,
    /// What its agent says it is doing, in its newest checkpoint. No evidence of anything.
    pub agent_status: Option<&'static str>,
    /// What is wrong with keeping its private state at this moment.
    pub state_problem: Option<StateProblem>,
    /// Whether its process said that it loads code.
    #[serde(skip)]
    pub takes_code: bool,
    /// Why it cannot load the code in force, while it cannot.
    #[serde(skip)]
    pub code_problem: Option<CodeProblem>,
    /// What keeps it from being started, where it kept more on the disk than it may.
    pub disk_hold: Option<DiskHold>,
}

/// What an agent's process is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessState {
    /// It was not started since the keeper came up, or has not connected.
    #[default]
    NotStarted,
    /// It runs, and may not be asked yet.
    Starting,
    /// It may be asked.
    Ready,
    /// It answers a turn.
    Busy,
    /// It was silent for a while and was pinged.
    Unresponsive,
    /// It ended, and is started again at that time.
    Waiting {
        /// When.
        until: Timestamp,
    },
    /// It was stopped because it had nothing to do; the next turn starts it.
    Hibernated,
    /// A person parked the agent: nothing starts it until it is resumed.
    Parked,
    /// It kept more on the disk than it may, and is started again once there is room.
    OverDiskLimit,
}

/// Something that is wrong with keeping a private state, for as long as it lasts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StateProblem {
    /// Which part of it.
    pub kind: StateProblemKind,
    /// Since when.
    pub since: Timestamp,
    /// What is wrong, for a person; it follows "the private state of an agent:" in a sentence.
    pub message: String,
}

/// Which part of keeping a private state has a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StateProblemKind {
    /// It cannot be opened.
    Open,
    /// Its process does not take it over.
    Restore,
    /// Operations cannot be logged.
    Log,
    /// Checkpoints cannot be stored.
    Checkpoint,
}

/// A process that is not started until there is room for what it keeps on the disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiskHold {
    /// Since when.
    pub since: Timestamp,
    /// What is too much; it follows the agent's name in a sentence.
    pub message: String,
    /// The folder in which there is most.
    pub folder: PathBuf,
}

/// A checkpoint, as lists of agents show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckpointStatus {
    /// Its id.
    pub id: CheckpointId,
    /// When it was made.
    pub created_at: Timestamp,
    /// Bytes on disk.
    pub bytes: u64,
    /// The last WAL sequence that it holds.
    pub wal_sequence: u64,
}

/// The newest measurements that a process sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReportedMetrics {
    /// When they came.
    pub at: Timestamp,
    /// The run.
    pub run: RunId,
    /// By name: milliseconds, bytes, per second.
    pub values: BTreeMap<String, f64>,
}
