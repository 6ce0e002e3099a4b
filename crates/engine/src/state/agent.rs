//! The state of one agent: its queue, its memory of what was said, what it used, when it last moved.
//!
//! The state gives it the events of its own entity and no others. It holds no clock.

use std::collections::VecDeque;

use abide_domain::{
    AgentId, EpochId, Timestamp,
    event::{
        AgentEvent, AgentPaused, AgentRegistered, ContextEvent, EpochEvent, Event, EvidenceEvent,
        SleepEvent, StdoutEvent, TurnEvent, UsageRecord,
    },
    evidence,
};
use abide_ledger::Entry;
use abide_memory::{Dreams, DurableEvent, Identity, ShortTerm, Wishes};
use abide_tools::KeptValues;
use serde::{Deserialize, Serialize};

use super::{
    decks::DeckNotes,
    epoch::EpochEnd,
    fact_proposals::FactProposals,
    own_log::{OwnEntry, OwnLog},
    private_state::PrivateStateLoss,
    sleep::SleepState,
    tool_use::ToolUse,
};

/// Characters of a failure that are kept, in Unicode scalar values.
const FAILURE_CHARS_MAX: usize = 200;

/// The state of one agent. The projector moves it, everybody reads it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
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
    /// What people ask of it once and for all.
    pub wishes: Wishes,
    /// The versions of its identity.
    pub identity: Identity,
    /// The list of its dreams.
    pub dreams: Dreams,
    /// What it has slept over.
    pub sleep: SleepState,
    /// Facts that its sleep found and that wait for a person.
    pub fact_proposals: FactProposals,
    /// What its tools keep for it.
    pub kept: KeptValues,
    /// Why it is paused, if it is.
    pub paused: Option<AgentPaused>,
    /// Since when it is paused.
    pub paused_at: Option<Timestamp>,
    /// What it used on the day of its last use.
    pub today: DayTally,
    /// What it used in all.
    pub total: Tally,
    /// When its work last showed.
    pub last_evidence_at: Option<Timestamp>,
    /// The event that showed it; 0 where none has.
    pub last_evidence_seq: u64,
    /// How the newest attempt at a turn ended; none before the first.
    pub last_attempt: Option<AttemptEnd>,
    /// The longest prompt, in tokens, after a model rejected a longer one.
    pub tokens_cap: Option<u64>,
    /// Its own newest entries.
    pub own_log: OwnLog,
    /// What it has not read yet of what people did with changes of decks that it proposed.
    pub deck_notes: DeckNotes,
    /// Its epoch that ended last.
    pub last_ended: Option<EndedEpoch>,
    /// Its epoch that ended last without an answer.
    pub last_aborted: Option<EndedEpoch>,
    /// Which tools it has used.
    pub tool_use: ToolUse,
    /// What its process lost of its private state, and no person has seen to yet.
    pub private_state_loss: Option<PrivateStateLoss>,
    /// The newest event that its memory is made of; 0 before the first.
    pub(crate) memory_seq: u64,
    /// The size of the newest context, in tokens.
    asked_tokens: u64,
    /// The size of a context that a model rejected for a reason that is not known: its length, if a shorter one is answered.
    doubted_tokens: Option<u64>,
    /// When its process began last, as an event.
    started_seq: u64,
}

/// The end of an epoch, as `\stdout last-execution:` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedEpoch {
    /// Its id.
    pub epoch: EpochId,
    /// The sequence of its end.
    pub seq: u64,
    /// The tick of its end.
    pub tick: u64,
    /// The time of its end.
    pub at: Timestamp,
    /// How it ended.
    pub end: EpochEnd,
    /// The first line of its reply, or why there is none.
    pub result: String,
}

/// How an attempt at a turn ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptEnd {
    /// When it ended.
    pub at: Timestamp,
    /// Code and words of its failure, the words cut; none where the mind answered.
    pub failed: Option<(String, String)>,
}

/// Tokens and money, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayTally {
    /// Days since 1970-01-01, UTC.
    pub day: i64,
    /// What was used.
    pub tally: Tally,
    /// Cost that was already spent when a person let the agent go on past its budget.
    pub forgiven_microusd: u64,
}

/// Whether an event can change what is remembered: by itself, as part of what an epoch will have said, or as an epoch's
/// end, which puts both in force.
pub(crate) fn concerns_memory(event: &Event) -> bool {
    matches!(event, Event::Stimulus(_) | Event::Turn(TurnEvent::Completed(_)))
        || concerns_identity(event)
}

