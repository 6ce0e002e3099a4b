//! The health of the keeper, for people, load balancers and service managers. Open to everybody who reaches the port.

use abide_engine::keeper::clock_problem;
use axum::{
    Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::app_state::AppState;
use crate::{irc::IrcView, telegram::TelegramView};

/// The health of the keeper.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HealthView {
    /// `loading`, `ok`, `stalled` (a part of the keeper stands still), `degraded` or `poisoned`.
    status: &'static str,
    /// Why, where it is not ok.
    reason: Option<String>,
    /// What is wrong between the system's clock and the times of events, and what that means; null where nothing is. It
    /// does not change the health: stimuli are accepted.
    clock: Option<String>,
    /// Whether it is stopping.
    stopping: bool,
    /// Of the program.
    version: &'static str,
    /// Since the start.
    uptime_s: u64,
    /// Scans of the watchdog that are overdue; null where there is none.
    watchdog_scans_missed: Option<u64>,
    /// The status of IRC; null while the ledger is read. It does not change the health.
    irc: Option<IrcView>,
    /// The status of the Telegram bot; null where there is none, and while the ledger is read.
    telegram: Option<TelegramView>,
}

/// Whether the keeper accepts stimuli.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReadyView {
    /// `loading`, `ok`, `stalled`, `degraded`, `poisoned` or `stopping`.
    status: &'static str,
}

/// The program.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProgramView {
    /// `abide`.
    name: &'static str,
    /// Its version.
    version: &'static str,
}

/// 200 where the keeper is healthy, else 503, with the reason.
#[utoipa::path(get, path = "/health", tag = "health", security(()),
    responses((status = 200, body = HealthView), (status = 503, body = HealthView)))]
pub(crate) async fn health(State(app): State<AppState>) -> Response {
    let health = app.health();
    let code = if health.status == "ok" { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let view = HealthView {
        status: health.status,
        reason: health.reason,
        clock: app.keeper().ok().and_then(|keeper| clock_problem(keeper.ledger().clock_status())),
        stopping: app.is_stopping(),
        version: crate::VERSION,
        uptime_s: app.monotonic().as_secs(),
        watchdog_scans_missed: app
            .watchdog()
            .map(|watchdog| watchdog.status().scans_missed(app.now())),
        irc: app.irc(),
        telegram: app.telegram(),
    };
    (code, Json(view)).into_response()
}

/// 200 when stimuli are accepted, else 503.
#[utoipa::path(get, path = "/ready", tag = "health", security(()),
    responses((status = 200, body = ReadyView), (status = 503, body = ReadyView)))]
pub(crate) async fn ready(State(app): State<AppState>) -> Response {
    let status = if app.is_stopping() { "stopping" } else { app.health().status };
    let code = if app.is_ready() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (code, Json(ReadyView { status })).into_response()
}

/// 200 while the process runs.
#[utoipa::path(get, path = "/alive", tag = "health", security(()), responses((status = 200, body = ReadyView)))]
pub(crate) async fn alive() -> Json<ReadyView> {
    Json(ReadyView { status: "ok" })
}

/// The program and its version.
#[utoipa::path(get, path = "/version", tag = "health", security(()), responses((status = 200, body = ProgramView)))]
pub(crate) async fn version() -> Json<ProgramView> {
    Json(ProgramView { name: "abide", version: crate::VERSION })
}
