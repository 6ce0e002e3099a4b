//! The house as the ledger tells it: a pure fold of all events, the projection that the engine decides by.
//!
//! [`House::apply`] is the only way it changes. It holds no clock and does no I/O, so the same events always give the
//! same house: at start, after a crash, in the simulator, and in `abide epochs show --context`, which folds up to an
//! epoch and looks at what its mind saw.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    time::Duration,
};

use abide_domain::{
    AgentId, ApprovalId, EntityName, EpochId, Timestamp,
    epoch::{EpochState, IllegalMove},
    event::{
        AbortCode, AgentEvent, AgentPaused, AgentRegistered, ApprovalEvent, ContextEvent,
        EpochEvent, Event, EvidenceEvent, Idempotency, KeeperEvent, SleepEvent, StdoutEvent,
        StimulusEvent, TurnEvent, UsageRecord,
    },
    evidence,
};
use abide_ledger::{Entry, TickRule};
use abide_memory::{Applied, Dreams, Identity, ShortTerm};

mod digest;
mod epoch;
mod logs;
mod sleep;
mod society;
mod spaces;
mod wakes;

use crate::context::{OwnEntry, OwnLog};
use digest::Ends;

pub use epoch::{ApprovalRecord, CallRecord, EpochRecord, TurnRecord};
pub use logs::Logs;
pub use sleep::{
    SLEEP_EMPTY_EPOCHS_MAX, SLEEP_EPOCHS_MAX, SleepReport, SleepRun, SleepState, WaitingEpoch,
};
pub use society::{Society, Spawned};
pub use spaces::{Message, Space, Spaces};
pub use wakes::{Heard, Plan, Present, Verdict, Wake, Wakes, check_calls};

/// How many senders are known by name; the rest is not spoken to unless they are partners.
const SENDERS_MAX: usize = 10_000;
/// How many failed epochs `/attention` remembers.
const FAILED_MAX: usize = 50;

/// Everything that is known from the ledger.
#[derive(Debug, Default)]
pub struct House {
    /// The last event applied.
    pub seq: u64,
    /// Its tick.
    pub tick: u64,
    /// The agents, configured or only known from the past.
    pub agents: BTreeMap<AgentId, AgentState>,
    /// Every epoch ever accepted, small.
    pub epochs: HashMap<EpochId, EpochSpan>,
    /// All epochs in the order of their acceptance.
    pub order: Vec<EpochId>,
    /// The epochs that have not ended, whole.
    pub running: HashMap<EpochId, EpochRecord>,
    /// Idempotency keys and what they stand for.
    pub keys: HashMap<String, KeyUse>,
    /// Aborted epochs that nobody has followed up, oldest first.
    pub failed: VecDeque<FailedEpoch>,
    /// Approvals whose epoch ended without a decision on them; programs before this one left some.
    pub undecided: Vec<UndecidedApproval>,
    /// Who has spoken to an agent, the first so many.
    pub senders: BTreeSet<EntityName>,
    /// What entities have to do with one another.
    pub society: Society,
    /// How time becomes ticks; none before the first event.
    ticks: Option<TickRule>,
    /// A hash over all ends of epochs in their order.
    ends: Ends,
}

/// One agent.
#[derive(Debug)]
pub struct AgentState {
    /// Its newest profile.
    pub profile: Option<AgentRegistered>,
    /// When it was registered first.
    pub registered_at: Option<Timestamp>,
    /// How it said last that it is doing.
    pub signals: evidence::Signals,
    /// Epochs that wait, oldest first.
    pub queue: VecDeque<EpochId>,
    /// The epoch that its lane runs.
    pub open: Option<EpochId>,
    /// What it remembers of its conversations.
    pub short_term: ShortTerm,
    /// Who it is.
    pub identity: Identity,
    /// What it dreamt.
    pub dreams: Dreams,
    /// What it has slept over.
    pub sleep: SleepState,
    /// Why it takes nothing up, if so.
    pub paused: Option<AgentPaused>,
    /// Since when.
    pub paused_at: Option<Timestamp>,
    /// What it used on the day of its last use.
    pub today: DayTally,
    /// What it used in all.
    pub total: Tally,
    /// When its work last showed.
    pub last_evidence_at: Option<Timestamp>,
    /// The event that showed it; 0 where none has.
    pub last_evidence_seq: u64,
    /// The longest prompt, in tokens, after a model rejected a longer one.
    pub tokens_cap: Option<u64>,
    /// Its own newest entries.
    pub own_log: OwnLog,
    /// Its epoch that ended last.
    pub last_ended: Option<EndedEpoch>,
    /// The size of the newest context, in tokens.
    asked_tokens: u64,
    /// When its process began last, as an event.
    started_seq: u64,
}

