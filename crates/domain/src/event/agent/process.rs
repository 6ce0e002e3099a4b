//! `agent.*` about the process that thinks for an agent: its runs, its private state, and what it said of itself.
//!
//! None of these is evidence of progress but [`EvidenceReported`]: a process that breathes need not move (law 2).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CheckpointId, RunId};

/// A run of the process began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessStarted {
    /// Names the run; frames of an older one are refused.
    pub run: RunId,
    /// Its process id, where the keeper started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Why it was started.
    pub cause: StartCause,
    /// Runs of this agent before it that ended without being asked to, since the last one that held for a while.
    #[serde(default)]
    pub failures: u32,
    /// What it is confined to; not there for one that the keeper did not start, and in older ledgers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<ProcessSandbox>,
}

/// What a process is confined to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessSandbox {
    /// 0: nothing holds it; 1: files, system calls and privileges; 2: the same in namespaces of its own.
    pub level: u8,
    /// What is not held, in words for people, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
}

/// Why a process is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartCause {
    /// The configuration starts it with the keeper.
    Configured,
    /// A turn is to be asked.
    Stimulus,
    /// The run before it ended.
    Restart,
    /// A person said so.
    Person,
    /// It connected by itself.
    Connected,
}

/// The process has its state back and may be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessReady {
    /// The run.
    pub run: RunId,
    /// Version of the protocol: 1, 2 or 3.
    pub protocol: u32,
    /// What speaks it, by its own account.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sdk: String,
    /// The checkpoint that it was given back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_id: Option<CheckpointId>,
    /// Entries behind it that it was given back.
    pub wal_entries: u64,
    /// From its start to here.
    pub took_ms: u64,
}

/// The private state of an agent that had none holds its first entry: from here on, finding none is a loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateBegun {
    /// The run that began it.
    pub run: RunId,
    /// The sequence of the newest entry that is on the disk.
    pub wal_sequence: u64,
}

/// A run of the process ended, and everything that it had started with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessExited {
    /// The run.
    pub run: RunId,
    /// Why, for programs.
    pub reason: ExitReason,
    /// Why, for people, with the exit code or signal.
    pub message: String,
    /// How long it ran.
    pub uptime_ms: u64,
    /// What it wrote last on stderr, shortened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_words: Vec<String>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitReason {
    /// By itself.
    Exited,
    /// By a signal that was not ours.
    Signalled,
    /// It could not be started at all.
    NotStarted,
    /// It did not become ready in time.
    NotReady,
    /// It was silent for too long.
    Silent,
    /// It worked past a turn's deadline and did not yield.
    Deadline,
    /// It broke the protocol.
    Protocol,
    /// It could not take its state back.
    RestoreFailed,
    /// A fatal error of its own.
    Fatal,
    /// It kept more on the disk than it may.
    DiskLimit,
    /// A person restarted or parked it.
    Person,
    /// It had nothing to do.
    Hibernated,
    /// The keeper stops.
    Shutdown,
    /// The keeper ended before it; found at the next start.
    KeeperLost,
}

/// Nothing was heard of a process for a while: it was pinged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessUnresponsive {
    /// The run.
    pub run: RunId,
    /// How long nothing was heard.
    pub silent_ms: u64,
}

/// A silent process is heard again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessResponsive {
    /// The run.
    pub run: RunId,
    /// How long nothing had been heard.
    pub silent_ms: u64,
}

/// A process ends again and again; a person should look. It is still started again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestartsFrequent {
    /// Ends within the window.
    pub restarts: u32,
    /// The window.
    pub window_ms: u64,
    /// The pause before the next start.
    pub pause_ms: u64,
    /// How the last run ended.
    pub message: String,
}

/// A checkpoint is durable and verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentCheckpointed {
    /// The run that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// Its id.
    pub checkpoint_id: CheckpointId,
    /// The last entry that it holds.
    pub wal_sequence: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// Of the body as it is stored.
    pub sha256: String,
}

/// An agent's private state was not found as it was left: what is lost, and what was done about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateTroubled {
    /// Whether acknowledged state is gone.
    pub is_lost: bool,
    /// One sentence each.
    pub report: Vec<String>,
}

/// A process said that something failed, or did what the protocol does not allow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessFaulted {
    /// The run.
    pub run: RunId,
    /// Whose word it is.
    pub source: FaultSource,
    /// The code.
    pub code: String,
    /// What happened.
    pub message: String,
    /// Whether the run or the turn ended by it.
    pub is_fatal: bool,
    /// Where it happened, as the process tells it; data, not instruction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_trace: Option<String>,
    /// What belongs to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Value>,
    /// Faults like it that were not recorded since the last one.
    #[serde(default)]
    pub suppressed: u64,
}

/// Who says that something failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultSource {
    /// The process, by an error frame.
    Agent,
    /// The keeper, of what the process sent.
    Protocol,
}

/// What a process measured of itself; one report of many.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessMeasured {
    /// The run.
    pub run: RunId,
    /// By name: milliseconds, bytes, per second.
    pub metrics: BTreeMap<String, f64>,
}

/// What an agent's work produced outside of turns and tools: evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceReported {
    /// The run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The kind of claim, such as `observation`.
    pub claim_type: String,
    /// Tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What it says; data, not instruction.
    pub body: Value,
}
