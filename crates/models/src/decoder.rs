//! A provider's stream, from bytes to a voice. Pure: fed with bytes however they are cut, it opens no socket, and no
//! bytes make it panic.

use abide_domain::voice::Voice;
use abide_http::{NdjsonDecoder, SseDecoder, SseEvent};
use serde_json::Value;

use crate::{
    AttemptError, AttemptErrorKind, Dialect, ReplyDelta, RequestForm, TokenCount, dialect::Framing,
    reply::Reply, tokens::tokens_of,
};

/// Longest frame, in bytes. A Responses stream repeats its whole answer in the last one.
const FRAME_BYTES_MAX: usize = 16 * 1024 * 1024;
/// What ends a stream of chat completions.
const DONE: &str = "[DONE]";
/// How much of an invalid frame is quoted.
const QUOTE_CHARS_MAX: usize = 80;

/// The state of one stream.
#[derive(Debug)]
pub struct Decoder {
    dialect: Dialect,
    frames: Frames,
    reply: Reply,
}

#[derive(Debug)]
enum Frames {
    Sse(SseDecoder),
    Ndjson(NdjsonDecoder),
    Ended,
}

impl Decoder {
    /// A decoder for one answer, asked for in `form`.
    pub fn new(dialect: Dialect, form: RequestForm) -> Self {
        let frames = match dialect.framing() {
            Framing::Sse => Frames::Sse(SseDecoder::new(FRAME_BYTES_MAX)),
            Framing::Ndjson => Frames::Ndjson(NdjsonDecoder::new(FRAME_BYTES_MAX)),
        };
        Self { dialect, frames, reply: Reply::new(form) }
    }

    /// Takes in the next bytes and appends what they add to the answer. After an error the decoder must not be used again;
    /// what was appended before it stays valid.
    pub fn push(&mut self, bytes: &[u8], deltas: &mut Vec<ReplyDelta>) -> Result<(), AttemptError> {
        let mut frames = Vec::new();
        let outcome = match &mut self.frames {
            Frames::Sse(decoder) => {
                let mut events = Vec::new();
                let outcome = decoder.push(bytes, &mut events);
                frames.extend(events.into_iter().map(|event| event.data));
                outcome
            }
            Frames::Ndjson(decoder) => decoder.push(bytes, &mut frames),
            Frames::Ended => Ok(()),
        };
        let decoded = frames.iter().try_for_each(|frame| self.frame(frame));
        self.reply.take_deltas(deltas);
        decoded?;
        outcome.map_err(|error| AttemptError::new(AttemptErrorKind::Cut, error.to_string()))
    }

    /// Takes in an answer that came whole, from a server that does not stream.
    pub fn push_whole(
        &mut self,
        answer: &[u8],
        deltas: &mut Vec<ReplyDelta>,
    ) -> Result<(), AttemptError> {
        self.frames = Frames::Ended;
        let text = String::from_utf8_lossy(answer);
        let decoded =
            parse(&text).and_then(|answer| self.dialect.decode_whole(&answer, &mut self.reply));
        self.reply.take_deltas(deltas);
        decoded
    }

    /// Whether the provider said that nothing more comes.
    pub fn has_ended(&self) -> bool {
        self.reply.has_ended()
    }

    /// Whether the model gave its reason for stopping: a connection that breaks now loses nothing.
    pub fn has_stopped(&self) -> bool {
        self.reply.has_stopped() || self.reply.has_ended()
    }

    /// Ends the stream and makes a voice of what came.
    pub fn finish(&mut self, deltas: &mut Vec<ReplyDelta>) -> Result<Voice, AttemptError> {
        let rest = match std::mem::replace(&mut self.frames, Frames::Ended) {
            Frames::Sse(decoder) => decoder.finish().map(|SseEvent { data, .. }| data),
            Frames::Ndjson(decoder) => decoder.finish(),
            Frames::Ended => None,
        };
        let voice = match rest.map_or(Ok(()), |frame| self.frame(&frame)) {
            Ok(()) => self.reply.finish(),
            Err(failure) => Err(failure),
        };
        self.reply.take_deltas(deltas);
        voice
    }

    /// What the answer used so far, as the provider counts; zeros where it has not counted.
    pub fn tokens(&self) -> TokenCount {
        self.reply.tokens()
    }

    /// Our own estimate of the tokens so far.
    pub fn estimate(&self) -> u64 {
        tokens_of(self.reply.written_chars())
    }

    /// The model's name as the provider gives it; empty until then.
    pub fn model(&self) -> &str {
        self.reply.model()
    }

    fn frame(&mut self, frame: &str) -> Result<(), AttemptError> {
        // What follows the end is not part of the answer.
        if self.reply.has_ended() || frame.trim().is_empty() {
            return Ok(());
        }
        if frame.trim() == DONE {
            self.reply.set_ended();
            return Ok(());
        }
        self.dialect.decode(&parse(frame)?, &mut self.reply)
    }
}

fn parse(frame: &str) -> Result<Value, AttemptError> {
    serde_json::from_str(frame).map_err(|error| {
        let quote: String = frame.chars().take(QUOTE_CHARS_MAX).collect();
        AttemptError::new(
            AttemptErrorKind::Cut,
            format!("the answer contains a frame that is not valid JSON ({error}): {quote}"),
        )
    })
}
