//! `/approvals`: calls that wait for a person.

use abide_domain::{ApprovalId, event::Decision, tool::EffectClass};
use abide_engine::{Keeper, state::EpochRecord};
use axum::{
    Json,
    extract::{Path, State},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    app_state::AppState,
    error::ApiError,
    input::{Body, Params, bounded_reason},
    list::List,
};
use crate::auth::Caller;

/// A call that waits.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ApprovalView {
    /// Its id.
    id: String,
    /// The epoch that waits.
    epoch_id: String,
    /// The agent that wants to call.
    citizen: String,
    /// The tool.
    tool: String,
    /// What the tool does, in the words that the mind is told; absent where nobody here knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    /// What it is to be called with.
    arguments: Value,
    /// What it would change, such as a diff; absent where the arguments say it all.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<String>,
    /// `read`, `state` or `world`.
    #[schema(value_type = String)]
    effect: EffectClass,
    /// When it counts as denied.
    deadline: String,
}

/// A decision.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecisionBody {
    /// `approve` or `deny`.
    #[schema(value_type = String)]
    decision: Decision,
    /// Why; the agent is shown it.
    reason: Option<String>,
}

/// A decision that is durable.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DecidedView {
    /// The approval.
    id: String,
    /// `approve` or `deny`.
    #[schema(value_type = String)]
    decision: Decision,
}

/// The calls that wait. For a minute after this request by somebody who may decide, a person counts as present to do so.
#[utoipa::path(get, path = "/approvals", tag = "approvals", params(("citizen" = Option<String>, Query), ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)), responses((status = 200, body = List<ApprovalView>)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Caller,
    params: Params,
) -> Result<Json<List<ApprovalView>>, ApiError> {
    let keeper = app.keeper()?;
    if caller.scopes().approves() {
        keeper.attached().note_contact(app.now());
    }
    let citizen = params.get("citizen").map(|name| app.citizen(Some(name))).transpose()?;
    let mut waiting: Vec<_> = {
        let state = keeper.state();
        let wanted = state
            .running
            .values()
            .filter(|r| citizen.as_ref().is_none_or(|citizen| r.agent == *citizen));
        wanted.filter_map(|record| view(keeper, record)).collect()
    }; // Ids are UUIDv7: the oldest first.
    waiting.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(Json(List::page(waiting, params.cursor()?, params.limit()?)))
}

/// How many calls wait.
pub(crate) fn count_waiting(keeper: &Keeper) -> usize {
    keeper.state().running.values().filter(|record| record.pending_approval().is_some()).count()
}

fn view(keeper: &Keeper, record: &EpochRecord) -> Option<ApprovalView> {
    let pending = record.pending_approval()?;
    let requested = &pending.requested;
    let (tool, arguments) = record.call_of(pending)?;
    let agent = keeper.agent(record.agent.as_str())?; // A tool that is not in the registry counts as the most dangerous class.
    let tools = agent.tools.current();
    let spec = tools.specs().find(|spec| spec.name == tool && requested.own.is_none());
    Some(ApprovalView {
        id: requested.approval_id.to_string(),
        epoch_id: record.id.to_string(),
        citizen: record.agent.to_string(),
        tool: tool.to_owned(),
        about: spec.map(|spec| spec.description.clone()),
        arguments: arguments.clone(),
        preview: requested.preview.clone(),
        effect: spec.map_or(EffectClass::World, |spec| spec.effect),
        deadline: requested.deadline.to_string(),
    })
}

/// Decides. Answers when the decision is durable; one that was decided already stays as it is.
#[utoipa::path(post, path = "/approvals/{id}", tag = "approvals", request_body = DecisionBody, params(("id" = String, Path)), responses((status = 200, body = DecidedView), (status = 404), (status = 409)))]
pub(crate) async fn decide(
    State(app): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    body: Body,
) -> Result<Json<DecidedView>, ApiError> {
    let keeper = app.keeper()?;
    keeper.attached().note_contact(app.now());
    let approval: ApprovalId = id.parse().map_err(|_| ApiError::not_found("approval", &id))?;
    let DecisionBody { decision, reason } = body.parse()?;
    keeper.decide(approval, decision, bounded_reason(reason)?, caller.author()).await?;
    Ok(Json(DecidedView { id: approval.to_string(), decision }))
}
