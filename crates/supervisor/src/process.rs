//! One running agent with everything that it started: started, asked to end, killed, and known to be gone.
//!
//! The keeper starts `abide shim` ([`crate::shim`]), hands it the three streams of the agent and keeps the other ends; the
//! bytes never pass through the shim. Dropping a [`Process`] ends its tree, for the shim sees its socket close. It must
//! never say that a run has ended while anything of it is left: the next run begins on that word.

mod cgroup;
mod environment;
mod sweep;

use std::{
    ffi::OsString,
    io,
    os::{fd::OwnedFd, unix::net::UnixStream as StdStream},
    path::PathBuf,
    process::{self, ExitStatus, Stdio as Stream},
};

use abide_domain::{AgentId, RunId};
use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    io::AsyncReadExt as _,
    net::UnixStream,
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};

use self::environment::{AGENT_VARIABLE, RUN_VARIABLE};
pub use self::{cgroup::limits_memory_of_trees, environment::environment};
use crate::confinement::Confinement;
pub use crate::shim::order::ProcessLimits;
use crate::shim::{
    cgroup as group,
    control::{ShimRequest, Stdio, send_request, send_stdio},
    order::Order,
    report::{REPORT_BYTES_MAX, ShimReport},
};

/// How the shim is started; usually the `abide` binary with `shim`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShimCommand {
    /// The binary.
    pub program: PathBuf,
    /// What makes a shim of it.
    pub args: Vec<OsString>,
}

/// What to start.
#[derive(Clone, Debug)]
pub struct Spawn {
    /// A path, taken from `folder`, or a bare name, sought in the `PATH` of `environment`.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Where it works.
    pub folder: PathBuf,
    /// All of its environment but `ABIDE_RUN` and `ABIDE_AGENT`, which are added; see [`environment`].
    pub environment: Vec<(OsString, OsString)>,
    /// What it may use.
    pub limits: ProcessLimits,
    /// What it is confined to, if to anything.
    pub confinement: Option<Confinement>,
    /// Whose run it is.
    pub agent: AgentId,
    /// Which run it is.
    pub run: RunId,
}

/// The agent's three streams.
#[derive(Debug)]
pub struct Pipes {
    /// To it.
    pub stdin: ChildStdin,
    /// From it.
    pub stdout: ChildStdout,
    /// Its stderr; see [`crate::StderrLog`].
    pub stderr: ChildStderr,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessEnd {
    /// By itself, with this code.
    Code(i32),
    /// By this signal, its own, the keeper's or another process's.
    Signal(i32),
    /// It never ran, for this reason.
    NotStarted(String),
    /// Its shim was killed, and the rest of the tree after it; how the agent ended is unknown.
    Lost,
}

/// The keeper itself could not start a shim; the agent's program is not to blame.
#[derive(Debug, thiserror::Error)]
pub enum ShimStartError {
    /// Too many open files, most often.
    #[error("cannot create the pipes of an agent's process")]
    Pipes(#[source] io::Error),
    /// The binary is gone, or the system has no room for another process.
    #[error("cannot start the shim {program}")]
    Shim {
        /// What was to be started.
        program: PathBuf,
        /// Why it was not.
        #[source]
        source: io::Error,
    },
}

/// One running tree.
#[derive(Debug)]
pub struct Process {
    shim: Child,
    shim_pid: u32,
    control: UnixStream,
    /// A line of report that is not whole yet.
    unread: Vec<u8>,
    agent: AgentId,
    run: RunId,
    agent_pid: Option<u32>,
    cgroup: Option<PathBuf>,
    /// The shim's socket is at its end: nothing more will be reported.
    closed: bool,
    ended: Option<ProcessEnd>,
}

impl Process {
    /// Starts a shim and hands it the agent's streams. Returns before the program runs: see [`Self::started`]. To be called
    /// inside of a tokio runtime with I/O; takes about as long as one fork.
    ///
    /// Errors: [`ShimStartError`]. A program that cannot be started is no error here, but [`ProcessEnd::NotStarted`].
    pub fn start(shim: &ShimCommand, spawn: &Spawn) -> Result<(Self, Pipes), ShimStartError> {
        let (pipes, stdio) = pipes().map_err(ShimStartError::Pipes)?;
        let (control, socket) = StdStream::pair().map_err(ShimStartError::Pipes)?;
        control.set_nonblocking(true).map_err(ShimStartError::Pipes)?;
        let control = UnixStream::from_std(control).map_err(ShimStartError::Pipes)?;
        let cgroup = cgroup::create(spawn.run, &spawn.limits);
        let order = Order {
            limits: spawn.limits,
            cgroup: cgroup.clone(),
            confinement: spawn.confinement.clone(),
            folder: spawn.folder.clone(),
            program: spawn.program.clone(),
            args: spawn.args.clone(),
        };
        let started = Command::new(&shim.program)
            .args(&shim.args)
            .args(order.to_args())
            .env_clear()
            .envs(spawn.environment.iter().map(|(name, value)| (name, value)))
            .env(RUN_VARIABLE, spawn.run.to_string())
            .env(AGENT_VARIABLE, spawn.agent.to_string())
            .stdin(Stream::from(OwnedFd::from(socket)))
            .stdout(Stream::null())
            .stderr(Stream::null())
            .spawn();
        let child = started.map_err(|source| {
            if let Some(folder) = &cgroup {
                group::remove(folder);
            }
            ShimStartError::Shim { program: shim.program.clone(), source }
        })?;
        let process = Self {
            shim_pid: child.id().unwrap_or_default(),
            shim: child,
            control,
            unread: Vec::new(),
            agent: spawn.agent.clone(),
            run: spawn.run,
            agent_pid: None,
            cgroup,
            closed: false,
            ended: None,
        };
        // A shim that has died already cannot take them, and is found by `ended`.
        send_stdio(&process.control, &stdio).ok();
        Ok((process, pipes))
    }

