//! `/agents`: who lives here and what they do.

use abide_domain::{
    AgentId,
    event::{AgentPaused, PauseReason},
    format_age,
};
use abide_engine::{
    Keeper,
    state::{self, AgentState, Tally},
};
use abide_supervisor::{ProcessState, Supervisor};
use axum::{
    Json,
    extract::{Path, State},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    error::ApiError,
    front::{AppState, person},
    input::{Body, Params},
    list::List,
    process::{self, ProcessView},
};

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
    /// `idle`, `busy`, `waiting_approval`, `asleep`, `paused` or `parked`; where it has a process also `starting`, `unresponsive` or
    /// `hibernated`.
    state: &'static str,
    /// Why it is paused or parked.
    paused: Option<String>,
    /// Its process; null where its mind runs in the keeper.
    process: Option<ProcessView>,
    /// The epoch that it works on.
    epoch_id: Option<String>,
    /// Stimuli that wait.
    queue: usize,
    /// When its work last showed.
    last_evidence_at: Option<String>,
    /// Since midnight UTC.
    usage_today: UsageToday,
    /// Whom it works with.
    partners: Vec<PartnerView>,
}

/// Tokens and money of a day.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub(crate) struct UsageToday {
    input_tokens: u64,
    output_tokens: u64,
    /// The part of the cost that is known.
    cost_microusd: u64,
    /// Askings whose price is unknown.
    unpriced: u64,
}

/// Somebody an agent works with.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct PartnerView {
    id: String,
    name: String,
    role: String,
}

/// What an agent does, in a word.
pub(crate) fn state_of(front: &AppState, house: &state::State, id: &AgentId) -> &'static str {
    let state = house.agents.get(id);
    if let Some(record) = house.open_epoch(id) {
        return match process::hindrance(front, id, true) {
            _ if record.pending_approval().is_some() => "waiting_approval",
            Some(hindrance) => hindrance,
            None => "busy",
        };
    }
    match state.and_then(|state| state.paused.as_ref()) {
        Some(paused) if paused.reason == PauseReason::Person => "parked",
        Some(_) => "paused",
        None if state.is_some_and(|state| state.sleep.running().is_some()) => "asleep",
        None if state.is_some_and(|state| !state.queue.is_empty()) => "busy",
        None => process::hindrance(front, id, false).unwrap_or("idle"),
    }
}

/// An agent in a line, for people on a channel: `felix: busy, 2 waiting, last moved 5 min ago`.
pub(crate) fn in_a_line(front: &AppState, house: &state::State, id: &AgentId) -> String {
    let state = house.agents.get(id);
    let queue = state.map_or(0, |state| state.queue.len());
    let waiting = if queue > 0 { format!(", {queue} waiting") } else { String::new() };
    let moved = state.and_then(|state| state.last_evidence_at);
    let moved = moved.and_then(|at| format_age(front.now(), at));
    let moved = moved.map(|age| format!(", last moved {age}")).unwrap_or_default();
    format!("{id}: {}{waiting}{moved}", state_of(front, house, id))
}

/// What an agent used on the day of `now`.
pub(crate) fn usage_today(front: &AppState, state: Option<&AgentState>) -> UsageToday {
    let today = state.map(|state| state.today).filter(|today| today.day == front.now().day());
    let Some(Tally { input_tokens, output_tokens, cost_microusd, unpriced }) =
        today.map(|today| today.tally)
    else {
        return UsageToday::default();
    };
    UsageToday { input_tokens, output_tokens, cost_microusd, unpriced }
}

fn view(front: &AppState, keeper: &Keeper, id: &AgentId) -> Result<AgentView, ApiError> {
    let agent =
        keeper.agent(id.as_str()).ok_or_else(|| ApiError::not_found("agent", id.as_str()))?;
    let partner = |partner: &abide_domain::event::Partner| PartnerView {
        id: partner.id.clone(),
        name: partner.name.clone(),
        role: partner.role.clone(),
    };
    let partners = agent.partners.iter().map(partner).collect();
    let (name, role, mind) = (agent.name.clone(), agent.role.clone(), agent.mind.name());
    let house = keeper.house();
    let state = house.agents.get(id);
    Ok(AgentView {
        id: id.to_string(),
        name,
        role,
        mind,
        state: state_of(front, &house, id),
        paused: state.and_then(|state| state.paused.as_ref()).map(|paused| paused.message.clone()),
        process: process::view(front, id),
        epoch_id: state.and_then(|state| state.open).map(|epoch| epoch.to_string()),
        queue: state.map_or(0, |state| state.queue.len()),
        last_evidence_at: state.and_then(|state| state.last_evidence_at).map(|at| at.to_string()),
        usage_today: usage_today(front, state),
        partners,
    })
}

