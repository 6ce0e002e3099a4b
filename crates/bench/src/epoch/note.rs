//! The tool of the measured epochs: changes the world as cheaply as can be, so that what is seen is the engine's part.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError};
use futures_util::future::BoxFuture;
use serde_json::json;

use crate::ledger::events;

/// A world tool that counts its runs.
#[derive(Debug)]
pub(super) struct CountingTool {
    spec: ToolSpec,
    runs: Arc<AtomicU64>,
}

impl CountingTool {
    /// The tool, counting into a shared number.
    pub(super) fn new(runs: Arc<AtomicU64>) -> Self {
        let spec = ToolSpec {
            name: events::TOOL.into(),
            description: "Notes a line.".into(),
            parameters: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["line"],
                "properties": {"line": {"type": "string"}}
            }),
            effect: EffectClass::World,
            idempotent: false,
        };
        Self { spec, runs }
    }
}

impl Tool for CountingTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        let output = Output { content: events::RESULT.into(), ..Output::default() };
        Box::pin(std::future::ready(Ok(output)))
    }
}
