//! `/tools`: what an agent can call, what the policy says about each and who says so, what a person sets of it, and a call on trial.

use std::collections::BTreeMap;

use abide_domain::{
    AgentId,
    event::PolicySetting,
    tool::{EffectClass, ToolSpec},
    visible_line,
};
use abide_engine::{
    AgentSetup, Keeper,
    keeper::{StillDenied, ToolPolicyOrder, ToolPolicyOrderError, TriedTool, TryToolError},
    state::ToolSetting,
};
use abide_tools::{FOREIGN_PREFIX, Permission, ToolPolicy, UnknownToolError, judge_call};
use axum::{
    Json,
    extract::{Path, State},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    app_state::AppState,
    error::ApiError,
    input::{Body, Params},
    list::List,
};
use crate::auth::Caller;

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
    /// `allow`, `ask` or `deny`, by the lists, by what people set and by the tool itself; what a call would do may make it stricter or
    /// looser.
    policy: &'static str,
    /// `person` where a setting of a person's is in force, else `file`: what abide.toml says.
    policy_source: &'static str,
    /// That setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy_set: Option<ToolSettingView>,
    /// `allow`, `ask` or `deny`, by the lists of abide.toml alone: what holds where nothing is set.
    file_policy: &'static str,
    /// Whether a list of abide.toml denies it, so that nothing that is set changes that.
    is_locked: bool,
    /// `builtin`, `agent` for one that the agent made, or `mcp:` and the name of the server that has it.
    source: String,
    /// Whether the agent may use it, perhaps after a person's yes.
    available: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not: Option<String>,
}

/// What a person set for a tool.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ToolSettingView {
    /// `allow`, `ask` or `deny`.
    policy: &'static str,
    /// The agent that it was set for; null: all that have none of their own.
    agent: Option<String>,
    /// Who set it.
    by: String,
    /// When.
    at: String,
}

/// What is to be set for a tool.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolPolicyBody {
    /// `allow`, `ask` or `deny`; null: what held before anything was set.
    // A body without it would take a setting back by mistake.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required, value_type = Option<String>)]
    policy: Option<PolicySetting>,
    /// The agent that it is for; null or absent: all that have no setting of their own.
    agent: Option<String>,
}

/// What holds of a tool now, and what held before.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolPolicyView {
    /// The tool.
    tool: String,
    /// The agent that it was set for; null: all that have no setting of their own.
    agent: Option<String>,
    /// What is set now; null: nothing.
    policy: Option<&'static str>,
    /// What was set before, which undoes this; null: nothing.
    before: Option<&'static str>,
    /// The agents for which it does not run although it was set for all: their own lists in abide.toml deny it.
    still_denied: Vec<StillDeniedView>,
}

/// An agent for which a tool does not run although it was set for all.
#[derive(Debug, Serialize, ToSchema)]
struct StillDeniedView {
    /// The agent.
    citizen: String,
    /// The entry of the list that denies it.
    reason: String,
}

impl From<StillDenied> for StillDeniedView {
    fn from(StillDenied { agent, reason }: StillDenied) -> Self {
        Self { citizen: agent.to_string(), reason }
    }
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
    Ok(Json(List::page(views(keeper, &agent), params.cursor()?, params.limit()?)))
}

/// All tools of an agent.
fn views(keeper: &Keeper, agent: &AgentSetup) -> Vec<AgentToolView> {
    let settings: BTreeMap<String, ToolSettingView> = {
        let state = keeper.state();
        let settings = state.tool_settings_of(&agent.id).into_iter();
        settings.map(|(tool, set)| (tool.to_owned(), set.into())).collect()
    };
    let (registry, policy, nothing) = (agent.tools.current(), keeper.policy_of(agent), json!({}));
    let made = agent.tools.made_names();
    let by_file = agent.policy.with_made(made.clone());
    let view = |spec: &ToolSpec| {
        let tool = registry.get(&spec.name).ok()?;
        let permission = judge_call(&policy, &**tool, &agent.id, &nothing, &|_| false);
        let set = settings.get(&spec.name).cloned();
        let source =
            if made.contains(&spec.name) { OWN_SOURCE.into() } else { source_of(&spec.name) };
        Some(view(spec, (&by_file, source), (permission, set)))
    };
    registry.specs().filter_map(view).collect()
}

