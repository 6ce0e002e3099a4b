//! The agent's own order of passages, live: asked when an epoch opens, within a bound; where no answer comes, the order in which they
//! were found holds.
//!
//! One process serves one code of one agent. It is started by the task, never by a question: a question that finds none waits for
//! nothing. A request belongs to the candidate or to the code before it by a hash of its epoch, and to no mixture of the two.

use std::{collections::HashMap, sync::Arc, time::Duration};

use abide_domain::{AgentId, EvolutionId};
use abide_engine::{PassageRanker, RankingTask};
use abide_evolution::is_in_share;
use abide_modules::{ModuleCallError, ModuleKind};
use futures_util::future::BoxFuture;

use super::{
    codes::{CodesInForce, MemoryCodes, ModuleCode},
    live_requests::LiveRequests,
    memory_trial::rank_request,
    module_metrics::CallOutcome,
    module_pool::{ModulePool, Served},
};

/// How long a question waits for the agent's own order.
const RANK_LIMIT: Duration = Duration::from_millis(50);

/// Ranks by agents' own rules.
#[derive(Debug)]
pub(super) struct OwnRanker {
    pool: Arc<ModulePool>,
    live: Arc<LiveRequests>,
    pub(super) codes: CodesInForce,
}

impl OwnRanker {
    /// Starts with nothing in force.
    pub(super) fn new(pool: Arc<ModulePool>, live: Arc<LiveRequests>) -> Self {
        Self { pool, live, codes: CodesInForce::default() }
    }

    /// The code that should serve, by what it serves.
    pub(super) fn wanted(&self) -> HashMap<Served, Arc<str>> {
        let codes = self.codes.all();
        codes.iter().flat_map(|(agent, codes)| wanted_of(agent, codes)).collect()
    }

    /// Starts what should serve and does not. Says what could not be started.
    pub(super) async fn refresh(&self) -> Vec<(AgentId, EvolutionId, String)> {
        let wanted = self.wanted();
        let mut failed = Vec::new();
        for (served, code) in wanted {
            if self.pool.has(&served) {
                continue;
            }
            match self.pool.load(&served.0, (ModuleKind::Memory, &code)).await {
                Ok((process, _)) => self.pool.put_back(served, process),
                Err(error) => failed.push((served.0, served.1, error)),
            }
        }
        failed
    }

    async fn ask(&self, task: &RankingTask<'_>, module: &ModuleCode) -> Option<Vec<u64>> {
        let served = (task.agent.clone(), module.id);
        let Some(mut process) = self.pool.take(&served) else {
            self.pool.metrics.count(ModuleKind::Memory, CallOutcome::Missing, Duration::ZERO);
            self.pool.missing.notify_one();
            return None;
        };
        let clock = self.pool.launcher().clock();
        let begun = clock.monotonic();
        let asked = process.client.rank(rank_request(task), RANK_LIMIT).await;
        let took = clock.monotonic().saturating_sub(begun);
        self.pool.metrics.count(ModuleKind::Memory, CallOutcome::of(&asked), took);
        self.pool.count_failure(&served, asked.is_err());
        self.pool.put_back(served, process);
        match asked {
            Ok(reply) => Some(reply.value),
            Err(error) => {
                tracing::warn!(agent = %task.agent, evolution = %module.id, event = "own_order_failed", %error,
                    "the agent's own rule gave no order; the passages stand as they were found");
                if let ModuleCallError::Ended(_) = error {
                    self.pool.missing.notify_one();
                }
                None
            }
        }
    }
}

fn wanted_of(agent: &AgentId, codes: &MemoryCodes) -> Vec<(Served, Arc<str>)> {
    let canary = codes.canary.iter().map(|canary| &canary.module);
    let all = codes.current.iter().chain(canary);
    all.map(|module| ((agent.clone(), module.id), Arc::clone(&module.code))).collect()
}

impl PassageRanker for OwnRanker {
    fn is_active(&self, agent: &AgentId) -> bool {
        self.codes.of(agent).is_some()
    }

    fn rank<'a>(&'a self, task: RankingTask<'a>) -> BoxFuture<'a, Option<Vec<u64>>> {
        Box::pin(async move {
            let codes = self.codes.of(task.agent)?;
            let epoch = task.epoch.to_string();
            let is_in = |(seed, percent): (u64, u8)| is_in_share(seed, &epoch, percent);
            let canary = codes.canary.filter(|canary| is_in((canary.seed, canary.percent)));
            if canary.is_some() || codes.mirrored.is_some_and(is_in) {
                self.live.add(task.agent, task.epoch);
            }
            let module = canary.map(|canary| canary.module).or(codes.current)?;
            self.ask(&task, &module).await
        })
    }
}
