//! The HTTP routes: one file a group. What a caller sees are types of its own here; no type of the ledger is sent.
//!
//! Reading order: `guard` (before every route), `app_state` (what routes share), `error`, `query` and `input` (how they
//! fail, what they are given), then the groups: `page` (with `client`), `session`, `health`, `epochs`, `events`, `ledger`, `snapshot`, `agents`, `approvals`,
//! `attention`, `watchdog`, `alertmanager`, `evidence`, `memory`, `stdout`, `management`, `config`, `metrics`.

use axum::{Json, Router, middleware};
use utoipa::OpenApi;

mod agents;
mod alertmanager;
mod app_state;
mod approvals;
mod attention;
mod client;
mod config;
mod config_view;
mod context_view;
mod epoch_view;
mod epochs;
mod error;
mod events;
mod evidence;
mod guard;
mod health;
mod http_metrics;
mod input;
mod ledger;
mod list;
mod management;
mod memory;
mod metrics;
mod page;
mod partial_answers;
mod process;
mod query;
mod session;
mod snapshot;
mod stdout;
mod stimulus;
#[cfg(test)]
mod typescript;
mod watchdog;

pub(crate) use agents::{agent_summary, state_of};
pub(crate) use app_state::{AppState, AppStateParts};
pub(crate) use config_view::ConfigView;

use error::ApiError;

/// Declares the routes once: the router and the list that the document is held against are made from the same lines.
macro_rules! routes {
    ($($method:ident $path:literal $handler:path;)+) => {
        /// Every route: method and path.
        #[cfg(test)]
        const ROUTES: &[(&str, &str)] = &[$((stringify!($method), $path)),+];

        fn routed() -> Router<AppState> {
            Router::new()$(.route($path, axum::routing::$method($handler)))+
        }
    };
}

routes! {
    get "/" page::root;
    get "/assets/{file}" page::file;
    get "/plain" page::plain;
    get "/session" session::show;
    post "/session" session::sign_in;
    delete "/session" session::sign_out;
    post "/session/links" session::link;
    get "/health" health::health;
    get "/ready" health::ready;
    get "/alive" health::alive;
    get "/version" health::version;
    post "/start-epoch" epochs::start;
    get "/epochs" epochs::list;
    get "/epochs/{id}" epochs::show;
    post "/epochs/{id}/abort" epochs::abort;
    post "/epochs/{id}/fork" epochs::fork;
    get "/events" events::follow;
    get "/ledger" ledger::page;
    get "/snapshot" snapshot::show;
    get "/agents" agents::list;
    get "/agents/{id}" agents::show;
    get "/agents/{id}/wakes" stdout::wakes;
    post "/agents/{id}/{action}" agents::steer;
    get "/approvals" approvals::list;
    post "/approvals/{id}" approvals::decide;
    get "/attention" attention::list;
    get "/watchdog" watchdog::show;
    get "/watchdog/report" watchdog::report;
    post "/watchdog/{action}" watchdog::order;
    post "/alertmanager" alertmanager::take;
    get "/evidence" evidence::list;
    post "/evidence" evidence::record;
    get "/identity" memory::identity::show;
    post "/identity" memory::identity::set;
    get "/identity/versions" memory::identity::versions;
    get "/identity/diff" memory::identity::diff;
    post "/identity/restore" memory::identity::restore;
    get "/identity/proposals" memory::identity::proposals;
    post "/identity/proposals/{id}" memory::identity::review;
    get "/knowledge" memory::knowledge::list;
    post "/knowledge" memory::knowledge::remember;
    delete "/knowledge/{fact_id}" memory::knowledge::forget;
    get "/dreams" memory::dreams::list;
    get "/dreams/{filename}" memory::dreams::show;
    delete "/dreams/{filename}" memory::dreams::forget;
    post "/memory/query" memory::query::ask;
    post "/memory/search" memory::query::search;
    get "/memory/graph/nodes" memory::graph::nodes;
    post "/memory/graph/nodes" memory::graph::put;
    get "/memory/graph/nodes/{id}" memory::graph::node;
    delete "/memory/graph/nodes/{id}" memory::graph::close;
    get "/memory/graph/edges" memory::graph::edges;
    post "/memory/graph/edges" memory::graph::link;
    delete "/memory/graph/edges" memory::graph::unlink;
    post "/memory/graph/seed" memory::graph::seed;
    get "/memory/graph/export" memory::graph::export;
    post "/stdout" stdout::carry_out;
    get "/stdout/grants" stdout::grants;
    post "/stdout/grants" stdout::grant;
    delete "/stdout/grants" stdout::revoke;
    post "/management/reset" management::reset;
    get "/management/sleep" management::night;
    post "/management/sleep" management::sleep;
    get "/config" config::show;
    get "/metrics" metrics::metrics;
    get "/openapi.json" openapi;
}

