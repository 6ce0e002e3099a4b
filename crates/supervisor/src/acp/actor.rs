//! The actor of one ACP agent: starts its process when it is asked, keeps its session, puts one turn to it at a time.
//!
//! Every prompt is an effect on the world: noted as open before it goes out and as closed after. It must never put a turn
//! to the agent a second time as if it were the first, and says *unknown* where it cannot know.

use std::sync::Arc;

use abide_domain::{
    event::{EvidenceReported, ExitReason, StartCause},
    turn::{MindError, Thought, TurnRequest},
};
use abide_ledger::Storage;
use agent_client_protocol::v1::schema::ContentBlock;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use super::{
    Answering, Ask, House, Item,
    gather::Gather,
    link::{Incoming, LinkError},
    note::{self, Note, NoteError, PromptState, Prompted},
    outcome::{Outcome, answered, denied, unknown},
    plan::{Plan, plan},
    prompt::{self, Knows},
    run::{Parting, Run},
    session::{self, Came},
    turn::{End, Turn},
};
use crate::roster::ProcessState;

/// One ACP agent over all its runs.
pub(super) struct Actor {
    house: Arc<House>,
    asks: mpsc::Receiver<Ask>,
    run: Option<Run>,
    note: Option<Note>,
    idle_at: Instant,
    /// Runs that ended unasked, one after the other.
    failures: u32,
    starts: u64,
}

impl Actor {
    pub(super) fn new(house: Arc<House>, asks: mpsc::Receiver<Ask>) -> Self {
        let idle_at = Instant::now();
        Self { house, asks, run: None, note: None, idle_at, failures: 0, starts: 0 }
    }

    /// Serves until it is told to stop or nobody can ask any more.
    pub(super) async fn run(mut self) {
        let house = Arc::clone(&self.house);
        loop {
            let is_running = self.run.is_some();
            tokio::select! {
                biased;
                () = house.stop.cancelled() => break,
                ask = self.asks.recv() => match ask {
                    Some(ask) => self.serve(ask).await,
                    None => break,
                },
                heard = overhear(self.run.as_mut()), if is_running => {
                    if let Err(error) = heard {
                        self.lost(error).await;
                    }
                }
                () = sleep_until(self.idle_at), if is_running => {
                    self.part(ExitReason::Hibernated, Parting::Kind).await;
                    house.tell(|status| status.state = ProcessState::Hibernated);
                }
            }
        }
        self.asks.close();
        self.part(ExitReason::Shutdown, Parting::Kind).await;
    }

    async fn serve(&mut self, ask: Ask) {
        let Ask { request, items, mut answering } = ask;
        if answering.is_closed() {
            return;
        }
        let answer = self.answer(&request, &items, &mut answering).await;
        self.idle_at = Instant::now() + self.house.settings.idle_after;
        let state = match self.run {
            Some(_) => ProcessState::Ready,
            None => ProcessState::NotStarted,
        };
        let message = answer.as_ref().err().map(ToString::to_string);
        self.house.tell(|status| {
            status.state = state;
            status.message = message;
        });
        // Whoever asked may have gone meanwhile.
        drop(answering.send(answer));
    }

    async fn answer(
        &mut self,
        request: &TurnRequest,
        items: &mpsc::Sender<Item>,
        answering: &mut Answering,
    ) -> Result<Thought, MindError> {
        self.recall(request).await?;
        let last = self.note.as_ref().and_then(|note| note.prompt.as_ref());
        let plan = plan(last, request);
        if let Plan::Again(answer) = plan {
            return Ok(answer.into_thought());
        }
        let came = self.prepare(request, &plan).await?;
        if let Some(evidence) = came.evidence() {
            drop(items.send(Item::Report(evidence)).await);
        }
        if answering.is_closed() {
            return Err(MindError::Unavailable { message: "it was withdrawn".into() });
        }
        let digest = hex::encode(Sha256::digest(request.system.as_bytes()));
        let knows = match (&came, &self.note) {
            (Came::New { .. }, _) => Knows::Nothing,
            (_, Some(note)) if note.context == digest => Knows::All,
            _ => Knows::OldContext,
        };
        let blocks = prompt::blocks(request, &plan, knows, came.traces())?;
        self.open(request, digest).await?;
        self.converse(blocks, items, answering).await
    }

