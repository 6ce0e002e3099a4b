//! Anthropic's Messages. Roles alternate, all results of a turn stand in one message, and the prompt is marked for the
//! provider's cache at up to four places: after the tools, after what stays, after the history, and, where another turn can
//! follow in this epoch, at the end. A mark costs a write, so there is none where nothing would be read again.

use abide_domain::{turn::TurnRequest, voice};
use serde_json::{Value, json};

use crate::{
    AttemptError, ModelSettings, RequestForm,
    json::{list, number, set, text},
    prompt::{Call, CallResult, Message, Prompt},
    reply::{CallPiece, Reply},
    stop::StopReason,
    tokens::TokenCount,
    tool_name,
};

pub(super) fn encode(
    prompt: &Prompt<'_>,
    request: &TurnRequest,
    settings: &ModelSettings,
    form: RequestForm,
) -> Value {
    let mut body = json!({
        "model": settings.name,
        "max_tokens": settings.output_tokens(),
        "stream": true,
    });
    match form {
        RequestForm::Native => add_tools(&mut body, prompt, request),
        RequestForm::Json => {
            set(
                &mut body,
                "output_config",
                json!({"format": {"type": "json_schema", "schema": voice::schema(true)}}),
            );
        }
    }
    let texts = [prompt.rules.as_str(), prompt.system].into_iter();
    let texts = texts.filter(|text| !text.trim().is_empty());
    let mut system: Vec<Value> = texts.map(|text| json!({"type": "text", "text": text})).collect();
    mark(system.last_mut());
    if !system.is_empty() {
        set(&mut body, "system", Value::Array(system));
    }
    let is_continued = !request.tools.is_empty() || !request.steps.is_empty();
    set(&mut body, "messages", Value::Array(messages(prompt, is_continued)));
    body
}

/// Adds the tools. A conversation with calls in it is refused without any, so that tools which are no longer offered
/// are named then, with the order not to call them.
fn add_tools(body: &mut Value, prompt: &Prompt<'_>, request: &TurnRequest) {
    let mut tools: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool_name::to_provider(&tool.name),
                "description": tool.description,
                "input_schema": tool.parameters,
            })
        })
        .collect();
    if tools.is_empty() {
        tools = called(prompt)
            .into_iter()
            .map(|name| json!({"name": name, "input_schema": {"type": "object"}}))
            .collect();
        if tools.is_empty() {
            return;
        }
        set(body, "tool_choice", json!({"type": "none"}));
    }
    mark(tools.last_mut());
    set(body, "tools", Value::Array(tools));
}

fn called(prompt: &Prompt<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for message in &prompt.messages {
        if let Message::Agent { calls, .. } = message {
            names.extend(calls.iter().map(|call| call.name.clone()));
        }
    }
    names.sort();
    names.dedup();
    names
}

fn messages(prompt: &Prompt<'_>, is_continued: bool) -> Vec<Value> {
    let mut merged: Vec<(&str, Vec<Value>)> = Vec::new();
    for (index, message) in prompt.messages.iter().enumerate() {
        let (role, mut blocks) = blocks(message);
        let is_end_of_history = index + 1 == prompt.history_len;
        let is_end = index + 1 == prompt.messages.len();
        if is_end_of_history || (is_end && is_continued) {
            mark(blocks.last_mut());
        }
        match merged.last_mut() {
            Some((last, into)) if *last == role => into.append(&mut blocks),
            _ => merged.push((role, blocks)),
        }
    }
    merged.into_iter().map(|(role, blocks)| json!({"role": role, "content": blocks})).collect()
}

fn blocks(message: &Message<'_>) -> (&'static str, Vec<Value>) {
    match message {
        Message::Person(text) => ("user", vec![json!({"type": "text", "text": text})]),
        Message::Agent { state: Some(state), calls, .. } if !list(state, "/items").is_empty() => {
            ("assistant", returned_blocks(state, calls))
        }
        Message::Agent { text, calls, .. } => {
            let words = text.iter().map(|text| json!({"type": "text", "text": text}));
            let calls = calls.iter().map(|call| {
                json!({
                    "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments,
                })
            });
            ("assistant", words.chain(calls).collect())
        }
        Message::Results(results) => ("user", results.iter().map(result_block).collect()),
    }
}

