//! The graph as JSON Lines, and what may enter it: for seeds, edits and exports.
//!
//! A line is a node, `{"node_id", "type", …fields, "valid_from"?, "sources"?}`, or an edge,
//! `{"from", "edge", "to", "dependency_type"?, "valid_from"?}`. It must never let anything in that breaks a rule below, and
//! never half of what it is given: all problems are reported at once, by line and path. API,
//! command line and tools all come through here.
//!
//! Reading order: here the lines; `rule` (fields of a node, ends of an edge, what is new); `lookup` (the store as the
//! rules ask it).

use abide_domain::{
    EpochId, Timestamp,
    event::{EdgeRecorded, Event, NodeRecorded},
    graph::{Node, NodeId, NodeKind},
    strict_json::{JsonError, ShapeError, parse_json, read_shape},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

mod lookup;
mod rule;

pub use rule::{GraphLookup, SeedChanges, SeedError, check_edge_ends, check_graph, check_node};

/// Most lines of one seed: it becomes one batch of the ledger.
pub const GRAPH_LINES_MAX: usize = 5_000;
/// Most problems that are reported at once.
pub const GRAPH_PROBLEMS_MAX: usize = 20;

/// A node or an edge that is to be recorded.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphChange {
    /// A node, whole.
    Node(NodeRecorded),
    /// An edge between two nodes.
    Edge(EdgeRecorded),
}

impl From<GraphChange> for Event {
    fn from(change: GraphChange) -> Self {
        match change {
            GraphChange::Node(node) => node.into(),
            GraphChange::Edge(edge) => edge.into(),
        }
    }
}

/// A change and the line that it stands on, from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphLine {
    /// The number of the line.
    pub line: usize,
    /// The node or edge on it.
    pub change: GraphChange,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphLineError {
    /// The line, from 1.
    pub line: usize,
    /// Where in it, such as `/steps/3`; empty for the whole.
    pub path: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl GraphLineError {
    fn new(line: usize, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { line, path: path.into(), message: message.into() }
    }
}

/// Reads JSON Lines; blank ones are skipped. Whatever cannot be read is reported at once, at most
/// [`GRAPH_PROBLEMS_MAX`] problems.
pub fn read_graph(text: &str) -> Result<Vec<GraphLine>, Vec<GraphLineError>> {
    let (mut lines, mut problems) = (Vec::new(), Vec::new());
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        if lines.len() == GRAPH_LINES_MAX {
            let message = format!("a seed has at most {GRAPH_LINES_MAX} nodes and edges");
            problems.push(GraphLineError::new(line, "", message));
        }
        if problems.len() >= GRAPH_PROBLEMS_MAX || lines.len() == GRAPH_LINES_MAX {
            break;
        }
        let value = parse_json(text.as_bytes()).map_err(from_json_error);
        match value.and_then(read_change) {
            Ok(change) => lines.push(GraphLine { line, change }),
            Err(GraphValueError { path, message }) => {
                problems.push(GraphLineError { line, path, message });
            }
        }
    }
    if problems.is_empty() { Ok(lines) } else { Err(problems) }
}

/// What is wrong with one value, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphValueError {
    /// Such as `/node_id`; empty for the whole.
    pub path: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl GraphValueError {
    fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

fn from_json_error(error: JsonError) -> GraphValueError {
    match error {
        JsonError::Syntax { column, .. } => {
            GraphValueError::new("", format!("is not JSON: column {column}"))
        }
        JsonError::Duplicate { path } => {
            GraphValueError::new(format!("/{path}"), "stands there twice")
        }
    }
}

/// A fault of a part, whose own path begins at `field`; the whole where that is empty.
fn from_shape_error(field: &str, error: &ShapeError) -> GraphValueError {
    let mut path = String::new();
    for part in [field, &error.path].into_iter().filter(|part| !part.is_empty()) {
        path.push('/');
        path.push_str(part);
    }
    GraphValueError::new(path.replace('.', "/"), error.message.clone())
}

/// Reads a node or an edge from its flat form.
pub fn read_change(value: Value) -> Result<GraphChange, GraphValueError> {
    let Value::Object(object) = value else {
        return Err(GraphValueError::new("", "must be an object: a node or an edge"));
    };
    if object.contains_key("from") || object.contains_key("edge") {
        return read_edge(object).map(GraphChange::Edge);
    }
    read_node(object).map(GraphChange::Node)
}

fn read_node(mut object: Map<String, Value>) -> Result<NodeRecorded, GraphValueError> {
    let node_id: NodeId = take_field(&mut object, "node_id")?.ok_or_else(|| {
        GraphValueError::new("/node_id", "is missing; an edge has `from`, `edge` and `to`")
    })?;
    let valid_from: Option<Timestamp> = take_field(&mut object, "valid_from")?;
    let sources: Option<Vec<EpochId>> = take_field(&mut object, "sources")?;
    let kind = object.get("type").and_then(Value::as_str);
    let is_known = |kind: &str| NodeKind::ALL.iter().any(|k| k.as_str() == kind);
    if !kind.is_some_and(is_known) {
        let known = NodeKind::ALL.map(NodeKind::as_str);
        return Err(GraphValueError::new("/type", format!("must be one of {}", known.join(", "))));
    }
    let node: Node =
        read_shape(Value::Object(object)).map_err(|error| from_shape_error("", &error))?;
    Ok(NodeRecorded { node_id, node, valid_from, sources: sources.unwrap_or_default() })
}

fn read_edge(mut object: Map<String, Value>) -> Result<EdgeRecorded, GraphValueError> {
    let edge = EdgeRecorded {
        from: required_field(&mut object, "from")?,
        edge: required_field(&mut object, "edge")?,
        to: required_field(&mut object, "to")?,
        dependency_type: take_field(&mut object, "dependency_type")?,
        valid_from: take_field(&mut object, "valid_from")?,
    };
    match object.keys().next() {
        None => Ok(edge),
        Some(unknown) => {
            Err(GraphValueError::new(format!("/{unknown}"), "is not a field of an edge"))
        }
    }
}

fn required_field<T: DeserializeOwned>(
    object: &mut Map<String, Value>,
    name: &str,
) -> Result<T, GraphValueError> {
    take_field(object, name)?.ok_or_else(|| GraphValueError::new(format!("/{name}"), "is missing"))
}

/// Takes a field out; null is the same as none.
fn take_field<T: DeserializeOwned>(
    object: &mut Map<String, Value>,
    name: &str,
) -> Result<Option<T>, GraphValueError> {
    let value = object.remove(name).filter(|value| !value.is_null());
    let read = value.map(read_shape).transpose();
    read.map_err(|error| from_shape_error(name, &error))
}

/// A node in its flat form.
#[derive(Serialize)]
struct NodeLine<'a> {
    node_id: &'a NodeId,
    #[serde(flatten)]
    node: &'a Node,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_from: Option<Timestamp>,
    #[serde(skip_serializing_if = "<[EpochId]>::is_empty")]
    sources: &'a [EpochId],
}

