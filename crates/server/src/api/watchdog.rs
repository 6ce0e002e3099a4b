//! `/watchdog`: which agents stall, what was tried, and the commands that people give it.
//!
//! Reading order: `view` (what it shows), `answer` (what it answers), then the routes. A command is in the ledger when it
//! is answered.

use std::time::Duration;

use abide_domain::{AgentId, EpisodeId, Timestamp, event::watchdog::PageId};
use abide_watchdog::{EpisodeChoice, WatchdogError, WatchdogHandle};
use axum::{
    Json,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::{
    app_state::AppState,
    error::ApiError,
    guard::missing_scope,
    input::{Body, Params, bounded_reason},
};
use crate::{
    auth::{Caller, Right},
    config::TimeSpan,
};

mod answer;
mod view;

use answer::InHandView;
pub(crate) use answer::WordAnswer;
use view::SilenceView;
pub(crate) use view::{EpisodeView, ReportView, WatchdogView};

/// How long a pause, a silence or an acknowledgement holds where the request does not say.
const SILENCE_DEFAULT: Duration = Duration::from_hours(1);
/// How far a report goes back where the request does not say.
const REPORT_DEFAULT: Duration = Duration::from_hours(24);

/// A command to the watchdog. Which fields belong to which action is checked.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WordBody {
    /// An agent: of `silence` and `unsilence` (none: all), or whose episode is meant.
    agent: Option<String>,
    /// The episode that is meant.
    episode: Option<String>,
    /// The page whose episodes are meant.
    page: Option<String>,
    /// Whether all episodes are meant.
    #[serde(default)]
    all: bool,
    /// How long it holds, such as `1h`; of `pause`, `silence` and `ack` an hour by default.
    #[serde(rename = "for")]
    hush: Option<String>,
    /// Why.
    reason: Option<String>,
}

/// Its state at the newest scan.
#[utoipa::path(get, path = "/watchdog", tag = "watchdog", responses((status = 200, body = WatchdogView)))]
pub(crate) async fn show(State(app): State<AppState>) -> Result<Json<WatchdogView>, ApiError> {
    app.keeper()?;
    Ok(Json(WatchdogView::of(&app)))
}

/// Gives it a command: `scan`, `pause`, `resume`, `silence`, `unsilence`, `ack` or `test-page`.
///
/// To acknowledge stalls, and to silence one agent or end that, the scope `approve` is enough; all else takes `admin`.
#[utoipa::path(post, path = "/watchdog/{action}", tag = "watchdog", params(("action" = String, Path)),
    request_body(content = Option<WordBody>),
    responses((status = 200, body = WordAnswer), (status = 404), (status = 409), (status = 422), (status = 503)))]
pub(crate) async fn order(
    State(app): State<AppState>,
    caller: Caller,
    Path(action): Path<String>,
    body: Body,
) -> Result<Json<WordAnswer>, ApiError> {
    let mut command: WordBody = body.parse()?;
    command.check_scope(&action, &caller)?;
    command.reason = bounded_reason(command.reason.take())?;
    let watchdog = running(&app)?;
    let answer = match action.as_str() {
        "scan" => WordAnswer::Found(watchdog.scan(caller.author()).await?.into()),
        "pause" => {
            let time = command.hush()?.unwrap_or(SILENCE_DEFAULT);
            watchdog.pause(caller.author(), Some(time), command.reason).await?;
            state(&app)
        }
        "resume" => {
            watchdog.resume(caller.author()).await?;
            state(&app)
        }
        "silence" => WordAnswer::Silenced(silence(&app, watchdog, (command, &caller)).await?),
        "unsilence" => {
            watchdog.unsilence(caller.author(), command.agent(&app)?).await?;
            state(&app)
        }
        "ack" => WordAnswer::InHand(acknowledge(&app, watchdog, (command, &caller)).await?),
        "test-page" => WordAnswer::Tried(watchdog.test_page(caller.author()).await?.into()),
        _ => return Err(ApiError::no_route()),
    };
    Ok(Json(answer))
}

/// What happened since a moment (or for a length of time until now, such as `8h`), as numbers and as text.
#[utoipa::path(get, path = "/watchdog/report", tag = "watchdog", params(("since" = Option<String>, Query)),
    responses((status = 200, body = ReportView), (status = 400), (status = 409)))]
