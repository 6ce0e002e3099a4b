//! `/memory/graph/*`: nodes and edges of an agent's graph: lists, histories, edits, seeds, export.
//!
//! An edit is an event of the person who makes it; nothing is overwritten. A seed is taken whole or not at all.

use abide_domain::{
    AgentId, EntityName,
    event::{EdgeRecorded, NodeRecorded},
    graph::{EdgeKind, NodeId, NodeKind},
};
use abide_engine::keeper::SeedResult;
use abide_memory::{
    EdgeFilter, EdgeState, GraphChange, GraphLine, GraphPage, KnowledgeError, KnowledgeHandle,
    NodeFilter, NodeState, PAGE_FACTS_MAX, read_change, read_graph, write_change,
};
use axum::{
    Json,
    extract::{Path, State},
};
use http::StatusCode;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use utoipa::ToSchema;

use super::{off_thread, store};
use crate::{
    api::{
        app_state::AppState,
        error::ApiError,
        input::{Body, Params, bounded_reason},
        list::List,
    },
    auth::Caller,
};

/// Most nodes, and most edges, of an export.
const EXPORT_MAX: usize = 50_000;

/// A version of a node: `{type, node_id, …fields}` and its stamps.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NodeView {
    node_id: String,
    /// `type` and the fields of that type.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    node: abide_domain::graph::Node,
    valid_from: String,
    /// Null while it holds.
    valid_to: Option<String>,
    /// When it was recorded.
    recorded_at: String,
    /// Who recorded it.
    author: String,
    /// The epochs that it stems from; none where a person recorded it.
    sources: Vec<String>,
    /// Where it stands in the ledger.
    seq: u64,
}

impl From<NodeState> for NodeView {
    fn from(state: NodeState) -> Self {
        let NodeState { version, valid_to, .. } = state;
        Self {
            node_id: version.node_id.to_string(),
            node: abide_domain::graph::Node::clone(&version.node),
            valid_from: version.valid_from.to_string(),
            valid_to: valid_to.map(|at| at.to_string()),
            recorded_at: version.recorded_at.to_string(),
            author: version.author.to_string(),
            sources: version.sources.iter().map(ToString::to_string).collect(),
            seq: version.seq,
        }
    }
}

/// An edge.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EdgeView {
    from: String,
    /// Such as `HAS_PARTNERSHIP`.
    #[schema(value_type = String)]
    edge: EdgeKind,
    to: String,
    /// Of `DEPENDS_ON`: in which way.
    dependency_type: Option<String>,
    valid_from: String,
    /// Null while it holds.
    valid_to: Option<String>,
    /// Where it stands in the ledger.
    seq: u64,
}

impl From<EdgeState> for EdgeView {
    fn from(state: EdgeState) -> Self {
        Self {
            from: state.from.to_string(),
            edge: state.edge,
            to: state.to.to_string(),
            dependency_type: state.dependency_type,
            valid_from: state.valid_from.to_string(),
            valid_to: state.valid_to.map(|at| at.to_string()),
            seq: state.seq,
        }
    }
}

/// A node with its versions and edges.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NodeDetail {
    /// The version in force; null where it is closed.
    current: Option<NodeView>,
    /// All versions, the oldest first.
    versions: Vec<NodeView>,
    /// Edges in force, from and to it.
    edges: Vec<EdgeView>,
}

/// A seed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeedBody {
    /// Default: the only agent.
    citizen: Option<String>,
    /// JSON Lines: nodes `{"node_id", "type", …}` and edges `{"from", "edge", "to"}`, at most 5,000.
    lines: String,
}

/// What came of an edit.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SeededView {
    /// Where it stands in the ledger.
    seq: u64,
    /// Nodes that were recorded.
    nodes: usize,
    /// Edges that were recorded.
    edges: usize,
    /// What was so already.
    unchanged: usize,
}

impl From<SeedResult> for SeededView {
    fn from(seeded: SeedResult) -> Self {
        let SeedResult { seq, nodes, edges, unchanged } = seeded;
        Self { seq, nodes, edges, unchanged }
    }
}

/// A graph as JSON Lines.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExportView {
    /// What is in force, in the form that a seed takes.
    lines: String,
    nodes: usize,
    edges: usize,
}

/// Nodes, the newest first; with `?closed=1` closed versions too.
#[utoipa::path(get, path = "/memory/graph/nodes", tag = "memory",
    params(("citizen" = Option<String>, Query), ("type" = Option<String>, Query), ("closed" = Option<String>, Query),
        ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = List<NodeView>)))]
pub(crate) async fn nodes(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<NodeView>>, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let (limit, before) = (params.limit()?, params.cursor()?);
    let kind = named::<NodeKind>(&params, "type")?;
    let filter = NodeFilter { kind, with_closed: params.is_set("closed")? };
    let store = store(&app, &citizen)?;
    Ok(Json(listed(off_thread(move || store.nodes(filter, before, limit)).await?)))
}

