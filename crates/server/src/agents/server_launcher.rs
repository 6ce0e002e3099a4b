//! Starts servers of the Model Context Protocol: each as a tree of processes of its own under a shim, confined as agents' processes
//! are, with a folder of its own as its `HOME`. Asked by the connection to a server whenever it has to begin anew.
//!
//! What a server keeps in that folder is measured before it starts and while it runs (`abide_supervisor::DiskLimit`); above its limit it is
//! ended, and not started before there is room.
//!
//! It must never start a server less confined than the configuration says, nor leave a process of it behind.

use std::{
    ffi::OsString,
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use abide_domain::{AgentId, Clock, RunId};
use abide_mcp::{LaunchError, LaunchRequest, LaunchedServer, ServerLauncher, ServerProcess};
use abide_supervisor::{
    Confinement, ConfinementLevel, DiskExcess, DiskLimit, DiskWatch, Pipes, Process, ProcessEnd,
    ProcessLimits, ShimCommand, Spawn, environment,
};
use futures_util::future::BoxFuture;
use tokio::{sync::watch, task::JoinSet};
use tokio_util::sync::CancellationToken;

use super::{
    confine::{confine, megabytes, temporary_files},
    grants::GrantSource,
    process_setup::SHIM,
    sandbox,
    sandbox_probe::SandboxProbe,
};
use crate::{
    config::{Environment, McpSection, NetworkKind, SandboxMode, Settings},
    home::Home,
    system::SystemIds,
};

/// Where in that folder its temporary files go.
const TEMPORARY_FOLDER: &str = "tmp";

/// What all servers are started with.
#[derive(Clone, Debug)]
pub(crate) struct SandboxedServers {
    home: Home,
    mode: SandboxMode,
    keepers: Environment,
    shim: ShimCommand,
    clock: Arc<dyn Clock>,
    probe: Arc<SandboxProbe>,
}

impl SandboxedServers {
    /// As the configuration says. Errors: the program's own file is not known.
    pub(crate) fn new(
        home: &Home,
        settings: &Settings,
        keepers: &Environment,
        (clock, probe): (Arc<dyn Clock>, Arc<SandboxProbe>),
    ) -> io::Result<Self> {
        Ok(Self {
            home: home.clone(),
            mode: settings.supervisor.sandbox,
            keepers: keepers.clone(),
            shim: ShimCommand { program: std::env::current_exe()?, args: vec![SHIM.into()] },
            clock,
            probe,
        })
    }

    /// What starts one server, as its section says.
    pub(crate) fn launcher_of(&self, section: &McpSection) -> SandboxedServer {
        let disk = server_disk_limit(&self.home, section);
        SandboxedServer { servers: self.clone(), section: section.clone(), disk }
    }

    async fn start(
        &self,
        server: &SandboxedServer,
        request: &LaunchRequest,
    ) -> io::Result<LaunchedServer> {
        let SandboxedServer { section, disk, .. } = server;
        if let Some(disk) = disk
            && let Some(excess) = disk.excess().await
        {
            return Err(io::Error::other(too_much(&excess, section)));
        }
        let folder = self.home.server_folder(&section.name);
        let temporary = folder.join(TEMPORARY_FOLDER);
        let made = temporary.clone();
        let make = move || std::fs::DirBuilder::new().recursive(true).mode(0o700).create(made);
        tokio::task::spawn_blocking(make).await.map_err(io::Error::other)??;
        let level = self.level(section).await?;
        let shared =
            level.map_or_else(|| temporary.clone(), |level| temporary_files(level, &temporary));
        let more = [("HOME", folder.clone().into()), ("TMPDIR", shared.into())];
        let environment =
            environment(&self.keepers.all().collect::<Vec<_>>(), &request.environment, &more);
        let confinement = match level {
            Some(level) => Some(self.confine(
                section,
                request,
                (level, &environment, &[folder.clone(), temporary]),
            )?),
            None => None,
        };
        let spawn = Spawn {
            program: request.command.clone().into(),
            args: request.args.iter().map(OsString::from).collect(),
            folder,
            environment,
            limits: ProcessLimits {
                memory_bytes: megabytes(section.memory_mb),
                disk_bytes: megabytes(section.disk_mb),
                ..ProcessLimits::default()
            },
            confinement,
            agent: tree_name(&section.name)?,
            run: RunId::new(&SystemIds, self.clock.now()),
        };
        let (process, pipes) = Process::start(&self.shim, &spawn).map_err(io::Error::other)?;
        let Pipes { stdin, stdout, stderr } = pipes;
        Ok(LaunchedServer {
            stdin: Box::new(stdin),
            stdout: Box::new(stdout),
            stderr: Box::new(stderr),
            process: Box::new(ServerTree::follow(process, server)),
        })
    }

    /// How the server is confined; none where nothing is asked for, or nothing holds and that is enough.
    async fn level(&self, section: &McpSection) -> io::Result<Option<ConfinementLevel>> {
        let mode = section.sandbox.unwrap_or(self.mode);
        if mode == SandboxMode::Off {
            if section.network == NetworkKind::None {
                return Err(io::Error::other(
                    "network = \"none\" needs a sandbox, and sandbox is off",
                ));
            }
            return Ok(None);
        }
        let probed = self.probe.get().await?;
        if probed.level.is_none() {
            let detail = sandbox::describe(probed);
            if mode == SandboxMode::Required || section.network == NetworkKind::None {
                return Err(io::Error::other(format!(
                    "it needs a sandbox (sandbox or network), and none can be had here: {detail}"
                )));
            }
            tracing::warn!(
                server = section.name,
                event = "sandbox_left_out",
                detail,
                "a server is not confined"
            );
        }
        Ok(probed.level)
    }

    fn confine(
        &self,
        section: &McpSection,
        request: &LaunchRequest,
        (level, environment, own): (ConfinementLevel, &[(OsString, OsString)], &[PathBuf; 2]),
    ) -> io::Result<Confinement> {
        let user = self.keepers.get("HOME").map(Path::new).filter(|user| user.is_absolute());
        let source = GrantSource {
            home: self.home.root(),
            user,
            program: Path::new(&request.command),
            args: &request.args,
            folder: &own[0],
            environment,
            read: &section.read,
            write: &section.write,
        };
        confine(level, section.network.into(), (&source, own)).map_err(io::Error::other)
    }
}

/// Starts one server in the sandbox.
#[derive(Clone, Debug)]
pub(crate) struct SandboxedServer {
    servers: SandboxedServers,
    section: McpSection,
    /// What it may keep in its folder; none where that has no limit.
    disk: Option<DiskLimit>,
}

impl SandboxedServer {
    /// What it kept in its folder when that was measured last, and what it may keep there, in bytes.
    pub(crate) fn disk(&self) -> Option<(u64, u64)> {
        let newest = self.disk.as_ref()?.newest()?;
        Some((newest, megabytes(self.section.disk_mb)?))
    }
}

/// What a server may keep in its folder; none where that has no limit, or nothing of it runs here.
pub(crate) fn server_disk_limit(home: &Home, section: &McpSection) -> Option<DiskLimit> {
    let bytes = megabytes(section.disk_mb).filter(|_| section.url.is_empty())?;
    let named = (home.server_folder(&section.name), format!("mcp/{}", section.name));
    Some(DiskLimit::of_folder(tree_name(&section.name).ok()?, named, bytes))
}

/// What is wrong, and what to do.
pub(crate) fn too_much(excess: &DiskExcess, section: &McpSection) -> String {
    format!(
        "it {excess}, and does not run until there is room: delete what is not needed in that folder of the home, or \
         raise `disk_mb` of its [[mcp]] (now {}) and run `abide mcp reload`",
        section.disk_mb
    )
}

/// How the tree of a server is known to the supervisor. A name of a server may begin with what an agent's id may not.
fn tree_name(server: &str) -> io::Result<AgentId> {
    format!("mcp-{server}").parse().map_err(io::Error::other)
}

impl ServerLauncher for SandboxedServer {
    fn launch<'a>(
        &'a self,
        request: &'a LaunchRequest,
    ) -> BoxFuture<'a, Result<LaunchedServer, LaunchError>> {
        Box::pin(async move {
            let started = self.servers.start(self, request).await;
            started.map_err(|cause| LaunchError { command: request.command.clone(), cause })
        })
    }
}

