//! `GET /`: the web client, or the keeper's status as JSON; the plain page, which needs no Node to be built; their files.
//! All of it is compiled in.

use abide_domain::AgentId;
use axum::{
    extract::{Path, State},
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use rust_embed::RustEmbed;
use serde::Serialize;
use utoipa::ToSchema;

use super::{agents::state_of, app_state::AppState, client, error::ApiError, input::Params};

/// The plain page's files.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/assets"]
struct Assets;

/// The keeper in short.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatusView {
    /// `abide`.
    name: &'static str,
    /// Of the program.
    version: &'static str,
    /// `loading`, `ok`, `degraded` or `poisoned`.
    status: &'static str,
    /// Of the last event; 0 while loading.
    tick: u64,
    /// Of the last event; 0 while loading.
    seq: u64,
    /// The agents; none while loading.
    agents: Vec<AgentState>,
}

/// An agent in short.
#[derive(Debug, Serialize, ToSchema)]
struct AgentState {
    /// Its id.
    id: String,
    /// What it does.
    state: &'static str,
}

/// The page for browsers, the keeper's status for programs.
#[utoipa::path(get, path = "/", tag = "keeper", params(("code" = Option<String>, Query)), 
    responses((status = 200, content((StatusView = "application/json"), (String = "text/html"))), (status = 303)))]
pub(crate) async fn root(
    State(app): State<AppState>,
    headers: HeaderMap,
    params: Params,
) -> Response {
    if !wants_page(&headers) {
        return axum::Json(status(&app)).into_response();
    }
    let Some(code) = params.get("code") else {
        return screen(&headers);
    };
    match app.admission().sign_in(code, app.monotonic(), app.ledger_now()) {
        Some(cookie) => redirect("/", Some(cookie)),
        None => redirect("/#expired", None),
    }
}

/// The page of a screen: the web client where it was built, else the plain page.
pub(crate) fn screen(headers: &HeaderMap) -> Response {
    client::shell(headers).unwrap_or_else(|| asset("index.html"))
}

/// The plain page, which is always there.
#[utoipa::path(get, path = "/plain", tag = "keeper", responses((status = 200, body = String, content_type = "text/html")))]
pub(crate) async fn plain() -> Response {
    asset("index.html")
}

/// A file of the web client or of the plain page.
#[utoipa::path(get, path = "/assets/{file}", tag = "keeper", params(("file" = String, Path)),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream"), (status = 304), (status = 404)))]
pub(crate) async fn file(Path(file): Path<String>, headers: HeaderMap) -> Response {
    client::asset(&file, &headers).unwrap_or_else(|| asset(&file))
}

/// Whether a request is for a page: a screen's address, asked for by a browser.
pub(crate) fn is_screen(path: &str, headers: &HeaderMap) -> bool {
    (path == "/" || client::is_screen(path)) && wants_page(headers)
}

/// Whether a request is a browser's: it asks for HTML by name.
pub(crate) fn wants_page(headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepts.flat_map(|value| value.split(',')).any(|part| part.trim().starts_with("text/html"))
}

fn asset(name: &str) -> Response {
    let Some(file) = Assets::get(name) else {
        return ApiError::not_found("file", name).into_response();
    };
    // The files change with the binary alone; asking again costs little and an old page cannot outlive an upgrade.
    (
        [(header::CONTENT_TYPE, client::media_type(name)), (header::CACHE_CONTROL, "no-cache")],
        client::bytes_of(file),
    )
        .into_response()
}

fn redirect(to: &'static str, cookie: Option<String>) -> Response {
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response();
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::try_from(cookie).ok()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

fn status(app: &AppState) -> StatusView {
    let status = app.health().status;
    let (name, version) = ("abide", crate::VERSION);
    let Ok(keeper) = app.keeper() else {
        return StatusView { name, version, status, tick: 0, seq: 0, agents: Vec::new() };
    };
    let ids: Vec<AgentId> = keeper.agents().iter().map(|agent| agent.id.clone()).collect();
    let state = keeper.state();
    let agents = ids
        .iter()
        .map(|id| AgentState { id: id.to_string(), state: state_of(app, &state, id) })
        .collect();
    StatusView { name, version, status, tick: state.tick, seq: state.seq, agents }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use abide_domain::event::catalogue;

    use super::Assets;

    fn text(name: &str) -> String {
        String::from_utf8(Assets::get(name).unwrap().data.into_owned()).unwrap()
    }

    #[test]
    fn the_page_is_small_and_leaves_nothing_for_a_hostile_text_to_become() {
        let bytes: usize = Assets::iter().map(|name| Assets::get(&name).unwrap().data.len()).sum();
        assert!(bytes < 30_000, "{bytes}");
        let (page, script) = (text("index.html"), text("app.js"));
        for forbidden in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "javascript:",
        ] {
            assert!(!script.contains(forbidden) && !page.contains(forbidden), "{forbidden}");
        }
        for inline in [" style=", "<style", " onclick", " onload", " onerror", " onsubmit"] {
            assert!(!page.contains(inline), "{inline}");
        }
        assert_eq!(
            page.matches("<script").count(),
            page.matches("<script type=\"module\" src=").count()
        );
    }

    #[test]
    fn the_page_listens_for_every_kind_of_event() {
        let script = text("app.js");
        let list = script.split_once("const KINDS = [").unwrap().1.split_once("];").unwrap().0;
        let listed: BTreeSet<&str> = list.split('"').skip(1).step_by(2).collect();
        assert_eq!(listed, catalogue().map(|kind| kind.name).collect::<BTreeSet<_>>());
    }
}
