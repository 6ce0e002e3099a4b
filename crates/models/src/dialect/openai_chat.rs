//! Chat completions. Many servers copy this one, none exactly: reading is tolerant (missing indexes, repeated names,
//! usage where it should not be, a whole `message` where a `delta` should be, no `[DONE]`).

use abide_domain::{turn::TurnRequest, voice};
use serde_json::{Value, json};

use super::function_tools::function_tools;
use crate::{
    AttemptError, ModelSettings, RequestForm,
    json::{is_set, list, number, set, text},
    prompt::{Call, Message, Prompt},
    provider_state::{add_fields, merge_field},
    reply::{CallPiece, Reply},
    request_features::{RequestFeature, RequestFeatures},
    stop::StopReason,
    tokens::TokenCount,
};

pub(super) fn encode(
    prompt: &Prompt<'_>,
    request: &TurnRequest,
    settings: &ModelSettings,
    (form, features): (RequestForm, RequestFeatures),
) -> Value {
    let system = prompt.system_text();
    let mut messages = Vec::new();
    if !system.is_empty() {
        messages.push(json!({"role": "system", "content": system}));
    }
    for message in &prompt.messages {
        push(&mut messages, message, features);
    }
    let mut body = json!({"model": settings.name, "stream": true});
    if features.has(RequestFeature::StreamUsage) {
        set(&mut body, "stream_options", json!({"include_usage": true}));
    }
    match form {
        RequestForm::Native if !request.tools.is_empty() => {
            set(&mut body, "tools", function_tools(&request.tools));
        }
        RequestForm::Native => {}
        RequestForm::Json => {
            set(
                &mut body,
                "response_format",
                json!({
                    "type": "json_schema",
                    "json_schema": {"name": "voice", "strict": true, "schema": voice::schema(true)},
                }),
            );
        }
    }
    if let Some(tokens) = settings.max_output_tokens {
        // The provider itself has renamed the field; the servers that copy it mostly know the old name alone.
        let is_renamed = features.has(RequestFeature::CompletionTokens);
        let field = if is_renamed { "max_completion_tokens" } else { "max_tokens" };
        set(&mut body, field, json!(tokens));
    }
    // Last, so that what seldom changes stands first in the body too.
    set(&mut body, "messages", Value::Array(messages));
    body
}

fn push(messages: &mut Vec<Value>, message: &Message<'_>, features: RequestFeatures) {
    match message {
        Message::Person(text) => messages.push(json!({"role": "user", "content": text})),
        Message::Agent { text, calls, .. } if calls.is_empty() => {
            messages.push(json!({"role": "assistant", "content": text}));
        }
        Message::Agent { text, calls, state } => {
            let state = state.filter(|_| features.has(RequestFeature::HandBack));
            let calls: Vec<Value> = calls.iter().map(|call| call_value(call, features)).collect();
            let mut message = json!({"role": "assistant", "tool_calls": calls});
            // First: content that came as a list goes back as a list.
            add_fields(&mut message, state.and_then(|state| state.get("message")));
            add_fields(&mut message, Some(&json!({"content": text})));
            // Of a list only the pieces with reasoning were kept; words that came otherwise follow it.
            if let (Some(Value::Array(parts)), Some(words)) = (message.get_mut("content"), text)
                && !parts.iter().any(|part| part.get("type").is_some_and(|kind| kind == "text"))
            {
                parts.push(json!({"type": "text", "text": words}));
            }
            messages.push(message);
        }
        Message::Results(results) => messages.extend(results.iter().map(|result| {
            json!({
                "role": "tool", "tool_call_id": result.id, "content": result.content,
            })
        })),
    }
}

fn call_value(call: &Call<'_>, features: RequestFeatures) -> Value {
    let state = call.state.filter(|_| features.has(RequestFeature::HandBack));
    let mut function = json!({"name": call.name, "arguments": call.arguments.to_string()});
    add_fields(&mut function, state.and_then(|state| state.get("function")));
    let mut value = json!({"id": call.id, "type": "function", "function": function});
    add_fields(&mut value, state.and_then(|state| state.get("extra")));
    value
}

/// Fields of a message that are no state: its own, and what only describes the answer.
const MESSAGE_FIELDS: [&str; 18] = [
    "role",
    "content",
    "tool_calls",
    "function_call",
    "refusal",
    "audio",
    "annotations",
    "images",
    "logprobs",
    "name",
    "index",
    "finish_reason",
    "token_ids",
    "prompt_token_ids",
    "tool_call_id",
    "object",
    "created",
    "model",
];

