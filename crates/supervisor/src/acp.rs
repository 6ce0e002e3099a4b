//! The mind `acp`: any agent that speaks the Agent Client Protocol over its stdin and stdout.
//!
//! Such an agent runs tools of its own, so each prompt to it is one effect on the world: it goes out once for a turn, and
//! what became of it is known, found out by the agent itself in its own session, or said to be unknown. Its work is
//! recorded as evidence, its requests for permission are questions to a person, its session lasts as long as the agent
//! can keep it. It must never run a tool of ours, and never ask again what may have been done.
//!
//! Reading order: this file, the mind's side; the `actor` with its `plan`, `record` and `outcome`; its `session` (and a
//! `replay` of it), the `prompt`, the `active_prompt` (`answer`, `evidence`, `permission`); the `run` of its process, and
//! the `link` to it.

use std::sync::Arc;

use abide_domain::turn::{MindError, Thought, TurnRequest};
use abide_engine::mind::{Mind, MindHost};
use futures_util::{FutureExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::{
    disk_limit::{DiskLimit, DiskLimitParts},
    lifecycle::{Lifecycle, LifecycleParts},
    recorder::recorder,
    supervisor::{ProcessStatus, SupervisorTask},
};

mod active_prompt;
mod actor;
mod answer;
mod error_text;
mod evidence;
mod link;
mod outcome;
mod permission;
mod plan;
mod prompt;
mod record;
mod replay;
mod run;
mod session;
mod shared;
mod spec;

#[cfg(test)]
mod trial;

pub use spec::{AcpParts, AcpSettings, AcpSpec};

use shared::{AcpShared, AskedPrompt, HostUpdate};

/// Turns that may wait for one agent.
const PROMPTS_MAX: usize = 4;
/// Updates that may wait for the host; the agent waits when that is full. A piece is at most as long as a reply.
const UPDATES_MAX: usize = 64;

/// A mind that is an ACP agent. Costs nothing to clone.
#[derive(Clone, Debug)]
pub struct AcpMind {
    label: String,
    prompts: mpsc::Sender<AskedPrompt>,
    status: watch::Receiver<ProcessStatus>,
    stop: CancellationToken,
}

impl AcpMind {
    /// Makes a mind, and the task that it needs to be run. Starts nothing: the first turn does.
    pub fn new(parts: AcpParts) -> (Self, SupervisorTask) {
        let AcpParts { home, ledger, clock, ids, shim, settings, spec } = parts;
        let (recorder, recording) = recorder(ledger);
        let (prompts, incoming) = mpsc::channel(PROMPTS_MAX);
        let (sender, status) = watch::channel(ProcessStatus::default());
        let stop = CancellationToken::new();
        let mind = Self { label: spec.label.clone(), prompts, status, stop: stop.clone() };
        let name = format!("acp agent {}", spec.agent);
        let parts = LifecycleParts { clock, ids, shim, recorder };
        let disk = spec.limits.disk_bytes.map(|bytes| {
            let (home, agent, interval) =
                (home.clone(), spec.agent.clone(), settings.disk_interval);
            DiskLimit::new(DiskLimitParts { home, agent, bytes, interval })
        });
        let lifecycle = Lifecycle::new(spec.agent.clone(), parts, sender, disk);
        let shared = AcpShared { home, spec, settings, stop };
        let actor = actor::AcpActor::new(Arc::new(shared), lifecycle, incoming);
        let future = async move {
            tokio::join!(actor.run(), recording.run());
        };
        (mind, SupervisorTask { name, future: future.boxed() })
    }

    /// The state of its process. Such an agent has no checkpoints and no write-ahead log.
    pub fn status(&self) -> ProcessStatus {
        self.status.borrow().clone()
    }

    /// The state of its process, and each change of it.
    pub fn status_changes(&self) -> watch::Receiver<ProcessStatus> {
        self.status.clone()
    }

    /// Ends it: the open turn is withdrawn, the process is asked to end, then killed. Returns when nothing of it is left.
    pub async fn shutdown(&self) {
        self.stop.cancel();
        let mut status = self.status.clone();
        // The sender goes with the actor.
        while status.changed().await.is_ok() {}
    }

    /// Asks one turn. Dropping the future withdraws it: the agent is told to stop, and killed with its tree if it does not.
    ///
    /// Errors: [`MindError::Crashed`] where the process ended; [`MindError::Rejected`] where asking again cannot help,
    /// and where the outcome of an earlier asking is unknown.
    pub async fn prompt(
        &self,
        request: &TurnRequest,
        host: &dyn MindHost,
    ) -> Result<Thought, MindError> {
        let stopping = || MindError::Unavailable { message: "the keeper is stopping".into() };
        let (answering, mut answer) = oneshot::channel();
        let (updates, mut incoming) = mpsc::channel(UPDATES_MAX);
        let prompt = AskedPrompt { request: request.clone(), updates, answering };
        self.prompts.send(prompt).await.map_err(|_| stopping())?;
        let mut questions = FuturesUnordered::new();
        loop {
            tokio::select! {
                biased;
                Some(()) = questions.next(), if !questions.is_empty() => {}
                Some(update) = incoming.recv() => match update {
                    HostUpdate::Delta(delta) => host.delta(delta),
                    HostUpdate::Report(evidence) => host.report(evidence).await,
                    HostUpdate::Ask(asked, reply) => questions.push(async move {
                        // A prompt that is over needs no answer.
                        _ = reply.send(host.ask(asked).await.is_ok());
                    }),
                },
                answer = &mut answer => return answer.unwrap_or_else(|_| Err(stopping())),
            }
        }
    }
}

impl Mind for AcpMind {
    fn works_elsewhere(&self) -> bool {
        true
    }

    fn name(&self) -> String {
        self.label.clone()
    }

    fn think<'a>(
        &'a self,
        request: &'a TurnRequest,
        host: &'a dyn MindHost,
    ) -> BoxFuture<'a, Result<Thought, MindError>> {
        Box::pin(self.prompt(request, host))
    }
}