/// The end of an epoch, as `\stdout last-execution:` tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedEpoch {
    /// Which.
    pub epoch: EpochId,
    /// The event of its end.
    pub seq: u64,
    /// When, in ticks.
    pub tick: u64,
    /// How.
    pub end: EpochEnd,
    /// The first line of its reply, or why there is none.
    pub result: String,
}

/// Tokens and money, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Input tokens, cached ones included.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// The part of the cost that is known, in millionths of a dollar.
    pub cost_microusd: u64,
    /// Attempts whose price is unknown.
    pub unpriced: u64,
}

/// What was used on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DayTally {
    /// Days since 1970-01-01, UTC.
    pub day: i64,
    /// What was used.
    pub tally: Tally,
    /// Cost that was already spent when a person let the agent go on past its budget.
    pub forgiven_microusd: u64,
}

/// Where an epoch stands in the ledger.
#[derive(Clone, Debug)]
pub struct EpochSpan {
    /// Whose it is.
    pub agent: AgentId,
    /// The sequence of its `stimulus.accepted`.
    pub first_seq: u64,
    /// The sequence of its last event so far.
    pub last_seq: u64,
    /// How it ended, if it has.
    pub end: Option<EpochEnd>,
}

/// How an epoch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpochEnd {
    /// With a reply.
    Committed,
    /// Without one.
    Aborted,
}

/// What an idempotency key stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// SHA-256 of the first request's body, hex.
    pub body_sha256: String,
    /// The epoch that it made.
    pub epoch: EpochId,
    /// The sequence of its `stimulus.accepted`.
    pub seq: u64,
}

/// An aborted epoch that a person may want to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedEpoch {
    /// The epoch.
    pub epoch: EpochId,
    /// Whose.
    pub agent: AgentId,
    /// Its conversation; a later reply there takes it off the list.
    pub session_id: String,
    /// When it ended.
    pub at: Timestamp,
    /// Why.
    pub message: String,
}

/// An approval that nobody can decide on any more, and that no decision stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndecidedApproval {
    /// Which.
    pub approval_id: ApprovalId,
    /// Whose call it was to allow.
    pub agent: AgentId,
    /// The epoch that ended.
    pub epoch: EpochId,
}

/// An event that does not fit what came before: the ledger was written by a defective program.
#[derive(Debug, thiserror::Error)]
#[error("event {seq} of epoch {epoch} does not fit the events before it")]
pub struct Misfit {
    /// The event.
    pub seq: u64,
    /// Its epoch.
    pub epoch: EpochId,
    /// What it tried.
    pub source: IllegalMove,
}

