//! The walk's side of a mind that thinks: takes its reports, and asks people what it wants to be allowed.
//!
//! [`EpochHost`] is what the mind holds; [`HostRequests`] is where its requests arrive. One question is open at a time, the
//! others wait: a person decides on one thing. While it is open the turn's clock stands still.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use abide_domain::{
    AgentId, ApprovalId, CallId, EpochId,
    event::{ApprovedCall, DecidedBy, Decision, EvidenceReported},
};
use futures_util::future::BoxFuture;
use tokio::{
    sync::{broadcast, mpsc, oneshot},
    time::Instant,
};

use super::{
    approve,
    attempt_clock::LastPiece,
    attempt_cost::{AttemptCost, WrittenChars},
    controls::{DecideError, DecisionOrder},
    error::EpochError,
    walk::Walk,
};
use crate::{
    activity::AgentActivity,
    mind::{MindDelta, MindHost, PermissionRequest},
    services::TurnDelta,
};

/// Requests that wait to be handled; a mind that is faster waits.
const REQUESTS_MAX: usize = 64;
/// Reports that one attempt may leave in the ledger; later ones are dropped.
const REPORTS_MAX: usize = 1_000;
/// Questions that may wait behind the open one; later ones are denied.
const QUESTIONS_MAX: usize = 64;

/// The host that a mind holds during one attempt.
pub(super) struct EpochHost {
    agent: AgentId,
    epoch: EpochId,
    turn: u32,
    activity: Arc<AgentActivity>,
    last_piece: LastPiece,
    written: WrittenChars,
    deltas: broadcast::Sender<TurnDelta>,
    requests: mpsc::Sender<HostRequest>,
}

/// What a mind asked of its host, as the walk takes it up.
pub(super) struct HostRequests {
    turn: u32,
    attempt: u32,
    requests: mpsc::Receiver<HostRequest>,
    last_piece: LastPiece,
    reports: usize,
    asked: usize,
    questions: VecDeque<PermissionQuestion>,
    open: Option<OpenQuestion>,
}

/// What a mind asks of its host.
pub(super) enum HostRequest {
    Report(EvidenceReported),
    Ask(PermissionQuestion),
}

/// A request for permission and where its answer goes.
pub(super) struct PermissionQuestion {
    asked: PermissionRequest,
    reply: oneshot::Sender<Result<(), String>>,
}

/// A question that a person was asked.
struct OpenQuestion {
    approval_id: ApprovalId,
    call_id: CallId,
    tool: String,
    since: Instant,
    reply: oneshot::Sender<Result<(), String>>,
}

/// What happened while the mind was thinking.
pub(super) enum HostEvent {
    /// The mind wants something.
    Requested(HostRequest),
    /// A person decided something.
    Decided(DecisionOrder),
    /// Nobody decided in time.
    TimedOut,
}

/// Opens a host for one attempt.
pub(super) fn open(
    walk: &Walk<'_>,
    (turn, attempt): (u32, u32),
    cost: &AttemptCost,
) -> (EpochHost, HostRequests) {
    let (sender, requests) = mpsc::channel(REQUESTS_MAX);
    let (agent, epoch) = (walk.record.agent.clone(), walk.record.id);
    let last_piece = LastPiece::default();
    let host = EpochHost {
        activity: walk.services.activities.of(&agent),
        agent,
        epoch,
        turn,
        last_piece: last_piece.clone(),
        written: cost.written(),
        deltas: walk.services.deltas.clone(),
        requests: sender,
    };
    let received = HostRequests {
        turn,
        attempt,
        requests,
        last_piece,
        reports: 0,
        asked: 0,
        questions: VecDeque::new(),
        open: None,
    };
    (host, received)
}

impl MindHost for EpochHost {
    fn delta(&self, MindDelta { text, thought }: MindDelta) {
        // An empty piece only says that something came that is not shown.
        self.last_piece.note(Instant::now());
        self.activity.note_piece();
        if text.is_empty() {
            return;
        }
        self.written.add(&text);
        let (agent, epoch, turn) = (self.agent.clone(), self.epoch, self.turn);
        // That nobody listens is no failure.
        drop(self.deltas.send(TurnDelta { agent, epoch, turn, text, thought }));
    }

    fn report(&self, evidence: EvidenceReported) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // Where the walk is gone, so is the attempt that it would record this for.
            drop(self.requests.send(HostRequest::Report(evidence)).await);
        })
    }

    fn ask(&self, asked: PermissionRequest) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            let (reply, answer) = oneshot::channel();
            drop(self.requests.send(HostRequest::Ask(PermissionQuestion { asked, reply })).await);
            answer.await.unwrap_or_else(|_| Err("the turn ended before anybody decided".into()))
        })
    }
}

