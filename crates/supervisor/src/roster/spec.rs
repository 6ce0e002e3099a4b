//! What a supervisor is made of: the agents, how each is launched, and how long everything may take.
//!
//! Plain values from the configuration; nothing here reads a file, the environment or a clock.

use std::{ffi::OsString, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use abide_domain::{AgentId, Clock, IdSource, limits::YIELD_GRACE};
use abide_ledger::Ledger;
use abide_wire::Secret;

use crate::{
    private::PrivateStateLimits,
    process::{ProcessLimits, ShimCommand},
};

/// One agent that is kept as a process.
#[derive(Clone, Debug)]
pub struct AgentSpec {
    /// Its id.
    pub id: AgentId,
    /// How its process comes to be.
    pub launch: Launch,
    /// When its process is started.
    pub start: StartMode,
    /// What its process may take.
    pub limits: ProcessLimits,
}

/// How an agent's process comes to be.
#[derive(Clone, Debug)]
pub enum Launch {
    /// The keeper starts it and speaks over its stdin and stdout.
    Stdio {
        /// The program.
        program: PathBuf,
        /// Its arguments.
        args: Vec<OsString>,
        /// Where it runs.
        folder: PathBuf,
        /// All of its environment but `ABIDE_RUN` and `ABIDE_AGENT`, which are added.
        environment: Vec<(OsString, OsString)>,
    },
    /// It connects by itself, to the keeper's socket or TCP address, with the token.
    Socket,
}

/// When an agent's process is started, and whether it may be put to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartMode {
    /// At the first turn; it is put to rest after a while without work.
    Lazy,
    /// With the keeper; it stays.
    WithKeeper,
    /// Not before a person resumes it, then as [`StartMode::Lazy`].
    Parked,
}

/// How long everything may take (`[supervisor]`), and where agents that come by themselves are met.
#[derive(Clone, Debug)]
pub struct SupervisorSettings {
    /// Silence after which a process counts as unresponsive and is pinged.
    pub heartbeat_timeout: Duration,
    /// Silence after which it is killed and started again.
    pub kill_after: Duration,
    /// How old a checkpoint may grow while the agent works.
    pub checkpoint_interval: Duration,
    /// Idleness after which a lazy agent is put to rest.
    pub hibernate_after: Duration,
    /// How long a start may take, from the launch to `ready`.
    pub ready_timeout: Duration,
    /// How long a process may take to end by itself after `shutdown`.
    pub shutdown_grace: Duration,
    /// How long a process may take to yield a turn that was withdrawn.
    pub yield_grace: Duration,
    /// Bounds of each agent's private state.
    pub private: PrivateStateLimits,
    /// What an agent that connects must show.
    pub token: Secret,
    /// The Unix socket for agents that connect by themselves.
    pub socket_path: Option<PathBuf>,
    /// The TCP address for them; loopback only.
    pub tcp: Option<SocketAddr>,
}

impl SupervisorSettings {
    /// The defaults of `abide.toml`, without any socket.
    pub fn new(token: Secret) -> Self {
        Self {
            heartbeat_timeout: Duration::from_secs(5),
            kill_after: Duration::from_secs(30),
            checkpoint_interval: Duration::from_mins(5),
            hibernate_after: Duration::from_mins(15),
            ready_timeout: Duration::from_secs(30),
            shutdown_grace: Duration::from_secs(10),
            yield_grace: YIELD_GRACE,
            private: PrivateStateLimits::default(),
            token,
            socket_path: None,
            tcp: None,
        }
    }
}

/// Everything that a supervisor is made of.
#[derive(Debug)]
pub struct SupervisorParts {
    /// The home: private states lie in `agents/<id>/` under it.
    pub home: PathBuf,
    /// Where the life of processes is recorded.
    pub ledger: Ledger,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids of runs, checkpoints and requests.
    pub ids: Arc<dyn IdSource>,
    /// What every process is started under.
    pub shim: ShimCommand,
    /// How long everything may take.
    pub settings: SupervisorSettings,
    /// The agents.
    pub agents: Vec<AgentSpec>,
}
