//! An answer that is assembled from a stream, whatever the dialect.
//!
//! Bounded: text and arguments together, reasoning, and the number of calls each have a cap, so a model that never
//! ends is cut off early and gets a repair turn. Nothing here is specific to a provider.

use std::mem;

use abide_domain::{
    limits::{RESPONSE_CHARS_MAX, THOUGHT_BYTES_MAX},
    voice::{ToolCall, Voice, VoiceError, arguments_from_json},
};
use serde_json::Value;

use crate::{
    AttemptError, AttemptErrorKind, RequestForm,
    think::{Split, ThinkSplitter},
    tokens::TokenCount,
    tool_name,
    voice_stream::VoiceStream,
};

/// Longest text with all arguments, in bytes: far above any voice that fits, with its escapes.
const REPLY_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Most calls that are kept; the engine's own limit is far lower and names itself.
const CALLS_MAX: usize = 1024;

/// A piece of an answer while it grows; not durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyDelta {
    /// The piece.
    pub text: String,
    /// Whether it is reasoning, which is not for people unless asked for.
    pub thought: bool,
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// It was done, with or without calls.
    End,
    /// It reached the output limit.
    Length,
    /// It, or a filter, declined.
    Refusal,
    /// The context window is full.
    ContextFull,
}

/// A piece of a call, as a stream brings it. Empty texts say nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallPiece<'a> {
    pub(crate) index: Option<u64>,
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a str,
}

#[derive(Debug)]
struct PartialCall {
    index: u64,
    id: String,
    name: String,
    arguments: String,
}

#[derive(Debug)]
pub(crate) struct Reply {
    form: RequestForm,
    text: String,
    thought: String,
    refusal: String,
    calls: Vec<PartialCall>,
    bytes: usize,
    chars: u64,
    stop: Option<StopReason>,
    has_ended: bool,
    count: TokenCount,
    model: String,
    splitter: ThinkSplitter,
    voice: VoiceStream,
    deltas: Vec<ReplyDelta>,
}

impl Reply {
    pub(crate) fn new(form: RequestForm) -> Self {
        Self {
            form,
            text: String::new(),
            thought: String::new(),
            refusal: String::new(),
            calls: Vec::new(),
            bytes: 0,
            chars: 0,
            stop: None,
            has_ended: false,
            count: TokenCount::default(),
            model: String::new(),
            splitter: ThinkSplitter::default(),
            voice: VoiceStream::default(),
            deltas: Vec::new(),
        }
    }

    /// Adds text of the answer.
    pub(crate) fn add_text(&mut self, piece: &str) -> Result<(), AttemptError> {
        if piece.is_empty() {
            return Ok(());
        }
        self.grow(piece)?;
        let split = self.splitter.push(piece);
        self.add(&split);
        Ok(())
    }

    /// Adds reasoning. Beyond the cap it is dropped: a thought is kept for reading, not for use.
    pub(crate) fn add_reasoning(&mut self, piece: &str) {
        self.chars = self.chars.saturating_add(piece.chars().count() as u64);
        self.add_thought(piece);
    }

    /// Adds text of a refusal.
    pub(crate) fn add_refusal(&mut self, piece: &str) {
        if self.refusal.len().saturating_add(piece.len()) <= THOUGHT_BYTES_MAX {
            self.chars = self.chars.saturating_add(piece.chars().count() as u64);
            self.refusal.push_str(piece);
        }
    }

    /// Adds a piece of a call: to the newest call of its index, or as a new one.
    pub(crate) fn add_call(&mut self, piece: &CallPiece<'_>) -> Result<(), AttemptError> {
        self.grow(piece.name)?;
        self.grow(piece.arguments)?;
        let call = self.call_of(piece)?;
        call.arguments.push_str(piece.arguments);
        Ok(())
    }

    /// Takes a call that is repeated whole: it replaces what came in pieces.
    pub(crate) fn replace_call(&mut self, piece: &CallPiece<'_>) -> Result<(), AttemptError> {
        if piece.arguments.len() > REPLY_BYTES_MAX {
            return Err(too_long());
        }
        let call = self.call_of(piece)?;
        if !piece.arguments.is_empty() {
            piece.arguments.clone_into(&mut call.arguments);
        }
        Ok(())
    }

    /// Records the model's name.
    pub(crate) fn set_model(&mut self, name: &str) {
        if self.model.is_empty() && name.len() <= 256 {
            name.clone_into(&mut self.model);
        }
    }

    /// Records a count. Counts are running totals, given in parts by some: the larger one counts.
    pub(crate) fn set_tokens(&mut self, count: TokenCount) {
        let own = &mut self.count;
        own.input = own.input.max(count.input);
        own.cache_read = own.cache_read.max(count.cache_read);
        own.cache_write = own.cache_write.max(count.cache_write);
        own.output = own.output.max(count.output);
    }

    /// Records why the model stopped; the first reason counts.
    pub(crate) fn set_stop(&mut self, stop: StopReason) {
        self.stop.get_or_insert(stop);
    }

