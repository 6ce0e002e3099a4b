//! OpenAI's Responses. Typed events; the stream ends with `response.completed`, `.incomplete` or `.failed`.

use abide_domain::{turn::TurnRequest, voice};
use serde_json::{Value, json};

use crate::{
    AttemptError, ModelSettings, RequestForm,
    json::{list, number, set, text},
    prompt::{Message, Prompt},
    reply::{CallPiece, Reply},
    request_features::{RequestFeature, RequestFeatures},
    stop::StopReason,
    tokens::TokenCount,
    tool_name,
};

pub(super) fn encode(
    prompt: &Prompt<'_>,
    request: &TurnRequest,
    settings: &ModelSettings,
    (form, features): (RequestForm, RequestFeatures),
) -> Value {
    let mut input = Vec::new();
    for message in &prompt.messages {
        push(&mut input, message, features);
    }
    let mut body = json!({
        "model": settings.name,
        "stream": true,
        // The ledger is the record; the provider keeps none.
        "store": false,
    });
    // Nothing is stored there, so that what it reasoned has to come back with the results.
    if features.has(RequestFeature::EncryptedReasoning) && !request.tools.is_empty() {
        set(&mut body, "include", json!(["reasoning.encrypted_content"]));
    }
    match form {
        RequestForm::Native if !request.tools.is_empty() => {
            set(
                &mut body,
                "tools",
                request
                    .tools
                    .iter()
                    .map(|tool| {
                        json!({
                            "type": "function",
                            "name": tool_name::to_provider(&tool.name),
                            "description": tool.description,
                            "parameters": tool.parameters,
                            "strict": false,
                        })
                    })
                    .collect(),
            );
        }
        RequestForm::Native => {}
        RequestForm::Json => {
            set(
                &mut body,
                "text",
                json!({"format": {
                    "type": "json_schema", "name": "voice", "strict": true, "schema": voice::schema(true),
                }}),
            );
        }
    }
    if let Some(tokens) = settings.max_output_tokens {
        set(&mut body, "max_output_tokens", json!(tokens));
    }
    // Last, so that what seldom changes stands first in the body too.
    let system = prompt.system_text();
    if !system.is_empty() {
        set(&mut body, "instructions", json!(system));
    }
    set(&mut body, "input", Value::Array(input));
    body
}

fn push(input: &mut Vec<Value>, message: &Message<'_>, features: RequestFeatures) {
    match message {
        Message::Person(text) => input.push(json!({"role": "user", "content": text})),
        Message::Agent { state: Some(state), .. }
            if features.has(RequestFeature::HandBack) && !list(state, "/items").is_empty() =>
        {
            input.extend(list(state, "/items").iter().cloned());
        }
        Message::Agent { text, calls, .. } => {
            if let Some(text) = text {
                input.push(json!({"role": "assistant", "content": text}));
            }
            input.extend(calls.iter().map(|call| {
                json!({
                    "type": "function_call",
                    "call_id": call.id,
                    "name": call.name,
                    "arguments": call.arguments.to_string(),
                })
            }));
        }
        Message::Results(results) => input.extend(results.iter().map(|result| {
            json!({
                "type": "function_call_output", "call_id": result.id, "output": result.content,
            })
        })),
    }
}

pub(super) fn decode(frame: &Value, reply: &mut Reply) -> Result<(), AttemptError> {
    match text(frame, "/type") {
        "response.output_text.delta" => reply.add_text(text(frame, "/delta"))?,
        "response.refusal.delta" => reply.add_refusal(text(frame, "/delta")),
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
            reply.add_reasoning(text(frame, "/delta"));
        }
        "response.output_item.added" if text(frame, "/item/type") == "function_call" => {
            reply.add_call(&piece(frame, "/item", ""))?;
            set_call_id(
                frame.get("output_index").and_then(Value::as_u64),
                frame.get("item"),
                reply,
            );
        }
        "response.function_call_arguments.delta" => {
            reply.add_call(&piece(frame, "", text(frame, "/delta")))?;
        }
        "response.function_call_arguments.done" => {
            reply.replace_call(&piece(frame, "", text(frame, "/arguments")))?;
        }
        "response.output_item.done" if text(frame, "/item/type") == "function_call" => {
            reply.replace_call(&piece(frame, "/item", text(frame, "/item/arguments")))?;
            set_call_id(
                frame.get("output_index").and_then(Value::as_u64),
                frame.get("item"),
                reply,
            );
            keep_item(frame, reply);
        }
        "response.output_item.done" => keep_item(frame, reply),
        "response.completed" | "response.incomplete" => end(frame, reply)?,
        "response.cancelled" => reply.set_stop(StopReason::Broken("cancelled".to_owned())),
        "response.failed" => {
            let response = frame.get("response").unwrap_or(&Value::Null);
            return Err(AttemptError::in_stream(response));
        }
        "error" => return Err(AttemptError::in_stream(frame)),
        _ => {}
    }
    Ok(())
}

