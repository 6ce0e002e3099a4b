//! `/start-epoch` and `/epochs`: accepts stimuli, shows and aborts epochs.

use abide_domain::{
    EntityName, EpochId, envelope::StimulusEnvelope, event::Idempotency,
    limits::IDEMPOTENCY_KEY_BYTES_MAX,
};
use abide_engine::{
    Keeper,
    keeper::{AcceptOptions, AcceptedState, AcceptedStimulus},
    state::EpochRecord,
};
use axum::{
    Json,
    extract::{Path, State},
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::{
    app_state::AppState,
    context_view,
    epoch_view::{EpochView, EpochViewOptions},
    error::{ApiError, ErrorView},
    input::{Body, Params, bounded_reason},
    list::List,
    stimulus::{self, ShortStimulus},
};
use crate::auth::Caller;

/// What keys of HTTP callers begin with in the ledger. Keys of channels begin with the channel's name.
const HTTP_KEYS: &str = "http";
/// What keys that channels make begin with. Before callers' keys had a beginning of their own, one could look like these.
const CHANNEL_KEYS: [&str; 2] = ["telegram:", "alertmanager:"];

/// A stimulus that is durable and will be answered or aborted.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AcceptedView {
    /// The epoch that answers it.
    epoch_id: String,
    /// Where it stands in the ledger.
    seq: u64,
    /// `queued` or `open`.
    state: &'static str,
    /// What the caller should know.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

/// An epoch that did not end in time. It goes on.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StillOpen {
    /// The epoch.
    epoch_id: String,
    /// The same in the shape of an error.
    error: ErrorView,
}

/// Why an epoch is to end.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AbortBody {
    /// For people.
    reason: Option<String>,
}

/// How an epoch is asked again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForkBody {
    /// In place of the old message.
    message: Option<String>,
}

/// A new epoch.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ForkedView {
    /// Its id.
    epoch_id: String,
}

/// Accepts a stimulus: the full envelope, or a message. Answers when it is durable; with `?wait=1` when it is answered.
#[utoipa::path(post, path = "/start-epoch", tag = "epochs", request_body = ShortStimulus,
    params(("wait" = Option<String>, Query), ("if_idle" = Option<String>, Query), ("thoughts" = Option<String>, Query),
        ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 202, body = AcceptedView), (status = 200, body = EpochView), (status = 409), (status = 422),
        (status = 423), (status = 429), (status = 503), (status = 504, body = StillOpen)))]
pub(crate) async fn start(
    State(app): State<AppState>,
    caller: Caller,
    params: Params,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let keeper = app.keeper()?;
    // All of the request is read before any of it is done.
    let (waits, shown) = (params.is_set("wait")?, EpochViewOptions::of(&params)?);
    let (idempotency, older_key) = idempotency(&headers, &body, &caller)?.unzip();
    let is_of_caller = |key: &String| !CHANNEL_KEYS.iter().any(|channel| key.starts_with(channel));
    let older_key = older_key.filter(is_of_caller);
    let (envelope, interactive) = stimulus::parse_stimulus((&app, keeper), &caller, &body.json()?)?;
    let how = AcceptOptions {
        interactive,
        administrator: is_administrator(&caller, &envelope),
        idempotency,
        older_key,
        if_idle: params.is_set("if_idle")?,
        author: author(&caller),
        beside: None,
    };
    let accepted = keeper.accept(envelope, how).await?;
    if waits {
        return wait(&app, (accepted.epoch, &caller), shown).await;
    }
    Ok((StatusCode::ACCEPTED, Json(accepted_view(accepted))).into_response())
}

fn accepted_view(accepted: AcceptedStimulus) -> AcceptedView {
    let state = match accepted.state {
        AcceptedState::Queued => "queued",
        AcceptedState::Open => "open",
    };
    AcceptedView {
        epoch_id: accepted.epoch.to_string(),
        seq: accepted.seq,
        state,
        warning: accepted.warning,
    }
}

