//! `/tools`: what an agent can call, what the policy says about each, and a call on trial.

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_engine::keeper::{TriedTool, TryToolError};
use abide_tools::{FOREIGN_PREFIX, Permission, judge_call};
use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    app_state::AppState,
    error::ApiError,
    input::{Body, Params},
    list::List,
};

/// A tool as an agent has it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct AgentToolView {
    /// Its name.
    name: String,
    /// What stands before the last dot of it; all of it where there is none.
    namespace: String,
    /// What it does, in the words that the mind is told.
    description: String,
    /// `read`, `state` or `world`.
    #[schema(value_type = String)]
    effect: EffectClass,
    /// JSON schema of its arguments.
    schema: Value,
    /// `allow`, `ask` or `deny`, by the lists and by the tool itself; what a call would do may make it stricter or looser.
    policy: &'static str,
    /// `builtin`, or `mcp:` and the name of the server that has it.
    source: String,
    /// Whether the agent may use it, perhaps after a person's yes.
    available: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not: Option<String>,
}

/// A call to try.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrialBody {
    /// The agent that would make it [default: the only one].
    citizen: Option<String>,
    /// The tool.
    tool: String,
    /// Its arguments, an object.
    #[serde(default)]
    arguments: Value,
}

/// What came of a trial.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TrialView {
    /// The tool.
    tool: String,
    /// `allow`, `ask` or `deny`.
    permission: &'static str,
    /// Why it is denied.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What it would change.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<String>,
    /// Whether it ran: a tool that changes something does not.
    ran: bool,
    /// Its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The tools that there are, in the order of their names, with what holds of every call of each.
#[utoipa::path(get, path = "/tools", tag = "tools", params(("citizen" = Option<String>, Query), ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)), responses((status = 200, body = List<AgentToolView>)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<AgentToolView>>, ApiError> {
    let keeper = app.keeper()?;
    let citizen = app.citizen(params.get("citizen"))?;
    let agent = keeper.agent(citizen.as_str());
    let agent = agent.ok_or_else(|| ApiError::not_found("agent", citizen.as_str()))?;
    let (registry, nothing) = (agent.tools.current(), json!({}));
    let view = |spec: &ToolSpec| {
        let tool = registry.get(&spec.name).ok()?;
        let policy = judge_call(&agent.policy, &**tool, &agent.id, &nothing, &|_| false);
        Some(view(spec, policy))
    };
    let tools = registry.specs().filter_map(view).collect();
    Ok(Json(List::page(tools, params.cursor()?, params.limit()?)))
}

fn view(spec: &ToolSpec, permission: Permission) -> AgentToolView {
    let (policy, why_not) = words(permission);
    let ToolSpec { name, description, parameters, effect, .. } = spec.clone();
    AgentToolView {
        namespace: name.rsplit_once('.').map_or(&*name, |(space, _)| space).to_owned(),
        description,
        effect,
        schema: parameters,
        policy,
        source: source_of(&name),
        available: why_not.is_none(),
        why_not,
        name,
    }
}

fn source_of(name: &str) -> String {
    let server = name.strip_prefix(FOREIGN_PREFIX).and_then(|rest| rest.split('.').next());
    server.map_or_else(|| "builtin".to_owned(), |server| format!("mcp:{server}"))
}

fn words(permission: Permission) -> (&'static str, Option<String>) {
    match permission {
        Permission::Allow => ("allow", None),
        Permission::Ask => ("ask", None),
        Permission::Deny { reason } => ("deny", Some(reason)),
    }
}

/// Tries a call as the agent would make it, outside of any epoch. One that changes something is judged and not run.
#[utoipa::path(post, path = "/tools/trial", tag = "tools", request_body = TrialBody, responses((status = 200, body = TrialView), (status = 404), (status = 422)))]
pub(crate) async fn trial(
    State(app): State<AppState>,
    body: Body,
) -> Result<Json<TrialView>, ApiError> {
    let keeper = app.keeper()?;
    let TrialBody { citizen, tool, arguments } = body.parse()?;
    let citizen = app.citizen(citizen.as_deref())?;
    let arguments =
        if arguments.is_null() { Value::Object(serde_json::Map::new()) } else { arguments };
    let tried = keeper.try_tool(&citizen, &tool, &arguments).await.map_err(refused)?;
    let TriedTool { permission, preview, result } = tried;
    let (permission, reason) = words(permission);
    let ran = result.is_some();
    let (result, error) = match result {
        Some(Ok(result)) => (Some(result), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    Ok(Json(TrialView { tool, permission, reason, preview, ran, result, error }))
}

fn refused(error: TryToolError) -> ApiError {
    match error {
        TryToolError::Agent(error) => error.into(),
        TryToolError::Unknown(error) => ApiError::not_found("tool", &error.name),
        TryToolError::Arguments(error) => ApiError::invalid(error.to_string()),
    }
}
