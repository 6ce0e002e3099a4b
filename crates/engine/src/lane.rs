//! A lane: one task an agent. It takes one stimulus after the other and is the only writer of its agent's epochs.
//!
//! Aborts, decisions and resets reach it as orders, so that nothing about an agent's epochs is ever decided in two
//! places. What is open and what waits is read from the state.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    AgentId, EntityName, EpochId, SleepId,
    event::{
        AbortCode, AgentPaused, AgentResumed, EpochAborted, MemoryReset, PauseReason, SleepStarted,
    },
};
use abide_ledger::{AppendError, Draft, LedgerStatus};
use tokio::{
    sync::{Notify, mpsc, oneshot, watch},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

mod handle;
mod order;

use crate::{
    agent_setup::AgentSetup,
    failpoint::Failpoint,
    money::format_dollars,
    run_epoch::{
        CommittedEpoch, Controls, DecideError, DecisionOrder, EpochError, Interrupt,
        InterruptSignal, PageOrder, run_epoch,
    },
    services::Services,
    sleep::{SleepError, SleepRequest},
    state::{EpochRecord, SleepState},
};
pub(crate) use handle::LaneHandle;
pub(crate) use order::LaneOrder;
pub use order::ResetResult;
use order::refuse;

/// Orders that wait for a lane; a sender waits when there are more.
const ORDERS_MAX: usize = 64;
/// Decisions that wait for a running epoch.
const DECISIONS_MAX: usize = 16;
/// Pages that wait for a running epoch; one does all that several could.
const PAGES_MAX: usize = 1;
/// How long a lane waits after the ledger could not be written, before a mind is asked again; doubled each time. A disk that is
/// nearly full takes small events and not an answer: each try is paid for.
const LEDGER_PAUSE: Duration = Duration::from_mins(1);
/// The longest such pause. A new stimulus ends it, for then there is room.
const LEDGER_PAUSE_MAX: Duration = Duration::from_mins(5);
const DAY_MICROS: i64 = 86_400_000_000;

/// A waiting reset.
#[derive(Debug)]
struct PendingReset {
    by: EntityName,
    reply: oneshot::Sender<Option<ResetResult>>,
}

/// A waiting sleep.
#[derive(Debug)]
struct PendingSleep {
    request: SleepRequest,
    distiller: String,
    reply: oneshot::Sender<Result<SleepStarted, SleepError>>,
}

/// The queue and the single worker of one agent. Runs until it is told to stop.
#[derive(Debug)]
pub struct Lane {
    services: Arc<Services>,
    agent: AgentSetup,
    orders: mpsc::Receiver<LaneOrder>,
    wake: Arc<Notify>,
    resets: Vec<PendingReset>,
    sleeps: Vec<PendingSleep>,
    /// Orders about a cut epoch that came before it went on: they are handled during its walk.
    held: Vec<LaneOrder>,
    /// How often in a row the ledger could not be written, and until when the lane waits for it.
    refusals: u32,
    pause: Option<LedgerPause>,
}

/// A pause after the ledger could not be written.
#[derive(Clone, Copy, Debug)]
struct LedgerPause {
    until: Instant,
    /// The last event that stood when it began: what was accepted before it does not end it.
    since_seq: u64,
}

impl Lane {
    /// Makes a lane and the handle that others hold.
    pub fn new(services: Arc<Services>, agent: AgentSetup) -> (Self, LaneHandle) {
        let (sender, orders) = mpsc::channel(ORDERS_MAX);
        let wake = Arc::new(Notify::new());
        let handle = LaneHandle { orders: sender, wake: wake.clone() };
        (
            Self {
                services,
                agent,
                orders,
                wake,
                resets: Vec::new(),
                sleeps: Vec::new(),
                held: Vec::new(),
                refusals: 0,
                pause: None,
            },
            handle,
        )
    }

    /// Works until it is told to stop. A running epoch gets a grace period, then stays open for the next start.
    pub async fn run(mut self, stop: CancellationToken) {
        // What was written at start is to be seen before the first decision.
        self.services.view.applied(self.services.ledger.head().seq).await;
        let mut status = self.services.ledger.status_changes();
        loop {
            let can_write = *status.borrow_and_update() == LedgerStatus::Ok;
            if can_write {
                self.reset_pending().await;
                self.sleep_pending().await;
            } else {
                self.refuse_waiting();
            }
            // A mind that is asked while its answer cannot be kept costs money for nothing.
            let is_pausing = self.pause.is_some_and(|pause| Instant::now() < pause.until);
            let next = if can_write && !is_pausing { self.next_epoch().await } else { None };
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                Some(order) = self.orders.recv(), if self.held.len() < ORDERS_MAX => {
                    self.handle_while_idle(order).await;
                }
                () = std::future::ready(()), if next.is_some() => {
                    let Some(record) = next else { continue };
                    if !self.walk(record, &stop).await {
                        return;
                    }
                }
                () = self.wake.notified() => self.end_pause(),
                () = pause_over(self.pause), if is_pausing => {}
                Ok(()) = status.changed() => {}
                () = until_tomorrow(&self.services) => {}
            }
        }
    }

    /// The epoch to walk now: the one that was cut, else the oldest that waits, unless the agent is paused.
    async fn next_epoch(&self) -> Option<EpochRecord> {
        if let Some(cut) = self.services.view.read().open_epoch(&self.agent.id).cloned() {
            return Some(cut);
        }
        if self.is_asleep() || self.is_paused().await || self.pause_if_spent().await {
            return None;
        }
        let state = self.services.view.read();
        let first = state.agents.get(&self.agent.id)?.queue.front()?;
        state.running.get(first).cloned()
    }

    /// Whether the agent sleeps. A sleep begins only in this lane, while nothing is open.
    fn is_asleep(&self) -> bool {
        let state = self.services.view.read();
        let agent_state = state.agents.get(&self.agent.id);
        agent_state.is_some_and(|agent_state| agent_state.sleep.running().is_some())
    }

    /// Whether the agent is paused. A pause for a spent budget ends with the day or when the budget is raised.
    async fn is_paused(&self) -> bool {
        let (budget, day) = (self.services.settings.budget_microusd_day, self.services.now().day());
        let (paused, spent) = match self.services.view.read().agents.get(&self.agent.id) {
            Some(state) => (state.paused.clone(), state.spent_microusd(day)),
            None => return false,
        };
        let Some(paused) = paused else { return false };
        let is_over = paused.reason == PauseReason::Budget && budget.is_none_or(|max| spent < max);
        if !is_over {
            return true;
        }
        let message = "the budget allows it again".to_owned();
        self.append(AgentResumed { message }, EntityName::keeper()).await.is_none()
    }

    /// Pauses an agent that has spent its day before it takes up what nobody would say again: another agent's words, a wake,
    /// a run of a schedule. A person is told at once instead, by the end of the epoch.
    async fn pause_if_spent(&self) -> bool {
        let Some(budget) = self.services.settings.budget_microusd_day else { return false };
        let is_spent = {
            let state = self.services.view.read();
            let Some(agent_state) = state.agents.get(&self.agent.id) else { return false };
            let next = agent_state.queue.front().and_then(|epoch| state.running.get(epoch));
            next.is_some_and(|next| next.stimulus.cause.is_some())
                && self.services.is_spent(agent_state)
        };
        if !is_spent {
            return false;
        }
        let message = format!(
            "the daily budget of {} is spent; the agent goes on tomorrow, or when a person resumes it",
            format_dollars(budget)
        );
        let paused = AgentPaused { reason: PauseReason::Budget, message };
        self.append(paused, EntityName::keeper()).await;
        true
    }

    /// Walks one epoch, handling orders meanwhile. False when the keeper stops.
    async fn walk(&mut self, record: EpochRecord, stop: &CancellationToken) -> bool {
        let epoch = record.id;
        if record.opened_at.is_some() {
            tracing::info!(agent = %self.agent.id, %epoch, event = "epoch_resumed", "an epoch that was cut goes on");
            // Only dying here is of interest: nothing can fail before the walk begins.
            _ = self.services.failpoints.pass(Failpoint::RecoverResumed).await;
        }
        let (interrupt, signal) = watch::channel(None);
        let (decisions, decided) = mpsc::channel(DECISIONS_MAX);
        let (pages, paged) = mpsc::channel(PAGES_MAX);
        let interrupt_signal = InterruptSignal(signal);
        let mut controls =
            Controls { interrupt: interrupt_signal, decisions: decided, pages: paged };
        let (services, agent) = (self.services.clone(), self.agent.clone());
        let mut walking = Box::pin(run_epoch(&services, &agent, record, &mut controls));
        let mut senders =
            ControlSenders { epoch, interrupt, decisions, pages, abort_replies: Vec::new() };
        for order in std::mem::take(&mut self.held) {
            self.handle_while_walking(order, &mut senders).await;
        }
        let mut drained = std::pin::pin!(drained(stop, services.settings.drain));
        let ended = loop {
            tokio::select! {
                biased;
                ended = &mut walking => break ended,
                Some(order) = self.orders.recv() => self.handle_while_walking(order, &mut senders).await,
                () = &mut drained => return false,
            }
        };
        drop(walking);
        self.ended(epoch, ended, senders).await;
        true
    }

    async fn ended(
        &mut self,
        epoch: EpochId,
        ended: Result<CommittedEpoch, EpochError>,
        controls: ControlSenders,
    ) {
        if let Err(EpochError::Ledger(error)) = ended {
            // Nothing can be written, not even the end. The epoch stays open; the next keeper takes it up.
            tracing::error!(agent = %self.agent.id, %epoch, event = "epoch_left_open", %error,
                "the ledger cannot be written; the epoch stays open");
            let pause =
                LEDGER_PAUSE.saturating_mul(1 << self.refusals.min(8)).min(LEDGER_PAUSE_MAX);
            self.refusals += 1;
            for reply in controls.abort_replies {
                drop(reply.send(Err(error.clone())));
            }
            let since_seq = self.services.ledger.head().seq;
            self.pause = Some(LedgerPause { until: Instant::now() + pause, since_seq });
            return;
        }
        self.refusals = 0;
        let is_aborted = ended.is_err();
        let seq = ended.map_or_else(|_| self.services.ledger.head().seq, |committed| committed.seq);
        self.services.view.applied(seq).await;
        for reply in controls.abort_replies {
            // An abort that came too late is told so: a commit that was under way stands.
            drop(reply.send(Ok(is_aborted)));
        }
    }

    /// Ends a pause where a stimulus was accepted after it began: then the ledger can be written again.
    fn end_pause(&mut self) {
        let state = self.services.view.read();
        let queue = state.agents.get(&self.agent.id).map(|agent_state| &agent_state.queue);
        let newest = queue.and_then(|queue| state.running.get(queue.back()?));
        self.pause = self
            .pause
            .filter(|pause| newest.is_none_or(|stimulus| stimulus.accepted_seq <= pause.since_seq));
    }

    /// An order while nothing runs.
    async fn handle_while_idle(&mut self, order: LaneOrder) {
        if let Some(error) = self.refusal() {
            return refuse(order, error);
        }
        let cut = self.services.view.read().open_epoch(&self.agent.id).map(|record| record.id);
        match order {
            LaneOrder::Abort { epoch, reason, reply } if cut != Some(epoch) => {
                drop(reply.send(self.abort_waiting(epoch, reason).await));
            }
            // What was cut is asked anew in any case.
            LaneOrder::AskAgain(page) => _ = page.reply.send(false),
            order if cut.is_some() => {
                self.held.push(order);
                self.pause = None;
            }
            // Nothing is open that it could be about.
            LaneOrder::Abort { reply, .. } => drop(reply.send(Ok(false))),
            LaneOrder::Decide(order) => _ = order.reply.send(Err(DecideError::AlreadyDecided)),
            LaneOrder::Reset { by, reply, .. } => self.resets.push(PendingReset { by, reply }),
            LaneOrder::Sleep { request, distiller, reply } => {
                self.sleeps.push(PendingSleep { request, distiller, reply });
            }
        }
    }

    /// Why no order can be carried out at present, if so.
    fn refusal(&self) -> Option<AppendError> {
        match self.services.ledger.status() {
            LedgerStatus::Ok => None,
            LedgerStatus::Degraded { reason } => Some(AppendError::Degraded { reason }),
            LedgerStatus::Poisoned { reason } => Some(AppendError::Poisoned { reason }),
        }
    }

    /// Answers those who wait for something that cannot be written: they may come again.
    fn refuse_waiting(&mut self) {
        let Some(error) = self.refusal() else { return };
        for order in std::mem::take(&mut self.held) {
            refuse(order, error.clone());
        }
        for PendingReset { reply, .. } in std::mem::take(&mut self.resets) {
            _ = reply.send(None);
        }
        for PendingSleep { reply, .. } in std::mem::take(&mut self.sleeps) {
            drop(reply.send(Err(SleepError::Unavailable)));
        }
    }

    /// An order while an epoch runs.
    async fn handle_while_walking(&mut self, order: LaneOrder, controls: &mut ControlSenders) {
        match order {
            LaneOrder::Abort { epoch, reason, reply } if epoch == controls.epoch => {
                controls.interrupt(AbortCode::Cancelled, reason);
                controls.abort_replies.push(reply);
            }
            LaneOrder::Decide(order) => {
                if let Err(error) = controls.decisions.try_send(order) {
                    let (mpsc::error::TrySendError::Full(order)
                    | mpsc::error::TrySendError::Closed(order)) = error;
                    _ = order.reply.send(Err(DecideError::Unavailable));
                }
            }
            // A full channel holds a page that does the same.
            LaneOrder::AskAgain(page) => drop(controls.pages.try_send(page)),
            LaneOrder::Reset { force, by, reply } => {
                if force {
                    controls.interrupt(AbortCode::Reset, "a reset with force ended it".to_owned());
                }
                self.resets.push(PendingReset { by, reply });
            }
            LaneOrder::Sleep { request, distiller, reply } => {
                self.sleeps.push(PendingSleep { request, distiller, reply });
            }
            LaneOrder::Abort { epoch, reason, reply } => {
                drop(reply.send(self.abort_waiting(epoch, reason).await));
            }
        }
    }

    /// Ends an epoch that waits. Only this lane opens epochs, so it cannot be opened meanwhile.
    async fn abort_waiting(&self, epoch: EpochId, reason: String) -> Result<bool, AppendError> {
        let is_waiting = self.services.view.read().running.contains_key(&epoch);
        if !is_waiting {
            return Ok(false);
        }
        let event = EpochAborted { code: AbortCode::Cancelled, message: reason };
        let draft = Draft {
            entity: self.agent.id.entity(),
            author: EntityName::keeper(),
            epoch: Some(epoch),
            event: event.into(),
        };
        let appended = self.services.ledger.append(vec![draft]).await?;
        self.services.view.applied(appended.last_seq).await;
        Ok(true)
    }

    /// Carries out resets that waited for the end of an epoch.
    async fn reset_pending(&mut self) {
        for PendingReset { by, reply } in std::mem::take(&mut self.resets) {
            _ = reply.send(self.reset(by).await);
        }
    }

    async fn reset(&self, by: EntityName) -> Option<ResetResult> {
        let (through_seq, epochs) = {
            let state = self.services.view.read();
            let count = state.agents.get(&self.agent.id).map_or(0, |s| s.short_term.len() as u64);
            (state.seq, count)
        };
        let appended = self.append(MemoryReset { through_seq, epochs }, by).await?;
        let sealed_segment = self.services.ledger.seal().await.ok()?;
        Some(ResetResult { seq: appended.last_seq, sealed_segment, epochs })
    }

    /// Begins the sleeps that were asked for, now that nothing is open.
    async fn sleep_pending(&mut self) {
        // A cut epoch goes on first.
        if self.sleeps.is_empty() || self.services.view.read().open_epoch(&self.agent.id).is_some()
        {
            return;
        }
        for PendingSleep { request, distiller, reply } in std::mem::take(&mut self.sleeps) {
            drop(reply.send(self.sleep(request, distiller).await));
        }
    }

    async fn sleep(
        &self,
        request: SleepRequest,
        distiller: String,
    ) -> Result<SleepStarted, SleepError> {
        let unavailable = |_| SleepError::Unavailable;
        let sleep_id = SleepId::new(&*self.services.ids, self.services.now());
        let started = {
            let state = self.services.view.read();
            let sleep = state.agents.get(&self.agent.id).map(|agent_state| &agent_state.sleep);
            sleep.map_or(Err(SleepError::Nothing), |sleep| {
                begin(sleep, sleep_id, &request, distiller)
            })?
        };
        self.services.failpoints.pass(Failpoint::SleepStartBefore).await.map_err(unavailable)?;
        let appended = self.append(started.clone(), request.by).await;
        appended.ok_or(SleepError::Unavailable)?;
        self.services.failpoints.pass(Failpoint::SleepStartAfter).await.map_err(unavailable)?;
        Ok(started)
    }

    async fn append(
        &self,
        event: impl Into<abide_domain::event::Event>,
        author: EntityName,
    ) -> Option<abide_ledger::AppendReceipt> {
        let (entity, event) = (self.agent.id.entity(), event.into());
        let draft = Draft { entity, author, epoch: None, event };
        match self.services.ledger.append(vec![draft]).await {
            Ok(appended) => {
                self.services.view.applied(appended.last_seq).await;
                Some(appended)
            }
            Err(error) => {
                tracing::error!(agent = %self.agent.id, event = "append_failed", %error,
                    "the ledger could not be written");
                None
            }
        }
    }

    /// The agent of this lane.
    pub fn agent(&self) -> &AgentId {
        &self.agent.id
    }
}

