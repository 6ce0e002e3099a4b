//! The HTTP routes: one file a group. What a caller sees are types of its own here; no type of the ledger is sent.
//!
//! Reading order: `guard` (before every route), `run_to_end` (around every change), `app_state` (what routes share), `error`, `query` and `input` (how they
//! fail, what they are given), `document` (what OpenAPI says of all of them), then the groups: `page` (with `client`), `session`, `health`, `epochs`, `events`, `ledger`, `snapshot`, `agents`, `approvals`,
//! `attention`, `watchdog`, `alertmanager`, `evidence`, `evolutions`, `decks`, `media`, `memory`, `stdout`, `tools`, `management`, `cards`, `config`, `metrics`.

use axum::{Json, Router, middleware};
use utoipa::OpenApi;

mod agents;
mod alertmanager;
mod app_state;
mod approvals;
mod attention;
mod cards;
mod client;
mod config;
mod config_view;
mod context_view;
mod decks;
mod document;
mod epoch_view;
mod epochs;
mod error;
mod events;
mod evidence;
mod evidence_view;
mod evolutions;
mod guard;
mod health;
mod http_metrics;
mod input;
mod ledger;
mod list;
mod management;
mod mcp;
mod mcp_questions;
mod media;
mod memory;
mod metrics;
mod page;
mod partial_answers;
mod process;
mod query;
mod run_to_end;
mod session;
mod snapshot;
mod stdout;
mod stimulus;
mod tool_progress;
mod tools;
#[cfg(test)]
mod typescript;
mod watchdog;

pub(crate) use agents::{agent_summary, state_of};
pub(crate) use app_state::{AppState, AppStateParts};
pub(crate) use config_view::ConfigView;

use error::ApiError;

use crate::auth::{
    AgentPlace::{Body, Epoch, Evolution, Path, Query},
    Right::{self, Admin, Approve, Open, Read, ReadApprovals, ReadOf, Say, SayTo, SignedIn},
};

/// Declares the routes once: the router, the rights that the guard asks for and the list that the document is held against
/// are made from the same lines. A route without a right does not compile.
macro_rules! routes {
    ($($method:ident $path:literal [$right:expr] $handler:path;)+) => {
        /// Every route: method, path, and what it asks of whoever calls it.
        const ROUTES: &[(&str, &str, Right)] = &[$((stringify!($method), $path, $right)),+];

        fn routed() -> Router<AppState> {
            Router::new()$(.route($path, axum::routing::$method($handler)))+
        }
    };
}

