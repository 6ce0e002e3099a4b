//! The actor of one ACP agent: starts its process when it is asked, keeps its session, puts one turn to it at a time.
//!
//! Every prompt is an effect on the world: noted as open before it goes out and as closed after. It must never put a turn
//! to the agent a second time as if it were the first, and says *unknown* where it cannot know.

use std::sync::Arc;

use abide_domain::{
    event::{ExitReason, StartCause},
    turn::{MindError, Thought, TurnRequest},
};
use abide_ledger::Storage;
use agent_client_protocol::v1::schema::ContentBlock;
use sha2::{Digest as _, Sha256};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, sleep_until},
};

use super::{
    active_prompt::{ActivePrompt, PromptEnd},
    answer::AnswerBuilder,
    link::{Incoming, LinkError},
    outcome::{PromptOutcome, outcome_of_error, outcome_of_stop, outcome_unknown},
    plan::{PromptPlan, plan_prompt},
    prompt::{self, SessionKnowledge},
    record::{self, PromptRecord, PromptState, SessionRecord, SessionRecordError},
    run::{Ending, Run},
    session::{self, SessionOrigin},
    shared::{AcpShared, AnswerSender, AskedPrompt, HostUpdate, withdrawn},
};
use crate::{lifecycle::Lifecycle, supervisor::ProcessState};

/// One ACP agent over all its runs.
pub(super) struct AcpActor {
    shared: Arc<AcpShared>,
    lifecycle: Lifecycle,
    prompts: mpsc::Receiver<AskedPrompt>,
    run: Option<Run>,
    record: Option<SessionRecord>,
    idle_at: Instant,
}

impl AcpActor {
    pub(super) fn new(
        shared: Arc<AcpShared>,
        lifecycle: Lifecycle,
        prompts: mpsc::Receiver<AskedPrompt>,
    ) -> Self {
        Self { shared, lifecycle, prompts, run: None, record: None, idle_at: Instant::now() }
    }