/// The senders of a running epoch's controls.
#[derive(Debug)]
struct ControlSenders {
    epoch: EpochId,
    interrupt: watch::Sender<Option<Interrupt>>,
    decisions: mpsc::Sender<DecisionOrder>,
    pages: mpsc::Sender<PageOrder>,
    abort_replies: Vec<oneshot::Sender<Result<bool, AppendError>>>,
}

impl ControlSenders {
    /// Only the first interruption counts.
    fn interrupt(&self, code: AbortCode, message: String) {
        self.interrupt.send_if_modified(|current| {
            let is_first = current.is_none();
            current.get_or_insert(Interrupt { code, message });
            is_first
        });
    }
}

/// The sleep that an agent begins: over the epochs that wait, through the newest of them.
fn begin(
    sleep: &SleepState,
    sleep_id: SleepId,
    request: &SleepRequest,
    distiller: String,
) -> Result<SleepStarted, SleepError> {
    if sleep.running().is_some() {
        return Err(SleepError::Asleep);
    }
    let key = request.run_key.as_ref();
    if let Some(key) =
        key.filter(|key| sleep.newest_key().is_some_and(|newest| newest >= key.as_str()))
    {
        return Err(SleepError::Begun(key.clone()));
    }
    let due = sleep.due();
    let newest = due.last().ok_or(SleepError::Nothing)?;
    Ok(SleepStarted {
        sleep_id,
        trigger: request.trigger,
        epochs: due.iter().map(|waiting| waiting.epoch).collect(),
        through_seq: newest.seq,
        distiller,
        run_key: request.run_key.clone(),
    })
}

async fn drained(stop: &CancellationToken, grace: Duration) {
    stop.cancelled().await;
    tokio::time::sleep(grace).await;
}

/// Waits until a pause is over.
async fn pause_over(pause: Option<LedgerPause>) {
    if let Some(pause) = pause {
        tokio::time::sleep_until(pause.until).await;
    }
}

/// The longest time between two looks at the wall clock: timers know nothing of a suspend.
const CLOCK_LOOK: Duration = Duration::from_mins(1);

/// Waits until midnight, UTC, when a budget begins anew.
async fn until_tomorrow(services: &Services) {
    let day = services.now().day();
    loop {
        let now = services.now();
        if now.day() != day {
            return;
        }
        let left = DAY_MICROS - now.as_micros().rem_euclid(DAY_MICROS);
        let left = Duration::from_micros(u64::try_from(left).unwrap_or(1));
        tokio::time::sleep(left.min(CLOCK_LOOK)).await;
    }
}