/// A node or an edge as one line, the form that [`read_graph`] reads; without its end.
pub fn write_change(change: &GraphChange) -> Result<String, serde_json::Error> {
    match change {
        GraphChange::Edge(edge) => serde_json::to_string(edge),
        GraphChange::Node(NodeRecorded { node_id, node, valid_from, sources }) => {
            let valid_from = *valid_from;
            serde_json::to_string(&NodeLine { node_id, node, valid_from, sources })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{GRAPH_LINES_MAX, GRAPH_PROBLEMS_MAX, read_graph, write_change};

    const LINES: &str = r#"
{"node_id":"felix","type":"Citizen","name":"Felix","role":"engineer","focus_area":"loops","active":true}
{"node_id":"race","type":"Technical_Context","component":"core","issue_type":"race","description":"x","status":"open","recurrence_count":3,"related_code":["a.py"],"valid_from":"2024-11-15T14:20:00.000000Z"}

{"from":"felix","edge":"HAS_TECHNICAL_CONTEXT","to":"race"}
"#;

    #[test]
    fn what_is_written_is_what_was_read() {
        let lines = read_graph(LINES).unwrap();
        let places: Vec<_> = lines.iter().map(|line| line.line).collect();
        assert_eq!(places, [2, 3, 5]);
        let written: Vec<_> =
            lines.iter().map(|line| write_change(&line.change).unwrap()).collect();
        let expected: Vec<_> = LINES.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(written, expected);
    }

    #[test]
    fn all_problems_are_reported_with_line_and_path() {
        let cases = [
            ("{", "", "is not JSON"),
            ("[]", "", "must be an object"),
            ("{}", "/node_id", "is missing"),
            (r#"{"node_id":"../x","type":"Person"}"#, "/node_id", "must be 1 to 128"),
            (r#"{"node_id":7,"type":"Person"}"#, "/node_id", "must be a text"),
            (r#"{"node_id":"x","type":"Pet"}"#, "/type", "must be one of Citizen, Person"),
            (r#"{"node_id":"x"}"#, "/type", "must be one of"),
            (r#"{"node_id":"x","type":"Person","age":3}"#, "/age", "is an unknown field"),
            (r#"{"node_id":"x","type":"Person","name":[]}"#, "", "must be a text"),
            (r#"{"node_id":"x","type":"Person","valid_from":"soon"}"#, "/valid_from", ""),
            (r#"{"node_id":"x","type":"Constraint","severity":"fatal"}"#, "", "must be one of low"),
            (r#"{"from":"x","edge":"EATS","to":"y"}"#, "/edge", "must be one of"),
            (r#"{"from":"x","edge":"DEPENDS_ON"}"#, "/to", "is missing"),
            (r#"{"from":"x","edge":"DEPENDS_ON","to":"y","why":1}"#, "/why", "is not a field"),
        ];
        let text: Vec<_> = cases.iter().map(|(line, ..)| *line).collect();
        let problems = read_graph(&text.join("\n")).unwrap_err();
        assert_eq!(problems.len(), cases.len());
        for (at, (problem, (line, path, message))) in (1..).zip(problems.iter().zip(cases)) {
            assert_eq!((problem.line, problem.path.as_str()), (at, path), "{line}: {problem:?}");
            assert!(problem.message.contains(message), "{line}: {problem:?}");
        }
    }

    #[test]
    fn lines_and_problems_are_bounded() {
        let problems = read_graph(&"{\n".repeat(GRAPH_PROBLEMS_MAX + 5)).unwrap_err();
        assert_eq!(problems.len(), GRAPH_PROBLEMS_MAX);
        let line = "{\"node_id\":\"x\",\"type\":\"Person\"}\n";
        assert_eq!(read_graph(&line.repeat(GRAPH_LINES_MAX)).unwrap().len(), GRAPH_LINES_MAX);
        let problems = read_graph(&line.repeat(GRAPH_LINES_MAX + 1)).unwrap_err();
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.contains("at most"), "{problems:?}");
    }
}
