//! Sleep: an agent's days distilled into facts, identity and a dream, and only then forgotten (decisions 22 and 23).
//!
//! ```text
//! sleep.started {epochs} → facts, part by part → identity → dream → sleep.ended + memory.reset
//! ```
//!
//! What a step found and that it is done stand in one batch; what is done next follows from the ledger alone. So a run
//! that was cut at any point goes on behind its last step, and each epoch is distilled exactly once (BC-27). Only if no
//! step failed is anything forgotten, and nothing is ever deleted (BC-06, BC-28).
//!
//! Reading order: here the service; `plan` (what comes next); `due` (when an agent sleeps by itself); `material` (what is read); `step` (one step, carried out); [`model`] (distilling by a model).

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use abide_domain::{
    AgentId, EntityName, SleepId,
    event::{Event, MemoryReset, SleepEnded, SleepStarted, SleepStatus, SleepTrigger},
};
use abide_ledger::{AppendError, Draft, LedgerStatus};
use abide_memory::{Distiller, RuleDistiller};
use futures_util::{StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

pub mod due;
pub mod model;
pub mod plan;

mod material;
mod step;

pub use due::{SleepSettings, due};
pub use model::ModelDistiller;
pub use plan::{NextSleepStep, next_step};

use crate::{
    failpoint::Failpoint,
    keeper::Keeper,
    lane::{LaneHandle, LaneOrder},
    services::{AgentSetup, Services},
    state::SleepRun,
};

/// Orders that wait for the service.
const ORDERS_MAX: usize = 16;
/// Agents that are distilled at the same time; further ones wait, asleep or awake.
const SLEEPERS_MAX: usize = 4;
/// The longest time between two looks at who might sleep.
const LOOK_EVERY: Duration = Duration::from_secs(15);
/// The shortest.
const LOOK_EVERY_MIN: Duration = Duration::from_millis(250);
/// Between two tries to write on a disk that took nothing.
const WRITE_AGAIN: Duration = Duration::from_secs(5);

/// What a person or a trigger wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SleepRequest {
    /// Why.
    pub trigger: SleepTrigger,
    /// Of a scheduled run.
    pub run_key: Option<String>,
    /// Whether to distil by rules even where there is a model.
    pub by_rules: bool,
    /// Who wants it.
    pub by: EntityName,
}

/// Why an agent does not go to sleep.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SleepError {
    /// No such agent.
    #[error("there is no agent `{0}`")]
    NoAgent(AgentId),
    /// It has slept over everything.
    #[error("nothing has happened since the last sleep")]
    Nothing,
    /// It sleeps, or will as soon as its epoch has ended.
    #[error("it is asleep already, or about to be")]
    Asleep,
    /// This scheduled run was begun before.
    #[error("the scheduled run {0} was begun before")]
    Begun(String),
    /// The ledger takes nothing, or the keeper stops.
    #[error("the ledger took no event, or the keeper is stopping")]
    Unavailable,
}

/// An order to the service.
#[derive(Debug)]
pub(crate) struct SleepOrder {
    agent: AgentId,
    wish: SleepRequest,
    /// None where the service gives the order to itself.
    reply: Option<oneshot::Sender<Result<SleepStarted, SleepError>>>,
}

/// What others hold of the service.
#[derive(Clone, Debug)]
pub(crate) struct SleepHandle(mpsc::Sender<SleepOrder>);

impl SleepHandle {
    /// Lets an agent sleep; returns once the beginning is durable.
    pub(crate) async fn sleep(
        &self,
        agent: AgentId,
        wish: SleepRequest,
    ) -> Result<SleepStarted, SleepError> {
        let (reply, told) = oneshot::channel();
        let sent = self.0.send(SleepOrder { agent, wish, reply: Some(reply) }).await;
        sent.map_err(|_| SleepError::Unavailable)?;
        told.await.unwrap_or(Err(SleepError::Unavailable))
    }
}

/// The orders of a service that is not made yet.
pub(crate) type SleepOrders = mpsc::Receiver<SleepOrder>;

/// A way to the service, made before the keeper that it needs.
pub(crate) fn channel() -> (SleepHandle, SleepOrders) {
    let (sender, orders) = mpsc::channel(ORDERS_MAX);
    (SleepHandle(sender), orders)
}

/// The service: one task for all agents.
#[derive(Debug)]
pub struct Sleeper {
    keeper: Keeper,
    orders: SleepOrders,
}

/// An agent that is busy with its sleep, from the wish to the end.
type Asleep<'a> = FuturesUnordered<BoxFuture<'a, AgentId>>;

impl Sleeper {
    pub(crate) fn new(keeper: Keeper, orders: SleepOrders) -> Self {
        Self { keeper, orders }
    }

