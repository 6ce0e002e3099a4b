//! "What happened while I slept": a fold of the ledger's lines since then, and how long the keeper ran without a person.
//!
//! Pure. Counts are whole; of episodes the newest are listed and the rest counted.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use abide_domain::{
    AgentId, EntityName, EpisodeId, EpochId, Timestamp,
    envelope::Channel,
    event::{
        AgentEvent, EpochEvent, Event, KeeperEvent, StimulusEvent,
        watchdog::{
            AttemptOutcome, PageId, RebaseCause, Rung, Scanned, ServiceAttempt, WatchdogEvent,
        },
    },
    evidence::is_reserved_name,
};
use abide_ledger::Entry;

use crate::{WatchdogTimings, WatchedTime};

mod text;

/// Episodes that a report lists.
const EPISODES_MAX: usize = 200;

/// What happened in a span.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WatchdogReport {
    /// From when.
    pub since: Timestamp,
    /// Until when.
    pub until: Timestamp,
    /// Scans.
    pub scans: u64,
    /// Scans that were due and did not happen, down time left out.
    pub scans_missed: u64,
    /// Scans that could not judge agents.
    pub scans_blind: u64,
    /// How long the keeper was down.
    pub down: Duration,
    /// Starts of the keeper.
    pub starts: u64,
    /// Stalls that were seen.
    pub stalls: u64,
    /// Agents paged.
    pub pages: u64,
    /// Pages that the channel did not take.
    pub pages_failed: u64,
    /// Stalls of which a person was to be told.
    pub escalations: u64,
    /// Messages that reached a person.
    pub notices: u64,
    /// Attempts to reach one that failed.
    pub notices_failed: u64,
    /// What each service made of what it was to tell.
    pub services: BTreeMap<String, ServiceReport>,
    /// Stalls that ended with evidence, by the rung after which it came.
    pub resolved: BTreeMap<Rung, u64>,
    /// Stalls that ended because the agent could stall no more.
    pub withdrawn: u64,
    /// The newest episodes, oldest first.
    pub episodes: VecDeque<EpisodeReport>,
    /// Episodes that are not listed.
    pub episodes_left_out: u64,
    /// What each agent did.
    pub agents: BTreeMap<AgentId, AgentReport>,
    /// How often a person did something.
    pub human_acts: u64,
    /// When a person last did.
    pub last_human_at: Option<Timestamp>,
    /// The longest time that the keeper ran without one.
    pub alone_longest: Duration,
    /// How long it has run without one at the end.
    pub alone_now: Duration,
}

/// An episode, in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpisodeReport {
    /// Its id.
    pub episode: EpisodeId,
    /// Who stalled.
    pub agent: AgentId,
    /// When it was seen.
    pub opened_at: Timestamp,
    /// How long it had been silent then.
    pub silent_before: Duration,
    /// Whether its process answered the bell.
    pub is_alive: bool,
    /// The page.
    pub page: Option<PageId>,
    /// Whether a person was to be told.
    pub is_escalated: bool,
    /// How it ended.
    pub ending: EpisodeEnd,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// How an episode ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EpisodeEnd {
    /// It goes on.
    Open,
    /// Evidence returned after that rung.
    Resolved(Rung),
    /// The agent could stall no more: its state.
    Withdrawn(String),
    /// Its task ended without an answer: why, where that is known.
    Unanswered(String),
}

/// What an agent did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentReport {
    /// Stimuli that came in.
    pub stimuli: u64,
    /// Epochs with a reply.
    pub committed: u64,
    /// Epochs without one.
    pub aborted: u64,
    /// Runs of its process that ended.
    pub exits: u64,
    /// Its stalls.
    pub stalls: u64,
}

/// What a service made of what it was to tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServiceReport {
    /// What it took.
    pub taken: u64,
    /// Attempts that failed.
    pub failed: u64,
}

/// Folds lines, oldest first, into a report.
pub fn report<'a>(
    since: Timestamp,
    until: Timestamp,
    settings: &WatchdogTimings,
    entries: impl IntoIterator<Item = &'a Entry>,
) -> WatchdogReport {
    let mut reporter = Reporter::new(since);
    entries.into_iter().for_each(|entry| reporter.apply(entry));
    reporter.finish(until, settings)
}

