//! Before any route: Host (421), Origin (403), media type (415), token or cookie (401), CSRF (403). After any route:
//! headers that keep browsers from guessing, framing and caching.
//!
//! The order matters: a page of another origin learns nothing about tokens, and a form is refused before it is read.

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use super::{app_state::AppState, error::ApiError};
use crate::{
    auth::{AdmissionError, CSRF_HEADER, Credentials, OriginError},
    listener::RequestConnection,
};

/// What the page may load: its own files, nothing else; no inline script.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                   form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Lets a request through or answers it.
pub(crate) async fn guard(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let signs_in = method == Method::POST && request.uri().path() == "/session";
    let connection = request.extensions().get::<RequestConnection>().cloned().filter(|_| signs_in);
    let mut response = match check(&app, &request) {
        // Some screens share their address with a route; `/` alone has more to do than to show itself.
        Ok(()) if is_page(&request) && request.uri().path() != "/" => {
            super::page::screen(request.headers())
        }
        Ok(()) => {
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

fn check(app: &AppState, request: &Request) -> Result<(), ApiError> {
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
    if is_public(method, request.uri().path(), headers) {
        return Ok(());
    }
    let connection = request.extensions().get::<RequestConnection>().cloned();
    match app.admission().check(Credentials { method, headers }, app.now()) {
        Ok(_) => {
            if let Some(connection) = connection {
                connection.admit();
            }
            Ok(())
        }
        Err(AdmissionError::Missing) => Err(ApiError::unauthorized(
            "a token is needed: send `Authorization: Bearer` with the content of the file `token` in the home folder",
        )),
        Err(AdmissionError::Wrong) => {
            let error = ApiError::unauthorized("this token or cookie is not, or no longer, valid");
            // A browser's old cookie is no guess.
            Err(if headers.contains_key(header::AUTHORIZATION) {
                braked(connection.as_ref(), error)
            } else {
                error
            })
        }
        Err(AdmissionError::Csrf) => Err(ApiError::forbidden(
            "csrf",
            format!(
                "a write by a browser needs the header {CSRF_HEADER} with the value from GET /session"
            ),
        )),
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

fn is_public(method: &Method, path: &str, headers: &HeaderMap) -> bool {
    match *method {
        Method::GET | Method::HEAD => {
            matches!(path, "/health" | "/ready" | "/alive" | "/version" | "/plain")
                || path.starts_with("/assets/")
                || super::page::is_screen(path, headers)
        }
        Method::POST => path == "/session",
        _ => false,
    }
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