pub(super) fn decode_whole(answer: &Value, reply: &mut Reply) -> Result<(), AttemptError> {
    if text(answer, "/status") == "failed" || answer.get("error").is_some_and(Value::is_object) {
        return Err(AttemptError::in_stream(answer));
    }
    end(&json!({"response": answer}), reply)
}

/// Keeps an item of the answer whole.
fn keep_item(frame: &Value, reply: &mut Reply) {
    let index = frame.get("output_index").and_then(Value::as_u64).unwrap_or_default();
    if let Some(item) = frame.get("item") {
        let is_more = !matches!(text(item, "/type"), "message" | "function_call");
        reply.collected().set_item(index, item, is_more);
    }
}

fn set_call_id(index: Option<u64>, item: Option<&Value>, reply: &mut Reply) {
    let id = item.map(|item| text(item, "/call_id")).unwrap_or_default();
    if let Some(call) = reply.call_at(index).filter(|_| !id.is_empty()) {
        id.clone_into(&mut call.id);
    }
}

fn piece<'a>(frame: &'a Value, item: &str, arguments: &'a str) -> CallPiece<'a> {
    CallPiece {
        index: frame.get("output_index").and_then(Value::as_u64),
        // Left out on purpose: an item's id and its call id differ, and the index is always there.
        id: "",
        name: text(frame, &format!("{item}/name")),
        arguments,
    }
}

fn end(frame: &Value, reply: &mut Reply) -> Result<(), AttemptError> {
    reply.set_model(text(frame, "/response/model"));
    reply.set_tokens(TokenCount {
        input: number(frame, "/response/usage/input_tokens"),
        cache_read: number(frame, "/response/usage/input_tokens_details/cached_tokens"),
        cache_write: 0,
        output: number(frame, "/response/usage/output_tokens"),
    });
    if reply.is_empty() {
        for (index, item) in list(frame, "/response/output").iter().enumerate() {
            item_whole(index as u64, item, reply)?;
            keep_item(&json!({"output_index": index, "item": item}), reply);
        }
    }
    let reason = StopReason::of_word(text(frame, "/response/incomplete_details/reason"));
    let status = text(frame, "/response/status");
    reply.set_stop(match (reason, status) {
        (Some(reason), _) => reason,
        (None, "" | "completed") if text(frame, "/type") != "response.incomplete" => {
            StopReason::End
        }
        (None, status) => StopReason::of_word(status)
            .filter(|stop| matches!(stop, StopReason::Broken(_)))
            .unwrap_or_else(|| StopReason::Broken("incomplete".to_owned())),
    });
    reply.set_ended();
    Ok(())
}

/// An item that came with the end alone.
fn item_whole(index: u64, item: &Value, reply: &mut Reply) -> Result<(), AttemptError> {
    if text(item, "/type") == "function_call" {
        let (name, arguments) = (text(item, "/name"), text(item, "/arguments"));
        reply.add_call(&CallPiece { index: Some(index), id: "", name, arguments })?;
        set_call_id(Some(index), Some(item), reply);
        return Ok(());
    }
    for part in list(item, "/content") {
        reply.add_refusal(text(part, "/refusal"));
        if text(part, "/type") == "output_text" {
            reply.add_text(text(part, "/text"))?;
        }
    }
    Ok(())
}