impl House {
    /// Takes one event in. Events must come in order; one that was applied before is skipped.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), Misfit> {
        if entry.seq <= self.seq {
            return Ok(());
        }
        self.seq = entry.seq;
        self.tick = entry.tick;
        self.follow_clock(entry);
        let Ok(agent) = entry.entity.bare().parse::<AgentId>() else { return Ok(()) };
        // What is about the house, or what the watchdog saw, is nobody's life.
        let is_of_house = entry.entity == EntityName::keeper();
        if is_of_house || matches!(entry.event, Event::Keeper(_) | Event::Watchdog(_)) {
            return Ok(());
        }
        self.apply_epoch(&agent, entry)?;
        self.society.apply(entry);
        // Whoever only writes, speaks or grants need not be an agent.
        let needs_no_agent =
            matches!(entry.event, Event::Stdout(_) | Event::Space(_) | Event::Wake(_));
        if needs_no_agent && !self.agents.contains_key(&agent) {
            return Ok(());
        }
        let state = self.agent_mut(&agent);
        if evidence::is_sign_of_life(&entry.entity, &entry.author, &entry.event) {
            state.last_evidence_at = Some(entry.timestamp);
            state.last_evidence_seq = entry.seq;
            state.hear(&entry.event);
        }
        state.apply(entry);
        Ok(())
    }

    /// Notes how ticks are counted.
    fn follow_clock(&mut self, entry: &Entry) {
        if let Event::Keeper(KeeperEvent::TickIntervalChanged(changed)) = &entry.event {
            self.ticks = Some(changed.into());
        }
        self.ticks.get_or_insert_with(|| TickRule::of_genesis(entry.timestamp));
    }

    /// The tick at a time that is not before the last event, and how long a tick is.
    pub fn tick_at(&self, now: Timestamp) -> (u64, Duration) {
        let rule = self.ticks.unwrap_or_else(|| TickRule::of_genesis(now));
        (rule.tick(now).max(self.tick), Duration::from_millis(rule.interval_ms))
    }

    fn apply_epoch(&mut self, agent: &AgentId, entry: &Entry) -> Result<(), Misfit> {
        let Some(epoch) = entry.epoch else { return Ok(()) };
        if let Event::Stimulus(StimulusEvent::Accepted(stimulus)) = &entry.event {
            self.accept(agent, epoch, entry, stimulus.idempotency.as_ref());
            let (at, seq) = (entry.timestamp, entry.seq);
            let record = EpochRecord::accepted(epoch, agent.clone(), stimulus.clone(), at, seq);
            self.running.insert(epoch, record);
            return Ok(());
        }
        let Some(record) = self.running.get_mut(&epoch) else {
            self.catch_up(epoch, entry);
            return Ok(());
        };
        record.apply(&entry.event, entry.timestamp).map_err(|source| Misfit {
            seq: entry.seq,
            epoch,
            source,
        })?;
        record.last_seq = entry.seq;
        if let Some(span) = self.epochs.get_mut(&epoch) {
            span.last_seq = entry.seq;
        }
        self.settle(agent, epoch, entry);
        Ok(())
    }

    /// Takes in what was written about an epoch after its end: a decision that was missing.
    fn catch_up(&mut self, epoch: EpochId, entry: &Entry) {
        let Event::Approval(ApprovalEvent::Decided(decided)) = &entry.event else { return };
        self.undecided.retain(|approval| approval.approval_id != decided.approval_id);
        if let Some(span) = self.epochs.get_mut(&epoch) {
            span.last_seq = entry.seq;
        }
    }

    fn accept(
        &mut self,
        agent: &AgentId,
        epoch: EpochId,
        entry: &Entry,
        key: Option<&Idempotency>,
    ) {
        let (first_seq, last_seq) = (entry.seq, entry.seq);
        let span = EpochSpan { agent: agent.clone(), first_seq, last_seq, end: None };
        if self.senders.len() < SENDERS_MAX && entry.author != EntityName::keeper() {
            self.senders.insert(entry.author.clone());
        }
        self.epochs.insert(epoch, span);
        self.order.push(epoch);
        self.agent_mut(agent).queue.push_back(epoch);
        if let Some(Idempotency { key, body_sha256 }) = key {
            let used = KeyUse { body_sha256: body_sha256.clone(), epoch, seq: entry.seq };
            self.keys.entry(key.clone()).or_insert(used);
        }
    }

    /// Moves an epoch from the queue to the lane, and out of the house's memory at its end.
    fn settle(&mut self, agent: &AgentId, epoch: EpochId, entry: &Entry) {
        let Event::Epoch(event) = &entry.event else { return };
        let state = self.agent_mut(agent);
        state.queue.retain(|queued| *queued != epoch);
        if let EpochEvent::Opened(_) = event {
            state.open = Some(epoch);
            return;
        }
        if state.open == Some(epoch) {
            state.open = None;
        }
        let Some(record) = self.running.remove(&epoch) else { return };
        let is_committed = record.state == EpochState::Committed;
        let end = if is_committed { EpochEnd::Committed } else { EpochEnd::Aborted };
        if let Some(span) = self.epochs.get_mut(&epoch) {
            span.end = Some(end);
        }
        let (seq, tick, result) = (entry.seq, entry.tick, record.result_line());
        let ended = EndedEpoch { epoch, seq, tick, end, result };
        self.agent_mut(agent).last_ended = Some(ended);
        self.society.ended(&record, entry);
        self.ends.add(epoch, is_committed);
        self.undecided.extend(record.undecided().map(|approval| UndecidedApproval {
            approval_id: approval.requested.approval_id,
            agent: record.agent.clone(),
            epoch,
        }));
        self.note_failure(&record, is_committed);
    }

    fn note_failure(&mut self, record: &EpochRecord, is_committed: bool) {
        let session = &record.stimulus.session_id;
        if is_committed {
            self.failed.retain(|f| f.agent != record.agent || f.session_id != *session);
            return;
        }
        let Some(abort) = &record.abort else { return };
        if matches!(abort.code, AbortCode::Cancelled | AbortCode::Reset) {
            return;
        }
        if self.failed.len() == FAILED_MAX {
            self.failed.pop_front();
        }
        self.failed.push_back(FailedEpoch {
            epoch: record.id,
            agent: record.agent.clone(),
            session_id: session.clone(),
            at: record.ended_at.unwrap_or(record.accepted_at),
            message: abort.message.clone(),
        });
    }

    fn agent_mut(&mut self, agent: &AgentId) -> &mut AgentState {
        self.agents.entry(agent.clone()).or_insert_with(|| AgentState::new(agent))
    }

    /// The epoch that an agent's lane runs, whole.
    pub fn open_epoch(&self, agent: &AgentId) -> Option<&EpochRecord> {
        self.running.get(&self.agents.get(agent)?.open?)
    }
}

