//! Chat completions. Many servers copy this one, none exactly: reading is tolerant (missing indexes, repeated names,
//! usage where it should not be, a whole `message` where a `delta` should be, no `[DONE]`).

use abide_domain::{turn::TurnRequest, voice};
use serde_json::{Value, json};

use super::function_tools::function_tools;
use crate::{
    AttemptError, Dialect, ModelSettings, RequestForm,
    json::{is_set, list, number, set, text},
    prompt::{Message, Prompt},
    reply::{CallPiece, Reply, StopReason},
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
    let mut body = json!({
        "model": settings.name,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
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
        let is_own = settings.base() == Dialect::OpenAiChat.own_base_url();
        set(&mut body, if is_own { "max_completion_tokens" } else { "max_tokens" }, json!(tokens));
    }
    // Last, so that what seldom changes stands first in the body too.
    set(&mut body, "messages", Value::Array(messages));
    body
}

fn push(messages: &mut Vec<Value>, message: &Message<'_>) {
    match message {
        Message::Person(text) => messages.push(json!({"role": "user", "content": text})),
        Message::Agent { text, calls } if calls.is_empty() => {
            messages.push(json!({"role": "assistant", "content": text}));
        }
        Message::Agent { text, calls } => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|call| {
                    json!({
                        "id": call.id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": call.arguments.to_string()},
                    })
                })
                .collect();
            messages.push(json!({"role": "assistant", "content": text, "tool_calls": calls}));
        }
        Message::Results(results) => messages.extend(results.iter().map(|result| {
            json!({
                "role": "tool", "tool_call_id": result.id, "content": result.content,
            })
        })),
    }
}

pub(super) fn decode(frame: &Value, reply: &mut Reply) -> Result<(), AttemptError> {
    if is_set(frame, "/error") {
        return Err(AttemptError::in_stream(frame));
    }
    reply.set_model(text(frame, "/model"));
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
    let delta = choice.get("delta").or_else(|| choice.get("message")).unwrap_or(&Value::Null);
    reply.add_reasoning(text(delta, "/reasoning_content"));
    reply.add_reasoning(text(delta, "/reasoning"));
    reply.add_text(text(delta, "/content"))?;
    reply.add_refusal(text(delta, "/refusal"));
    for part in list(delta, "/tool_calls") {
        let piece = CallPiece {
            index: part.get("index").and_then(Value::as_u64),
            id: text(part, "/id"),
            name: text(part, "/function/name"),
            arguments: text(part, "/function/arguments"),
        };
        reply.add_call(&piece)?;
    }
    match text(choice, "/finish_reason") {
        "" => {}
        "length" => reply.set_stop(StopReason::Length),
        "content_filter" => reply.set_stop(StopReason::Refusal),
        _ => reply.set_stop(StopReason::End),
    }
    Ok(())
}