/// Whether an event can change an identity. An epoch's end counts, because it puts staged ones in force.
pub(crate) fn concerns_identity(event: &Event) -> bool {
    matches!(
        event,
        Event::Memory(_) | Event::Epoch(EpochEvent::Committed(_) | EpochEvent::Aborted(_))
    )
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
            wishes: Wishes::new(entity.clone()),
            identity: Identity::new(entity.clone()),
            dreams: Dreams::new(entity),
            sleep: SleepState::default(),
            fact_proposals: FactProposals::default(),
            kept: KeptValues::default(),
            paused: None,
            paused_at: None,
            today: DayTally::default(),
            total: Tally::default(),
            last_evidence_at: None,
            last_evidence_seq: 0,
            last_attempt: None,
            tokens_cap: None,
            own_log: OwnLog::default(),
            deck_notes: DeckNotes::default(),
            last_ended: None,
            last_aborted: None,
            tool_use: ToolUse::default(),
            private_state_loss: None,
            memory_seq: 0,
            asked_tokens: 0,
            doubted_tokens: None,
            started_seq: 0,
        }
    }

    /// The number of the identity in force; 0 where there is none.
    pub fn identity_version(&self) -> u64 {
        self.identity.current().map_or(0, |identity| identity.version)
    }

    pub(super) fn apply(&mut self, entry: &Entry) {
        let applied = DurableEvent {
            seq: entry.seq,
            at: entry.timestamp,
            entity: &entry.entity,
            author: &entry.author,
            epoch: entry.epoch,
            event: &entry.event,
        };
        if concerns_memory(&entry.event) {
            self.memory_seq = entry.seq;
        }
        self.short_term.apply(&applied);
        self.wishes.apply(&applied);
        self.identity.apply(&applied);
        self.dreams.apply(&applied);
        self.sleep.apply(entry);
        self.fact_proposals.apply(entry);
        match &entry.event {
            Event::Turn(event) => self.apply_turn(event, entry.timestamp),
            Event::Context(ContextEvent::Assembled(context)) => {
                self.asked_tokens = context.tokens.all();
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
    pub(super) fn note_signals(&mut self, event: &Event) {
        let body = match event {
            Event::Agent(AgentEvent::EvidenceReported(reported)) => &reported.body,
            Event::Evidence(EvidenceEvent::Recorded(recorded)) => &recorded.body,
            _ => return,
        };
        let signals = evidence::signals(body);
        self.signals.fatigue = signals.fatigue.or(self.signals.fatigue);
        self.signals.confidence = signals.confidence.or(self.signals.confidence);
    }

    /// Whether no epoch has ended since it was started, woken with its process, or reset (decision 10); `begun_after` is the
    /// last event of the keepers before this one.
    pub fn is_fresh(&self, begun_after: u64) -> bool {
        let ended_seq = self.last_ended.as_ref().map_or(0, |ended| ended.seq);
        ended_seq <= begun_after || ended_seq < self.started_seq || self.short_term.is_empty()
    }

    fn apply_turn(&mut self, event: &TurnEvent, at: Timestamp) {
        let usage = match event {
            TurnEvent::Started(started) => {
                if started.turn == 1 && started.attempt == 1 {
                    self.doubted_tokens = None;
                }
                return;
            }
            TurnEvent::Completed(completed) => {
                if let Some(doubted) = self.doubted_tokens.take() {
                    self.tokens_cap = Some(doubted / 4 * 3);
                }
                self.last_attempt = Some(AttemptEnd { at, failed: None });
                Some(&completed.usage)
            }
            TurnEvent::Failed(failed) => {
                let words = failed.message.chars().take(FAILURE_CHARS_MAX).collect();
                let failed_with = Some((failed.code.clone(), words));
                self.last_attempt = Some(AttemptEnd { at, failed: failed_with });
                // In later turns it is the results of calls that are too long, not what the agent remembers.
                if failed.code == "context_too_long" && failed.turn == 1 {
                    // The epoch itself goes on with half. What fits lies between that and what was rejected: the next
                    // epochs look for it from above, since a prompt that is rejected costs little and a past that is not
                    // shown costs much.
                    self.tokens_cap = Some(self.asked_tokens / 4 * 3);
                }
                if failed.code == "perhaps_too_long" && failed.turn == 1 {
                    self.doubted_tokens = Some(self.asked_tokens);
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
        PrivateStateLoss::apply(&mut self.private_state_loss, event, at);
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
            // The runs of a process are no more of the state: the supervisor knows them, and they end with the keeper.
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

#[cfg(test)]
mod tests {
    use abide_domain::{
        AgentId, EntityName, Timestamp,
        event::{Event, TurnCompleted, TurnFailed, UsageRecord, VoiceRecord},
    };
    use abide_ledger::Entry;

    use super::{AgentState, AttemptEnd, FAILURE_CHARS_MAX};

    #[test]
    fn the_newest_attempt_is_remembered_by_how_it_ended() {
        let agent: AgentId = "felix".parse().unwrap();
        let mut state = AgentState::new(&agent);
        let mut apply = |second: i64, event: Event| {
            let timestamp = Timestamp::from_micros(second * 1_000_000);
            let (entity, author) = (agent.entity(), EntityName::keeper());
            state.apply(&Entry { seq: 1, tick: 1, timestamp, entity, author, epoch: None, event });
            state.last_attempt.clone()
        };
        let failed = TurnFailed {
            turn: 1,
            attempt: 1,
            code: "unavailable".into(),
            message: "ä".repeat(FAILURE_CHARS_MAX + 1),
            repair: None,
            path: None,
            usage: None,
        };
        let words = ("unavailable".to_owned(), "ä".repeat(FAILURE_CHARS_MAX));
        let at = Timestamp::from_micros(5_000_000);
        assert_eq!(apply(5, failed.into()), Some(AttemptEnd { at, failed: Some(words) }));
        let voice = VoiceRecord {
            thought: String::new(),
            emotive_state: "calm".into(),
            tool_calls: Vec::new(),
            final_response: Some("here".into()),
        };
        let usage = UsageRecord::default();
        let completed = TurnCompleted { turn: 1, attempt: 2, voice, usage };
        let at = Timestamp::from_micros(6_000_000);
        assert_eq!(apply(6, completed.into()), Some(AttemptEnd { at, failed: None }));
    }
}
