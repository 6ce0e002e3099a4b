//! `/mcp/servers`: the servers whose tools agents use, and what of them waits for a person. An acceptance names what was shown by its
//! digest. `/mcp/reload` has the keeper read `[[mcp]]` of its file again; no request says what a server is.

use abide_mcp::{McpStatus, WaitingTool};
use axum::{
    Json,
    extract::{Path, State},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    app_state::AppState, config_view::ConfigView, error::ApiError, input::Body, list::List,
};
use crate::{
    auth::Caller,
    mcp_servers::{McpChanges, McpOrderError, McpReloadError, McpServerState, McpServers},
};

/// A server.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct McpServerView {
    /// Its name in the configuration.
    id: String,
    /// `starting`, `ready`, `waiting`, `login_needed` or `stopped`.
    state: String,
    /// The names of its tools that agents may be offered.
    tools: Vec<String>,
    /// Its tools that wait for a person.
    waiting: Vec<WaitingToolView>,
    /// Its tools that cannot be used.
    dropped: Vec<DroppedToolView>,
    /// The root of its processes; null where it runs elsewhere or not.
    pid: Option<u32>,
    /// Its address, where it runs elsewhere.
    address: Option<String>,
    /// The name and the version that it gives itself.
    software: Option<String>,
    /// The version of the protocol.
    protocol: Option<String>,
    /// What it kept in its folder when that was measured last, in bytes; null where that has no limit.
    disk_bytes: Option<u64>,
    /// What it may keep there, in bytes.
    disk_limit_bytes: Option<u64>,
    /// How often it was started.
    starts: u64,
    /// The last thing that went wrong.
    last_error: Option<String>,
    /// What its list of tools lacks.
    list_problem: Option<String>,
    /// The newest of what it wrote on stderr.
    stderr: String,
}

/// A tool that is not offered until a person accepts it.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct WaitingToolView {
    /// The tool, by the server's own name.
    tool: String,
    /// What an acceptance names: it stands for what the tool says about itself now.
    digest: String,
    /// Whether nothing of this name was accepted before.
    is_new: bool,
    /// What changed, or all that it says where it is new.
    diff: String,
    /// Whether that is cut: it says more than is shown.
    is_cut: bool,
}

/// A tool that cannot be used.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct DroppedToolView {
    tool: String,
    reason: String,
}

/// What a person accepts.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcceptToolsBody {
    tools: Vec<AcceptedToolBody>,
}

/// A tool as it was shown.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct AcceptedToolBody {
    tool: String,
    digest: String,
}

impl From<McpServerState> for McpServerView {
    fn from(state: McpServerState) -> Self {
        let McpServerState { status, tools, waiting, disk, .. } = state;
        let state = serde_json::to_value(status.state).unwrap_or_default();
        let McpStatus { server, pid, address, server_name, server_version, .. } = status;
        let software = server_name.map(|name| {
            let version = server_version.map(|version| format!(" {version}")).unwrap_or_default();
            format!("{name}{version}")
        });
        let dropped = status.dropped.into_iter();
        Self {
            id: server,
            state: state.as_str().unwrap_or_default().to_owned(),
            tools,
            waiting: waiting.iter().map(WaitingToolView::of).collect(),
            dropped: dropped
                .map(|dropped| DroppedToolView { tool: dropped.tool, reason: dropped.reason })
                .collect(),
            pid,
            address,
            software,
            protocol: status.protocol_version,
            disk_bytes: disk.map(|(used, _)| used),
            disk_limit_bytes: disk.map(|(_, limit)| limit),
            starts: status.starts,
            last_error: status.last_error,
            list_problem: status.list_problem,
            stderr: status.stderr_tail,
        }
    }
}

impl WaitingToolView {
    fn of(waiting: &WaitingTool) -> Self {
        let WaitingTool { tool, digest, is_new, diff, is_cut } = waiting.clone();
        Self { tool, digest, is_new, diff, is_cut }
    }
}

