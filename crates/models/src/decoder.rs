//! A provider's stream, from bytes to a voice. Pure: fed with bytes however they are cut, it opens no socket, and no
//! bytes make it panic.

use std::sync::Arc;

use abide_domain::{tool::ToolSpec, voice::Voice};
use abide_http::{NdjsonDecoder, SseDecoder, SseEvent};
use serde_json::Value;

use crate::{
    AttemptError, AttemptErrorKind, Dialect, ReplyDelta, RequestForm, TokenCount,
    attempt_error::web_page, dialect::Framing, reply::Reply, tokens::tokens_of,
};

/// Longest frame, in bytes. A Responses stream repeats its whole answer in the last one.
const FRAME_BYTES_MAX: usize = 16 * 1024 * 1024;
/// What ends a stream of chat completions.
const DONE: &str = "[DONE]";
/// How much is kept of a body that is no stream.
const HEAD_BYTES_MAX: usize = 1024 * 1024;
/// How much of an invalid frame is quoted.
const QUOTE_CHARS_MAX: usize = 80;

/// The state of one stream.
#[derive(Debug)]
pub struct Decoder {
    dialect: Dialect,
    frames: Frames,
    reply: Reply,
    /// What came before the first frame: of a body that is no stream, all of it.
    head: Vec<u8>,
    has_frames: bool,
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
        let reply = Reply::new(form);
        Self { dialect, frames, reply, head: Vec::new(), has_frames: false }
    }

    /// Says which tools are on offer: calls of them that stand in the text of an answer are found.
    #[must_use]
    pub fn offering(mut self, tools: &Arc<[ToolSpec]>) -> Self {
        self.reply.set_offered(Arc::clone(tools));
        self
    }

    /// Says that the model's answers begin within a thought that its template opened: nothing is shown as words before its end.
    #[must_use]
    pub(crate) fn beginning_in_thought(mut self, is_so: bool) -> Self {
        if is_so {
            self.reply.begin_in_thought();
        }
        self
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
        if !self.has_frames && self.head.len() < HEAD_BYTES_MAX {
            self.head.extend(bytes.iter().take(HEAD_BYTES_MAX - self.head.len()));
        }
        self.has_frames |= !frames.is_empty();
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
        self.reply.set_whole();
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
        if !self.has_frames && self.dialect.framing() == Framing::Sse {
            self.without_frames(deltas)?;
        }
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

    /// Reads a body that was to be a stream and holds no frame of one: an answer or an error in one piece, or a web page.
    fn without_frames(&mut self, deltas: &mut Vec<ReplyDelta>) -> Result<(), AttemptError> {
        let head = std::mem::take(&mut self.head);
        let text = String::from_utf8_lossy(&head);
        let text = text.trim();
        if let Some(message) = web_page(text) {
            return Err(AttemptError::new(AttemptErrorKind::Rejected, message));
        }
        if text.starts_with(['{', '[']) && head.len() < HEAD_BYTES_MAX {
            return self.push_whole(&head, deltas);
        }
        let is_stream =
            ["data:", "event:", "id:", "retry:", ":"].iter().any(|mark| text.starts_with(mark));
        if text.is_empty() || is_stream {
            return Ok(());
        }
        let quote: String = text.chars().take(QUOTE_CHARS_MAX).collect();
        let message = format!("the provider sent something that is no answer: {quote}");
        Err(AttemptError::new(AttemptErrorKind::Cut, message))
    }

    /// What the provider wants back with the results of the calls; once the answer is finished.
    pub fn take_state(&mut self) -> Option<Value> {
        self.reply.take_state()
    }

    /// Whether the words hold a call that cannot be taken.
    pub(crate) fn holds_written(&self) -> bool {
        self.reply.holds_written()
    }

    /// Whether its words began within a thought, or did not; none where that is not known.
    pub(crate) fn begins_in_thought(&self) -> Option<bool> {
        self.reply.begins_in_thought()
    }

    /// Whether its words are an answer in plain prose though JSON was asked for.
    pub(crate) fn is_prose(&self) -> bool {
        self.reply.is_prose()
    }

    /// Whether the server says that it is Ollama.
    pub(crate) fn is_ollama(&self) -> bool {
        self.reply.fingerprint() == "fp_ollama"
    }

    /// Whether anything of an answer has come.
    pub fn has_begun(&self) -> bool {
        self.has_frames
    }

    /// What the answer used so far, as the provider counts; zeros where it has not counted.
    pub fn tokens(&self) -> TokenCount {
        self.reply.tokens()
    }

    /// How many characters were written so far, shown or not.
    pub(crate) fn written_chars(&self) -> u64 {
        self.reply.written_chars()
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
        if let Some(message) = web_page(frame) {
            return AttemptError::new(AttemptErrorKind::Rejected, message);
        }
        let quote: String = frame.chars().take(QUOTE_CHARS_MAX).collect();
        AttemptError::new(
            AttemptErrorKind::Cut,
            format!("the answer contains a frame that is not valid JSON ({error}): {quote}"),
        )
    })
}
