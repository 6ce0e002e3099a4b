//! `memory.link_nodes {from, edge, to, dependency_type?}`: stages an edge between two nodes.
//!
//! Returns `{"from", "edge", "to", "linked": true}`; an edge that is there already gives `"linked": false`. Both nodes must
//! be in force, or staged by the same epoch, and of the types that the edge leads between.

use abide_domain::{
    event::EdgeRecorded,
    graph::EdgeKind,
    tool::{EffectClass, ToolSpec},
};
use abide_memory::check_edge_ends;
use futures_util::future::{BoxFuture, ready};
use serde::Deserialize;
use serde_json::json;

use super::{lookup_failed, node_id};
use crate::{Call, EdgeKey, Output, Tool, ToolError, tool_error::parse_arguments};

/// Between which types each edge leads, for a mind.
const EDGES: &str = "From Citizen: HAS_PARTNERSHIP (to Partnership), HAS_CONVERSATION (Conversation_Memory), \
    HAS_TECHNICAL_CONTEXT (Technical_Context), HAS_EMOTIONAL_STATE (Emotional_State), KNOWS_STRATEGY (Strategy_Pattern), \
    LEARNED_FROM_FAILURE (Failed_Attempt), SUBJECT_TO_CONSTRAINT (Constraint). From Conversation_Memory: WITH_PERSON (Person), \
    ABOUT_TOPIC (Technical_Context). To Code_Reference: REFERENCES_CODE (Technical_Context), DEPENDS_ON (Code_Reference)";

/// The tool `memory.link_nodes`.
#[derive(Clone, Debug)]
pub struct LinkNodes {
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    from: String,
    edge: EdgeKind,
    to: String,
    dependency_type: Option<String>,
}

impl LinkNodes {
    /// The tool.
    #[expect(clippy::new_without_default, reason = "a tool is made by name in the registry only")]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["from", "edge", "to"],
            "properties": {
                "from": {"type": "string", "description": "node id"},
                "edge": {"type": "string", "description": EDGES},
                "to": {"type": "string", "description": "node id"},
                "dependency_type": {
                    "type": ["string", "null"],
                    "description": "of DEPENDS_ON: in which way"
                }
            }
        });
        let description =
            "Links two nodes of your memory graph. It holds once this exchange is complete.";
        Self {
            spec: ToolSpec {
                name: "memory.link_nodes".into(),
                description: description.into(),
                parameters,
                effect: EffectClass::State,
                idempotent: true,
            },
        }
    }
}

impl Tool for LinkNodes {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(ready(link(&call)))
    }
}

fn link(call: &Call<'_>) -> Result<Output, ToolError> {
    let Arguments { from, edge, to, dependency_type } = parse_arguments(call.arguments)?;
    let (from, to) = (node_id("from", &from)?, node_id("to", &to)?);
    let dependency_type = dependency_type.filter(|kind| !kind.trim().is_empty());
    let kind_of =
        |id| call.memory.node_kind(id, call.epoch).map_err(|message| lookup_failed(&message));
    let ends = (kind_of(&from)?, kind_of(&to)?);
    let recorded = EdgeRecorded { from, edge, to, dependency_type, valid_from: None };
    check_edge_ends(&recorded, ends.0, ends.1).map_err(|error| {
        ToolError::new(format!("{}: {}", error.path.trim_start_matches('/'), error.message))
    })?;
    let EdgeRecorded { from, to, .. } = &recorded;
    let is_there = call.memory.has_edge(EdgeKey { from, edge, to }, call.epoch);
    let is_there = is_there.map_err(|message| lookup_failed(&message))?;
    let mut output =
        Output::json(&json!({"from": from, "edge": edge, "to": to, "linked": !is_there}));
    if !is_there {
        output.staged.push(recorded.into());
    }
    Ok(output)
}
