//! `/management/…`: ends an agent's short-term window, or lets it sleep. Nothing is deleted.

use abide_domain::{
    AgentId,
    event::{SleepStatus, SleepStep, SleepTrigger, StepFinished, StepStatus},
};
use abide_engine::{
    sleep::SleepError,
    state::{SleepReport, SleepRun, SleepState},
};
use axum::{Json, extract::State};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    app_state::AppState,
    error::ApiError,
    input::{Body, Params},
};
use crate::auth::Caller;

/// Whose window ends, and how.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResetBody {
    /// Default: the only agent.
    citizen: Option<String>,
    /// Ends the open epoch instead of waiting for its end.
    #[serde(default)]
    force: bool,
}

/// A reset that is durable.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ResetView {
    /// Where it stands in the ledger.
    seq: u64,
    /// The segment that was sealed.
    sealed_segment: u64,
    /// How many epochs left the window.
    epochs: u64,
}

/// Who is to sleep, and how.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SleepBody {
    /// Default: the only agent.
    citizen: Option<String>,
    /// Distils by rules even where there is a model.
    #[serde(default)]
    rules: bool,
}

/// A sleep that was asked for.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SleepBegunView {
    /// `begun`, or `nothing` where every epoch has been distilled.
    status: &'static str,
    /// Its id.
    sleep_id: Option<String>,
    /// What distils: `rules`, or `model` and its name.
    distiller: Option<String>,
    /// How many epochs it distils.
    epochs: usize,
    /// The last event that was applied; the end of the sleep comes after it.
    seq: u64,
}

/// An agent's sleep.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SleepView {
    citizen: String,
    /// `awake` or `asleep`.
    state: &'static str,
    /// Committed epochs that no sleep has distilled.
    waiting: usize,
    /// Committed epochs that were distilled.
    consolidated: u64,
    /// How many sleeps in a row have failed.
    failures: u32,
    /// The sleep that is running.
    running: Option<NightView>,
    /// The last one that ended.
    last: Option<NightView>,
}

/// One sleep.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NightView {
    sleep_id: String,
    /// `person`, `schedule`, `idle` or `pressure`.
    #[schema(value_type = String)]
    trigger: SleepTrigger,
    distiller: String,
    /// How many epochs it distils.
    epochs: usize,
    started_at: String,
    ended_at: Option<String>,
    /// `ok`, `empty` or `failed`; null while it is running.
    #[schema(value_type = Option<String>)]
    status: Option<SleepStatus>,
    /// What changed; of a failure, why.
    message: Option<String>,
    /// The finished steps.
    steps: Vec<StepView>,
}

/// A finished step of a sleep.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StepView {
    /// `facts`, `identity` or `dream`.
    #[schema(value_type = String)]
    step: SleepStep,
    part: u32,
    parts: u32,
    /// `ok`, `empty`, `failed` or `skipped`.
    #[schema(value_type = String)]
    status: StepStatus,
    message: String,
}

/// Ends the short-term window and seals the segment; after the open epoch, or at once with `force`.
#[utoipa::path(post, path = "/management/reset", tag = "memory", request_body = ResetBody,
    responses((status = 200, body = ResetView)))]
pub(crate) async fn reset(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<ResetView>, ApiError> {
    let ResetBody { citizen, force } = body.parse()?;
    let citizen = app.citizen(citizen.as_deref())?;
    let done = app.keeper()?.reset(&citizen, force, caller.author()).await?;
    Ok(Json(ResetView { seq: done.seq, sealed_segment: done.sealed_segment, epochs: done.epochs }))
}

/// Lets an agent sleep, after its open epoch: answers when the beginning is durable. Its progress is in `/events` and
/// under `GET /management/sleep`.
#[utoipa::path(post, path = "/management/sleep", tag = "memory", request_body = SleepBody,
    responses((status = 202, body = SleepBegunView), (status = 200, body = SleepBegunView), (status = 409)))]
pub(crate) async fn sleep(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<(StatusCode, Json<SleepBegunView>), ApiError> {
    let SleepBody { citizen, rules } = body.parse()?;
    let citizen = app.citizen(citizen.as_deref())?;
    let keeper = app.keeper()?;
    let seq = keeper.state().seq;
    match keeper.sleep(&citizen, rules, caller.author()).await {
        Ok(started) => {
            let begun = SleepBegunView {
                status: "begun",
                sleep_id: Some(started.sleep_id.to_string()),
                distiller: Some(started.distiller),
                epochs: started.epochs.len(),
                seq,
            };
            Ok((StatusCode::ACCEPTED, Json(begun)))
        }
        Err(SleepError::Nothing) => {
            let nothing = SleepBegunView {
                status: "nothing",
                sleep_id: None,
                distiller: None,
                epochs: 0,
                seq,
            };
            Ok((StatusCode::OK, Json(nothing)))
        }
        Err(refused) => Err(refused.into()),
    }
}

/// An agent's sleep: the running one and the last one.
#[utoipa::path(get, path = "/management/sleep", tag = "memory", params(("citizen" = Option<String>, Query)),
    responses((status = 200, body = SleepView)))]
pub(crate) async fn night(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<SleepView>, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let state = app.keeper()?.state();
    let unknown = SleepState::default();
    let sleep = state.agents.get(&citizen).map_or(&unknown, |agent| &agent.sleep);
    Ok(Json(view(&citizen, sleep)))
}

fn view(citizen: &AgentId, sleep: &SleepState) -> SleepView {
    SleepView {
        citizen: citizen.to_string(),
        state: if sleep.running().is_some() { "asleep" } else { "awake" },
        waiting: sleep.waiting().len(),
        consolidated: sleep.consolidated(),
        failures: sleep.failures(),
        running: sleep.running().map(running_view),
        last: sleep.last().map(ended_view),
    }
}

fn running_view(run: &SleepRun) -> NightView {
    NightView {
        sleep_id: run.started.sleep_id.to_string(),
        trigger: run.started.trigger,
        distiller: run.started.distiller.clone(),
        epochs: run.started.epochs.len(),
        started_at: run.started_at.to_string(),
        ended_at: None,
        status: None,
        message: None,
        steps: run.steps.iter().map(StepView::from).collect(),
    }
}

fn ended_view(report: &SleepReport) -> NightView {
    NightView {
        sleep_id: report.started.sleep_id.to_string(),
        trigger: report.started.trigger,
        distiller: report.started.distiller.clone(),
        epochs: report.started.epochs.len(),
        started_at: report.started_at.to_string(),
        ended_at: Some(report.ended_at.to_string()),
        status: Some(report.ended.status),
        message: Some(report.ended.message.clone()),
        steps: report.steps.iter().map(StepView::from).collect(),
    }
}

impl From<&StepFinished> for StepView {
    fn from(finished: &StepFinished) -> Self {
        let StepFinished { step, part, parts, status, message, .. } = finished;
        Self { step: *step, part: *part, parts: *parts, status: *status, message: message.clone() }
    }
}
