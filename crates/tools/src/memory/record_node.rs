//! `memory.record_node {node_id, node}`: stages a node of the graph, or a new version of one.
//!
//! Returns `{"node_id", "recorded": true}`. An older version is closed when the epoch commits, never overwritten. The id
//! chooses the node; its type cannot change.

use abide_domain::{
    event::NodeRecorded,
    graph::{NODE_TEXT_CHARS_MAX, NodeKind},
    tool::{EffectClass, ToolSpec},
};
use abide_memory::{GraphChange, GraphValueError, check_node, read_change};
use futures_util::future::{BoxFuture, ready};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{lookup_failed, node_id};
use crate::{Call, Output, Tool, ToolError, tool_error::parse_arguments};

/// What a mind must know to fill a node in.
const FIELDS: &str = "`type` and its fields. Citizen: name, role, focus_area, active. Person: name, role. \
    Partnership: partner_name, partner_role, trust_level (0 to 1), communication_style, relationship_type, \
    shared_history [], partnership_duration. Conversation_Memory: partner, topic, message_count, key_points [], \
    emotional_tone, outcome, timestamp. Technical_Context: component, issue_type, description, status, \
    recurrence_count, related_code []. Emotional_State: emotion, intensity (0 to 1), context, counterbalance, \
    trigger_pattern. Strategy_Pattern: approach, success_rate (0 to 1), steps [], applicability. Code_Reference: \
    file_path, description, complexity, dependencies []. Failed_Attempt: context, approach, why_failed, \
    lesson_learned, timestamp. Constraint: constraint_type, description, severity (low, medium, high, critical), \
    deadline, impact, status (active, resolved, waived). Lists hold texts; what is left out is empty.";

/// The tool `memory.record_node`.
#[derive(Clone, Debug)]
pub struct RecordNode {
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    node_id: String,
    node: Map<String, Value>,
}

impl RecordNode {
    /// The tool.
    #[expect(clippy::new_without_default, reason = "a tool is made by name in the registry only")]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["node_id", "node"],
            "properties": {
                "node_id": {
                    "type": "string",
                    "description": "a short name that you choose, such as `race-condition`; the same name makes a new version"
                },
                "node": {
                    "type": "object",
                    "required": ["type"],
                    "properties": {"type": {"enum": NodeKind::ALL.map(NodeKind::as_str)}},
                    "description": format!("{FIELDS} Texts: up to {NODE_TEXT_CHARS_MAX} characters.")
                }
            }
        });
        let description = "Records a node of your memory graph, or a new version of it, once this exchange is complete.";
        Self {
            spec: ToolSpec {
                name: "memory.record_node".into(),
                description: description.into(),
                parameters,
                effect: EffectClass::State,
                idempotent: false,
            },
        }
    }
}

impl Tool for RecordNode {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(ready(record(&call)))
    }
}

fn record(call: &Call<'_>) -> Result<Output, ToolError> {
    let arguments: Arguments = parse_arguments(call.arguments)?;
    let recorded = recorded(arguments)?;
    let id = recorded.node_id.clone();
    let kind = recorded.node.kind();
    let known =
        call.memory.node_kind(&id, call.epoch).map_err(|message| lookup_failed(&message))?;
    if let Some(other) = known.filter(|known| *known != kind) {
        let other = other.as_str();
        return Err(ToolError::new(format!(
            "node/type: `{id}` is already a {other}; close it first, or use another id"
        )));
    }
    let mut output = Output::json(&json!({"node_id": id, "recorded": true}));
    output.staged.push(recorded.into());
    Ok(output)
}

fn recorded(arguments: Arguments) -> Result<NodeRecorded, ToolError> {
    let node_id = node_id("node_id", &arguments.node_id)?;
    let mut flat = arguments.node;
    // The epoch sets since when it holds and where it was learnt.
    for field in ["node_id", "from", "edge", "valid_from", "sources"] {
        if flat.contains_key(field) {
            return Err(ToolError::new(format!("node/{field}: is not a field of a node")));
        }
    }
    flat.insert("node_id".into(), node_id.as_str().into());
    match read_change(Value::Object(flat)).map_err(|error| describe(&error))? {
        GraphChange::Node(recorded) => {
            check_node(&recorded.node).map_err(|error| describe(&error))?;
            Ok(recorded)
        }
        GraphChange::Edge(_) => Err(ToolError::new("node: is an edge; use memory.link_nodes")),
    }
}

fn describe(error: &GraphValueError) -> ToolError {
    ToolError::new(format!("node{}: {}", error.path, error.message))
}
