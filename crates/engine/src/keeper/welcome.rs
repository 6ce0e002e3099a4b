//! How an agent that came into being later takes up its life: at once, and after each start.
//!
//! The ledger comes first, then its facts, then the roster: nothing can be said to it before it remembers all that it was.

use std::sync::Arc;

use abide_ledger::Query;

use super::{
    Keeper, StartError,
    start::{BATCH, introduction, move_in, project},
};
use crate::{
    dream_folders,
    lane::Lane,
    projector,
    roster::AgentFiles,
    services::{AgentSetup, Services},
};

impl Keeper {
    /// Takes an agent in that was not there at the start: writes down who it is, brings its facts up to the ledger, and gives
    /// its lane to be run. None where it lives here already.
    pub async fn welcome(
        &self,
        agent: AgentSetup,
        belongings: AgentFiles,
    ) -> Result<Option<Lane>, StartError> {
        let services = self.services();
        let id = agent.id.clone();
        if services.has_agent(&id) {
            return Ok(None);
        }
        services.view.applied(services.ledger.head().seq).await;
        let drafts = introduction(&agent, &self.house(), belongings.file.as_ref())?;
        if !drafts.is_empty() {
            let appended = services.ledger.append(drafts).await?;
            services.view.applied(appended.last_seq).await;
        }
        let services = Arc::clone(services);
        let joined = tokio::task::spawn_blocking(move || join(&services, agent, belongings)).await;
        let lane = joined.map_err(std::io::Error::other)??;
        tracing::info!(agent = %id, "lives here now");
        Ok(Some(lane))
    }
}

/// Blocking.
fn join(
    services: &Arc<Services>,
    agent: AgentSetup,
    belongings: AgentFiles,
) -> Result<Lane, StartError> {
    let id = agent.id.clone();
    bring_up(services, &agent)?;
    if let Some(dreams) = &belongings.dreams {
        dream_folders::restore(&id, dreams, &services.view.read(), &services.ledger);
    }
    let (lane, resident) = move_in(services, agent, belongings);
    let newcomer = Arc::clone(&resident.agent);
    // What came meanwhile is little; what comes from here on, the projector brings.
    services.agents.join(vec![resident], || bring_up(services, &newcomer))?;
    projector::write_identity(services, id.as_str());
    Ok(lane)
}

/// Brings an agent's facts up to the ledger.
fn bring_up(services: &Services, agent: &AgentSetup) -> Result<(), StartError> {
    let query = Query {
        entity: Some(agent.id.entity()),
        after: agent.facts.applied_seq(),
        limit: usize::MAX,
        ..Query::default()
    };
    let store = [(agent.id.clone(), agent.facts.clone())];
    let mut batch = Vec::with_capacity(BATCH);
    for record in services.ledger.query(query) {
        let record = record?;
        let seq = record.seq();
        batch.push(record.entry().map_err(|source| StartError::Entry { seq, source })?);
        if batch.len() == BATCH {
            project(&store, &mut batch)?;
        }
    }
    project(&store, &mut batch)
}