/// The document of this interface.
#[derive(OpenApi)]
#[openapi(
    info(title = "Abide", description = "The running keeper. Errors have one shape, lists one form."),
    paths(
        page::root, page::file, page::plain, session::show, session::sign_in, session::sign_out, session::link, health::health,
        health::ready, health::alive, health::version, epochs::start, epochs::list, epochs::show, epochs::abort,
        epochs::fork, events::follow, ledger::page, snapshot::show, agents::list, agents::show, agents::steer, approvals::list,
        approvals::decide, attention::list, watchdog::show, watchdog::report, watchdog::order, alertmanager::take, evidence::list, evidence::record, memory::identity::show, memory::identity::set, memory::identity::versions,
        memory::identity::diff, memory::identity::restore, memory::identity::proposals, memory::identity::review,
        memory::knowledge::list, memory::knowledge::remember, memory::knowledge::forget, memory::dreams::list,
        memory::dreams::show, memory::dreams::forget, memory::query::ask, memory::query::search, memory::graph::nodes,
        memory::graph::put, memory::graph::node, memory::graph::close, memory::graph::edges, memory::graph::link,
        memory::graph::unlink, memory::graph::seed, memory::graph::export,
        stdout::carry_out, stdout::grants, stdout::grant, stdout::revoke, stdout::wakes,
        management::reset, management::night, management::sleep, config::show, metrics::metrics, openapi
    ),
    components(schemas(error::ErrorBody)),
    security(("token" = []), ("cookie" = [])),
    modifiers(&Security)
)]
struct Document;

struct Security;

impl utoipa::Modify for Security {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::security::{
            ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme,
        };
        let token = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        let cookie = ApiKey::Cookie(ApiKeyValue::new("abide_<port>"));
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(token));
        components.add_security_scheme("cookie", SecurityScheme::ApiKey(cookie));
    }
}

/// This interface, as OpenAPI 3.1.
#[utoipa::path(get, path = "/openapi.json", tag = "keeper", responses((status = 200)))]
async fn openapi() -> Json<utoipa::openapi::OpenApi> {
    Json(Document::openapi())
}

/// All routes behind their guard.
pub(crate) fn router(app: AppState) -> Router {
    routed()
        .fallback(async || ApiError::no_route())
        .method_not_allowed_fallback(async || ApiError::no_method())
        .layer(middleware::from_fn_with_state(
            query::KnownParameters::of(Document::openapi()),
            query::check_address,
        ))
        .layer(middleware::from_fn_with_state(app.clone(), guard::guard))
        .with_state(app)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use http::Method;
    use utoipa::OpenApi as _;

    use super::{Document, ROUTES, query::KnownParameters};

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
            .map(|(method, path)| ((*method).to_owned(), (*path).to_owned()))
            .collect();
        assert_eq!(documented, routed);
        assert_eq!(routed.len(), ROUTES.len(), "a route is declared twice");
    }
}
