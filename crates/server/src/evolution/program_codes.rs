//! Tells each agent's process which code it runs beside its own, as the ledger says: at the keeper's start before its first turn, and
//! whenever that changes. With a rollback goes the private state from before the change.
//!
//! Nothing is stored: what a process was told is known from this keeper's own doing, and at its start from the ledger.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use abide_domain::{
    AgentId, CheckpointId, EvolutionId,
    event::{AgentEvent, Event},
    evolution::{EvolutionState, EvolutionTarget},
};
use abide_engine::state::{AgentEvolutions, EvolutionRecord};
use abide_ledger::{Ledger, Query};
use abide_supervisor::{ProcessCommandError, ProgramCodes, Supervisor};
use tokio_util::sync::CancellationToken;

use super::work::EvolutionWork;

/// How often processes are looked at where nothing is written.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Runs in a row that cannot load code in force after which it is taken back.
const FAILED_LOADS_MAX: u32 = 3;

/// What one agent's process is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Announced {
    /// Changes whose code it loads.
    loads: Vec<(EvolutionTarget, EvolutionId)>,
    /// Checkpoints that are needed.
    kept: BTreeSet<CheckpointId>,
    /// The newest line by which a change was taken back.
    rolled_back: u64,
}

/// Tells processes which code is in force.
pub(crate) struct ProgramFollower {
    work: Arc<EvolutionWork>,
    announced: BTreeMap<AgentId, Announced>,
}

impl ProgramFollower {
    pub(super) fn new(work: Arc<EvolutionWork>) -> Self {
        Self { work, announced: BTreeMap::new() }
    }

    /// Follows the ledger until it is told to stop.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        let mut applied = self.work.keeper.services().view.applications();
        let mut look = tokio::time::interval(LOOK_EVERY);
        let mut seen = None;
        loop {
            let (_, agents) = self.work.processes.over_frames();
            let agents: Vec<AgentId> = agents.cloned().collect();
            // Most of what is written has nothing to do with code.
            let now = (self.work.newest_move(), agents.len());
            if seen != Some(now) {
                for agent in &agents {
                    self.follow(agent).await;
                    self.take_back_unloadable(agent).await;
                }
                seen = Some(now);
            }
            tokio::select! {
                () = stop.cancelled() => return,
                changed = applied.changed() => if changed.is_err() { return },
                _ = look.tick() => seen = None,
            }
        }
    }

    async fn follow(&mut self, agent: &AgentId) {
        let (mut wanted, rolled_back) = {
            let state = self.work.keeper.state();
            let of = state.evolutions.of(agent);
            (of.map(wanted).unwrap_or_default(), of.and_then(newest_rolled_back))
        };
        let newest = rolled_back.as_ref().and_then(|record| record.events.last().copied());
        wanted.rolled_back = newest.unwrap_or(0);
        let before = self.announced.get(agent);
        if before == Some(&wanted) {
            return;
        }
        let restore = match (before, rolled_back) {
            (Some(before), Some(record)) => {
                record.checkpoint_id.filter(|_| wanted.rolled_back > before.rolled_back)
            }
            (None, Some(record)) => self.unfinished(&record).await,
            (_, None) => None,
        };
        let (supervisor, _) = self.work.processes.over_frames();
        let codes = match self.work.program_codes(agent).await {
            Ok(codes) => codes,
            Err(error) => {
                tracing::error!(%agent, event = "program_code_unreadable", error,
                    "the code of a change that is in force cannot be read; the agent's process runs what it starts with");
                ProgramCodes::default()
            }
        };
        let kept = wanted.kept.iter().map(|id| id.uuid()).collect();
        if tell(supervisor, agent, ProgramCodes { kept, ..codes }, restore).await {
            self.announced.insert(agent.clone(), wanted);
        }
    }

    /// Where a keeper died between a rollback and the state that comes back with it: the checkpoint. Once the process has begun from
    /// it, or has answered since, there is nothing to do.
    async fn unfinished(&self, record: &EvolutionRecord) -> Option<CheckpointId> {
        let (checkpoint, rolled_back) = (record.checkpoint_id?, *record.events.last()?);
        let (ledger, agent) = (self.work.keeper.ledger().clone(), record.agent.clone());
        let read = move || has_gone_on(&ledger, &agent, (rolled_back, checkpoint));
        let has_gone_on = tokio::task::spawn_blocking(read).await.ok()?;
        (!has_gone_on).then_some(checkpoint)
    }

    /// Takes code back that the process cannot load any more.
    async fn take_back_unloadable(&self, agent: &AgentId) {
        let Some(problem) = self.work.processes.status(agent).and_then(|it| it.code_problem) else {
            return;
        };
        if problem.times < FAILED_LOADS_MAX {
            return;
        }
        let record = {
            let state = self.work.keeper.state();
            let of = state.evolutions.of(agent);
            let id = of.and_then(|of| {
                let mut codes = of.program_codes();
                codes
                    .find(|(target, _)| target.module() == Some(&*problem.module))
                    .map(|(_, id)| id)
            });
            id.and_then(|id| of?.get(id).cloned())
        };
        let Some(record) = record else { return };
        let why =
            format!("it could not be loaded {} times in a row: {}", problem.times, problem.message);
        if let Err(error) = self.work.roll_back(&record, why).await {
            tracing::warn!(%agent, evolution = %record.id, event = "evolution_not_rolled_back", error,
                "a change that cannot be loaded could not be taken back now");
        }
    }
}

