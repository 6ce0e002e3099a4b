//! Turns to ask about.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    CallId, EpochId, Timestamp,
    envelope::Channel,
    tool::{EffectClass, Outcome, ToolSpec},
    turn::{Exchange, ToolResult, TurnRequest, TurnStep},
    voice::{ToolCall, Voice},
};
use serde_json::{Value, json};
use uuid::Uuid;

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) fn tool(name: &str, parameters: Value) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: format!("Does {name}."),
        parameters,
        effect: EffectClass::Read,
        idempotent: true,
    }
}

/// The tools of the spine.
pub(crate) fn tools() -> Arc<[ToolSpec]> {
    let text = json!({"type": "string"});
    Arc::new([
        tool("clock.now", json!({"type": "object", "properties": {}})),
        tool(
            "memory.remember_fact",
            json!({"type": "object", "properties": {"content": text}, "required": ["content"]}),
        ),
        tool(
            "memory.search_facts",
            json!({"type": "object", "properties": {"query": text}, "required": ["query"]}),
        ),
        tool(
            "memory.forget_fact",
            json!({"type": "object", "properties": {"fact_id": text}, "required": ["fact_id"]}),
        ),
    ])
}

/// A first turn without history and without tools.
pub(crate) fn plain(message: &str) -> TurnRequest {
    TurnRequest {
        agent: "felix".parse().unwrap(),
        epoch: EpochId::from_uuid(Uuid::from_u128(7)),
        turn: 1,
        attempt: 1,
        repair: None,
        system: "I am Felix.".into(),
        context: "".into(),
        time_zone: abide_domain::Zone::utc(),
        history: Arc::new([]),
        message: message.into(),
        sender: "nicolas".into(),
        channel: Channel::Telegram,
        session_id: "telegram:nicolas".into(),
        sent_at: at("2026-11-27T22:10:03.5Z"),
        last_driver_output: None,
        tools: Arc::new([]),
        steps: Vec::new(),
        deadline: Duration::from_secs(20),
        deadline_streaming: Duration::from_secs(20),
    }
}

pub(crate) fn exchange(stimulus: &str, reply: &str, sent_at: &str) -> Exchange {
    Exchange {
        epoch: EpochId::from_uuid(Uuid::from_u128(3)),
        sender: "ada".into(),
        channel: Channel::Irc,
        sent_at: at(sent_at),
        stimulus: stimulus.into(),
        reply: reply.into(),
        replied_at: at(sent_at),
    }
}

/// A finished turn of calls, each with its outcome and its result.
pub(crate) fn step(turn: u32, calls: &[(&str, Value, Outcome, &str)]) -> TurnStep {
    let results = calls.iter().enumerate().map(|(index, (name, _, outcome, content))| ToolResult {
        call_id: CallId::new(turn, index + 1),
        name: (*name).into(),
        outcome: *outcome,
        content: (*content).into(),
    });
    let results = results.collect();
    let calls = calls.iter().map(|(name, arguments, ..)| ToolCall {
        name: (*name).into(),
        arguments: arguments.clone(),
    });
    let voice = Voice::native("why".into(), String::new(), calls.collect());
    TurnStep { turn, voice, results, provider_state: None }
}
