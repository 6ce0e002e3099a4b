//! Why a keeper could not start or go on, with what to do about it.

use std::{io, net::SocketAddr, path::PathBuf};

use abide_engine::{failpoint::FailpointError, keeper::StartError};
use abide_ledger::{LockError, OpenError};
use abide_mcp::McpSettingsError;
use abide_models::WeightsError;

use crate::{
    agents::{AgentSetupError, MindError, ProcessSetupError, ToolSetupError},
    auth::TokenError,
    irc::IrcError,
    mcp_servers::McpRecordsError,
    watch::WatchdogHistoryError,
};

/// Says why a keeper could not start or go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AppError {
    /// Another keeper has the home, or it cannot be locked.
    #[error("the home folder cannot be locked for this keeper")]
    Lock(#[from] LockError),
    /// The token cannot be used.
    #[error("the keeper's token cannot be used")]
    Token(#[from] TokenError),
    /// A person would act under the name of an agent.
    #[error(
        "{0} is an agent and the name of a token; give the agent another id, or `abide token revoke {0}` and create the token under another name"
    )]
    SharedName(String),
    /// The address cannot be bound.
    #[error(
        "{address} cannot be listened on; choose another with --listen or `abide config set keeper.listen`"
    )]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// A file, thread or signal handler that the start needs.
    #[error("a file, thread or signal handler that the start needs is not available")]
    Io(#[from] io::Error),
    /// `[test] failpoints` is invalid.
    #[error("test.failpoints is invalid")]
    Failpoints(#[from] FailpointError),
    /// Something else stands in the place of a folder of the home.
    #[error("a folder of the home cannot be used")]
    Folder(#[source] io::Error),
    /// There is no ledger, and agents have lived here: beginning a new one would make them forget everything.
    #[error(
        "{} is empty, but agents of this home have memories; if it lies on a disk that is not mounted, mount it, or restore the \
         folder from a copy; to begin anew on purpose, move the folder agents away", folder.display()
    )]
    LedgerGone {
        /// The ledger's folder.
        folder: PathBuf,
    },
    /// The ledger cannot be opened. It was left unchanged.
    #[error("the ledger cannot be opened; it was left unchanged")]
    Ledger(#[from] OpenError),
    /// A mind cannot be made.
    #[error("no mind can be made for an agent")]
    Mind(#[from] MindError),
    /// Weights that the configuration names cannot be used.
    #[error("the weights of memory.embedder cannot be used; `abide model pull` fetches them")]
    Embedder(#[from] WeightsError),
    /// Agents' processes cannot be set up.
    #[error("agents' processes cannot be set up")]
    ProcessSetup(#[from] ProcessSetupError),
    /// An agent cannot be set up.
    #[error("an agent cannot be set up")]
    AgentSetup(#[from] AgentSetupError),
    /// The tools cannot be set up.
    #[error(transparent)]
    Tools(#[from] ToolSetupError),
    /// IRC cannot start as configured.
    #[error("irc cannot start as configured; see [irc] in abide.toml")]
    Irc(#[from] IrcError),
    /// It is not known what the watchdog did before.
    #[error("the watchdog's events cannot be read from the ledger")]
    Watchdog(#[from] WatchdogHistoryError),
    /// It is not known what was accepted of servers of tools, and what they asked.
    #[error("what is recorded of servers of tools cannot be read from the ledger")]
    McpRecords(#[from] McpRecordsError),
    /// A server of `[[mcp]]` cannot be used as configured.
    #[error(transparent)]
    McpServer(#[from] McpSettingsError),
    /// The ledger was read and the keeper cannot go on from there.
    #[error("the keeper cannot go on from the state that its ledger holds")]
    Start(#[from] StartError),
    /// A task that must not end has ended.
    #[error("{0}")]
    TaskEnded(String),
}
