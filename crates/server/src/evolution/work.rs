//! What moves of changes are made with, and how they are written: each asks the machine, and is durable before the next is thought of.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use abide_domain::{
    AgentId, EntityName, EpochId, EvolutionId,
    event::{ComparedPair, EvolutionCompared, EvolutionEvent, EvolutionRolledBack, ParWritten},
    evolution::EvolutionTarget,
};
use abide_engine::{Keeper, keeper::EvolutionOrderError, state::EvolutionRecord};
use abide_modules::ModuleKind;
use abide_wire::{Decision, EvolutionResult};

use super::{
    kept_processes::KeptProcesses, module_pool::FAILURES_MAX, own_checks::kind_or_memory,
    own_modules::OwnModules, recorded, report,
};
use crate::{
    agents::{MindSelector, Processes},
    config::Settings,
};

/// Pairs that are written in one line: what a death loses at most.
pub(super) const PAIRS_A_LINE: usize = 10;

/// How long a live request waits for a quiet moment before it is given to a change.
const QUIET_WAIT_MAX: Duration = Duration::from_secs(2);

/// What the task is made of.
pub(crate) struct EvolutionParts {
    pub(crate) keeper: Keeper,
    pub(crate) modules: Arc<OwnModules>,
    pub(crate) processes: Processes,
    pub(crate) minds: Arc<MindSelector>,
    pub(crate) settings: Settings,
}

/// Why a move was not made: words for the log. The change stays where it is.
pub(super) type MoveError = String;

/// What moves are made with.
pub(super) struct EvolutionWork {
    pub(super) keeper: Keeper,
    pub(super) modules: Arc<OwnModules>,
    pub(super) settings: Settings,
    pub(super) processes: Processes,
    pub(super) minds: Arc<MindSelector>,
    /// Requests that cannot be given again, by change: they are not looked at twice.
    pub(super) unusable: Mutex<HashMap<EvolutionId, HashSet<EpochId>>>,
    pub(super) kept_processes: KeptProcesses,
}

/// Whether there is more to do at once.
pub(super) enum Progress {
    Moved,
    Waits,
}

/// What is known of a proposal that goes on to its trial.
#[derive(Debug, Default)]
pub(super) struct CheckedProposal {
    /// Tools and commands that the agent did not have.
    pub(super) adds: Vec<String>,
    /// What is worth knowing of it, for people.
    pub(super) notes: Vec<String>,
}

impl CheckedProposal {
    pub(super) fn with_notes(notes: Vec<String>) -> Self {
        Self { notes, ..Self::default() }
    }
}

/// Why a proposal does not go on to its trial.
pub(super) enum Refused {
    /// By its own fault.
    Rejected(String),
    /// By no fault of its own.
    CannotTry(String),
}

impl EvolutionWork {
    pub(super) fn new(parts: EvolutionParts) -> Self {
        let EvolutionParts { keeper, modules, processes, minds, settings } = parts;
        let (unusable, kept_processes) = (Mutex::default(), KeptProcesses::default());
        Self { keeper, modules, settings, processes, minds, unusable, kept_processes }
    }

    /// Epochs of live requests that are to be compared and have ended.
    pub(super) fn ended_live(&self, record: &EvolutionRecord) -> Vec<EpochId> {
        let state = self.keeper.state();
        let has_ended = |epoch| state.epochs.get(&epoch).map(|span| span.end.is_some());
        self.modules.live.take(&record.agent, has_ended)
    }

    /// Waits until the agent answers nothing: what is asked once more for a trial must not take the time of what is asked now. An agent
    /// that is never quiet is not waited for long.
    pub(super) async fn until_quiet(&self, agent: &AgentId) {
        let mut applied = self.keeper.services().view.applications();
        let quiet = async {
            while self.keeper.state().open_epoch(agent).is_some() {
                if applied.changed().await.is_err() {
                    break;
                }
            }
        };
        tokio::time::timeout(QUIET_WAIT_MAX, quiet).await.ok();
    }

    /// A monotonic time.
    pub(super) fn monotonic(&self) -> Duration {
        self.modules.pool.launcher().clock().monotonic()
    }

