//! OpenAI Responses.

use serde_json::{Value, json};

use super::{
    super::FakeStop,
    event_stream::{EventStream, RenderedAnswer, pieces, texts},
};

/// The response object. `stop` is what it is said to have stopped for.
pub(super) fn whole(said: &RenderedAnswer<'_>, stop: FakeStop) -> Value {
    let mut output = Vec::new();
    if !said.answer.thought.is_empty() {
        output.push(reasoning(said));
    }
    if !said.text.is_empty() {
        output.push(message(said, &[part(said, &said.text)]));
    }
    output.extend((0..said.calls.len()).filter_map(|index| call(said, index, true)));
    let (status, reason) = match stop {
        FakeStop::Done | FakeStop::Refusal => ("completed", None),
        FakeStop::MaxTokens | FakeStop::ContextWindow => ("incomplete", Some("max_output_tokens")),
    };
    let details = reason.map(|reason| json!({"reason": reason}));
    response(said, status, (&output, details, usage(said)))
}

pub(super) fn stream(said: &RenderedAnswer<'_>, events: &mut EventStream) {
    let begun = || response(said, "in_progress", (&[], None, Value::Null));
    events.named(json!({"type": "response.created", "response": begun()}));
    events.named(json!({"type": "response.in_progress", "response": begun()}));
    let mut index = 0;
    if !said.answer.thought.is_empty() {
        stream_reasoning(said, events, index);
        index += 1;
    }
    if !said.text.is_empty() {
        stream_message(said, events, index);
        index += 1;
    }
    for number in 0..said.calls.len() {
        stream_call(said, events, (index + number, number));
    }
    let end = whole(said, said.answer.stop);
    let kind = end.get("status").and_then(Value::as_str).unwrap_or_default();
    events.named(json!({"type": format!("response.{kind}"), "response": end}));
}

pub(super) fn error(events: &mut EventStream) {
    events.named(
        json!({"type": "error", "code": "server_error", "message": "The server had an error.",
                        "param": null, "sequence_number": 0}),
    );
}

fn stream_reasoning(said: &RenderedAnswer<'_>, events: &mut EventStream, index: usize) {
    let item = reasoning(said);
    let empty = json!({"type": "reasoning", "id": "rs_1", "summary": []});
    events
        .named(json!({"type": "response.output_item.added", "output_index": index, "item": empty}));
    for piece in pieces(&said.answer.thought) {
        events.named(json!({"type": "response.reasoning_summary_text.delta", "item_id": "rs_1",
                            "output_index": index, "summary_index": 0, "delta": piece}));
    }
    events.named(json!({"type": "response.reasoning_summary_text.done", "item_id": "rs_1",
                        "output_index": index, "summary_index": 0, "text": said.answer.thought}));
    events.named(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
}

fn stream_message(said: &RenderedAnswer<'_>, events: &mut EventStream, index: usize) {
    let is_refusal = said.answer.stop == FakeStop::Refusal;
    let kind = if is_refusal { "refusal" } else { "output_text" };
    let place = |kind: String| json!({"type": kind, "item_id": "msg_1", "output_index": index, "content_index": 0});
    let with = |mut event: Value, key: &str, value: Value| {
        if let Some(object) = event.as_object_mut() {
            object.insert(key.into(), value);
        }
        event
    };
    events.named(json!({"type": "response.output_item.added", "output_index": index,
                        "item": message(said, &[])}));
    let added = place("response.content_part.added".into());
    events.named(with(added, "part", part(said, "")));
    texts(events, &said.text, |events, piece| {
        events.named(with(place(format!("response.{kind}.delta")), "delta", piece.into()));
    });
    let field = if is_refusal { "refusal" } else { "text" };
    events.named(with(place(format!("response.{kind}.done")), field, said.text.as_str().into()));
    let done = place("response.content_part.done".into());
    events.named(with(done, "part", part(said, &said.text)));
    events.named(json!({"type": "response.output_item.done", "output_index": index,
                        "item": message(said, &[part(said, &said.text)])}));
}

/// Streams the call of that number as the output item of that index.
fn stream_call(
    said: &RenderedAnswer<'_>,
    events: &mut EventStream,
    (index, number): (usize, usize),
) {
    let id = format!("fc_{number}");
    events.named(json!({"type": "response.output_item.added", "output_index": index,
                        "item": call(said, number, false)}));
    let arguments = said.calls.get(number).map_or("", |call| call.arguments);
    for piece in pieces(arguments) {
        events.named(json!({"type": "response.function_call_arguments.delta", "item_id": id,
                            "output_index": index, "delta": piece}));
    }
    events.named(json!({"type": "response.function_call_arguments.done", "item_id": id,
                        "output_index": index, "arguments": arguments}));
    events.named(json!({"type": "response.output_item.done", "output_index": index,
                        "item": call(said, number, true)}));
}

/// The response object around its output, the reason why it is incomplete, and its usage.
fn response(
    said: &RenderedAnswer<'_>,
    status: &str,
    rest: (&[Value], Option<Value>, Value),
) -> Value {
    let (output, details, usage) = rest;
    json!({
        "id": format!("resp_{}", said.number), "object": "response", "created_at": 0, "status": status,
        "model": said.model, "error": null, "incomplete_details": details, "output": output, "usage": usage,
    })
}

fn reasoning(said: &RenderedAnswer<'_>) -> Value {
    json!({"type": "reasoning", "id": "rs_1",
           "summary": [{"type": "summary_text", "text": said.answer.thought}]})
}

fn message(said: &RenderedAnswer<'_>, content: &[Value]) -> Value {
    let status = match (content, said.answer.stop) {
        ([], _) => "in_progress",
        (_, FakeStop::MaxTokens | FakeStop::ContextWindow) => "incomplete",
        _ => "completed",
    };
    json!({"type": "message", "id": "msg_1", "status": status, "role": "assistant", "content": content})
}

fn part(said: &RenderedAnswer<'_>, text: &str) -> Value {
    if said.answer.stop == FakeStop::Refusal {
        return json!({"type": "refusal", "refusal": text});
    }
    json!({"type": "output_text", "text": text, "annotations": []})
}

fn call(said: &RenderedAnswer<'_>, index: usize, is_done: bool) -> Option<Value> {
    let call = said.calls.get(index)?;
    let (arguments, status) =
        if is_done { (call.arguments, "completed") } else { ("", "in_progress") };
    Some(json!({"type": "function_call", "id": format!("fc_{index}"), "call_id": call.id,
                "name": call.name, "arguments": arguments, "status": status}))
}

fn usage(said: &RenderedAnswer<'_>) -> Value {
    let answer = said.answer;
    json!({
        "input_tokens": answer.input_tokens,
        "input_tokens_details": {"cached_tokens": answer.cached_tokens},
        "output_tokens": answer.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": answer.input_tokens + answer.output_tokens,
    })
}