    /// Works until told to stop. A run under way goes on at the next start.
    pub async fn run(mut self, stop: CancellationToken) {
        let keeper = self.keeper.clone();
        let services = keeper.services();
        services.view.applied(services.ledger.head().seq).await;
        let mut busy: BTreeSet<AgentId> = BTreeSet::new();
        let mut asleep: Asleep<'_> = FuturesUnordered::new();
        let mut arrivals = services.agents.arrivals();
        arrivals.mark_changed();
        let look_every = look_every(services);
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                Some(agent) = asleep.next(), if !asleep.is_empty() => {
                    busy.remove(&agent);
                }
                Ok(()) = arrivals.changed() => lie_down(&keeper, &mut busy, &asleep),
                Some(order) = self.orders.recv() => {
                    begin(&keeper, order, (&mut busy, &asleep));
                }
                () = tokio::time::sleep(look_every), if services.settings.sleep.is_some() => {
                    for (agent, wish) in who_is_due(services) {
                        if asleep.len() < SLEEPERS_MAX {
                            let order = SleepOrder { agent, wish, reply: None };
                            begin(&keeper, order, (&mut busy, &asleep));
                        }
                    }
                }
            }
        }
    }
}

/// Takes up the sleeps that were cut, of agents that were not here before.
fn lie_down<'a>(keeper: &'a Keeper, busy: &mut BTreeSet<AgentId>, asleep: &Asleep<'a>) {
    let services = keeper.services();
    for agent in services.agents.all() {
        if is_asleep(services, &agent.id) && busy.insert(agent.id.clone()) {
            asleep.push(Box::pin(async move { go_on(keeper, &agent).await }));
        }
    }
}

fn begin<'a>(
    keeper: &'a Keeper,
    order: SleepOrder,
    (busy, asleep): (&mut BTreeSet<AgentId>, &Asleep<'a>),
) {
    let SleepOrder { agent: id, wish, reply } = order;
    let agents = &keeper.services().agents;
    let found = agents.get(id.as_str()).zip(agents.lane(id.as_str()));
    let Some((agent, lane)) = found else { return tell(reply, Err(SleepError::NoAgent(id))) };
    if !busy.insert(id) {
        return tell(reply, Err(SleepError::Asleep));
    }
    asleep.push(Box::pin(async move {
        let started = fall_asleep(&lane, &agent, wish).await;
        let has_started = started.is_ok();
        tell(reply, started);
        if has_started { go_on(keeper, &agent).await } else { agent.id.clone() }
    }));
}

/// Answers whoever asked, if anybody did.
fn tell(
    reply: Option<oneshot::Sender<Result<SleepStarted, SleepError>>>,
    answer: Result<SleepStarted, SleepError>,
) {
    if let Some(reply) = reply {
        // Who has gone away finds the answer in the ledger.
        drop(reply.send(answer));
    }
}

/// How often to look: a quarter of the shortest time that is waited for.
fn look_every(services: &Services) -> Duration {
    let idle = services.settings.sleep.as_ref().map_or(LOOK_EVERY, |settings| settings.idle);
    (idle / 4).clamp(LOOK_EVERY_MIN, LOOK_EVERY)
}

fn is_asleep(services: &Services, agent: &AgentId) -> bool {
    let house = services.view.read();
    house.agents.get(agent).is_some_and(|state| state.sleep.running().is_some())
}

fn who_is_due(services: &Services) -> Vec<(AgentId, SleepRequest)> {
    let Some(settings) = &services.settings.sleep else { return Vec::new() };
    let now = services.now();
    let house = services.view.read();
    let due = services.agents.all().into_iter().filter_map(|agent| {
        let state = house.agents.get(&agent.id)?;
        let has_budget = !agent.distiller.is_paid() || !services.is_spent(state);
        let wish = due(&agent.id, state, settings, now).filter(|_| has_budget)?;
        Some((agent.id.clone(), wish))
    });
    due.collect()
}

/// Asks the lane, which alone knows that nothing is open, to write that the agent sleeps.
async fn fall_asleep(
    lane: &LaneHandle,
    agent: &AgentSetup,
    wish: SleepRequest,
) -> Result<SleepStarted, SleepError> {
    let (reply, told) = oneshot::channel();
    let distiller = distiller(agent, wish.by_rules).name();
    if !lane.order(LaneOrder::Sleep { wish, distiller, reply }).await {
        return Err(SleepError::Unavailable);
    }
    told.await.unwrap_or(Err(SleepError::Unavailable))
}

fn distiller(agent: &AgentSetup, by_rules: bool) -> Arc<dyn Distiller> {
    if by_rules { Arc::new(RuleDistiller) } else { agent.distiller.clone() }
}

