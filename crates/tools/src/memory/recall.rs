//! `memory.recall {query, limit?}`: looks up what was said in earlier conversations.
//!
//! Returns `{"status": "found|empty|failed", "items": [...]}`, each a passage with who said it, to whom, when, and its
//! epoch. What the open epoch itself says is not in it yet.

use abide_domain::tool::{EffectClass, ToolSpec};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;

use super::search_facts::{SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX, format_lookup, limit_of};
use crate::{Call, Output, Tool, ToolError, tool_error::parse_arguments};

/// The tool `memory.recall`.
#[derive(Clone, Debug)]
pub struct Recall {
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    query: String,
    limit: Option<u64>,
}

impl Recall {
    /// The tool.
    #[expect(clippy::new_without_default, reason = "a tool is made by name in the registry only")]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["query"],
            "properties": {
                "query": {"type": "string", "description": "words or a question"},
                "limit": {
                    "type": ["integer", "null"],
                    "minimum": 1,
                    "description": format!("up to {SEARCH_LIMIT_MAX}; {SEARCH_LIMIT_DEFAULT} unless given")
                }
            }
        });
        let description = "Looks up what was said in earlier conversations. Says found, empty or failed (could not look).";
        Self {
            spec: ToolSpec {
                name: "memory.recall".into(),
                description: description.into(),
                parameters,
                effect: EffectClass::Read,
                idempotent: true,
            },
        }
    }
}

impl Tool for Recall {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(recall(call))
    }
}

async fn recall(call: Call<'_>) -> Result<Output, ToolError> {
    let Arguments { query, limit } = parse_arguments(call.arguments)?;
    let found = call.memory.recall(call.question(&query), limit_of(limit)).await;
    Ok(format_lookup(&found, |passage| json!(passage)))
}
