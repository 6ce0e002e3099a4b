//! The agent's own order of passages, live: asked when an epoch opens, within a bound; where no answer comes, the order in which they
//! were found holds.
//!
//! One process serves one code of one agent. It is started by the task, never by a question: a question that finds none waits for
//! nothing. A request belongs to the candidate or to the code before it by a hash of its epoch, and to no mixture of the two.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use abide_domain::{AgentId, EvolutionId};
use abide_engine::{PassageRanker, RankingTask};
use abide_evolution::is_in_share;
use abide_modules::{ModuleCallError, ModuleKind};
use futures_util::future::BoxFuture;
use tokio::sync::Notify;

use super::{
    codes::{CodesInForce, MemoryCodes, ModuleCode},
    live_requests::LiveRequests,
    memory_trial::rank_request,
};
use crate::agents::{ModuleProcess, SandboxedModules};

/// How long a question waits for the agent's own order.
const RANK_LIMIT: Duration = Duration::from_millis(50);
/// How long a module may take to be loaded.
pub(super) const LOAD_LIMIT: Duration = Duration::from_secs(5);

/// Questions in a row without an order after which a code is taken back, also one that was kept.
pub(super) const FAILURES_MAX: u32 = 20;

/// Which code of which agent a process serves.
type Served = (AgentId, EvolutionId);

/// Ranks by agents' own rules.
#[derive(Debug)]
pub(crate) struct OwnRanker {
    launcher: Arc<SandboxedModules>,
    pub(super) codes: CodesInForce,
    pub(super) live: LiveRequests,
    /// Processes that wait for a question; one that is asked is not here meanwhile.
    idle: Mutex<HashMap<Served, ModuleProcess>>,
    /// Told where a process is missing.
    pub(super) missing: Notify,
    /// Questions in a row that a code gave no order for.
    failures: Mutex<HashMap<Served, u32>>,
}

impl OwnRanker {
    /// Starts with nothing in force.
    pub(crate) fn new(launcher: Arc<SandboxedModules>) -> Self {
        Self {
            launcher,
            codes: CodesInForce::default(),
            live: LiveRequests::default(),
            idle: Mutex::default(),
            missing: Notify::new(),
            failures: Mutex::default(),
        }
    }

    pub(super) const fn launcher(&self) -> &Arc<SandboxedModules> {
        &self.launcher
    }

    fn take(&self, served: &Served) -> Option<ModuleProcess> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).remove(served)
    }

    fn put_back(&self, served: Served, process: ModuleProcess) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).insert(served, process);
    }

    fn count_failure(&self, served: &Served, has_failed: bool) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if !has_failed {
            failures.remove(served);
            return;
        }
        let count = failures.entry(served.clone()).or_default();
        *count += 1;
        if *count >= FAILURES_MAX {
            self.missing.notify_one();
        }
    }

    /// Changes whose code gave no order for so many questions in a row that it is taken back; each is given once.
    pub(super) fn failing(&self) -> Vec<EvolutionId> {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let found: Vec<EvolutionId> = failures
            .iter()
            .filter(|(_, count)| **count >= FAILURES_MAX)
            .map(|((_, id), _)| *id)
            .collect();
        failures.retain(|_, count| *count < FAILURES_MAX);
        found
    }

    /// Starts what should serve and does not, and ends what serves and should not. Says what could not be started.
    pub(super) async fn refresh(&self) -> Vec<(AgentId, EvolutionId, String)> {
        let codes = self.codes.all();
        let wanted: HashMap<Served, Arc<str>> =
            codes.iter().flat_map(|(agent, codes)| wanted_of(agent, codes)).collect();
        let missing: Vec<Served> = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.retain(|served, process| {
                wanted.contains_key(served) && process.client.ended().is_none()
            });
            wanted.keys().filter(|served| !idle.contains_key(served)).cloned().collect()
        };
        let mut failed = Vec::new();
        for served in missing {
            let Some(code) = wanted.get(&served) else { continue };
            match self.load(&served.0, code).await {
                Ok(process) => self.put_back(served, process),
                Err(error) => failed.push((served.0, served.1, error)),
            }
        }
        failed
    }

    /// Starts a process with a code of the memory module. The error is in words for people.
    pub(super) async fn load(&self, agent: &AgentId, code: &str) -> Result<ModuleProcess, String> {
        let mut process = self.launcher.start(agent).await.map_err(|error| error.to_string())?;
        let loaded = process.client.load(ModuleKind::Memory, code, LOAD_LIMIT).await;
        loaded.map_err(|error| error.to_string())?;
        Ok(process)
    }

    async fn ask(&self, task: &RankingTask<'_>, module: &ModuleCode) -> Option<Vec<u64>> {
        let served = (task.agent.clone(), module.id);
        let Some(mut process) = self.take(&served) else {
            self.missing.notify_one();
            return None;
        };
        let asked = process.client.rank(rank_request(task), RANK_LIMIT).await;
        self.count_failure(&served, asked.is_err());
        match asked {
            Ok(reply) => {
                self.put_back(served, process);
                Some(reply.value)
            }
            Err(error) => {
                tracing::warn!(agent = %task.agent, evolution = %module.id, event = "own_order_failed", %error,
                    "the agent's own rule gave no order; the passages stand as they were found");
                match error {
                    ModuleCallError::Ended(_) => self.missing.notify_one(),
                    ModuleCallError::Script { .. } | ModuleCallError::Request(_) => {
                        self.put_back(served, process);
                    }
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
