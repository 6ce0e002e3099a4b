//! A second process of an agent's program, for a trial: restored from a checkpoint of the agent, asked like it, and heard by nobody.
//!
//! It is supervised as every process is, in folders of its own. Nothing of it is recorded: its operations, checkpoints, evidence and
//! proposals go into its own folders or nowhere, and it is never the agent. Whoever makes it removes its folders.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use abide_domain::{AgentId, Clock, IdSource};
use abide_engine::mind::Mind;
use abide_ledger::{
    FileStorage,
    storage::{Access, Storage as _, read_up_to, replace_file},
};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    agent::AgentActor,
    checkpoint::list_checkpoints,
    lifecycle::LifecycleParts,
    mind::AgentMind,
    process::ShimCommand,
    recorder::Recorder,
    shared::SharedResources,
    supervisor::{
        AgentSpec, Command, LoadedCandidate, ProcessCommandError, ProcessStatus, ProgramCode,
        ProgramCodes, Reply, SupervisorSettings, SupervisorTask, WithCodes,
    },
};

/// Commands that may wait for a shadow.
const COMMANDS_MAX: usize = 16;

/// What a shadow is made of.
#[derive(Debug)]
pub struct ShadowParts {
    /// A home of its own: its private state is in `agents/<id>/` under it.
    pub home: PathBuf,
    /// For silence, deadlines and the restart policy.
    pub clock: Arc<dyn Clock>,
    /// Ids of its runs and requests.
    pub ids: Arc<dyn IdSource>,
    /// What it is started under.
    pub shim: ShimCommand,
    /// How long everything may take.
    pub settings: SupervisorSettings,
    /// The agent, with what differs of its launch.
    pub spec: AgentSpec,
}

/// A second process of an agent's program.
#[derive(Debug)]
pub struct Shadow {
    agent: AgentId,
    commands: mpsc::Sender<Command>,
    status: watch::Receiver<ProcessStatus>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    stop: CancellationToken,
}

impl Shadow {
    /// A shadow, and the task that keeps it: it ends with the shadow. It answers nothing before its code is known.
    pub fn new(parts: ShadowParts) -> (Self, SupervisorTask) {
        let ShadowParts { home, clock, ids, shim, mut settings, spec } = parts;
        settings.awaits_code = true;
        let stop = CancellationToken::new();
        let agent = spec.id.clone();
        let lifecycle = LifecycleParts {
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            shim,
            recorder: Recorder::none(),
        };
        let stop_shared = stop.clone();
        let shared = SharedResources { home, ledger: None, lifecycle, settings, stop: stop_shared };
        let (commands, incoming) = mpsc::channel(COMMANDS_MAX);
        let (status_sender, status) = watch::channel(ProcessStatus::default());
        let (metrics, _) = watch::channel(None);
        let actor = AgentActor::new(Arc::new(shared), spec, incoming, status_sender, metrics);
        let task = SupervisorTask::new(format!("shadow of agent {agent}"), actor.run());
        (Self { agent, commands, status, clock, ids, stop }, task)
    }

    /// It as a mind, under a name for people.
    pub fn mind(&self, label: &str) -> Arc<dyn Mind> {
        let (clock, ids) = (Arc::clone(&self.clock), Arc::clone(&self.ids));
        Arc::new(AgentMind::new(label, self.commands.clone(), clock, ids))
    }

    /// Where its process stands.
    pub fn status(&self) -> ProcessStatus {
        self.status.borrow().clone()
    }

    /// Says which code it runs beside its program's own. Until then it answers nothing.
    pub async fn run_code(&self, codes: ProgramCodes) -> Result<(), ProcessCommandError> {
        self.send_command(|reply| Command::RunCode(codes, WithCodes::Nothing(reply))).await
    }

    /// Has it load a candidate after the code that it [runs](Self::run_code).
    pub async fn reload(&self, code: ProgramCode) -> Result<LoadedCandidate, ProcessCommandError> {
        self.send_command(|reply| Command::Reload(Box::new(code), reply)).await
    }

    /// Ends its process, and returns when nothing of it is left.
    pub async fn end(&self) {
        self.stop.cancel();
        self.commands.closed().await;
    }

    async fn send_command<T>(
        &self,
        command: impl FnOnce(Reply<T>) -> Command,
    ) -> Result<T, ProcessCommandError> {
        let (reply, answer) = oneshot::channel();
        let sent = self.commands.send(command(reply)).await;
        sent.map_err(|_| ProcessCommandError::Stopping)?;
        answer.await.unwrap_or(Err(ProcessCommandError::Stopping))
    }

    /// The agent whose program it runs.
    pub fn agent(&self) -> &AgentId {
        &self.agent
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Copies one checkpoint of an agent into the folder of a shadow, both `agents/<id>` of a home. Nothing of the log goes with it.
/// Blocking. Errors: there is no such checkpoint, or a folder cannot be read or written.
pub fn copy_checkpoint(
    (from, to): (&Path, &Path),
    agent: &AgentId,
    checkpoint: Uuid,
) -> io::Result<()> {
    let storage = |folder: &Path| FileStorage::create(&folder.join("checkpoints"));
    let (from, to) = (storage(from)?, storage(to)?);
    let listed = list_checkpoints(&from, agent)?;
    let is_it = |listed: &&crate::ListedCheckpoint| {
        listed.checkpoint.as_ref().is_some_and(|known| known.id == checkpoint)
    };
    let missing = || io::Error::other(format!("there is no checkpoint {checkpoint}"));
    let file = &listed.iter().find(is_it).ok_or_else(missing)?.file;
    let opened = from.open(file, Access::Read)?;
    let length = usize::try_from(opened.size()?).map_err(io::Error::other)?;
    replace_file(&to, file, &read_up_to(&*opened, 0, length)?)
}
