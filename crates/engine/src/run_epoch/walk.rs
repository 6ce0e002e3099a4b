//! The walker's hands: the record so far, what is not yet sent to the ledger, and what may interrupt.
//!
//! Events are collected and sent together where nothing depends on them in between, so that an epoch needs few syncs:
//! [`Walk::flush`] sends them on their way, [`Walk::settle`] also waits until they are durable. Whoever is about to
//! change the outside world, or to tell somebody, settles first.
//!
//! One sending is under way at most: the next waits for it. Otherwise a disk that was full for a moment could drop a
//! sending and take the one after it, and the epoch would have a gap.

use std::{collections::HashMap, sync::Arc, time::Duration};

use abide_domain::{
    ApprovalId, CallId, EntityName, Timestamp,
    event::{AbortCode, Decision, Event, TurnEvent},
};
use abide_ledger::{AppendReceipt, Draft, PendingAppend};
use tokio::sync::{mpsc, oneshot, watch};

use super::EpochError;
use crate::{
    deliver,
    failpoint::Failpoint,
    services::{AgentSetup, Services},
    state::EpochRecord,
};

/// What reaches a running epoch from outside.
#[derive(Debug)]
pub struct Controls {
    /// Set once when the epoch is to end.
    pub interrupt: InterruptSignal,
    /// Decisions on approvals.
    pub decisions: mpsc::Receiver<DecisionOrder>,
    /// Pages that give the asking under way up; each says why.
    pub pages: mpsc::Receiver<String>,
}

/// Where a running epoch hears that it is to end.
#[derive(Debug)]
pub struct InterruptSignal(pub watch::Receiver<Option<Interrupt>>);

/// An order to end a running epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupt {
    /// Why, for programs.
    pub code: AbortCode,
    /// Why, for people.
    pub message: String,
}

/// A person's decision, on its way to the epoch that waits for it.
#[derive(Debug)]
pub struct DecisionOrder {
    /// What is decided.
    pub approval_id: ApprovalId,
    /// Yes or no.
    pub decision: Decision,
    /// Why.
    pub reason: Option<String>,
    /// Who decided.
    pub by: EntityName,
    /// Told once the decision is durable, or why it is none.
    pub reply: oneshot::Sender<Result<(), DecideError>>,
}

/// Why a decision does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecideError {
    /// No approval has this id.
    #[error("no approval has this id")]
    NotFound,
    /// Somebody, or the deadline, decided before.
    #[error("this approval is already decided")]
    AlreadyDecided,
    /// The keeper stops or cannot write.
    #[error("the decision could not be recorded")]
    Unavailable,
}