    /// Reads what is durably known, once.
    async fn recall(&mut self, request: &TurnRequest) -> Result<(), MindError> {
        if self.note.is_some() {
            return Ok(());
        }
        let agent = self.house.spec.agent.clone();
        let home = self.house.home.clone();
        let read = on_disk(move || note::read(&*note::folder(&home, agent.as_str())?)).await;
        self.note = Some(match read {
            Ok(note) => note,
            Err(error @ NoteError::Disk { .. }) => return Err(unavailable(&error)),
            Err(error @ NoteError::Damaged { .. }) if request.attempt > 1 => {
                return Err(unknown(&error.to_string()));
            }
            Err(error) => {
                tracing::error!(agent = %self.house.spec.agent, %error, "an agent's session is lost");
                Note::default()
            }
        });
        Ok(())
    }

    /// Makes the process ready and brings the session back, or makes one.
    async fn prepare(&mut self, request: &TurnRequest, plan: &Plan) -> Result<Came, MindError> {
        let mut run = match self.run.take() {
            Some(run) => run,
            None => self.start().await?,
        };
        self.house.tell(|status| status.state = ProcessState::Busy);
        let note = self.note.get_or_insert_default();
        match session::bring(&self.house, &mut run, note, plan, request.epoch).await {
            Ok(came) => {
                self.run = Some(run);
                Ok(came)
            }
            Err(session::Failed::Link(error)) => {
                self.failures += 1;
                Err(match run.broken(&self.house, error).await {
                    // It was not at work on the turn.
                    MindError::Crashed { message } => MindError::Unavailable { message },
                    error => error,
                })
            }
            Err(session::Failed::Mind(error)) => {
                self.run = Some(run);
                Err(error)
            }
        }
    }

    async fn start(&mut self) -> Result<Run, MindError> {
        self.house.tell(|status| {
            status.state = ProcessState::Starting;
            status.restarts = self.starts;
        });
        self.starts += 1;
        let cause = if self.failures == 0 { StartCause::Stimulus } else { StartCause::Restart };
        let run = Run::start(&self.house, cause, self.failures).await;
        self.failures += u32::from(run.is_err());
        run
    }

    /// Notes that the turn is about to be put to the agent.
    async fn open(&mut self, request: &TurnRequest, context: String) -> Result<(), MindError> {
        let mut note = self.note.clone().unwrap_or_default();
        note.context = context;
        note.prompt = Some(Prompted {
            epoch: request.epoch,
            turn: request.turn,
            attempt: request.attempt,
            state: PromptState::Open,
        });
        self.keep(note.clone()).await.map_err(|error| unavailable(&error))?;
        self.note = Some(note);
        Ok(())
    }

    /// Notes what became of it. A note that cannot be written stays open on the disk, which is the safe side.
    async fn close(&mut self, state: Option<PromptState>, cost_microusd: Option<u64>) {
        let note = self.note.get_or_insert_default();
        note.cost_microusd = cost_microusd.or(note.cost_microusd);
        match state {
            Some(PromptState::Open) => return,
            Some(state) => {
                if let Some(prompt) = &mut note.prompt {
                    prompt.state = state;
                }
            }
            None => note.prompt = None,
        }
        let note = note.clone();
        if let Err(error) = self.keep(note).await {
            tracing::error!(agent = %self.house.spec.agent, %error, "the end of a prompt is not noted");
        }
    }

    async fn keep(&self, note: Note) -> Result<(), NoteError> {
        let (home, agent) = (self.house.home.clone(), self.house.spec.agent.clone());
        on_disk(move || {
            let folder: Arc<dyn Storage> = note::folder(&home, agent.as_str())?;
            note::write(&*folder, &note)
        })
        .await
    }

