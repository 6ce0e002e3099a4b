//! `memory.search_facts {query, limit?}`: looks up what the agent knows.
//!
//! Returns `{"status": "found|empty|failed", "items": [...]}`, each item with its sources. "Could not look" is `failed`
//! with a `message`, never `empty` (law 4). Facts that this epoch staged are not in it yet.

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_memory::{Fact, Lookup};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Call, Output, Tool, ToolError, tool_error::parse_arguments};

/// Facts that are given where no limit is asked for.
pub const SEARCH_LIMIT_DEFAULT: usize = 5;
/// Most facts that are given; a higher limit is cut.
pub const SEARCH_LIMIT_MAX: usize = 20;

/// The tool `memory.search_facts`.
#[derive(Clone, Debug)]
pub struct SearchFacts {
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    query: String,
    limit: Option<u64>,
}

impl SearchFacts {
    /// The tool.
    #[expect(clippy::new_without_default, reason = "a tool is made by name in the registry only")]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["query"],
            "properties": {
                "query": {"type": "string", "description": "words of what you look for"},
                "limit": {
                    "type": ["integer", "null"],
                    "minimum": 1,
                    "description": format!("up to {SEARCH_LIMIT_MAX}; {SEARCH_LIMIT_DEFAULT} unless given")
                }
            }
        });
        let description =
            "Looks for facts that you remember. Says found, empty or failed (could not look).";
        Self {
            spec: ToolSpec {
                name: "memory.search_facts".into(),
                description: description.into(),
                parameters,
                effect: EffectClass::Read,
                idempotent: true,
            },
        }
    }
}

impl Tool for SearchFacts {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(search(call))
    }
}

async fn search(call: Call<'_>) -> Result<Output, ToolError> {
    let Arguments { query, limit } = parse_arguments(call.arguments)?;
    let found = call.memory.facts(call.question(&query), limit_of(limit)).await;
    Ok(format_lookup(&found, item))
}

/// How many are given, where so many were asked for.
pub(super) fn limit_of(asked: Option<u64>) -> usize {
    asked.map_or(SEARCH_LIMIT_DEFAULT, |limit| {
        usize::try_from(limit).unwrap_or(SEARCH_LIMIT_MAX).clamp(1, SEARCH_LIMIT_MAX)
    })
}

/// The result of a look-up as JSON for a mind.
pub(super) fn format_lookup<T>(found: &Lookup<T>, item: impl Fn(&T) -> Value) -> Output {
    let items: Vec<Value> = found.items().iter().map(item).collect();
    let mut result = json!({"status": found.status(), "items": items});
    if let (Lookup::Failed(message), Some(object)) = (found, result.as_object_mut()) {
        object.insert("message".into(), message.as_str().into());
    }
    Output::json(&result)
}

fn item(fact: &Fact) -> Value {
    json!({
        "fact_id": fact.fact_id,
        "content": fact.content,
        "category": fact.category,
        "tags": fact.tags,
        "confidence": fact.confidence,
        "sources": fact.sources,
        "remembered_at": fact.valid_from,
        "told_by": fact.told_by,
        "trusted": fact.trusted,
    })
}
