//! What the fake answers: content, and what goes wrong on the way.
//!
//! A reply is put together from one beginning ([`Reply::text`], [`Reply::calls`], [`Reply::status`], …) and any number
//! of twists (cut, silence, delay), so that every fault can meet every content in every dialect.

use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;

use super::SeenRequest;

/// One answer, independent of the dialect that it will be given in.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) body: Body,
    pub(super) ending: Ending,
    pub(super) headers: Vec<(String, String)>,
    pub(super) delay: Duration,
    pub(super) gate: Option<ReplyHold>,
    pub(super) dribble: Option<usize>,
}

/// What a reply says.
#[derive(Clone, Debug)]
pub(super) enum Body {
    Answer(Answer),
    Failure(Failure),
    /// Sent as it stands with status 200, whatever was asked for.
    Raw(Vec<u8>),
}

/// An answer of the model.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub(super) thought: String,
    pub(super) text: String,
    pub(super) calls: Vec<AnswerCall>,
    pub(super) input_tokens: u64,
    pub(super) cached_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) stop: FakeStop,
    /// Bytes of filler that follow the text.
    pub(super) filler_bytes: usize,
    /// A stream breaks off after so many events with the dialect's error event.
    pub(super) error_after_events: Option<usize>,
}

/// A call of the model, with its arguments as the model wrote them.
#[derive(Clone, Debug)]
pub(super) struct AnswerCall {
    /// None is given one by the server.
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) arguments: String,
}

/// A failure that the provider reports instead of an answer.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) kind: FailureKind,
    /// Replaces the dialect's documented body.
    pub(super) body: Option<String>,
}

/// Which failure; each has a documented shape in each dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailureKind {
    /// By status alone.
    Status(u16),
    /// The account is empty or its spending limit is reached; the status varies by provider.
    MoneyOut(u16),
    /// The prompt does not fit the model's window.
    ContextTooLong,
    /// Too busy: 529 from Anthropic, 503 elsewhere.
    Overloaded,
}

/// Where the connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Whole,
    /// After so many bytes of the body; `None` is before the first byte of the head.
    Early {
        how: EarlyEnd,
        after_bytes: Option<usize>,
    },
}

/// How it ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EarlyEnd {
    /// An orderly close.
    Cut,
    /// A TCP reset.
    Reset,
    /// Open, and nothing comes until the client leaves.
    Silence,
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FakeStop {
    /// It was done, or waits for its tools.
    #[default]
    Done,
    /// The allowed length was reached.
    MaxTokens,
    /// The window was full.
    ContextWindow,
    /// The model declined.
    Refusal,
}

impl Reply {
    /// Says something.
    pub fn text(text: impl Into<String>) -> Self {
        Self::of(Body::Answer(Answer {
            text: text.into(),
            input_tokens: 10,
            output_tokens: 5,
            ..Answer::default()
        }))
    }

    /// Calls tools, natively.
    pub fn calls<N: Into<String>>(calls: impl IntoIterator<Item = (N, Value)>) -> Self {
        Self::text("").and_calls(calls)
    }

    /// Calls one tool with arguments that are sent as they stand, valid JSON or not.
    pub fn raw_call(name: &str, arguments: &str) -> Self {
        let call = AnswerCall { id: None, name: name.to_owned(), arguments: arguments.to_owned() };
        Self::text("").answer(|answer| answer.calls.push(call))
    }

    /// Says a JSON value as text: for the voice as JSON.
    pub fn voice_json(voice: &Value) -> Self {
        Self::text(voice.to_string())
    }

    /// Declines with these words.
    pub fn refusal(text: impl Into<String>) -> Self {
        Self::text(text).stop(FakeStop::Refusal)
    }

    /// Says something and stops at the allowed length.
    pub fn max_tokens(text: impl Into<String>) -> Self {
        Self::text(text).stop(FakeStop::MaxTokens)
    }

    /// A text of so many bytes, made while it is sent.
    pub fn huge(bytes: usize) -> Self {
        Self::text("huge").answer(|answer| answer.filler_bytes = bytes)
    }

    /// A failure in the dialect's documented shape for that status.
    pub fn status(code: u16) -> Self {
        Self::failure(FailureKind::Status(code))
    }

    /// 429, with a `retry-after` where given.
    pub fn rate_limited(retry_after_seconds: Option<u64>) -> Self {
        let reply = Self::status(429);
        match retry_after_seconds {
            Some(seconds) => reply.header("retry-after", &seconds.to_string()),
            None => reply,
        }
    }

    /// The account is out of money, said with this status (402, 429 and 400 occur).
    pub fn money_out(code: u16) -> Self {
        Self::failure(FailureKind::MoneyOut(code))
    }

    /// The provider is too busy: 529 from Anthropic, 503 elsewhere.
    pub fn overloaded() -> Self {
        Self::failure(FailureKind::Overloaded)
    }

    /// The prompt is too long for the model.
    pub fn context_too_long() -> Self {
        Self::failure(FailureKind::ContextTooLong)
    }

    /// Status 200 and a body that breaks off inside a JSON string.
    pub fn wrong_json() -> Self {
        Self::raw(b"{\"id\": \"broken\", \"choices\": [{\"mess".to_vec())
    }

