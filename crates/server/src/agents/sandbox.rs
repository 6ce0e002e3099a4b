//! How each agent's process is confined: the mode of the configuration, what holds on this machine, and what is granted.
//!
//! Decided once, when the keeper starts; nothing weakens it later. What is in force for a process and what stays open is
//! recorded with each of its starts.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

use abide_domain::event::ProcessSandbox;
use abide_supervisor::{
    Confinement, ConfinementLevel, ProbedSandbox, Sandbox, limits_memory_of_trees, probe_sandbox,
};

use super::{
    confine::confine,
    grants::{GrantError, GrantSource},
};
use crate::{
    config::{AgentSection, NetworkKind, SandboxMode},
    home::Home,
};

/// Says why a keeper whose configuration requires a sandbox does not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SandboxError {
    /// Nothing holds here.
    #[error(
        "a sandbox is required (supervisor.sandbox or [[agent]] sandbox) and no process can be confined here: {reasons}; \
         see `abide doctor`"
    )]
    Nothing {
        /// Why each level does not hold.
        reasons: String,
    },
    /// What the configuration names would leave nothing of the boundary.
    #[error("a sandbox is required, and agent {agent} cannot have one")]
    Grant {
        /// The agent.
        agent: String,
        /// The path.
        source: GrantError,
    },
}

/// What holds on this machine, for the home's own program. Blocking.
pub(crate) fn probe(home: &Home) -> io::Result<ProbedSandbox> {
    probe_up_to(home, ConfinementLevel::Isolated)
}

/// The same where a test bounds the level.
pub(super) fn probe_for(home: &Home, level_max: u64) -> io::Result<ProbedSandbox> {
    match level_max {
        0 => Err(io::Error::other("test.sandbox_level_max is 0")),
        1 => probe_up_to(home, ConfinementLevel::Restricted),
        _ => probe(home),
    }
}

fn probe_up_to(home: &Home, strictest: ConfinementLevel) -> io::Result<ProbedSandbox> {
    let folder = home.root().join(format!(".sandbox-probe.{}", std::process::id()));
    probe_sandbox(&std::env::current_exe()?, &folder, strictest)
}

/// A probe's result in words: the level, and why no stricter one.
pub(crate) fn describe(probed: &ProbedSandbox) -> String {
    let level = probed.level.map_or(0, ConfinementLevel::number);
    let failures = probed.failures.iter().map(|failure| {
        let (level, reason, remedy) = (failure.level.number(), &failure.reason, failure.remedy);
        format!("level {level} does not hold: {reason} ({remedy})")
    });
    let words = match level {
        2 => "files, system calls, privileges and its own view of the system",
        1 => "files, system calls and privileges",
        _ => "nothing: it can do all that the keeper's user can",
    };
    std::iter::once(format!("level {level} holds here: {words}"))
        .chain(failures)
        .collect::<Vec<_>>()
        .join("; ")
}

/// What holds for the agents of one keeper.
#[derive(Clone, Debug)]
pub(super) struct SandboxPlan {
    home: PathBuf,
    mode: SandboxMode,
    level: Option<ConfinementLevel>,
    holds_signals: bool,
}

/// A process that is to be confined.
pub(super) struct SandboxedProcess<'a> {
    pub(super) agent: &'a AgentSection,
    pub(super) program: &'a Path,
    pub(super) args: &'a [String],
    pub(super) folder: &'a Path,
    pub(super) environment: &'a [(OsString, OsString)],
    /// Folders that the keeper made for it.
    pub(super) own: &'a [PathBuf],
}

impl SandboxPlan {
    /// Looks at what holds here, if any agent is to be confined, and says so in the log. Blocking.
    pub(super) fn make(
        home: &Home,
        (mode, level_max): (SandboxMode, u64),
        agents: &[&AgentSection],
    ) -> Result<Self, SandboxError> {
        let modes = || agents.iter().map(|agent| agent.sandbox.unwrap_or(mode));
        let home_folder = home.root().to_owned();
        let mut plan = Self { home: home_folder, mode, level: None, holds_signals: false };
        if modes().all(|mode| mode == SandboxMode::Off) {
            return Ok(plan);
        }
        let probed = probe_for(home, level_max);
        let reasons = match probed {
            Ok(probed) => {
                (plan.level, plan.holds_signals) = (probed.level, probed.holds_signals);
                describe(&probed)
            }
            Err(error) => format!("it cannot be tried here: {error}"),
        };
        let level = plan.level.map_or(0, ConfinementLevel::number);
        if plan.level.is_some() {
            tracing::info!(
                event = "sandbox_probed",
                level,
                detail = reasons,
                "agents' processes are confined"
            );
        } else if modes().any(|mode| mode == SandboxMode::Required) {
            return Err(SandboxError::Nothing { reasons });
        } else {
            tracing::warn!(
                event = "sandbox_unavailable",
                level,
                detail = reasons,
                "agents' processes are not confined"
            );
        }
        Ok(plan)
    }

