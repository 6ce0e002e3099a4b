//! Which operations a turn logs, given what the state already holds: a turn that is asked again logs nothing twice.

use abide_domain::{
    tool::{EffectClass, Outcome, ToolSpec},
    turn::{ToolResult, TurnRequest, TurnStep},
    voice::ToolCall,
};
use abide_wire::Role;
use serde_json::{Value, json};

use crate::{
    checkpoint_state::CheckpointState,
    limits::{PART_BYTES_MAX, TOOL_DOC_BYTES_MAX, TOOL_PARAMS_MAX},
    operation::{
        ConversationPart, MemoryAddition, MemoryRemoval, Operation, StatusContext, StatusUpdate,
        ToolRegistration, TurnOutcome,
    },
};

/// The tool by which a mind remembers.
const REMEMBER: &str = "memory.remember_fact";
/// The tool by which a mind forgets.
const FORGET: &str = "memory.forget_fact";
/// The importance of a memory whose mind did not say how sure it is.
const IMPORTANCE_DEFAULT: f64 = 1.0;

/// The operations that are logged before a turn's mind is asked.
pub(crate) fn operations_before(request: &TurnRequest, state: &CheckpointState) -> Vec<Operation> {
    let epoch = request.epoch.to_string();
    let mut operations = Vec::new();
    operations.extend(request.tools.iter().filter_map(|spec| register_tool(spec, state)));
    if !state.has_text(&epoch, Role::User, &request.message) {
        operations.extend(conversation_parts(request, Role::User, &request.message));
    }
    for step in &request.steps {
        operations.extend(memory_changes(request, step, state));
    }
    operations.push(status_update(request, "thinking", None));
    operations
}

/// The operations that are logged before a turn's answer is sent.
pub(crate) fn operations_after(
    request: &TurnRequest,
    state: &CheckpointState,
    reply: Option<&str>,
    outcome: TurnOutcome,
) -> Vec<Operation> {
    let epoch = request.epoch.to_string();
    let mut operations = Vec::new();
    if let Some(reply) = reply.filter(|reply| !state.has_text(&epoch, Role::Assistant, reply)) {
        operations.extend(conversation_parts(request, Role::Assistant, reply));
    }
    let is_at_rest = reply.is_some() || !outcome.ok;
    operations.push(status_update(
        request,
        if is_at_rest { "idle" } else { "acting" },
        Some(outcome),
    ));
    operations
}

fn register_tool(spec: &ToolSpec, state: &CheckpointState) -> Option<Operation> {
    let properties = spec.parameters.get("properties").and_then(Value::as_object);
    let names = properties.into_iter().flat_map(|properties| properties.keys().cloned());
    let tool = ToolRegistration {
        name: spec.name.clone(),
        params: names
            .take(TOOL_PARAMS_MAX)
            .map(|name| cut(&name, PART_BYTES_MAX / (2 * TOOL_PARAMS_MAX)))
            .collect(),
        doc: cut(&spec.description, TOOL_DOC_BYTES_MAX),
        is_unsafe: spec.effect == EffectClass::World,
    };
    let is_known = state.tool(&spec.name).is_some_and(|known| {
        known.params == tool.params
            && known.doc.as_ref() == Some(&tool.doc)
            && known.is_unsafe == Some(tool.is_unsafe)
    });
    (!is_known).then_some(Operation::ToolRegister(tool))
}

/// A text in parts that fit into an operation.
fn conversation_parts(request: &TurnRequest, role: Role, content: &str) -> Vec<Operation> {
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
    let operations = parts.into_iter().enumerate().map(|(part, content)| {
        Operation::ConversationAdd(ConversationPart {
            role: role.as_str().to_owned(),
            content: content.to_owned(),
            timestamp: request.sent_at.as_micros().div_euclid(1_000_000),
            epoch: request.epoch.to_string(),
            part,
        })
    });
    operations.collect()
}

/// The memories that a finished turn's calls added or removed, as far as the state does not show it yet.
fn memory_changes(
    request: &TurnRequest,
    step: &TurnStep,
    state: &CheckpointState,
) -> Vec<Operation> {
    let calls = step.voice.tool_calls.iter().zip(&step.results);
    let done = calls.filter(|(_, result)| result.outcome == Outcome::Ok);
    done.filter_map(|(call, result)| match result.name.as_str() {
        REMEMBER => memory_addition(request, call, result, state),
        FORGET => memory_removal(call, state),
        _ => None,
    })
    .collect()
}

fn memory_addition(
    request: &TurnRequest,
    call: &ToolCall,
    result: &ToolResult,
    state: &CheckpointState,
) -> Option<Operation> {
    let source = format!("{} {}", request.epoch, result.call_id.as_str());
    if state.has_memory(&source) {
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
    Some(Operation::MemoryAdd(MemoryAddition { content, metadata, importance }))
}

fn memory_removal(call: &ToolCall, state: &CheckpointState) -> Option<Operation> {
    let fact_id = call.arguments.get("fact_id")?.as_str()?.trim().to_owned();
    state.has_fact(&fact_id).then_some(Operation::MemoryRemove(MemoryRemoval { fact_id }))
}

fn status_update(request: &TurnRequest, status: &str, outcome: Option<TurnOutcome>) -> Operation {
    let context = StatusContext {
        epoch: request.epoch.to_string(),
        turn: request.turn,
        attempt: request.attempt,
        answered: outcome,
    };
    Operation::StateUpdate(StatusUpdate { status: status.to_owned(), context })
}

/// The beginning of a text, whole characters only.
fn cut(text: &str, bytes_max: usize) -> String {
    text.split_at(text.floor_char_boundary(bytes_max)).0.to_owned()
}
