//! The state: a pure fold of all events of the ledger, the projection that the engine decides by.
//!
//! [`State::apply`] is the only way it changes. It holds no clock and does no I/O, so the same events always give the
//! same state: at start, after a crash, in the simulator, and in `abide epochs show --context`, which folds up to an
//! epoch and shows what its mind saw.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    time::Duration,
};

use abide_domain::{
    AgentId, ApprovalId, EntityName, EpochId, Timestamp,
    epoch::{EpochState, IllegalMoveError},
    event::{
        AbortCode, ApprovalEvent, EpochEvent, Event, Idempotency, KeeperEvent, StimulusAccepted,
        StimulusEvent,
    },
    evidence,
    limits::SPAWNED_MAX,
};
use abide_ledger::{Entry, TickRule, erase::ERASED};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

mod agent;
mod decks;
mod digest;
mod ends_hash;
mod entities;
mod epoch;
mod epoch_spans;
mod evolutions;
mod fact_proposals;
mod logs;
mod media;
mod own_log;
mod private_state;
mod sleep;
mod spaces;
mod tool_settings;
mod tool_use;
mod wakes;

use ends_hash::EndsHash;

pub use agent::{AgentState, AttemptEnd, DayTally, EndedEpoch, Tally};
pub(crate) use agent::{concerns_identity, concerns_memory};
pub use decks::{DeckNotes, DeckRecord, Decks};
pub use entities::{Entities, SpawnedAgent};
pub(crate) use epoch::is_untrusted_result;
pub use epoch::{ApprovalRecord, CallRecord, EpochEnd, EpochRecord, InnerCallRecord, TurnRecord};
pub use epoch_spans::{EpochSpan, EpochSpans};
pub use evolutions::{AgentEvolutions, CodeInForce, EvolutionRecord, Evolutions};
pub use fact_proposals::{FactProposals, WaitingFact};
pub use logs::Logs;
pub use media::Media;
pub use own_log::{OwnEntry, OwnLog};
pub use private_state::PrivateStateLoss;
pub use sleep::{
    SLEEP_EMPTY_EPOCHS_MAX, SLEEP_EPOCHS_MAX, SleepReport, SleepRun, SleepState, WaitingEpoch,
};
pub use spaces::{Space, SpaceMessage, Spaces};
pub use tool_settings::{ToolSetting, ToolSettings};
pub use tool_use::ToolUse;
pub use wakes::{
    CurrentTime, EvaluationContext, ScheduleState, Wake, WakeInput, WakeStatus, Wakes, check_calls,
};

/// How many senders are known by name; others can be spoken to only if they are partners.
const SENDERS_MAX: usize = 10_000;
/// How many failed epochs `/attention` remembers.
const FAILED_MAX: usize = 50;
/// How long it remembers one that nobody asked again.
const FAILED_AGE_MAX: Duration = Duration::from_hours(7 * 24);

/// Everything that is known from the ledger up to one event. Shared through the state view.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The last event applied.
    pub seq: u64,
    /// The tick of that event.
    pub tick: u64,
    /// The agents, configured or only known from the past.
    pub agents: BTreeMap<AgentId, AgentState>,
    /// Every epoch ever accepted.
    pub epochs: EpochSpans,
    /// The epochs that have not ended, whole.
    pub running: HashMap<EpochId, EpochRecord>,
    /// Idempotency keys and what they stand for.
    pub keys: HashMap<String, KeyUse>,
    /// Aborted epochs whose stimulus was neither sent again, answered nor dismissed since, oldest first.
    pub failed: VecDeque<FailedEpoch>,
    /// Approvals whose epoch ended without a decision on them.
    pub undecided: Vec<UndecidedApproval>,
    /// Who has spoken to an agent, the first so many.
    pub senders: BTreeSet<EntityName>,
    /// Logs, spaces, wakes and spawned agents.
    pub entities: Entities,
    /// What people set about tools.
    pub tool_settings: ToolSettings,
    /// The changes of agents, and which code runs because of them.
    pub evolutions: Evolutions,
    /// Decks, their proposals, and which agent works with which.
    pub decks: Decks,
    /// What is to be played, and playlists.
    pub media: Media,
    /// Whether the keeper that writes lets failed epochs stay until they are asked again.
    remembers_failures: bool,
    /// How time becomes ticks; none before the first event.
    ticks: Option<TickRule>,
    /// A hash over all ends of epochs in their order.
    ends: EndsHash,
}