fn listed<S, V: From<S>>(page: GraphPage<S>) -> List<V> {
    let next = page.next.map(|next| next.to_string());
    List { items: page.items.into_iter().map(V::from).collect(), next }
}

/// A parameter as one of the specification's names.
fn named<T: DeserializeOwned>(params: &Params, name: &str) -> Result<Option<T>, ApiError> {
    let read = |text: &str| abide_domain::strict_json::read_shape(Value::String(text.to_owned()));
    let read = params.get(name).map(read).transpose();
    read.map_err(|error| ApiError::malformed(format!("{name}: {error}")))
}

/// A node: the version in force, all versions, its edges.
#[utoipa::path(get, path = "/memory/graph/nodes/{id}", tag = "memory",
    params(("id" = String, Path), ("citizen" = Option<String>, Query)),
    responses((status = 200, body = NodeDetail), (status = 404)))]
pub(crate) async fn node(
    State(app): State<AppState>,
    Path(id): Path<String>,
    params: Params,
) -> Result<Json<NodeDetail>, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let store = store(&app, &citizen)?;
    let node_id = known_form(&id)?;
    let detail = off_thread(move || detail(&store, &node_id)).await?;
    if detail.versions.is_empty() {
        return Err(ApiError::not_found("node", &id));
    }
    Ok(Json(detail))
}

fn detail(store: &KnowledgeHandle, node_id: &NodeId) -> Result<NodeDetail, KnowledgeError> {
    let filter = EdgeFilter { node: Some(node_id), ..EdgeFilter::default() };
    let edges = store.edges(filter, None, PAGE_FACTS_MAX)?;
    Ok(NodeDetail {
        current: store.node(node_id)?.map(NodeView::from),
        versions: store.node_history(node_id)?.into_iter().map(NodeView::from).collect(),
        edges: edges.items.into_iter().map(EdgeView::from).collect(),
    })
}

fn known_form(id: &str) -> Result<NodeId, ApiError> {
    id.parse().map_err(|_| ApiError::not_found("node", id))
}

/// Edges, the newest first; with `?node=` those from or to it, with `?closed=1` closed ones too.
#[utoipa::path(get, path = "/memory/graph/edges", tag = "memory",
    params(("citizen" = Option<String>, Query), ("node" = Option<String>, Query), ("edge" = Option<String>, Query),
        ("closed" = Option<String>, Query), ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = List<EdgeView>)))]
pub(crate) async fn edges(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<EdgeView>>, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let (limit, before) = (params.limit()?, params.cursor()?);
    let node = params.get("node").map(known_form).transpose()?;
    let edge = named::<EdgeKind>(&params, "edge")?;
    let with_closed = params.is_set("closed")?;
    let store = store(&app, &citizen)?;
    let read =
        move || store.edges(EdgeFilter { node: node.as_ref(), edge, with_closed }, before, limit);
    Ok(Json(listed(off_thread(read).await?)))
}

/// Records a node or a new version of one: `{citizen?, node_id, type, …fields, valid_from?}`.
#[utoipa::path(post, path = "/memory/graph/nodes", tag = "memory", request_body = Object,
    responses((status = 200, body = SeededView), (status = 422)))]
pub(crate) async fn put(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<SeededView>, ApiError> {
    let (citizen, change) = read_one(&app, &body)?;
    if !matches!(change, GraphChange::Node(_)) {
        return Err(ApiError::invalid("node_id: is missing"));
    }
    record(&app, (&citizen, caller.author()), vec![GraphLine { line: 1, change }]).await
}

/// Records an edge: `{citizen?, from, edge, to, dependency_type?, valid_from?}`.
#[utoipa::path(post, path = "/memory/graph/edges", tag = "memory", request_body = Object,
    responses((status = 200, body = SeededView), (status = 422)))]
pub(crate) async fn link(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<SeededView>, ApiError> {
    let (citizen, change) = read_one(&app, &body)?;
    if !matches!(change, GraphChange::Edge(_)) {
        return Err(ApiError::invalid("from: is missing"));
    }
    record(&app, (&citizen, caller.author()), vec![GraphLine { line: 1, change }]).await
}

/// A node or an edge in its flat form, and whose graph it is for.
fn read_one(app: &AppState, body: &Body) -> Result<(AgentId, GraphChange), ApiError> {
    let mut value = body.json()?;
    let citizen = value.as_object_mut().and_then(|object| object.remove("citizen"));
    let citizen = match citizen {
        None | Some(Value::Null) => app.citizen(None)?,
        Some(Value::String(citizen)) => app.citizen(Some(&citizen))?,
        Some(_) => return Err(ApiError::invalid("citizen: must be the id of an agent")),
    };
    let change = read_change(value).map_err(|fault| {
        let path = fault.path.trim_start_matches('/').to_owned();
        let colon = if path.is_empty() { "" } else { ": " };
        ApiError::invalid(format!("{path}{colon}{}", fault.message))
    })?;
    Ok((citizen, change))
}

/// Records many nodes and edges in one batch: all of them or, where a line does not fit, none.
#[utoipa::path(post, path = "/memory/graph/seed", tag = "memory", request_body = SeedBody,
    responses((status = 200, body = SeededView), (status = 422)))]
