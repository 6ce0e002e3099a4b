//! Sleep: an agent's epochs distilled into facts, identity and a dream; only then its window ends (decisions 22 and 23).
//!
//! ```text
//! sleep.started {epochs} → facts, part by part → identity → dream → sleep.ended + memory.reset
//! ```
//!
//! What a step found and that it is done stand in one batch; what is done next follows from the ledger alone. So a run
//! that was cut at any point goes on behind its last step, and each epoch is distilled exactly once (BC-27). Only if no
//! step failed is anything forgotten, and nothing is ever deleted (BC-06, BC-28).
//!
//! Reading order: here the service; `run` (one run to its end); [`plan`] (what comes next); [`due`](mod@due) (when an agent
//! sleeps by itself); `material` (what is read); `step` (one step, carried out); [`model`] (distilling by a model).

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use abide_domain::{AgentId, event::SleepStarted};
use futures_util::{StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

pub mod due;
pub mod model;
pub mod plan;

mod material;
mod request;
mod run;
mod step;
mod write;

pub use crate::settings::SleepSettings;
pub use due::due;
pub use model::ModelDistiller;
pub use plan::{NextSleepStep, next_step};
pub use request::{SleepError, SleepRequest};

use crate::{
    agent_setup::AgentSetup,
    lane::{LaneHandle, LaneOrder},
    services::Services,
};
use run::{distiller, finish};

/// Orders that wait for the service.
const ORDERS_MAX: usize = 16;
/// Agents that are distilled at the same time; further ones wait.
const SLEEPERS_MAX: usize = 4;
/// The longest time between two checks of which agents are due.
const CHECK_EVERY: Duration = Duration::from_secs(15);
/// The shortest such time.
const CHECK_EVERY_MIN: Duration = Duration::from_millis(250);

/// An order to the service.
#[derive(Debug)]
pub(crate) struct SleepOrder {
    agent: AgentId,
    request: SleepRequest,
    /// None where the service gives the order to itself.
    reply: Option<oneshot::Sender<Result<SleepStarted, SleepError>>>,
}

/// Gives orders to the service. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct SleepHandle(mpsc::Sender<SleepOrder>);

impl SleepHandle {
    /// Lets an agent sleep; returns once the beginning is durable.
    pub(crate) async fn sleep(
        &self,
        agent: AgentId,
        request: SleepRequest,
    ) -> Result<SleepStarted, SleepError> {
        let (reply, received) = oneshot::channel();
        let sent = self.0.send(SleepOrder { agent, request, reply: Some(reply) }).await;
        sent.map_err(|_| SleepError::Unavailable)?;
        received.await.unwrap_or(Err(SleepError::Unavailable))
    }
}

/// The service: one task for all agents.
#[derive(Debug)]
pub struct Sleeper {
    services: Arc<Services>,
    orders: mpsc::Receiver<SleepOrder>,
}

/// The sleeps under way, each from its request to its end; each gives its agent back.
type SleepRuns<'a> = FuturesUnordered<BoxFuture<'a, AgentId>>;

impl Sleeper {
    pub(crate) fn new(services: Arc<Services>) -> (Self, SleepHandle) {
        let (sender, orders) = mpsc::channel(ORDERS_MAX);
        (Self { services, orders }, SleepHandle(sender))
    }

    /// Works until it is told to stop. A run under way goes on at the next start.
    pub async fn run(self, stop: CancellationToken) {
        let Self { services, mut orders } = self;
        let services = &*services;
        services.view.applied(services.ledger.head().seq).await;
        let mut busy: BTreeSet<AgentId> = BTreeSet::new();
        let mut runs: SleepRuns<'_> = FuturesUnordered::new();
        let mut arrivals = services.agents.arrivals();
        arrivals.mark_changed();
        let check_every = check_every(services);
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                Some(agent) = runs.next(), if !runs.is_empty() => {
                    busy.remove(&agent);
                }
                Ok(()) = arrivals.changed() => resume_cut(services, &mut busy, &runs),
                Some(order) = orders.recv() => {
                    begin(services, order, (&mut busy, &runs));
                }
                () = tokio::time::sleep(check_every), if services.settings.sleep.is_some() => {
                    for (agent, request) in agents_due(services) {
                        if runs.len() < SLEEPERS_MAX {
                            let order = SleepOrder { agent, request, reply: None };
                            begin(services, order, (&mut busy, &runs));
                        }
                    }
                }
            }
        }
    }
}

/// Takes up the sleeps that a crash or a stop cut, of agents that have just joined.
fn resume_cut<'a>(services: &'a Services, busy: &mut BTreeSet<AgentId>, runs: &SleepRuns<'a>) {
    for agent in services.agents.all() {
        if is_asleep(services, &agent.id) && busy.insert(agent.id.clone()) {
            runs.push(Box::pin(async move { finish(services, &agent).await }));
        }
    }
}

fn begin<'a>(
    services: &'a Services,
    order: SleepOrder,
    (busy, runs): (&mut BTreeSet<AgentId>, &SleepRuns<'a>),
) {
    let SleepOrder { agent: id, request, reply } = order;
    let agents = &services.agents;
    let found = agents.get(id.as_str()).zip(agents.lane(id.as_str()));
    let Some((agent, lane)) = found else { return answer(reply, Err(SleepError::NoAgent(id))) };
    if !busy.insert(id) {
        return answer(reply, Err(SleepError::Asleep));
    }
    runs.push(Box::pin(async move {
        let started = ask_lane(&lane, &agent, request).await;
        let has_started = started.is_ok();
        answer(reply, started);
        if has_started { finish(services, &agent).await } else { agent.id.clone() }
    }));
}

/// Sends an answer, if anybody waits for it.
fn answer(
    reply: Option<oneshot::Sender<Result<SleepStarted, SleepError>>>,
    answer: Result<SleepStarted, SleepError>,
) {
    if let Some(reply) = reply {
        // A caller that has gone away finds the answer in the ledger.
        drop(reply.send(answer));
    }
}

/// How often to check: a quarter of the shortest time that is waited for.
fn check_every(services: &Services) -> Duration {
    let idle = services.settings.sleep.as_ref().map_or(CHECK_EVERY, |settings| settings.idle);
    (idle / 4).clamp(CHECK_EVERY_MIN, CHECK_EVERY)
}

fn is_asleep(services: &Services, agent: &AgentId) -> bool {
    let state = services.view.read();
    state.agents.get(agent).is_some_and(|agent_state| agent_state.sleep.running().is_some())
}

fn agents_due(services: &Services) -> Vec<(AgentId, SleepRequest)> {
    let Some(settings) = &services.settings.sleep else { return Vec::new() };
    let now = services.ledger_now();
    let state = services.view.read();
    let due = services.agents.all().into_iter().filter_map(|agent| {
        let agent_state = state.agents.get(&agent.id)?;
        let has_budget = !agent.distiller.is_paid() || !services.is_spent(agent_state);
        let request = due(&agent.id, agent_state, settings, now).filter(|_| has_budget)?;
        Some((agent.id.clone(), request))
    });
    due.collect()
}

/// Asks the lane, which alone knows that nothing is open, to write that the agent sleeps.
async fn ask_lane(
    lane: &LaneHandle,
    agent: &AgentSetup,
    request: SleepRequest,
) -> Result<SleepStarted, SleepError> {
    let (reply, received) = oneshot::channel();
    let distiller = distiller(agent, request.by_rules).name();
    if !lane.order(LaneOrder::Sleep { request, distiller, reply }).await {
        return Err(SleepError::Unavailable);
    }
    received.await.unwrap_or(Err(SleepError::Unavailable))
}
