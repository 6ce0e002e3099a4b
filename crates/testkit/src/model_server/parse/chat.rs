//! OpenAI Chat Completions.

use serde_json::Value;

use super::{
    super::{Role, SeenCall, SeenResult},
    draft::{RequestDraft, items, text},
};

/// Parameters that OpenAI documents, and the few that the servers which speak its dialect add.
const FIELDS: [&str; 33] = [
    "audio",
    "cache_prompt",
    "frequency_penalty",
    "function_call",
    "functions",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "metadata",
    "modalities",
    "model",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "reasoning_effort",
    "response_format",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
];

pub(super) fn read(body: &Value, draft: &mut RequestDraft) {
    draft.known_fields(body, &FIELDS);
    for (place, message) in items(body, "messages") {
        read_message(message, &place, draft);
    }
    for (place, tool) in items(body, "tools") {
        if text(tool, "type") != "function" {
            draft.problem(&place, "type must be function");
        }
        draft.tool(tool.get("function").unwrap_or(&Value::Null), "parameters", &place);
    }
    draft.format = format(body, draft);
    let tokens_max = body.get("max_completion_tokens").or_else(|| body.get("max_tokens"));
    draft.tokens_max = tokens_max.and_then(Value::as_u64);
}

fn read_message(message: &Value, place: &str, draft: &mut RequestDraft) {
    let words = draft.content(message.get("content"), place, &["text", "refusal"]);
    match text(message, "role") {
        "system" | "developer" => draft.instruct(words),
        "user" => draft.say(Role::User, words),
        "assistant" => {
            draft.say(Role::Assistant, words);
            if message.get("tool_calls").is_some_and(|calls| calls == &Value::Array(Vec::new())) {
                draft.problem(place, "an empty list of tool_calls is refused; leave it out");
            }
            for (call_place, call) in items(message, "tool_calls") {
                read_call(call, &format!("{place}.{call_place}"), draft);
            }
        }
        "tool" => {
            let id = text(message, "tool_call_id").to_owned();
            draft.result(SeenResult { id, text: words });
        }
        role => draft.problem(place, &format!("`{role}` is no role")),
    }
}

fn read_call(call: &Value, place: &str, draft: &mut RequestDraft) {
    if text(call, "type") != "function" {
        draft.problem(place, "type must be function");
    }
    let function = call.get("function").unwrap_or(&Value::Null);
    let arguments = draft.arguments_in_text(function.get("arguments"), place);
    let name = text(function, "name").to_owned();
    draft.call(SeenCall { id: text(call, "id").to_owned(), name, arguments });
}

fn format(body: &Value, draft: &mut RequestDraft) -> Option<Value> {
    let format = body.get("response_format")?;
    match text(format, "type") {
        "text" | "json_object" => None,
        "json_schema" => {
            let definition = format.get("json_schema").unwrap_or(&Value::Null);
            if text(definition, "name").is_empty() {
                draft.problem("response_format", "json_schema.name is missing");
            }
            definition.get("schema").cloned()
        }
        kind => {
            draft.problem("response_format", &format!("`{kind}` is no type"));
            None
        }
    }
}
