//! An epoch under way: the record so far, what is not yet sent to the ledger, and what may interrupt.
//!
//! Events are collected and sent together where nothing depends on them in between, so that an epoch needs few syncs:
//! [`Walk::flush`] sends them on their way, [`Walk::settle`] also waits until they are durable. Before the
//! outside world is changed or anybody is answered, the walk settles.
//!
//! One sending is under way at most: the next waits for it. Otherwise a disk that was full for a moment could drop a
//! sending and take the one after it, and the epoch would have a gap.

use std::{collections::HashMap, sync::Arc, time::Duration};

use abide_domain::{
    AgentId, CallId, EntityName, Timestamp,
    event::{AbortCode, EpochStoodStill, Event},
};
use abide_ledger::{AppendReceipt, Draft, PendingAppend};
use abide_tools::{Registry, ToolPolicy};

use super::{
    budget::BudgetCheck, controls::Controls, error::EpochError, hand_back::HandBack,
    offer::ToolOffer,
};
use crate::{
    agent_setup::AgentSetup, deliver, failpoint::Failpoint, services::Services, state::EpochRecord,
};

/// A shorter suspend is not recorded by itself.
const SUSPEND_MIN: Duration = Duration::from_secs(1);

/// An epoch under way.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    pub(super) services: &'a Services,
    pub(super) agent: &'a AgentSetup,
    /// The tools that there were when this walk began. Those that another program has taken back since say so when they are
    /// called.
    pub(super) tools: Arc<Registry>,
    /// What it may do with them, as the newest prompt had it.
    policy: ToolPolicy,
    /// Those that it may use, and how they are chosen from.
    pub(super) offer: ToolOffer,
    /// The names of those that the newest prompt shows with their schemas; none where it shows all, or none is known.
    pub(super) shown: Arc<[String]>,
    pub(super) record: EpochRecord,
    pub(super) controls: &'a mut Controls,
    /// Ethereal results in full, for as long as the epoch is open.
    pub(super) blobs: HashMap<CallId, Arc<str>>,
    /// What providers want back with the turns of this epoch.
    pub(super) hand_back: HandBack,
    /// The longest prompt, in tokens, after the mind rejected a longer one in this epoch.
    pub(super) tokens_cap: Option<u64>,
    /// Whether an earlier keeper walked a part of it and the mind has not been shown its log since.
    pub(super) was_cut: bool,
    /// When this walk began, by the wall clock and the monotonic one: from there on, time is counted by the latter.
    began: (Timestamp, Duration),
    /// How long the machine was suspended when it was last looked at, and for how much of it in this walk.
    suspended: (Duration, Duration),
    budget: BudgetCheck,
    unsent: Vec<Draft>,
    in_flight: Option<PendingAppend>,
    entity: EntityName,
}