routes! {
    get "/" [Read] page::root;
    get "/assets/{file}" [Open] page::file;
    get "/plain" [Open] page::plain;
    get "/session" [SignedIn] session::show;
    post "/session" [Open] session::sign_in;
    delete "/session" [SignedIn] session::sign_out;
    post "/session/links" [SignedIn] session::link;
    get "/health" [Open] health::health;
    get "/ready" [Open] health::ready;
    get "/alive" [Open] health::alive;
    get "/version" [Open] health::version;
    post "/start-epoch" [SayTo(Body)] epochs::start;
    get "/epochs" [ReadOf(Query)] epochs::list;
    get "/epochs/{id}" [ReadOf(Epoch)] epochs::show;
    post "/epochs/{id}/abort" [SayTo(Epoch)] epochs::abort;
    post "/epochs/{id}/fork" [SayTo(Epoch)] epochs::fork;
    post "/epochs/{id}/dismiss" [Approve] epochs::dismiss;
    get "/events" [ReadOf(Query)] events::follow;
    get "/ledger" [Read] ledger::page;
    get "/snapshot" [Read] snapshot::show;
    get "/agents" [Read] agents::list;
    get "/agents/{id}" [ReadOf(Path)] agents::show;
    get "/agents/{id}/wakes" [ReadOf(Path)] stdout::wakes;
    post "/agents/{id}/{action}" [Admin] agents::steer;
    get "/tools" [ReadOf(Query)] tools::list;
    put "/tools/{name}/policy" [Admin] tools::set_policy;
    post "/tools/trial" [Admin] tools::trial;
    get "/mcp/servers" [Read] mcp::list;
    post "/mcp/servers/{id}/accept" [Approve] mcp::accept;
    post "/mcp/reload" [Admin] mcp::reload;
    get "/mcp/questions" [ReadApprovals] mcp_questions::list;
    post "/mcp/questions/{id}/answer" [Approve] mcp_questions::answer;
    get "/approvals" [ReadApprovals] approvals::list;
    post "/approvals/{id}" [Approve] approvals::decide;
    get "/attention" [Read] attention::list;
    get "/watchdog" [Read] watchdog::show;
    get "/watchdog/report" [Read] watchdog::report;
    post "/watchdog/{action}" [Approve] watchdog::order;
    post "/alertmanager" [Say] alertmanager::take;
    get "/evidence" [Read] evidence::list;
    post "/evidence" [Admin] evidence::record;
    get "/evolutions" [ReadOf(Query)] evolutions::list;
    post "/evolutions" [Admin] evolutions::propose;
    get "/evolutions/search" [ReadOf(Query)] evolutions::search::list;
    post "/evolutions/search" [Admin] evolutions::search::start;
    post "/evolutions/search/stop" [Admin] evolutions::search::stop;
    get "/evolutions/{id}" [ReadOf(Evolution)] evolutions::show;
    get "/evolutions/{id}/report" [ReadOf(Evolution)] evolutions::report;
    post "/evolutions/{id}/{action}" [Approve] evolutions::answer;
    get "/deck/list" [Read] decks::list;
    post "/deck/create" [Say] decks::change::create;
    post "/deck/load" [Say] decks::change::load;
    get "/deck/state" [Read] decks::state;
    post "/deck/effect" [Read] decks::effect;
    post "/deck/approve" [Approve] decks::change::approve;
    post "/deck/reject" [Approve] decks::change::reject;
    post "/deck/edit" [Approve] decks::change::edit;
    post "/deck/undo" [Approve] decks::change::undo;
    post "/deck/rewrite" [Approve] decks::change::rewrite;
    post "/deck/reopen" [Approve] decks::change::reopen;
    post "/deck/bracket" [Approve] decks::change::bracket;
    post "/deck/fork" [Say] decks::change::fork;
    get "/deck/history" [Read] decks::history;
    get "/deck/compare" [Read] decks::compare;
    get "/deck/export" [Read] decks::export;
    get "/deck/playtest" [Read] decks::playtest;
    get "/deck/cards" [Read] decks::cards;
    get "/media-status" [Read] media::status;
    post "/control-media" [Say] media::control;
    get "/music/library" [Read] media::library;
    get "/music/albums" [Read] media::albums;
    get "/music/covers/{digest}" [Read] media::cover;
    post "/music/scan" [Say] media::scan;
    get "/music/playlists" [Read] media::playlists::list;
    post "/music/playlists" [Say] media::playlists::create;
    get "/music/playlists/{id}" [Read] media::playlists::show;
    patch "/music/playlists/{id}" [Say] media::playlists::change;
    delete "/music/playlists/{id}" [Say] media::playlists::delete;
    get "/music/playlists/{id}/m3u" [Read] media::playlists::export;
    get "/identity" [ReadOf(Query)] memory::identity::show;
    post "/identity" [Admin] memory::identity::set;
    get "/identity/versions" [ReadOf(Query)] memory::identity::versions;
    get "/identity/diff" [ReadOf(Query)] memory::identity::diff;
    post "/identity/restore" [Admin] memory::identity::restore;
    get "/identity/proposals" [ReadOf(Query)] memory::identity::proposals;
    post "/identity/proposals/{id}" [Approve] memory::identity::review;
    get "/knowledge" [ReadOf(Query)] memory::knowledge::list;
    post "/knowledge" [Admin] memory::knowledge::remember;
    get "/knowledge/proposals" [ReadOf(Query)] memory::review::list;
    post "/knowledge/proposals/{id}" [Approve] memory::review::decide;
    delete "/knowledge/{fact_id}" [Admin] memory::knowledge::forget;
    get "/dreams" [ReadOf(Query)] memory::dreams::list;
    get "/dreams/{filename}" [ReadOf(Query)] memory::dreams::show;
    delete "/dreams/{filename}" [Admin] memory::dreams::forget;
    post "/memory/forget" [Say] memory::forget::forget;
    post "/memory/query" [Read] memory::query::ask;
    post "/memory/search" [Read] memory::query::search;
    get "/memory/graph/nodes" [ReadOf(Query)] memory::graph::nodes;
    post "/memory/graph/nodes" [Admin] memory::graph::put;
    get "/memory/graph/nodes/{id}" [ReadOf(Query)] memory::graph::node;
    delete "/memory/graph/nodes/{id}" [Admin] memory::graph::close;
    get "/memory/graph/edges" [ReadOf(Query)] memory::graph::edges;
    post "/memory/graph/edges" [Admin] memory::graph::link;
    delete "/memory/graph/edges" [Admin] memory::graph::unlink;
    post "/memory/graph/seed" [Admin] memory::graph::seed;
    get "/memory/graph/export" [ReadOf(Query)] memory::graph::export;
    post "/stdout" [Say] stdout::carry_out;
    get "/stdout/grants" [Read] stdout::grants;
    post "/stdout/grants" [Admin] stdout::grant;
    delete "/stdout/grants" [Admin] stdout::revoke;
    post "/management/reset" [Admin] management::reset;
    get "/management/sleep" [ReadOf(Query)] management::night;
    post "/management/sleep" [Admin] management::sleep;
    get "/cards" [Read] cards::show;
    get "/cards/{oracle_id}/image" [Read] cards::image;
    get "/config" [Read] config::show;
    get "/metrics" [Read] metrics::metrics;
    get "/openapi.json" [SignedIn] openapi;
}