/// An epoch under way.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    pub(super) services: &'a Services,
    pub(super) agent: &'a AgentSetup,
    pub(super) record: EpochRecord,
    pub(super) controls: &'a mut Controls,
    /// Ethereal results in full, for as long as the epoch is open.
    pub(super) blobs: HashMap<CallId, Arc<str>>,
    /// The longest prompt, in tokens, after the mind rejected a longer one in this epoch.
    pub(super) tokens_cap: Option<u64>,
    /// Whether a keeper before this one walked a part of it, and the mind has not been told since.
    pub(super) was_cut: bool,
    purse: BudgetCheck,
    unsent: Vec<Draft>,
    under_way: Option<PendingAppend>,
    entity: EntityName,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        services: &'a Services,
        agent: &'a AgentSetup,
        record: EpochRecord,
        controls: &'a mut Controls,
    ) -> Self {
        let (blobs, unsent, entity) = (HashMap::new(), Vec::new(), agent.id.entity());
        let (under_way, tokens_cap) = (None, None);
        let purse = BudgetCheck::of(services, agent);
        let was_cut = record.opened_at.is_some();
        Self {
            services,
            agent,
            record,
            controls,
            blobs,
            tokens_cap,
            was_cut,
            purse,
            unsent,
            under_way,
            entity,
        }
    }

    /// Records what the agent's work produced: evidence.
    pub(super) fn record_agent(&mut self, event: impl Into<Event>) -> Result<(), EpochError> {
        let author = self.entity.clone();
        self.record(event.into(), author)
    }

    /// Records what the house did for the agent.
    pub(super) fn record_keeper(&mut self, event: impl Into<Event>) -> Result<(), EpochError> {
        self.record(event.into(), EntityName::keeper())
    }

    /// Moves the record by an event and keeps the event for the next sending. An illegal move changes nothing.
    pub(super) fn record(&mut self, event: Event, author: EntityName) -> Result<(), EpochError> {
        let now = self.services.now();
        self.record.apply(&event, now)?;
        self.purse.pay(&event, now.day());
        let (entity, epoch) = (self.entity.clone(), Some(self.record.id));
        self.unsent.push(Draft { entity, author, epoch, event });
        Ok(())
    }

    /// Puts the stimuli of those whom the epoch speaks to behind its commit: they go with it, in one batch.
    pub(super) fn deliver(&mut self) {
        let said = self.record.said.iter();
        let stimuli = said.flat_map(|said| deliver::stimuli(self.services, &self.entity, said));
        self.unsent.extend(stimuli.collect::<Vec<_>>());
    }

    /// Sends what is recorded, in order, without waiting for the disk.
    pub(super) async fn flush(&mut self) -> Result<(), EpochError> {
        if !self.unsent.is_empty() {
            self.arrived().await?;
            let sent = self.services.ledger.submit(std::mem::take(&mut self.unsent)).await?;
            self.under_way = Some(sent);
        }
        Ok(())
    }

    /// Sends what is recorded and waits until it is durable. Something must have been recorded.
    pub(super) async fn settle(&mut self) -> Result<AppendReceipt, EpochError> {
        self.arrived().await?;
        Ok(self.services.ledger.append(std::mem::take(&mut self.unsent)).await?)
    }

    async fn arrived(&mut self) -> Result<(), EpochError> {
        if let Some(sent) = self.under_way.take() {
            sent.durable().await?;
        }
        Ok(())
    }

    /// What the agent has spent today, this epoch included, since a person last let it go on.
    pub(super) fn spent_microusd(&mut self) -> u64 {
        let day = self.now().day();
        self.purse.on(day);
        let house = self.services.view.read();
        let forgiven =
            house.agents.get(&self.agent.id).map_or(0, |state| state.forgiven_microusd(day));
        self.purse.cost_microusd.saturating_sub(forgiven)
    }

    /// Whether an earlier keeper took the stimulus in.
    pub(super) fn is_left_over(&self) -> bool {
        self.record.accepted_seq <= self.services.begun_after
    }

    /// Passes a failpoint.
    pub(super) async fn pass(&self, point: Failpoint) -> Result<(), EpochError> {
        Ok(self.services.failpoints.pass(point).await?)
    }

    /// The present.
    pub(super) fn now(&self) -> Timestamp {
        self.services.now()
    }

    /// How much of the epoch's time is left; an error when none is.
    pub(super) fn time_left(&self) -> Result<Duration, EpochError> {
        let limit = self.services.settings.limits.epoch;
        let left = limit.saturating_sub(self.record.time_spent(self.now()));
        if left.is_zero() {
            let message = format!("the epoch's {} s are spent", limit.as_secs());
            return Err(EpochError::abort(AbortCode::Deadline, message));
        }
        Ok(left)
    }
}

/// What the agent's day cost: what the house knew at the beginning and what this walk has paid since. The house learns of
/// an attempt only once it is durable, which would be too late for the next turn's look at the budget.
#[derive(Debug)]
struct BudgetCheck {
    day: i64,
    cost_microusd: u64,
}

impl BudgetCheck {
    fn of(services: &Services, agent: &AgentSetup) -> Self {
        let day = services.now().day();
        let house = services.view.read();
        let cost_microusd = house.agents.get(&agent.id).map_or(0, |state| state.cost_microusd(day));
        Self { day, cost_microusd }
    }

    fn on(&mut self, day: i64) {
        if day != self.day {
            *self = Self { day, cost_microusd: 0 };
        }
    }

    fn pay(&mut self, event: &Event, day: i64) {
        let usage = match event {
            Event::Turn(TurnEvent::Completed(completed)) => Some(&completed.usage),
            Event::Turn(TurnEvent::Failed(failed)) => failed.usage.as_ref(),
            _ => None,
        };
        if let Some(cost) = usage.and_then(|usage| usage.cost_microusd) {
            self.on(day);
            self.cost_microusd = self.cost_microusd.saturating_add(cost);
        }
    }
}

impl InterruptSignal {
    /// Waits until the epoch is told to end; for ever, if nobody does.
    pub(super) async fn stopped(&mut self) -> EpochError {
        let told = self.0.wait_for(Option::is_some).await;
        match told.ok().and_then(|told| told.clone()) {
            Some(Interrupt { code, message }) => EpochError::Abort { code, message },
            // Nobody is left who could interrupt.
            None => std::future::pending().await,
        }
    }
}