/// Carries out what is left of the run that is under way, and gives the agent back.
async fn go_on(keeper: &Keeper, agent: &AgentSetup) -> AgentId {
    let services = keeper.services();
    tracing::info!(agent = %agent.id, "asleep");
    match rest(keeper, agent).await {
        Ok(()) => {}
        Err(Cut::Failpoint) => {
            tracing::warn!(agent = %agent.id, "a failpoint cut the sleep; it goes on at the next start");
            // The agent stays asleep, as after a crash that nobody has come back from.
            std::future::pending::<()>().await;
        }
        Err(Cut::Ledger(error)) => {
            tracing::error!(agent = %agent.id, %error, "the sleep cannot be written; it goes on at the next start");
            std::future::pending::<()>().await;
        }
    }
    let woke = services.view.read().agents.get(&agent.id).and_then(|state| {
        let last = state.sleep.last()?;
        Some(last.ended.message.clone())
    });
    tracing::info!(agent = %agent.id, message = woke.unwrap_or_default(), "awake");
    agent.id.clone()
}

/// Why a run stops in its middle.
#[derive(Debug)]
enum Cut {
    /// Nothing can be written for good.
    Ledger(AppendError),
    /// A test said so.
    Failpoint,
}

impl From<crate::failpoint::InjectedError> for Cut {
    fn from(_: crate::failpoint::InjectedError) -> Self {
        Self::Failpoint
    }
}

/// The run from where it stands to its end.
async fn rest(keeper: &Keeper, agent: &AgentSetup) -> Result<(), Cut> {
    let services = keeper.services();
    let Some(run) = running(services, agent) else { return Ok(()) };
    let distiller = distiller(agent, run.started.distiller == RuleDistiller.name());
    let days = material::read(services, agent, &run).await;
    let days = material::Days::new(days, &*distiller);
    while let Some(run) = running(services, agent) {
        match next_step(&run, days.parts()) {
            NextSleepStep::Distil(station) => {
                step::carry_out(
                    keeper,
                    agent,
                    step::Work { run: &run, distiller: &*distiller, days: &days },
                    station,
                )
                .await?;
            }
            NextSleepStep::End { status, message } => {
                end(services, agent, &run, (status, message)).await?
            }
        }
    }
    Ok(())
}

fn running(services: &Services, agent: &AgentSetup) -> Option<SleepRun> {
    let house = services.view.read();
    house.agents.get(&agent.id)?.sleep.running().cloned()
}

/// Ends a run: what was distilled leaves the short-term window in the same batch, unless a step failed.
async fn end(
    services: &Services,
    agent: &AgentSetup,
    run: &SleepRun,
    (status, message): (SleepStatus, String),
) -> Result<(), Cut> {
    services.failpoints.pass(Failpoint::SleepEndBefore).await?;
    let sleep_id: SleepId = run.started.sleep_id;
    let mut events: Vec<Event> = vec![SleepEnded { sleep_id, status, message }.into()];
    if status != SleepStatus::Failed {
        let through_seq = run.started.through_seq;
        let epochs = {
            let house = services.view.read();
            let state = house.agents.get(&agent.id);
            state.map_or(0, |state| state.short_term.count_through(through_seq))
        };
        events.push(MemoryReset { through_seq, epochs }.into());
    }
    write(services, agent, events).await?;
    services.failpoints.pass(Failpoint::SleepEndAfter).await?;
    Ok(())
}

/// Writes events of one batch and waits until all views show them. A disk that is full is waited for, so that what was
/// distilled and paid for is not lost.
async fn write(services: &Services, agent: &AgentSetup, events: Vec<Event>) -> Result<(), Cut> {
    let entity = agent.id.entity();
    let draft =
        |event| Draft { entity: entity.clone(), author: entity.clone(), epoch: None, event };
    let drafts: Vec<Draft> = events.into_iter().map(draft).collect();
    loop {
        match services.ledger.append(drafts.clone()).await {
            Ok(appended) => {
                services.view.applied(appended.last_seq).await;
                return Ok(());
            }
            Err(AppendError::Degraded { reason }) => {
                tracing::warn!(agent = %agent.id, %reason, "the sleep waits for the disk");
                // A degraded ledger finds out by trying: the next append is the try.
                tokio::time::sleep(WRITE_AGAIN).await;
            }
            Err(error) => return Err(Cut::Ledger(error)),
        }
    }
}

/// Waits until there is a point in distilling: what cannot be written would be paid for in vain.
async fn until_writable(services: &Services) -> Result<(), Cut> {
    let mut status = services.ledger.status_changes();
    let settled = status.wait_for(|status| !matches!(status, LedgerStatus::Degraded { .. })).await;
    match settled.as_deref() {
        Ok(LedgerStatus::Poisoned { reason }) => {
            Err(Cut::Ledger(AppendError::Poisoned { reason: reason.clone() }))
        }
        _ => Ok(()),
    }
}
