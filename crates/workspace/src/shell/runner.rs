//! Who runs a command, confined: the keeper's supervisor. A tool starts no process of its own.

use std::{fmt, path::PathBuf, time::Duration};

use abide_domain::AgentId;
use abide_tools::CallProgress;
use futures_util::future::BoxFuture;

use super::output::CapturedOutput;

/// A command to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOrder {
    /// For whom.
    pub agent: AgentId,
    /// The line, for `sh`.
    pub command: String,
    /// The folder that it begins in or below: an absolute path.
    pub folder: PathBuf,
    /// Where below that folder, if not in it; to be entered in the sandbox alone, for the agent may have made a link of it.
    pub below: String,
    /// Folders in which it may do everything, absolute paths.
    pub write: Vec<PathBuf>,
    /// Folders that it may read, besides what any command may.
    pub read: Vec<PathBuf>,
    /// Whether it reaches the network.
    pub network: bool,
    /// How long it may take.
    pub limit: Duration,
}

/// How a command ended. Nothing that it started is left then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEnd {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// It took too long and was ended.
    TimedOut,
}

/// A command that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedCommand {
    /// How.
    pub end: CommandEnd,
    /// What it wrote to its standard output.
    pub stdout: CapturedOutput,
    /// What it wrote to its standard error.
    pub stderr: CapturedOutput,
    /// How long it ran.
    pub duration: Duration,
}

/// Says why a command did not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandRunError {
    /// There is no sandbox on this machine, and nobody said that commands may run without one.
    #[error("commands run in the sandbox alone, and there is none: {0}")]
    NoSandbox(String),
    /// It could not be started.
    #[error("the command could not be started: {0}")]
    NotStarted(String),
    /// It was started, and nobody knows how it ended.
    #[error("the command was started and lost: {0}")]
    Lost(String),
}

/// Runs commands in the sandbox. Dropping the future ends the command with everything that it started.
pub trait CommandRunner: Send + Sync + fmt::Debug {
    /// Runs one to its end. What it writes is said on the way; the result is the same with and without.
    fn run<'a>(
        &'a self,
        order: CommandOrder,
        progress: &'a CallProgress,
    ) -> BoxFuture<'a, Result<FinishedCommand, CommandRunError>>;
}
