//! An episode: one stall of one agent, from the scan that saw it to the evidence that ended it. A fold of the ledger's
//! lines: nothing but [`Episode::apply`] changes it, so that it is the same after a restart.

use std::{collections::BTreeSet, time::Duration};

use abide_domain::{
    AgentId, EntityName, EpisodeId, NoticeId, Timestamp,
    event::watchdog::{
        BellFailure, EscalationCause, PageId, Proof, Rung, StallOpened, WatchdogEvent,
    },
};

use crate::{
    page::{Notice, NoticeKind},
    services::{delivered_services, failed as failed_services},
    settings::retry_pause,
};

/// One stall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Episode {
    /// Its id.
    pub id: EpisodeId,
    /// Who stalled.
    pub agent: AgentId,
    /// When it was seen.
    pub opened_at: Timestamp,
    /// How long the agent had been silent then.
    pub silent_before: Duration,
    /// How long it might have been.
    pub threshold: Duration,
    /// The evidence that was known then; only a newer one ends the episode.
    pub evidence_seq: u64,
    /// The rung that it stands on.
    pub rung: Rung,
    /// Since when.
    pub rung_since: Timestamp,
    /// What became of the bell.
    pub bell: BellState,
    /// The page.
    pub page: Option<PageRecord>,
    /// That people are to be delivered: a step of the one escalation each; none before it.
    pub notices: Vec<PendingNotice>,
    /// Why a person is to be delivered.
    pub cause: Option<EscalationCause>,
    /// Who has it in hand.
    pub ack: Option<Ack>,
}

/// What became of the bell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BellState {
    /// It has not rung yet.
    Due,
    /// It rang, and nobody has answered.
    Rung,
    /// The process answered after that time: it is alive.
    Answered(Duration),
    /// It reached nobody.
    Failed(BellFailure),
}

/// A page and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRecord {
    /// Its short name.
    pub id: PageId,
    /// When it was to go out.
    pub at: Timestamp,
    /// What became of it.
    pub outcome: PageOutcome,
}

/// What became of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageOutcome {
    /// It is under way, or the keeper went down before it knew: it may have arrived, and is not sent again.
    Unknown,
    /// The channel took it.
    Delivered(Proof),
    /// The channel did not.
    Failed,
}

/// That people are to be told of something, from the decision until a service took it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingNotice {
    /// Since when.
    pub at: Timestamp,
    /// The notice that tells.
    pub notice: NoticeId,
    /// The services that tell, by name; every service where none is named.
    pub to: Vec<String>,
    /// When a person was last told, if ever.
    pub delivered_at: Option<Timestamp>,
    /// The services that ever took it; none where that was not written down.
    pub delivered_by: BTreeSet<String>,
    /// The services that did not take it when others did: it is tried again for each of them.
    pub missed_by: BTreeSet<String>,
    /// Attempts that failed since.
    pub failed: u32,
    /// When the last of them failed.
    pub failed_at: Option<Timestamp>,
}

/// Somebody has it in hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ack {
    /// Who.
    pub by: EntityName,
    /// Until when.
    pub until: Timestamp,
}

impl PendingNotice {
    /// People are to be told from here on.
    pub(crate) fn new(at: Timestamp, notice: NoticeId, to: &[String]) -> Self {
        Self {
            at,
            notice,
            to: to.to_vec(),
            delivered_at: None,
            delivered_by: BTreeSet::new(),
            missed_by: BTreeSet::new(),
            failed: 0,
            failed_at: None,
        }
    }

    /// Takes in one line. Lines about other notices change nothing.
    pub(crate) fn apply(&mut self, at: Timestamp, event: &WatchdogEvent) {
        match event {
            WatchdogEvent::Notified(notified) if notified.notice == self.notice => {
                self.delivered_by.extend(delivered_services(&notified.attempts));
                let missed = failed_services(&notified.attempts);
                self.missed_by = missed.filter(|name| !self.delivered_by.contains(name)).collect();
                if self.missed_by.is_empty() {
                    self.record_delivered(at);
                } else {
                    self.delivered_at = Some(at);
                    self.record_failed(at);
                }
            }
            WatchdogEvent::NotifyFailed(failed) if failed.notice == self.notice => {
                self.record_failed(at);
            }
            _ => {}
        }
    }

    /// Whether it is tried again only for those who did not take it when others did.
    pub(crate) fn is_rest(&self) -> bool {
        self.delivered_at.is_some() && !self.missed_by.is_empty()
    }

    /// The notice that is sent, about nothing yet; for those alone who did not take it when others did, if that is the rest.
    pub(crate) fn to_notice(&self, kind: NoticeKind, step: u32, is_rest: bool) -> Notice {
        let missed = || self.missed_by.iter().cloned().collect();
        Notice {
            attempt: self.failed.saturating_add(1),
            step,
            to: if is_rest { missed() } else { self.to.clone() },
            is_rest,
            ..Notice::new(self.notice, kind, self.at)
        }
    }

    pub(crate) fn record_delivered(&mut self, at: Timestamp) {
        (self.delivered_at, self.failed, self.failed_at) = (Some(at), 0, None);
    }

    pub(crate) fn record_failed(&mut self, at: Timestamp) {
        (self.failed, self.failed_at) = (self.failed.saturating_add(1), Some(at));
    }

    /// When the next attempt is due: at once, then later and later, for ever.
    pub(crate) fn due_at(&self) -> Timestamp {
        self.failed_at.map_or(self.at, |failed_at| failed_at.plus(retry_pause(self.failed)))
    }
}

