//! `/evolutions`: changes of agents, how each measured, and what people do about them.
//!
//! Nothing of a change is run or judged here: a proposal is written down, an answer is a move of its machine. What the record does not
//! allow is refused, and what was read of a change is never more than its own lines.
//!
//! Reading order: the routes, `body` (what is proposed), `view` (what is shown), `lines` (what is read back from the ledger), `report`, `search`
//! (a search for something to propose).

use abide_domain::{EvolutionId, evolution::EvolutionTarget};
use abide_engine::{
    Keeper,
    keeper::{EvolutionOrderError, EvolutionProposal, OrderError},
    state::{EvolutionRecord, Evolutions},
};
use axum::{
    Json,
    extract::{Path, State},
};
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    app_state::AppState,
    error::ApiError,
    input::{Body, Params, bounded_reason},
    list::List,
};
use crate::{
    auth::Caller,
    config::EvolutionSection,
    evolution::{MindChange, check_cases, trial_report},
};

mod body;
mod lines;
mod report;
pub(super) mod search;
mod view;

use body::EvolutionBody;
use lines::EvolutionLines;
use report::EvolutionReportView;
use view::{EvolutionDetailView, EvolutionView, STATE_WORDS};

/// What a person says about a change.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvolutionAnswerBody {
    /// Why; it stands in the ledger.
    reason: Option<String>,
}

/// Changes, the newest first: all that have not ended, those in force, and the newest of the others.
///
/// `state` is a word that the items have, such as `awaits_approval`.
#[utoipa::path(get, path = "/evolutions", tag = "evolution",
    params(("citizen" = Option<String>, Query), ("state" = Option<String>, Query), ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = List<EvolutionView>)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<EvolutionView>>, ApiError> {
    let keeper = app.keeper()?;
    let citizen = params.get("citizen").map(|name| app.citizen(Some(name))).transpose()?;
    let wanted = params.get("state");
    if wanted.is_some_and(|word| !STATE_WORDS.contains(&word)) {
        let known = STATE_WORDS.join(", ");
        return Err(ApiError::malformed(format!("state must be one of {known}")));
    }
    let (limit, before) = (params.limit()?, params.cursor()?.unwrap_or(u64::MAX));
    let state = keeper.state();
    let all = state.evolutions.agents().flat_map(|(_, evolutions)| evolutions.records());
    let is_wanted = |record: &&EvolutionRecord| {
        citizen.as_ref().is_none_or(|citizen| record.agent == *citizen)
            && wanted.is_none_or(|word| record.state.as_str() == word)
            && record.proposed_seq().is_some_and(|seq| seq < before)
    };
    let mut found: Vec<&EvolutionRecord> = all.filter(is_wanted).collect();
    found.sort_by_key(|record| std::cmp::Reverse(record.proposed_seq()));
    let has_more = found.len() > limit;
    found.truncate(limit);
    // Where a proposal stands in the ledger never changes, so that a page stays where it was.
    let last = found.last().and_then(|record| record.proposed_seq());
    let next = last.filter(|_| has_more).map(|seq| seq.to_string());
    let items = found.into_iter().map(|record| view_of(&state.evolutions, record)).collect();
    Ok(Json(List { items, next }))
}

/// One change: its code, its story, and what was measured of it.
#[utoipa::path(get, path = "/evolutions/{id}", tag = "evolution", params(("id" = String, Path)),
    responses((status = 200, body = EvolutionDetailView), (status = 404), (status = 503)))]
pub(crate) async fn show(
    State(app): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<EvolutionDetailView>, ApiError> {
    let keeper = app.keeper()?;
    let record = known(keeper, &id)?;
    let (item, before) = {
        let state = keeper.state();
        let before = code_before(&state.evolutions, &record);
        let before = before.and_then(|id| state.evolutions.get(id));
        let before = before.and_then(EvolutionRecord::proposed_seq);
        (view_of(&state.evolutions, &record), before)
    };
    let (ledger, permit) = (keeper.ledger().clone(), app.read_permit().await);
    let read = move || {
        let _permit = permit;
        let lines = EvolutionLines::read(&ledger, &record.events)?;
        let code_before = before.map(|seq| lines::code_at(&ledger, seq)).transpose()?;
        Ok::<_, ApiError>((lines, code_before.flatten()))
    };
    let read = tokio::task::spawn_blocking(read).await;
    let (lines, code_before) = read.map_err(|error| ApiError::internal(&error))??;
    let EvolutionLines { proposed, story, compared, .. } = lines;
    let said = (proposed, code_before);
    Ok(Json(EvolutionDetailView::new(item, said, (story, compared.into()))))
}

/// The report of a change, made from the ledger alone: the same bytes whenever it is asked for, until the change moves on.
#[utoipa::path(get, path = "/evolutions/{id}/report", tag = "evolution", params(("id" = String, Path)),
    responses((status = 200, body = EvolutionReportView), (status = 404), (status = 503)))]
pub(crate) async fn report(
    State(app): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<EvolutionReportView>, ApiError> {
    let keeper = app.keeper()?;
    let record = known(keeper, &id)?;
    let item = view_of(&keeper.state().evolutions, &record);
    let _permit = app.read_permit().await;
    let made = trial_report(keeper.ledger(), &record).await;
    let made = made.map_err(|problem| ApiError::internal(&std::io::Error::other(problem)))?;
    let seed = record.seed.map(|(seed, _)| seed);
    Ok(Json(EvolutionReportView::new(item, seed, made)))
}

/// Proposes a change. It is durable when this answers, and tried as soon as the agent's earlier ones have ended.
#[utoipa::path(post, path = "/evolutions", tag = "evolution", request_body = EvolutionBody,
    responses((status = 201, body = EvolutionView), (status = 404), (status = 409), (status = 422), (status = 503)))]
