//! Signing browsers in: a single-use code for a cookie, and the CSRF value that belongs to it.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use http::{HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{app_state::AppState, error::ApiError, input::Body};
use crate::auth::{Caller, Credential, LINK_LIFE};

/// A single-use code.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CodeBody {
    /// As printed by `abide up` and `abide token link`.
    code: String,
}

/// Who is signed in.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionView {
    /// `token`, `browser` or `open` (no token is required).
    access: &'static str,
    /// What a browser's writes carry in `X-Abide-Csrf`; empty where none is needed.
    csrf: String,
    /// The name under which the caller acts.
    name: String,
    /// What the caller may do.
    scopes: Vec<String>,
}

/// A link that signs a browser in.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LinkView {
    /// The code in it.
    code: String,
    /// The address to open.
    link: String,
    /// How long it works, in seconds. It works once.
    expires_in_s: u64,
}

/// Says who is signed in.
#[utoipa::path(get, path = "/session", tag = "session", responses((status = 200, body = SessionView)))]
pub(crate) async fn show(caller: Caller) -> Json<SessionView> {
    let (access, csrf) = match caller.credential() {
        Credential::Cookie(session, _) => ("browser", session.csrf.clone()),
        Credential::Token(_) => ("token", String::new()),
        Credential::Nothing => ("open", String::new()),
    };
    let (name, scopes) = (caller.name().to_owned(), caller.scopes().texts());
    Json(SessionView { access, csrf, name, scopes })
}

/// Exchanges a code for a cookie.
#[utoipa::path(post, path = "/session", tag = "session", request_body = CodeBody,
    responses((status = 204), (status = 401), (status = 429)))]
pub(crate) async fn sign_in(State(app): State<AppState>, body: Body) -> Result<Response, ApiError> {
    let CodeBody { code } = body.parse()?;
    let cookie = app.admission().sign_in(&code, app.monotonic(), app.ledger_now());
    let cookie = cookie.ok_or_else(|| {
        ApiError::unauthorized(
            "this code was used already, has expired, or is not of this keeper; `abide token link` makes a new one",
        )
    })?;
    with_cookie(&cookie)
}

/// Signs the browser out: its cookie and its open streams end.
#[utoipa::path(delete, path = "/session", tag = "session", responses((status = 204)))]
pub(crate) async fn sign_out(
    State(app): State<AppState>,
    caller: Caller,
) -> Result<Response, ApiError> {
    with_cookie(&app.admission().sign_out(&caller))
}

/// Makes a link that signs a browser in as the caller: what it opens ends with the caller's token.
#[utoipa::path(post, path = "/session/links", tag = "session", responses((status = 201, body = LinkView)))]
pub(crate) async fn link(State(app): State<AppState>, caller: Caller) -> Response {
    let (code, link) = app.link_for(&caller);
    (StatusCode::CREATED, Json(LinkView { code, link, expires_in_s: LINK_LIFE.as_secs() }))
        .into_response()
}

fn with_cookie(cookie: &str) -> Result<Response, ApiError> {
    let cookie = HeaderValue::from_str(cookie).map_err(|error| ApiError::internal(&error))?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}
