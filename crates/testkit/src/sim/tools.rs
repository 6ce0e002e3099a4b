//! The tools of the simulation, which change a [`ToolRuns`].

use std::{sync::Arc, time::Duration};

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError};
use futures_util::future::BoxFuture;
use serde_json::json;

use crate::rig::ToolRuns;

/// A world tool that waits, takes effect, and waits again, so that a death can fall on either side of the effect.
#[derive(Debug)]
pub(crate) struct SlowWorldTool {
    world: Arc<ToolRuns>,
    spec: ToolSpec,
}

impl SlowWorldTool {
    pub(crate) fn new(world: Arc<ToolRuns>) -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "before_ms": {"type": "integer", "minimum": 0},
                "after_ms": {"type": "integer", "minimum": 0},
                "idempotent": {"type": "boolean"}
            }
        });
        let spec = ToolSpec {
            name: "world.push".into(),
            description: "Changes the simulated world.".into(),
            parameters,
            effect: EffectClass::World,
            idempotent: false,
        };
        Self { world, spec }
    }
}

impl Tool for SlowWorldTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn idempotent(&self, arguments: &serde_json::Value) -> bool {
        arguments.get("idempotent").and_then(serde_json::Value::as_bool).unwrap_or(false)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let wait = |key: &str| {
                let ms = call.arguments.get(key).and_then(serde_json::Value::as_u64).unwrap_or(0);
                tokio::time::sleep(Duration::from_millis(ms))
            };
            wait("before_ms").await;
            let count = self.world.note(&call, self.idempotent(call.arguments));
            wait("after_ms").await;
            Ok(Output { content: format!("pushed {count}"), ..Output::default() })
        })
    }
}

/// A read tool with a large result, which becomes a blob.
#[derive(Debug)]
pub(crate) struct LargeReadTool {
    spec: ToolSpec,
}

impl Default for LargeReadTool {
    fn default() -> Self {
        let parameters = json!({"type": "object", "properties": {"bytes": {"type": "integer"}}});
        Self {
            spec: ToolSpec {
                name: "world.page".into(),
                description: "Reads a page of the simulated world.".into(),
                parameters,
                effect: EffectClass::Read,
                idempotent: true,
            },
        }
    }
}

impl Tool for LargeReadTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        let bytes = call.arguments.get("bytes").and_then(serde_json::Value::as_u64).unwrap_or(10);
        let content =
            format!("{}:{}", call.call_id, "p".repeat(usize::try_from(bytes).unwrap_or(0)));
        let ethereal = Some(format!("a page of {bytes} bytes"));
        Box::pin(std::future::ready(Ok(Output { content, ethereal, ..Output::default() })))
    }
}
