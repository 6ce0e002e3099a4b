//! Ollama's own chat: one JSON object a line, calls whole, arguments as objects.

use abide_domain::{turn::TurnRequest, voice};
use serde_json::{Value, json};

use super::function_tools::function_tools;
use crate::{
    AttemptError, ModelSettings, RequestForm,
    json::{is_set, list, number, set, text},
    prompt::{Message, Prompt},
    provider_state::{add_fields, merge_field},
    reply::{CallPiece, Reply},
    stop::StopReason,
    tokens::TokenCount,
};

pub(super) fn encode(
    prompt: &Prompt<'_>,
    request: &TurnRequest,
    settings: &ModelSettings,
    form: RequestForm,
) -> Value {
    let system = prompt.system_text();
    let mut messages = Vec::new();
    if !system.is_empty() {
        messages.push(json!({"role": "system", "content": system}));
    }
    for message in &prompt.messages {
        push(&mut messages, message);
    }
    // Without a size the server keeps a few thousand tokens and silently drops the beginning of the prompt.
    let mut options = json!({"num_ctx": settings.context()});
    if let Some(tokens) = settings.max_output_tokens {
        set(&mut options, "num_predict", json!(tokens));
    }
    // What seldom changes stands first in the body too.
    let mut body = json!({"model": settings.name, "stream": true, "options": options});
    match form {
        RequestForm::Native if !request.tools.is_empty() => {
            set(&mut body, "tools", function_tools(&request.tools));
        }
        RequestForm::Native => {}
        RequestForm::Json => set(&mut body, "format", voice::schema(true)),
    }
    set(&mut body, "messages", Value::Array(messages));
    body
}

fn push(messages: &mut Vec<Value>, message: &Message<'_>) {
    match message {
        Message::Person(text) => messages.push(json!({"role": "user", "content": text})),
        Message::Agent { text, calls, state } => {
            let mut message =
                json!({"role": "assistant", "content": text.as_deref().unwrap_or_default()});
            if !calls.is_empty() {
                set(
                    &mut message,
                    "tool_calls",
                    calls
                        .iter()
                        .map(|call| {
                            let mut value = json!({
                                "id": call.id,
                                "function": {"name": call.name, "arguments": call.arguments},
                            });
                            add_fields(&mut value, call.state.and_then(|state| state.get("extra")));
                            value
                        })
                        .collect(),
                );
            }
            add_fields(&mut message, state.and_then(|state| state.get("message")));
            messages.push(message);
        }
        Message::Results(results) => messages.extend(results.iter().map(|result| {
            json!({
                "role": "tool",
                "tool_name": result.name,
                "tool_call_id": result.id,
                "content": result.content,
            })
        })),
    }
}

pub(super) fn decode(frame: &Value, reply: &mut Reply) -> Result<(), AttemptError> {
    if is_set(frame, "/error") {
        return Err(AttemptError::in_stream(frame));
    }
    reply.set_model(text(frame, "/model"));
    reply.add_reasoning(text(frame, "/message/thinking"));
    reply.add_text(text(frame, "/message/content"))?;
    for call in list(frame, "/message/tool_calls") {
        let arguments = match call.pointer("/function/arguments") {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        let name = text(call, "/function/name");
        // No index: in this dialect each entry is a whole call of its own, and indexes start anew with each line.
        reply.add_call(&CallPiece { index: None, id: "", name, arguments: &arguments })?;
        if let Some(state) = reply.newest_call() {
            text(call, "/id").clone_into(&mut state.id);
            for (field, value) in call.as_object().into_iter().flatten() {
                if !matches!(field.as_str(), "id" | "type" | "function") && !value.is_null() {
                    merge_field(&mut state.extra, field, value);
                }
            }
        }
    }
    for (field, value) in frame.get("message").and_then(Value::as_object).into_iter().flatten() {
        let is_own = matches!(field.as_str(), "role" | "content" | "tool_calls" | "images");
        if !is_own {
            reply.collected().add_field(field, value);
        }
    }
    if frame.get("done").and_then(Value::as_bool) == Some(true) {
        reply.set_tokens(TokenCount {
            input: number(frame, "/prompt_eval_count"),
            output: number(frame, "/eval_count"),
            ..TokenCount::default()
        });
        // Older servers give no reason.
        let stop = StopReason::of_word(text(frame, "/done_reason"));
        reply.set_stop(stop.unwrap_or(StopReason::End));
        reply.set_ended();
    }
    Ok(())
}
