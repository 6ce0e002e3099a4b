//! Changes of agents that are programs of their own: the moves that differ from those of a module, because the code runs in the agent's
//! own process and has its private state.
//!
//! The live process never runs code that its ledger does not hold as in force: a candidate answers nothing before `evolution.reloaded`
//! is durable, and where it cannot be loaded the process answers nothing before the rollback is.

use std::time::Duration;

use abide_domain::{
    AgentId, CheckpointId,
    event::{
        EvolutionBackedUp, EvolutionCheckpointed, EvolutionEvent, EvolutionProposed,
        EvolutionReloaded, EvolutionValidated,
    },
    evolution::{EvolutionState, EvolutionTarget},
};
use abide_engine::state::EvolutionRecord;
use abide_supervisor::{
    ProcessCommandError, ProcessState, ProcessStatus, ProgramCode, ProgramCodes, Supervisor,
};
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

use super::{
    recorded,
    work::{EvolutionWork, MoveError, Progress},
};
use crate::config::AgentSection;

/// How long the process of an agent may take to be ready for a checkpoint.
const READY_WITHIN: Duration = Duration::from_mins(1);
/// How long a process may take to come to the end of its turn, so that code is loaded.
const BETWEEN_TURNS_WITHIN: Duration = Duration::from_mins(10);
/// Of a hundred requests, how many a program's code answers once it is loaded: there is one process.
const PERCENT: u8 = 100;

impl EvolutionWork {
    /// Whether a change is of code that the agent's own process runs: proposed by the process of a program of its own.
    pub(super) fn is_of_program(&self, record: &EvolutionRecord) -> bool {
        let is_early = matches!(record.state, EvolutionState::Proposed | EvolutionState::Validated);
        if !is_early {
            return record.is_of_program();
        }
        let section = self.minds.configured(record.agent.as_str());
        let has_module = record.target().is_some_and(|target| target.module().is_some());
        has_module && record.run.is_some() && section.is_some_and(AgentSection::is_own_program)
    }

    /// Checks what can be checked of a program's change without a trial.
    pub(super) async fn validate_program(
        &self,
        record: &EvolutionRecord,
        proposed: &EvolutionProposed,
    ) -> Result<Progress, MoveError> {
        let Some(reach) = self.processes.shadows().describe(&record.agent) else {
            let why = "the agent connects by itself: the keeper cannot start a second process of it to try a change";
            return self.reject(record, why.into()).await;
        };
        let (status, _) = self.ready_process(&record.agent).await?;
        if !status.takes_code {
            let why = "the agent's process does not load code: its hello has no `hot_reload`";
            return self.reject(record, why.into()).await;
        }
        let code_sha256 = hex::encode(Sha256::digest(proposed.code.as_bytes()));
        let notes = vec![reach.to_owned()];
        let (evolution_id, adds) = (record.id, Vec::new());
        let event = EvolutionValidated { evolution_id, adds, code_sha256, notes };
        self.write(EvolutionEvent::Validated(event)).await
    }

    /// Has the process make a checkpoint, from which the trial's shadows begin.
    pub(super) async fn checkpoint_program(
        &self,
        record: &EvolutionRecord,
    ) -> Result<Progress, MoveError> {
        let checkpoint_id = Some(self.checkpoint_of(&record.agent).await?);
        let record_seq = self.keeper.ledger().head().seq;
        let event = EvolutionCheckpointed { evolution_id: record.id, record_seq, checkpoint_id };
        self.write(EvolutionEvent::Checkpointed(event)).await
    }

    /// Has the process make the checkpoint that a rollback restores.
    pub(super) async fn back_up_program(
        &self,
        record: &EvolutionRecord,
    ) -> Result<Progress, MoveError> {
        let target = record.target().unwrap_or(EvolutionTarget::MemorySystem);
        let previous = self.keeper.state().evolutions.program_in_force(&record.agent, target);
        let checkpoint_id = Some(self.checkpoint_of(&record.agent).await?);
        let event = EvolutionBackedUp {
            evolution_id: record.id,
            previous: previous.current,
            checkpoint_id,
        };
        self.write(EvolutionEvent::BackedUp(event)).await
    }

