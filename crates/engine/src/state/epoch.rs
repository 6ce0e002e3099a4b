//! The record of one epoch: a pure fold of its events, checked by the epoch machine.
//!
//! The lane keeps one for the epoch it runs and moves it with every event *before* that is written; the state keeps
//! one for every epoch that has not ended, moved by what was read. After a crash the lane goes on from the state's.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    AgentId, ApprovalId, CallId, EpochId, Timestamp,
    envelope::Channel,
    epoch::{EpochMove, EpochState, IllegalMoveError, step},
    event::{
        AbortCode, AgentEvent, ApprovalDecided, ApprovalEvent, ApprovalRequested, ContextAssembled,
        ContextEvent, Decision, DeckLedgerEvent, EpochAborted, EpochEvent, Event,
        InnerToolFinished, InnerToolRequested, SpaceEvent, SpaceNamed, SpaceSaid, StimulusAccepted,
        ToolEvent, ToolFinished, ToolKept, ToolRequested, TurnCompleted, TurnEvent, TurnFailed,
        UsageRecord, VoiceRecord, WakeEvent,
    },
    text::shortened,
};
use abide_ledger::erase::ERASED;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Longest line about how an epoch ended, in Unicode scalar values.
const RESULT_CHARS_MAX: usize = 200;

/// Tools whose results are the agent's own: its memory, its log, the clock, what it proposes, and what tests put in.
const OWN_TOOLS: &[&str] = &[MEMORY, "clock.", "stdout", "probe.", "evolve."];
/// What the names of the memory's tools begin with.
const MEMORY: &str = "memory.";
/// How a result of theirs marks a fact that no person vouches for.
const UNTRUSTED_FACT: &str = "\"trusted\":false";
/// Senders whose text comes from machines, though it comes over a channel of people.
const UNVOUCHED_SENDERS: &[&str] = &["alertmanager"];

/// What is recorded of one epoch up to now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochRecord {
    /// Its id.
    pub id: EpochId,
    /// The agent that it belongs to.
    pub agent: AgentId,
    /// The stimulus that it answers.
    pub stimulus: Arc<StimulusAccepted>,
    /// When its stimulus became durable.
    pub accepted_at: Timestamp,
    /// Where its stimulus stands in the ledger.
    pub accepted_seq: u64,
    /// Its state in the epoch machine.
    pub state: EpochState,
    /// When its lane took it up.
    pub opened_at: Option<Timestamp>,
    /// For how long nothing could happen since, waiting for approval left out.
    pub stood_still: Duration,
    /// The epoch of the last reply in its session.
    pub last_output: Option<EpochId>,
    /// What its mind was shown, in its newest form.
    pub context: Option<ContextAssembled>,
    /// Its completed turns.
    pub turns: Vec<TurnRecord>,
    /// The failed attempts at the turn that comes next.
    pub failures: Vec<TurnFailed>,
    /// What its calls wait or waited for.
    pub approvals: Vec<ApprovalRecord>,
    /// What it says to other entities; it counts with the commit.
    pub said: Vec<SpaceSaid>,
    /// The spaces that it names; they count with the commit.
    pub named: Vec<SpaceNamed>,
    /// How many wakes it sets; they count with the commit.
    pub wakes_set: usize,
    /// The agents that it brings into being; they come with the commit.
    pub spawned: Vec<AgentId>,
    /// What its tools keep or drop; it counts with the commit.
    pub kept: Vec<ToolKept>,
    /// What it does with decks; it counts with the commit.
    pub decks: Vec<DeckLedgerEvent>,
    /// What it cost so far, failed attempts included.
    pub usage: UsageRecord,
    /// Why it was aborted, if it was.
    pub abort: Option<EpochAborted>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The last event that belongs to it.
    pub last_seq: u64,
}

/// How an epoch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EpochEnd {
    /// With a reply.
    Committed,
    /// Without one.
    Aborted,
}

/// A completed turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// Its number, from 1.
    pub turn: u32,
    /// What the mind said.
    pub voice: VoiceRecord,
    /// What it cost.
    pub usage: UsageRecord,
    /// Its calls, in order.
    pub calls: Vec<CallRecord>,
}

/// A call of a completed turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    /// The intent, once it is recorded.
    pub requested: Option<ToolRequested>,
    /// The outcome, once it is recorded.
    pub finished: Option<ToolFinished>,
    /// What its tool asked of other tools, in order. Of a call that was begun anew, what it asked then.
    pub inner: Vec<InnerCallRecord>,
}

/// A call within a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InnerCallRecord {
    /// The intent.
    pub requested: InnerToolRequested,
    /// The outcome, once it is recorded.
    pub finished: Option<InnerToolFinished>,
}

