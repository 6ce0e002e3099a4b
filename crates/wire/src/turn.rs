//! Turns, from the domain's request, answer and errors to the wire's own form and back.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    AgentId, EpochId, Zone,
    envelope::{Channel, DriverOutput},
    tool::{EffectClass, ToolSpec},
    turn::{Exchange, ProviderState, Thought, ToolResult, TurnRequest, TurnStep, Usage},
    voice::{Voice, VoiceError},
};
use serde_json::{Value, json};

use crate::{
    field_error::{FieldError, FieldErrorCode},
    from_agent::ProcessResponse,
    raw::Extra,
    snapshot::Role,
    to_agent::{ProcessInput, ProcessRequest},
    turn_context::{
        HistoryEntry, Repair, TurnContext, WireOutput, WireResult, WireStep, WireTool, WireUsage,
    },
};

mod failure;

pub use failure::error_code;

impl ProcessRequest {
    /// Puts a turn on the wire, under an id of this attempt's own.
    pub fn from_turn(request_id: impl Into<String>, request: &TurnRequest) -> Self {
        let millis = |time: Duration| Some(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let repair = request
            .repair
            .as_ref()
            .map(|problem| Repair { path: problem.path.clone(), message: problem.message.clone() });
        let last_driver_output = request.last_driver_output.as_ref().map(|output| WireOutput {
            content: Arc::clone(&output.content),
            timestamp: output.timestamp,
        });
        let context = TurnContext {
            epoch_id: Some(request.epoch),
            turn: Some(request.turn),
            attempt: Some(request.attempt),
            repair,
            channel: Some(request.channel),
            session_id: Some(request.session_id.clone()),
            sent_at: Some(request.sent_at),
            system: Some(joined(&request.system, &request.context)),
            stable_chars: Some(request.system.chars().count() as u64),
            time_zone: Some(request.time_zone.name().to_owned()),
            history: request.history.iter().flat_map(exchange_entries).collect(),
            tools: request.tools.iter().map(WireTool::from_spec).collect(),
            steps: request.steps.iter().map(WireStep::from_step).collect(),
            last_driver_output,
            deadline_ms: millis(request.deadline),
            deadline_streaming_ms: millis(request.deadline_streaming),
            extra: Extra::default(),
        };
        Self {
            request_id: request_id.into(),
            input: ProcessInput {
                message: Arc::clone(&request.message),
                context: Some(context),
                user_id: request.sender.clone(),
            },
        }
    }

    /// Gives the turn to the agent that is asked. A request of an older version lacks what a turn needs: the problem
    /// names the field.
    pub fn to_turn(&self, agent: AgentId) -> Result<TurnRequest, FieldError> {
        let context = self.input.context.as_ref().ok_or_else(|| missing("context"))?;
        let epoch = context.epoch_id.ok_or_else(|| missing("context.epoch_id"))?;
        let steps = context.steps.iter().enumerate();
        let steps = steps.map(|(index, step)| step.to_step(index)).collect::<Result<_, _>>()?;
        let history = exchanges(&context.history, epoch);
        let tools: Vec<_> = context.tools.iter().map(WireTool::to_spec).collect();
        let repair = context.repair.as_ref();
        let (system, object) = split(context.system.as_deref(), context.stable_chars);
        let zone = context.time_zone.as_deref().and_then(|name| Zone::named(name).ok());
        let deadline_ms = context.deadline_ms.ok_or_else(|| missing("context.deadline_ms"))?;
        Ok(TurnRequest {
            agent,
            epoch,
            turn: context.turn.ok_or_else(|| missing("context.turn"))?,
            attempt: context.attempt.unwrap_or(1),
            repair: repair.map(|repair| VoiceError::new(&*repair.path, &*repair.message)),
            system,
            context: object,
            // An agent with another version of the database may not know it; the instants are the same.
            time_zone: zone.unwrap_or_default(),
            history: history.into(),
            message: Arc::clone(&self.input.message),
            sender: self.input.user_id.clone(),
            channel: context.channel.ok_or_else(|| missing("context.channel"))?,
            session_id: context.session_id.clone().unwrap_or_default(),
            sent_at: context.sent_at.ok_or_else(|| missing("context.sent_at"))?,
            last_driver_output: context.last_driver_output.as_ref().map(|output| DriverOutput {
                content: Arc::clone(&output.content),
                timestamp: output.timestamp,
            }),
            tools: tools.into(),
            steps,
            deadline: Duration::from_millis(deadline_ms),
            // An older keeper gives no more time for an answer that grows.
            deadline_streaming: Duration::from_millis(
                context.deadline_streaming_ms.unwrap_or_default().max(deadline_ms),
            ),
        })
    }
}

/// Between what stays and the context object.
const BETWEEN: &str = "\n\n";

fn joined(system: &Arc<str>, object: &Arc<str>) -> Arc<str> {
    match (system.is_empty(), object.is_empty()) {
        (_, true) => Arc::clone(system),
        (true, false) => Arc::clone(object),
        (false, false) => format!("{system}{BETWEEN}{object}").into(),
    }
}

/// What stays, and the context object; all stays where it is not said how much.
fn split(text: Option<&str>, stable_chars: Option<u64>) -> (Arc<str>, Arc<str>) {
    let text = text.unwrap_or_default();
    let count = stable_chars.and_then(|count| usize::try_from(count).ok());
    let end = count.and_then(|count| text.char_indices().nth(count).map(|(end, _)| end));
    let (system, object) = text.split_at_checked(end.unwrap_or(text.len())).unwrap_or((text, ""));
    (system.into(), object.strip_prefix(BETWEEN).unwrap_or(object).into())
}

fn missing(field: &str) -> FieldError {
    FieldError::new(
        format!("data.{field}"),
        FieldErrorCode::Required,
        "is missing; a turn needs it",
    )
}

fn exchange_entries(exchange: &Exchange) -> [HistoryEntry; 2] {
    let entry = |role, content: &Arc<str>, at| HistoryEntry {
        role,
        content: Arc::clone(content),
        sender: exchange.sender.clone(),
        at,
        epoch_id: Some(exchange.epoch),
        channel: Some(exchange.channel),
    };
    [
        entry(Role::User, &exchange.stimulus, exchange.sent_at),
        entry(Role::Assistant, &exchange.reply, exchange.replied_at),
    ]
}

/// Pairs questions with their answers; what has no other half is left out.
fn exchanges(history: &[HistoryEntry], open: EpochId) -> Vec<Exchange> {
    let pair = |pair: &[HistoryEntry]| match pair {
        [asked, answered] if (asked.role, answered.role) == (Role::User, Role::Assistant) => {
            Some(Exchange {
                epoch: asked.epoch_id.unwrap_or(open),
                sender: asked.sender.clone(),
                channel: asked.channel.unwrap_or(Channel::Api),
                sent_at: asked.at,
                stimulus: Arc::clone(&asked.content),
                reply: Arc::clone(&answered.content),
                replied_at: answered.at,
            })
        }
        _ => None,
    };
    history.windows(2).filter_map(pair).collect()
}

impl WireTool {
    fn from_spec(spec: &ToolSpec) -> Self {
        Self {
            name: spec.name.clone(),
            description: spec.description.clone(),
            parameters: spec.parameters.clone(),
            effect: Some(spec.effect),
            idempotent: Some(spec.idempotent),
        }
    }

