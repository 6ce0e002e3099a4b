//! What runs agents' own code while they work: their order of passages, their tools, their commands. All of it is set by the task, from
//! what the ledger says is in force.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use abide_domain::{AgentId, EvolutionId};
use abide_engine::PassageRanker;
use abide_tools::{OwnParts, SharedRegistry};

use super::{
    live_requests::LiveRequests,
    module_metrics::ModuleMetrics,
    module_pool::ModulePool,
    own_parts::{MadeCodes, parts_of},
    ranker::OwnRanker,
};
use crate::agents::SandboxedModules;

/// All that runs agents' own code live.
#[derive(Debug)]
pub(crate) struct OwnModules {
    pub(super) pool: Arc<ModulePool>,
    pub(super) live: Arc<LiveRequests>,
    pub(super) ranker: Arc<OwnRanker>,
    tools: Arc<SharedRegistry>,
}

/// What agents have in force of tools and commands, as it was last set.
#[derive(Debug, Default)]
pub(super) struct PartsInForce {
    codes: BTreeMap<AgentId, MadeCodes>,
    parts: BTreeMap<AgentId, OwnParts>,
}

impl OwnModules {
    /// Starts with nothing in force. `tools` is where agents' tools and commands are put.
    pub(crate) fn new(launcher: Arc<SandboxedModules>, tools: Arc<SharedRegistry>) -> Self {
        let (pool, live) = (Arc::new(ModulePool::new(launcher)), Arc::<LiveRequests>::default());
        let ranker = Arc::new(OwnRanker::new(Arc::clone(&pool), Arc::clone(&live)));
        Self { pool, live, ranker, tools }
    }

    /// How often modules were asked, and how that ended.
    pub(crate) fn metrics(&self) -> &ModuleMetrics {
        &self.pool.metrics
    }

    /// What orders passages.
    pub(crate) fn ranker(&self) -> Arc<dyn PassageRanker> {
        Arc::clone(&self.ranker) as Arc<dyn PassageRanker>
    }

    /// Puts tools and commands in force, and lets processes go that serve nothing any more. Says what could not be loaded; that is
    /// tried again at the next time.
    pub(super) async fn set_parts(
        &self,
        in_force: &mut PartsInForce,
        wanted: BTreeMap<AgentId, MadeCodes>,
    ) -> Vec<(AgentId, EvolutionId, String)> {
        let mut failed = Vec::new();
        let before = in_force.codes.len();
        in_force.codes.retain(|agent, codes| wanted.get(agent) == Some(codes));
        let mut has_changed = before != in_force.codes.len();
        in_force.parts.retain(|agent, _| wanted.contains_key(agent));
        for (agent, codes) in wanted {
            if in_force.codes.contains_key(&agent) {
                continue;
            }
            has_changed = true;
            match parts_of((&self.pool, &self.live), &agent, &codes).await {
                Ok(parts) => {
                    in_force.parts.insert(agent.clone(), parts);
                    in_force.codes.insert(agent, codes);
                }
                Err((id, error)) => {
                    in_force.parts.remove(&agent);
                    failed.push((agent, id, error));
                }
            }
        }
        if has_changed {
            self.tools.set_own_parts(in_force.parts.clone());
        }
        self.retain_wanted(in_force);
        failed
    }

    fn retain_wanted(&self, in_force: &PartsInForce) {
        let ranks = self.ranker.wanted();
        let made: HashSet<(&AgentId, EvolutionId)> = in_force
            .codes
            .iter()
            .flat_map(|(agent, codes)| codes.ids().map(move |id| (agent, id)))
            .collect();
        self.pool
            .retain(|served| ranks.contains_key(served) || made.contains(&(&served.0, served.1)));
    }
}