impl AgentState {
    /// An agent of which nothing is known yet.
    pub fn new(agent: &AgentId) -> Self {
        let entity = agent.entity();
        Self {
            profile: None,
            registered_at: None,
            signals: evidence::Signals::default(),
            queue: VecDeque::new(),
            open: None,
            short_term: ShortTerm::new(entity.clone()),
            identity: Identity::new(entity.clone()),
            dreams: Dreams::new(entity),
            sleep: SleepState::default(),
            paused: None,
            paused_at: None,
            today: DayTally::default(),
            total: Tally::default(),
            last_evidence_at: None,
            last_evidence_seq: 0,
            tokens_cap: None,
            own_log: OwnLog::default(),
            last_ended: None,
            asked_tokens: 0,
            started_seq: 0,
        }
    }

    /// The number of the identity in force; 0 where there is none.
    pub fn identity_version(&self) -> u64 {
        self.identity.current().map_or(0, |identity| identity.version)
    }

    fn apply(&mut self, entry: &Entry) {
        let applied = Applied {
            seq: entry.seq,
            at: entry.timestamp,
            entity: &entry.entity,
            author: &entry.author,
            epoch: entry.epoch,
            event: &entry.event,
        };
        self.short_term.apply(&applied);
        self.identity.apply(&applied);
        self.dreams.apply(&applied);
        self.sleep.apply(entry);
        match &entry.event {
            Event::Turn(event) => self.apply_turn(event, entry.timestamp),
            Event::Context(ContextEvent::Assembled(context)) => {
                let tokens = context.tokens;
                self.asked_tokens = tokens.system + tokens.history + tokens.stimulus;
                let steering = context.exploration.as_ref().and_then(|found| found.usage.as_ref());
                if let Some(usage) = steering {
                    self.spend(usage, entry.timestamp);
                }
            }
            Event::Agent(event) => self.apply_agent(event, entry.timestamp),
            Event::Sleep(SleepEvent::StepFinished(finished)) => {
                if let Some(usage) = &finished.usage {
                    self.spend(usage, entry.timestamp);
                }
            }
            Event::Stdout(StdoutEvent::Written(written)) => {
                let (seq, tick, content) = (entry.seq, entry.tick, written.content.clone());
                self.own_log.push(OwnEntry { seq, tick, content });
            }
            _ => {}
        }
        if matches!(entry.event, Event::Agent(AgentEvent::Started(_))) {
            self.started_seq = entry.seq;
        }
    }