pub(super) fn decode(frame: &Value, reply: &mut Reply) -> Result<(), AttemptError> {
    // Some wrap a failure into a list.
    if is_set(frame, "/error") || frame.is_array() {
        return Err(AttemptError::in_stream(frame));
    }
    reply.set_model(text(frame, "/model"));
    reply.set_fingerprint(text(frame, "/system_fingerprint"));
    if is_set(frame, "/usage") {
        reply.set_tokens(TokenCount {
            input: number(frame, "/usage/prompt_tokens"),
            cache_read: number(frame, "/usage/prompt_tokens_details/cached_tokens"),
            cache_write: 0,
            output: number(frame, "/usage/completion_tokens"),
        });
    }
    // Only one answer was asked for; the usage frame has none.
    let Some(choice) = list(frame, "/choices").first() else {
        return Ok(());
    };
    let delta = ["delta", "message"].into_iter().find_map(|field| choice.get(field));
    let delta = delta.unwrap_or(&Value::Null);
    if is_set(choice, "/error") || is_set(delta, "/error") {
        return Err(AttemptError::in_stream(if is_set(choice, "/error") { choice } else { delta }));
    }
    // Some give the same reasoning under two names.
    let reasoning = ["/reasoning_content", "/reasoning", "/reasoning_text", "/thinking"];
    let reasoning = reasoning.into_iter().map(|field| text(delta, field));
    reply.add_reasoning(reasoning.into_iter().find(|text| !text.is_empty()).unwrap_or_default());
    add_content(delta, reply)?;
    for (field, value) in delta.as_object().into_iter().flatten() {
        if !MESSAGE_FIELDS.contains(&field.as_str()) {
            reply.collected().add_field(field, value);
        }
    }
    reply.add_refusal(text(delta, "/refusal"));
    for part in list(delta, "/tool_calls") {
        let piece = CallPiece {
            index: part.get("index").and_then(Value::as_u64),
            id: text(part, "/id"),
            name: text(part, "/function/name"),
            arguments: text(part, "/function/arguments"),
        };
        reply.add_call(&piece)?;
        add_call_state(part, reply);
    }
    if let Some(call) = delta.get("function_call").filter(|call| call.is_object()) {
        let (name, arguments) = (text(call, "/name"), text(call, "/arguments"));
        reply.add_call(&CallPiece { index: Some(0), id: "", name, arguments })?;
    }
    if let Some(stop) = StopReason::of_word(text(choice, "/finish_reason")) {
        reply.set_stop(stop);
    }
    Ok(())
}

/// Text of the answer: a text, or a list of parts of which some are reasoning.
fn add_content(delta: &Value, reply: &mut Reply) -> Result<(), AttemptError> {
    let parts = list(delta, "/content");
    for part in parts {
        match text(part, "/type") {
            "thinking" | "reasoning" => {
                for inner in list(part, "/thinking") {
                    reply.add_reasoning(text(inner, "/text"));
                }
                reply.add_reasoning(text(part, "/thinking"));
                reply.add_reasoning(text(part, "/text"));
            }
            _ => reply.add_text(text(part, "/text"))?,
        }
    }
    let is_more = |part: &Value| !matches!(text(part, "/type"), "text" | "output_text");
    if parts.iter().any(is_more) {
        reply.collected().add_field("content", &Value::Array(parts.to_vec()));
    }
    reply.add_text(text(delta, "/content"))
}

fn add_call_state(part: &Value, reply: &mut Reply) {
    let index = part.get("index").and_then(Value::as_u64);
    let state = if index.is_some() { reply.call_at(index) } else { reply.newest_call() };
    let Some(state) = state else { return };
    for (field, value) in part.as_object().into_iter().flatten() {
        let is_own = matches!(field.as_str(), "index" | "id" | "type" | "function");
        if !is_own && !value.is_null() {
            merge_field(&mut state.extra, field, value);
        }
    }
    for (field, value) in part.get("function").and_then(Value::as_object).into_iter().flatten() {
        if !matches!(field.as_str(), "name" | "arguments") && !value.is_null() {
            merge_field(&mut state.function, field, value);
        }
    }
}
