//! `/identity`: who an agent is, its versions, and what waits to be one.

use abide_domain::{
    AgentId, ProposalId,
    event::{Decision, IdentitySource},
};
use abide_memory::{IdentityProposal, IdentityVersionRef, identity_diff};
use axum::{
    Json,
    extract::{Path, State},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    api::{
        app_state::AppState,
        error::ApiError,
        input::{Body, Params, bounded_reason},
        list::List,
    },
    auth::Caller,
};

/// Who an agent is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IdentityView {
    /// Markdown, first person.
    content: String,
    /// From 1; all earlier ones are kept.
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

/// A version in the list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VersionView {
    version: u64,
    updated_at: String,
    /// `profile`, `person`, `file` or `sleep`.
    #[schema(value_type = String)]
    source: IdentitySource,
    /// Who caused it.
    author: String,
    /// Where it stands in the ledger.
    seq: u64,
    /// Whether it is the one in force.
    current: bool,
}

/// What two versions differ in.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DiffView {
    from: u64,
    to: u64,
    /// Line by line: `-` before what went, `+` before what came. Empty where nothing differs.
    diff: String,
}

/// Which version is to come back.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestoreBody {
    /// Its number.
    version: u64,
    /// Default: the only agent.
    citizen: Option<String>,
}

/// A version that waits for a person.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProposalView {
    proposal_id: String,
    content: String,
    /// The version that it was made from.
    based_on: u64,
    /// The share that would change, 0 to 1.
    change: f64,
    /// The sleep that made it; `null` where it was found in `identity.md`.
    sleep_id: Option<String>,
    proposed_at: String,
    /// What it would change.
    diff: String,
}

/// A decision on it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewBody {
    /// `approve` or `deny`.
    #[schema(value_type = String)]
    decision: Decision,
    /// Why.
    reason: Option<String>,
    /// Default: the only agent.
    citizen: Option<String>,
}

/// A decision that is durable.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReviewedView {
    proposal_id: String,
    /// `approve` or `deny`.
    #[schema(value_type = String)]
    decision: Decision,
    /// The version that is in force with it, where it was approved.
    version: Option<u64>,
}

/// The identity in force, or an earlier version of it.
#[utoipa::path(get, path = "/identity", tag = "memory",
    params(("citizen" = Option<String>, Query), ("version" = Option<u64>, Query)),
    responses((status = 200, body = IdentityView), (status = 404)))]
pub(crate) async fn show(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<IdentityView>, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    match params.number("version")? {
        None => Ok(Json(current(&app, &citizen)?)),
        Some(version) => Ok(Json(earlier(&app, &citizen, version).await?)),
    }
}

fn current(app: &AppState, citizen: &AgentId) -> Result<IdentityView, ApiError> {
    let state = app.keeper()?.state();
    let agent = state.agents.get(citizen);
    let version = agent.and_then(|agent| agent.identity.current());
    let version = version.ok_or_else(|| ApiError::not_found("identity of", citizen.as_str()))?;
    Ok(IdentityView {
        content: version.content.to_string(),
        version: version.version,
        updated_at: version.updated_at.to_string(),
        source: version.source,
    })
}

async fn earlier(
    app: &AppState,
    citizen: &AgentId,
    version: u64,
) -> Result<IdentityView, ApiError> {
    let keeper = app.keeper()?;
    let content = keeper.identity_text(citizen, version).await?;
    let state = keeper.state();
    let known = state.agents.get(citizen).and_then(|agent| agent.identity.version(version));
    let known = known.ok_or_else(|| ApiError::not_found("version", &version.to_string()))?;
    Ok(IdentityView {
        content,
        version,
        updated_at: known.updated_at.to_string(),
        source: known.source,
    })
}

/// Writes a new version. An accident (empty, cut, without a heading) is refused unless forced; all versions are kept.
#[utoipa::path(post, path = "/identity", tag = "memory", request_body = IdentityBody,
    params(("citizen" = Option<String>, Query)), responses((status = 200, body = IdentityView), (status = 422)))]
pub(crate) async fn set(
    State(app): State<AppState>,
    caller: Caller,
    params: Params,
    body: Body,
) -> Result<Json<IdentityView>, ApiError> {
    if body.0.is_empty() {
        return Err(ApiError::malformed("the body is empty; send {\"content\": …}"));
    }
    let IdentityBody { content, force, citizen } = body.parse()?;
    let citizen = app.citizen(citizen.as_deref().or_else(|| params.get("citizen")))?;
    app.keeper()?.set_identity(&citizen, content, force, caller.author()).await?;
    Ok(Json(current(&app, &citizen)?))
}