    /// The shim's process id: the root of the tree, known from the start.
    pub fn pid(&self) -> u32 {
        self.shim_pid
    }

    /// The agent's own process id, once [`Self::started`] or [`Self::ended`] has read it.
    pub fn agent_pid(&self) -> Option<u32> {
        self.agent_pid
    }

    /// Waits until the program runs and gives its process id, or `None` if it never will; [`Self::ended`] then says why.
    /// Cancel-safe.
    pub async fn started(&mut self) -> Option<u32> {
        while self.agent_pid.is_none() && self.ended.is_none() && self.read_reports().await {}
        self.agent_pid
    }

    /// Waits until the whole tree is gone and collected, and says how the agent ended; the same again if asked again.
    /// Cancel-safe.
    pub async fn ended(&mut self) -> ProcessEnd {
        while self.read_reports().await {}
        let status = self.shim.wait().await;
        if let Some(ended) = &self.ended {
            return ended.clone();
        }
        if let Some(folder) = &self.cgroup {
            group::kill(folder);
        }
        sweep::sweep(self.run).await;
        if let Some(folder) = &self.cgroup {
            group::remove(folder);
        }
        let ended = self.without_report(&status);
        self.ended.insert(ended).clone()
    }

    /// Asks every process of the tree to end (`SIGTERM`). Never waits.
    pub fn terminate(&self) {
        send_request(&self.control, ShimRequest::Terminate);
    }

    /// Ends the whole tree (`SIGKILL`), processes in other sessions and stopped ones too. Never waits: see [`Self::ended`].
    pub fn kill(&self) {
        send_request(&self.control, ShimRequest::Kill);
        // Somebody may have stopped the shim, which then could do nothing. Its number is its own until it is collected.
        let shim = self.shim.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(shim) = shim {
            kill_process(shim, Signal::CONT).ok();
        }
    }

    /// Reads the next reports of the shim; false once there will be no more.
    async fn read_reports(&mut self) -> bool {
        let mut bytes = [0; 512];
        if self.closed {
            return false;
        }
        match self.control.read(&mut bytes).await {
            Ok(count) if count > 0 => {
                self.unread.extend(bytes.iter().take(count));
                self.take_lines();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => self.closed = true,
        }
        !self.closed
    }

    fn take_lines(&mut self) {
        while let Some(end) = memchr::memchr(b'\n', &self.unread) {
            let line: Vec<u8> = self.unread.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            if let Some(report) = ShimReport::parse(line.trim_end_matches('\n')) {
                self.handle_report(report);
            } else {
                tracing::warn!(agent = %self.agent, run = %self.run, event = "shim_report_unreadable", "cannot read a report of the shim");
            }
        }
        if self.unread.len() > REPORT_BYTES_MAX {
            self.unread.clear();
        }
    }

    fn handle_report(&mut self, report: ShimReport) {
        match report {
            ShimReport::Started(pid) => self.agent_pid = Some(pid),
            ShimReport::Note(note) => {
                tracing::warn!(agent = %self.agent, run = %self.run, event = "shim_note", note, "the shim reports a problem");
            }
            ShimReport::NotStarted(reason) => self.ended = Some(ProcessEnd::NotStarted(reason)),
            ShimReport::Code(code) => self.ended = Some(ProcessEnd::Code(code)),
            ShimReport::Signal(signal) => self.ended = Some(ProcessEnd::Signal(signal)),
        }
    }

    /// How the agent ended where its shim ended without a report.
    fn without_report(&self, status: &io::Result<ExitStatus>) -> ProcessEnd {
        match status {
            Ok(status) if self.agent_pid.is_none() && status.code().is_some() => {
                ProcessEnd::NotStarted(format!("the shim failed ({status})"))
            }
            _ => ProcessEnd::Lost,
        }
    }
}

/// Our ends and the agent's ends of its streams; each is closed on exec.
fn pipes() -> io::Result<(Pipes, Stdio)> {
    let (stdin, to_agent) = io::pipe()?;
    let (from_agent, stdout) = io::pipe()?;
    let (from_stderr, stderr) = io::pipe()?;
    let pipes = Pipes {
        stdin: ChildStdin::from_std(process::ChildStdin::from(OwnedFd::from(to_agent)))?,
        stdout: ChildStdout::from_std(process::ChildStdout::from(OwnedFd::from(from_agent)))?,
        stderr: ChildStderr::from_std(process::ChildStderr::from(OwnedFd::from(from_stderr)))?,
    };
    Ok((pipes, Stdio { stdin: stdin.into(), stdout: stdout.into(), stderr: stderr.into() }))
}
