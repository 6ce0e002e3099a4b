//! Starts shadows: second processes of an agent's own program, for trials of its changes.
//!
//! A shadow is confined as its agent's process is, without network unless the configuration lets it out, with the agent's folders to be read and folders of its own to be
//! written. It must never be less confined than its agent, nor stay: with the drop of what is given out here it ends, and its folders go.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt::Display,
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use abide_domain::{AgentId, CheckpointId, Clock, IdSource};
use abide_engine::mind::Mind;
use abide_supervisor::{
    AgentSpec, ConfinementLevel, Launch, NetworkAccess, ProcessCommandError, ProgramCode,
    ProgramCodes, Shadow, ShadowParts, ShimCommand, StartMode, SupervisorSettings, copy_checkpoint,
};
use tokio::task::JoinSet;

use super::confine::temporary_files;
use crate::home::Home;

/// Tells a program that it is a shadow.
const SHADOW_VARIABLE: &str = "ABIDE_SHADOW";

/// What shadows are started with.
#[derive(Debug)]
pub(super) struct ShadowLauncherParts {
    pub(super) home: Home,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdSource>,
    pub(super) shim: ShimCommand,
    pub(super) settings: SupervisorSettings,
    /// Whether a shadow has the network that its agent has.
    pub(super) reaches_network: bool,
    /// The agents whose program the keeper starts, each as it is started.
    pub(super) specs: BTreeMap<AgentId, AgentSpec>,
}

/// Starts second processes of agents' own programs.
#[derive(Debug)]
pub(crate) struct ShadowLauncher(ShadowLauncherParts);

/// A second process of an agent's program. With its drop the process ends, and its folders are removed.
#[derive(Debug)]
pub(crate) struct ProgramShadow {
    shadow: Shadow,
    _task: JoinSet<()>,
    _folder: ShadowFolder,
}

/// The folders of one shadow.
#[derive(Debug)]
struct ShadowFolder(PathBuf);

impl ShadowLauncher {
    /// Nothing is started.
    pub(super) fn new(parts: ShadowLauncherParts) -> Self {
        Self(parts)
    }

    /// Removes what shadows of an earlier keeper left. Blocking.
    pub(crate) fn clean(&self) {
        remove(&self.0.home.shadows_folder());
    }

    /// Whether a second process of the agent's program can be started, and in words what it reaches.
    pub(crate) fn describe(&self, agent: &AgentId) -> Option<&'static str> {
        let spec = self.0.specs.get(agent)?;
        let confinement = spec.sandbox.as_ref().and_then(|sandbox| sandbox.confinement.as_ref());
        Some(match confinement {
            Some(confinement)
                if self.0.reaches_network && confinement.network != NetworkAccess::None =>
            {
                "its shadows reach the network as the agent does, and can write to no folder of the agent"
            }
            Some(_) => "its shadows reach no network and can write to no folder of the agent",
            None => {
                "nothing confines its shadows: they reach the network, and write where the agent can"
            }
        })
    }

    /// Starts a second process of the agent's program from a checkpoint of the agent. It answers nothing before its code is known.
    /// Errors are words for people.
    pub(crate) async fn start(
        &self,
        agent: &AgentId,
        checkpoint: CheckpointId,
    ) -> Result<ProgramShadow, String> {
        let ShadowLauncherParts { home, clock, ids, shim, settings, reaches_network, specs } =
            &self.0;
        let spec = specs.get(agent).ok_or("the keeper does not start the agent's process")?.clone();
        let folder = home.shadows_folder().join(ids.uuid(clock.now()).to_string());
        let folder = ShadowFolder(folder);
        let (own, agents) = (folder.0.clone(), home.agent_folder(agent));
        let whose = agent.clone();
        let make = move || make_folders((&own, &agents), &whose, checkpoint);
        let made = tokio::task::spawn_blocking(make).await.map_err(in_words)?;
        made.map_err(|error| format!("a shadow of the agent's process cannot be made: {error}"))?;
        let (shadow, task) = Shadow::new(ShadowParts {
            home: folder.0.clone(),
            clock: Arc::clone(clock),
            ids: Arc::clone(ids),
            shim: shim.clone(),
            settings: settings.clone(),
            spec: shadow_spec(spec, &folder.0, *reaches_network),
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(task.future);
        Ok(ProgramShadow { shadow, _task: tasks, _folder: folder })
    }
}

impl ProgramShadow {
    /// It as a mind.
    pub(crate) fn mind(&self) -> Arc<dyn Mind> {
        self.shadow.mind("shadow")
    }

    /// Says which code it runs beside its program's own.
    pub(crate) async fn run_code(&self, codes: ProgramCodes) -> Result<(), ProcessCommandError> {
        self.shadow.run_code(codes).await
    }

    /// Has it load a candidate as well.
    pub(crate) async fn load(&self, code: ProgramCode) -> Result<(), ProcessCommandError> {
        self.shadow.reload(code).await?.confirm();
        Ok(())
    }

    /// Bytes of memory that its program has, without what it started; none where that cannot be seen.
    pub(crate) fn memory_bytes(&self) -> Option<u64> {
        let pid = self.shadow.status().pid?;
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
        Some(kilobytes.saturating_mul(1024))
    }
}

impl Drop for ShadowFolder {
    fn drop(&mut self) {
        let folder = std::mem::take(&mut self.0);
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(move || remove(&folder))),
            Err(_) => remove(&folder),
        }
    }
}

