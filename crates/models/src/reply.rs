//! An answer that is assembled from a stream, whatever the dialect.
//!
//! Bounded: text and arguments together, reasoning, and the number of calls each have a cap, so a model that never
//! ends is cut off early and gets a repair turn. Nothing here is specific to a provider.

use std::{mem, sync::Arc};

use abide_domain::{
    is_blank,
    limits::{RESPONSE_CHARS_MAX, THOUGHT_BYTES_MAX},
    tool::ToolSpec,
    voice::{AnswerFault, ToolCall, Voice, VoiceError, arguments_from_json},
};
use serde_json::Value;

use crate::{
    AttemptError, AttemptErrorKind, RequestForm,
    provider_state::{CallState, StateCollector},
    stop::StopReason,
    think::{Split, ThinkSplitter, begins_object, lone_close},
    tokens::TokenCount,
    tool_name,
    voice_stream::VoiceStream,
    written_call::{WrittenCalls, shown_end, written_calls},
};

/// Longest text with all arguments, in bytes: far above any voice that fits, with its escapes.
const REPLY_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Most calls that are kept; the engine's own limit is far lower and names itself.
const CALLS_MAX: usize = 1024;

/// Longest id of a call that is kept, in bytes.
const CALL_ID_BYTES_MAX: usize = 512;

/// A piece of an answer while it grows; not durable. An empty text says only that something came that is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyDelta {
    /// The piece.
    pub text: String,
    /// Whether it is reasoning, which is not for people unless asked for.
    pub thought: bool,
}

/// A piece of a call, as a stream brings it. Empty texts say nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallPiece<'a> {
    pub(crate) index: Option<u64>,
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a str,
}

/// How far an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Open,
    /// The provider said that nothing more comes.
    Ended,
    /// It came as one piece, which needs no end of its own.
    Whole,
}

/// How much of the text was shown, in bytes, and whether the rest waits for its end.
#[derive(Debug, Default)]
struct Shown {
    end: usize,
    is_held: bool,
}

