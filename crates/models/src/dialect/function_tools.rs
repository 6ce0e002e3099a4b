//! The tools of a request in the form that OpenAI's chat and Ollama share.

use abide_domain::tool::ToolSpec;
use serde_json::{Value, json};

use crate::tool_name;

/// Writes the tools as a list of functions.
pub(super) fn function_tools(tools: &[ToolSpec]) -> Value {
    let tool = |tool: &ToolSpec| {
        json!({
            "type": "function",
            "function": {
                "name": tool_name::to_provider(&tool.name),
                "description": tool.description,
                "parameters": tool.parameters,
            },
        })
    };
    tools.iter().map(tool).collect()
}