    /// Records that nothing more is to be read.
    pub(crate) fn set_ended(&mut self) {
        self.has_ended = true;
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    pub(crate) fn has_stopped(&self) -> bool {
        self.stop.is_some()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes == 0 && self.calls.is_empty() && self.refusal.is_empty()
    }

    pub(crate) fn tokens(&self) -> TokenCount {
        self.count
    }

    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    /// How many characters were written so far, for a count of our own.
    pub(crate) fn written_chars(&self) -> u64 {
        self.chars
    }

    pub(crate) fn take_deltas(&mut self, deltas: &mut Vec<ReplyDelta>) {
        deltas.append(&mut self.deltas);
    }

    /// Ends the answer and makes a voice of it.
    pub(crate) fn finish(&mut self) -> Result<Voice, AttemptError> {
        let split = self.splitter.finish();
        self.add(&split);
        if !self.refusal.trim().is_empty() {
            return Err(AttemptError::new(AttemptErrorKind::Refused, mem::take(&mut self.refusal)));
        }
        match self.stop {
            Some(StopReason::End) => self.voice(),
            None if self.has_ended => self.voice(),
            None => {
                let message = format!("the answer was cut off after {} bytes of text", self.bytes);
                Err(AttemptError::new(AttemptErrorKind::Cut, message))
            }
            Some(StopReason::Length) => Err(AttemptError::bad_voice(VoiceError::new(
                "",
                "the answer was cut off at the limit of output tokens; answer more briefly",
            ))),
            Some(StopReason::Refusal) => {
                let words = if self.text.trim().is_empty() {
                    "the model or its provider's filter declined to answer".to_owned()
                } else {
                    self.text.clone()
                };
                Err(AttemptError::new(AttemptErrorKind::Refused, words))
            }
            Some(StopReason::ContextFull) => Err(AttemptError::new(
                AttemptErrorKind::ContextTooLong,
                "the model's context window is full".to_owned(),
            )),
        }
    }

    fn voice(&mut self) -> Result<Voice, AttemptError> {
        match self.form {
            RequestForm::Json => {
                let mut voice =
                    Voice::from_json_text(&self.text).map_err(AttemptError::bad_voice)?;
                if voice.thought.is_empty() {
                    voice.thought = mem::take(&mut self.thought);
                }
                Ok(voice)
            }
            RequestForm::Native => {
                let mut calls = mem::take(&mut self.calls);
                calls.sort_by_key(|call| call.index);
                let calls: Result<Vec<ToolCall>, VoiceError> =
                    calls.into_iter().enumerate().map(|(index, call)| call.close(index)).collect();
                let calls = calls.map_err(AttemptError::bad_voice)?;
                Ok(Voice::native(mem::take(&mut self.thought), mem::take(&mut self.text), calls))
            }
        }
    }

    fn add(&mut self, split: &Split) {
        self.add_thought(&split.thought);
        if split.text.is_empty() {
            return;
        }
        let shown = match self.form {
            RequestForm::Native => split.text.clone(),
            RequestForm::Json => self.voice.push(&split.text),
        };
        self.text.push_str(&split.text);
        if !shown.is_empty() {
            self.deltas.push(ReplyDelta { text: shown, thought: false });
        }
    }

    fn add_thought(&mut self, thought: &str) {
        let is_room = self.thought.len().saturating_add(thought.len()) <= THOUGHT_BYTES_MAX;
        if !thought.is_empty() && is_room {
            self.thought.push_str(thought);
            self.deltas.push(ReplyDelta { text: thought.to_owned(), thought: true });
        }
    }

    fn grow(&mut self, piece: &str) -> Result<(), AttemptError> {
        self.chars = self.chars.saturating_add(piece.chars().count() as u64);
        self.bytes = self.bytes.saturating_add(piece.len());
        if self.bytes > REPLY_BYTES_MAX { Err(too_long()) } else { Ok(()) }
    }

    /// The call that a piece belongs to. Servers differ: some give no index, some give each call the index 0 and an id
    /// of its own, some repeat the name with each piece.
    fn call_of(&mut self, piece: &CallPiece<'_>) -> Result<&mut PartialCall, AttemptError> {
        let fits = |call: &PartialCall| match piece.index {
            Some(index) => {
                call.index == index
                    && (piece.id.is_empty() || call.id.is_empty() || call.id == piece.id)
            }
            None if !piece.id.is_empty() => call.id == piece.id,
            None => piece.name.is_empty(),
        };
        let place = match self.calls.iter().rposition(fits) {
            Some(place) => place,
            None if self.calls.len() < CALLS_MAX => {
                let after =
                    self.calls.iter().map(|call| call.index.saturating_add(1)).max().unwrap_or(0);
                self.calls.push(PartialCall {
                    index: piece.index.unwrap_or(after),
                    id: String::new(),
                    name: String::new(),
                    arguments: String::new(),
                });
                self.calls.len() - 1
            }
            None => {
                let message = format!("more than {CALLS_MAX} calls in one turn");
                return Err(AttemptError::bad_voice(VoiceError::new("tool_calls", message)));
            }
        };
        let call = self.calls.get_mut(place).ok_or_else(too_long)?;
        if call.id.is_empty() {
            piece.id.clone_into(&mut call.id);
        }
        if call.name.is_empty() {
            piece.name.clone_into(&mut call.name);
        }
        Ok(call)
    }
}

impl PartialCall {
    fn close(self, index: usize) -> Result<ToolCall, VoiceError> {
        let path = format!("tool_calls[{index}].arguments");
        let arguments = arguments_from_json(Some(Value::String(self.arguments)), &path)?;
        Ok(ToolCall { name: tool_name::from_provider(&self.name), arguments })
    }
}

fn too_long() -> AttemptError {
    let message = format!(
        "the answer is longer than {REPLY_BYTES_MAX} bytes; a response may have {RESPONSE_CHARS_MAX} characters"
    );
    AttemptError::bad_voice(VoiceError::new("final_response", message))
}
