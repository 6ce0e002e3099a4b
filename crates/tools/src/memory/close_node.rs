//! `memory.close_node {node_id, reason?}`: stages that a node holds no longer.
//!
//! Returns `{"node_id", "closed": true}`. Its versions stay in the ledger; its edges hold no longer either. An id that is
//! not in force is an error, and so is not being able to look.

use abide_domain::{
    event::NodeClosed,
    tool::{EffectClass, ToolSpec},
};
use futures_util::future::{BoxFuture, ready};
use serde::Deserialize;
use serde_json::json;

use super::{lookup_failed, node_id, reason};
use crate::{Call, Output, Tool, ToolError, tool_error::parse_arguments};

/// The tool `memory.close_node`.
#[derive(Clone, Debug)]
pub struct CloseNode {
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    node_id: String,
    reason: Option<String>,
}

impl CloseNode {
    /// The tool.
    #[expect(clippy::new_without_default, reason = "a tool is made by name in the registry only")]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["node_id"],
            "properties": {
                "node_id": {"type": "string", "description": "as memory.query gives it"},
                "reason": {"type": ["string", "null"], "description": "in a few words"}
            }
        });
        let description = "Closes a node of your memory graph that holds no longer, once this exchange is complete.";
        Self {
            spec: ToolSpec {
                name: "memory.close_node".into(),
                description: description.into(),
                parameters,
                effect: EffectClass::State,
                idempotent: true,
            },
        }
    }
}

impl Tool for CloseNode {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(ready(close(&call)))
    }
}

fn close(call: &Call<'_>) -> Result<Output, ToolError> {
    let arguments: Arguments = parse_arguments(call.arguments)?;
    let node_id = node_id("node_id", &arguments.node_id)?;
    let reason = reason(arguments.reason)?;
    match call.memory.node_kind(&node_id, call.epoch) {
        Ok(Some(_)) => {}
        Ok(None) => {
            return Err(ToolError::new(format!(
                "node_id: no node `{node_id}` is in force; memory.query lists those that are"
            )));
        }
        Err(message) => return Err(lookup_failed(&message)),
    }
    let mut output = Output::json(&json!({"node_id": node_id, "closed": true}));
    output.staged.push(NodeClosed { node_id, valid_to: None, reason }.into());
    Ok(output)
}
