//! Changes of agents as the keeper writes them down: each is a move of one machine, checked before it is written.
//!
//! What a proposal is tried with, and what it says, is not known here. Two moves at once cannot both be written.

use std::collections::BTreeMap;

use abide_domain::{
    AgentId, EntityName, EvolutionId,
    event::{
        Event, EvolutionAborted, EvolutionAnswered, EvolutionEvent, EvolutionProposed,
        EvolutionRolledBack, EvolutionTrial, ParWritten,
    },
    evolution::{EvolutionMove, EvolutionState, EvolutionTarget, step},
    limits::{
        EVOLUTION_CODE_BYTES_MAX, EVOLUTION_REASON_CHARS_MAX, EVOLUTIONS_WAITING_MAX,
        REASON_CHARS_MAX,
    },
    text::shortened,
};
use abide_ledger::Draft;
use serde_json::Value;

use super::{Keeper, OrderError};
use crate::state::EvolutionRecord;

/// A change that somebody proposes.
#[derive(Clone, Debug, PartialEq)]
pub struct EvolutionProposal {
    /// The agent that would change.
    pub agent: AgentId,
    /// What of it.
    pub target: EvolutionTarget,
    /// The code; empty for a mind.
    pub code: String,
    /// For a mind: what would change. For tools and commands: `cases`, which they must answer as they say.
    pub change: BTreeMap<String, Value>,
    /// Why.
    pub reason: String,
    /// What it is expected to bring.
    pub expected: BTreeMap<String, f64>,
    /// How it is tried.
    pub trial: Option<EvolutionTrial>,
}

/// Says why a change is where it was.
#[derive(Debug, thiserror::Error)]
pub enum EvolutionOrderError {
    /// There is no such agent or change, or it could not be written.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// The change is not where that could be done with it.
    #[error("that cannot be done with evolution `{id}` now: it is {state}")]
    Illegal {
        /// The change.
        id: EvolutionId,
        /// Where it is.
        state: &'static str,
    },
    /// It is in force no more: a later one is.
    #[error("evolution `{0}` is not in force: roll back the one that is")]
    NotInForce(EvolutionId),
    /// Too many wait.
    #[error(
        "{EVOLUTIONS_WAITING_MAX} changes of this agent wait already: abort one, or wait until the first has ended"
    )]
    TooMany,
}

impl EvolutionProposal {
    fn check(&self) -> Result<(), OrderError> {
        let invalid = |message: String| Err(OrderError::Invalid(message));
        if self.code.len() > EVOLUTION_CODE_BYTES_MAX {
            return invalid(format!(
                "code: it has {} bytes; at most {EVOLUTION_CODE_BYTES_MAX} are taken",
                self.code.len()
            ));
        }
        if self.reason.trim().is_empty() {
            return invalid("reason: say in a sentence why".into());
        }
        if self.reason.chars().count() > EVOLUTION_REASON_CHARS_MAX {
            return invalid(format!(
                "reason: at most {EVOLUTION_REASON_CHARS_MAX} characters are taken"
            ));
        }
        match self.target {
            EvolutionTarget::Mind if self.change.is_empty() => {
                invalid("change: say what would change: model, identity or settings".into())
            }
            EvolutionTarget::Mind if !self.code.is_empty() => {
                invalid("code: a mind has none; say in `change` what would change".into())
            }
            EvolutionTarget::Mind => Ok(()),
            _ if self.code.trim().is_empty() => invalid("code: it is empty".into()),
            EvolutionTarget::MemorySystem if !self.change.is_empty() => {
                invalid("change: memory has none; it is all in the code".into())
            }
            _ => Ok(()),
        }
    }
}

impl Keeper {
    /// Writes a proposal down; the keeper works at it as soon as the agent's earlier ones have ended.
    pub async fn propose_evolution(
        &self,
        proposal: EvolutionProposal,
        by: EntityName,
    ) -> Result<EvolutionRecord, EvolutionOrderError> {
        self.agent_or_error(&proposal.agent)?;
        proposal.check()?;
        let _turn = self.edit_turn().await?;
        let waiting = {
            let state = self.state();
            let evolutions = state.evolutions.of(&proposal.agent);
            let open = |record: &&EvolutionRecord| !record.state.is_ended();
            evolutions.map_or(0, |evolutions| evolutions.records().filter(open).count())
        };
        if waiting >= EVOLUTIONS_WAITING_MAX {
            return Err(EvolutionOrderError::TooMany);
        }
        let services = self.services();
        let evolution_id = EvolutionId::new(&*services.ids, services.now());
        let event = EvolutionProposed {
            evolution_id,
            run: None,
            reason: proposal.reason,
            target: proposal.target.as_str().into(),
            code: proposal.code,
            change: proposal.change,
            expected: proposal.expected,
            trial: proposal.trial,
        };
        self.write_evolution(&proposal.agent, by, vec![event.into()]).await?;
        self.evolution(evolution_id)
    }