pub(crate) async fn seed(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<SeededView>, ApiError> {
    let SeedBody { citizen, lines } = body.parse()?;
    let citizen = app.citizen(citizen.as_deref())?;
    let lines = read_graph(&lines).map_err(|problems| ApiError::invalid_graph(&problems))?;
    record(&app, (&citizen, caller.author()), lines).await
}

async fn record(
    app: &AppState,
    (citizen, by): (&AgentId, EntityName),
    lines: Vec<GraphLine>,
) -> Result<Json<SeededView>, ApiError> {
    let seeded = app.keeper()?.seed_graph(citizen, lines, by).await?;
    Ok(Json(seeded.into()))
}

/// Closes a node; its edges hold no longer either. Its versions stay.
#[utoipa::path(delete, path = "/memory/graph/nodes/{id}", tag = "memory",
    params(("id" = String, Path), ("citizen" = Option<String>, Query), ("reason" = Option<String>, Query)),
    responses((status = 204), (status = 404)))]
pub(crate) async fn close(
    State(app): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    params: Params,
) -> Result<StatusCode, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let reason = bounded_reason(params.get("reason").map(str::to_owned))?;
    app.keeper()?.close_node(&citizen, known_form(&id)?, reason, caller.author()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Closes an edge: `?from=&edge=&to=`.
#[utoipa::path(delete, path = "/memory/graph/edges", tag = "memory",
    params(("citizen" = Option<String>, Query), ("from" = String, Query), ("edge" = String, Query), ("to" = String, Query),
        ("reason" = Option<String>, Query)),
    responses((status = 204), (status = 404)))]
pub(crate) async fn unlink(
    State(app): State<AppState>,
    caller: Caller,
    params: Params,
) -> Result<StatusCode, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let reason = bounded_reason(params.get("reason").map(str::to_owned))?;
    let missing = |name: &str| {
        ApiError::malformed(format!("{name} is missing: from, edge and to are required"))
    };
    let end = |name: &str| known_form(params.get(name).ok_or_else(|| missing(name))?);
    let edge = named::<EdgeKind>(&params, "edge")?.ok_or_else(|| missing("edge"))?;
    let edge = (end("from")?, edge, end("to")?);
    app.keeper()?.close_edge(&citizen, edge, reason, caller.author()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// All that was recorded and is in force, as JSON Lines: a seed for another agent or another day.
#[utoipa::path(get, path = "/memory/graph/export", tag = "memory", params(("citizen" = Option<String>, Query)),
    responses((status = 200, body = ExportView)))]
pub(crate) async fn export(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<ExportView>, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let store = store(&app, &citizen)?;
    let (nodes, edges) = off_thread(move || everything(&store)).await?;
    if nodes.len().max(edges.len()) > EXPORT_MAX {
        let message = format!(
            "the graph has more than {EXPORT_MAX} nodes or edges and cannot be exported whole; list it in pages"
        );
        return Err(ApiError::invalid(message));
    }
    let mut view = ExportView { lines: String::new(), nodes: nodes.len(), edges: edges.len() };
    let nodes = nodes.into_iter().map(exported_node);
    for change in nodes.chain(edges.into_iter().map(exported_edge)) {
        view.lines.push_str(&write_change(&change).map_err(|error| ApiError::internal(&error))?);
        view.lines.push('\n');
    }
    Ok(Json(view))
}

/// The graph in force, the oldest first.
fn everything(store: &KnowledgeHandle) -> Result<(Vec<NodeState>, Vec<EdgeState>), KnowledgeError> {
    let nodes = all(|before| store.nodes(NodeFilter::default(), before, PAGE_FACTS_MAX))?;
    let edges = all(|before| store.edges(EdgeFilter::default(), before, PAGE_FACTS_MAX))?;
    Ok((nodes, edges))
}

fn all<T>(
    page: impl Fn(Option<u64>) -> Result<GraphPage<T>, KnowledgeError>,
) -> Result<Vec<T>, KnowledgeError> {
    let (mut items, mut before) = (Vec::new(), None);
    loop {
        let GraphPage { items: more, next } = page(before)?;
        items.extend(more);
        if next.is_none() || items.len() > EXPORT_MAX {
            items.reverse();
            return Ok(items);
        }
        before = next;
    }
}

fn exported_node(state: NodeState) -> GraphChange {
    let version = state.version;
    GraphChange::Node(NodeRecorded {
        node_id: version.node_id,
        node: abide_domain::graph::Node::clone(&version.node),
        valid_from: Some(version.valid_from),
        // Another agent's epochs would be no sources of the one that is seeded with this.
        sources: Vec::new(),
    })
}

fn exported_edge(state: EdgeState) -> GraphChange {
    GraphChange::Edge(EdgeRecorded {
        from: state.from,
        edge: state.edge,
        to: state.to,
        dependency_type: state.dependency_type,
        valid_from: Some(state.valid_from),
    })
}