    /// Takes in what its evidence says of how it is doing. What an entry does not say stays as it was.
    fn hear(&mut self, event: &Event) {
        let body = match event {
            Event::Agent(AgentEvent::EvidenceReported(reported)) => &reported.body,
            Event::Evidence(EvidenceEvent::Recorded(recorded)) => &recorded.body,
            _ => return,
        };
        let heard = evidence::signals(body);
        self.signals.fatigue = heard.fatigue.or(self.signals.fatigue);
        self.signals.confidence = heard.confidence.or(self.signals.confidence);
    }

    /// Whether no epoch has ended since it was started, woken with its process, or reset (decision 10); `begun_after` is the
    /// last event of the keepers before this one.
    pub fn is_fresh(&self, begun_after: u64) -> bool {
        let ended_seq = self.last_ended.as_ref().map_or(0, |ended| ended.seq);
        ended_seq <= begun_after || ended_seq < self.started_seq || self.short_term.is_empty()
    }

    fn apply_turn(&mut self, event: &TurnEvent, at: Timestamp) {
        let usage = match event {
            TurnEvent::Started(_) => return,
            TurnEvent::Completed(completed) => Some(&completed.usage),
            TurnEvent::Failed(failed) => {
                // In later turns it is the results of calls that are too long, not what the agent remembers.
                if failed.code == "context_too_long" && failed.turn == 1 {
                    // The epoch itself goes on with half. What fits lies between that and what was rejected: the next
                    // epochs look for it from above, since a prompt that is rejected costs little and a past that is not
                    // shown costs much.
                    self.tokens_cap = Some(self.asked_tokens / 4 * 3);
                }
                failed.usage.as_ref()
            }
        };
        if let Some(usage) = usage {
            self.spend(usage, at);
        }
    }

    fn spend(&mut self, usage: &UsageRecord, at: Timestamp) {
        self.total.add(usage);
        if self.today.day != at.day() {
            self.today = DayTally { day: at.day(), ..DayTally::default() };
        }
        self.today.tally.add(usage);
    }

    fn apply_agent(&mut self, event: &AgentEvent, at: Timestamp) {
        match event {
            AgentEvent::Registered(profile) => {
                self.profile = Some(profile.clone());
                self.registered_at.get_or_insert(at);
                // Another profile may mean another mind, with another window.
                self.tokens_cap = None;
            }
            AgentEvent::Paused(paused) => {
                self.paused = Some(paused.clone());
                self.paused_at = Some(at);
            }
            AgentEvent::Resumed(_) => {
                self.paused = None;
                self.paused_at = None;
                self.today.forgiven_microusd = self.today.tally.cost_microusd;
            }
            // The life of a process is no part of the house: the supervisor knows it, and it is over after a restart.
            _ => {}
        }
    }

    /// What counts against the daily budget on `day`, in millionths of a dollar.
    pub fn spent_microusd(&self, day: i64) -> u64 {
        self.cost_microusd(day).saturating_sub(self.forgiven_microusd(day))
    }

    /// What was spent on `day`, in millionths of a dollar.
    pub fn cost_microusd(&self, day: i64) -> u64 {
        if self.today.day == day { self.today.tally.cost_microusd } else { 0 }
    }

    /// What of it does not count any more, because a person let the agent go on.
    pub fn forgiven_microusd(&self, day: i64) -> u64 {
        if self.today.day == day { self.today.forgiven_microusd } else { 0 }
    }
}

impl Tally {
    /// Adds an attempt. One without a price adds nothing to the cost, and is counted: unknown is not zero.
    pub fn add(&mut self, usage: &UsageRecord) {
        self.input_tokens = self.input_tokens.saturating_add(usage.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(usage.output_tokens);
        match usage.cost_microusd {
            Some(cost) => self.cost_microusd = self.cost_microusd.saturating_add(cost),
            None => self.unpriced += 1,
        }
    }
}