pub(crate) async fn propose(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<(StatusCode, Json<EvolutionView>), ApiError> {
    let keeper = app.keeper()?;
    let body: EvolutionBody = body.parse()?;
    let agent = app.citizen(body.citizen())?;
    let proposal = body.proposal(agent, settings(&app)?.last)?;
    check_enabled(&app)?;
    check_change(&proposal)?;
    let record = keeper.propose_evolution(proposal, caller.author()).await.map_err(refused)?;
    Ok((StatusCode::CREATED, Json(view_of(&keeper.state().evolutions, &record))))
}

/// Refuses a change that says what there is not, before it is written down: of a mind it may hold a secret.
fn check_change(proposal: &EvolutionProposal) -> Result<(), ApiError> {
    let wrong = |problem: String| ApiError::invalid_at("change", "rule", &problem);
    if proposal.target != EvolutionTarget::Mind {
        return check_cases(&proposal.change).map_err(wrong);
    }
    MindChange::read(&proposal.change).map_err(wrong)?;
    if proposal.trial.as_ref().is_some_and(|trial| trial.only_compare) {
        return Ok(());
    }
    let rule = "must be true of a mind: it is compared, and you change the configuration yourself";
    Err(ApiError::invalid_at("trial.only_compare", "rule", rule))
}

/// Answers a change: `approve` or `reject` one that waits for that, `rollback` one that is in force, `abort` one that is not.
///
/// A change that is not where that could be done is a conflict.
#[utoipa::path(post, path = "/evolutions/{id}/{action}", tag = "evolution", request_body = EvolutionAnswerBody,
    params(("id" = String, Path), ("action" = String, Path)),
    responses((status = 200, body = EvolutionView), (status = 404), (status = 409), (status = 422), (status = 503)))]
pub(crate) async fn answer(
    State(app): State<AppState>,
    caller: Caller,
    Path((id, action)): Path<(String, String)>,
    body: Body,
) -> Result<Json<EvolutionView>, ApiError> {
    let keeper = app.keeper()?;
    let EvolutionAnswerBody { reason } = body.parse()?;
    let (reason, by) = (bounded_reason(reason)?.unwrap_or_default(), caller.author());
    let id = known(keeper, &id)?.id;
    let answered = match action.as_str() {
        "approve" => {
            check_enabled(&app)?;
            keeper.answer_evolution(id, (true, &reason), by).await
        }
        // What takes a change back works whatever the configuration says.
        "reject" => keeper.answer_evolution(id, (false, &reason), by).await,
        "rollback" => keeper.roll_back_evolution(id, &reason, by).await,
        "abort" => keeper.abort_evolution(id, &reason, by).await,
        _ => return Err(ApiError::no_route()),
    };
    let record = answered.map_err(refused)?;
    Ok(Json(view_of(&keeper.state().evolutions, &record)))
}

fn known(keeper: &Keeper, id: &str) -> Result<EvolutionRecord, ApiError> {
    let unknown = || ApiError::not_found("change", id);
    let id: EvolutionId = id.parse().map_err(|_| unknown())?;
    keeper.state().evolutions.get(id).cloned().ok_or_else(unknown)
}

fn view_of(evolutions: &Evolutions, record: &EvolutionRecord) -> EvolutionView {
    let of_agent = evolutions.of(&record.agent);
    let is_in_force = of_agent.is_some_and(|of_agent| of_agent.is_in_force(record.id));
    let first = of_agent.and_then(|of| of.current()).map(|first| first.id);
    let waits_for = first.filter(|first| *first != record.id && !record.state.is_ended());
    EvolutionView::new(record, (is_in_force, waits_for))
}

/// The change whose code stands before that of another one: what a rollback restores, else what is in force.
fn code_before(evolutions: &Evolutions, record: &EvolutionRecord) -> Option<EvolutionId> {
    let in_force = |target: EvolutionTarget| {
        let code = if record.is_of_program() {
            evolutions.program_in_force(&record.agent, target)
        } else {
            evolutions.in_force(&record.agent, target)
        };
        code.current
    };
    let current = || record.target().and_then(in_force).filter(|current| *current != record.id);
    record.previous.or_else(current)
}

fn settings(app: &AppState) -> Result<EvolutionSection, ApiError> {
    let loading = || ApiError::unavailable("loading", "the keeper is still starting");
    app.config().map(|config| config.evolution().clone()).ok_or_else(loading)
}

fn check_enabled(app: &AppState) -> Result<(), ApiError> {
    if settings(app)?.enabled {
        return Ok(());
    }
    let message = "changes of agents are off: set `enabled = true` in [evolution] of abide.toml, or run `abide config set \
                   evolution.enabled true`, and start the keeper again";
    Err(ApiError::conflict("evolution_off", message))
}

fn refused(error: EvolutionOrderError) -> ApiError {
    let message = error.to_string();
    match error {
        EvolutionOrderError::Order(OrderError::Invalid(problem)) => body::invalid(&problem),
        EvolutionOrderError::Order(error) => error.into(),
        EvolutionOrderError::Illegal { .. } => ApiError::conflict("illegal_move", message),
        EvolutionOrderError::NotInForce(_) => ApiError::conflict("not_in_force", message),
        EvolutionOrderError::TooMany => ApiError::conflict("too_many", message),
    }
}
