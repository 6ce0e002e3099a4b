//! OpenAI Responses.

use serde_json::Value;

use super::{
    super::{Role, SeenCall, SeenResult},
    draft::{RequestDraft, items, text},
};

const FIELDS: [&str; 28] = [
    "background",
    "conversation",
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "model",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];

pub(super) fn read(body: &Value, draft: &mut RequestDraft) {
    draft.known_fields(body, &FIELDS);
    if !text(body, "instructions").is_empty() {
        draft.instruct(text(body, "instructions").to_owned());
    }
    if let Some(Value::String(input)) = body.get("input") {
        draft.say(Role::User, input.clone());
    }
    for (place, item) in items(body, "input") {
        read_item(item, &place, draft);
    }
    for (place, tool) in items(body, "tools") {
        if text(tool, "type") != "function" {
            draft.problem(&place, "type must be function");
        }
        if tool.get("function").is_some() {
            draft.problem(
                &place,
                "name and parameters stand in the tool itself, not under function",
            );
        }
        draft.tool(tool, "parameters", &place);
    }
    draft.format = format(body, draft);
    draft.tokens_max = body.get("max_output_tokens").and_then(Value::as_u64);
}

fn read_item(item: &Value, place: &str, draft: &mut RequestDraft) {
    match text(item, "type") {
        "" | "message" => read_message(item, place, draft),
        "function_call" => {
            let arguments = draft.arguments_in_text(item.get("arguments"), place);
            let (id, name) = (text(item, "call_id").to_owned(), text(item, "name").to_owned());
            draft.call(SeenCall { id, name, arguments });
        }
        "function_call_output" => {
            let words = draft.content(item.get("output"), place, &["input_text"]);
            draft.result(SeenResult { id: text(item, "call_id").to_owned(), text: words });
        }
        "reasoning" => {}
        kind => draft.problem(place, &format!("an item of type `{kind}` was not expected")),
    }
}

fn read_message(item: &Value, place: &str, draft: &mut RequestDraft) {
    let role = text(item, "role");
    let types: &[&str] =
        if role == "assistant" { &["output_text", "refusal"] } else { &["input_text"] };
    let words = draft.content(item.get("content"), place, types);
    match role {
        "system" | "developer" => draft.instruct(words),
        "user" => draft.say(Role::User, words),
        "assistant" => draft.say(Role::Assistant, words),
        _ => draft.problem(place, &format!("`{role}` is no role")),
    }
}

fn format(body: &Value, draft: &mut RequestDraft) -> Option<Value> {
    let format = body.pointer("/text/format")?;
    match text(format, "type") {
        "text" | "json_object" => None,
        "json_schema" => {
            if text(format, "name").is_empty() {
                draft.problem("text.format", "name is missing");
            }
            format.get("schema").cloned()
        }
        kind => {
            draft.problem("text.format", &format!("`{kind}` is no type"));
            None
        }
    }
}