    /// Has the process load the code between two turns. No turn is answered before the line of it is durable.
    pub(super) async fn load_program(
        &self,
        record: &EvolutionRecord,
    ) -> Result<Progress, MoveError> {
        let proposed = recorded::proposal(self.keeper.ledger(), record).await?;
        let code_sha256 = hex::encode(Sha256::digest(proposed.code.as_bytes()));
        if record.code_sha256.as_ref() != Some(&code_sha256) {
            return self.roll_back(record, "its code is not what was checked".into()).await;
        }
        let code = program_code(record, proposed.code)?;
        let supervisor = self.supervisor_of(&record.agent)?;
        let loading = timeout(BETWEEN_TURNS_WITHIN, supervisor.reload(&record.agent, code));
        let loaded = match loading.await {
            Ok(Ok(loaded)) => loaded,
            Ok(Err(ProcessCommandError::Failed { reason })) => {
                return self.roll_back(record, format!("it cannot be loaded: {reason}")).await;
            }
            Ok(Err(error)) => return Err(error.to_string()),
            Err(_) => return Err("the agent's process is at one turn for too long".to_owned()),
        };
        let event = EvolutionReloaded { evolution_id: record.id, code_sha256, percent: PERCENT };
        let moved = self.write(EvolutionEvent::Reloaded(event)).await?;
        let now = self.keeper.evolution(record.id).map_err(|error| error.to_string())?;
        if matches!(now.state, EvolutionState::Watching { .. }) {
            loaded.confirm();
        }
        Ok(moved)
    }

    /// All code that an agent's own process runs beside its own, by the ledger.
    pub(super) async fn program_codes(&self, agent: &AgentId) -> Result<ProgramCodes, MoveError> {
        let records: Vec<EvolutionRecord> = {
            let state = self.keeper.state();
            let of = state.evolutions.of(agent);
            let codes = of
                .into_iter()
                .flat_map(|of| of.program_codes().filter_map(|(_, id)| of.get(id).cloned()));
            codes.collect()
        };
        let mut modules = Vec::new();
        for record in &records {
            let proposed = recorded::proposal(self.keeper.ledger(), record).await?;
            modules.push(program_code(record, proposed.code)?);
        }
        Ok(ProgramCodes { modules, kept: Vec::new() })
    }

    pub(super) fn supervisor_of(&self, agent: &AgentId) -> Result<&Supervisor, MoveError> {
        self.processes
            .supervisor_of(agent)
            .ok_or_else(|| "the agent has no process of its own any more".to_owned())
    }

    async fn checkpoint_of(&self, agent: &AgentId) -> Result<CheckpointId, MoveError> {
        let (_, supervisor) = self.ready_process(agent).await?;
        let made = supervisor.checkpoint(agent).await.map_err(|error| error.to_string())?;
        Ok(CheckpointId::from_uuid(made.id))
    }

    /// Has the agent's process started, if need be, and waits until it is ready.
    async fn ready_process(
        &self,
        agent: &AgentId,
    ) -> Result<(ProcessStatus, &Supervisor), MoveError> {
        let supervisor = self.supervisor_of(agent)?;
        supervisor.wake(agent).await.map_err(|error| error.to_string())?;
        let changes = supervisor.status_changes(agent);
        let mut changes = changes.ok_or("the agent has no process of its own any more")?;
        let is_ready = |status: &ProcessStatus| {
            matches!(status.state, ProcessState::Ready | ProcessState::Busy)
        };
        let ready = timeout(READY_WITHIN, changes.wait_for(is_ready)).await;
        let ready = ready
            .map_err(|_| format!("the agent's process was not ready within {READY_WITHIN:?}"))?;
        let status = ready.map_err(|_| "the keeper is stopping".to_owned())?.clone();
        Ok((status, supervisor))
    }
}

/// A change's code as the process loads it.
pub(super) fn program_code(
    record: &EvolutionRecord,
    code: String,
) -> Result<ProgramCode, MoveError> {
    let module = record.target().and_then(EvolutionTarget::module);
    let module = module.ok_or_else(|| format!("there is no module of {:?}", record.target))?;
    // In a trial there is no backup yet: the state is that of the trial's own checkpoint.
    let backup = record.checkpoint_id.or(record.trial_checkpoint);
    let backup = backup.ok_or("the change has no checkpoint")?.uuid();
    Ok(ProgramCode { module: module.to_owned(), code: code.into(), backup })
}