/// All agents.
#[utoipa::path(get, path = "/agents", tag = "agents",
    params(("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = List<AgentView>)))]
pub(crate) async fn list(
    State(front): State<AppState>,
    params: Params,
) -> Result<Json<List<AgentView>>, ApiError> {
    let keeper = front.keeper()?;
    let ids: Vec<AgentId> = keeper.agents().iter().map(|agent| agent.id.clone()).collect();
    let List { items, next } = List::page(ids, params.cursor()?, params.limit()?);
    let items = items.iter().map(|id| view(&front, keeper, id)).collect::<Result<_, _>>()?;
    Ok(Json(List { items, next }))
}

/// One agent.
#[utoipa::path(get, path = "/agents/{id}", tag = "agents", params(("id" = String, Path)),
    responses((status = 200, body = AgentView), (status = 404)))]
pub(crate) async fn show(
    State(front): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<AgentView>, ApiError> {
    let id = front.citizen(Some(&id))?;
    Ok(Json(view(&front, front.keeper()?, &id)?))
}

/// A checkpoint to go back to.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckpointBody {
    checkpoint_id: String,
}

/// Steers an agent: `park` stops it from taking stimuli up (they queue) and ends its process, `resume` lets it go on;
/// `restart` and `checkpoint` are for agents with a process of their own, as is `restore` with its `checkpoint_id`.
#[utoipa::path(post, path = "/agents/{id}/{action}", tag = "agents",
    params(("id" = String, Path), ("action" = String, Path)),
    request_body(content = Option<CheckpointBody>),
    responses((status = 200, body = AgentView), (status = 404), (status = 409)))]
pub(crate) async fn steer(
    State(front): State<AppState>,
    Path((id, action)): Path<(String, String)>,
    body: Body,
) -> Result<Json<AgentView>, ApiError> {
    let id = front.citizen(Some(&id))?;
    let keeper = front.keeper()?;
    match action.as_str() {
        "park" => park(&front, keeper, &id).await?,
        "resume" => resume(&front, keeper, &id).await?,
        "restart" => process_of(&front, &id, &action)?.restart(&id).await?,
        "checkpoint" => drop(process_of(&front, &id, &action)?.checkpoint(&id).await?),
        "restore" => {
            let CheckpointBody { checkpoint_id } = body.parse()?;
            let checkpoint = checkpoint_id
                .parse()
                .map_err(|_| ApiError::not_found("checkpoint", &checkpoint_id))?;
            process_of(&front, &id, &action)?.restore(&id, checkpoint).await?;
        }
        _ => return Err(ApiError::no_route()),
    }
    Ok(Json(view(&front, keeper, &id)?))
}

/// Parks the agent first and its process then: a turn that the process can no longer answer is not asked. The process of
/// an open epoch stays until it has nothing to do.
async fn park(front: &AppState, keeper: &Keeper, id: &AgentId) -> Result<(), ApiError> {
    let paused = keeper.house().agents.get(id).and_then(|state| state.paused.clone());
    if !paused.is_some_and(|paused| paused.reason == PauseReason::Person) {
        let event =
            AgentPaused { reason: PauseReason::Person, message: "parked by a person".into() };
        keeper.append(id, event, person()).await?;
    }
    let is_open = keeper.house().open_epoch(id).is_some();
    match commander(front, id).filter(|_| !is_open) {
        Some(supervisor) => Ok(supervisor.park(id).await?),
        None => Ok(()),
    }
}

async fn resume(front: &AppState, keeper: &Keeper, id: &AgentId) -> Result<(), ApiError> {
    // An agent that was paused while its process went on is resumed without it.
    let is_parked = |supervisor: &&Supervisor| {
        supervisor.status(id).is_some_and(|status| status.state == ProcessState::Parked)
    };
    if let Some(supervisor) = commander(front, id).filter(is_parked) {
        supervisor.resume(id).await?;
    }
    let is_paused = keeper.house().agents.get(id).is_some_and(|state| state.paused.is_some());
    if is_paused {
        keeper.resume(id, person()).await?;
    }
    Ok(())
}

fn commander<'a>(front: &'a AppState, id: &AgentId) -> Option<&'a Supervisor> {
    front.processes()?.commander(id)
}

/// What steers the agent's process.
fn process_of<'a>(
    front: &'a AppState,
    id: &AgentId,
    action: &str,
) -> Result<&'a Supervisor, ApiError> {
    commander(front, id).ok_or_else(|| {
        let has_process = front.processes().is_some_and(|all| all.status(id).is_some());
        let why = if has_process {
            "speaks the Agent Client Protocol, which has no way to"
        } else {
            "has its mind in the keeper: there is no process to"
        };
        ApiError::conflict("no_process", format!("{id} {why} {action}"))
    })
}