impl Episode {
    /// An episode begins.
    pub fn opened(agent: AgentId, at: Timestamp, opened: &StallOpened) -> Self {
        Self {
            id: opened.episode,
            agent,
            opened_at: at,
            silent_before: Duration::from_millis(opened.silent_ms),
            threshold: Duration::from_millis(opened.threshold_ms),
            evidence_seq: opened.evidence_seq,
            rung: Rung::Bell,
            rung_since: at,
            bell: BellState::Due,
            page: None,
            notices: Vec::new(),
            cause: None,
            ack: None,
        }
    }

    /// Whether the agent never showed any evidence.
    pub fn is_never_active(&self) -> bool {
        self.evidence_seq == 0
    }

    /// Whether the end of a task at that moment, without an answer, ends it: one before the stall is not about it.
    pub fn is_ended_by(&self, given_up_at: Timestamp) -> bool {
        given_up_at > self.opened_at
    }

    /// Whether its process answered the bell: alive, not moving.
    pub fn is_alive(&self) -> bool {
        matches!(self.bell, BellState::Answered(_))
    }

    /// Whether somebody has it in hand at that moment.
    pub fn is_acknowledged(&self, now: Timestamp) -> bool {
        self.ack.as_ref().is_some_and(|ack| ack.until > now)
    }

    /// Whether a person is to be told, or has been.
    pub fn is_escalated(&self) -> bool {
        !self.notices.is_empty()
    }

    /// The notices that wait: a service has not taken it, or a promise to look after it has run out since. Then the newest
    /// step tells of it again.
    pub fn undelivered(&self, now: Timestamp) -> impl Iterator<Item = &PendingNotice> {
        let waits = move |pending: &&PendingNotice| {
            pending.delivered_at.is_none() || pending.is_rest() || self.is_repeated(pending, now)
        };
        self.notices.iter().filter(waits)
    }

    /// Whether a notice that was taken is told again, to all whom it is for: it is the newest, and a promise has run out since.
    pub(crate) fn is_repeated(&self, pending: &PendingNotice, now: Timestamp) -> bool {
        let is_newest = self.notices.last().is_some_and(|newest| newest.notice == pending.notice);
        let ack_end = self.ack_expired_at(now).filter(|_| is_newest);
        pending.delivered_at.is_some_and(|at| ack_end.is_some_and(|until| at < until))
    }

    /// Which step of the escalation a notice tells, from 1.
    pub(crate) fn step_of(&self, notice: NoticeId) -> u32 {
        let index = self.notices.iter().position(|pending| pending.notice == notice);
        index.map_or(1, |index| u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1))
    }

    /// When somebody's promise to look after it ran out, if it has.
    pub(crate) fn ack_expired_at(&self, now: Timestamp) -> Option<Timestamp> {
        self.ack.as_ref().map(|ack| ack.until).filter(|until| *until <= now)
    }

    /// The services that told of it; none named: all of them. None where nobody was delivered.
    pub(crate) fn delivered_by(&self) -> Option<BTreeSet<String>> {
        let delivered = self.notices.iter().filter(|pending| pending.delivered_at.is_some());
        let delivered: Vec<_> = delivered.collect();
        if delivered.is_empty() {
            return None;
        }
        // Lines of earlier programs do not say who took it.
        let is_known = delivered.iter().all(|pending| !pending.delivered_by.is_empty());
        Some(if is_known {
            delivered.into_iter().flat_map(|pending| pending.delivered_by.iter().cloned()).collect()
        } else {
            BTreeSet::new()
        })
    }

    /// Takes in one line. Lines about other episodes, pages or notices change nothing.
    pub fn apply(&mut self, at: Timestamp, author: &EntityName, event: &WatchdogEvent) {
        match event {
            WatchdogEvent::BellRung(rung) if rung.episode == self.id => {
                self.bell = BellState::Rung;
                self.rung_since = at;
            }
            WatchdogEvent::BellAnswered(answered) if answered.episode == self.id => {
                self.bell = BellState::Answered(Duration::from_millis(answered.after_ms));
            }
            WatchdogEvent::BellFailed(failed) if failed.episode == self.id => {
                self.bell = BellState::Failed(failed.code);
            }
            WatchdogEvent::Paged(paged) if paged.episode == self.id => {
                (self.rung, self.rung_since) = (Rung::Channel, at);
                let (id, outcome) = (paged.page.clone(), PageOutcome::Unknown);
                self.page = Some(PageRecord { id, at, outcome });
            }
            WatchdogEvent::PageDelivered(delivered) => {
                self.page_ended(&delivered.page, PageOutcome::Delivered(delivered.proof));
            }
            WatchdogEvent::PageFailed(failed) => self.page_ended(&failed.page, PageOutcome::Failed),
            WatchdogEvent::Escalated(escalated) if escalated.episode == self.id => {
                (self.rung, self.rung_since) = (Rung::Human, at);
                self.notices = vec![PendingNotice::new(at, escalated.notice, &escalated.to)];
                self.cause = Some(escalated.cause);
            }
            WatchdogEvent::Stepped(stepped) if stepped.episode == self.id => {
                self.notices.push(PendingNotice::new(at, stepped.notice, &stepped.to));
            }
            WatchdogEvent::Notified(_) | WatchdogEvent::NotifyFailed(_) => {
                self.notices.iter_mut().for_each(|pending| pending.apply(at, event));
            }
            WatchdogEvent::Acknowledged(ack) if ack.episode == self.id => {
                self.ack = Some(Ack { by: author.clone(), until: ack.until });
            }
            _ => {}
        }
    }

    /// Short names of pages come again in a long life: only one that is under way can end.
    fn page_ended(&mut self, page: &PageId, outcome: PageOutcome) {
        let ours = self.page.as_mut().filter(|ours| ours.id == *page);
        if let Some(ours) = ours.filter(|ours| ours.outcome == PageOutcome::Unknown) {
            ours.outcome = outcome;
        }
    }
}
