//! `/agents`: who lives here and what they do.

use abide_domain::{
    AgentId,
    event::{AgentPaused, PauseReason},
};
use abide_engine::{
    Keeper,
    state::{AgentState, House, Tally},
};
use axum::{
    Json,
    extract::{Path, State},
};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    error::ApiError,
    front::{Front, person},
    input::Params,
    list::List,
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
    /// `idle`, `busy`, `waiting_approval`, `paused` or `parked`.
    state: &'static str,
    /// Why it is paused or parked.
    paused: Option<String>,
    /// Its process; null where its mind runs in the keeper.
    process: Option<Value>,
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
pub(crate) fn state_of(house: &House, id: &AgentId) -> &'static str {
    let state = house.agents.get(id);
    if let Some(record) = house.open_epoch(id) {
        return if record.pending_approval().is_some() { "waiting_approval" } else { "busy" };
    }
    match state.and_then(|state| state.paused.as_ref()) {
        Some(paused) if paused.reason == PauseReason::Person => "parked",
        Some(_) => "paused",
        None if state.is_some_and(|state| !state.queue.is_empty()) => "busy",
        None => "idle",
    }
}

/// What an agent used on the day of `now`.
pub(crate) fn usage_today(front: &Front, state: Option<&AgentState>) -> UsageToday {
    let today = state.map(|state| state.today).filter(|today| today.day == front.now().day());
    let Some(Tally { input_tokens, output_tokens, cost_microusd, unpriced }) =
        today.map(|today| today.tally)
    else {
        return UsageToday::default();
    };
    UsageToday { input_tokens, output_tokens, cost_microusd, unpriced }
}

fn view(front: &Front, keeper: &Keeper, id: &AgentId) -> Result<AgentView, ApiError> {
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
        state: state_of(&house, id),
        paused: state.and_then(|state| state.paused.as_ref()).map(|paused| paused.message.clone()),
        process: None,
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
    State(front): State<Front>,
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
    State(front): State<Front>,
    Path(id): Path<String>,
) -> Result<Json<AgentView>, ApiError> {
    let id = front.citizen(Some(&id))?;
    Ok(Json(view(&front, front.keeper()?, &id)?))
}

/// Steers an agent: `park` stops it from taking stimuli up (they queue), `resume` lets it go on. `restart` and
/// `checkpoint` are for agents with a process of their own.
#[utoipa::path(post, path = "/agents/{id}/{action}", tag = "agents",
    params(("id" = String, Path), ("action" = String, Path)),
    responses((status = 200, body = AgentView), (status = 404), (status = 409)))]
pub(crate) async fn steer(
    State(front): State<Front>,
    Path((id, action)): Path<(String, String)>,
) -> Result<Json<AgentView>, ApiError> {
    let id = front.citizen(Some(&id))?;
    let keeper = front.keeper()?;
    let paused = keeper.house().agents.get(&id).and_then(|state| state.paused.clone());
    match (action.as_str(), paused) {
        ("park", Some(paused)) if paused.reason == PauseReason::Person => {}
        ("park", _) => {
            let event =
                AgentPaused { reason: PauseReason::Person, message: "parked by a person".into() };
            keeper.append(&id, event, person()).await?;
        }
        ("resume", Some(_)) => keeper.resume(&id, person()).await?,
        ("resume", None) => {}
        ("restart" | "checkpoint", _) => {
            let message =
                format!("the mind of {id} runs in the keeper: it has no process to {action}");
            return Err(ApiError::conflict("no_process", message));
        }
        _ => return Err(ApiError::no_route()),
    }
    Ok(Json(view(&front, keeper, &id)?))
}