    /// One change, as it is now.
    pub fn evolution(&self, id: EvolutionId) -> Result<EvolutionRecord, EvolutionOrderError> {
        let record = self.state().evolutions.get(id).cloned();
        let not_found = || OrderError::NotFound { what: "evolution", id: id.to_string() };
        Ok(record.ok_or_else(not_found)?)
    }

    /// Writes a move of a change down, where its state allows it. Returns it once that is durable.
    pub async fn move_evolution(
        &self,
        event: EvolutionEvent,
        by: EntityName,
    ) -> Result<EvolutionRecord, EvolutionOrderError> {
        self.write_move(event, Vec::new(), by).await
    }

    /// The same for a move that ends a change, in one batch with the report of it.
    pub async fn move_evolution_with(
        &self,
        event: EvolutionEvent,
        report: ParWritten,
        by: EntityName,
    ) -> Result<EvolutionRecord, EvolutionOrderError> {
        self.write_move(event, vec![report.into()], by).await
    }

    async fn write_move(
        &self,
        event: EvolutionEvent,
        more: Vec<Event>,
        by: EntityName,
    ) -> Result<EvolutionRecord, EvolutionOrderError> {
        let _turn = self.edit_turn().await?;
        let id = event.evolution_id();
        let record = self.evolution(id)?;
        let attempted = EvolutionMove::of(&event);
        if attempted.is_none_or(|attempted| step(record.state, attempted).is_none()) {
            return Err(EvolutionOrderError::Illegal { id, state: record.state.as_str() });
        }
        if matches!(event, EvolutionEvent::RolledBack(_))
            && record.state == EvolutionState::Kept
            && !self.state().evolutions.of(&record.agent).is_some_and(|of| of.is_in_force(id))
        {
            return Err(EvolutionOrderError::NotInForce(id));
        }
        let events = std::iter::once(event.into()).chain(more).collect();
        self.write_evolution(&record.agent, by, events).await?;
        self.evolution(id)
    }

    /// A person says yes or no to a change that waits for one.
    pub async fn answer_evolution(
        &self,
        id: EvolutionId,
        (approved, reason): (bool, &str),
        by: EntityName,
    ) -> Result<EvolutionRecord, EvolutionOrderError> {
        let reason = shortened(reason, REASON_CHARS_MAX);
        let event = EvolutionAnswered { evolution_id: id, approved, reason };
        self.move_evolution(EvolutionEvent::Answered(event), by).await
    }

    /// A person takes a change back that is in force, or is about to be.
    pub async fn roll_back_evolution(
        &self,
        id: EvolutionId,
        reason: &str,
        by: EntityName,
    ) -> Result<EvolutionRecord, EvolutionOrderError> {
        let reason = reason_or(reason, &by, "rolled it back");
        let agent = self.evolution(id)?.agent;
        let restored = self.state().evolutions.of(&agent).and_then(|of| of.code_before(id));
        let event = EvolutionRolledBack { evolution_id: id, restored, reason };
        self.move_evolution(EvolutionEvent::RolledBack(event), by).await
    }

    /// A person ends a change that is not in force.
    pub async fn abort_evolution(
        &self,
        id: EvolutionId,
        reason: &str,
        by: EntityName,
    ) -> Result<EvolutionRecord, EvolutionOrderError> {
        let reason = reason_or(reason, &by, "ended it");
        let event = EvolutionAborted { evolution_id: id, reason };
        self.move_evolution(EvolutionEvent::Aborted(event), by).await
    }

    async fn write_evolution(
        &self,
        agent: &AgentId,
        by: EntityName,
        events: Vec<Event>,
    ) -> Result<(), OrderError> {
        let draft =
            |event| Draft { entity: agent.entity(), author: by.clone(), epoch: None, event };
        let services = self.services();
        let appended = services.ledger.append(events.into_iter().map(draft).collect()).await?;
        services.view.applied(appended.last_seq).await;
        Ok(())
    }
}

/// What a person said; without words, who did it.
fn reason_or(said: &str, by: &EntityName, done: &str) -> String {
    match said.trim() {
        "" => format!("{} {done}", by.bare()),
        said => shortened(said, REASON_CHARS_MAX),
    }
}
