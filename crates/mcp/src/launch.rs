//! How a server is started and ended, as a role: the keeper starts servers in its sandbox, tests and simple set-ups plainly.
//!
//! A process that was started is always ended by [`ServerProcess::kill`] before it is waited for: as long as its leader is not
//! waited for, the number of its group cannot mean another group.

use std::{fmt, io};

use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite};

/// What is to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchRequest {
    /// The name of the server, for sandboxes and logs.
    pub server: String,
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Names of the variables that it gets beside `PATH`, `HOME` and `LANG`.
    pub environment: Vec<String>,
}

/// Starts servers.
pub trait ServerLauncher: Send + Sync + fmt::Debug {
    /// Starts one. It returns as soon as the process exists.
    fn launch<'a>(
        &'a self,
        request: &'a LaunchRequest,
    ) -> BoxFuture<'a, Result<LaunchedServer, LaunchError>>;
}

/// Says why a server could not be started.
#[derive(Debug, thiserror::Error)]
#[error("`{command}` could not be started: {cause}")]
pub struct LaunchError {
    /// The program.
    pub command: String,
    /// Why.
    #[source]
    pub cause: io::Error,
}

/// A server that was started: its three pipes and the hold on its processes.
pub struct LaunchedServer {
    /// What it reads.
    pub stdin: Box<dyn AsyncWrite + Send + Unpin>,
    /// What it answers.
    pub stdout: Box<dyn AsyncRead + Send + Unpin>,
    /// What it says to people.
    pub stderr: Box<dyn AsyncRead + Send + Unpin>,
    /// Its processes.
    pub process: Box<dyn ServerProcess>,
}

impl fmt::Debug for LaunchedServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaunchedServer").field("process", &self.process).finish_non_exhaustive()
    }
}

/// The hold on the processes of a server. Dropping it ends all of them.
pub trait ServerProcess: Send + Sync + fmt::Debug {
    /// The number of the leader, while it is known.
    fn pid(&self) -> Option<u32>;

    /// Whether the leader has left by itself, without taking the note of its end away: its number still means it.
    fn has_left(&self) -> bool;

    /// Ends every process of the server at once. May be called again.
    fn kill(&mut self);

    /// Waits for the end of the leader after [`Self::kill`] and says how it ended, for people.
    fn wait(&mut self) -> BoxFuture<'_, String>;
}
