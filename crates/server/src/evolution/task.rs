//! The task that moves every change on: it follows the state, keeps what serves in step with what is in force, and works at one change
//! of each agent at a time, at so many agents at once as the configuration allows.
//!
//! It holds nothing that a death could lose but measurements under way: each move is durable before the next begins, and after a start
//! every change goes on from where its lines say that it is.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
    time::Duration,
};

use abide_domain::{
    AgentId, EvolutionId,
    evolution::{EvolutionState, EvolutionTarget},
};
use abide_engine::state::{AgentEvolutions, EvolutionRecord};
use tokio::{task::JoinSet, time::interval};
use tokio_util::sync::CancellationToken;

use super::{
    codes::{Canary, MemoryCodes, ModuleCode},
    moves::Step,
    own_modules::PartsInForce,
    own_parts::{MadeCode, MadeCodes},
    program_codes::ProgramFollower,
    recorded,
    work::{EvolutionParts, EvolutionWork},
};

/// How often changes are looked at where nothing happens: what waits for a time is due then.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How long a change is left alone whose move failed by no fault of its own, such as a full disk.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// Moves every change on.
pub(crate) struct EvolutionTask {
    work: Arc<EvolutionWork>,
    shadows: usize,
    /// Code that was read from the ledger, by the change that brought it; only what serves.
    known: BTreeMap<EvolutionId, Arc<str>>,
    /// Agents' own tools and commands, as they were last put in force.
    parts: PartsInForce,
}

impl EvolutionTask {
    /// From what the keeper has.
    pub(crate) fn new(parts: EvolutionParts) -> Self {
        let shadows = parts.settings.evolution.shadows;
        Self {
            work: Arc::new(EvolutionWork::new(parts)),
            shadows,
            known: BTreeMap::new(),
            parts: PartsInForce::default(),
        }
    }

    /// What tells agents' processes which code is in force; to be run beside this.
    pub(crate) fn follower(&self) -> ProgramFollower {
        ProgramFollower::new(Arc::clone(&self.work))
    }