/// The blocks of an answer as they came, with the calls as they were read.
fn returned_blocks(state: &Value, calls: &[Call<'_>]) -> Vec<Value> {
    let mut calls = calls.iter();
    let block = |block: &Value| match text(block, "/type") {
        "tool_use" => {
            let mut block = block.clone();
            if let Some(call) = calls.next() {
                set(&mut block, "id", json!(call.id));
                set(&mut block, "input", call.arguments.clone());
            }
            Some(block)
        }
        // An empty text is refused.
        "text" if text(block, "/text").trim().is_empty() => None,
        _ => Some(block.clone()),
    };
    list(state, "/items").iter().filter_map(block).collect()
}

fn result_block(result: &CallResult<'_>) -> Value {
    let mut block =
        json!({"type": "tool_result", "tool_use_id": result.id, "content": result.content});
    if result.is_error {
        set(&mut block, "is_error", json!(true));
    }
    block
}

/// Ends a cached prefix at this block.
fn mark(block: Option<&mut Value>) {
    if let Some(block) = block {
        set(block, "cache_control", json!({"type": "ephemeral"}));
    }
}

pub(super) fn decode(frame: &Value, reply: &mut Reply) -> Result<(), AttemptError> {
    match text(frame, "/type") {
        "message_start" => {
            reply.set_model(text(frame, "/message/model"));
            count(frame, "/message/usage", reply);
        }
        "content_block_start" => {
            let block = frame.get("content_block").unwrap_or(&Value::Null);
            start_block(frame.get("index").and_then(Value::as_u64), block, reply)?;
        }
        "content_block_delta" => match text(frame, "/delta/type") {
            "text_delta" => {
                grow(frame, "text", text(frame, "/delta/text"), reply);
                reply.add_text(text(frame, "/delta/text"))?;
            }
            "thinking_delta" => {
                grow(frame, "thinking", text(frame, "/delta/thinking"), reply);
                reply.add_reasoning(text(frame, "/delta/thinking"));
            }
            "signature_delta" => grow(frame, "signature", text(frame, "/delta/signature"), reply),
            "input_json_delta" => reply.add_call(&CallPiece {
                index: frame.get("index").and_then(Value::as_u64),
                id: "",
                name: "",
                arguments: text(frame, "/delta/partial_json"),
            })?,
            _ => {}
        },
        "message_delta" => {
            count(frame, "/usage", reply);
            if let Some(stop) = StopReason::of_word(text(frame, "/delta/stop_reason")) {
                reply.set_stop(stop);
            }
        }
        "message_stop" => reply.set_ended(),
        "error" => return Err(AttemptError::in_stream(frame)),
        _ => {}
    }
    Ok(())
}

pub(super) fn decode_whole(answer: &Value, reply: &mut Reply) -> Result<(), AttemptError> {
    if text(answer, "/type") == "error" {
        return Err(AttemptError::in_stream(answer));
    }
    decode(&json!({"type": "message_start", "message": answer}), reply)?;
    for (index, block) in list(answer, "/content").iter().enumerate() {
        start_block(Some(index as u64), block, reply)?;
    }
    let delta = json!({"stop_reason": text(answer, "/stop_reason")});
    decode(&json!({"type": "message_delta", "delta": delta}), reply)?;
    reply.set_ended();
    Ok(())
}

/// Continues a block that is kept whole.
fn grow(frame: &Value, field: &str, piece: &str, reply: &mut Reply) {
    if let Some(index) = frame.get("index").and_then(Value::as_u64) {
        reply.collected().grow_item(index, field, piece);
    }
}

fn start_block(index: Option<u64>, block: &Value, reply: &mut Reply) -> Result<(), AttemptError> {
    let is_more = !matches!(text(block, "/type"), "text" | "tool_use");
    reply.collected().set_item(index.unwrap_or_default(), block, is_more);
    match text(block, "/type") {
        "text" => reply.add_text(text(block, "/text")),
        "thinking" => {
            reply.add_reasoning(text(block, "/thinking"));
            Ok(())
        }
        "tool_use" => {
            // While streaming, the input is an empty object here and comes in pieces after it.
            let input = block.get("input").and_then(Value::as_object).filter(|i| !i.is_empty());
            let arguments = input.map(|_| text_of(block)).unwrap_or_default();
            let piece = CallPiece {
                index,
                id: text(block, "/id"),
                name: text(block, "/name"),
                arguments: &arguments,
            };
            reply.add_call(&piece)
        }
        _ => Ok(()),
    }
}

fn text_of(block: &Value) -> String {
    block.get("input").map(Value::to_string).unwrap_or_default()
}

/// Reads a count. The provider's input excludes what went to or came from its cache; ours includes it.
fn count(frame: &Value, at: &str, reply: &mut Reply) {
    let field = |name: &str| number(frame, &format!("{at}/{name}"));
    let (cache_read, cache_write) =
        (field("cache_read_input_tokens"), field("cache_creation_input_tokens"));
    let input = field("input_tokens").saturating_add(cache_read).saturating_add(cache_write);
    reply.set_tokens(TokenCount { input, cache_read, cache_write, output: field("output_tokens") });
}