/// What an idempotency key stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyUse {
    /// SHA-256 of the first request's body, hex.
    pub body_sha256: String,
    /// The epoch that it made.
    pub epoch: EpochId,
    /// The sequence of its `stimulus.accepted`.
    pub seq: u64,
}

/// An aborted epoch that a person may want to see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedEpoch {
    /// Its epoch.
    pub epoch: EpochId,
    /// The agent it belongs to.
    pub agent: AgentId,
    /// A digest of what was left without a reply. The same words of the same sender to the same agent take it off the list: they
    /// are a new epoch, which is answered or fails in its turn. None: its words were erased, and nothing is the same as they were.
    pub asked: Option<[u8; 32]>,
    /// Whether any reply of the agent takes it off the list: an older keeper recorded it, by whose rule that was so. Otherwise
    /// what was settled long ago would come back with the first start after an upgrade.
    pub ends_with_any_reply: bool,
    /// When it ended.
    pub at: Timestamp,
    /// Why it was aborted, for people.
    pub message: String,
}

/// An approval that has no decision and whose epoch has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndecidedApproval {
    /// The approval that nobody decided on.
    pub approval_id: ApprovalId,
    /// Whose call it was to allow.
    pub agent: AgentId,
    /// The epoch that ended.
    pub epoch: EpochId,
}

/// An event that does not fit what came before: the ledger was written by a defective program.
#[derive(Debug, thiserror::Error)]
#[error("event {seq} of epoch {epoch} does not fit the events before it")]
pub struct FoldError {
    /// The sequence of the event.
    pub seq: u64,
    /// Its epoch.
    pub epoch: EpochId,
    /// The move that is not allowed.
    pub source: IllegalMoveError,
}

/// Tells apart what was asked. No words are kept: they may be erased, and then nobody can tell.
fn digest_of(stimulus: &StimulusAccepted) -> Option<[u8; 32]> {
    let content = Some(stimulus.content.trim()).filter(|content| *content != ERASED)?;
    let digest = Sha256::new().chain_update(&stimulus.sender).chain_update([0]);
    Some(digest.chain_update(content).finalize().into())
}

