//! What the built-in agent logs before it acts: five operations, three of them the specification's.

use abide_domain::{
    tool::{EffectClass, Outcome, ToolSpec},
    turn::{ToolResult, TurnRequest, TurnStep},
    voice::ToolCall,
};
use abide_sdk::{Entry, StateError, pack};
use abide_wire::{Raw, Role};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    limits::{PART_BYTES_MAX, TOOL_DOC_BYTES_MAX, TOOL_PARAMS_MAX},
    notebook::{Notebook, params},
};

/// The tool by which a mind remembers.
const REMEMBER: &str = "memory.remember_fact";
/// The tool by which a mind forgets.
const FORGET: &str = "memory.forget_fact";
/// How much a memory weighs whose mind did not say how sure it is.
const IMPORTANCE_DEFAULT: f64 = 1.0;

/// An operation, read.
#[derive(Debug)]
pub(crate) enum Operation {
    /// A mind remembered something.
    MemoryAdd(Memory),
    /// A mind forgot something.
    MemoryRemove(Forgotten),
    /// A tool is new, or another than it was.
    ToolRegister(Tool),
    /// The agent does something else now.
    StateUpdate(Status),
    /// A part of what was said.
    ConversationAdd(Said),
}

/// Parameters of `memory_add`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Memory {
    pub(crate) content: String,
    pub(crate) metadata: Value,
    pub(crate) importance: f64,
}

/// Parameters of `memory_remove`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Forgotten {
    pub(crate) fact_id: String,
}

/// Parameters of `tool_register`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) params: Vec<String>,
    pub(crate) doc: String,
    #[serde(rename = "unsafe")]
    pub(crate) is_unsafe: bool,
}

/// Parameters of `state_update`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Status {
    pub(crate) status: String,
    pub(crate) context: StatusContext,
}

/// Why the state changes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StatusContext {
    pub(crate) epoch: String,
    pub(crate) turn: u32,
    pub(crate) attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answered: Option<Answered>,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Answered {
    pub(crate) ok: bool,
    pub(crate) latency_ms: u64,
}

/// Parameters of `conversation_add`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Said {
    role: String,
    pub(crate) content: String,
    pub(crate) timestamp: i64,
    pub(crate) epoch: String,
    /// From 0.
    pub(crate) part: usize,
}

impl Said {
    pub(crate) fn role(&self) -> Role {
        if self.role == Role::User.as_str() { Role::User } else { Role::Assistant }
    }
}

impl Operation {
    /// Reads an entry.
    pub(crate) fn read(entry: &Entry) -> Result<Self, StateError> {
        Ok(match entry.operation.as_str() {
            "memory_add" => Self::MemoryAdd(params(entry)?),
            "memory_remove" => Self::MemoryRemove(params(entry)?),
            "tool_register" => Self::ToolRegister(params(entry)?),
            "state_update" => Self::StateUpdate(params(entry)?),
            "conversation_add" => Self::ConversationAdd(params(entry)?),
            other => return Err(StateError::new(format!("there is no operation `{other}`"))),
        })
    }

    /// The entry's name and parameters.
    pub(crate) fn pack(&self) -> Result<(String, Raw), StateError> {
        let (name, params) = match self {
            Self::MemoryAdd(params) => ("memory_add", pack(params)),
            Self::MemoryRemove(params) => ("memory_remove", pack(params)),
            Self::ToolRegister(params) => ("tool_register", pack(params)),
            Self::StateUpdate(params) => ("state_update", pack(params)),
            Self::ConversationAdd(params) => ("conversation_add", pack(params)),
        };
        Ok((name.to_owned(), params?))
    }
}

/// What is to be logged before a turn's mind is asked.
pub(crate) fn before(request: &TurnRequest, notebook: &Notebook) -> Vec<Operation> {
    let epoch = request.epoch.to_string();
    let mut operations = Vec::new();
    operations.extend(request.tools.iter().filter_map(|spec| register(spec, notebook)));
    if !notebook.has_said(&epoch, Role::User, &request.message) {
        operations.extend(say(request, Role::User, &request.message));
    }
    for step in &request.steps {
        operations.extend(learn(request, step, notebook));
    }
    operations.push(status(request, "thinking", None));
    operations
}