fn remove(folder: &Path) {
    match std::fs::remove_dir_all(folder) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => {
            tracing::warn!(event = "shadow_folder_stays", folder = %folder.display(), %error, "the folders of a shadow could not be removed; the next start does");
        }
    }
}

fn in_words(error: impl Display) -> String {
    error.to_string()
}

/// Makes the folders of a shadow, with the state of one checkpoint.
fn make_folders(
    (own, agents): (&Path, &Path),
    agent: &AgentId,
    checkpoint: CheckpointId,
) -> io::Result<()> {
    let private =
        |folder: PathBuf| std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    let state = own.join("agents").join(agent.as_str());
    private(state.clone())?;
    private(work_folder(own))?;
    private(temporary_folder(own))?;
    copy_checkpoint((agents, &state), agent, checkpoint.uuid())
}

fn work_folder(own: &Path) -> PathBuf {
    own.join("work")
}

fn temporary_folder(own: &Path) -> PathBuf {
    own.join("tmp")
}

/// An agent's process as its shadow is started: what it could write it can read, and it has folders of its own.
fn shadow_spec(mut spec: AgentSpec, own: &Path, reaches_network: bool) -> AgentSpec {
    spec.start = StartMode::WithKeeper;
    let mut variables: Vec<(OsString, OsString)> = vec![(SHADOW_VARIABLE.into(), "1".into())];
    if let Some(confinement) =
        spec.sandbox.as_mut().and_then(|sandbox| sandbox.confinement.as_mut())
    {
        if !reaches_network {
            confinement.network = NetworkAccess::None;
        }
        let agents = std::mem::take(&mut confinement.write);
        confinement.read.extend(agents);
        confinement.write = vec![work_folder(own), temporary_folder(own)];
        if confinement.level == ConfinementLevel::Restricted {
            let folder = temporary_files(confinement.level, &temporary_folder(own));
            variables.push(("TMPDIR".into(), folder.into()));
        }
    }
    if let Launch::Stdio { environment, .. } = &mut spec.launch {
        environment.retain(|(name, _)| variables.iter().all(|(other, _)| other != name));
        environment.extend(variables);
    }
    spec
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use abide_domain::event::ProcessSandbox;
    use abide_supervisor::{
        AgentSpec, Confinement, ConfinementLevel, Launch, NetworkAccess, ProcessLimits, Sandbox,
        StartMode,
    };

    use super::shadow_spec;

    #[test]
    fn a_shadow_reaches_no_network_and_writes_to_its_own_folders_alone() {
        let confinement = Confinement {
            level: ConfinementLevel::Restricted,
            network: NetworkAccess::Open,
            read: vec!["/opt/felix".into()],
            write: vec!["/home/ada/work".into()],
        };
        let recorded = ProcessSandbox { level: 1, open: Vec::new() };
        let spec = AgentSpec {
            id: "felix".parse().unwrap(),
            launch: Launch::Stdio {
                program: "felix".into(),
                args: Vec::new(),
                folder: "/home/ada/work".into(),
                environment: vec![
                    ("TMPDIR".into(), "/home/ada/tmp".into()),
                    ("A".into(), "b".into()),
                ],
            },
            start: StartMode::Lazy,
            limits: ProcessLimits::default(),
            sandbox: Some(Sandbox { confinement: Some(confinement), recorded }),
        };
        let outside = shadow_spec(spec.clone(), Path::new("/s"), true);
        let network = outside.sandbox.unwrap().confinement.unwrap().network;
        assert_eq!(network, NetworkAccess::Open, "what the agent has, where that is wanted");
        let spec = shadow_spec(spec, Path::new("/s"), false);
        let confinement = spec.sandbox.unwrap().confinement.unwrap();
        assert_eq!(confinement.network, NetworkAccess::None);
        assert_eq!(confinement.write, [Path::new("/s/work"), Path::new("/s/tmp")]);
        assert_eq!(confinement.read, [Path::new("/opt/felix"), Path::new("/home/ada/work")]);
        let Launch::Stdio { environment, .. } = spec.launch else { panic!("no launch") };
        let expected = [("A", "b"), ("ABIDE_SHADOW", "1"), ("TMPDIR", "/s/tmp")];
        assert_eq!(environment, expected.map(|(name, value)| (name.into(), value.into())));
    }
}