/// A request for approval and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRecord {
    /// The request.
    pub requested: ApprovalRequested,
    /// When it was made.
    pub requested_at: Timestamp,
    /// The decision and when it fell.
    pub decided: Option<(ApprovalDecided, Timestamp)>,
}

impl EpochRecord {
    /// Begins with an accepted stimulus.
    pub fn accepted(
        id: EpochId,
        agent: AgentId,
        stimulus: StimulusAccepted,
        at: Timestamp,
        seq: u64,
    ) -> Self {
        Self {
            id,
            agent,
            stimulus: Arc::new(stimulus),
            accepted_at: at,
            accepted_seq: seq,
            state: EpochState::Queued,
            opened_at: None,
            stood_still: Duration::ZERO,
            last_output: None,
            context: None,
            turns: Vec::new(),
            failures: Vec::new(),
            approvals: Vec::new(),
            said: Vec::new(),
            named: Vec::new(),
            wakes_set: 0,
            kept: Vec::new(),
            decks: Vec::new(),
            spawned: Vec::new(),
            usage: UsageRecord { cost_microusd: Some(0), ..UsageRecord::default() },
            abort: None,
            ended_at: None,
            last_seq: seq,
        }
    }

    /// Moves by one event of this epoch. Events that are no move (approvals, staged memory) only leave their trace.
    pub fn apply(&mut self, event: &Event, at: Timestamp) -> Result<(), IllegalMoveError> {
        if let Some(next) = move_of(event) {
            // The state is cloned because a refused move must leave the record as it was.
            self.state = step(self.state.clone(), next)?;
        }
        match event {
            Event::Epoch(event) => self.apply_epoch(event, at),
            Event::Context(ContextEvent::Assembled(context)) => {
                self.context = Some(context.clone());
            }
            Event::Turn(event) => self.apply_turn(event),
            Event::Tool(event) => self.apply_tool(event),
            Event::Approval(event) => self.apply_approval(event, at),
            Event::Space(SpaceEvent::Said(said)) => self.said.push(said.clone()),
            Event::Space(SpaceEvent::Named(named)) => self.named.push(named.clone()),
            Event::Deck(event) => self.decks.push(event.clone()),
            Event::Wake(WakeEvent::Set(_)) => self.wakes_set += 1,
            Event::Agent(AgentEvent::Spawned(spawned)) => self.spawned.push(spawned.agent.clone()),
            _ => {}
        }
        Ok(())
    }

    fn apply_epoch(&mut self, event: &EpochEvent, at: Timestamp) {
        match event {
            EpochEvent::Opened(opened) => {
                self.opened_at = Some(at);
                self.last_output = opened.last_output;
            }
            // While a person is waited for, that time is left out already.
            EpochEvent::StoodStill(_) if self.pending_approval().is_some() => {}
            EpochEvent::StoodStill(still) => {
                self.stood_still += Duration::from_millis(still.duration_ms);
            }
            EpochEvent::Committed(_) => self.ended_at = Some(at),
            EpochEvent::Aborted(aborted) => {
                self.abort = Some(aborted.clone());
                self.ended_at = Some(at);
            }
            // It is as it was; only nobody is reminded of it any more.
            EpochEvent::Dismissed(_) => {}
        }
    }

    fn apply_turn(&mut self, event: &TurnEvent) {
        match event {
            TurnEvent::Started(_) => {}
            TurnEvent::Failed(failed) => {
                if let Some(usage) = &failed.usage {
                    add_usage(&mut self.usage, usage);
                }
                self.failures.push(failed.clone());
            }
            TurnEvent::Completed(TurnCompleted { turn, voice, usage, .. }) => {
                add_usage(&mut self.usage, usage);
                self.failures.clear();
                let calls = vec![CallRecord::default(); voice.tool_calls.len()];
                let (turn, voice, usage) = (*turn, voice.clone(), usage.clone());
                self.turns.push(TurnRecord { turn, voice, usage, calls });
            }
        }
    }

    fn apply_tool(&mut self, event: &ToolEvent) {
        let id = match event {
            ToolEvent::Requested(requested) => &requested.call_id,
            ToolEvent::Finished(finished) => &finished.call_id,
            ToolEvent::Kept(kept) => {
                if !is_erased(kept) {
                    self.kept.push(kept.clone());
                }
                return;
            }
            ToolEvent::InnerRequested(requested) => &requested.call_id,
            ToolEvent::InnerFinished(finished) => &finished.call_id,
        };
        let Some(call) = self.turns.last_mut().and_then(|turn| turn.call_mut(id)) else { return };
        match event {
            ToolEvent::Requested(requested) => call.requested = Some(requested.clone()),
            ToolEvent::Finished(finished) => call.finished = Some(finished.clone()),
            ToolEvent::Kept(_) => {}
            ToolEvent::InnerRequested(requested) => call.begin_inner(requested),
            ToolEvent::InnerFinished(finished) => call.finish_inner(finished),
        }
    }