impl WatchdogReport {
    fn count(&mut self, attempts: &[ServiceAttempt]) {
        for attempt in attempts {
            let row = self.services.entry(attempt.service.clone()).or_default();
            match attempt.outcome {
                AttemptOutcome::Failed => row.failed += 1,
                AttemptOutcome::Sent | AttemptOutcome::Confirmed => row.taken += 1,
            }
        }
    }
}

/// A report in the making.
#[derive(Debug)]
pub(crate) struct Reporter {
    report: WatchdogReport,
    watched_time: WatchedTime,
    alone_since: Timestamp,
    /// The epoch of each agent that was aborted last, and why.
    aborted: BTreeMap<AgentId, (EpochId, String)>,
}

impl Reporter {
    pub(crate) fn new(since: Timestamp) -> Self {
        let report = WatchdogReport { since, ..WatchdogReport::default() };
        let watched_time = WatchedTime::default();
        Self { report, watched_time, alone_since: since, aborted: BTreeMap::new() }
    }

    pub(crate) fn apply(&mut self, entry: &Entry) {
        if entry.timestamp < self.report.since {
            return;
        }
        if entry.seq == 1 {
            // Before its first line there was no keeper that could have missed anything.
            (self.report.since, self.alone_since) = (entry.timestamp, entry.timestamp);
        }
        let agent = Some(&entry.entity).filter(|entity| **entity != EntityName::keeper());
        let agent: Option<AgentId> = agent.and_then(|entity| entity.bare().parse().ok());
        if let Some(agent) = &agent {
            self.apply_agent(agent, entry);
        }
        match &entry.event {
            Event::Keeper(KeeperEvent::Started(_)) => self.report.starts += 1,
            Event::Watchdog(event) => self.apply_watchdog(agent.as_ref(), entry.timestamp, event),
            _ => {}
        }
        if self.is_human(entry) {
            self.human(entry.timestamp);
        }
    }

    fn apply_agent(&mut self, agent: &AgentId, entry: &Entry) {
        if !is_of_agent(&entry.event) {
            return;
        }
        let row = self.report.agents.entry(agent.clone()).or_default();
        match &entry.event {
            Event::Stimulus(StimulusEvent::Accepted(_)) => row.stimuli += 1,
            Event::Epoch(EpochEvent::Committed(_)) => row.committed += 1,
            Event::Epoch(EpochEvent::Aborted(aborted)) => {
                row.aborted += 1;
                if let Some(epoch) = entry.epoch {
                    self.aborted.insert(agent.clone(), (epoch, aborted.message.clone()));
                }
            }
            Event::Agent(AgentEvent::Exited(_)) => row.exits += 1,
            Event::Watchdog(WatchdogEvent::StallOpened(_)) => row.stalls += 1,
            _ => {}
        }
    }

    fn apply_watchdog(&mut self, agent: Option<&AgentId>, at: Timestamp, event: &WatchdogEvent) {
        let report = &mut self.report;
        match event {
            WatchdogEvent::Scanned(Scanned { blind, .. }) => {
                report.scans += 1;
                report.scans_blind += u64::from(blind.is_some());
            }
            WatchdogEvent::Rebased(rebased) if rebased.cause == RebaseCause::Started => {
                let from = rebased.from.max(report.since);
                report.down += at.since(from);
                self.watched_time.exclude(from, at);
            }
            WatchdogEvent::StallOpened(opened) => {
                report.stalls += 1;
                let Some(agent) = agent else { return };
                report.episodes.push_back(EpisodeReport {
                    episode: opened.episode,
                    agent: agent.clone(),
                    opened_at: at,
                    silent_before: Duration::from_millis(opened.silent_ms),
                    is_alive: false,
                    page: None,
                    is_escalated: false,
                    ending: EpisodeEnd::Open,
                    ended_at: None,
                });
                if report.episodes.len() > EPISODES_MAX {
                    report.episodes.pop_front();
                    report.episodes_left_out += 1;
                }
            }
            WatchdogEvent::PageFailed(_) => report.pages_failed += 1,
            WatchdogEvent::Notified(notified) => {
                report.notices += 1;
                report.count(&notified.attempts);
            }
            WatchdogEvent::NotifyFailed(failed) => {
                report.notices_failed += 1;
                report.count(&failed.attempts);
            }
            WatchdogEvent::Closed(closed) => report.count(&closed.attempts),
            _ => self.apply_episode(at, event),
        }
    }

