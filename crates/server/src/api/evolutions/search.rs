//! `/evolutions/search`: a search for a better order of an agent's memories is started, shown and stopped. It runs in the keeper,
//! whoever watches; what it finds is a proposal like any other.

use abide_evolution::{
    limits::{GENERATIONS_DEFAULT, POPULATION_DEFAULT},
    search::{CandidateFigures, SearchBudget, SearchKind, SearchReport},
    seed_of,
};
use axum::{Json, extract::State};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check_enabled;
use crate::{
    api::{
        app_state::AppState,
        error::ApiError,
        input::{Body, Params},
        list::List,
    },
    auth::Caller,
    evolution::{SearchEnd, SearchPhase, SearchStartError, SearchStatus, Searches, search_winner},
};

/// A search that is asked for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RankingSearchBody {
    /// The agent whose record it is scored by [default: the only one].
    citizen: Option<String>,
    /// Generations of each part, 1 to 500 [default: 60].
    generations: Option<u32>,
    /// Expressions at a time, 12 to 1000 [default: 120].
    population: Option<usize>,
    /// `weights` moves weights alone, `structure` looks for other expressions after that [default: `structure`].
    #[schema(value_type = Option<String>)]
    kind: Option<SearchKind>,
    /// What everything that is random follows from: the same on the same record finds the same [default: another each time].
    seed: Option<u64>,
}

/// Whose search is to stop.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RankingSearchStopBody {
    /// The agent [default: the only one].
    citizen: Option<String>,
}

/// A search, as far as it is.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct RankingSearchView {
    /// The agent.
    citizen: String,
    /// Who started it.
    by: String,
    /// When.
    started_at: String,
    /// `reading` the record, `waiting` for another agent's search, `searching` or `ended`.
    state: &'static str,
    /// `weights` or `structure`.
    kind: &'static str,
    /// The part that is at work, or was last: weights come first.
    part: &'static str,
    /// What everything that is random follows from.
    seed: u64,
    /// Expressions at a time.
    population: usize,
    /// Generations that were measured, of all parts together.
    generation: u32,
    /// Of how many.
    generations: u32,
    /// Expressions that were measured.
    evaluations: u64,
    /// Questions that expressions are chosen by; null before the record was read.
    questions: Option<usize>,
    /// Questions that are held out, the newest.
    held_out: Option<usize>,
    /// The best of the part so far, on the questions that it is chosen by: the share of what was needed that is among the first ten,
    /// and a hundredth at most for its place.
    best: Option<f64>,
    /// The same of today's order.
    today: Option<f64>,
    /// How long it was at work.
    worked_ms: u64,
    /// How it ended; null before.
    outcome: Option<SearchEndView>,
    /// What was found, beside today's order; null before all was measured.
    report: Option<RankingSearchReportView>,
}

/// How a search ended.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct SearchEndView {
    /// `proposed`, `not_better`, `too_few`, `stopped` or `failed`.
    kind: &'static str,
    /// In a sentence.
    text: String,
    /// The change that was proposed.
    evolution_id: Option<String>,
}

/// What a search found, on questions that it never saw.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct RankingSearchReportView {
    /// How many questions.
    held_out: usize,
    /// The score of today's order.
    today: f64,
    /// Questions of which today's order shows nothing that was needed among the first ten.
    today_missed: usize,
    /// The best of each part, weights first.
    found: Vec<FoundOrderView>,
}

/// An order that a search found.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct FoundOrderView {
    /// `weights` or `structure`.
    kind: &'static str,
    /// Whether it is the one to be proposed.
    is_winner: bool,
    /// Its score on the questions held out.
    score: f64,
    /// Those of which it shows nothing that was needed.
    missed: usize,
    /// How likely so much more than today's order is there without effect; for all looks together.
    p: f64,
    /// Its score on the questions that it was chosen by.
    chosen: f64,
    /// What it is, in Scheme.
    expression: String,
}

/// Searches: the last of each agent, as far as it is.
#[utoipa::path(get, path = "/evolutions/search", tag = "evolution", params(("citizen" = Option<String>, Query)),
    responses((status = 200, body = List<RankingSearchView>)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<RankingSearchView>>, ApiError> {
    let citizen = params.get("citizen").map(|name| app.citizen(Some(name))).transpose()?;
    let found = searches(&app)?.list().into_iter();
    let wanted = found.filter(|search| citizen.as_ref().is_none_or(|agent| search.agent == *agent));
    Ok(Json(List::whole(wanted.map(|search| RankingSearchView::of(&search)).collect())))
}

/// Starts a search. It is durable when this answers; after a stop of the keeper it goes on.
#[utoipa::path(post, path = "/evolutions/search", tag = "evolution", request_body = RankingSearchBody,
    responses((status = 201, body = RankingSearchView), (status = 404), (status = 409), (status = 422), (status = 503)))]
