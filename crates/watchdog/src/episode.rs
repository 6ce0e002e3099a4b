//! An episode: one stall of one agent, from the scan that saw it to the evidence that ended it. A fold of the ledger's
//! lines: nothing but [`Episode::apply`] changes it, so that it is the same after a restart.

use std::time::Duration;

use abide_domain::{
    AgentId, EntityName, EpisodeId, NoticeId, Timestamp,
    event::watchdog::{
        BellFailure, EscalationCause, PageId, Proof, Rung, StallOpened, WatchdogEvent,
    },
};

use crate::settings::{RETRY_FIRST, RETRY_MAX};

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
    /// That a person is to be told.
    pub escalation: Option<Escalation>,
    /// Why a person is to be told.
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
    /// It is under way, or the house went down before it knew: it may have arrived, and is not sent again.
    Unknown,
    /// The channel took it.
    Delivered(Proof),
    /// The channel did not.
    Failed,
}

/// That a person is to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escalation {
    /// Since when.
    pub at: Timestamp,
    /// The notice that tells.
    pub notice: NoticeId,
    /// When a person was last told, if ever.
    pub told_at: Option<Timestamp>,
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

impl Escalation {
    /// A person is to be told from here on.
    pub(crate) fn new(at: Timestamp, notice: NoticeId) -> Self {
        Self { at, notice, told_at: None, failed: 0, failed_at: None }
    }

    pub(crate) fn told(&mut self, at: Timestamp) {
        (self.told_at, self.failed, self.failed_at) = (Some(at), 0, None);
    }

    pub(crate) fn not_told(&mut self, at: Timestamp) {
        (self.failed, self.failed_at) = (self.failed.saturating_add(1), Some(at));
    }

    /// When the next attempt is due: at once, then later and later, for ever.
    pub(crate) fn due_at(&self) -> Timestamp {
        let Some(failed_at) = self.failed_at else { return self.at };
        let doublings = self.failed.saturating_sub(1).min(16);
        failed_at.plus(RETRY_FIRST.saturating_mul(1 << doublings).min(RETRY_MAX))
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
            escalation: None,
            cause: None,
            ack: None,
        }
    }

    /// Whether the agent never showed any evidence.
    pub fn is_never_active(&self) -> bool {
        self.evidence_seq == 0
    }

    /// Whether its process answered the bell: alive, not moving.
    pub fn is_alive(&self) -> bool {
        matches!(self.bell, BellState::Answered(_))
    }

    /// Whether somebody has it in hand at that moment.
    pub fn is_acknowledged(&self, now: Timestamp) -> bool {
        self.ack.as_ref().is_some_and(|ack| ack.until > now)
    }

    /// Whether a person has been told, and nobody's promise to look after it has run out since.
    pub fn is_told(&self, now: Timestamp) -> bool {
        let told_at = self.escalation.as_ref().and_then(|escalation| escalation.told_at);
        let promise = self.ack.as_ref().map(|ack| ack.until).filter(|until| *until <= now);
        told_at.is_some_and(|told_at| promise.is_none_or(|until| told_at >= until))
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
                self.escalation = Some(Escalation::new(at, escalated.notice));
                self.cause = Some(escalated.cause);
            }
            WatchdogEvent::Notified(told) => {
                if let Some(escalation) = self.escalated_by(told.notice) {
                    escalation.told(at);
                }
            }
            WatchdogEvent::NotifyFailed(failed) => {
                if let Some(escalation) = self.escalated_by(failed.notice) {
                    escalation.not_told(at);
                }
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

    fn escalated_by(&mut self, notice: NoticeId) -> Option<&mut Escalation> {
        self.escalation.as_mut().filter(|escalation| escalation.notice == notice)
    }
}