fn view(
    spec: &ToolSpec,
    (by_file, source): (&ToolPolicy, String),
    (permission, policy_set): (Permission, Option<ToolSettingView>),
) -> AgentToolView {
    let (policy, why_not) = words(permission);
    let ToolSpec { name, description, parameters, effect, .. } = spec.clone();
    let is_locked = by_file.denied_by_list(&name).is_some();
    let is_set = policy_set.is_some() && !is_locked;
    AgentToolView {
        policy_source: if is_set { "person" } else { "file" },
        policy_set,
        file_policy: words(by_file.decide(&name)).0,
        is_locked,
        namespace: name.rsplit_once('.').map_or(&*name, |(space, _)| space).to_owned(),
        description,
        effect,
        schema: parameters,
        policy,
        source,
        available: why_not.is_none(),
        why_not,
        name,
    }
}

impl From<&ToolSetting> for ToolSettingView {
    fn from(setting: &ToolSetting) -> Self {
        Self {
            policy: setting.policy.as_str(),
            agent: setting.agent.as_ref().map(AgentId::to_string),
            by: setting.by.to_string(),
            at: setting.at.to_string(),
        }
    }
}

/// Where a tool comes from that the agent made.
const OWN_SOURCE: &str = "agent";

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

/// Sets what agents may do with a tool, from the next call on. What abide.toml denies stays denied: that is refused.
#[utoipa::path(put, path = "/tools/{name}/policy", tag = "tools", request_body = ToolPolicyBody, params(("name" = String, Path)),
    responses((status = 200, body = ToolPolicyView), (status = 404), (status = 409), (status = 422), (status = 503)))]
pub(crate) async fn set_policy(
    State(app): State<AppState>,
    caller: Caller,
    Path(tool): Path<String>,
    body: Body,
) -> Result<Json<ToolPolicyView>, ApiError> {
    let keeper = app.keeper()?;
    let ToolPolicyBody { policy, agent } = body.parse()?;
    // Whether it runs is for the keeper to say: what was set for one that is gone can be taken back.
    let agent = agent.map(|id| id.parse().map_err(|_| ApiError::not_found("agent", &id)));
    let agent: Option<AgentId> = agent.transpose()?;
    let order = ToolPolicyOrder { tool: tool.clone(), agent: agent.clone(), policy };
    let set = keeper.set_tool_policy(order, caller.author()).await.map_err(not_set)?;
    let (agent, word) = (agent.map(|agent| agent.to_string()), PolicySetting::as_str);
    let (policy, before) = (policy.map(word), set.before.map(word));
    let still_denied = set.still_denied.into_iter().map(StillDeniedView::from).collect();
    Ok(Json(ToolPolicyView { tool, agent, policy, before, still_denied }))
}

fn not_set(error: ToolPolicyOrderError) -> ApiError {
    let message = error.to_string();
    match error {
        ToolPolicyOrderError::Order(error) => error.into(),
        ToolPolicyOrderError::Unknown(error) => unknown_tool(&error),
        ToolPolicyOrderError::Denied { .. } => ApiError::conflict("denied_by_file", message),
        ToolPolicyOrderError::TooMany => ApiError::conflict("too_many_settings", message),
    }
}

fn unknown_tool(UnknownToolError { name, nearest, .. }: &UnknownToolError) -> ApiError {
    let near = nearest.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let near = if near.is_empty() { near } else { format!("; the nearest are {near}") };
    ApiError::missing(format!("there is no tool `{}`{near}", visible_line(name)))
}

fn refused(error: TryToolError) -> ApiError {
    match error {
        TryToolError::Agent(error) => error.into(),
        TryToolError::Unknown(error) => unknown_tool(&error),
        TryToolError::Arguments(error) => ApiError::invalid(error.to_string()),
    }
}
