//! Everything that the watchdog knows of the past: a fold of the ledger's `watchdog.*` lines. [`WatchdogState::apply`] is the only
//! way it changes, live and after a restart alike, so that a restart can neither forget an episode nor page twice.

use std::collections::BTreeMap;

use abide_domain::{
    AgentId, EntityName, Timestamp,
    event::{
        Event,
        watchdog::{AttentionMatter, BlindCause, Scanned, WatchdogEvent},
    },
    evidence::WATCHDOG,
};
use abide_ledger::Entry;

use crate::{
    attention::{AttentionRules, RaisedMatters},
    episode::{Episode, PendingNotice},
    observation::Observation,
    watched_time::WatchedTime,
};

mod due;
mod plan;

pub(crate) use plan::new_page_id;
pub use plan::{Ring, ScanContext, ScanPlan, Trigger};

/// The past of the watchdog.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WatchdogState {
    episodes: BTreeMap<AgentId, Episode>,
    last_paged: BTreeMap<AgentId, Timestamp>,
    /// When a stall ended with its task, without an answer: the next task has its time from there on.
    last_given_up: BTreeMap<AgentId, Timestamp>,
    /// Until when somebody is not disturbed; under none, everybody.
    silences: BTreeMap<Option<AgentId>, Timestamp>,
    maintenance: Option<Maintenance>,
    blind: Option<BlindSpan>,
    watched_time: WatchedTime,
    last_scan: Option<ScanRecord>,
    paged: UnreportedAgents,
    escalated: UnreportedAgents,
    raised: RaisedMatters,
    written_at: Timestamp,
}

/// Maintenance under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Maintenance {
    /// Since when.
    pub since: Timestamp,
    /// When it ends by itself, if it does.
    pub until: Option<Timestamp>,
    /// Who began it.
    pub by: EntityName,
    /// Why, if said.
    pub reason: Option<String>,
}

/// Agents cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlindSpan {
    /// What is in the way.
    pub cause: BlindCause,
    /// Since when.
    pub since: Timestamp,
    /// In words.
    pub message: String,
    /// That a person is to be told, once it has lasted.
    pub alarm: Option<PendingNotice>,
}

/// A scan as it was written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanRecord {
    /// When.
    pub at: Timestamp,
    /// What it found.
    pub scanned: Scanned,
}

/// Agents of which the next scan has to tell. A scan's line stands before what the scan itself leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct UnreportedAgents {
    announced: Vec<AgentId>,
    unreported: Vec<AgentId>,
}

impl UnreportedAgents {
    fn add(&mut self, agent: &AgentId) {
        match self.announced.iter().position(|announced| announced == agent) {
            Some(index) => drop(self.announced.swap_remove(index)),
            None => self.unreported.push(agent.clone()),
        }
    }

    /// A scan told of these; what it does not find in the unreported follows in its own batch.
    fn reported(&mut self, reported: &[AgentId]) {
        let unreported = std::mem::take(&mut self.unreported);
        self.announced =
            reported.iter().filter(|agent| !unreported.contains(agent)).cloned().collect();
    }
}

impl WatchdogState {
    /// Takes in a line of the ledger; lines that are not the watchdog's change nothing.
    pub fn apply_entry(&mut self, entry: &Entry) {
        if let Event::Watchdog(event) = &entry.event {
            self.apply(entry.timestamp, &entry.entity, &entry.author, event);
        }
    }

    /// Takes in what happened.
    pub fn apply(
        &mut self,
        at: Timestamp,
        entity: &EntityName,
        author: &EntityName,
        event: &WatchdogEvent,
    ) {
        self.written_at = self.written_at.max(at);
        let agent = Some(entity).filter(|entity| **entity != EntityName::keeper());
        let agent: Option<AgentId> = agent.and_then(|entity| entity.bare().parse().ok());
        self.apply_keeper(at, author, event);
        self.raised.apply(at, event);
        self.apply_silence(at, agent.as_ref(), event);
        match (&agent, event) {
            (Some(agent), WatchdogEvent::StallOpened(opened)) => {
                self.episodes.insert(agent.clone(), Episode::opened(agent.clone(), at, opened));
            }
            (Some(agent), WatchdogEvent::Resolved(end)) => self.close(agent, end.episode),
            (Some(agent), WatchdogEvent::Withdrawn(end)) => {
                if end.unanswered.is_some() {
                    self.last_given_up.insert(agent.clone(), at);
                }
                self.close(agent, end.episode);
            }
            (Some(agent), event) => {
                match event {
                    WatchdogEvent::Paged(_) => {
                        self.last_paged.insert(agent.clone(), at);
                        self.paged.add(agent);
                    }
                    WatchdogEvent::Escalated(_) => self.escalated.add(agent),
                    _ => {}
                }
                if let Some(episode) = self.episodes.get_mut(agent) {
                    episode.apply(at, author, event);
                }
            }
            (None, event) => {
                self.episodes.values_mut().for_each(|episode| episode.apply(at, author, event));
            }
        }
        // Also where evidence could only not be read: whatever kept agents from working meanwhile was not seen either.
        self.watched_time.set_suspended(self.maintenance.is_some() || self.blind.is_some(), at);
    }

