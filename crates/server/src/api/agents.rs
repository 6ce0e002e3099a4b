//! `/agents`: the agents and what they do.

use abide_domain::{
    AgentId,
    event::{AgentPaused, PauseReason},
    format_age,
};
use abide_engine::{
    Keeper,
    state::{self, AgentState, Tally},
};
use abide_supervisor::{ProcessState, RestoreSummary, Supervisor};
use axum::{
    Json,
    extract::{Path, State},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    app_state::AppState,
    error::ApiError,
    input::{Body, Params},
    list::List,
    process::{self, ProcessView},
};
use crate::auth::Caller;

/// An agent.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct AgentView {
    /// Its id.
    id: String,
    /// Display name.
    name: String,
    /// What it is for.
    role: String,
    /// What thinks for it.
    mind: String,
    /// `idle`, `busy`, `waiting_approval`, `asleep`, `paused` or `parked`; where it has a process also `starting`, `unresponsive`,
    /// `hibernated` or `over_disk_limit`.
    state: &'static str,
    /// Why it is paused or parked.
    paused: Option<String>,
    /// Its process; null where its mind runs in the keeper.
    process: Option<ProcessView>,
    /// The epoch that it works on.
    epoch_id: Option<String>,
    /// Stimuli that wait.
    queue: usize,
    /// When its newest evidence was recorded.
    last_evidence_at: Option<String>,
    /// Since midnight UTC.
    usage_today: UsageToday,
    /// The agents and people it works with.
    partners: Vec<PartnerView>,
}

/// Tokens and money of a day.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub(crate) struct UsageToday {
    input_tokens: u64,
    output_tokens: u64,
    /// The part of the cost that is known.
    cost_microusd: u64,
    /// Attempts whose price is unknown.
    unpriced: u64,
}

/// An agent or a person that an agent works with.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct PartnerView {
    id: String,
    name: String,
    role: String,
}

/// What an agent does, in a word.
pub(crate) fn state_of(app: &AppState, state: &state::State, id: &AgentId) -> &'static str {
    let agent = state.agents.get(id);
    if let Some(record) = state.open_epoch(id) {
        return match process::process_state(app, id, true) {
            _ if record.pending_approval().is_some() => "waiting_approval",
            Some(hindrance) => hindrance,
            None => "busy",
        };
    }
    match agent.and_then(|agent| agent.paused.as_ref()) {
        Some(paused) if paused.reason == PauseReason::Person => "parked",
        Some(_) => "paused",
        None if agent.is_some_and(|agent| agent.sleep.running().is_some()) => "asleep",
        None if agent.is_some_and(|agent| !agent.queue.is_empty()) => "busy",
        None => process::process_state(app, id, false).unwrap_or("idle"),
    }
}

/// An agent in a line, for people on a channel: `felix: busy, 2 waiting, last moved 5 min ago`.
pub(crate) fn agent_summary(app: &AppState, state: &state::State, id: &AgentId) -> String {
    let agent = state.agents.get(id);
    let queue = agent.map_or(0, |agent| agent.queue.len());
    let waiting = if queue > 0 { format!(", {queue} waiting") } else { String::new() };
    let moved = agent.and_then(|agent| agent.last_evidence_at);
    let moved = moved.and_then(|at| format_age(app.now(), at));
    let moved = moved.map(|age| format!(", last moved {age}")).unwrap_or_default();
    format!("{id}: {}{waiting}{moved}", state_words(state_of(app, state, id)))
}

/// A state in words for people.
fn state_words(state: &str) -> String {
    match state {
        "waiting_approval" => "waiting for an approval".to_owned(),
        state => state.replace('_', " "),
    }
}

/// What an agent used on the day of `now`.
pub(crate) fn usage_today(app: &AppState, agent: Option<&AgentState>) -> UsageToday {
    let today = agent.map(|agent| agent.today).filter(|today| today.day == app.now().day());
    let Some(Tally { input_tokens, output_tokens, cost_microusd, unpriced }) =
        today.map(|today| today.tally)
    else {
        return UsageToday::default();
    };
    UsageToday { input_tokens, output_tokens, cost_microusd, unpriced }
}

fn view(app: &AppState, keeper: &Keeper, id: &AgentId) -> Result<AgentView, ApiError> {
    let agent =
        keeper.agent(id.as_str()).ok_or_else(|| ApiError::not_found("agent", id.as_str()))?;
    let partner = |partner: &abide_domain::event::Partner| PartnerView {
        id: partner.id.clone(),
        name: partner.name.clone(),
        role: partner.role.clone(),
    };
    let partners = agent.partners.iter().map(partner).collect();
    let (name, role, mind) = (agent.name.clone(), agent.role.clone(), agent.mind.name());
    let state = keeper.state();
    let agent = state.agents.get(id);
    Ok(AgentView {
        id: id.to_string(),
        name,
        role,
        mind,
        state: state_of(app, &state, id),
        paused: agent.and_then(|agent| agent.paused.as_ref()).map(|paused| paused.message.clone()),
        process: process::view(app, id, agent),
        epoch_id: agent.and_then(|agent| agent.open).map(|epoch| epoch.to_string()),
        queue: agent.map_or(0, |agent| agent.queue.len()),
        last_evidence_at: agent.and_then(|agent| agent.last_evidence_at).map(|at| at.to_string()),
        usage_today: usage_today(app, agent),
        partners,
    })
}