#[derive(Debug)]
struct PartialCall {
    index: u64,
    name: String,
    arguments: String,
    state: CallState,
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
    ending: Ending,
    /// Whether its words hold a call that cannot be taken.
    holds_written: bool,
    shown: Shown,
    /// The tools on offer, whose calls are looked for in the text.
    offered: Arc<[ToolSpec]>,
    collected: StateCollector,
    state: Option<Value>,
    count: TokenCount,
    model: String,
    fingerprint: String,
    splitter: ThinkSplitter,
    /// Whether the words began within a thought that nothing opened, where that is known.
    begins_in_thought: Option<bool>,
    /// Whether the words are an answer in prose though JSON was asked for.
    is_prose: bool,
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
            ending: Ending::Open,
            holds_written: false,
            shown: Shown::default(),
            offered: Arc::new([]),
            collected: StateCollector::default(),
            state: None,
            count: TokenCount::default(),
            model: String::new(),
            fingerprint: String::new(),
            splitter: ThinkSplitter::default(),
            begins_in_thought: None,
            is_prose: false,
            voice: VoiceStream::default(),
            deltas: Vec::new(),
        }
    }

    /// Says which tools are on offer.
    pub(crate) fn set_offered(&mut self, offered: Arc<[ToolSpec]>) {
        self.offered = offered;
    }

    /// Says that the words begin within a thought that the model's template opened.
    pub(crate) fn begin_in_thought(&mut self) {
        self.splitter = ThinkSplitter::beginning_in_thought(self.form);
    }

    /// Whether they did; none where that is not known. Once it is finished.
    pub(crate) fn begins_in_thought(&self) -> Option<bool> {
        self.begins_in_thought
    }

    /// Whether the words are an answer in prose though JSON was asked for; once it is finished.
    pub(crate) fn is_prose(&self) -> bool {
        self.is_prose
    }

    /// Says that the answer came as one piece: it needs no end of its own.
    pub(crate) fn set_whole(&mut self) {
        self.ending = Ending::Whole;
    }

    /// What the provider wants back with the results of the calls.
    pub(crate) fn collected(&mut self) -> &mut StateCollector {
        &mut self.collected
    }

    /// The same, of the newest call.
    pub(crate) fn newest_call(&mut self) -> Option<&mut CallState> {
        self.calls.last_mut().map(|call| &mut call.state)
    }

    /// The same, of the call of this index.
    pub(crate) fn call_at(&mut self, index: Option<u64>) -> Option<&mut CallState> {
        let call = self.calls.iter_mut().rev().find(|call| Some(call.index) == index);
        call.map(|call| &mut call.state)
    }

    /// Whether its words hold a call that cannot be taken; once it is finished.
    pub(crate) fn holds_written(&self) -> bool {
        self.holds_written
    }

    /// What the provider is handed back, once the answer is finished.
    pub(crate) fn take_state(&mut self) -> Option<Value> {
        self.state.take()
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

    /// Records what the server says of itself.
    pub(crate) fn set_fingerprint(&mut self, fingerprint: &str) {
        if self.fingerprint.is_empty() && fingerprint.len() <= 256 {
            fingerprint.clone_into(&mut self.fingerprint);
        }
    }

    pub(crate) fn fingerprint(&self) -> &str {
        &self.fingerprint
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
        if self.ending == Ending::Open {
            self.ending = Ending::Ended;
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ending == Ending::Ended
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
        self.end_thought();
        if !self.refusal.trim().is_empty() {
            return Err(AttemptError::new(AttemptErrorKind::Refused, mem::take(&mut self.refusal)));
        }
        match self.stop.take() {
            Some(StopReason::Calls)
                if self.calls.is_empty() && self.form == RequestForm::Native =>
            {
                self.written_calls_or(|| {
                    VoiceError::new(
                        "tool_calls",
                        "you stopped for a tool call, but none arrived; call the tool again",
                    )
                })
            }
            Some(StopReason::End | StopReason::Calls) => self.voice(),
            None if self.ending == Ending::Whole => self.voice(),
            Some(StopReason::BrokenCall) => Err(AttemptError::bad_voice(VoiceError::new(
                "tool_calls",
                "your tool call could not be read; call the tool again, with arguments that fit its schema",
            ))),
            Some(StopReason::Broken(word)) => {
                let message = format!(
                    "the provider ended the answer with `{word}` after {} bytes of text; that is no end of an answer",
                    self.bytes
                );
                Err(AttemptError::new(AttemptErrorKind::Cut, message))
            }
            None => {
                let message = format!("the answer was cut off after {} bytes of text", self.bytes);
                Err(AttemptError::new(AttemptErrorKind::Cut, message))
            }
            Some(StopReason::Length) => Err(AttemptError::bad_voice(
                VoiceError::new(
                    "",
                    "the answer was cut off at the limit of output tokens; answer more briefly",
                )
                .of(AnswerFault::CutOff { tokens_max: None }),
            )),
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

    /// Tells the thought from the words at the end of the answer.
    fn end_thought(&mut self) {
        let is_whole = matches!(self.stop, Some(StopReason::End | StopReason::Calls))
            || self.stop.is_none() && self.ending == Ending::Whole;
        let is_unclosed = self.splitter.waits_for_close();
        let split = self.splitter.finish(is_whole);
        self.add(&split);
        if is_unclosed && is_whole && !is_blank(&self.text) {
            self.begins_in_thought = Some(false);
        }
        let is_object = self.form == RequestForm::Json && begins_object(&self.text);
        if self.splitter.has_split() || is_object {
            return;
        }
        let Some((thought, text)) = lone_close(&self.text) else { return };
        let (thought, text) = (thought.to_owned(), text.to_owned());
        self.begins_in_thought = Some(true);
        self.add_thought(&thought);
        // What was shown cannot be taken back; the answer itself is read without it.
        (self.shown.end, self.text) = (text.len(), text);
    }

    fn voice(&mut self) -> Result<Voice, AttemptError> {
        match self.form {
            RequestForm::Json if is_prose(&self.text) => {
                self.is_prose = true;
                let prose = self.spoken()?;
                if let Some(said) = prose.final_response.clone() {
                    self.deltas.push(ReplyDelta { text: said, thought: false });
                }
                Ok(prose)
            }
            RequestForm::Json => {
                let mut voice =
                    Voice::from_json_text(&self.text).map_err(AttemptError::bad_voice)?;
                let said = voice.final_response.as_deref().filter(|_| voice.tool_calls.is_empty());
                let written = said.map(|said| written_calls(said, &self.offered));
                if let Some(WrittenCalls::Only(_) | WrittenCalls::Unclear(_)) = written {
                    return Err(AttemptError::bad_voice(VoiceError::new(
                        "final_response",
                        "holds a tool call; put it into tool_calls and set final_response to null",
                    )));
                }
                if voice.thought.is_empty() {
                    voice.thought = mem::take(&mut self.thought);
                }
                Ok(voice)
            }
            RequestForm::Native => {
                let mut calls = mem::take(&mut self.calls);
                calls.sort_by_key(|call| call.index);
                if calls.is_empty() {
                    return self.spoken();
                }
                let states: Vec<CallState> = calls.iter().map(|call| call.state.clone()).collect();
                self.state = self.collected.finish(&states);
                let calls: Result<Vec<ToolCall>, VoiceError> =
                    calls.into_iter().enumerate().map(|(index, call)| call.close(index)).collect();
                let calls = calls.map_err(AttemptError::bad_voice)?;
                Ok(Voice::native(mem::take(&mut self.thought), mem::take(&mut self.text), calls))
            }
        }
    }

    /// An answer without calls of the provider's own kind: words, or calls that stand in the words.
    fn spoken(&mut self) -> Result<Voice, AttemptError> {
        let thought = mem::take(&mut self.thought);
        match written_calls(&self.text, &self.offered) {
            WrittenCalls::None => {
                if self.form == RequestForm::Native {
                    self.show(true);
                }
                Ok(Voice::native(thought, mem::take(&mut self.text), Vec::new()))
            }
            WrittenCalls::Only(calls) => Ok(Voice::native(thought, String::new(), calls)),
            WrittenCalls::Unclear(problem) => {
                self.holds_written = true;
                Err(AttemptError::bad_voice(problem))
            }
        }
    }

    /// The calls that stand in the words, where nothing else does.
    fn written_calls_or(
        &mut self,
        problem: impl FnOnce() -> VoiceError,
    ) -> Result<Voice, AttemptError> {
        match written_calls(&self.text, &self.offered) {
            WrittenCalls::None => Err(AttemptError::bad_voice(problem())),
            _ => self.spoken(),
        }
    }

    fn add(&mut self, split: &Split) {
        self.add_thought(&split.thought);
        if split.text.is_empty() {
            return;
        }
        self.text.push_str(&split.text);
        match self.form {
            RequestForm::Native => self.show(false),
            RequestForm::Json => {
                let shown = self.voice.push(&split.text);
                if !shown.is_empty() {
                    self.deltas.push(ReplyDelta { text: shown, thought: false });
                }
            }
        }
    }

    /// Shows what has come of the text, except for markup of calls: whether that is an answer is known at its end.
    fn show(&mut self, is_finished: bool) {
        if self.shown.is_held && !is_finished {
            return;
        }
        let end = if is_finished || self.offered.is_empty() {
            self.text.len()
        } else {
            let (end, is_held) = shown_end(&self.text, self.shown.end, &self.offered);
            self.shown.is_held = is_held;
            end
        };
        let piece = self.text.get(self.shown.end..end).unwrap_or_default();
        if !piece.is_empty() {
            self.deltas.push(ReplyDelta { text: piece.to_owned(), thought: false });
            self.shown.end = end;
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
                    && (piece.id.is_empty()
                        || call.state.id.is_empty()
                        || call.state.id == piece.id)
            }
            None if !piece.id.is_empty() => call.state.id == piece.id,
            None => piece.name.is_empty(),
        };
        let place = match self.calls.iter().rposition(fits) {
            Some(place) => place,
            None if self.calls.len() < CALLS_MAX => {
                let after =
                    self.calls.iter().map(|call| call.index.saturating_add(1)).max().unwrap_or(0);
                self.calls.push(PartialCall {
                    index: piece.index.unwrap_or(after),
                    name: String::new(),
                    arguments: String::new(),
                    state: CallState::default(),
                });
                self.calls.len() - 1
            }
            None => {
                let message = format!("more than {CALLS_MAX} calls in one turn");
                return Err(AttemptError::bad_voice(VoiceError::new("tool_calls", message)));
            }
        };
        let call = self.calls.get_mut(place).ok_or_else(too_long)?;
        if call.state.id.is_empty() && piece.id.len() <= CALL_ID_BYTES_MAX {
            piece.id.clone_into(&mut call.state.id);
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

/// Whether an answer that was asked for as JSON is none and speaks plainly: its server knows no such request.
fn is_prose(text: &str) -> bool {
    let text = text.trim();
    let has_field = ["\"thought\"", "\"tool_calls\"", "\"final_response\""];
    !is_blank(text)
        && !text.starts_with(['{', '[', '`'])
        && !has_field.iter().any(|field| text.contains(field))
}

fn too_long() -> AttemptError {
    let message = format!(
        "the answer is longer than {REPLY_BYTES_MAX} bytes; a response may have {RESPONSE_CHARS_MAX} characters"
    );
    AttemptError::bad_voice(VoiceError::new("final_response", message).of(AnswerFault::TooLong))
}