impl HostRequests {
    /// When a piece of the answer came last.
    pub(super) fn last_piece(&self) -> LastPiece {
        self.last_piece.clone()
    }

    /// Whether a person is being asked.
    pub(super) fn is_waiting(&self) -> bool {
        self.open.is_some()
    }

    /// Waits until something happens. Nothing is lost where this is cancelled.
    pub(super) async fn next(
        &mut self,
        decisions: &mut mpsc::Receiver<DecisionOrder>,
        time_left: Option<Duration>,
    ) -> HostEvent {
        let is_open = self.open.is_some();
        tokio::select! {
            biased;
            Some(order) = decisions.recv(), if is_open => HostEvent::Decided(order),
            () = tokio::time::sleep(time_left.unwrap_or_default()), if time_left.is_some() => {
                HostEvent::TimedOut
            }
            request = self.requests.recv() => match request {
                Some(request) => HostEvent::Requested(request),
                // The mind has dropped its host and only has its answer left to give.
                None => std::future::pending().await,
            },
        }
    }

    /// How long the open question still waits for a person.
    pub(super) fn time_left(&self, walk: &Walk<'_>) -> Option<Duration> {
        let open = self.open.as_ref()?;
        let asked = walk.record.approval_of(&open.call_id)?;
        Some(asked.requested.deadline.since(walk.now()))
    }

    /// Handles what happened. Gives the time for which a person was waited for, once that is over.
    pub(super) async fn handle(
        &mut self,
        walk: &mut Walk<'_>,
        event: HostEvent,
    ) -> Result<Duration, EpochError> {
        match event {
            HostEvent::Requested(HostRequest::Report(evidence)) => {
                if self.reports < REPORTS_MAX {
                    self.reports += 1;
                    // What its work produced shows more than a word of it.
                    self.last_piece.note(Instant::now());
                    walk.record_agent(evidence)?;
                    walk.flush().await?;
                }
                return Ok(Duration::ZERO);
            }
            HostEvent::Requested(HostRequest::Ask(question)) => self.queue(question),
            HostEvent::Decided(order) => {
                let is_ours =
                    self.open.as_ref().is_some_and(|open| open.approval_id == order.approval_id);
                if is_ours {
                    approve::decide(walk, order).await?;
                } else {
                    _ = order.reply.send(Err(DecideError::AlreadyDecided));
                }
            }
            HostEvent::TimedOut => {
                if let Some(open) = &self.open {
                    let (id, deny) = (open.approval_id, Decision::Deny);
                    approve::decide_by(walk, id, deny, DecidedBy::Timeout)?;
                    walk.settle().await?;
                }
            }
        }
        let waited = self.answer(walk);
        self.ask_next(walk).await?;
        Ok(waited)
    }

    fn queue(&mut self, question: PermissionQuestion) {
        if self.questions.len() < QUESTIONS_MAX {
            self.questions.push_back(question);
        } else {
            let reason = format!(
                "{QUESTIONS_MAX} questions wait for a person already; ask again when one is answered"
            );
            drop(question.reply.send(Err(reason)));
        }
    }

    /// Answers the mind, if the open question is decided.
    fn answer(&mut self, walk: &Walk<'_>) -> Duration {
        let is_decided = |open: &mut OpenQuestion| {
            walk.record.approval_of(&open.call_id).is_none_or(|asked| asked.decided.is_some())
        };
        let Some(open) = self.open.take_if(is_decided) else { return Duration::ZERO };
        let answer = approve::verdict(walk, &open.call_id, &open.tool);
        // The mind may have given up waiting.
        drop(open.reply.send(answer));
        open.since.elapsed()
    }

    /// Asks a person the next question, unless one is open. Where nobody is there the answer is a no at once.
    async fn ask_next(&mut self, walk: &mut Walk<'_>) -> Result<(), EpochError> {
        while self.open.is_none()
            && let Some(PermissionQuestion { asked, reply }) = self.questions.pop_front()
        {
            if reply.is_closed() {
                continue;
            }
            self.asked += 1;
            let call_id = CallId::of_mind(self.turn, self.attempt, self.asked);
            let PermissionRequest { tool, arguments } = asked;
            let own = Some(ApprovedCall { tool: tool.clone(), arguments });
            let approval_id = approve::request(walk, (call_id.clone(), own, None)).await?;
            let since = Instant::now();
            self.open = Some(OpenQuestion { approval_id, call_id, tool, since, reply });
            self.answer(walk);
        }
        Ok(())
    }
}