    fn apply_approval(&mut self, event: &ApprovalEvent, at: Timestamp) {
        match event {
            ApprovalEvent::Requested(requested) => self.approvals.push(ApprovalRecord {
                requested: requested.clone(),
                requested_at: at,
                decided: None,
            }),
            ApprovalEvent::Decided(decided) => {
                let id = decided.approval_id;
                let found = self.approvals.iter_mut().find(|a| a.requested.approval_id == id);
                if let Some(approval) = found.filter(|approval| approval.decided.is_none()) {
                    approval.decided = Some((decided.clone(), at));
                }
            }
        }
    }

    /// The reply, once the epoch is answered.
    pub fn reply(&self) -> Option<&str> {
        let answered = matches!(self.state, EpochState::Answered { .. } | EpochState::Committed);
        let turn = self.turns.last().filter(|_| answered)?;
        turn.voice.final_response.as_deref()
    }

    /// The request for approval that waits for a decision.
    pub fn pending_approval(&self) -> Option<&ApprovalRecord> {
        self.undecided().next()
    }

    /// What an approval is about: the tool and its arguments.
    pub fn call_of<'a>(&'a self, approval: &'a ApprovalRecord) -> Option<(&'a str, &'a Value)> {
        let requested = &approval.requested;
        if let Some(own) = &requested.own {
            return Some((&own.tool, &own.arguments));
        }
        let calls = &self.turns.last()?.voice.tool_calls;
        let call = calls.iter().find(|call| call.call_id == requested.call_id)?;
        Some((&call.name, &call.arguments))
    }

    /// The requests for approval that no decision stands for.
    pub fn undecided(&self) -> impl Iterator<Item = &ApprovalRecord> {
        self.approvals.iter().filter(|approval| approval.decided.is_none())
    }

    /// The approval that a call has or had.
    pub fn approval_of(&self, call: &CallId) -> Option<&ApprovalRecord> {
        self.approvals.iter().rev().find(|approval| approval.requested.call_id == *call)
    }

    /// Whether an approval of this id was ever asked for here.
    pub fn has_approval(&self, id: ApprovalId) -> bool {
        self.approvals.iter().any(|approval| approval.requested.approval_id == id)
    }

    /// The time that counts against the epoch's limit at `now`: since its opening, waiting for approval and standstills left out.
    pub fn time_spent(&self, now: Timestamp) -> Duration {
        let Some(opened_at) = self.opened_at else { return Duration::ZERO };
        let waited = self.approvals.iter().map(|approval| {
            let until = approval.decided.as_ref().map_or(now, |(_, at)| *at);
            until.since(approval.requested_at)
        });
        now.since(opened_at).saturating_sub(waited.sum()).saturating_sub(self.stood_still)
    }

    /// The tools that were called, in their order.
    pub fn called(&self) -> impl Iterator<Item = &str> {
        let calls = self.turns.iter().flat_map(|turn| &turn.voice.tool_calls);
        calls.map(|call| call.name.as_str())
    }

    /// The call of the newest turn that comes next: the first that is not finished.
    pub fn next_call(&self) -> Option<CallId> {
        let turn = self.turns.last()?;
        let open = turn.calls.iter().position(|call| call.finished.is_none())?;
        turn.voice.tool_calls.get(open).map(|call| call.call_id.clone())
    }

    /// Whether any of its results is ethereal.
    pub fn has_ethereal(&self) -> bool {
        let mut finished = self.turns.iter().flat_map(|turn| &turn.calls);
        finished.any(|call| call.finished.as_ref().is_some_and(|done| done.ethereal.is_some()))
    }

    /// How it ended, in one short line.
    pub(super) fn result_line(&self) -> String {
        let text = match (&self.abort, self.reply()) {
            (Some(abort), _) => format!("aborted ({}): {}", abort.code.as_str(), abort.message),
            (None, reply) => reply.unwrap_or_default().to_owned(),
        };
        let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let line = shortened(first, RESULT_CHARS_MAX);
        let is_all = line.ends_with('…') || first.len() == text.trim().len();
        if is_all { line } else { line + "…" }
    }

    /// Whether its mind has text before it that no person vouches for: a stimulus of the keeper itself (timers, wakes, the
    /// watchdog) or of an alert, an ethereal result, which is how fetched text comes (decision 19), any other result of a
    /// tool that reads the world, or a memory that is untrusted itself (decision 51).
    pub fn holds_untrusted(&self) -> bool {
        self.stimulus.channel == Channel::System
            || UNVOUCHED_SENDERS.contains(&self.stimulus.sender.as_str())
            || self.has_ethereal()
            || self.turns.iter().any(TurnRecord::has_untrusted_result)
    }

    /// Why it was aborted.
    pub fn abort_code(&self) -> Option<AbortCode> {
        self.abort.as_ref().map(|abort| abort.code)
    }
}

