//! `memory.forget_fact {fact_id, reason?}`: stages that a fact is taken back.
//!
//! Returns `{"fact_id", "forgotten": true}`. The fact's line stays in the ledger. An id that is not known is an error, and
//! so is not being able to look.

use abide_domain::{
    FactId,
    event::FactForgotten,
    tool::{EffectClass, ToolSpec},
};
use futures_util::future::{BoxFuture, ready};
use serde::Deserialize;
use serde_json::json;

use super::{lookup_failed, reason};
use crate::{Call, Output, Tool, ToolError, tool_error::parse_arguments};

/// The tool `memory.forget_fact`.
#[derive(Clone, Debug)]
pub struct ForgetFact {
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    fact_id: String,
    reason: Option<String>,
}

impl ForgetFact {
    /// The tool.
    #[expect(clippy::new_without_default, reason = "a tool is made by name in the registry only")]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["fact_id"],
            "properties": {
                "fact_id": {"type": "string", "description": "as memory.search_facts gives it"},
                "reason": {"type": ["string", "null"], "description": "in a few words"}
            }
        });
        Self {
            spec: ToolSpec {
                name: "memory.forget_fact".into(),
                description: "Forgets a fact, once this exchange is complete.".into(),
                parameters,
                effect: EffectClass::State,
                idempotent: true,
            },
        }
    }
}

impl Tool for ForgetFact {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(ready(forget(&call)))
    }
}

fn forget(call: &Call<'_>) -> Result<Output, ToolError> {
    let arguments: Arguments = parse_arguments(call.arguments)?;
    let fact_id: FactId = arguments.fact_id.trim().parse().map_err(|_| {
        ToolError::new("fact_id: is not the id of a fact; memory.search_facts lists them")
    })?;
    let reason = reason(arguments.reason)?;
    match call.memory.is_fact(fact_id, call.epoch) {
        Ok(true) => {}
        Ok(false) => {
            return Err(ToolError::new(format!(
                "fact_id: no fact {fact_id} is known; memory.search_facts lists those that are"
            )));
        }
        Err(message) => return Err(lookup_failed(&message)),
    }
    let mut output = Output::json(&json!({"fact_id": fact_id, "forgotten": true}));
    output.staged.push(FactForgotten { fact_id, reason }.into());
    Ok(output)
}
