//! What an endpoint can do, found by one small question: what `abide doctor --model` asks.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use abide_domain::{
    AgentId, EpochId, Timestamp, Zone,
    envelope::Channel,
    tool::{EffectClass, ToolSpec},
    turn::{MindError, ProviderState, TurnRequest, Usage},
};
use serde_json::json;
use tokio::time::Instant;

use crate::{Model, ReplyDelta, profile::profile_at};

/// The tool that the question is about.
const TOOL: &str = "doctor.echo";
/// The word that the tool is to be called with.
const WORD: &str = "heron";
/// Longest wait for an answer: a local model may have to be loaded first.
const PROBE_TIMEOUT: Duration = Duration::from_secs(90);

/// How an endpoint's model called the tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbedCalls {
    /// By the endpoint's own means.
    Native,
    /// As JSON, because the model has no tools of its own.
    Json,
    /// With other arguments than it was told to.
    Inexact,
    /// It answered without a call.
    None,
    /// The answer was no valid one; the text says why.
    Invalid(String),
}

/// What a question showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelProbe {
    /// How it called the tool.
    pub calls: ProbedCalls,
    /// In how many pieces words or reasoning came.
    pub pieces: usize,
    /// Whether it sends reasoning that goes back with results.
    pub hands_reasoning: bool,
    /// Whether the endpoint counts tokens itself.
    pub is_counted: bool,
    /// What the question cost.
    pub usage: Usage,
    /// How long the answer took.
    pub took: Duration,
    /// What is known of the provider; may be empty.
    pub note: &'static str,
}

impl Model {
    /// Asks one small question, which costs a few hundred tokens.
    pub async fn probe(&self, agent: &AgentId, epoch: EpochId) -> Result<ModelProbe, MindError> {
        let request = question(agent, epoch, self.http.clock().now());
        let pieces = AtomicUsize::new(0);
        let on_delta = |delta: ReplyDelta| {
            pieces.fetch_add(usize::from(!delta.text.is_empty()), Ordering::Relaxed);
        };
        let began = Instant::now();
        let asked = self.ask_counted(&request, &on_delta).await;
        let settings = self.settings();
        let profile = profile_at(settings.dialect, settings.base());
        let mut probe = ModelProbe {
            calls: ProbedCalls::None,
            pieces: pieces.load(Ordering::Relaxed),
            hands_reasoning: false,
            is_counted: false,
            usage: Usage::default(),
            took: began.elapsed(),
            note: profile.map(|profile| profile.note.as_str()).unwrap_or_default(),
        };
        match asked {
            Ok((thought, is_counted)) => {
                let call = thought.voice.tool_calls.iter().find(|call| call.name == TOOL);
                if let Some(call) = call {
                    probe.calls = if call.arguments != json!({"word": WORD}) {
                        ProbedCalls::Inexact
                    } else if self.asks_json() {
                        ProbedCalls::Json
                    } else {
                        ProbedCalls::Native
                    };
                }
                probe.hands_reasoning =
                    thought.provider_state.as_ref().is_some_and(ProviderState::is_needed);
                (probe.is_counted, probe.usage) = (is_counted, thought.usage);
                Ok(probe)
            }
            Err(MindError::BadVoice { problem, usage }) => {
                probe.calls = ProbedCalls::Invalid(format!("it {}", problem.fault));
                probe.usage = usage;
                Ok(probe)
            }
            Err(error) => Err(error),
        }
    }
}

fn question(agent: &AgentId, epoch: EpochId, now: Timestamp) -> TurnRequest {
    let tool = ToolSpec {
        name: TOOL.to_owned(),
        description: "Repeats a word. Only for checking that tools can be called.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {"word": {"type": "string"}},
            "required": ["word"],
            "additionalProperties": false,
        }),
        effect: EffectClass::Read,
        idempotent: true,
    };
    TurnRequest {
        agent: agent.clone(),
        epoch,
        turn: 1,
        attempt: 1,
        repair: None,
        system: "You check whether tools can be called. Do what is asked and nothing else.".into(),
        context: "".into(),
        time_zone: Zone::utc(),
        history: [].into(),
        message: format!("Call the tool for repeating a word with the word `{WORD}`.").into(),
        sender: "doctor".to_owned(),
        channel: Channel::System,
        session_id: "doctor".to_owned(),
        sent_at: now,
        last_driver_output: None,
        tools: [tool].into(),
        steps: Vec::new(),
        deadline: PROBE_TIMEOUT,
        deadline_streaming: PROBE_TIMEOUT,
    }
}
