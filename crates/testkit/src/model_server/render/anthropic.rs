//! Anthropic Messages.

use serde_json::{Value, json};

use super::{
    super::FakeStop,
    event_stream::{EventStream, RenderedAnswer, pieces, texts},
};

pub(super) fn whole(said: &RenderedAnswer<'_>) -> Value {
    let mut content = Vec::new();
    if !said.answer.thought.is_empty() {
        content.push(
            json!({"type": "thinking", "thinking": said.answer.thought, "signature": "c2ln"}),
        );
    }
    if !said.text.is_empty() {
        content.push(json!({"type": "text", "text": said.text}));
    }
    for call in &said.calls {
        content.push(json!({"type": "tool_use", "id": call.id, "name": call.name,
                            "input": RenderedAnswer::arguments(call)}));
    }
    let mut message = message(said, &usage(said, said.answer.output_tokens));
    if let Some(object) = message.as_object_mut() {
        object.insert("content".into(), content.into());
        object.insert("stop_reason".into(), stop(said).into());
    }
    message
}

pub(super) fn stream(said: &RenderedAnswer<'_>, events: &mut EventStream) {
    events.named(json!({"type": "message_start", "message": message(said, &usage(said, 1))}));
    events.named(json!({"type": "ping"}));
    let mut index = 0;
    if !said.answer.thought.is_empty() {
        let block = json!({"type": "thinking", "thinking": "", "signature": ""});
        open(events, index, &block);
        for piece in pieces(&said.answer.thought) {
            delta(events, index, &json!({"type": "thinking_delta", "thinking": piece}));
        }
        delta(events, index, &json!({"type": "signature_delta", "signature": "c2ln"}));
        close(events, &mut index);
    }
    if !said.text.is_empty() {
        open(events, index, &json!({"type": "text", "text": ""}));
        texts(events, &said.text, |events, piece| {
            delta(events, index, &json!({"type": "text_delta", "text": piece}));
        });
        close(events, &mut index);
    }
    for call in &said.calls {
        open(
            events,
            index,
            &json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}),
        );
        delta(events, index, &json!({"type": "input_json_delta", "partial_json": ""}));
        for piece in pieces(call.arguments) {
            delta(events, index, &json!({"type": "input_json_delta", "partial_json": piece}));
        }
        close(events, &mut index);
    }
    events.named(json!({
        "type": "message_delta",
        "delta": {"stop_reason": stop(said), "stop_sequence": null},
        "usage": {"output_tokens": said.answer.output_tokens},
    }));
    events.named(json!({"type": "message_stop"}));
}

pub(super) fn error(events: &mut EventStream) {
    events.named(
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    );
}

fn open(events: &mut EventStream, index: usize, block: &Value) {
    events.named(json!({"type": "content_block_start", "index": index, "content_block": block}));
}

fn delta(events: &mut EventStream, index: usize, delta: &Value) {
    events.named(json!({"type": "content_block_delta", "index": index, "delta": delta}));
}

fn close(events: &mut EventStream, index: &mut usize) {
    events.named(json!({"type": "content_block_stop", "index": *index}));
    *index += 1;
}

/// The message without its content, as it stands when it begins.
fn message(said: &RenderedAnswer<'_>, usage: &Value) -> Value {
    json!({
        "id": format!("msg_{}", said.number), "type": "message", "role": "assistant", "model": said.model,
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
    })
}

fn stop(said: &RenderedAnswer<'_>) -> &'static str {
    match said.answer.stop {
        FakeStop::Done if said.has_calls() => "tool_use",
        FakeStop::Done => "end_turn",
        FakeStop::MaxTokens => "max_tokens",
        FakeStop::ContextWindow => "model_context_window_exceeded",
        FakeStop::Refusal => "refusal",
    }
}

/// Cached tokens are not among the input tokens here.
fn usage(said: &RenderedAnswer<'_>, output_tokens: u64) -> Value {
    let answer = said.answer;
    json!({
        "input_tokens": answer.input_tokens.saturating_sub(answer.cached_tokens),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": answer.cached_tokens,
        "output_tokens": output_tokens,
    })
}
