//! Runs the commands of `shell.run`: each as a tree of processes of its own under a shim, confined as an agent's process is.
//!
//! What a command writes is kept for its result and said to the people who watch. What holds on this machine is tried once, before the first command. It must never run a command less confined than the
//! configuration says, and never return while anything that the command started is left.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use abide_domain::{Clock, RunId};
use abide_supervisor::{
    Confinement, ConfinementLevel, NetworkAccess, Pipes, Process, ProcessEnd, ProcessLimits,
    ShimCommand, Spawn, environment,
};
use abide_tools::{
    CallProgress,
    OutputStream::{Stderr, Stdout},
};
use abide_workspace::{
    CapturedOutput, CommandEnd, CommandOrder, CommandRunError, CommandRunner, FinishedCommand,
};
use futures_util::future::BoxFuture;
use tokio::{io::AsyncReadExt as _, sync::Semaphore, time::timeout};

use super::{
    confine::{confine, megabytes, temporary_files},
    grants::GrantSource,
    process_setup::SHIM,
    sandbox,
    sandbox_probe::SandboxProbe,
};
use crate::{
    config::{Environment, Settings, ShellSection},
    home::Home,
    system::SystemIds,
};

/// Commands that run at the same time; others wait.
const RUNNING_MAX: usize = 4;
/// How long a command waits for others; less than the tool gives it, so that what never began is never called unknown.
const TURN_WITHIN: Duration = Duration::from_secs(15);
/// How long the end of a killed command is waited for.
const END_WITHIN: Duration = Duration::from_secs(10);
/// The shell.
const SHELL: &str = "/bin/sh";
/// What the shell does first: it goes below the folder, in the sandbox, where a link leads nowhere.
const SCRIPT: &str = r#"cd -- "./$1" && exec /bin/sh -c "$2""#;
/// Variables that keep programs from waiting for a person.
const WITHOUT_PEOPLE: [(&str, &str); 5] = [
    ("CI", "1"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("PAGER", "cat"),
    ("TERM", "dumb"),
];

/// Runs commands in the sandbox.
#[derive(Debug)]
pub(super) struct SandboxedCommands {
    home: Home,
    settings: ShellSection,
    keepers: Environment,
    shim: ShimCommand,
    clock: Arc<dyn Clock>,
    probe: Arc<SandboxProbe>,
    running: Semaphore,
}

impl SandboxedCommands {
    /// As the configuration says. Errors: the program's own file is not known.
    pub(super) fn new(
        home: &Home,
        settings: &Settings,
        keepers: &Environment,
        (clock, probe): (Arc<dyn Clock>, Arc<SandboxProbe>),
    ) -> std::io::Result<Self> {
        Ok(Self {
            home: home.clone(),
            settings: settings.tools.shell.clone(),
            keepers: keepers.clone(),
            shim: ShimCommand { program: std::env::current_exe()?, args: vec![SHIM.into()] },
            clock,
            probe,
            running: Semaphore::new(RUNNING_MAX),
        })
    }

    /// How commands are confined; none where nothing holds and the configuration lets them run all the same. Where it could not
    /// be tried, nothing runs, and the next command tries again.
    async fn level(&self) -> Result<Option<ConfinementLevel>, CommandRunError> {
        let probed = self.probe.get().await.map_err(|error| {
            CommandRunError::NoSandbox(format!("it could not be tried now: {error}"))
        })?;
        if probed.level.is_none() && !self.settings.unconfined {
            return Err(CommandRunError::NoSandbox(format!(
                "{}; tools.shell.unconfined = true runs them without one",
                sandbox::describe(probed)
            )));
        }
        Ok(probed.level)
    }

    fn spawn(
        &self,
        order: &CommandOrder,
        level: Option<ConfinementLevel>,
    ) -> Result<Spawn, CommandRunError> {
        let temporary = self.home.temporary_folder(&order.agent);
        let shared =
            level.map_or_else(|| temporary.clone(), |level| temporary_files(level, &temporary));
        let path = self.search_path(&order.write);
        let mut more: Vec<(&str, OsString)> =
            WITHOUT_PEOPLE.iter().map(|(name, value)| (*name, value.into())).collect();
        // Never a folder that somebody else fills: what lies in a project would count as a person's own settings, such as a
        // `.gitconfig` that names programs.
        more.push(("HOME", shared.clone().into()));
        more.push(("PATH", path));
        more.push(("TMPDIR", shared.into()));
        let environment =
            environment(&self.keepers.all().collect::<Vec<_>>(), &self.settings.environment, &more);
        let confinement = match level {
            Some(level) => Some(self.confine(order, level, (&environment, temporary))?),
            None => None,
        };
        Ok(Spawn {
            program: SHELL.into(),
            args: ["-c", SCRIPT, "sh", &order.below, &order.command].map(OsString::from).to_vec(),
            folder: order.folder.clone(),
            environment,
            limits: ProcessLimits {
                memory_bytes: megabytes(self.settings.memory_mb),
                disk_bytes: megabytes(self.settings.disk_mb),
                ..ProcessLimits::default()
            },
            confinement,
            agent: order.agent.clone(),
            run: RunId::new(&SystemIds, self.clock.now()),
        })
    }

    /// The keeper's search path without what is relative or what the command could write to.
    fn search_path(&self, write: &[PathBuf]) -> OsString {
        let path = self.keepers.get("PATH").unwrap_or("/usr/local/bin:/usr/bin:/bin");
        let is_safe = |folder: &PathBuf| {
            folder.is_absolute() && !write.iter().any(|write| folder.starts_with(write))
        };
        let folders: Vec<_> = std::env::split_paths(path).filter(is_safe).collect();
        std::env::join_paths(folders).unwrap_or_default()
    }

    fn confine(
        &self,
        order: &CommandOrder,
        level: ConfinementLevel,
        (environment, temporary): (&[(OsString, OsString)], PathBuf),
    ) -> Result<Confinement, CommandRunError> {
        let user = self.keepers.get("HOME").map(Path::new).filter(|user| user.is_absolute());
        let work = self.home.work_folder(&order.agent);
        let own = [work.clone(), temporary];
        // Folders of the configuration are granted as those of an agent's process are: none that holds the keeper's home.
        let skills = [self.home.skills_folder(), self.home.agent_skills_folder(&order.agent)];
        let texts = |paths: &[PathBuf]| -> Vec<String> {
            let others = paths.iter().filter(|path| !own.contains(path) && !skills.contains(path));
            others.map(|path| path.display().to_string()).collect()
        };
        let source = GrantSource {
            home: self.home.root(),
            user,
            program: Path::new(SHELL),
            args: &[],
            // Where a command begins grants it nothing: that may be a folder to read alone.
            folder: &work,
            environment,
            read: &[texts(&order.read), self.settings.read.clone()].concat(),
            write: &texts(&order.write),
        };
        let network = if order.network { NetworkAccess::Open } else { NetworkAccess::None };
        let mut confinement = confine(level, network, (&source, &own))
            .map_err(|error| CommandRunError::NoSandbox(error.to_string()))?;
        // The keeper's people put them there for agents.
        confinement.read.extend(skills.into_iter().filter(|skills| order.read.contains(skills)));
        Ok(confinement)
    }

    async fn run_one(
        &self,
        order: CommandOrder,
        progress: &CallProgress,
    ) -> Result<FinishedCommand, CommandRunError> {
        let lost = |why: &str| CommandRunError::Lost(why.to_owned());
        let Ok(Ok(_running)) = timeout(TURN_WITHIN, self.running.acquire()).await else {
            let why = format!("{RUNNING_MAX} commands run already; try again later");
            return Err(CommandRunError::NotStarted(why));
        };
        let spawn = self.spawn(&order, self.level().await?)?;
        let begun = self.clock.monotonic();
        let started = Process::start(&self.shim, &spawn);
        let (mut process, pipes) =
            started.map_err(|error| CommandRunError::NotStarted(error.to_string()))?;
        let Pipes { stdin, mut stdout, mut stderr } = pipes;
        // There is nothing to read for it.
        drop(stdin);
        let (mut out, mut err) = (CapturedOutput::default(), CapturedOutput::default());
        let finished = timeout(order.limit, async {
            let read = async {
                tokio::join!(
                    drain(&mut stdout, &mut out, |bytes| progress.output(Stdout, bytes)),
                    drain(&mut stderr, &mut err, |bytes| progress.output(Stderr, bytes)),
                );
            };
            tokio::join!(process.ended(), read).0
        })
        .await;
        let end = match finished {
            Ok(ProcessEnd::Code(code)) => CommandEnd::Code(code),
            Ok(ProcessEnd::Signal(signal)) => CommandEnd::Signal(signal),
            Ok(ProcessEnd::NotStarted(why)) => return Err(CommandRunError::NotStarted(why)),
            Ok(ProcessEnd::Lost) => return Err(lost("its supervising process was killed")),
            Err(_) => {
                process.kill();
                let ended = timeout(END_WITHIN, process.ended()).await;
                ended.map_err(|_| lost("it did not end when it was killed"))?;
                CommandEnd::TimedOut
            }
        };
        Ok(FinishedCommand {
            end,
            stdout: out,
            stderr: err,
            duration: self.clock.monotonic().saturating_sub(begun),
        })
    }
}

impl CommandRunner for SandboxedCommands {
    fn run<'a>(
        &'a self,
        order: CommandOrder,
        progress: &'a CallProgress,
    ) -> BoxFuture<'a, Result<FinishedCommand, CommandRunError>> {
        Box::pin(self.run_one(order, progress))
    }
}

/// Reads to the end, so that a command never waits for its reader.
async fn drain(
    from: &mut (impl tokio::io::AsyncRead + Unpin),
    into: &mut CapturedOutput,
    say: impl Fn(&[u8]),
) {
    let mut bytes = vec![0; 16 * 1024];
    while let Ok(count) = from.read(&mut bytes).await
        && count > 0
    {
        let bytes = bytes.get(..count).unwrap_or_default();
        into.push(bytes);
        say(bytes);
    }
}
