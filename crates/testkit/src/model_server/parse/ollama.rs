//! Ollama's own dialect. Its older forms have no call ids: results are then matched by name and order.

use serde_json::Value;

use super::{
    super::{Role, SeenCall, SeenResult},
    draft::{RequestDraft, items, text},
};

const FIELDS: [&str; 11] = [
    "format",
    "keep_alive",
    "logprobs",
    "messages",
    "model",
    "options",
    "stream",
    "think",
    "tools",
    "top_logprobs",
    "truncate",
];

pub(super) fn read(body: &Value, draft: &mut RequestDraft) {
    draft.known_fields(body, &FIELDS);
    let mut open: Vec<SeenCall> = Vec::new();
    for (place, message) in items(body, "messages") {
        let words = text(message, "content").to_owned();
        match text(message, "role") {
            "system" => draft.instruct(words),
            "user" => draft.say(Role::User, words),
            "assistant" => {
                draft.say(Role::Assistant, words);
                open = read_calls(message, &place, draft);
            }
            "tool" => {
                let id = result_id(message, &mut open);
                draft.result(SeenResult { id, text: words });
            }
            role => draft.problem(&place, &format!("`{role}` is no role")),
        }
    }
    for (place, tool) in items(body, "tools") {
        draft.tool(tool.get("function").unwrap_or(&Value::Null), "parameters", &place);
    }
    draft.format = body.get("format").filter(|format| format.is_object()).cloned();
    draft.tokens_max = body.pointer("/options/num_predict").and_then(Value::as_u64);
    if body.pointer("/options/num_ctx").is_none() {
        draft.problem("options.num_ctx", "is missing: the default window is too small");
    }
}

fn read_calls(message: &Value, place: &str, draft: &mut RequestDraft) -> Vec<SeenCall> {
    let mut calls = Vec::new();
    for (index, (_, call)) in items(message, "tool_calls").enumerate() {
        let function = call.get("function").unwrap_or(&Value::Null);
        let arguments = function.get("arguments").cloned().unwrap_or_default();
        if !arguments.is_object() {
            draft.problem(place, "a call's arguments must be an object");
        }
        let id = match text(call, "id") {
            "" => format!("{place}#{index}"),
            id => id.to_owned(),
        };
        calls.push(SeenCall { id, name: text(function, "name").to_owned(), arguments });
    }
    for call in &calls {
        draft.call(call.clone());
    }
    calls
}

/// The id of the call that a result answers; empty where there is none left.
fn result_id(message: &Value, open: &mut Vec<SeenCall>) -> String {
    let (id, name) = (text(message, "tool_call_id"), text(message, "tool_name"));
    if !id.is_empty() {
        return id.to_owned();
    }
    let found = open.iter().position(|call| name.is_empty() || call.name == name);
    found.map_or_else(String::new, |index| open.remove(index).id)
}