/// What the guard asks.
const RIGHTS: guard::RouteRights = right_of;

/// What a route asks of whoever calls it; none where there is no such route.
fn right_of(method: &http::Method, path: &str) -> Option<Right> {
    let is_it = |(known, of, _): &&(&str, &str, Right)| {
        *of == path && method.as_str().eq_ignore_ascii_case(known)
    };
    ROUTES.iter().find(is_it).map(|(_, _, right)| *right)
}

/// The document of this interface.
#[derive(OpenApi)]
#[openapi(
    info(title = "Abide", description = "The running keeper. Errors have one shape, lists one form."),
    paths(
        page::root, page::file, page::plain, session::show, session::sign_in, session::sign_out, session::link, health::health,
        health::ready, health::alive, health::version, epochs::start, epochs::list, epochs::show, epochs::abort, epochs::dismiss,
        epochs::fork, events::follow, ledger::page, snapshot::show, agents::list, agents::show, agents::steer, approvals::list,
        approvals::decide, tools::list, tools::set_policy, tools::trial, mcp::list, mcp::accept, mcp::reload, mcp_questions::list, mcp_questions::answer, attention::list, watchdog::show, watchdog::report, watchdog::order, alertmanager::take, evidence::list, evidence::record,
        evolutions::list, evolutions::propose, evolutions::show, evolutions::report, evolutions::answer, evolutions::search::list, evolutions::search::start, evolutions::search::stop, decks::list, decks::change::create, decks::change::load, decks::state, decks::effect,
        decks::change::approve, decks::change::reject, decks::change::edit, decks::change::undo, decks::change::rewrite, decks::change::reopen,
        decks::change::bracket, decks::change::fork, decks::history, decks::compare, decks::export, decks::playtest, decks::cards,
        media::status, media::control, media::library, media::albums, media::cover, media::scan, media::playlists::list, media::playlists::create,
        media::playlists::show, media::playlists::change, media::playlists::delete, media::playlists::export, memory::identity::show, memory::identity::set, memory::identity::versions,
        memory::identity::diff, memory::identity::restore, memory::identity::proposals, memory::identity::review,
        memory::review::list, memory::review::decide, memory::knowledge::list, memory::knowledge::remember, memory::knowledge::forget, memory::dreams::list,
        memory::dreams::show, memory::dreams::forget, memory::forget::forget, memory::query::ask, memory::query::search, memory::graph::nodes,
        memory::graph::put, memory::graph::node, memory::graph::close, memory::graph::edges, memory::graph::link,
        memory::graph::unlink, memory::graph::seed, memory::graph::export,
        stdout::carry_out, stdout::grants, stdout::grant, stdout::revoke, stdout::wakes,
        management::reset, management::night, management::sleep, cards::show, cards::image, config::show, metrics::metrics, openapi
    ),
    components(schemas(error::ErrorBody, tool_progress::ToolProgressView)),
    security(("token" = []), ("cookie" = [])),
    modifiers(&Completion)
)]
struct Document;