/// The processes of a server. With its drop all of them end.
#[derive(Debug)]
struct ServerTree {
    pid: u32,
    kill: CancellationToken,
    end: watch::Receiver<Option<ProcessEnd>>,
    /// That it was ended for what it keeps on the disk.
    excess: Arc<OnceLock<String>>,
    /// Holds the processes. Where it is dropped, their shim ends them.
    follower: JoinSet<()>,
}

impl ServerTree {
    fn follow(mut process: Process, server: &SandboxedServer) -> Self {
        let (sender, end) = watch::channel(None);
        let mut disk = DiskWatch::until_exceeded(server.disk.as_ref());
        let section = server.section.clone();
        let excess: Arc<OnceLock<String>> = Arc::default();
        let found = Arc::clone(&excess);
        let (pid, kill) = (process.pid(), CancellationToken::new());
        let mut tree = Self { pid, kill, end, excess, follower: JoinSet::new() };
        let kill = tree.kill.clone();
        let follow = async move {
            let left = tokio::select! {
                ended = process.ended() => Some(ended),
                () = kill.cancelled() => None,
                excess = disk.seen() => {
                    tracing::warn!(server = section.name, event = "disk_limit_exceeded", detail = %excess, "a server was ended: it keeps more on the disk than it may");
                    // Nothing else sets it.
                    drop(found.set(too_much(&excess, &section)));
                    None
                }
            };
            let ended = if let Some(ended) = left {
                ended
            } else {
                process.kill();
                process.ended().await
            };
            sender.send_replace(Some(ended));
        };
        tree.follower.spawn(follow);
        tree
    }
}

impl ServerProcess for ServerTree {
    fn pid(&self) -> Option<u32> {
        Some(self.pid)
    }

    fn has_left(&self) -> bool {
        self.end.borrow().is_some()
    }

    fn kill(&mut self) {
        self.kill.cancel();
    }

    fn wait(&mut self) -> BoxFuture<'_, String> {
        Box::pin(async move {
            let ended = self.end.wait_for(Option::is_some).await;
            if let Some(excess) = self.excess.get() {
                return excess.clone();
            }
            match ended.ok().and_then(|ended| ended.clone()) {
                Some(ProcessEnd::Code(code)) => format!("exit code {code}"),
                Some(ProcessEnd::Signal(signal)) => format!("signal {signal}"),
                Some(ProcessEnd::NotStarted(why)) => format!("it did not start: {why}"),
                Some(ProcessEnd::Lost) | None => "its supervising process was killed".to_owned(),
            }
        })
    }
}