    /// Whether, and how, a process of this agent will be confined, before its grants are known.
    pub(super) fn level_of(&self, agent: &AgentSection) -> Option<ConfinementLevel> {
        match agent.sandbox.unwrap_or(self.mode) {
            SandboxMode::Off => None,
            SandboxMode::Auto | SandboxMode::Required => self.level,
        }
    }

    /// What a process is confined to. Where the configuration grants what would leave no boundary, it is not confined and
    /// that is told, unless a sandbox is required.
    pub(super) fn confine(&self, process: &SandboxedProcess<'_>) -> Result<Sandbox, SandboxError> {
        let agent = process.agent;
        let Some(level) = self.level_of(agent) else { return Ok(Self::open_to_all(agent, None)) };
        let confinement = match self.confinement(process, level) {
            Ok(confinement) => confinement,
            Err(source) if agent.sandbox.unwrap_or(self.mode) == SandboxMode::Required => {
                return Err(SandboxError::Grant { agent: agent.id.to_string(), source });
            }
            Err(error) => {
                tracing::warn!(agent = %agent.id, event = "sandbox_left_out", %error, "an agent's process is not confined");
                return Ok(Self::open_to_all(agent, Some(error.to_string())));
            }
        };
        let recorded = ProcessSandbox { level: level.number(), open: self.left_open(agent, level) };
        Ok(Sandbox { confinement: Some(confinement), recorded })
    }

    fn confinement(
        &self,
        process: &SandboxedProcess<'_>,
        level: ConfinementLevel,
    ) -> Result<Confinement, GrantError> {
        let user = process.environment.iter().find(|(name, _)| name == "HOME");
        // The built-in agent reads its prices itself.
        let mut args = process.args.to_vec();
        args.push(process.agent.model.price_file.clone());
        let source = GrantSource {
            home: &self.home,
            user: user.map(|(_, value)| Path::new(value)).filter(|user| user.is_absolute()),
            program: process.program,
            args: &args,
            folder: process.folder,
            environment: process.environment,
            read: &process.agent.read,
            write: &process.agent.write,
        };
        confine(level, process.agent.network.into(), (&source, process.own))
    }

    fn open_to_all(agent: &AgentSection, why: Option<String>) -> Sandbox {
        let mut open = vec![
            "nothing confines it: it can read and change all that the keeper's user can, the keeper's token among it".to_owned(),
        ];
        open.extend(why);
        open.extend(memory_note(agent));
        Sandbox { confinement: None, recorded: ProcessSandbox { level: 0, open } }
    }

    /// What a level leaves open for a process, in sentences.
    fn left_open(&self, agent: &AgentSection, level: ConfinementLevel) -> Vec<String> {
        let network = (agent.network == NetworkKind::Open)
            .then_some("the network is open to it, this machine's own addresses among it");
        let seen = (level == ConfinementLevel::Restricted).then_some(
            "it sees the command lines of other processes and the names and modes of files, and can change the modes of \
             files that its user owns",
        );
        let signals = (!self.holds_signals).then_some("it can signal other processes of its user");
        let shared = "memory that processes share is counted by a control group alone";
        let shared = (!limits_memory_of_trees()).then_some(shared);
        let sentences = [network, seen, signals, shared].into_iter().flatten().map(str::to_owned);
        sentences.chain(memory_note(agent)).collect()
    }
}

/// A limit that holds for less than it says.
fn memory_note(agent: &AgentSection) -> Option<String> {
    (agent.memory_mb > 0 && !limits_memory_of_trees()).then(|| {
        "memory_mb is held for each of its processes by itself, because no control group can be had".to_owned()
    })
}
