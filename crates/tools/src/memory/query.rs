//! `memory.query {query, params}`: one of the eight queries over what the agent remembers.
//!
//! Returns the query's result as decision 7 says: `{status, found, data, confidence, query_time_ms, message}`. A query or
//! parameter that does not exist is `failed` with the words that would be right, never `empty`.

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_memory::{GraphQuery, QueryResult};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{Call, Output, Tool, ToolError, tool_error::parse_arguments};

/// What a mind must know to ask.
const PARAMS: &str = "All but partnerships take limit. partnerships: partner_id. conversations: partner_id (`*`: anybody), \
    keywords []. technical_context: term, issue_type. emotional_state: context_similar_to, emotion. strategy_patterns: \
    situation_type, min_success_rate. related_code: filename, include_dependencies. failed_attempts: context. \
    active_constraints: constraint_type, min_severity.";

/// The tool `memory.query`.
#[derive(Clone, Debug)]
pub struct QueryMemory {
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    query: String,
    params: Option<Map<String, Value>>,
}

impl QueryMemory {
    /// The tool.
    #[expect(clippy::new_without_default, reason = "a tool is made by name in the registry only")]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["query"],
            "properties": {
                "query": {"type": "string", "enum": GraphQuery::NAMES},
                "params": {"type": ["object", "null"], "description": PARAMS}
            }
        });
        let description = "Asks your memory one of eight questions. Says found, empty or failed (could not look).";
        Self {
            spec: ToolSpec {
                name: "memory.query".into(),
                description: description.into(),
                parameters,
                effect: EffectClass::Read,
                idempotent: true,
            },
        }
    }
}

impl Tool for QueryMemory {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(ask(call))
    }
}

async fn ask(call: Call<'_>) -> Result<Output, ToolError> {
    let Arguments { query, params } = parse_arguments(call.arguments)?;
    let params = Value::Object(params.unwrap_or_default());
    let result = match GraphQuery::parse(&query, &params) {
        Ok(query) => call.memory.ask(&query, call.question("")).await,
        Err(problem) => QueryResult::failed(problem.to_string()),
    };
    let result = serde_json::to_value(&result);
    let result =
        result.map_err(|error| ToolError::new(format!("the result cannot be shown: {error}")))?;
    Ok(Output::json(&result))
}
