//! What a supervisor is made of: the agents, how each is launched, and how long everything may take.
//!
//! Plain values from the configuration; nothing here reads a file, the environment or a clock.

use std::{ffi::OsString, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use abide_domain::{AgentId, Clock, IdSource, event::ProcessSandbox, limits::YIELD_GRACE};
use abide_ledger::Ledger;
use abide_wire::Secret;

use crate::{
    confinement::Confinement,
    disk_limit::DISK_INTERVAL,
    private::PrivateStateLimits,
    process::{ProcessLimits, ShimCommand},
};

/// How long a process may take to load code: a hundred times what a megabyte should take.
const RELOAD_LIMIT: Duration = Duration::from_secs(10);

/// One agent that is kept as a process.
#[derive(Clone, Debug)]
pub struct AgentSpec {
    /// Its id.
    pub id: AgentId,
    /// How its process is started and reached.
    pub launch: Launch,
    /// When its process is started, and whether it is stopped when idle.
    pub start: StartMode,
    /// What its process may use.
    pub limits: ProcessLimits,
    /// What its process is confined to; none where the keeper does not start it.
    pub sandbox: Option<Sandbox>,
}

/// What an agent's process is confined to, and what is recorded of that at each of its starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// What holds it; nothing at level 0.
    pub confinement: Option<Confinement>,
    /// Its level and what stays open.
    pub recorded: ProcessSandbox,
}

/// How an agent's process is started and reached.
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
    /// It connects by itself, to the keeper's socket or TCP address.
    Socket {
        /// What it shows, and no other agent has.
        secret: Secret,
    },
}

/// When an agent's process is started, and whether it is stopped when idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartMode {
    /// At the first turn; it is stopped after a while without work.
    Lazy,
    /// With the keeper; it is never stopped for idleness.
    WithKeeper,
    /// Not before a person resumes it, then as [`StartMode::Lazy`].
    Parked,
}

/// How long everything may take (`[supervisor]`), and where agents that connect by themselves do so.
#[derive(Clone, Debug)]
pub struct SupervisorSettings {
    /// Silence after which a process counts as unresponsive and is pinged.
    pub heartbeat_timeout: Duration,
    /// Silence after which it is killed and started again.
    pub kill_after: Duration,
    /// How old a checkpoint may grow while the agent works.
    pub checkpoint_interval: Duration,
    /// Idleness after which the process of a lazy agent is stopped.
    pub hibernate_after: Duration,
    /// How long a start may take, from the launch to `ready`.
    pub ready_timeout: Duration,
    /// How long a process may take to end by itself after `shutdown`.
    pub shutdown_grace: Duration,
    /// How long a process may take to give up a turn that was withdrawn.
    pub yield_grace: Duration,
    /// How long turns wait for an agent that connects by itself, from the keeper's start: longer than the longest pause between
    /// two of its tries.
    pub first_connect_grace: Duration,
    /// The same from the end of its last connection.
    pub reconnect_grace: Duration,
    /// Time between two looks at what an agent keeps on the disk; longer where a look takes long.
    pub disk_interval: Duration,
    /// How long a process may take to load code.
    pub reload_limit: Duration,
    /// Whether turns wait until somebody has said which code is in force beside the programs' own.
    pub awaits_code: bool,
    /// Bounds of each agent's private state.
    pub private: PrivateStateLimits,
    /// The Unix socket for agents that connect by themselves.
    pub socket_path: Option<PathBuf>,
    /// The TCP address for them; loopback only.
    pub tcp: Option<SocketAddr>,
}

/// The defaults of `abide.toml`, without any socket.
impl Default for SupervisorSettings {
    fn default() -> Self {
        Self {
            heartbeat_timeout: Duration::from_secs(5),
            kill_after: Duration::from_secs(30),
            checkpoint_interval: Duration::from_mins(5),
            hibernate_after: Duration::from_mins(15),
            ready_timeout: Duration::from_secs(30),
            shutdown_grace: Duration::from_secs(10),
            yield_grace: YIELD_GRACE,
            first_connect_grace: Duration::from_secs(35),
            reconnect_grace: Duration::from_secs(5),
            disk_interval: DISK_INTERVAL,
            reload_limit: RELOAD_LIMIT,
            awaits_code: false,
            private: PrivateStateLimits::default(),
            socket_path: None,
            tcp: None,
        }
    }
}

/// Everything that a supervisor is made of.
#[derive(Debug)]
pub struct SupervisorParts {
    /// The home folder: private states are in `agents/<id>/` under it.
    pub home: PathBuf,
    /// Where starts, ends and reports of processes are recorded.
    pub ledger: Ledger,
    /// For events, silence, deadlines and the restart policy.
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
