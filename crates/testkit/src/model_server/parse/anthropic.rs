//! Anthropic Messages.

use serde_json::Value;

use super::{
    super::{Role, SeenCall, SeenResult},
    draft::{RequestDraft, items, text},
};
use crate::model_server::socket::RawRequest;

const FIELDS: [&str; 20] = [
    "container",
    "context_management",
    "inference_geo",
    "max_tokens",
    "mcp_servers",
    "messages",
    "metadata",
    "model",
    "output_config",
    "service_tier",
    "speed",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
];

pub(super) fn read(body: &Value, raw: &RawRequest, draft: &mut RequestDraft) {
    draft.known_fields(body, &FIELDS);
    if raw.header("anthropic-version").is_none() {
        draft.problem("anthropic-version", "the header is missing");
    }
    draft.tokens_max = body.get("max_tokens").and_then(Value::as_u64);
    if draft.tokens_max.is_none_or(|tokens| tokens == 0) {
        draft.problem("max_tokens", "is required and at least 1");
    }
    if let Some(system) = body.get("system") {
        let words = draft.content(Some(system), "system", &["text"]);
        if words.trim().is_empty() {
            draft.problem("system", "is blank; leave it out");
        }
        draft.system.push(words);
    }
    for (place, message) in items(body, "messages") {
        match text(message, "role") {
            "user" => read_user(message, &place, draft),
            "assistant" => read_assistant(message, &place, draft),
            role => draft.problem(&place, &format!("`{role}` is no role here")),
        }
    }
    for (place, tool) in items(body, "tools") {
        draft.tool(tool, "input_schema", &place);
    }
    draft.format = format(body, draft);
}

/// A person's message, or results; with both, the results come first and the text goes with them.
fn read_user(message: &Value, place: &str, draft: &mut RequestDraft) {
    let content = message.get("content");
    let blocks = content.and_then(Value::as_array);
    let is_result = |block: &&Value| text(block, "type") == "tool_result";
    let results = blocks.into_iter().flatten().filter(is_result).count();
    if results == 0 {
        let words = draft.content(content, place, &["text"]);
        return draft.say(Role::User, words);
    }
    draft.say(Role::Tool, String::new());
    let mut words = Vec::new();
    for (index, block) in blocks.into_iter().flatten().enumerate() {
        if !is_result(&block) {
            words.extend(draft.part(block, place, &["text"]));
            continue;
        }
        if index >= results {
            draft.problem(place, "tool_result blocks must stand before all others");
        }
        let result = draft.content(block.get("content"), place, &["text"]);
        draft.result(SeenResult { id: text(block, "tool_use_id").to_owned(), text: result });
    }
    draft.word(Role::Tool, &words);
}

fn read_assistant(message: &Value, place: &str, draft: &mut RequestDraft) {
    let Some(Value::Array(blocks)) = message.get("content") else {
        let words = draft.content(message.get("content"), place, &[]);
        return draft.say(Role::Assistant, words);
    };
    draft.say(Role::Assistant, String::new());
    let mut words = Vec::new();
    for block in blocks {
        match text(block, "type") {
            "thinking" | "redacted_thinking" => {}
            "tool_use" => read_call(block, place, draft),
            _ => words.extend(draft.part(block, place, &["text"])),
        }
    }
    draft.word(Role::Assistant, &words);
}

fn read_call(block: &Value, place: &str, draft: &mut RequestDraft) {
    let arguments = block.get("input").cloned().unwrap_or_default();
    if !arguments.is_object() {
        draft.problem(place, "the input of a tool_use must be an object");
    }
    let (id, name) = (text(block, "id").to_owned(), text(block, "name").to_owned());
    draft.call(SeenCall { id, name, arguments });
}

fn format(body: &Value, draft: &mut RequestDraft) -> Option<Value> {
    let format = body.pointer("/output_config/format")?;
    if text(format, "type") != "json_schema" {
        draft.problem("output_config.format", "type must be json_schema");
    }
    format.get("schema").cloned()
}
