//! One turn as a handler sees it, and the forms of its answer.
//!
//! A turn is one call of the mind: the engine owns the loop of turns and tools, the handler keeps nothing between two of
//! them but its state. A turn that the keeper withdraws is dropped where it waits.

use std::{fmt, sync::Arc, time::Duration};

use abide_domain::{
    AgentId, EpochId,
    turn::{Thought, TurnRequest, Usage},
    voice::{EMOTIVE_STATE_DEFAULT, Voice},
};
use abide_wire::{ProcessDelta, ProcessRequest, ProcessResponse, TurnContext};

use crate::{
    failed::TurnError,
    sender::{SendError, Sender},
};

/// One turn to answer.
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

    /// Who is asked.
    pub fn agent(&self) -> &AgentId {
        &self.agent
    }

    /// What is said, verbatim.
    pub fn message(&self) -> &str {
        &self.request.input.message
    }

    /// Who says it.
    pub fn user_id(&self) -> &str {
        &self.request.input.user_id
    }

    /// Everything else: system text, history, tools, steps, repair. An old keeper sends none, or a map of its own.
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

    /// From 1; more where it was asked before without an answer.
    pub fn attempt(&self) -> u32 {
        self.context().and_then(|context| context.attempt).unwrap_or(1)
    }

    /// How long it may take, from its asking.
    pub fn deadline(&self) -> Option<Duration> {
        self.context()?.deadline_ms.map(Duration::from_millis)
    }

    /// The request as it came.
    pub fn request(&self) -> &ProcessRequest {
        &self.request
    }

    /// The request as the keeper's own minds get it. A keeper of an older version leaves out what it needs.
    pub fn to_request(&self) -> Result<TurnRequest, TurnError> {
        let fits = self.request.to_turn(self.agent.clone());
        fits.map_err(|problem| {
            TurnError::new(crate::error_code::INVALID_MESSAGE, problem.to_string())
        })
    }

    /// Streams a piece of the answer, and waits while the link is crowded. Not durable.
    pub async fn say(&self, text: impl Into<String>) -> Result<(), SendError> {
        self.sender.progress.step();
        self.sender.send(self.delta(text.into(), Kind::Words)).await
    }

    /// Streams a piece of reasoning, which people see only when they ask for it.
    pub async fn think(&self, text: impl Into<String>) -> Result<(), SendError> {
        self.sender.progress.step();
        self.sender.send(self.delta(text.into(), Kind::Reasoning)).await
    }

    /// Like [`Turn::say`], for callers that cannot wait: dropped where the link is hopelessly crowded.
    pub fn offer_words(&self, text: impl Into<String>) {
        self.offer(text.into(), Kind::Words);
    }

    /// Like [`Turn::think`], for callers that cannot wait.
    pub fn offer_reasoning(&self, text: impl Into<String>) {
        self.offer(text.into(), Kind::Reasoning);
    }

    fn offer(&self, text: String, kind: Kind) {
        self.sender.progress.step();
        self.sender.offer(self.delta(text, kind));
    }

    fn delta(&self, text: String, kind: Kind) -> ProcessDelta {
        let request_id = self.request.request_id.clone();
        ProcessDelta { request_id, text, thought: Some(kind == Kind::Reasoning) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Words,
    Reasoning,
}

/// What a handler answers. Text, a [`Voice`] and a [`Thought`] become one by `into`.
#[derive(Clone, PartialEq)]
pub struct Answer {
    /// The voice: calls to make, or a final response.
    pub voice: Voice,
    /// What it cost, where the handler knows.
    pub usage: Option<Usage>,
}

impl Answer {
    pub(crate) fn into_response(self, request_id: &str) -> ProcessResponse {
        let Self { voice, usage } = self;
        let is_known = usage.is_some();
        let thought = Thought { voice, usage: usage.unwrap_or_default() };
        let mut response = ProcessResponse::from_thought(request_id, &thought);
        if !is_known {
            response.usage = None;
        }
        response
    }
}

/// Shows no words: they belong to the conversation.
impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = self.voice.tool_calls.len();
        write!(f, "Answer({calls} calls, usage {:?})", self.usage)
    }
}

impl From<Voice> for Answer {
    fn from(voice: Voice) -> Self {
        Self { voice, usage: None }
    }
}

impl From<Thought> for Answer {
    fn from(thought: Thought) -> Self {
        Self { voice: thought.voice, usage: Some(thought.usage) }
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