pub(crate) async fn report(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<ReportView>, ApiError> {
    let watchdog = running(&app)?;
    let since = match params.get("since") {
        Some(text) => moment(text, app.now())?,
        None => before(app.now(), REPORT_DEFAULT),
    };
    let _permit = app.fold_permit().await;
    Ok(Json(ReportView::from(&watchdog.report(since).await?)))
}

/// The `watchdog` of `/snapshot`: which agents stall, and whether it can judge; empty where it is off.
pub(crate) fn brief(app: &AppState) -> Map<String, Value> {
    let Some(watchdog) = app.watchdog() else { return Map::new() };
    let status = watchdog.status();
    let stalled: Vec<_> = status.episodes.iter().map(|one| one.agent.to_string()).collect();
    Map::from_iter([
        ("stalled".to_owned(), json!(stalled)),
        ("last_scan_at".to_owned(), json!(status.last_scan.as_ref().map(|s| s.at.to_string()))),
        ("scans_missed".to_owned(), json!(status.scans_missed(app.now()))),
        ("paused".to_owned(), Value::Bool(status.maintenance.is_some())),
        ("blind".to_owned(), json!(status.blind.as_ref().map(|t| t.message.clone()))),
    ])
}

fn running(app: &AppState) -> Result<&WatchdogHandle, ApiError> {
    app.keeper()?;
    let off = || {
        ApiError::conflict(
            "watchdog_off",
            "the watchdog is off because watchdog.enabled is false; enable it and restart the keeper",
        )
    };
    app.watchdog().ok_or_else(off)
}

fn state(app: &AppState) -> WordAnswer {
    WordAnswer::State(Box::new(WatchdogView::of(app)))
}

async fn silence(
    app: &AppState,
    watchdog: &WatchdogHandle,
    (command, caller): (WordBody, &Caller),
) -> Result<SilenceView, ApiError> {
    let (agent, hush) = (command.agent(app)?, command.hush()?.unwrap_or(SILENCE_DEFAULT));
    let until = watchdog.silence(caller.author(), agent.clone(), hush, command.reason).await?;
    Ok(SilenceView::new(agent.as_ref(), until))
}

async fn acknowledge(
    app: &AppState,
    watchdog: &WatchdogHandle,
    (command, caller): (WordBody, &Caller),
) -> Result<InHandView, ApiError> {
    let (which, hush) = (command.which(app)?, command.hush()?.unwrap_or(SILENCE_DEFAULT));
    let episodes = watchdog.acknowledge(caller.author(), which, hush, command.reason).await?;
    let episodes = episodes.iter().map(ToString::to_string).collect();
    Ok(InHandView { episodes, until: app.now().plus(hush).to_string() })
}

impl WordBody {
    /// To take a stall in hand is a decision about one agent; what concerns all of them is not.
    fn check_scope(&self, action: &str, caller: &Caller) -> Result<(), ApiError> {
        let is_about_all = match action {
            "scan" | "pause" | "resume" | "test-page" => true,
            "silence" | "unsilence" => self.agent.is_none(),
            _ => false,
        };
        if is_about_all && !caller.scopes().is_admin() {
            return Err(missing_scope(Right::Admin));
        }
        Ok(())
    }

    fn agent(&self, app: &AppState) -> Result<Option<AgentId>, ApiError> {
        self.agent.as_deref().map(|name| app.citizen(Some(name))).transpose()
    }

    fn hush(&self) -> Result<Option<Duration>, ApiError> {
        let read = |text: &str| {
            text.parse()
                .map(|TimeSpan(length)| length)
                .map_err(|error| ApiError::invalid(format!("for {error}")))
        };
        self.hush.as_deref().map(read).transpose()
    }

    fn which(&self, app: &AppState) -> Result<EpisodeChoice, ApiError> {
        match (&self.agent, &self.episode, &self.page, self.all) {
            (Some(name), None, None, false) => Ok(EpisodeChoice::Agent(app.citizen(Some(name))?)),
            (None, Some(id), None, false) => {
                let id: Option<EpisodeId> = id.parse().ok();
                id.map(EpisodeChoice::Episode)
                    .ok_or_else(|| ApiError::invalid("episode must be the id of an episode"))
            }
            (None, None, Some(name), false) => {
                let page = PageId::from_name(name).map(EpisodeChoice::Page);
                page.ok_or_else(|| ApiError::invalid("page must be 4 to 8 hexadecimal digits"))
            }
            (None, None, None, true) => Ok(EpisodeChoice::All),
            _ => Err(ApiError::invalid("name exactly one of agent, episode, page or all")),
        }
    }
}

/// A moment, given as a time or as a length of time before now.
pub(super) fn moment(text: &str, now: Timestamp) -> Result<Timestamp, ApiError> {
    if let Ok(TimeSpan(length)) = text.parse() {
        return Ok(before(now, length));
    }
    let wrong = |_| {
        ApiError::malformed(
            "since must be a time such as 2026-01-31T08:00:00Z, or a length such as 8h",
        )
    };
    text.parse().map_err(wrong)
}

fn before(now: Timestamp, length: Duration) -> Timestamp {
    let micros = i64::try_from(length.as_micros()).unwrap_or(i64::MAX);
    Timestamp::from_micros(now.as_micros().saturating_sub(micros).max(0))
}

impl From<WatchdogError> for ApiError {
    fn from(error: WatchdogError) -> Self {
        let message = error.to_string();
        match error {
            WatchdogError::NotRunning => Self::unavailable("watchdog_stopped", message),
            WatchdogError::Record(_) => Self::unavailable("ledger", message),
            WatchdogError::NotFound => Self::missing(message),
            WatchdogError::Conflict(_) => Self::conflict("watchdog", message),
        }
    }
}
