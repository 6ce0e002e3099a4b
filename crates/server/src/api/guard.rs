//! Before any route: Host (421), Origin (403), media type (415), token or cookie (401), CSRF (403), the route's right (403).
//! After any route: headers that keep browsers from guessing, framing and caching.
//!
//! The order matters: a page of another origin learns nothing about tokens, and a form is refused before it is read.

use std::collections::BTreeMap;

use abide_domain::{AgentId, EpochId, EvolutionId};
use axum::{
    extract::{FromRequestParts, MatchedPath, Query, Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts};

use super::{app_state::AppState, error::ApiError};
use crate::{
    auth::{AdmissionError, AgentPlace, CSRF_HEADER, Caller, Credentials, OriginError, Right},
    listener::RequestConnection,
};

/// What the page may load: its own files, nothing else; no inline script.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                   form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// What the routes ask of whoever calls them, by method and path; none where there is no such route.
pub(super) type RouteRights = fn(&Method, &str) -> Option<Right>;

/// Lets a request through or answers it.
pub(crate) async fn guard(
    State((app, rights)): State<(AppState, RouteRights)>,
    mut request: Request,
    next: Next,
) -> Response {
    let method = request.method().clone();
    let signs_in = method == Method::POST && request.uri().path() == "/session";
    let connection = request.extensions().get::<RequestConnection>().cloned().filter(|_| signs_in);
    let mut response = match check(&app, &request, right(rights, &request)) {
        // Some screens share their address with a route; `/` alone has more to do than to show itself.
        Ok(None) if is_page(&request) && request.uri().path() != "/" => {
            super::page::screen(request.headers())
        }
        Ok(caller) => {
            if let Some(caller) = caller {
                request.extensions_mut().insert(caller);
            }
            let response = next.run(request).await;
            // A wrong code counts as a wrong token does.
            let failed = connection.filter(|_| response.status() == StatusCode::UNAUTHORIZED);
            match failed.map(|connection| connection.count_failure()) {
                Some(wait) if !wait.is_zero() => ApiError::too_many_failures(wait).into_response(),
                _ => response,
            }
        }
        Err(error) => error.into_response(),
    };
    app.metrics().count_answer(&method, response.status());
    harden(response.headers_mut());
    response
}

/// Who calls, where the route asks for somebody.
fn check(app: &AppState, request: &Request, right: Right) -> Result<Option<Caller>, ApiError> {
    let (method, headers) = (request.method(), request.headers());
    let uri_host = request.uri().authority().map(http::uri::Authority::as_str);
    app.origin_check().check(method, uri_host, headers).map_err(|error| match error {
        OriginError::Host => ApiError::misdirected(),
        OriginError::Origin => ApiError::forbidden(
            "foreign_origin",
            "the request comes from a page of another origin, and those are refused",
        ),
    })?;
    check_media_type(method, headers)?;
    if right == Right::Open || is_page(request) {
        return Ok(None);
    }
    let connection = request.extensions().get::<RequestConnection>().cloned();
    let caller = match app.admission().check(Credentials { method, headers }, app.ledger_now()) {
        Ok(caller) => {
            if let Some(connection) = connection {
                connection.admit();
            }
            caller
        }
        Err(AdmissionError::Missing) => {
            return Err(ApiError::unauthorized(
                "a token is needed: send `Authorization: Bearer` with the content of the file `token` in the home folder",
            ));
        }
        Err(AdmissionError::Wrong) => {
            let error = ApiError::unauthorized("this token or cookie is not, or no longer, valid");
            // A browser's old cookie is no guess.
            return Err(if headers.contains_key(header::AUTHORIZATION) {
                braked(connection.as_ref(), error)
            } else {
                error
            });
        }
        Err(AdmissionError::Csrf) => {
            return Err(ApiError::forbidden(
                "csrf",
                format!(
                    "a write by a browser needs the header {CSRF_HEADER} with the value from GET /session"
                ),
            ));
        }
    };
    check_right(app, request, &caller, right)?;
    Ok(Some(caller))
}

/// What the route of a request asks for. Where there is no such route, or not with this method, only a token: what is not
/// there is told to nobody else.
fn right(rights: RouteRights, request: &Request) -> Right {
    let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let method = if *request.method() == Method::HEAD { &Method::GET } else { request.method() };
    path.and_then(|path| rights(method, path)).unwrap_or(Right::SignedIn)
}

fn check_right(
    app: &AppState,
    request: &Request,
    caller: &Caller,
    right: Right,
) -> Result<(), ApiError> {
    // An agent that has got a person's name since is not that person.
    if !caller.is_owner() && app.keeper().is_ok_and(|keeper| keeper.agent(caller.name()).is_some())
    {
        let message = format!(
            "this token has the name of an agent, {}, and acts for nobody; revoke it and create another one",
            caller.name()
        );
        return Err(ApiError::forbidden("name", message));
    }
    let agent = match right {
        Right::ReadOf(place) | Right::SayTo(place) => agent_of(app, request, place),
        Right::ReadApprovals => agent_of(app, request, AgentPlace::Query),
        _ => None,
    };
    if caller.scopes().permit(right, agent.as_ref()) { Ok(()) } else { Err(missing_scope(right)) }
}

/// The refusal of a token that may do other things.
pub(crate) fn missing_scope(right: Right) -> ApiError {
    let message = format!("this token may not do this; it needs the scope {}", right.scope());
    ApiError::forbidden("scope", message)
}

/// The agent that a request names; none where it names none, or none that there could be.
fn agent_of(app: &AppState, request: &Request, place: AgentPlace) -> Option<AgentId> {
    match place {
        AgentPlace::Query => {
            // As the routes read it: with a name that is given twice they see the same one.
            let query = Query::<BTreeMap<String, String>>::try_from_uri(request.uri()).ok()?;
            query.get("citizen")?.parse().ok()
        }
        AgentPlace::Path => path_id(request)?.parse().ok(),
        AgentPlace::Epoch => {
            let epoch: EpochId = path_id(request)?.parse().ok()?;
            let keeper = app.keeper().ok()?;
            let state = keeper.state();
            state.epochs.get(&epoch).map(|span| span.agent.clone())
        }
        AgentPlace::Evolution => {
            let change: EvolutionId = path_id(request)?.parse().ok()?;
            let keeper = app.keeper().ok()?;
            let state = keeper.state();
            state.evolutions.get(change).map(|record| record.agent.clone())
        }
        AgentPlace::Body => None,
    }
}

/// What stands in the path in place of `{id}`. Ids have no character that a path must encode; an encoded one is none.
fn path_id(request: &Request) -> Option<&str> {
    let template = request.extensions().get::<MatchedPath>()?.as_str();
    let mut parts = template.split('/').zip(request.uri().path().split('/'));
    parts.find(|(name, _)| *name == "{id}").map(|(_, part)| part)
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        // The guard put it there. A route that is open to everybody has none, and asks for none.
        let caller = parts.extensions.get::<Self>().cloned();
        caller.ok_or_else(|| ApiError::unauthorized("a token is needed"))
    }
}

