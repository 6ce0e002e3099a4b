//! One turn as a handler sees it, and the forms of its answer.
//!
//! A turn is one call of the mind: the engine owns the loop of turns and tools, the handler keeps nothing between two of
//! them except its state. A turn that the keeper withdraws is dropped wherever its handler waits.

use std::{fmt, sync::Arc, time::Duration};

use abide_domain::{
    AgentId, EpochId,
    turn::{ProviderState, Thought, TurnRequest, Usage},
    voice::{EMOTIVE_STATE_DEFAULT, Voice},
};
use abide_wire::{ProcessDelta, ProcessRequest, ProcessResponse, TurnContext};

use crate::{
    sender::{SendError, Sender},
    turn_error::TurnError,
};

/// One turn to answer. The session gives it to the handler, which may stream through it.
#[derive(Debug)]
pub struct Turn {
    agent: AgentId,
    request: ProcessRequest,
    sender: Sender,
}

impl Turn {
    pub(crate) fn new(agent: AgentId, request: ProcessRequest, sender: Sender) -> Self {
        Self { agent, request, sender }
    }

    /// The agent that is asked.
    pub fn agent(&self) -> &AgentId {
        &self.agent
    }

    /// The stimulus, verbatim.
    pub fn message(&self) -> &str {
        &self.request.input.message
    }

    /// The sender of the stimulus.
    pub fn user_id(&self) -> &str {
        &self.request.input.user_id
    }

    /// Everything else: system text, history, tools, steps, repair. An older keeper sends none, or a map of its own.
    pub fn context(&self) -> Option<&TurnContext> {
        self.request.input.context.as_ref()
    }

    /// The epoch that the turn belongs to.
    pub fn epoch(&self) -> Option<EpochId> {
        self.context()?.epoch_id
    }

    /// Its number in the epoch, from 1.
    pub fn number(&self) -> u32 {
        self.context().and_then(|context| context.turn).unwrap_or(1)
    }

    /// The same for every asking of this turn, and for no other turn: the key for [`crate::Keeper::once`].
    pub fn key(&self) -> String {
        let epoch = self.epoch().map(|epoch| epoch.to_string());
        format!("{}/{}", epoch.as_ref().unwrap_or(&self.request.request_id), self.number())
    }

    /// The attempt at this turn, from 1.
    pub fn attempt(&self) -> u32 {
        self.context().and_then(|context| context.attempt).unwrap_or(1)
    }

    /// How long the turn may take before its answer begins to come, and between two pieces of it.
    pub fn deadline(&self) -> Option<Duration> {
        self.context()?.deadline_ms.map(Duration::from_millis)
    }

    /// How long the turn may take in all while pieces of its answer come; none where an older keeper asks.
    pub fn deadline_streaming(&self) -> Option<Duration> {
        self.context()?.deadline_streaming_ms.map(Duration::from_millis)
    }

    /// The request as it came.
    pub fn request(&self) -> &ProcessRequest {
        &self.request
    }

    /// The request as the keeper's own minds get it. Fails where an older keeper leaves out a field that it needs.
    pub fn to_request(&self) -> Result<TurnRequest, TurnError> {
        let request = self.request.to_turn(self.agent.clone());
        request
            .map_err(|error| TurnError::new(crate::error_code::INVALID_MESSAGE, error.to_string()))
    }

    /// Streams a piece of the answer, and waits while the link is crowded. Not durable.
    pub async fn say(&self, text: impl Into<String>) -> Result<(), SendError> {
        self.sender.progress.step();
        self.sender.send(self.delta(text.into(), DeltaKind::Reply)).await
    }

    /// Streams a piece of reasoning, which people see only when they ask for it.
    pub async fn think(&self, text: impl Into<String>) -> Result<(), SendError> {
        self.sender.progress.step();
        self.sender.send(self.delta(text.into(), DeltaKind::Reasoning)).await
    }

    /// Like [`Turn::say`], for callers that cannot wait: the piece is dropped where the link is crowded.
    pub fn offer_words(&self, text: impl Into<String>) {
        self.offer(text.into(), DeltaKind::Reply);
    }

    /// Like [`Turn::think`], for callers that cannot wait.
    pub fn offer_reasoning(&self, text: impl Into<String>) {
        self.offer(text.into(), DeltaKind::Reasoning);
    }

    fn offer(&self, text: String, kind: DeltaKind) {
        self.sender.progress.step();
        self.sender.offer(self.delta(text, kind));
    }

    fn delta(&self, text: String, kind: DeltaKind) -> ProcessDelta {
        let request_id = self.request.request_id.clone();
        ProcessDelta { request_id, text, thought: Some(kind == DeltaKind::Reasoning) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DeltaKind {
    Reply,
    Reasoning,
}

/// What a handler answers. Text, a [`Voice`] and a [`Thought`] become one by `into`.
#[derive(Clone, PartialEq)]
pub struct Answer {
    /// The voice: calls to make, or a final response.
    pub voice: Voice,
    /// Tokens and cost, where the handler knows them.
    pub usage: Option<Usage>,
    /// What the model's provider wants back with the results of the calls; the keeper hands it back and reads nothing of it.
    pub provider_state: Option<ProviderState>,
}

impl Answer {
    pub(crate) fn into_response(self, request_id: &str) -> ProcessResponse {
        let Self { voice, usage, provider_state } = self;
        let is_known = usage.is_some();
        let thought = Thought { voice, usage: usage.unwrap_or_default(), provider_state };
        let mut response = ProcessResponse::from_thought(request_id, &thought);
        if !is_known {
            response.usage = None;
        }
        response
    }
}

/// Shows no text: it belongs to the conversation.
impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = self.voice.tool_calls.len();
        write!(f, "Answer({calls} calls, usage {:?})", self.usage)
    }
}

impl From<Voice> for Answer {
    fn from(voice: Voice) -> Self {
        Self { voice, usage: None, provider_state: None }
    }
}

impl From<Thought> for Answer {
    fn from(thought: Thought) -> Self {
        let Thought { voice, usage, provider_state } = thought;
        Self { voice, usage: Some(usage), provider_state }
    }
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Self::from(Voice {
            thought: String::new(),
            emotive_state: EMOTIVE_STATE_DEFAULT.into(),
            tool_calls: Vec::new(),
            final_response: Some(text),
        })
    }
}

impl From<&str> for Answer {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<Arc<str>> for Answer {
    fn from(text: Arc<str>) -> Self {
        String::from(&*text).into()
    }
}
