//! `/identity`, `/knowledge`, `/dreams`: what an agent is, knows and dreamt.

use abide_domain::{AgentId, FactId, event::IdentitySource};
use abide_memory::Fact;
use axum::{
    Json,
    extract::{Path, State},
};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    error::ApiError,
    front::{Front, person},
    input::{Body, Params},
    list::List,
};

/// Who an agent is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IdentityView {
    /// Markdown, first person.
    content: String,
    /// From 1; all earlier ones are in the ledger.
    version: u64,
    updated_at: String,
    /// `profile`, `person`, `file` or `sleep`.
    #[schema(value_type = String)]
    source: IdentitySource,
}

/// A new version.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IdentityBody {
    /// Markdown, at least 50 characters with a heading.
    content: String,
    /// Takes a shorter text, or one without a heading.
    #[serde(default)]
    force: bool,
    /// Default: the only agent.
    citizen: Option<String>,
}

/// Something an agent knows.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FactView {
    fact_id: String,
    content: String,
    /// `user`, `project` or `world`.
    category: String,
    tags: Vec<String>,
    /// 0 to 1.
    confidence: f64,
    valid_from: String,
    valid_to: Option<String>,
    /// The epochs that it was learnt in.
    sources: Vec<String>,
    /// Whether it stems from people alone, not from fetched text or the house's own.
    trusted: bool,
}

/// A dream in the list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DreamView {
    filename: String,
    created_at: String,
    title: String,
}

/// The identity in force.
#[utoipa::path(get, path = "/identity", tag = "memory", params(("citizen" = Option<String>, Query)),
    responses((status = 200, body = IdentityView), (status = 404)))]
pub(crate) async fn identity(
    State(front): State<Front>,
    params: Params,
) -> Result<Json<IdentityView>, ApiError> {
    let citizen = front.citizen(params.get("citizen"))?;
    Ok(Json(current(&front, &citizen)?))
}

fn current(front: &Front, citizen: &AgentId) -> Result<IdentityView, ApiError> {
    let house = front.keeper()?.house();
    let state = house.agents.get(citizen);
    let version = state.and_then(|state| state.identity.current());
    let version = version.ok_or_else(|| ApiError::not_found("identity of", citizen.as_str()))?;
    Ok(IdentityView {
        content: version.content.to_string(),
        version: version.version,
        updated_at: version.updated_at.to_string(),
        source: version.source,
    })
}

/// Writes a new version. An accident (empty, cut, without a heading) is refused unless forced; all versions are kept.
#[utoipa::path(post, path = "/identity", tag = "memory", request_body = IdentityBody,
    params(("citizen" = Option<String>, Query)), responses((status = 200, body = IdentityView), (status = 422)))]
pub(crate) async fn set_identity(
    State(front): State<Front>,
    params: Params,
    body: Body,
) -> Result<Json<IdentityView>, ApiError> {
    if body.0.is_empty() {
        return Err(ApiError::malformed("the body is empty; send {\"content\": …}"));
    }
    let IdentityBody { content, force, citizen } = body.parse()?;
    let citizen = front.citizen(citizen.as_deref().or_else(|| params.get("citizen")))?;
    front.keeper()?.set_identity(&citizen, content, force, person()).await?;
    Ok(Json(current(&front, &citizen)?))
}

/// Facts in force, the newest first; with `?q=` those that match.
#[utoipa::path(get, path = "/knowledge", tag = "memory",
    params(("citizen" = Option<String>, Query), ("q" = Option<String>, Query), ("limit" = Option<u64>, Query),
        ("cursor" = Option<String>, Query)),
    responses((status = 200, body = List<FactView>)))]
pub(crate) async fn knowledge(
    State(front): State<Front>,
    params: Params,
) -> Result<Json<List<FactView>>, ApiError> {
    let citizen = front.citizen(params.get("citizen"))?;
    let (limit, before) = (params.limit()?, params.cursor()?);
    let facts = facts(&front, &citizen)?;
    let words = params.get("q").map(str::to_owned);
    let page =
        tokio::task::spawn_blocking(move || facts.list(before, limit, words.as_deref())).await;
    let page = page
        .map_err(|error| ApiError::internal(&error))?
        .map_err(|error| ApiError::internal(&error))?;
    let items = page.items.into_iter().map(FactView::from).collect();
    Ok(Json(List { items, next: page.next.map(|next| next.to_string()) }))
}

fn facts(front: &Front, citizen: &AgentId) -> Result<abide_memory::KnowledgeHandle, ApiError> {
    let agent = front.keeper()?.agent(citizen.as_str());
    agent
        .map(|agent| agent.facts.clone())
        .ok_or_else(|| ApiError::not_found("agent", citizen.as_str()))
}

impl From<Fact> for FactView {
    fn from(fact: Fact) -> Self {
        Self {
            fact_id: fact.fact_id.to_string(),
            content: fact.content,
            category: fact.category,
            tags: fact.tags,
            confidence: fact.confidence,
            valid_from: fact.valid_from.to_string(),
            valid_to: fact.valid_to.map(|at| at.to_string()),
            sources: fact.sources.iter().map(ToString::to_string).collect(),
            trusted: fact.trusted,
        }
    }
}

/// Takes a fact back. Its line stays in the ledger.
#[utoipa::path(delete, path = "/knowledge/{fact_id}", tag = "memory",
    params(("fact_id" = String, Path), ("citizen" = Option<String>, Query)), responses((status = 204), (status = 404)))]
pub(crate) async fn forget(
    State(front): State<Front>,
    Path(fact_id): Path<String>,
    params: Params,
) -> Result<StatusCode, ApiError> {
    let citizen = front.citizen(params.get("citizen"))?;
    let unknown = || ApiError::not_found("fact", &fact_id);
    let id: FactId = fact_id.parse().map_err(|_| unknown())?;
    let known = facts(&front, &citizen)?.get(id).map_err(|error| ApiError::internal(&error))?;
    let is_in_force = known.is_some_and(|fact| fact.valid_to.is_none());
    if !is_in_force {
        return Err(unknown());
    }
    front.keeper()?.forget_fact(&citizen, id, None, person()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Dreams, the newest first: none, until agents sleep.
#[utoipa::path(get, path = "/dreams", tag = "memory", params(("citizen" = Option<String>, Query)),
    responses((status = 200, body = List<DreamView>)))]
pub(crate) async fn dreams(
    State(front): State<Front>,
    params: Params,
) -> Result<Json<List<DreamView>>, ApiError> {
    front.citizen(params.get("citizen"))?;
    Ok(Json(List::whole(Vec::new())))
}

/// One dream, by its name in the list.
#[utoipa::path(get, path = "/dreams/{filename}", tag = "memory", params(("filename" = String, Path)),
    responses((status = 404)))]
pub(crate) async fn dream(State(front): State<Front>, Path(filename): Path<String>) -> ApiError {
    // A name is matched against the list, never against the disk.
    front.keeper().map_or_else(|loading| loading, |_| ApiError::not_found("dream", &filename))
}

/// Takes a dream out of the list.
#[utoipa::path(delete, path = "/dreams/{filename}", tag = "memory", params(("filename" = String, Path)),
    responses((status = 404)))]
pub(crate) async fn delete_dream(front: State<Front>, filename: Path<String>) -> ApiError {
    dream(front, filename).await
}