impl State {
    /// Takes one event in. Events must come in order; one that was applied before is skipped.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), FoldError> {
        if entry.seq <= self.seq {
            return Ok(());
        }
        self.seq = entry.seq;
        self.tick = entry.tick;
        self.follow_clock(entry);
        if let Event::Keeper(KeeperEvent::Started(started)) = &entry.event {
            self.remembers_failures = started.remembers_failures;
        }
        self.forget_old_failures(entry.timestamp);
        self.tool_settings.apply(entry);
        self.media.apply(entry);
        for note in self.decks.apply(entry) {
            if let Some(agent) = self.agents.get_mut(&note.to) {
                agent.deck_notes.push(entry.seq, note.text);
            }
        }
        let Ok(agent) = entry.entity.bare().parse::<AgentId>() else { return Ok(()) };
        // What is about the keeper, what the watchdog saw and what was said on a network belongs to no agent.
        let is_of_keeper = entry.entity == EntityName::keeper();
        let is_aside =
            matches!(entry.event, Event::Keeper(_) | Event::Watchdog(_) | Event::Channel(_));
        if is_of_keeper || is_aside {
            return Ok(());
        }
        self.apply_epoch(&agent, entry)?;
        self.entities.apply(entry, self.hop_of(entry));
        self.evolutions.apply(&agent, entry);
        // An entity that only writes, speaks or grants need not be an agent.
        let needs_no_agent =
            matches!(entry.event, Event::Stdout(_) | Event::Space(_) | Event::Wake(_));
        if needs_no_agent && !self.agents.contains_key(&agent) {
            return Ok(());
        }
        let state = self.agent_mut(&agent);
        if evidence::is_sign_of_life(&entry.entity, &entry.author, &entry.event) {
            state.last_evidence_at = Some(entry.timestamp);
            state.last_evidence_seq = entry.seq;
            state.note_signals(&entry.event);
        }
        state.apply(entry);
        Ok(())
    }

    /// How many steps from agent to agent lead to whom an event reaches; 0 where a person or the clock caused it.
    fn hop_of(&self, entry: &Entry) -> u32 {
        let is_from_outside = matches!(entry.event, Event::Stimulus(_));
        let epoch = entry.epoch.filter(|_| !is_from_outside);
        let record = epoch.and_then(|epoch| self.running.get(&epoch));
        record.map_or(0, |record| record.stimulus.hop() + 1)
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

    fn apply_epoch(&mut self, agent: &AgentId, entry: &Entry) -> Result<(), FoldError> {
        let Some(epoch) = entry.epoch else { return Ok(()) };
        if let Event::Stimulus(StimulusEvent::Accepted(stimulus)) = &entry.event {
            self.accept(agent, epoch, entry, stimulus.idempotency.as_ref());
            let (at, seq) = (entry.timestamp, entry.seq);
            self.note_asked_again(agent, stimulus);
            let record = EpochRecord::accepted(epoch, agent.clone(), stimulus.clone(), at, seq);
            self.running.insert(epoch, record);
            return Ok(());
        }
        let Some(record) = self.running.get_mut(&epoch) else {
            self.catch_up(epoch, entry);
            return Ok(());
        };
        record.apply(&entry.event, entry.timestamp).map_err(|source| FoldError {
            seq: entry.seq,
            epoch,
            source,
        })?;
        record.last_seq = entry.seq;
        self.epochs.extend(&epoch, entry.seq);
        self.settle(agent, epoch, entry);
        Ok(())
    }

    /// Takes in what was written about an epoch after its end: a missing decision, or that nobody waits for its reply any more.
    fn catch_up(&mut self, epoch: EpochId, entry: &Entry) {
        match &entry.event {
            Event::Approval(ApprovalEvent::Decided(decided)) => {
                self.undecided.retain(|approval| approval.approval_id != decided.approval_id);
            }
            Event::Epoch(EpochEvent::Dismissed(_)) => {
                self.failed.retain(|failed| failed.epoch != epoch);
            }
            _ => return,
        }
        self.epochs.extend(&epoch, entry.seq);
    }

    fn accept(
        &mut self,
        agent: &AgentId,
        epoch: EpochId,
        entry: &Entry,
        key: Option<&Idempotency>,
    ) {
        if self.senders.len() < SENDERS_MAX && entry.author != EntityName::keeper() {
            self.senders.insert(entry.author.clone());
        }
        self.epochs.accept(epoch, agent, entry.seq);
        self.agent_mut(agent).queue.push_back(epoch);
        if let Some(Idempotency { key, body_sha256 }) = key {
            let used = KeyUse { body_sha256: body_sha256.clone(), epoch, seq: entry.seq };
            self.keys.entry(key.clone()).or_insert(used);
        }
    }

    /// Moves an epoch from the queue to the lane, and out of memory at its end.
    fn settle(&mut self, agent: &AgentId, epoch: EpochId, entry: &Entry) {
        let Event::Epoch(event) = &entry.event else { return };
        let state = self.agent_mut(agent);
        state.queue.retain(|queued| *queued != epoch);
        match event {
            EpochEvent::Opened(_) => return state.open = Some(epoch),
            EpochEvent::StoodStill(_) | EpochEvent::Dismissed(_) => return,
            EpochEvent::Committed(_) | EpochEvent::Aborted(_) => {}
        }
        if state.open == Some(epoch) {
            state.open = None;
        }
        let Some(record) = self.running.remove(&epoch) else { return };
        let is_committed = record.state == EpochState::Committed;
        let end = if is_committed { EpochEnd::Committed } else { EpochEnd::Aborted };
        self.epochs.end(&epoch, end);
        let (seq, tick, at, result) =
            (entry.seq, entry.tick, entry.timestamp, record.result_line());
        let ended = EndedEpoch { epoch, seq, tick, at, end, result };
        let state = self.agent_mut(agent);
        if !is_committed {
            state.last_aborted = Some(ended.clone());
        }
        state.last_ended = Some(ended);
        record.kept.iter().filter(|_| is_committed).for_each(|kept| state.kept.apply(kept));
        if is_committed {
            state.tool_use.add(record.called());
            let read = record.context.as_ref().and_then(|context| context.deck_notes);
            if let Some(read) = read {
                state.deck_notes.read_through(read.through_seq);
            }
        }
        self.entities.ended(&record, entry);
        self.evolutions.ended(epoch, agent, is_committed);
        self.decks.ended(epoch, is_committed);
        self.ends.add(epoch, is_committed);
        self.undecided.extend(record.undecided().map(|approval| UndecidedApproval {
            approval_id: approval.requested.approval_id,
            agent: record.agent.clone(),
            epoch,
        }));
        if is_committed {
            self.note_answered(agent, &record.stimulus);
        }
        self.note_failure(&record);
    }

    fn note_failure(&mut self, record: &EpochRecord) {
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
            asked: digest_of(&record.stimulus),
            ends_with_any_reply: !self.remembers_failures,
            at: record.ended_at.unwrap_or(record.accepted_at),
            message: abort.message.clone(),
        });
    }

    /// A stimulus that was left without a reply comes again: from here on, the new epoch is what counts.
    fn note_asked_again(&mut self, agent: &AgentId, stimulus: &StimulusAccepted) {
        if !self.failed.is_empty()
            && let Some(asked) = digest_of(stimulus)
        {
            self.failed.retain(|failed| failed.agent != *agent || failed.asked != Some(asked));
        }
    }

    /// A stimulus was answered. The same words may have failed after they were queued, and before these were answered.
    fn note_answered(&mut self, agent: &AgentId, stimulus: &StimulusAccepted) {
        self.note_asked_again(agent, stimulus);
        self.failed.retain(|failed| failed.agent != *agent || !failed.ends_with_any_reply);
    }

    fn forget_old_failures(&mut self, now: Timestamp) {
        let is_old = |failed: &FailedEpoch| now.since(failed.at) >= FAILED_AGE_MAX;
        while self.failed.front().is_some_and(is_old) {
            self.failed.pop_front();
        }
    }

    fn agent_mut(&mut self, agent: &AgentId) -> &mut AgentState {
        self.agents.entry(agent.clone()).or_insert_with(|| AgentState::new(agent))
    }

    /// What people set about tools that holds for an agent, by the names of tools. What is set for the one that made it holds for it as
    /// well: nobody gets around a setting by making another agent.
    pub fn tool_settings_of(&self, agent: &AgentId) -> BTreeMap<&str, &ToolSetting> {
        let maker = |agent: &AgentId| {
            let made = self.entities.spawned.iter().find(|made| made.agent.agent == *agent)?;
            made.by.bare().parse::<AgentId>().ok()
        };
        let line = std::iter::successors(Some(agent.clone()), maker).take(SPAWNED_MAX + 1);
        self.tool_settings.of_line(&line.collect::<Vec<_>>())
    }

    /// The epoch that an agent's lane runs, whole.
    pub fn open_epoch(&self, agent: &AgentId) -> Option<&EpochRecord> {
        self.running.get(&self.agents.get(agent)?.open?)
    }
}