fn servers(app: &AppState) -> Result<&McpServers, ApiError> {
    let loading = || ApiError::unavailable("loading", "the keeper is still starting");
    app.servers().ok_or_else(loading)
}

/// The servers of the configuration, in its order.
#[utoipa::path(get, path = "/mcp/servers", tag = "tools", responses((status = 200, body = List<McpServerView>)))]
pub(crate) async fn list(
    State(app): State<AppState>,
) -> Result<Json<List<McpServerView>>, ApiError> {
    let all = servers(&app)?.all();
    Ok(Json(List::whole(all.into_iter().map(McpServerView::from).collect())))
}

/// Accepts tools as they were shown: they are offered from then on. One that changed again since is refused with all others.
#[utoipa::path(post, path = "/mcp/servers/{id}/accept", tag = "tools", request_body = AcceptToolsBody,
    params(("id" = String, Path)), responses((status = 200, body = McpServerView), (status = 404), (status = 409), (status = 422), (status = 503)))]
pub(crate) async fn accept(
    State(app): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    body: Body,
) -> Result<Json<McpServerView>, ApiError> {
    let AcceptToolsBody { tools } = body.parse()?;
    if tools.is_empty() {
        return Err(ApiError::invalid(
            "tools: name at least one, with the digest of what was shown",
        ));
    }
    let tools: Vec<_> = tools.into_iter().map(|tool| (tool.tool, tool.digest)).collect();
    let servers = servers(&app)?;
    servers.accept(&id, &tools, &caller.author()).await.map_err(refused)?;
    let state = servers.all().into_iter().find(|state| state.status.server == id);
    state.map(|state| Json(state.into())).ok_or_else(|| ApiError::not_found("server", &id))
}

/// What became of the servers.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct McpReloadView {
    /// Those that are new, and are being started.
    added: Vec<String>,
    /// Those that were ended and are being started anew, as the file says now.
    changed: Vec<String>,
    /// Those that were ended.
    removed: Vec<String>,
    /// Those that cannot be started as they are written.
    not_started: Vec<NotStartedView>,
}

/// A server that cannot be started.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct NotStartedView {
    /// Its name.
    id: String,
    /// Why.
    reason: String,
}

impl From<McpChanges> for McpReloadView {
    fn from(changes: McpChanges) -> Self {
        let McpChanges { added, changed, removed, not_started } = changes;
        let not_started = not_started.into_iter();
        let not_started = not_started.map(|(id, reason)| NotStartedView { id, reason }).collect();
        Self { added, changed, removed, not_started }
    }
}

/// Reads `[[mcp]]` of the file again: servers that are new there are started, those that are gone are ended, those that changed are
/// ended and started anew. No other server is touched, and nothing else of the file counts before the next start.
#[utoipa::path(post, path = "/mcp/reload", tag = "tools",
    responses((status = 200, body = McpReloadView), (status = 422), (status = 503)))]
pub(crate) async fn reload(State(app): State<AppState>) -> Result<Json<McpReloadView>, ApiError> {
    let (changes, config) = servers(&app)?.reload().await.map_err(|error| match error {
        McpReloadError::Config(problem) => ApiError::invalid(problem),
        McpReloadError::Busy | McpReloadError::Stopping => {
            ApiError::unavailable("busy", error.to_string())
        }
        McpReloadError::NotRead(_) => ApiError::unavailable("not_read", error.to_string()),
    })?;
    if let Some(shown) = app.config() {
        let (file, environment) = servers(&app)?.sources();
        let newer = ConfigView::new(&config, &file, environment);
        app.show_config(shown.with_servers_of(newer));
    }
    Ok(Json(changes.into()))
}

fn refused(error: McpOrderError) -> ApiError {
    let message = error.to_string();
    match error {
        McpOrderError::Unknown(server) => ApiError::not_found("server", &server),
        McpOrderError::Changed { .. } => ApiError::conflict("changed", message),
        McpOrderError::NotRecorded(_) => ApiError::unavailable("not_recorded", message),
    }
}
