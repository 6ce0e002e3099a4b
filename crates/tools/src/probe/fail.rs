//! `probe.fail {message}`: fails with that message.

use abide_domain::tool::{EffectClass, ToolSpec};
use futures_util::future::{BoxFuture, ready};
use serde::Deserialize;
use serde_json::json;

use crate::{Call, Output, Tool, ToolError, tool::read};

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
        let read: Result<Arguments, _> = read(call.arguments);
        let failure = match read {
            Ok(arguments) => ToolError::new(arguments.message),
            Err(error) => error,
        };
        Box::pin(ready(Err(failure)))
    }
}
