//! `probe.fail {message}`: fails with that message.

use abide_domain::tool::{EffectClass, ToolSpec};
use futures_util::future::{BoxFuture, ready};
use serde::Deserialize;
use serde_json::json;

use crate::{Call, Output, Tool, ToolError, tool_error::parse_arguments};

/// The tool `probe.fail`.
#[derive(Clone, Debug)]
pub struct Fail {
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    message: String,
}

impl Fail {
    /// The tool.
    #[expect(clippy::new_without_default, reason = "a tool is made by name in the registry only")]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["message"],
            "properties": {"message": {"type": "string", "description": "the failure's words"}}
        });
        Self {
            spec: ToolSpec {
                name: "probe.fail".into(),
                description: "Fails. For tests.".into(),
                parameters,
                effect: EffectClass::Read,
                idempotent: true,
            },
        }
    }
}

impl Tool for Fail {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        let parse_arguments: Result<Arguments, _> = parse_arguments(call.arguments);
        let failure = match parse_arguments {
            Ok(arguments) => ToolError::new(arguments.message),
            Err(error) => error,
        };
        Box::pin(ready(Err(failure)))
    }
}