/// All agents.
#[utoipa::path(get, path = "/agents", tag = "agents", params(("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)), responses((status = 200, body = List<AgentView>)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<AgentView>>, ApiError> {
    let keeper = app.keeper()?;
    let ids: Vec<AgentId> = keeper.agents().iter().map(|agent| agent.id.clone()).collect();
    let List { items, next } = List::page(ids, params.cursor()?, params.limit()?);
    let items = items.iter().map(|id| view(&app, keeper, id)).collect::<Result<_, _>>()?;
    Ok(Json(List { items, next }))
}

/// One agent.
#[utoipa::path(get, path = "/agents/{id}", tag = "agents", params(("id" = String, Path)), responses((status = 200, body = AgentView), (status = 404)))]
pub(crate) async fn show(
    State(app): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<AgentView>, ApiError> {
    let id = app.citizen(Some(&id))?;
    Ok(Json(view(&app, app.keeper()?, &id)?))
}

/// An agent after something was done with it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct SteeredAgentView {
    #[serde(flatten)]
    agent: AgentView,
    /// Where a checkpoint was restored: what is in force now.
    #[serde(skip_serializing_if = "Option::is_none")]
    restored: Option<RestoredView>,
}

/// A checkpoint that was restored by hand.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct RestoredView {
    /// The checkpoint that is in force.
    checkpoint_id: String,
    /// The last entry of the log that it holds.
    wal_sequence: u64,
    /// What does not count any more and where it is, one sentence each.
    set_aside: Vec<String>,
}

impl From<RestoreSummary> for RestoredView {
    fn from(restored: RestoreSummary) -> Self {
        let RestoreSummary { checkpoint, report } = restored;
        let (checkpoint_id, wal_sequence) = (checkpoint.id.to_string(), checkpoint.wal_sequence);
        Self { checkpoint_id, wal_sequence, set_aside: report }
    }
}

/// A checkpoint to go back to.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckpointBody {
    checkpoint_id: String,
}

/// Steers an agent: `park` stops it from opening epochs (stimuli queue) and ends its process, `resume` lets it go on;
/// `restart` and `checkpoint` are for agents with a process of their own, as is `restore` with its `checkpoint_id`.
#[utoipa::path(post, path = "/agents/{id}/{action}", tag = "agents", params(("id" = String, Path), ("action" = String, Path)), request_body(content = Option<CheckpointBody>), responses((status = 200, body = SteeredAgentView), (status = 404), (status = 409)))]
pub(crate) async fn steer(
    State(app): State<AppState>,
    caller: Caller,
    Path((id, action)): Path<(String, String)>,
    body: Body,
) -> Result<Json<SteeredAgentView>, ApiError> {
    let id = app.citizen(Some(&id))?;
    let keeper = app.keeper()?;
    let mut restored = None;
    match action.as_str() {
        "park" => park((&app, keeper), &id, &caller).await?,
        "resume" => resume((&app, keeper), &id, &caller).await?,
        "restart" => process_of(&app, &id, &action)?.restart(&id).await?,
        "checkpoint" => drop(process_of(&app, &id, &action)?.checkpoint(&id).await?),
        "restore" => {
            let CheckpointBody { checkpoint_id } = body.parse()?;
            let checkpoint = checkpoint_id
                .parse()
                .map_err(|_| ApiError::not_found("checkpoint", &checkpoint_id))?;
            let summary = process_of(&app, &id, &action)?.restore(&id, checkpoint).await?;
            restored = Some(RestoredView::from(summary));
        }
        _ => return Err(ApiError::no_route()),
    }
    Ok(Json(SteeredAgentView { agent: view(&app, keeper, &id)?, restored }))
}

/// Parks the agent before its process: a turn that the process can no longer answer is not asked. The process of an open
/// epoch stays until the epoch has ended.
async fn park(
    (app, keeper): (&AppState, &Keeper),
    id: &AgentId,
    caller: &Caller,
) -> Result<(), ApiError> {
    let paused = keeper.state().agents.get(id).and_then(|agent| agent.paused.clone());
    if !paused.is_some_and(|paused| paused.reason == PauseReason::Person) {
        let event =
            AgentPaused { reason: PauseReason::Person, message: "parked by a person".into() };
        keeper.append(id, event, caller.author()).await?;
    }
    let is_open = keeper.state().open_epoch(id).is_some();
    match supervisor_of(app, id).filter(|_| !is_open) {
        Some(supervisor) => Ok(supervisor.park(id).await?),
        None => Ok(()),
    }
}

async fn resume(
    (app, keeper): (&AppState, &Keeper),
    id: &AgentId,
    caller: &Caller,
) -> Result<(), ApiError> {
    // An agent that was paused while its process went on is resumed without it.
    let is_parked = |supervisor: &&Supervisor| {
        supervisor.status(id).is_some_and(|status| status.state == ProcessState::Parked)
    };
    if let Some(supervisor) = supervisor_of(app, id).filter(is_parked) {
        supervisor.resume(id).await?;
    }
    let is_paused = keeper.state().agents.get(id).is_some_and(|agent| agent.paused.is_some());
    if is_paused {
        keeper.resume(id, caller.author()).await?;
    }
    Ok(())
}

fn supervisor_of<'a>(app: &'a AppState, id: &AgentId) -> Option<&'a Supervisor> {
    app.processes()?.supervisor_of(id)
}

/// What steers the agent's process.
fn process_of<'a>(
    app: &'a AppState,
    id: &AgentId,
    action: &str,
) -> Result<&'a Supervisor, ApiError> {
    supervisor_of(app, id).ok_or_else(|| {
        let has_process = app.processes().is_some_and(|all| all.status(id).is_some());
        let reason = if has_process {
            "speaks the Agent Client Protocol, which has no command to"
        } else {
            "has its mind in the keeper, so there is no process to"
        };
        ApiError::conflict("no_process", format!("{id} {reason} {action}"))
    })
}