/// What an agent may use, and what it used before this epoch.
fn offer_of(
    services: &Services,
    agent: &AgentSetup,
    (tools, policy): (&Registry, &ToolPolicy),
) -> ToolOffer {
    ToolOffer::new(tools.offered(policy), || {
        let state = services.view.read();
        let known = state.agents.get(&agent.id);
        known.map(|known| known.tool_use.newest()).unwrap_or_default()
    })
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        services: &'a Services,
        agent: &'a AgentSetup,
        record: EpochRecord,
        controls: &'a mut Controls,
    ) -> Self {
        let (blobs, unsent, entity) = (HashMap::new(), Vec::new(), agent.id.entity());
        let (in_flight, tokens_cap) = (None, None);
        let budget = BudgetCheck::of(services, agent);
        let tools = agent.tools.current();
        let policy = services.policy_of(agent);
        let offer = offer_of(services, agent, (&tools, &policy));
        let was_cut = record.opened_at.is_some();
        let began = (services.ledger_now(), services.clock.monotonic());
        let suspended = (services.clock.suspended(), Duration::ZERO);
        Self {
            services,
            agent,
            tools,
            policy,
            offer,
            shown: [].into(),
            record,
            controls,
            blobs,
            hand_back: HandBack::default(),
            tokens_cap,
            was_cut,
            began,
            suspended,
            budget,
            unsent,
            in_flight,
            entity,
        }
    }

    /// Takes in what people set about tools since the last prompt.
    pub(super) async fn follow_policy(&mut self) {
        let policy = self.services.policy_of(self.agent);
        if policy != self.policy {
            self.offer = offer_of(self.services, self.agent, (&self.tools, &policy));
            self.policy = policy;
            self.liken_tools().await;
        }
    }

    /// Whether the epoch holds text that no person vouches for: also where another agent sent it.
    pub(super) fn holds_untrusted(&self) -> bool {
        let sender = self.record.stimulus.sender.parse::<AgentId>();
        self.record.holds_untrusted() || sender.is_ok_and(|sender| self.services.has_agent(&sender))
    }

    /// Looks which tools are like the stimulus by meaning.
    pub(super) async fn liken_tools(&mut self) {
        self.offer.liken(&self.agent.tools, &self.record.stimulus.content).await;
    }

    /// Records what the agent's work produced: evidence.
    pub(super) fn record_agent(&mut self, event: impl Into<Event>) -> Result<(), EpochError> {
        let author = self.entity.clone();
        self.record(event.into(), author)
    }

    /// Records what the keeper did for the agent.
    pub(super) fn record_keeper(&mut self, event: impl Into<Event>) -> Result<(), EpochError> {
        self.record(event.into(), EntityName::keeper())
    }

    /// Moves the record by an event and keeps the event for the next sending. An illegal move changes nothing.
    pub(super) fn record(&mut self, event: Event, author: EntityName) -> Result<(), EpochError> {
        self.note_suspend()?;
        self.push(event, author)
    }

    fn push(&mut self, event: Event, author: EntityName) -> Result<(), EpochError> {
        self.record.apply(&event, self.now())?;
        self.budget.add(&event, self.services.now().day());
        let (entity, epoch) = (self.entity.clone(), Some(self.record.id));
        self.unsent.push(Draft { entity, author, epoch, event });
        Ok(())
    }

    /// Adds the stimuli of those whom the epoch speaks to: they go with its commit, in one batch.
    pub(super) fn deliver(&mut self) {
        let said = self.record.said.iter();
        let stimuli = said.flat_map(|said| deliver::stimuli(self.services, &self.entity, said));
        self.unsent.extend(stimuli.collect::<Vec<_>>());
    }

    /// Sends what is recorded, in order, without waiting for the disk.
    pub(super) async fn flush(&mut self) -> Result<(), EpochError> {
        if !self.unsent.is_empty() {
            self.wait_in_flight().await?;
            let sent = self.services.ledger.submit(std::mem::take(&mut self.unsent)).await?;
            self.in_flight = Some(sent);
        }
        Ok(())
    }

    /// Sends what is recorded and waits until it is durable. Something must have been recorded.
    pub(super) async fn settle(&mut self) -> Result<AppendReceipt, EpochError> {
        self.wait_in_flight().await?;
        Ok(self.services.ledger.append(std::mem::take(&mut self.unsent)).await?)
    }

    async fn wait_in_flight(&mut self) -> Result<(), EpochError> {
        if let Some(sent) = self.in_flight.take() {
            sent.durable().await?;
        }
        Ok(())
    }

    /// What the agent has spent today, this epoch included, since a person last let it go on.
    pub(super) fn spent_microusd(&mut self) -> u64 {
        let day = self.services.now().day();
        self.budget.on_day(day);
        let state = self.services.view.read();
        let forgiven = state
            .agents
            .get(&self.agent.id)
            .map_or(0, |agent_state| agent_state.forgiven_microusd(day));
        self.budget.cost_microusd.saturating_sub(forgiven)
    }

    /// Whether the stimulus was accepted before this keeper started.
    pub(super) fn is_left_over(&self) -> bool {
        self.record.accepted_seq <= self.services.begun_after
    }

    /// Passes a failpoint.
    pub(super) async fn pass(&self, point: Failpoint) -> Result<(), EpochError> {
        Ok(self.services.failpoints.pass(point).await?)
    }

    /// The current time: the wall clock's but for its steps, and for a suspend that is not recorded yet.
    pub(super) fn now(&self) -> Timestamp {
        let (at, monotonic) = self.began;
        let awake = self.services.clock.monotonic().saturating_sub(monotonic);
        at.plus(awake.saturating_add(self.suspended.1))
    }

    /// Records that nothing could happen for so long: that time is not the epoch's, after a restart either.
    pub(super) fn leave_out(&mut self, standstill: Duration) -> Result<(), EpochError> {
        self.note_suspend()?;
        self.record_standstill(standstill)
    }

    /// Records for how long the machine was suspended since this was last done.
    pub(super) fn note_suspend(&mut self) -> Result<(), EpochError> {
        let total = self.services.clock.suspended();
        let (seen, in_walk) = self.suspended;
        let suspended = total.saturating_sub(seen);
        if suspended < SUSPEND_MIN || self.record.opened_at.is_none() {
            return Ok(());
        }
        self.suspended = (total, in_walk.saturating_add(suspended));
        self.record_standstill(suspended)
    }

    fn record_standstill(&mut self, standstill: Duration) -> Result<(), EpochError> {
        let duration_ms = u64::try_from(standstill.as_millis()).unwrap_or(u64::MAX);
        if duration_ms == 0 || self.record.state.is_ended() {
            return Ok(());
        }
        self.push(EpochStoodStill { duration_ms }.into(), EntityName::keeper())
    }

    /// How much of the epoch's time is left; an error when none is.
    pub(super) fn time_left(&self) -> Result<Duration, EpochError> {
        let limit = self.services.settings.limits.epoch;
        let left = limit.saturating_sub(self.record.time_spent(self.now()));
        if left.is_zero() {
            let message = format!(
                "the epoch took longer than the {} s that it may take (limits.epoch), time without a keeper counted",
                limit.as_secs()
            );
            return Err(EpochError::abort(AbortCode::Deadline, message));
        }
        Ok(left)
    }
}