/// What is to be logged before a turn's answer is given.
pub(crate) fn after(
    request: &TurnRequest,
    notebook: &Notebook,
    reply: Option<&str>,
    answered: Answered,
) -> Vec<Operation> {
    let epoch = request.epoch.to_string();
    let mut operations = Vec::new();
    if let Some(reply) = reply.filter(|reply| !notebook.has_said(&epoch, Role::Assistant, reply)) {
        operations.extend(say(request, Role::Assistant, reply));
    }
    let is_at_rest = reply.is_some() || !answered.ok;
    operations.push(status(request, if is_at_rest { "idle" } else { "acting" }, Some(answered)));
    operations
}

fn register(spec: &ToolSpec, notebook: &Notebook) -> Option<Operation> {
    let properties = spec.parameters.get("properties").and_then(Value::as_object);
    let names = properties.into_iter().flat_map(|properties| properties.keys().cloned());
    let tool = Tool {
        name: spec.name.clone(),
        params: names
            .take(TOOL_PARAMS_MAX)
            .map(|name| cut(&name, PART_BYTES_MAX / (2 * TOOL_PARAMS_MAX)))
            .collect(),
        doc: cut(&spec.description, TOOL_DOC_BYTES_MAX),
        is_unsafe: spec.effect == EffectClass::World,
    };
    let is_known = notebook.tool(&spec.name).is_some_and(|known| {
        known.params == tool.params
            && known.doc.as_ref() == Some(&tool.doc)
            && known.is_unsafe == Some(tool.is_unsafe)
    });
    (!is_known).then_some(Operation::ToolRegister(tool))
}

/// What was said, in parts that fit into an operation.
fn say(request: &TurnRequest, role: Role, content: &str) -> Vec<Operation> {
    let mut parts = Vec::new();
    let mut rest = content;
    loop {
        let (part, left) = rest.split_at(rest.floor_char_boundary(PART_BYTES_MAX));
        parts.push(part);
        rest = left;
        if rest.is_empty() {
            break;
        }
    }
    let said = parts.into_iter().enumerate().map(|(part, content)| {
        Operation::ConversationAdd(Said {
            role: role.as_str().to_owned(),
            content: content.to_owned(),
            timestamp: request.sent_at.as_micros().div_euclid(1_000_000),
            epoch: request.epoch.to_string(),
            part,
        })
    });
    said.collect()
}

/// What a finished turn's calls taught the agent to keep or to drop, as far as it is not done yet.
fn learn(request: &TurnRequest, step: &TurnStep, notebook: &Notebook) -> Vec<Operation> {
    let calls = step.voice.tool_calls.iter().zip(&step.results);
    let done = calls.filter(|(_, result)| result.outcome == Outcome::Ok);
    done.filter_map(|(call, result)| match result.name.as_str() {
        REMEMBER => remember(request, call, result, notebook),
        FORGET => forget(call, notebook),
        _ => None,
    })
    .collect()
}

fn remember(
    request: &TurnRequest,
    call: &ToolCall,
    result: &ToolResult,
    notebook: &Notebook,
) -> Option<Operation> {
    let source = format!("{} {}", request.epoch, result.call_id.as_str());
    if notebook.has_memory(&source) {
        return None;
    }
    let arguments = &call.arguments;
    let content = cut(arguments.get("content")?.as_str()?, PART_BYTES_MAX);
    let answer: Value = serde_json::from_str(&result.content).unwrap_or_default();
    let metadata = json!({
        "source": source,
        "fact_id": answer.get("fact_id"),
        "category": arguments.get("category"),
        "created": request.sent_at.as_micros().div_euclid(1_000_000),
    });
    let importance = arguments.get("confidence").and_then(Value::as_f64);
    let importance = importance.unwrap_or(IMPORTANCE_DEFAULT);
    Some(Operation::MemoryAdd(Memory { content, metadata, importance }))
}

fn forget(call: &ToolCall, notebook: &Notebook) -> Option<Operation> {
    let fact_id = call.arguments.get("fact_id")?.as_str()?.trim().to_owned();
    notebook.has_fact(&fact_id).then_some(Operation::MemoryRemove(Forgotten { fact_id }))
}

fn status(request: &TurnRequest, status: &str, answered: Option<Answered>) -> Operation {
    let context = StatusContext {
        epoch: request.epoch.to_string(),
        turn: request.turn,
        attempt: request.attempt,
        answered,
    };
    Operation::StateUpdate(Status { status: status.to_owned(), context })
}

/// The beginning of a text, whole characters only.
fn cut(text: &str, bytes_max: usize) -> String {
    text.split_at(text.floor_char_boundary(bytes_max)).0.to_owned()
}