    fn to_spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.clone(),
            description: self.description.clone(),
            parameters: self.parameters.clone(),
            effect: self.effect.unwrap_or(EffectClass::World),
            idempotent: self.idempotent.unwrap_or(false),
        }
    }
}

impl WireStep {
    fn from_step(step: &TurnStep) -> Self {
        let ids = step.results.iter().map(|result| result.call_id.as_str());
        let tool_results = step.results.iter().map(|result| WireResult {
            call_id: result.call_id.clone(),
            name: result.name.clone(),
            outcome: result.outcome,
            content: Arc::clone(&result.content),
        });
        Self {
            turn: step.turn,
            voice: voice_json(&step.voice, ids),
            tool_results: tool_results.collect(),
            provider_state: step.provider_state.as_ref().map(|state| state.value().clone()),
        }
    }

    fn to_step(&self, index: usize) -> Result<TurnStep, FieldError> {
        let voice = Voice::from_json(self.voice.clone()).map_err(|problem| {
            let path = format!("data.context.steps[{index}].voice.{}", problem.path);
            let path = path.trim_end_matches('.').to_owned();
            FieldError::new(path, FieldErrorCode::Value, problem.message)
        })?;
        let results = self.tool_results.iter().map(|result| ToolResult {
            call_id: result.call_id.clone(),
            name: result.name.clone(),
            outcome: result.outcome,
            content: Arc::clone(&result.content),
        });
        let provider_state = self.provider_state.clone().and_then(ProviderState::new);
        Ok(TurnStep { turn: self.turn, voice, results: results.collect(), provider_state })
    }
}

/// A voice as JSON, its calls with ids as far as there are any.
fn voice_json<'a>(voice: &Voice, ids: impl Iterator<Item = &'a str>) -> Value {
    let ids = ids.map(Some).chain(std::iter::repeat(None));
    let calls = voice.tool_calls.iter().zip(ids).map(|(call, id)| match id {
        Some(id) => json!({"id": id, "name": call.name, "arguments": call.arguments}),
        None => json!({"name": call.name, "arguments": call.arguments}),
    });
    json!({
        "thought": voice.thought,
        "emotive_state": voice.emotive_state,
        "tool_calls": calls.collect::<Vec<_>>(),
        "final_response": voice.final_response,
    })
}

impl ProcessResponse {
    /// Puts an answer on the wire.
    pub fn from_thought(request_id: impl Into<String>, thought: &Thought) -> Self {
        Self {
            request_id: request_id.into(),
            voice: voice_json(&thought.voice, std::iter::empty()),
            usage: Some(WireUsage::from_usage(&thought.usage)),
            provider_state: thought.provider_state.as_ref().map(|state| state.value().clone()),
        }
    }

    /// Reads the voice; what does not fit is worth one repair turn.
    pub fn read_voice(&self) -> Result<Voice, VoiceError> {
        Voice::from_json(self.voice.clone())
    }

    /// What the model's provider wants back with the results of the calls.
    pub fn read_provider_state(&self) -> Option<ProviderState> {
        self.provider_state.clone().and_then(ProviderState::new)
    }

    /// What the answer cost; nothing where the agent does not say.
    pub fn read_usage(&self) -> Usage {
        self.usage.as_ref().map(WireUsage::to_usage).unwrap_or_default()
    }
}
