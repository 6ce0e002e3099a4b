//! The memory of an agent: identity, facts, conversations, dreams, graph; one file each.
//!
//! Every route names one agent and reaches that one's memory alone; ids and names that come in are matched against lists,
//! never against the disk.
//!
//! Reading order: `identity` (who it is, its versions), `knowledge` (facts), `dreams`, `query` (the eight queries, search),
//! `graph` (nodes and edges, seeds).

use std::sync::Arc;

use abide_domain::AgentId;
use abide_engine::{AgentSetup, MemoryAccess};
use abide_memory::KnowledgeHandle;

use super::{app_state::AppState, error::ApiError};

pub(super) mod dreams;
pub(super) mod forget;
pub(super) mod graph;
pub(super) mod identity;
pub(super) mod knowledge;
pub(super) mod query;
pub(super) mod review;

fn agent(app: &AppState, citizen: &AgentId) -> Result<Arc<AgentSetup>, ApiError> {
    let agent = app.keeper()?.agent(citizen.as_str());
    agent.ok_or_else(|| ApiError::not_found("agent", citizen.as_str()))
}

/// The store of one agent.
fn store(app: &AppState, citizen: &AgentId) -> Result<KnowledgeHandle, ApiError> {
    Ok(agent(app, citizen)?.facts.clone())
}

/// Search in it by words and meaning.
fn memory_of(app: &AppState, citizen: &AgentId) -> Result<MemoryAccess, ApiError> {
    Ok(agent(app, citizen)?.memory())
}

/// Reads off the threads that answer requests: the first read after a start loads the indexes.
async fn off_thread<T, E>(
    read: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, ApiError>
where
    T: Send + 'static,
    E: std::error::Error + Send + 'static,
{
    let read = tokio::task::spawn_blocking(read).await;
    read.map_err(|error| ApiError::internal(&error))?.map_err(|error| ApiError::internal(&error))
}
