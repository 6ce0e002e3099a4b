//! Turns an answer into bytes of the dialect that was asked in, whole or as a stream.

mod anthropic;
mod chat;
mod ollama;
mod responses;

use serde_json::Value;

use super::{
    FakeDialect, FakeStop, SeenRequest,
    reply::{Answer, Ending},
    socket::Response,
};

/// Most events that a text is cut into.
const PIECES_MAX: usize = 64;
/// Fewest characters of such an event.
const PIECE_CHARS_MIN: usize = 6;
/// Bytes of filler in one event.
const FILLER_BYTES: usize = 4096;
/// Stands for the filler while a whole answer is written.
const FILLER_MARK: &str = "@@filler@@";

/// Bytes that are sent so many times over.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) bytes: Vec<u8>,
    pub(super) times: usize,
}

impl Part {
    pub(super) fn once(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), times: 1 }
    }
}

/// An answer with everything that a dialect may ask of it.
#[derive(Debug)]
struct Said<'a> {
    model: &'a str,
    number: usize,
    answer: &'a Answer,
    /// The answer's text, with the mark where filler goes in a whole answer.
    text: String,
    calls: Vec<Call<'a>>,
    wants_usage: bool,
}

#[derive(Debug)]
struct Call<'a> {
    id: String,
    name: &'a str,
    /// As the model wrote them; JSON unless the test wants otherwise.
    arguments: &'a str,
}

impl Said<'_> {
    /// The call's arguments as a value; a text where they are no JSON.
    fn arguments(call: &Call<'_>) -> Value {
        serde_json::from_str(call.arguments).unwrap_or_else(|_| Value::from(call.arguments))
    }

    fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }
}

/// The response that carries an answer.
pub(super) fn answer(seen: &SeenRequest, answer: &Answer) -> Response {
    let filler = answer.filler_bytes.div_ceil(FILLER_BYTES);
    let has_mark = filler > 0 && !seen.stream;
    let mark = if has_mark { FILLER_MARK } else { "" };
    let said = Said {
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

fn calls<'a>(seen: &SeenRequest, answer: &'a Answer) -> Vec<Call<'a>> {
    let prefix = if seen.dialect == FakeDialect::Anthropic { "toolu" } else { "call" };
    let calls = answer.calls.iter().enumerate();
    let id = |index| format!("{prefix}_fake_{}_{index}", seen.number);
    calls
        .map(|(index, call)| Call {
            id: call.id.clone().unwrap_or_else(|| id(index)),
            name: &call.name,
            arguments: &call.arguments,
        })
        .collect()
}

fn body(dialect: FakeDialect, said: &Said<'_>) -> Value {
    match dialect {
        FakeDialect::OpenAiChat => chat::whole(said),
        FakeDialect::OpenAiResponses => responses::whole(said, said.answer.stop),
        FakeDialect::Anthropic => anthropic::whole(said),
        FakeDialect::Ollama => ollama::whole(said),
    }
}

fn whole(body: &str, filler: usize) -> Vec<Part> {
    match body.split_once(FILLER_MARK).filter(|_| filler > 0) {
        None => vec![Part::once(body)],
        Some((before, after)) => vec![
            Part::once(before),
            Part { bytes: vec![b'x'; FILLER_BYTES], times: filler },
            Part::once(after),
        ],
    }
}

fn stream(dialect: FakeDialect, said: &Said<'_>, filler: usize) -> Vec<Part> {
    let mut events = Events { parts: Vec::new(), sequence: 0, filler };
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

/// A stream in the making: one part an event.
#[derive(Debug)]
struct Events {
    parts: Vec<Part>,
    /// Number of the next event, where the dialect counts them.
    sequence: u64,
    /// Events of filler after the text.
    filler: usize,
}

impl Events {
    /// An event without a name, as OpenAI Chat sends them.
    fn data(&mut self, data: &Value) {
        self.parts.push(Part::once(format!("data: {data}\n\n")));
    }

    /// An event with a name that is also its `type`.
    fn named(&mut self, mut data: Value) {
        let name = data.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        if name.starts_with("response.") || name == "error" && data.get("sequence_number").is_some()
        {
            if let Some(object) = data.as_object_mut() {
                object.insert("sequence_number".into(), self.sequence.into());
            }
            self.sequence += 1;
        }
        self.parts.push(Part::once(format!("event: {name}\ndata: {data}\n\n")));
    }

    /// A line, as Ollama sends them.
    fn line(&mut self, data: &Value) {
        self.parts.push(Part::once(format!("{data}\n")));
    }

    /// Repeats the newest event until the filler is used up.
    fn repeat_as_filler(&mut self) {
        if let Some(part) = self.parts.last_mut() {
            part.times = self.filler;
        }
    }
}

/// Sends a text piece by piece, and the filler after it.
fn texts(events: &mut Events, text: &str, mut send: impl FnMut(&mut Events, &str)) {
    for piece in pieces(text) {
        send(events, &piece);
    }
    if events.filler > 0 {
        send(events, &"x".repeat(FILLER_BYTES));
        events.repeat_as_filler();
    }
}

/// A text in pieces, as a model's tokens come; none where it is empty.
fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let size = PIECE_CHARS_MIN.max(chars.len().div_ceil(PIECES_MAX));
    chars.chunks(size).map(|piece| piece.iter().collect()).collect()
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