    pub(super) async fn roll_back(
        &self,
        record: &EvolutionRecord,
        reason: String,
    ) -> Result<Progress, MoveError> {
        let report = report::rolled_back(record, &reason, self.keeper.services().now());
        let restored = {
            let state = self.keeper.state();
            state.evolutions.of(&record.agent).and_then(|of| of.code_before(record.id))
        };
        let event =
            EvolutionRolledBack { evolution_id: record.id, restored, reason: reason.clone() };
        let moved = self.write_with(EvolutionEvent::RolledBack(event), report).await?;
        let decision = Decision::Rejected;
        let reason = format!("it was rolled back: {reason}");
        self.say(record, EvolutionResult { success: false, decision, metrics: None, reason }).await;
        Ok(moved)
    }

    /// The line of the newest move of any change; 0 where there is none.
    pub(super) fn newest_move(&self) -> u64 {
        let state = self.keeper.state();
        state.evolutions.agents().map(|(_, of)| of.newest_line()).max().unwrap_or(0)
    }

    /// The change whose code a change would replace; none: the base module's. While one is watched, this is still the code from before.
    pub(super) fn in_force(&self, record: &EvolutionRecord) -> Option<EvolutionId> {
        let target = record.target()?;
        self.keeper.state().evolutions.in_force(&record.agent, target).current
    }

    /// That code.
    pub(super) async fn code_in_force(
        &self,
        record: &EvolutionRecord,
    ) -> Result<String, MoveError> {
        self.code_of(kind_or_memory(record), self.in_force(record)).await
    }

    /// The code that a change brought; without one, the base module's.
    pub(super) async fn code_of(
        &self,
        kind: ModuleKind,
        id: Option<EvolutionId>,
    ) -> Result<String, MoveError> {
        let Some(id) = id else { return Ok(kind.base_code().to_owned()) };
        let record = self.keeper.evolution(id).map_err(|error| error.to_string())?;
        Ok(recorded::proposal(self.keeper.ledger(), &record).await?.code)
    }

    /// Takes a change back whose code answers no question any more. Where that cannot be written now, the next failures say it again.
    pub(super) async fn take_back(&self, id: EvolutionId) {
        let Ok(record) = self.keeper.evolution(id) else { return };
        let what =
            if record.target() == Some(EvolutionTarget::MemorySystem) { "order" } else { "answer" };
        let why = format!("it gave no {what} for {FAILURES_MAX} requests in a row");
        if let Err(error) = self.roll_back(&record, why).await {
            tracing::warn!(agent = %record.agent, evolution = %id, event = "evolution_not_rolled_back", error,
                "a change that answers nothing could not be taken back now");
        }
    }

    pub(super) async fn write_pairs(
        &self,
        record: &EvolutionRecord,
        new: &mut Vec<ComparedPair>,
    ) -> Result<(), MoveError> {
        for pairs in new.chunks(PAIRS_A_LINE) {
            let event = EvolutionCompared { evolution_id: record.id, pairs: pairs.to_vec() };
            self.write(EvolutionEvent::Compared(event)).await?;
        }
        new.clear();
        Ok(())
    }

    /// Writes a move. One that a person's came before is none: the change is looked at anew.
    pub(super) async fn write(&self, event: EvolutionEvent) -> Result<Progress, MoveError> {
        moved(self.keeper.move_evolution(event, EntityName::keeper()).await)
    }

    /// The same for a move that ends a change, in one batch with the report of it.
    pub(super) async fn write_with(
        &self,
        event: EvolutionEvent,
        report: ParWritten,
    ) -> Result<Progress, MoveError> {
        moved(self.keeper.move_evolution_with(event, report, EntityName::keeper()).await)
    }

    /// Tells the process that proposed it, where it is there.
    pub(super) async fn say(&self, record: &EvolutionRecord, result: EvolutionResult) {
        let supervisor =
            self.processes.supervisor_of(&record.agent).filter(|_| record.run.is_some());
        if let Some(supervisor) = supervisor
            && let Err(error) = supervisor.say_evolution_result(&record.agent, result).await
        {
            tracing::info!(agent = %record.agent, evolution = %record.id, event = "evolution_result_unheard", %error,
                "the process that proposed a change did not hear what became of it");
        }
    }
}

fn moved(written: Result<EvolutionRecord, EvolutionOrderError>) -> Result<Progress, MoveError> {
    match written {
        Ok(_) | Err(EvolutionOrderError::Illegal { .. }) => Ok(Progress::Moved),
        Err(error) => Err(error.to_string()),
    }
}

impl std::fmt::Debug for EvolutionWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EvolutionWork").finish_non_exhaustive()
    }
}
