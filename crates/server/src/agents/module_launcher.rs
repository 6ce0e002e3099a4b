//! Starts the processes that run agents' own modules: each a tree of its own under a shim, confined, without network, without a
//! folder that it can write to, and within its memory.
//!
//! It must never run a module less confined than the configuration says, nor leave a process behind: with the drop of what it gives,
//! the process ends.

use std::{
    ffi::OsString, io, os::unix::fs::DirBuilderExt as _, path::Path, sync::Arc, time::Duration,
};

use abide_domain::{AgentId, Clock, RunId};
use abide_modules::{ModuleClient, limits::STUCK_EXIT_CODE};
use abide_supervisor::{
    Confinement, ConfinementLevel, LastWords, NetworkAccess, Pipes, Process, ProcessEnd,
    ProcessLimits, ShimCommand, Spawn, StderrLog, environment,
};
use tokio::{
    process::{ChildStdin, ChildStdout},
    task::JoinSet,
    time::timeout,
};

use super::{
    confine::{confine, megabytes},
    grants::GrantSource,
    process_setup::SHIM,
    sandbox,
    sandbox_probe::SandboxProbe,
};
use crate::{
    config::{Environment, Settings},
    home::Home,
    system::SystemIds,
};

/// The word by which this program is started as a process of modules.
pub(crate) const MODULE: &str = "module";

/// Open files of such a process: its pipes, and what its confinement opens before it begins.
const FILES_MAX: u64 = 1_024;
/// What the runtime displays of a program that gets no memory any more, before it ends it by a signal.
const OUT_OF_MEMORY: &str = "memory allocation of ";
/// How long its end is waited for where its pipe has ended.
const END_WITHIN: Duration = Duration::from_secs(1);

/// Starts processes of modules in the sandbox.
#[derive(Debug)]
pub(crate) struct SandboxedModules {
    home: Home,
    keepers: Environment,
    memory_mb: u64,
    unconfined: bool,
    shim: ShimCommand,
    clock: Arc<dyn Clock>,
    probe: Arc<SandboxProbe>,
}

/// A process that runs modules, and how it is asked. With its drop the process ends.
pub(crate) struct ModuleProcess {
    pub(crate) client: ModuleClient<ChildStdout, ChildStdin>,
    /// Holds the process; its shim ends it when this is dropped.
    process: Process,
    /// Takes what it displays: a closed pipe would end it, a full one would hold it.
    _displayed: JoinSet<()>,
    last_words: LastWords,
    /// What it may have.
    memory_mb: u64,
}

impl SandboxedModules {
    /// As the configuration says. Errors: the program's own file is not known.
    pub(crate) fn new(
        home: &Home,
        settings: &Settings,
        keepers: &Environment,
        (clock, probe): (Arc<dyn Clock>, Arc<SandboxProbe>),
    ) -> io::Result<Self> {
        Ok(Self {
            home: home.clone(),
            keepers: keepers.clone(),
            memory_mb: settings.evolution.memory_mb,
            unconfined: settings.evolution.unconfined,
            shim: ShimCommand { program: std::env::current_exe()?, args: vec![SHIM.into()] },
            clock,
            probe,
        })
    }

    /// The clock by which calls are measured.
    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Starts one for an agent.
    pub(crate) async fn start(&self, agent: &AgentId) -> io::Result<ModuleProcess> {
        let folder = self.home.modules_folder();
        let made = folder.clone();
        let make = move || std::fs::DirBuilder::new().recursive(true).mode(0o700).create(made);
        tokio::task::spawn_blocking(make).await.map_err(io::Error::other)??;
        let probed = self.probe.get().await?;
        if probed.level.is_none() && !self.unconfined {
            return Err(io::Error::other(format!(
                "no sandbox can be had here ({}); evolution.unconfined = true runs modules without one",
                sandbox::describe(probed)
            )));
        }
        let environment = environment(&self.keepers.all().collect::<Vec<_>>(), &[], &[]);
        let confinement = match probed.level {
            Some(level) => Some(self.confine(level, &folder, &environment)?),
            None => None,
        };
        let spawn = Spawn {
            program: self.shim.program.clone(),
            args: vec![MODULE.into()],
            folder,
            environment,
            limits: ProcessLimits {
                memory_bytes: megabytes(self.memory_mb),
                files: Some(FILES_MAX),
                disk_bytes: Some(0),
                cpu_seconds: None,
            },
            confinement,
            agent: agent.clone(),
            run: RunId::new(&SystemIds, self.clock.now()),
        };
        let (process, pipes) = Process::start(&self.shim, &spawn).map_err(io::Error::other)?;
        let Pipes { stdin, stdout, stderr } = pipes;
        let log = StderrLog::new(agent.clone(), spawn.run);
        let last_words = log.last_words();
        let mut displayed = JoinSet::new();
        displayed.spawn(log.pump(stderr));
        let client = ModuleClient::new(stdout, stdin);
        let memory_mb = self.memory_mb;
        Ok(ModuleProcess { client, process, _displayed: displayed, last_words, memory_mb })
    }

    fn confine(
        &self,
        level: ConfinementLevel,
        folder: &Path,
        environment: &[(OsString, OsString)],
    ) -> io::Result<Confinement> {
        let user = self.keepers.get("HOME").map(Path::new).filter(|user| user.is_absolute());
        let source = GrantSource {
            home: self.home.root(),
            user,
            program: &self.shim.program,
            args: &[],
            folder,
            environment,
            read: &[],
            write: &[],
        };
        let own = [folder.to_owned()];
        let mut confinement =
            confine(level, NetworkAccess::None, (&source, &own)).map_err(io::Error::other)?;
        // It works there, and finds and leaves nothing.
        confinement.read.append(&mut confinement.write);
        Ok(confinement)
    }
}

impl ModuleProcess {
    /// How it ended, with the last line that it displayed; words of others. Waits a moment for its end. Errors: it never ran, by no
    /// fault of what it was to run.
    pub(crate) async fn how_it_ended(&mut self) -> Result<String, String> {
        let how = match timeout(END_WITHIN, self.process.ended()).await {
            Ok(ProcessEnd::Code(STUCK_EXIT_CODE)) => "it did not come back from a call".to_owned(),
            Ok(ProcessEnd::Code(code)) => format!("exit code {code}"),
            Ok(ProcessEnd::Signal(signal)) => format!("signal {signal}"),
            Ok(ProcessEnd::NotStarted(why)) => return Err(why),
            Ok(ProcessEnd::Lost) => "its supervising process was killed".to_owned(),
            Err(_) => "it still runs".to_owned(),
        };
        self.last_words.wait_complete().await;
        if self.last_words.lines().iter().any(|line| line.contains(OUT_OF_MEMORY)) {
            return Ok(format!("it needed more than {} MB", self.memory_mb));
        }
        Ok(match self.last_words.lines().last() {
            Some(last) => format!("{how}; {last}"),
            None => how,
        })
    }
}

impl std::fmt::Debug for ModuleProcess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModuleProcess").finish_non_exhaustive()
    }
}