    async fn converse(
        &mut self,
        blocks: Vec<ContentBlock>,
        items: &mpsc::Sender<Item>,
        answering: &mut Answering,
    ) -> Result<Thought, MindError> {
        let house = Arc::clone(&self.house);
        let session = self.note.as_ref().and_then(|note| note.session_id.clone());
        let (Some(mut run), Some(session)) = (self.run.take(), session) else {
            return Err(unknown("the agent has no session"));
        };
        let began = Turn::begin(&house, &mut run, &session, items, blocks);
        let (end, gather, cost) = match began {
            Err(error) => (End::Broken(error), Gather::default(), None),
            Ok(mut turn) => {
                let end = turn.listen(answering).await;
                (end, turn.gather, turn.cost_microusd)
            }
        };
        let before = self.note.as_ref().and_then(|note| note.cost_microusd);
        let spent = cost.zip(before).map(|(now, before)| now.saturating_sub(before));
        let (state, answer) = match end {
            End::Answered(answer) => match answered(&answer, gather, spent) {
                Ok(outcome) => {
                    self.failures = 0;
                    self.run = Some(run);
                    outcome
                }
                Err(error) => self.broke(run, error).await,
            },
            End::Denied(error) => {
                let (state, is_gone, answer) = denied(&error);
                if is_gone {
                    run.session = None;
                }
                self.run = Some(run);
                (state, Err(answer))
            }
            End::Broken(error) => self.broke(run, error).await,
            End::Withdrawn { is_yielded: true } => {
                self.run = Some(run);
                let why = "it was told to stop, because it took too long or was cancelled".into();
                (Some(PromptState::Cut { why }), Err(stopping()))
            }
            End::Withdrawn { is_yielded: false } => {
                let why = Some("it did not stop when it was told to".into());
                run.end(&house, ExitReason::Deadline, Parting::Kill, why).await;
                (Some(PromptState::Open), Err(stopping()))
            }
        };
        self.close(state, cost).await;
        answer
    }

    async fn broke(&mut self, run: Run, error: LinkError) -> Outcome {
        self.failures += 1;
        (Some(PromptState::Open), Err(run.broken(&self.house, error).await))
    }

    /// The process ended, or said something wrong, while nothing was asked of it.
    async fn lost(&mut self, error: LinkError) {
        let Some(run) = self.run.take() else { return };
        self.failures += 1;
        let message = run.broken(&self.house, error).await.to_string();
        tracing::warn!(agent = %self.house.spec.agent, message, "an agent's process is gone");
        self.house.tell(|status| {
            status.state = ProcessState::NotStarted;
            status.message = Some(message);
        });
    }

    async fn part(&mut self, reason: ExitReason, parting: Parting) {
        if let Some(run) = self.run.take() {
            run.end(&self.house, reason, parting, None).await;
        }
    }
}

/// Listens to an agent that nothing is asked of. What it tells is not needed, what it asks is refused.
async fn overhear(run: Option<&mut Run>) -> Result<(), LinkError> {
    let Some(run) = run else { return std::future::pending().await };
    match run.next().await? {
        Incoming::Request { id, .. } => run.refuse(id),
        Incoming::Response { .. } | Incoming::Notification { .. } => Ok(()),
    }
}

fn unavailable(error: &dyn std::error::Error) -> MindError {
    MindError::Unavailable { message: error.to_string() }
}

fn stopping() -> MindError {
    MindError::Unavailable { message: "the turn was withdrawn, or the keeper is stopping".into() }
}

async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, NoteError> + Send + 'static,
) -> Result<T, NoteError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(NoteError::Disk { doing: "reach", source: std::io::Error::other(error) })
    })
}

/// Evidence about a session.
pub(super) fn session_evidence(tag: &str, session_id: &str, why: Option<&str>) -> EvidenceReported {
    EvidenceReported {
        run: None,
        claim_type: "session".into(),
        tags: vec!["acp".into(), tag.into()],
        body: json!({"session_id": super::evidence::short(session_id), "why": why}),
    }
}