struct Completion;

impl utoipa::Modify for Completion {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        document::complete(document, ROUTES);
    }
}

/// This interface, as OpenAPI 3.1.
#[utoipa::path(get, path = "/openapi.json", tag = "keeper", responses((status = 200, body = Object)))]
async fn openapi() -> Json<utoipa::openapi::OpenApi> {
    Json(Document::openapi())
}

/// All routes behind their guard.
pub(crate) fn router(app: AppState) -> Router {
    routed()
        .fallback(async || ApiError::no_route())
        .method_not_allowed_fallback(async || ApiError::no_method())
        .layer(middleware::from_fn_with_state(app.clone(), run_to_end::run_to_end))
        .layer(middleware::from_fn_with_state(
            query::KnownParameters::of(Document::openapi()),
            query::check_address,
        ))
        .layer(middleware::from_fn_with_state((app.clone(), RIGHTS), guard::guard))
        .with_state(app)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use http::Method;
    use utoipa::OpenApi as _;

    use super::{Document, ROUTES, document::SCOPE_FIELD, query::KnownParameters};

    #[test]
    fn the_parameters_of_routes_are_those_of_the_document() {
        let known = KnownParameters::of(Document::openapi());
        let of = |method, path| known.of_route(&method, path).iter().cloned().collect::<Vec<_>>();
        assert_eq!(of(Method::GET, "/epochs"), ["citizen", "cursor", "limit", "thoughts"]);
        assert_eq!(of(Method::HEAD, "/epochs"), of(Method::GET, "/epochs"));
        assert_eq!(of(Method::POST, "/start-epoch"), ["if_idle", "thoughts", "wait"]);
        assert_eq!(of(Method::GET, "/health"), [""; 0]);
    }

    #[test]
    fn the_document_names_the_routes_and_no_others() {
        let document = serde_json::to_value(Document::openapi()).unwrap();
        let paths = document["paths"].as_object().unwrap();
        let documented: BTreeSet<(String, String)> = paths
            .iter()
            .flat_map(|(path, item)| {
                item.as_object().unwrap().keys().map(|method| (method.clone(), path.clone()))
            })
            .collect();
        let routed: BTreeSet<(String, String)> = ROUTES
            .iter()
            .map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned()))
            .collect();
        assert_eq!(documented, routed);
        assert_eq!(routed.len(), ROUTES.len(), "a route is declared twice");
        for (method, path, right) in ROUTES {
            let operation = &document["paths"][*path][*method];
            assert_eq!(operation[SCOPE_FIELD], right.name(), "{method} {path}");
            let responses = operation["responses"].as_object().unwrap();
            for (status, response) in responses {
                let is_error = status.starts_with(['4', '5']);
                let is_wordless = matches!(status.as_str(), "204" | "303" | "304");
                let about = format!("{method} {path} {status}");
                assert!(!response["description"].as_str().unwrap().is_empty(), "{about}");
                assert!(is_wordless || response["content"].is_object(), "{about} has no body");
                assert!(
                    !is_error || response["content"]["application/json"].is_object(),
                    "{about}"
                );
            }
        }
    }
}
