//! Signing browsers in: a single-use code for a cookie, and the CSRF value that belongs to it.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{app_state::AppState, error::ApiError, input::Body};
use crate::auth::{Access, Credentials, LINK_LIFE};

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
pub(crate) async fn show(State(app): State<AppState>, headers: HeaderMap) -> Json<SessionView> {
    let presented = Credentials { method: &Method::GET, headers: &headers };
    let (access, csrf) = match app.admission().check(presented, app.now()) {
        Ok(Access::Browser(session)) => ("browser", session.csrf),
        Ok(Access::Token) => ("token", String::new()),
        Ok(Access::Open) | Err(_) => ("open", String::new()),
    };
    Json(SessionView { access, csrf })
}

/// Exchanges a code for a cookie.
#[utoipa::path(post, path = "/session", tag = "session", request_body = CodeBody,
    responses((status = 204), (status = 401)))]
pub(crate) async fn sign_in(State(app): State<AppState>, body: Body) -> Result<Response, ApiError> {
    let CodeBody { code } = body.parse()?;
    if !app.links().redeem(&code, app.monotonic()) {
        return Err(ApiError::unauthorized(
            "this code was used already, has expired, or is not of this keeper; `abide token link` makes a new one",
        ));
    }
    with_cookie(&app.admission().sign_in(app.now()))
}

/// Removes the browser's cookie.
#[utoipa::path(delete, path = "/session", tag = "session", responses((status = 204)))]
pub(crate) async fn sign_out(State(app): State<AppState>) -> Result<Response, ApiError> {
    with_cookie(&app.admission().sign_out())
}

/// Makes a link that signs a browser in.
#[utoipa::path(post, path = "/session/links", tag = "session", responses((status = 201, body = LinkView)))]
pub(crate) async fn link(State(app): State<AppState>) -> Response {
    let (code, link) = app.link();
    (StatusCode::CREATED, Json(LinkView { code, link, expires_in_s: LINK_LIFE.as_secs() }))
        .into_response()
}

fn with_cookie(cookie: &str) -> Result<Response, ApiError> {
    let cookie = HeaderValue::from_str(cookie).map_err(|error| ApiError::internal(&error))?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}