/// The error, or a refusal to look at more of the kind where there were too many from this address.
fn braked(connection: Option<&RequestConnection>, error: ApiError) -> ApiError {
    match connection.map(RequestConnection::count_failure) {
        Some(wait) if !wait.is_zero() => ApiError::too_many_failures(wait),
        _ => error,
    }
}

/// A body must say that it is JSON; one that says it is a form or text is refused even when empty.
fn check_media_type(method: &Method, headers: &HeaderMap) -> Result<(), ApiError> {
    if matches!(*method, Method::GET | Method::HEAD) {
        return Ok(());
    }
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        let has_body = headers.contains_key(header::TRANSFER_ENCODING)
            || headers.get(header::CONTENT_LENGTH).is_some_and(|length| length != "0");
        return if has_body { Err(ApiError::not_json_type()) } else { Ok(()) };
    };
    let value = value.to_str().unwrap_or_default().to_ascii_lowercase();
    let essence = value.split(';').next().unwrap_or_default().trim();
    let is_json = essence == "application/json"
        || essence.starts_with("application/") && essence.ends_with("+json");
    if is_json { Ok(()) } else { Err(ApiError::not_json_type()) }
}

fn is_page(request: &Request) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
        && super::page::is_screen(request.uri().path(), request.headers())
}

fn harden(headers: &mut HeaderMap) {
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, CSP),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