impl CallRecord {
    fn begin_inner(&mut self, requested: &InnerToolRequested) {
        if requested.n == 1 {
            self.inner.clear();
        }
        self.inner.push(InnerCallRecord { requested: requested.clone(), finished: None });
    }

    fn finish_inner(&mut self, finished: &InnerToolFinished) {
        let of_it = self.inner.iter_mut().find(|inner| inner.requested.n == finished.n);
        if let Some(inner) = of_it {
            inner.finished = Some(finished.clone());
        }
    }
}

impl TurnRecord {
    /// Whether the result of a call is text that no person vouches for.
    fn has_untrusted_result(&self) -> bool {
        self.voice.tool_calls.iter().zip(&self.calls).any(|(call, record)| {
            let Some(finished) = &record.finished else { return false };
            is_untrusted_result(&call.name, &finished.content)
        })
    }

    /// The record of a call of this turn.
    pub fn call(&self, id: &CallId) -> Option<&CallRecord> {
        self.calls.get(self.position(id)?)
    }

    fn call_mut(&mut self, id: &CallId) -> Option<&mut CallRecord> {
        let position = self.position(id)?;
        self.calls.get_mut(position)
    }

    fn position(&self, id: &CallId) -> Option<usize> {
        self.voice.tool_calls.iter().position(|call| call.call_id == *id)
    }
}

impl ApprovalRecord {
    /// Whether the call may run.
    pub fn is_approved(&self) -> bool {
        matches!(&self.decided, Some((decided, _)) if decided.decision == Decision::Approve)
    }
}

/// Whether what a tool gave is text that no person vouches for.
pub(crate) fn is_untrusted_result(tool: &str, content: &str) -> bool {
    let is_own = OWN_TOOLS.iter().any(|own| tool.starts_with(own));
    !is_own || (tool.starts_with(MEMORY) && content.contains(UNTRUSTED_FACT))
}

/// The move that an event makes, if it makes one.
fn move_of(event: &Event) -> Option<EpochMove> {
    Some(match event {
        Event::Epoch(EpochEvent::Opened(_)) => EpochMove::Open,
        Event::Epoch(EpochEvent::Committed(committed)) => {
            EpochMove::Commit { turn: committed.turn }
        }
        Event::Epoch(EpochEvent::Aborted(_)) => EpochMove::Abort,
        Event::Context(_) => EpochMove::Assemble,
        Event::Turn(TurnEvent::Started(started)) => {
            EpochMove::StartTurn { turn: started.turn, attempt: started.attempt }
        }
        Event::Turn(TurnEvent::Failed(failed)) => {
            EpochMove::FailTurn { turn: failed.turn, attempt: failed.attempt }
        }
        Event::Turn(TurnEvent::Completed(completed)) => EpochMove::CompleteTurn {
            turn: completed.turn,
            attempt: completed.attempt,
            calls: completed.voice.tool_calls.iter().map(|call| call.call_id.clone()).collect(),
        },
        Event::Tool(ToolEvent::Requested(requested)) => {
            EpochMove::RequestCall(requested.call_id.clone())
        }
        Event::Tool(ToolEvent::Finished(finished)) => {
            EpochMove::FinishCall(finished.call_id.clone())
        }
        _ => return None,
    })
}

/// Whether an erasure removed what was kept: then nobody could find it by its key, and there is nothing to find. A value that is
/// dropped stays dropped.
fn is_erased(kept: &ToolKept) -> bool {
    kept.key == ERASED || kept.namespace == ERASED
}

/// Adds what an attempt used. An unknown cost makes the sum unknown: unknown is not zero.
fn add_usage(sum: &mut UsageRecord, more: &UsageRecord) {
    sum.input_tokens = sum.input_tokens.saturating_add(more.input_tokens);
    sum.output_tokens = sum.output_tokens.saturating_add(more.output_tokens);
    sum.cached_tokens = sum.cached_tokens.saturating_add(more.cached_tokens);
    sum.cost_microusd = match (sum.cost_microusd, more.cost_microusd) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        _ => None,
    };
    if !more.model.is_empty() {
        sum.model.clone_from(&more.model);
    }
}
