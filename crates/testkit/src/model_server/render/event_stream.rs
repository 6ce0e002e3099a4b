//! An answer cut into the events of a stream.

use serde_json::Value;

use super::super::reply::Answer;

/// Most events that a text is cut into.
const PIECES_MAX: usize = 64;
/// Fewest characters of such an event.
const PIECE_CHARS_MIN: usize = 6;
/// Bytes of filler in one event.
pub(super) const FILLER_BYTES: usize = 4096;

/// Bytes that are sent so many times over.
#[derive(Clone, Debug)]
pub(in crate::model_server) struct RepeatedBytes {
    pub(in crate::model_server) bytes: Vec<u8>,
    pub(in crate::model_server) times: usize,
}

impl RepeatedBytes {
    pub(in crate::model_server) fn once(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), times: 1 }
    }
}

/// An answer with everything that a dialect may ask of it.
#[derive(Debug)]
pub(super) struct RenderedAnswer<'a> {
    pub(super) model: &'a str,
    pub(super) number: usize,
    pub(super) answer: &'a Answer,
    /// The answer's text, with the mark where filler goes in a whole answer.
    pub(super) text: String,
    pub(super) calls: Vec<RenderedCall<'a>>,
    pub(super) wants_usage: bool,
}

#[derive(Debug)]
pub(super) struct RenderedCall<'a> {
    pub(super) id: String,
    pub(super) name: &'a str,
    /// As the model wrote them; JSON unless the test wants otherwise.
    pub(super) arguments: &'a str,
}

impl RenderedAnswer<'_> {
    /// The call's arguments as a value; a text where they are no JSON.
    pub(super) fn arguments(call: &RenderedCall<'_>) -> Value {
        serde_json::from_str(call.arguments).unwrap_or_else(|_| Value::from(call.arguments))
    }

    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }
}

/// A stream in the making: one part an event.
#[derive(Debug)]
pub(super) struct EventStream {
    pub(super) parts: Vec<RepeatedBytes>,
    /// Number of the next event, where the dialect counts them.
    pub(super) sequence: u64,
    /// Events of filler after the text.
    pub(super) filler: usize,
}

impl EventStream {
    /// An event without a name, as OpenAI Chat sends them.
    pub(super) fn data(&mut self, data: &Value) {
        self.parts.push(RepeatedBytes::once(format!("data: {data}\n\n")));
    }

    /// An event with a name that is also its `type`.
    pub(super) fn named(&mut self, mut data: Value) {
        let name = data.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        if name.starts_with("response.") || name == "error" && data.get("sequence_number").is_some()
        {
            if let Some(object) = data.as_object_mut() {
                object.insert("sequence_number".into(), self.sequence.into());
            }
            self.sequence += 1;
        }
        self.parts.push(RepeatedBytes::once(format!("event: {name}\ndata: {data}\n\n")));
    }

    /// A line, as Ollama sends them.
    pub(super) fn line(&mut self, data: &Value) {
        self.parts.push(RepeatedBytes::once(format!("{data}\n")));
    }

    /// Repeats the newest event until the filler is used up.
    pub(super) fn repeat_as_filler(&mut self) {
        if let Some(part) = self.parts.last_mut() {
            part.times = self.filler;
        }
    }
}

/// Sends a text piece by piece, and the filler after it.
pub(super) fn texts(
    events: &mut EventStream,
    text: &str,
    mut send: impl FnMut(&mut EventStream, &str),
) {
    for piece in pieces(text) {
        send(events, &piece);
    }
    if events.filler > 0 {
        send(events, &"x".repeat(FILLER_BYTES));
        events.repeat_as_filler();
    }
}

/// A text in pieces, as a model's tokens come; none where it is empty.
pub(super) fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let size = PIECE_CHARS_MIN.max(chars.len().div_ceil(PIECES_MAX));
    chars.chunks(size).map(|piece| piece.iter().collect()).collect()
}