pub(crate) async fn start(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<(StatusCode, Json<RankingSearchView>), ApiError> {
    let body: RankingSearchBody = body.parse()?;
    let agent = app.citizen(body.citizen.as_deref())?;
    check_enabled(&app)?;
    let budget = SearchBudget {
        kind: body.kind.unwrap_or(SearchKind::Structure),
        generations: body.generations.unwrap_or(GENERATIONS_DEFAULT),
        population: body.population.unwrap_or(POPULATION_DEFAULT),
        // Short enough to be typed again.
        seed: body.seed.unwrap_or_else(|| seed_of(&format!("{agent} {}", app.now())) >> 40),
    };
    let started = searches(&app)?
        .start((agent, budget), caller.author())
        .await
        .map_err(|error| refused(&error))?;
    Ok((StatusCode::CREATED, Json(RankingSearchView::of(&started))))
}

/// Stops a search; what it found is not proposed.
#[utoipa::path(post, path = "/evolutions/search/stop", tag = "evolution", request_body = RankingSearchStopBody,
    responses((status = 200, body = RankingSearchView), (status = 404), (status = 409), (status = 503)))]
pub(crate) async fn stop(
    State(app): State<AppState>,
    body: Body,
) -> Result<Json<RankingSearchView>, ApiError> {
    let RankingSearchStopBody { citizen } = body.parse()?;
    let agent = app.citizen(citizen.as_deref())?;
    match searches(&app)?.stop(&agent) {
        Some(stopped) => Ok(Json(RankingSearchView::of(&stopped))),
        None => Err(ApiError::conflict("no_search", format!("no search for {agent} runs"))),
    }
}

fn searches(app: &AppState) -> Result<&Searches, ApiError> {
    let loading = || ApiError::unavailable("loading", "the keeper is still starting");
    app.searches().ok_or_else(loading)
}

fn refused(error: &SearchStartError) -> ApiError {
    let message = error.to_string();
    match error {
        SearchStartError::Off => ApiError::conflict("evolution_off", message),
        SearchStartError::Runs(_) => ApiError::conflict("search_runs", message),
        SearchStartError::TooFew(_) => ApiError::conflict("too_few", message),
        SearchStartError::TooMany => ApiError::conflict("too_many", message),
        SearchStartError::Budget(_) => ApiError::invalid(message),
        SearchStartError::Write(_) => ApiError::internal(error),
    }
}

const fn kind_word(kind: SearchKind) -> &'static str {
    match kind {
        SearchKind::Weights => "weights",
        SearchKind::Structure => "structure",
    }
}

impl RankingSearchView {
    fn of(status: &SearchStatus) -> Self {
        let state = match status.phase {
            SearchPhase::Reading => "reading",
            SearchPhase::Waiting => "waiting",
            SearchPhase::Searching => "searching",
            SearchPhase::Ended => "ended",
        };
        Self {
            citizen: status.agent.to_string(),
            by: status.by.to_string(),
            started_at: status.started_at.to_string(),
            state,
            kind: kind_word(status.budget.kind),
            part: kind_word(status.part),
            seed: status.budget.seed,
            population: status.budget.population,
            generation: status.generation,
            generations: status.budget.generations_in_all(),
            evaluations: status.evaluations,
            questions: status.cases.map(|(questions, _)| questions),
            held_out: status.cases.map(|(_, held_out)| held_out),
            best: status.best,
            today: status.today,
            worked_ms: u64::try_from(status.worked.as_millis()).unwrap_or(u64::MAX),
            outcome: status.outcome.as_ref().map(SearchEndView::of),
            report: status.report.as_ref().map(RankingSearchReportView::of),
        }
    }
}

impl SearchEndView {
    fn of(outcome: &SearchEnd) -> Self {
        let evolution_id = match outcome {
            SearchEnd::Proposed(id) => Some(id.to_string()),
            _ => None,
        };
        Self { kind: outcome.as_str(), text: outcome.sentence(), evolution_id }
    }
}

impl RankingSearchReportView {
    fn of(report: &SearchReport) -> Self {
        let winner = search_winner(report);
        let found = |candidate: &CandidateFigures| FoundOrderView {
            kind: kind_word(candidate.kind),
            is_winner: winner == Some(candidate),
            score: candidate.held_out.score,
            missed: candidate.held_out.missed,
            p: report.corrected_p(candidate),
            chosen: candidate.tuned.score,
            expression: candidate.expression.scheme_term(),
        };
        Self {
            held_out: report.held_out_cases,
            today: report.held_out_today.score,
            today_missed: report.held_out_today.missed,
            found: report.candidates.iter().map(found).collect(),
        }
    }
}
