//! Decisions of people on facts that sleep found and could not hold against what was said.

use abide_domain::{
    AgentId, EntityName, FactId, ProposalId,
    event::{Decision, Event, FactDecided, FactRemembered},
};

use super::{Keeper, OrderError};

impl Keeper {
    /// Decides on a fact that waits. An approved one is remembered once this returns, and a person vouches for it; it gives
    /// the fact's id.
    pub async fn decide_fact(
        &self,
        agent: &AgentId,
        proposal_id: ProposalId,
        (decision, reason): (Decision, Option<String>),
        by: EntityName,
    ) -> Result<Option<FactId>, OrderError> {
        let memory = self.agent_or_error(agent)?.facts.clone();
        let _turn = self.edit_turn().await?;
        let waiting = {
            let state = self.state();
            let proposals = state.agents.get(agent).map(|known| &known.fact_proposals);
            proposals.and_then(|proposals| proposals.get(proposal_id)).cloned()
        };
        let Some(waiting) = waiting else {
            let id = proposal_id.to_string();
            return Err(OrderError::NotFound { what: "proposal", id });
        };
        let mut events: Vec<Event> = vec![FactDecided { proposal_id, decision, reason }.into()];
        let mut approved = None;
        if decision == Decision::Approve {
            let fact = waiting.proposed.fact;
            // What it was to take the place of may hold no longer.
            let is_in_force = |id: &FactId| {
                memory.get(*id).ok().flatten().is_some_and(|older| older.valid_to.is_none())
            };
            let supersedes = fact.supersedes.filter(is_in_force);
            approved = Some(fact.fact_id);
            events.push(FactRemembered { supersedes, untrusted: false, ..fact }.into());
        }
        self.append_all(agent, events, by).await?;
        Ok(approved)
    }
}