/// The author of a stimulus where it is not simply its sender: a token of its own name may speak for others.
fn author(caller: &Caller) -> Option<EntityName> {
    (!caller.is_owner()).then(|| caller.author())
}

/// Whether an administrator speaks in their own name, and for nobody else.
fn is_administrator(caller: &Caller, envelope: &StimulusEnvelope) -> bool {
    caller.scopes().is_admin() && envelope.sender == caller.name()
}

async fn wait(
    app: &AppState,
    (epoch, caller): (EpochId, &Caller),
    shown: EpochViewOptions,
) -> Result<Response, ApiError> {
    let keeper = app.keeper()?;
    let limit = keeper.services().settings.limits.epoch;
    let epoch_id = epoch.to_string();
    let ended = tokio::select! {
        ended = tokio::time::timeout(limit, keeper.ended(epoch)) => ended.is_ok(),
        () = app.closing().cancelled() => return Err(ApiError::stopping(&epoch_id)),
    };
    if !app.still_admits(caller) {
        return Err(ApiError::unauthorized("this token or cookie is not valid any more"));
    }
    if ended {
        let record = record(keeper, epoch).await?;
        return Ok(Json(EpochView::new(&record, shown)).into_response());
    }
    let error = ApiError::still_open(&epoch_id).view().clone();
    Ok((StatusCode::GATEWAY_TIMEOUT, Json(StillOpen { epoch_id, error })).into_response())
}

/// The key as the ledger keeps it, and as it kept it before keys were told apart by who sends: no caller's key meets
/// another's, or one that a channel made.
fn idempotency(
    headers: &HeaderMap,
    body: &Body,
    caller: &Caller,
) -> Result<Option<(Idempotency, String)>, ApiError> {
    let Some(value) = headers.get("idempotency-key") else {
        return Ok(None);
    };
    let key =
        value.to_str().ok().filter(|key| (1..=IDEMPOTENCY_KEY_BYTES_MAX).contains(&key.len()));
    let message = || {
        format!("Idempotency-Key must be 1 to {IDEMPOTENCY_KEY_BYTES_MAX} visible ASCII characters")
    };
    let key = key.ok_or_else(|| ApiError::malformed(message()))?.to_owned();
    let body_sha256 = hex::encode(Sha256::digest(&body.0));
    let own = format!("{HTTP_KEYS}/{}/{key}", caller.name());
    Ok(Some((Idempotency { key: own, body_sha256 }, key)))
}

/// An epoch, whole.
pub(crate) async fn record(keeper: &Keeper, id: EpochId) -> Result<EpochRecord, ApiError> {
    let found = keeper.epoch(id).await.map_err(|error| ApiError::internal(&error))?;
    found.ok_or_else(|| ApiError::not_found("epoch", &id.to_string()))
}

fn epoch_id(text: &str) -> Result<EpochId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found("epoch", text))
}

/// Epochs, the newest first.
#[utoipa::path(get, path = "/epochs", tag = "epochs",
    params(("citizen" = Option<String>, Query), ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query),
        ("thoughts" = Option<String>, Query)),
    responses((status = 200, body = List<EpochView>)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<EpochView>>, ApiError> {
    let keeper = app.keeper()?;
    let citizen = params.get("citizen").map(|name| app.citizen(Some(name))).transpose()?;
    let (limit, before, shown) =
        (params.limit()?, params.cursor()?, EpochViewOptions::of(&params)?);
    // The order only grows at its end, so a position in it is a cursor that holds for ever.
    let (ids, next) = {
        let state = keeper.state();
        let end = before
            .and_then(|before| usize::try_from(before).ok())
            .unwrap_or(usize::MAX)
            .min(state.epochs.len());
        let is_wanted = |id: &EpochId| {
            citizen.as_ref().is_none_or(|citizen| {
                state.epochs.get(id).is_some_and(|span| span.agent == *citizen)
            })
        };
        let wanted = state.epochs.ids().enumerate().take(end).rev().filter(|(_, id)| is_wanted(id));
        let page: Vec<(usize, EpochId)> = wanted.take(limit + 1).collect();
        let has_more = page.len() > limit;
        let ids: Vec<_> = page.into_iter().take(limit).collect();
        let next = ids.last().filter(|_| has_more).map(|(at, _)| at.to_string());
        (ids, next)
    };
    let mut items = Vec::with_capacity(ids.len());
    for (_, id) in ids {
        items.push(EpochView::new(&record(keeper, id).await?, shown));
    }
    Ok(Json(List { items, next }))
}

/// One epoch.
#[utoipa::path(get, path = "/epochs/{id}", tag = "epochs",
    params(("id" = String, Path), ("thoughts" = Option<String>, Query), ("context" = Option<String>, Query)),
    responses((status = 200, body = EpochView), (status = 404)))]