    /// Works until it is told to stop. What is under way then goes on at the next start.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        let work = Arc::clone(&self.work);
        let clean = move || work.processes.shadows().clean();
        tokio::task::spawn_blocking(clean).await.ok();
        let mut applied = self.work.keeper.services().view.applications();
        let mut running: JoinSet<(AgentId, Step)> = JoinSet::new();
        let mut busy: HashSet<AgentId> = HashSet::new();
        let mut resting: HashSet<AgentId> = HashSet::new();
        let (mut seen, mut has_failed) = (None, false);
        // By agent, the newest line of its changes when they were last looked at. What waits for a time is looked at anew now and then.
        let mut looked_at: BTreeMap<AgentId, u64> = BTreeMap::new();
        // Ticks come however much is written meanwhile.
        let (mut look, mut retry) = (interval(LOOK_EVERY), interval(RETRY_AFTER));
        loop {
            let version = self.work.newest_move();
            if seen != Some(version) {
                seen = Some(version);
                has_failed = self.follow().await;
            }
            for id in self.work.modules.pool.failing() {
                self.work.take_back(id).await;
            }
            for (agent, newest) in self.agents_with_work() {
                if busy.len() >= self.shadows {
                    break;
                }
                let is_new = looked_at.get(&agent) != Some(&newest);
                let is_due = is_new || self.work.has_live_request(&agent);
                if !is_due || resting.contains(&agent) || !busy.insert(agent.clone()) {
                    continue;
                }
                looked_at.insert(agent.clone(), newest);
                let work = Arc::clone(&self.work);
                running.spawn(async move {
                    let step = work.advance(&agent).await;
                    (agent, step)
                });
            }
            let modules = &self.work.modules;
            tokio::select! {
                () = stop.cancelled() => break,
                changed = applied.changed() => if changed.is_err() { break },
                () = modules.pool.missing.notified() => drop(modules.ranker.refresh().await),
                () = modules.live.arrived.notified() => {}
                ended = running.join_next(), if !running.is_empty() => {
                    let Some(Ok((agent, step))) = ended else { busy.clear(); continue };
                    busy.remove(&agent);
                    if step == Step::Failed {
                        resting.insert(agent);
                    }
                }
                _ = look.tick() => {
                    looked_at.clear();
                    self.work.kept_processes.end_idle(self.work.monotonic());
                    // What could not be loaded, on a busy machine perhaps, is tried again.
                    seen = seen.filter(|_| !has_failed);
                }
                _ = retry.tick() => resting.clear(),
            }
        }
        running.shutdown().await;
    }

    /// The agents that run here and have a change that is not waiting for a person, each with the newest line of its changes.
    fn agents_with_work(&self) -> Vec<(AgentId, u64)> {
        let keeper = &self.work.keeper;
        let agents: Vec<(AgentId, u64)> = {
            let state = keeper.state();
            let has_work = |(_, of): &(&AgentId, &AgentEvolutions)| {
                of.current().is_some_and(|record| record.state != EvolutionState::AwaitsPerson)
            };
            let working = state.evolutions.agents().filter(has_work);
            working.map(|(agent, of)| (agent.clone(), of.newest_line())).collect()
        };
        agents.into_iter().filter(|(agent, _)| keeper.has_agent(agent)).collect()
    }

    /// Puts into force what the state says, and nothing else. Says whether something could not be loaded.
    async fn follow(&mut self) -> bool {
        let wanted = self.wanted();
        let ids: HashSet<EvolutionId> = wanted.values().flat_map(WantedCodes::ids).collect();
        self.known.retain(|id, _| ids.contains(id));
        for id in ids {
            if let Err(error) = self.learn(id).await {
                tracing::error!(evolution = %id, event = "evolution_code_unreadable", error,
                    "the code of a change that is in force cannot be read; the keeper's own order holds");
            }
        }
        let module =
            |id: EvolutionId| Some(ModuleCode { id, code: Arc::clone(self.known.get(&id)?) });
        let of = |wanted: &WantedCodes| MemoryCodes {
            current: wanted.current.and_then(module),
            canary: wanted.canary.and_then(|(id, percent, seed)| {
                Some(Canary { module: module(id)?, percent, seed })
            }),
            mirrored: wanted.mirrored,
        };
        let codes = wanted.iter().map(|(agent, wanted)| (agent.clone(), of(wanted))).collect();
        let made = |(id, is_watched)| Some(MadeCode { module: module(id)?, is_watched });
        let made = |wanted: &WantedCodes| MadeCodes {
            tools: wanted.tools.and_then(made),
            commands: wanted.commands.and_then(made),
        };
        let made = wanted.iter().map(|(agent, wanted)| (agent.clone(), made(wanted)));
        let made = made.filter(|(_, codes)| *codes != MadeCodes::default()).collect();
        let modules = Arc::clone(&self.work.modules);
        modules.ranker.codes.set(codes);
        let mut failed = modules.set_parts(&mut self.parts, made).await;
        failed.extend(modules.ranker.refresh().await);
        let has_failed = !failed.is_empty();
        for (agent, id, error) in failed {
            tracing::error!(%agent, evolution = %id, event = "evolution_code_not_loaded", error,
                "the code of a change that is in force does not run; what the keeper does by itself holds");
        }
        has_failed
    }

    fn wanted(&self) -> BTreeMap<AgentId, WantedCodes> {
        let percent = self.work.settings.evolution.mirror_percent;
        let state = self.work.keeper.state();
        let of = |(agent, of): (&AgentId, &AgentEvolutions)| {
            let code = of.in_force(EvolutionTarget::MemorySystem);
            let seed = |id| of.get(id).and_then(|record| record.seed).map_or(0, |(seed, _)| seed);
            let is_tried = |record: &&EvolutionRecord| {
                matches!(record.state, EvolutionState::Shadowing { .. })
                    && record.target() == Some(EvolutionTarget::MemorySystem)
                    && percent > 0
            };
            let tried = of.current().filter(is_tried);
            let made = |target| {
                let code = of.in_force(target);
                let watched = code.canary.map(|(id, _)| (id, true));
                watched.or_else(|| code.current.map(|id| (id, false)))
            };
            let wanted = WantedCodes {
                current: code.current,
                canary: code.canary.map(|(id, percent)| (id, percent, seed(id))),
                mirrored: tried.map(|record| (seed(record.id), percent)),
                tools: made(EvolutionTarget::ToolFramework),
                commands: made(EvolutionTarget::Dsl),
            };
            (agent.clone(), wanted)
        };
        state.evolutions.agents().map(of).collect()
    }

    async fn learn(&mut self, id: EvolutionId) -> Result<(), String> {
        if self.known.contains_key(&id) {
            return Ok(());
        }
        let record = self.work.keeper.evolution(id).map_err(|error| error.to_string())?;
        let proposed = recorded::proposal(self.work.keeper.ledger(), &record).await?;
        self.known.insert(id, proposed.code.into());
        Ok(())
    }
}

/// What the state says that an agent has in force, before its code is read.
struct WantedCodes {
    current: Option<EvolutionId>,
    canary: Option<(EvolutionId, u8, u64)>,
    mirrored: Option<(u64, u8)>,
    /// Its own tools, and whether they are watched.
    tools: Option<(EvolutionId, bool)>,
    /// Its own commands, the same.
    commands: Option<(EvolutionId, bool)>,
}

impl WantedCodes {
    fn ids(&self) -> impl Iterator<Item = EvolutionId> {
        let made = self.tools.into_iter().chain(self.commands).map(|(id, _)| id);
        self.current.into_iter().chain(self.canary.map(|(id, ..)| id)).chain(made)
    }
}

impl std::fmt::Debug for EvolutionTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EvolutionTask").finish_non_exhaustive()
    }
}