/// What the state says that a process runs, and which checkpoints are needed for that.
fn wanted(of: &AgentEvolutions) -> Announced {
    let programs = of.records().filter(|record| record.is_of_program());
    let mut announced = Announced { loads: of.program_codes().collect(), ..Announced::default() };
    for record in programs {
        match record.state {
            EvolutionState::Checkpointed | EvolutionState::Shadowing { .. } => {
                announced.kept.extend(record.trial_checkpoint);
            }
            EvolutionState::BackedUp | EvolutionState::Watching { .. } => {
                announced.kept.extend(record.checkpoint_id);
            }
            _ => {}
        }
    }
    announced
}

/// The change of a program that was taken back last. Each was backed up before.
fn newest_rolled_back(of: &AgentEvolutions) -> Option<EvolutionRecord> {
    let taken_back = of
        .records()
        .filter(|record| record.is_of_program() && record.state == EvolutionState::RolledBack);
    taken_back.max_by_key(|record| record.events.last().copied()).cloned()
}

/// Whether a process has begun from this checkpoint, or has answered anything, after that line. Blocking.
fn has_gone_on(ledger: &Ledger, agent: &AgentId, (after, checkpoint): (u64, CheckpointId)) -> bool {
    let kinds = ["agent.ready", "turn.completed"].map(str::to_owned).to_vec();
    let query = Query { entity: Some(agent.entity()), kinds, after, ..Query::default() };
    for line in ledger.query(query) {
        let Ok(Ok(entry)) = line.map(|line| line.entry()) else { return true };
        match entry.event {
            Event::Agent(AgentEvent::Ready(ready)) => {
                if ready.checkpoint_id == Some(checkpoint) && ready.wal_entries == 0 {
                    return true;
                }
            }
            _ => return true,
        }
    }
    false
}

/// Tells a process which code it runs; whether that was done.
async fn tell(
    supervisor: &Supervisor,
    agent: &AgentId,
    codes: ProgramCodes,
    restore: Option<CheckpointId>,
) -> bool {
    if let Some(checkpoint) = restore {
        match supervisor.run_code_from(agent, codes.clone(), checkpoint.uuid()).await {
            Ok(restored) => {
                tracing::info!(%agent, %checkpoint, event = "program_rolled_back", set_aside = ?restored.report,
                    "the agent's process has the code and the state from before a change again");
                return true;
            }
            // A person steers it at the same moment: it is tried again.
            Err(ProcessCommandError::Stopping | ProcessCommandError::Conflict { .. }) => {
                return false;
            }
            Err(error) => {
                tracing::error!(%agent, %checkpoint, event = "program_state_not_restored", %error,
                    "the code from before a change is in force again, but the private state from before it cannot be restored");
            }
        }
    }
    match supervisor.run_code(agent, codes).await {
        Ok(()) => true,
        Err(ProcessCommandError::Stopping) => false,
        Err(error) => {
            tracing::warn!(%agent, event = "program_code_not_told", %error,
                "an agent's process could not be told which code is in force; it is tried again");
            false
        }
    }
}
