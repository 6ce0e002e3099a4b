//! Turns an answer into bytes of the dialect that was asked in, whole or as a stream.

mod anthropic;
mod chat;
mod event_stream;
mod ollama;
mod responses;

use serde_json::Value;

pub(super) use self::event_stream::RepeatedBytes;
use self::event_stream::{EventStream, FILLER_BYTES, RenderedAnswer, RenderedCall};
use super::{
    FakeDialect, SeenRequest,
    reply::{Answer, Ending},
    socket::Response,
};

/// Stands for the filler while a whole answer is written.
const FILLER_MARK: &str = "@@filler@@";

/// The response that carries an answer.
pub(super) fn answer(seen: &SeenRequest, answer: &Answer) -> Response {
    let filler = answer.filler_bytes.div_ceil(FILLER_BYTES);
    let has_mark = filler > 0 && !seen.stream;
    let mark = if has_mark { FILLER_MARK } else { "" };
    let said = RenderedAnswer {
        model: &seen.model,
        number: seen.number,
        answer,
        text: format!("{}{mark}", answer.text),
        calls: calls(seen, answer),
        wants_usage: seen.wants_usage(),
    };
    let parts = if seen.stream {
        stream(seen.dialect, &said, filler)
    } else {
        whole(&body(seen.dialect, &said).to_string(), filler)
    };
    Response {
        status: 200,
        content_type: if seen.stream { seen.dialect.stream_type() } else { "application/json" },
        headers: Vec::new(),
        parts,
        is_stream: seen.stream,
        ending: Ending::Whole,
        dribble: None,
    }
}

fn calls<'a>(seen: &SeenRequest, answer: &'a Answer) -> Vec<RenderedCall<'a>> {
    let prefix = if seen.dialect == FakeDialect::Anthropic { "toolu" } else { "call" };
    let calls = answer.calls.iter().enumerate();
    let id = |index| format!("{prefix}_fake_{}_{index}", seen.number);
    calls
        .map(|(index, call)| RenderedCall {
            id: call.id.clone().unwrap_or_else(|| id(index)),
            name: &call.name,
            arguments: &call.arguments,
        })
        .collect()
}

fn body(dialect: FakeDialect, said: &RenderedAnswer<'_>) -> Value {
    match dialect {
        FakeDialect::OpenAiChat => chat::whole(said),
        FakeDialect::OpenAiResponses => responses::whole(said, said.answer.stop),
        FakeDialect::Anthropic => anthropic::whole(said),
        FakeDialect::Ollama => ollama::whole(said),
    }
}

fn whole(body: &str, filler: usize) -> Vec<RepeatedBytes> {
    match body.split_once(FILLER_MARK).filter(|_| filler > 0) {
        None => vec![RepeatedBytes::once(body)],
        Some((before, after)) => vec![
            RepeatedBytes::once(before),
            RepeatedBytes { bytes: vec![b'x'; FILLER_BYTES], times: filler },
            RepeatedBytes::once(after),
        ],
    }
}

fn stream(dialect: FakeDialect, said: &RenderedAnswer<'_>, filler: usize) -> Vec<RepeatedBytes> {
    let mut events = EventStream { parts: Vec::new(), sequence: 0, filler };
    match dialect {
        FakeDialect::OpenAiChat => chat::stream(said, &mut events),
        FakeDialect::OpenAiResponses => responses::stream(said, &mut events),
        FakeDialect::Anthropic => anthropic::stream(said, &mut events),
        FakeDialect::Ollama => ollama::stream(said, &mut events),
    }
    if let Some(count) = said.answer.error_after_events {
        events.parts.truncate(count);
        match dialect {
            FakeDialect::OpenAiChat => chat::error(&mut events),
            FakeDialect::OpenAiResponses => responses::error(&mut events),
            FakeDialect::Anthropic => anthropic::error(&mut events),
            FakeDialect::Ollama => ollama::error(&mut events),
        }
    }
    events.parts
}

/// The whole response with its head, as bytes: what the canned rule prepares.
pub(super) fn prepared(seen: &SeenRequest, said: &Answer) -> Vec<u8> {
    let response = answer(seen, said);
    let mut bytes = super::socket::head(&response);
    for part in &response.parts {
        if response.is_stream {
            bytes.extend_from_slice(format!("{:x}\r\n", part.bytes.len()).as_bytes());
        }
        bytes.extend_from_slice(&part.bytes);
        if response.is_stream {
            bytes.extend_from_slice(b"\r\n");
        }
    }
    if response.is_stream {
        bytes.extend_from_slice(b"0\r\n\r\n");
    }
    bytes
}
