//! Ollama's own dialect: lines of JSON, and whole calls in one of them.

use serde_json::{Value, json};

use super::{
    super::FakeStop,
    event_stream::{EventStream, RenderedAnswer, pieces, texts},
};

pub(super) fn whole(said: &RenderedAnswer<'_>) -> Value {
    let mut message = json!({"role": "assistant", "content": said.text});
    if let Some(object) = message.as_object_mut() {
        if !said.answer.thought.is_empty() {
            object.insert("thinking".into(), said.answer.thought.as_str().into());
        }
        if said.has_calls() {
            object.insert("tool_calls".into(), calls(said));
        }
    }
    last(said, &message)
}

pub(super) fn stream(said: &RenderedAnswer<'_>, events: &mut EventStream) {
    let line = |message: Value| json!({"model": said.model, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false});
    for piece in pieces(&said.answer.thought) {
        let message = json!({"role": "assistant", "content": "", "thinking": piece});
        events.line(&line(message));
    }
    texts(events, &said.text, |events, piece| {
        events.line(&line(json!({"role": "assistant", "content": piece})));
    });
    if said.has_calls() {
        let message = json!({"role": "assistant", "content": "", "tool_calls": calls(said)});
        events.line(&line(message));
    }
    events.line(&last(said, &json!({"role": "assistant", "content": ""})));
}

pub(super) fn error(events: &mut EventStream) {
    events.line(&json!({"error": "an internal error was encountered"}));
}

fn calls(said: &RenderedAnswer<'_>) -> Value {
    let calls = said.calls.iter().enumerate();
    calls
        .map(|(index, call)| {
            json!({"id": call.id, "function": {"index": index, "name": call.name,
                                               "arguments": RenderedAnswer::arguments(call)}})
        })
        .collect()
}

fn last(said: &RenderedAnswer<'_>, message: &Value) -> Value {
    let reason = match said.answer.stop {
        FakeStop::Done | FakeStop::Refusal => "stop",
        FakeStop::MaxTokens | FakeStop::ContextWindow => "length",
    };
    json!({
        "model": said.model, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": true,
        "done_reason": reason, "total_duration": 1, "load_duration": 1,
        "prompt_eval_count": said.answer.input_tokens, "prompt_eval_duration": 1,
        "eval_count": said.answer.output_tokens, "eval_duration": 1,
    })
}