    /// Serves until the keeper stops or nobody can ask any more.
    pub(super) async fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        loop {
            let is_running = self.run.is_some();
            tokio::select! {
                biased;
                () = shared.stop.cancelled() => break,
                prompt = self.prompts.recv() => match prompt {
                    Some(prompt) => self.serve(prompt).await,
                    None => break,
                },
                idle = poll_idle_run(self.run.as_mut()), if is_running => {
                    if let Err(error) = idle {
                        self.end_broken_idle_run(error).await;
                    }
                }
                () = self.lifecycle.room_again() => {
                    self.lifecycle.update_status(|status| status.state = ProcessState::NotStarted);
                }
                () = sleep_until(self.idle_at), if is_running => {
                    self.end_run(ExitReason::Hibernated).await;
                    self.lifecycle.update_status(|status| status.state = ProcessState::Hibernated);
                }
            }
        }
        self.prompts.close();
        self.end_run(ExitReason::Shutdown).await;
    }

    async fn serve(&mut self, prompt: AskedPrompt) {
        let AskedPrompt { request, updates, mut answering } = prompt;
        if answering.is_closed() {
            return;
        }
        let answer = self.answer(&request, &updates, &mut answering).await;
        self.idle_at = Instant::now() + self.shared.settings.idle_after;
        let state = match &self.run {
            Some(run) => {
                self.lifecycle.show_failures(run.began_at);
                ProcessState::Ready
            }
            None => self.state_without_run(),
        };
        let message = answer.as_ref().err().map(ToString::to_string);
        self.lifecycle.update_status(|status| {
            status.state = state;
            status.message = message;
        });
        // Whoever asked may have gone meanwhile.
        drop(answering.send(answer));
    }

    async fn answer(
        &mut self,
        request: &TurnRequest,
        updates: &mpsc::Sender<HostUpdate>,
        answering: &mut AnswerSender,
    ) -> Result<Thought, MindError> {
        self.read_record(request).await?;
        let last = self.record.as_ref().and_then(|record| record.prompt.as_ref());
        let plan = plan_prompt(last, request);
        if let PromptPlan::Replay(answer) = plan {
            return Ok(answer.into_thought());
        }
        let origin = self.prepare(request, &plan, answering).await?;
        if let Some(evidence) = origin.evidence() {
            drop(updates.send(HostUpdate::Report(evidence)).await);
        }
        if answering.is_closed() {
            return Err(MindError::Unavailable { message: "the turn was withdrawn".into() });
        }
        let digest = hex::encode(Sha256::digest(request.system.as_bytes()));
        let knowledge = match (&origin, &self.record) {
            (SessionOrigin::New { .. }, _) => SessionKnowledge::Nothing,
            (_, Some(record)) if record.context == digest => SessionKnowledge::All,
            _ => SessionKnowledge::OldContext,
        };
        let blocks = prompt::blocks(request, &plan, knowledge, origin.findings())?;
        self.open(request, digest).await?;
        self.prompt(blocks, updates, answering).await
    }

    /// Reads the session record, once.
    async fn read_record(&mut self, request: &TurnRequest) -> Result<(), MindError> {
        if self.record.is_some() {
            return Ok(());
        }
        let agent = self.shared.spec.agent.clone();
        let home = self.shared.home.clone();
        let read = on_disk(move || record::read(&*record::folder(&home, agent.as_str())?)).await;
        self.record = Some(match read {
            Ok(record) => record,
            Err(error @ SessionRecordError::Disk { .. }) => return Err(unavailable(&error)),
            Err(error @ SessionRecordError::Damaged { .. }) if request.attempt > 1 => {
                return Err(outcome_unknown(&error.to_string()));
            }
            Err(error) => {
                tracing::error!(agent = %self.shared.spec.agent, event = "session_record_damaged", %error, "the session record of an ACP agent is damaged; its session is lost");
                SessionRecord::default()
            }
        });
        Ok(())
    }

    /// Makes the process ready and restores the session, or makes one.
    async fn prepare(
        &mut self,
        request: &TurnRequest,
        plan: &PromptPlan,
        answering: &mut AnswerSender,
    ) -> Result<SessionOrigin, MindError> {
        let mut run = match self.run.take() {
            Some(run) => run,
            None => self.start(answering).await?,
        };
        self.lifecycle.update_status(|status| status.state = ProcessState::Busy);
        let record = self.record.get_or_insert_default();
        match session::bring_session(&self.shared, &mut run, record, plan, request.epoch).await {
            Ok(origin) => {
                self.run = Some(run);
                Ok(origin)
            }
            Err(session::SessionError::Link(error)) => {
                Err(match run.end_broken(&mut self.lifecycle, error).await {
                    // It was not at work on the turn.
                    MindError::Crashed { message } => MindError::Unavailable { message },
                    error => error,
                })
            }
            Err(session::SessionError::Mind(error)) => {
                self.run = Some(run);
                Err(error)
            }
        }
    }

    /// Starts the process, once the restart policy allows it and as long as somebody waits for it; not at all while there is
    /// no room on its part of the disk.
    async fn start(&mut self, answering: &mut AnswerSender) -> Result<Run, MindError> {
        if let Some(message) = self.lifecycle.hold_reason() {
            return Err(MindError::Unavailable { message });
        }
        let wait = self.lifecycle.next_start_at().saturating_sub(self.lifecycle.monotonic());
        if !wait.is_zero() {
            let until = self.lifecycle.now().plus(wait);
            self.lifecycle.update_status(|status| status.state = ProcessState::Waiting { until });
            tokio::select! {
                () = self.shared.stop.cancelled() => return Err(withdrawn()),
                () = answering.closed() => return Err(withdrawn()),
                () = sleep(wait) => {}
            }
        }
        let is_first = self.lifecycle.failures() == 0;
        let cause = if is_first { StartCause::Stimulus } else { StartCause::Restart };
        Run::start(&self.shared, &mut self.lifecycle, cause).await
    }

    /// Records that the prompt is about to go out.
    async fn open(&mut self, request: &TurnRequest, context: String) -> Result<(), MindError> {
        let mut record = self.record.clone().unwrap_or_default();
        record.context = context;
        record.prompt = Some(PromptRecord {
            epoch: request.epoch,
            turn: request.turn,
            attempt: request.attempt,
            state: PromptState::Open,
        });
        self.write_record(record.clone()).await.map_err(|error| unavailable(&error))?;
        self.record = Some(record);
        Ok(())
    }

    /// Records what became of the prompt. Where that fails it stays open on the disk, which is the safe side.
    async fn close(&mut self, state: Option<PromptState>, cost_microusd: Option<u64>) {
        let record = self.record.get_or_insert_default();
        record.cost_microusd = cost_microusd.or(record.cost_microusd);
        match state {
            Some(PromptState::Open) => return,
            Some(state) => {
                if let Some(prompt) = &mut record.prompt {
                    prompt.state = state;
                }
            }
            None => record.prompt = None,
        }
        let record = record.clone();
        if let Err(error) = self.write_record(record).await {
            tracing::error!(agent = %self.shared.spec.agent, event = "prompt_end_not_recorded", %error, "the end of a prompt to an ACP agent could not be recorded");
        }
    }

    async fn write_record(&self, record: SessionRecord) -> Result<(), SessionRecordError> {
        let (home, agent) = (self.shared.home.clone(), self.shared.spec.agent.clone());
        on_disk(move || {
            let folder: Arc<dyn Storage> = record::folder(&home, agent.as_str())?;
            record::write(&*folder, &record)
        })
        .await
    }

    /// Sends the prompt and waits for its end.
    async fn prompt(
        &mut self,
        blocks: Vec<ContentBlock>,
        updates: &mpsc::Sender<HostUpdate>,
        answering: &mut AnswerSender,
    ) -> Result<Thought, MindError> {
        let session = self.record.as_ref().and_then(|record| record.session_id.clone());
        let (Some(mut run), Some(session)) = (self.run.take(), session) else {
            return Err(outcome_unknown("the agent has no session"));
        };
        let context = (&*self.shared, &self.lifecycle, updates);
        let begun = ActivePrompt::begin(context, &mut run, &session, blocks);
        let (end, answer, cost) = match begun {
            Err(error) => (PromptEnd::Broken(error), AnswerBuilder::default(), None),
            Ok(mut prompt) => {
                let end = prompt.run(answering).await;
                (end, prompt.answer, prompt.cost_microusd)
            }
        };
        let before = self.record.as_ref().and_then(|record| record.cost_microusd);
        let spent = cost.zip(before).map(|(now, before)| now.saturating_sub(before));
        let (state, answer) = match end {
            PromptEnd::Stopped(response) => match outcome_of_stop(&response, answer, spent) {
                Ok(outcome) => {
                    self.run = Some(run);
                    outcome
                }
                Err(error) => self.end_broken_run(run, error).await,
            },
            PromptEnd::Failed(error) => {
                let (state, is_gone, answer) = outcome_of_error(&error);
                if is_gone {
                    run.session = None;
                }
                self.run = Some(run);
                (state, Err(answer))
            }
            PromptEnd::Broken(error) => self.end_broken_run(run, error).await,
            PromptEnd::Withdrawn { is_yielded: true } => {
                self.run = Some(run);
                let why = "it was told to stop, because it took too long or was cancelled".into();
                (Some(PromptState::Cut { why }), Err(withdrawn()))
            }
            PromptEnd::Withdrawn { is_yielded: false } => {
                let why = Some("it did not stop when it was told to".into());
                run.end(&mut self.lifecycle, ExitReason::Deadline, Ending::Kill, why).await;
                (Some(PromptState::Open), Err(withdrawn()))
            }
        };
        self.close(state, cost).await;
        answer
    }

    async fn end_broken_run(&mut self, run: Run, error: LinkError) -> PromptOutcome {
        (Some(PromptState::Open), Err(run.end_broken(&mut self.lifecycle, error).await))
    }

    /// The process ended, or broke the protocol, while nothing was asked of it.
    async fn end_broken_idle_run(&mut self, error: LinkError) {
        let Some(run) = self.run.take() else { return };
        let message = run.end_broken(&mut self.lifecycle, error).await.to_string();
        let state = self.state_without_run();
        self.lifecycle.update_status(|status| {
            status.state = state;
            status.message = Some(message);
        });
    }

    fn state_without_run(&self) -> ProcessState {
        match self.lifecycle.hold_reason() {
            Some(_) => ProcessState::OverDiskLimit,
            None => ProcessState::NotStarted,
        }
    }

    async fn end_run(&mut self, reason: ExitReason) {
        if let Some(run) = self.run.take() {
            run.end(&mut self.lifecycle, reason, Ending::Graceful, None).await;
        }
    }
}

/// Reads from an agent that nothing is asked of: notifications are ignored, requests are refused.
async fn poll_idle_run(run: Option<&mut Run>) -> Result<(), LinkError> {
    let Some(run) = run else { return std::future::pending().await };
    match run.next().await? {
        Incoming::Request { id, .. } => run.refuse(id),
        Incoming::Response { .. } | Incoming::Notification { .. } => Ok(()),
    }
}

fn unavailable(error: &dyn std::error::Error) -> MindError {
    MindError::Unavailable { message: error.to_string() }
}

async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SessionRecordError> + Send + 'static,
) -> Result<T, SessionRecordError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(SessionRecordError::Disk { doing: "reach", source: std::io::Error::other(error) })
    })
}