    /// Why an epoch was aborted; empty where that is not known.
    fn abort_of(&self, epoch: EpochId) -> String {
        let known = self.aborted.values().find(|(aborted, _)| *aborted == epoch);
        known.map(|(_, why)| why.clone()).unwrap_or_default()
    }

    fn apply_episode(&mut self, at: Timestamp, event: &WatchdogEvent) {
        let unanswered = match event {
            WatchdogEvent::Withdrawn(end) => end.unanswered.map(|epoch| self.abort_of(epoch)),
            _ => None,
        };
        let report = &mut self.report;
        let mut of = |id: EpisodeId, change: &dyn Fn(&mut EpisodeReport)| {
            if let Some(row) = report.episodes.iter_mut().rev().find(|row| row.episode == id) {
                change(row);
            }
        };
        match event {
            WatchdogEvent::BellAnswered(answered) => {
                of(answered.episode, &|row| row.is_alive = true);
            }
            WatchdogEvent::Paged(paged) => {
                of(paged.episode, &|row| row.page = Some(paged.page.clone()));
                report.pages += 1;
            }
            WatchdogEvent::Escalated(escalated) => {
                of(escalated.episode, &|row| row.is_escalated = true);
                report.escalations += 1;
            }
            WatchdogEvent::Resolved(end) => {
                of(end.episode, &|row| {
                    (row.ending, row.ended_at) = (EpisodeEnd::Resolved(end.rung), Some(at));
                });
                *report.resolved.entry(end.rung).or_default() += 1;
            }
            WatchdogEvent::Withdrawn(end) => {
                let ending = match unanswered {
                    Some(why) => EpisodeEnd::Unanswered(why),
                    None => EpisodeEnd::Withdrawn(end.state.clone()),
                };
                of(end.episode, &|row| {
                    (row.ending, row.ended_at) = (ending.clone(), Some(at));
                });
                report.withdrawn += 1;
            }
            _ => {}
        }
    }

    /// Whether a person did it: neither the keeper, nor the watchdog, nor an agent, nor a program.
    fn is_human(&self, entry: &Entry) -> bool {
        let author = &entry.author;
        if matches!(entry.event, Event::Channel(_)) {
            // What was asked there counts as the stimulus that it became.
            return false;
        }
        if let Event::Stimulus(StimulusEvent::Accepted(stimulus)) = &entry.event
            && matches!(stimulus.channel, Channel::Api | Channel::System)
        {
            return false;
        }
        !is_reserved_name(author.bare())
            && *author != entry.entity
            && !self.report.agents.contains_key(author.bare())
    }

    fn human(&mut self, at: Timestamp) {
        self.report.human_acts += 1;
        self.report.last_human_at = Some(at);
        let alone = self.watched_time.between(self.alone_since, at);
        self.report.alone_longest = self.report.alone_longest.max(alone);
        self.alone_since = at;
    }

    pub(crate) fn finish(mut self, until: Timestamp, settings: &WatchdogTimings) -> WatchdogReport {
        self.report.until = until;
        self.report.alone_now = self.watched_time.between(self.alone_since, until);
        self.report.alone_longest = self.report.alone_longest.max(self.report.alone_now);
        let up = self.watched_time.between(self.report.since, until);
        let interval = settings.interval.max(Duration::from_millis(1)).as_millis();
        let due = u64::try_from(up.as_millis() / interval).unwrap_or(u64::MAX);
        self.report.scans_missed = due.saturating_sub(self.report.scans);
        self.report
    }
}

/// Whether only an agent has such a line under its name: people and the watchdog speak and write, too.
fn is_of_agent(event: &Event) -> bool {
    matches!(
        event,
        Event::Stimulus(_)
            | Event::Epoch(_)
            | Event::Turn(_)
            | Event::Agent(_)
            | Event::Watchdog(WatchdogEvent::StallOpened(_))
    )
}