pub(crate) async fn show(
    State(app): State<AppState>,
    Path(id): Path<String>,
    params: Params,
) -> Result<Json<EpochView>, ApiError> {
    let record = record(app.keeper()?, epoch_id(&id)?).await?;
    let view = EpochView::new(&record, EpochViewOptions::of(&params)?);
    if !params.is_set("context")? {
        return Ok(Json(view));
    }
    Ok(Json(view.with_context(context_view::render_context(&app, &record).await?)))
}

/// Ends an epoch, waiting or running, without a reply.
#[utoipa::path(post, path = "/epochs/{id}/abort", tag = "epochs", request_body = AbortBody, params(("id" = String, Path)),
    responses((status = 200, body = EpochView), (status = 404), (status = 409)))]
pub(crate) async fn abort(
    State(app): State<AppState>,
    Path(id): Path<String>,
    body: Body,
) -> Result<Json<EpochView>, ApiError> {
    let keeper = app.keeper()?;
    let id = epoch_id(&id)?;
    let AbortBody { reason } = body.parse()?;
    let reason = bounded_reason(reason)?.unwrap_or_else(|| "cancelled by a person".into());
    keeper.abort(id, reason).await?;
    keeper.ended(id).await;
    Ok(Json(EpochView::new(&record(keeper, id).await?, EpochViewOptions::default())))
}

/// Takes an epoch that ended without a reply off the list of what needs a person.
#[utoipa::path(post, path = "/epochs/{id}/dismiss", tag = "epochs", params(("id" = String, Path)),
    responses((status = 204), (status = 404), (status = 409)))]
pub(crate) async fn dismiss(
    State(app): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    app.keeper()?.dismiss(epoch_id(&id)?, caller.author()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Asks an epoch's stimulus again, as a new epoch.
#[utoipa::path(post, path = "/epochs/{id}/fork", tag = "epochs", request_body = ForkBody, params(("id" = String, Path)),
    responses((status = 200, body = ForkedView), (status = 404), (status = 422)))]
pub(crate) async fn fork(
    State(app): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    body: Body,
) -> Result<Json<ForkedView>, ApiError> {
    let keeper = app.keeper()?;
    let ForkBody { message } = body.parse()?;
    let old = record(keeper, epoch_id(&id)?).await?;
    if !caller.may_be(&old.stimulus.sender) {
        return Err(stimulus::foreign_sender(&caller, &old.stimulus.sender));
    }
    let envelope = stimulus::repeat_stimulus(&app, keeper, &old, message.as_deref())?;
    let interactive = old.stimulus.interactive && caller.scopes().approves();
    let administrator = is_administrator(&caller, &envelope);
    let author = author(&caller);
    let how = AcceptOptions { interactive, administrator, author, ..AcceptOptions::default() };
    let accepted = keeper.accept(envelope, how).await?;
    Ok(Json(ForkedView { epoch_id: accepted.epoch.to_string() }))
}
