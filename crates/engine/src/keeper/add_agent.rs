//! How a spawned agent is added: when it is spawned, and after each start.
//!
//! First the ledger, then its memory, then the roster: it is given no stimulus before its memory is complete.

use std::sync::Arc;

use abide_ledger::Query;

use super::{
    Keeper,
    announce::{NewIds, introduction},
    replay::{BATCH, StartError, project},
    start::make_lane,
};
use crate::{
    agent_setup::AgentSetup, dream_folders, lane::Lane, projector, roster::AgentFiles,
    services::Services,
};

impl Keeper {
    /// Adds an agent that was not there at the start: writes its profile and identity, brings its memory up to the ledger, and
    /// gives its lane to be run. None where it runs already.
    pub async fn add_agent(
        &self,
        agent: AgentSetup,
        files: AgentFiles,
    ) -> Result<Option<Lane>, StartError> {
        let services = self.services();
        let id = agent.id.clone();
        if services.has_agent(&id) {
            return Ok(None);
        }
        services.view.applied(services.ledger.head().seq).await;
        let ids = NewIds { source: &*services.ids, now: services.now() };
        let drafts = introduction(&agent, &self.state(), files.identity.as_ref(), ids)?;
        if !drafts.is_empty() {
            let appended = services.ledger.append(drafts).await?;
            services.view.applied(appended.last_seq).await;
        }
        let services = Arc::clone(services);
        let joined = tokio::task::spawn_blocking(move || join(&services, agent, files)).await;
        let lane = joined.map_err(std::io::Error::other)??;
        tracing::info!(agent = %id, event = "agent_added", "agent added");
        Ok(Some(lane))
    }
}

/// Adds the agent to the roster once its memory is complete. Blocking.
fn join(
    services: &Arc<Services>,
    agent: AgentSetup,
    files: AgentFiles,
) -> Result<Lane, StartError> {
    let id = agent.id.clone();
    bring_up(services, &agent)?;
    if let Some(dreams) = &files.dreams {
        dream_folders::restore(&id, dreams, &services.view.read(), &services.ledger);
    }
    let (lane, entry) = make_lane(services, agent, files);
    let added = Arc::clone(&entry.agent);
    // What came meanwhile is little; what comes from here on, the projector brings.
    services.agents.join(vec![entry], || bring_up(services, &added))?;
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
