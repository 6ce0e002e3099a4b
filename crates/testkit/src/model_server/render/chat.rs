//! OpenAI Chat Completions.

use serde_json::{Value, json};

use super::{
    super::FakeStop,
    event_stream::{EventStream, RenderedAnswer, pieces, texts},
};

pub(super) fn whole(said: &RenderedAnswer<'_>) -> Value {
    let calls: Vec<_> = said
        .calls
        .iter()
        .map(|call| {
            json!({"id": call.id, "type": "function",
                   "function": {"name": call.name, "arguments": call.arguments}})
        })
        .collect();
    let is_refusal = said.answer.stop == FakeStop::Refusal;
    let words = Some(&said.text).filter(|text| !text.is_empty() || !said.has_calls());
    let mut message = json!({
        "role": "assistant",
        "content": words.filter(|_| !is_refusal),
        "refusal": words.filter(|_| is_refusal),
    });
    if let Some(object) = message.as_object_mut() {
        if said.has_calls() {
            object.insert("tool_calls".into(), calls.into());
        }
        if !said.answer.thought.is_empty() {
            object.insert("reasoning_content".into(), said.answer.thought.as_str().into());
        }
    }
    json!({
        "id": id(said), "object": "chat.completion", "created": 0, "model": said.model,
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish(said)}],
        "usage": usage(said),
    })
}

pub(super) fn stream(said: &RenderedAnswer<'_>, events: &mut EventStream) {
    let chunk = |delta: Value, finish: Option<&str>| {
        json!({
            "id": id(said), "object": "chat.completion.chunk", "created": 0, "model": said.model,
            "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}],
            "usage": null,
        })
    };
    events.data(&chunk(json!({"role": "assistant", "content": ""}), None));
    for piece in pieces(&said.answer.thought) {
        events.data(&chunk(json!({"reasoning_content": piece}), None));
    }
    let field = if said.answer.stop == FakeStop::Refusal { "refusal" } else { "content" };
    texts(events, &said.text, |events, piece| events.data(&chunk(json!({field: piece}), None)));
    for (index, call) in said.calls.iter().enumerate() {
        let opening = json!({"index": index, "id": call.id, "type": "function",
                             "function": {"name": call.name, "arguments": ""}});
        events.data(&chunk(json!({"tool_calls": [opening]}), None));
        for piece in pieces(call.arguments) {
            let more = json!({"index": index, "function": {"arguments": piece}});
            events.data(&chunk(json!({"tool_calls": [more]}), None));
        }
    }
    events.data(&chunk(json!({}), Some(finish(said))));
    if said.wants_usage {
        events.data(&json!({
            "id": id(said), "object": "chat.completion.chunk", "created": 0, "model": said.model,
            "choices": [], "usage": usage(said),
        }));
    }
    events.parts.push(super::RepeatedBytes::once("data: [DONE]\n\n"));
}

pub(super) fn error(events: &mut EventStream) {
    events.data(&json!({"error": {"message": "The server had an error.", "type": "server_error",
                                  "param": null, "code": null}}));
}

fn id(said: &RenderedAnswer<'_>) -> String {
    format!("chatcmpl-{}", said.number)
}

fn finish(said: &RenderedAnswer<'_>) -> &'static str {
    match said.answer.stop {
        FakeStop::Done if said.has_calls() => "tool_calls",
        FakeStop::MaxTokens | FakeStop::ContextWindow => "length",
        FakeStop::Done | FakeStop::Refusal => "stop",
    }
}

fn usage(said: &RenderedAnswer<'_>) -> Value {
    let answer = said.answer;
    json!({
        "prompt_tokens": answer.input_tokens,
        "completion_tokens": answer.output_tokens,
        "total_tokens": answer.input_tokens + answer.output_tokens,
        "prompt_tokens_details": {"cached_tokens": answer.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": 0},
    })
}