    fn apply_keeper(&mut self, at: Timestamp, author: &EntityName, event: &WatchdogEvent) {
        match event {
            WatchdogEvent::Scanned(scanned) => {
                self.paged.reported(&scanned.paged);
                self.escalated.reported(&scanned.escalated);
                self.last_scan = Some(ScanRecord { at, scanned: scanned.clone() });
            }
            WatchdogEvent::Rebased(rebased) => {
                self.watched_time.exclude(rebased.from, at);
                if rebased.fresh {
                    self.watched_time.restart_silences(at);
                }
            }
            WatchdogEvent::Blinded(blinded) => {
                let (cause, message) = (blinded.cause, blinded.message.clone());
                let old = self.blind.take();
                let since = old.as_ref().map_or(at, |old| old.since);
                let alarm = old.and_then(|old| old.alarm);
                self.blind = Some(BlindSpan { cause, since, message, alarm });
            }
            WatchdogEvent::Sighted(_) => self.blind = None,
            WatchdogEvent::Paused(paused) => {
                let (until, reason) = (paused.until, paused.reason.clone());
                let by = author.clone();
                self.maintenance = Some(Maintenance { since: at, until, by, reason });
            }
            WatchdogEvent::Resumed(_) => self.maintenance = None,
            _ => self.apply_alarm(at, event),
        }
    }

    fn apply_alarm(&mut self, at: Timestamp, event: &WatchdogEvent) {
        let Some(blind) = &mut self.blind else { return };
        match (event, &mut blind.alarm) {
            (WatchdogEvent::Alarmed(alarmed), alarm) => {
                *alarm = Some(PendingNotice::new(at, alarmed.notice, &[]));
            }
            (event, Some(alarm)) => alarm.apply(at, event),
            (_, None) => {}
        }
    }

    fn apply_silence(&mut self, at: Timestamp, agent: Option<&AgentId>, event: &WatchdogEvent) {
        match event {
            WatchdogEvent::Silenced(silenced) => {
                self.silences.retain(|_, until| *until > at);
                self.silences.insert(agent.cloned(), silenced.until);
            }
            WatchdogEvent::Unsilenced(_) => drop(self.silences.remove(&agent.cloned())),
            _ => {}
        }
    }

    fn close(&mut self, agent: &AgentId, episode: abide_domain::EpisodeId) {
        if self.episodes.get(agent).is_some_and(|open| open.id == episode) {
            self.episodes.remove(agent);
        }
    }

    /// The open episodes, by agent.
    pub fn episodes(&self) -> impl Iterator<Item = &Episode> {
        self.episodes.values()
    }

    /// The open episode of an agent.
    pub fn episode(&self, agent: &AgentId) -> Option<&Episode> {
        self.episodes.get(agent)
    }

    /// The maintenance under way, if any.
    pub fn maintenance(&self) -> Option<&Maintenance> {
        self.maintenance.as_ref()
    }

    /// Why agents cannot be judged, if so.
    pub fn blind_span(&self) -> Option<&BlindSpan> {
        self.blind.as_ref()
    }

    /// Silences in force at that moment; one under no agent is about everybody.
    pub fn silences(&self, now: Timestamp) -> impl Iterator<Item = (Option<&AgentId>, Timestamp)> {
        let all = self.silences.iter().map(|(agent, until)| (agent.as_ref(), *until));
        all.filter(move |(_, until)| *until > now)
    }

    /// The newest scan.
    pub fn last_scan(&self) -> Option<&ScanRecord> {
        self.last_scan.as_ref()
    }

    /// The time that counts.
    pub fn watched_time(&self) -> &WatchedTime {
        &self.watched_time
    }

    /// The time of the newest line.
    pub fn written_at(&self) -> Timestamp {
        self.written_at
    }

    /// When the next of the matters that were seen, and of which nobody was told yet, is due.
    pub(crate) fn next_matter(
        &self,
        rules: &AttentionRules,
        seen: &Observation,
    ) -> Option<Timestamp> {
        self.raised.next_new(rules, &seen.attention)
    }

    /// Whether a matter that people were told of still waits.
    pub(crate) fn is_matter_open(&self, matter: &AttentionMatter) -> bool {
        self.raised.is_open(matter)
    }

    /// Whether something hides the silence of all agents: not their silence, their being unable to move.
    fn is_hidden(&self) -> bool {
        self.blind.as_ref().is_some_and(|blind| blind.cause != BlindCause::Evidence)
    }

    fn is_silenced(&self, agent: &AgentId, now: Timestamp) -> bool {
        let is_on = |until: Option<&Timestamp>| until.is_some_and(|until| *until > now);
        is_on(self.silences.get(&None)) || is_on(self.silences.get(&Some(agent.clone())))
    }
}

/// The watchdog as the author of lines.
pub(crate) fn watchdog_author() -> EntityName {
    EntityName::sender(WATCHDOG).unwrap_or_else(|_| EntityName::keeper())
}