    /// Status 200 and these bytes, as a stream where one was asked for.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self::of(Body::Raw(bytes.into()))
    }

    /// Resets the connection instead of answering.
    pub fn reset() -> Self {
        Self::text("").ending(EarlyEnd::Reset, None)
    }

    /// Takes the request and never answers.
    pub fn silence() -> Self {
        Self::text("").ending(EarlyEnd::Silence, None)
    }

    /// Sends the head of an answer and then nothing.
    pub fn silence_after_head() -> Self {
        Self::text("late").ending(EarlyEnd::Silence, Some(0))
    }

    /// Adds calls to what is said.
    #[must_use]
    pub fn and_calls<N: Into<String>>(self, calls: impl IntoIterator<Item = (N, Value)>) -> Self {
        let calls = calls.into_iter().map(|(name, arguments)| AnswerCall {
            id: None,
            name: name.into(),
            arguments: arguments.to_string(),
        });
        self.answer(|answer| answer.calls.extend(calls))
    }

    /// Gives the calls these ids, in order; real models repeat ids or leave them empty.
    #[must_use]
    pub fn call_ids(self, ids: &[&str]) -> Self {
        self.answer(|answer| {
            for (call, id) in answer.calls.iter_mut().zip(ids) {
                call.id = Some((*id).to_owned());
            }
        })
    }

    /// Thinks aloud first.
    #[must_use]
    pub fn thought(self, thought: &str) -> Self {
        self.answer(|answer| thought.clone_into(&mut answer.thought))
    }

    /// Reports these token counts: all input, cached ones included, and all output.
    #[must_use]
    pub fn usage(self, input_tokens: u64, output_tokens: u64) -> Self {
        self.answer(|answer| {
            answer.input_tokens = input_tokens;
            answer.output_tokens = output_tokens;
        })
    }

    /// Reports so many of the input tokens as read from a cache.
    #[must_use]
    pub fn cached(self, tokens: u64) -> Self {
        self.answer(|answer| answer.cached_tokens = tokens)
    }

    /// Stops for this reason.
    #[must_use]
    pub fn stop(self, stop: FakeStop) -> Self {
        self.answer(|answer| answer.stop = stop)
    }

    /// Breaks a stream off after so many events with the dialect's error event.
    #[must_use]
    pub fn error_event_after(self, events: usize) -> Self {
        self.answer(|answer| answer.error_after_events = Some(events))
    }

    /// Closes the connection after so many bytes of the body.
    #[must_use]
    pub fn cut_after(self, bytes: usize) -> Self {
        self.ending(EarlyEnd::Cut, Some(bytes))
    }

    /// Resets the connection after so many bytes of the body. The client's system may drop some of them too.
    #[must_use]
    pub fn reset_after(self, bytes: usize) -> Self {
        self.ending(EarlyEnd::Reset, Some(bytes))
    }

    /// Sends so many bytes of the body and then nothing.
    #[must_use]
    pub fn silence_after(self, bytes: usize) -> Self {
        self.ending(EarlyEnd::Silence, Some(bytes))
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Replaces the body of a failure.
    #[must_use]
    pub fn body(mut self, text: &str) -> Self {
        if let Body::Failure(failure) = &mut self.body {
            failure.body = Some(text.to_owned());
        }
        self
    }

    /// Waits in real time first, as a slow model does. To order events in a test use [`Reply::held_by`].
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Waits until the gate is opened.
    #[must_use]
    pub fn held_by(mut self, gate: &ReplyHold) -> Self {
        self.gate = Some(gate.clone());
        self
    }

    /// Sends the body in chunks of so many bytes.
    #[must_use]
    pub fn dribble(mut self, bytes: usize) -> Self {
        self.dribble = Some(bytes.max(1));
        self
    }

    /// The same answer in the form that the request wants: native, or the voice as JSON.
    #[must_use]
    pub fn in_form_of(self, request: &SeenRequest) -> Self {
        if !request.wants_voice() {
            return self;
        }
        let as_text = request.wants_arguments_as_text();
        self.answer(|answer| answer.become_voice(as_text))
    }

    fn of(body: Body) -> Self {
        Self {
            body,
            ending: Ending::Whole,
            headers: Vec::new(),
            delay: Duration::ZERO,
            gate: None,
            dribble: None,
        }
    }

    fn failure(kind: FailureKind) -> Self {
        Self::of(Body::Failure(Failure { kind, body: None }))
    }

    fn answer(mut self, change: impl FnOnce(&mut Answer)) -> Self {
        if let Body::Answer(answer) = &mut self.body {
            change(answer);
        }
        self
    }

    const fn ending(mut self, how: EarlyEnd, after_bytes: Option<usize>) -> Self {
        self.ending = Ending::Early { how, after_bytes };
        self
    }
}

impl Answer {
    fn become_voice(&mut self, arguments_as_text: bool) {
        let call = |call: AnswerCall| {
            let arguments = if arguments_as_text {
                Value::String(call.arguments)
            } else {
                serde_json::from_str(&call.arguments).unwrap_or_default()
            };
            serde_json::json!({"name": call.name, "arguments": arguments})
        };
        let calls: Vec<_> = self.calls.drain(..).map(call).collect();
        let response = if calls.is_empty() { Value::from(self.text.as_str()) } else { Value::Null };
        let voice = serde_json::json!({
            "thought": self.thought,
            "emotive_state": "neutral",
            "tool_calls": calls,
            "final_response": response,
        });
        self.text = voice.to_string();
        self.thought = String::new();
    }
}

/// Holds replies back until a test opens it. Clones are the same gate; an open gate stays open.
#[derive(Clone, Debug)]
pub struct ReplyHold(watch::Sender<bool>);

impl ReplyHold {
    /// A closed gate.
    pub fn closed() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Lets everything through, now and later.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    pub(super) async fn pass(&self) {
        // This gate itself holds a sender, so the channel cannot close while somebody waits.
        drop(self.0.subscribe().wait_for(|is_open| *is_open).await);
    }
}
