//! What an ACP mind is made of: the agent's program, and how long everything may take.

use std::{ffi::OsString, path::PathBuf, sync::Arc, time::Duration};

use abide_domain::{AgentId, Clock, IdSource, limits::YIELD_GRACE};
use abide_ledger::Ledger;

use crate::{
    disk_limit::DISK_INTERVAL,
    process::{ProcessLimits, ShimCommand},
    supervisor::Sandbox,
};

/// An ACP agent.
#[derive(Clone, Debug)]
pub struct AcpSpec {
    /// Whose mind it is.
    pub agent: AgentId,
    /// Its name for people and logs, such as `acp claude`.
    pub label: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Where it works; absolute, as the protocol asks.
    pub folder: PathBuf,
    /// Its whole environment but `ABIDE_RUN` and `ABIDE_AGENT`, which are added.
    pub environment: Vec<(OsString, OsString)>,
    /// What its process may use.
    pub limits: ProcessLimits,
    /// What its process is confined to.
    pub sandbox: Option<Sandbox>,
}

/// How long everything may take.
#[derive(Clone, Debug)]
pub struct AcpSettings {
    /// From the launch to the end of the handshake, and for each step that restores or makes a session.
    pub ready_timeout: Duration,
    /// Idleness after which the process is ended; the next turn starts it again.
    pub idle_after: Duration,
    /// How long it may take to stop a prompt that was cancelled; then its tree is killed.
    pub yield_grace: Duration,
    /// Time between two looks at what it keeps on the disk; longer where a look takes long.
    pub disk_interval: Duration,
}

impl Default for AcpSettings {
    fn default() -> Self {
        Self {
            ready_timeout: Duration::from_secs(30),
            idle_after: Duration::from_mins(15),
            yield_grace: YIELD_GRACE,
            disk_interval: DISK_INTERVAL,
        }
    }
}

/// Everything that an ACP mind is made of.
#[derive(Debug)]
pub struct AcpParts {
    /// The home folder: the session is recorded in `agents/<id>/acp.json` under it.
    pub home: PathBuf,
    /// Where the starts and ends of the process are recorded.
    pub ledger: Ledger,
    /// For events, deadlines and the restart policy.
    pub clock: Arc<dyn Clock>,
    /// Ids of runs.
    pub ids: Arc<dyn IdSource>,
    /// What the process is started under.
    pub shim: ShimCommand,
    /// How long everything may take.
    pub settings: AcpSettings,
    /// The agent.
    pub spec: AcpSpec,
}