/// All versions, the newest first.
#[utoipa::path(get, path = "/identity/versions", tag = "memory",
    params(("citizen" = Option<String>, Query), ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = List<VersionView>)))]
pub(crate) async fn versions(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<VersionView>>, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let state = app.keeper()?.state();
    let identity = state.agents.get(&citizen).map(|agent| &agent.identity);
    let all = identity.map_or(&[][..], |identity| identity.versions());
    let current = identity.and_then(|identity| identity.current()).map(|current| current.seq);
    let views = all.iter().rev().map(|known| version_view(known, current)).collect();
    Ok(Json(List::page(views, params.cursor()?, params.limit()?)))
}

fn version_view(known: &IdentityVersionRef, current: Option<u64>) -> VersionView {
    VersionView {
        version: known.version,
        updated_at: known.updated_at.to_string(),
        source: known.source,
        author: known.author.to_string(),
        seq: known.seq,
        current: current == Some(known.seq),
    }
}

/// What two versions differ in; without `to`, up to the one in force.
#[utoipa::path(get, path = "/identity/diff", tag = "memory",
    params(("citizen" = Option<String>, Query), ("from" = u64, Query), ("to" = Option<u64>, Query)),
    responses((status = 200, body = DiffView), (status = 404)))]
pub(crate) async fn diff(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<DiffView>, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let from = params
        .number("from")?
        .ok_or_else(|| ApiError::malformed("from is missing: name the version to compare with"))?;
    let to = match params.number("to")? {
        Some(to) => to,
        None => current(&app, &citizen)?.version,
    };
    let keeper = app.keeper()?;
    let older = keeper.identity_text(&citizen, from).await?;
    let newer = keeper.identity_text(&citizen, to).await?;
    let is_same = older == newer;
    let diff = if is_same { String::new() } else { identity_diff(&older, &newer) };
    Ok(Json(DiffView { from, to, diff }))
}

/// Brings an earlier version back, as a new version.
#[utoipa::path(post, path = "/identity/restore", tag = "memory", request_body = RestoreBody,
    responses((status = 200, body = IdentityView), (status = 404)))]
pub(crate) async fn restore(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<IdentityView>, ApiError> {
    let RestoreBody { version, citizen } = body.parse()?;
    let citizen = app.citizen(citizen.as_deref())?;
    app.keeper()?.restore_identity(&citizen, version, caller.author()).await?;
    Ok(Json(current(&app, &citizen)?))
}

/// The version that waits for a person, if one does.
#[utoipa::path(get, path = "/identity/proposals", tag = "memory", params(("citizen" = Option<String>, Query)),
    responses((status = 200, body = List<ProposalView>)))]
pub(crate) async fn proposals(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<ProposalView>>, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let state = app.keeper()?.state();
    let identity = state.agents.get(&citizen).map(|agent| &agent.identity);
    let old = identity.and_then(|identity| identity.current());
    let old = old.map_or_else(String::new, |current| current.content.to_string());
    let waits = identity.and_then(|identity| identity.proposal());
    Ok(Json(List::whole(waits.map(|proposal| proposal_view(proposal, &old)).into_iter().collect())))
}

fn proposal_view(proposal: &IdentityProposal, old: &str) -> ProposalView {
    ProposalView {
        proposal_id: proposal.proposal_id.to_string(),
        content: proposal.content.to_string(),
        based_on: proposal.based_on,
        change: proposal.change,
        sleep_id: proposal.sleep_id.map(|id| id.to_string()),
        proposed_at: proposal.proposed_at.to_string(),
        diff: identity_diff(old, &proposal.content),
    }
}

/// Decides on the version that waits. An approved one is in force when this answers.
#[utoipa::path(post, path = "/identity/proposals/{id}", tag = "memory", request_body = ReviewBody,
    params(("id" = String, Path)), responses((status = 200, body = ReviewedView), (status = 404)))]
pub(crate) async fn review(
    State(app): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    body: Body,
) -> Result<Json<ReviewedView>, ApiError> {
    let proposal: ProposalId = id.parse().map_err(|_| ApiError::not_found("proposal", &id))?;
    let ReviewBody { decision, reason, citizen } = body.parse()?;
    let citizen = app.citizen(citizen.as_deref())?;
    let decided = (decision, bounded_reason(reason)?);
    let version =
        app.keeper()?.decide_identity(&citizen, proposal, decided, caller.author()).await?;
    Ok(Json(ReviewedView { proposal_id: proposal.to_string(), decision, version }))
}
