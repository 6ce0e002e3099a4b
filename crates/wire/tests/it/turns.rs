//! A turn goes to an agent and its answer comes back without losing anything.

use std::time::Duration;

use abide_domain::{
    AgentId, CallId, EpochId, Timestamp,
    envelope::{Channel, DriverOutput},
    tool::{EffectClass, Outcome, ToolSpec},
    turn::{Exchange, MindError, ProviderState, Thought, ToolResult, TurnRequest, TurnStep, Usage},
    voice::{AnswerFault, ToolCall, Voice, VoiceError},
};
use abide_wire::{
    AgentError, Direction, FromAgent, Message, ProcessRequest, ProcessResponse, Raw, ToAgent,
    Version,
};
use serde_json::json;

use crate::{Either, read_one, through, vector};

const NOW: Timestamp = Timestamp::from_micros(1_795_817_403_123_456);

fn felix() -> AgentId {
    "felix".parse().unwrap()
}

fn epoch(last: u8) -> EpochId {
    format!("01939c7e-8a00-7000-8000-0000000000{last:02x}").parse().unwrap()
}

fn exchange(last: u8) -> Exchange {
    Exchange {
        epoch: epoch(last),
        sender: "ada".into(),
        channel: Channel::Irc,
        sent_at: NOW,
        stimulus: "hé".into(),
        reply: "hò".into(),
        replied_at: NOW.plus(Duration::from_millis(1)),
    }
}

fn tool() -> ToolSpec {
    ToolSpec {
        name: "clock.now".into(),
        description: "Tells the time.".into(),
        parameters: json!({"type": "object", "properties": {}}),
        effect: EffectClass::Read,
        idempotent: true,
    }
}

fn step() -> TurnStep {
    let arguments = json!({"zone": "UTC", "n": [1, 1.0]});
    TurnStep {
        turn: 1,
        voice: Voice {
            thought: "look".into(),
            emotive_state: "calm".into(),
            tool_calls: vec![ToolCall { name: "clock.now".into(), arguments }],
            final_response: None,
        },
        results: vec![ToolResult {
            call_id: CallId::new(1, 1),
            name: "clock.now".into(),
            outcome: Outcome::Unknown,
            content: "nobody knows".into(),
        }],
        provider_state: ProviderState::new(json!({"needed": true, "items": ["sig=="]})),
    }
}

fn turn() -> TurnRequest {
    TurnRequest {
        agent: felix(),
        epoch: epoch(1),
        turn: 2,
        attempt: 3,
        repair: Some(VoiceError::new("tool_calls[0].name", "must be a tool's name")),
        system: "# You are Felix".into(),
        context: "# What you know at this moment".into(),
        time_zone: abide_domain::Zone::named("Europe/Berlin").unwrap(),
        history: vec![exchange(2), exchange(3)].into(),
        message: "what time is it?".into(),
        sender: "nicolas".into(),
        channel: Channel::Direct,
        session_id: "direct:nicolas".into(),
        sent_at: NOW,
        last_driver_output: Some(DriverOutput { content: "hò".into(), timestamp: NOW }),
        tools: vec![tool()].into(),
        steps: vec![step()],
        deadline: Duration::from_mins(2),
        deadline_streaming: Duration::from_mins(10),
    }
}

#[test]
fn a_turn_comes_back_as_it_went() {
    let request = ProcessRequest::from_turn("r-1", &turn());
    let message = Message::<ToAgent>::new(Version::V3, NOW, request);
    let Either::To(message) = through(&message) else { panic!("the other direction") };
    let ToAgent::ProcessRequest(request) = message.body else { panic!("{message:?}") };
    assert_eq!(request.request_id, "r-1");
    assert_eq!(request.to_turn(felix()), Ok(turn()));
}

#[test]
fn a_request_of_an_older_version_says_what_a_turn_lacks() {
    let message = json!({"type": "process_request", "timestamp": 1, "request_id": "r",
        "data": {"message": "hi", "context": {"mood": "curious"}, "user_id": "ada"}});
    let bytes = vector::frame(&vector::packed(&message));
    let Ok(Either::To(message)) = read_one(Direction::ToAgent, &bytes) else { panic!("refused") };
    let ToAgent::ProcessRequest(request) = message.body else { panic!("{message:?}") };
    let context = request.input.context.as_ref().unwrap();
    assert_eq!(context.extra.get("mood").and_then(Raw::as_text), Some("curious"));
    assert_eq!(request.to_turn(felix()).unwrap_err().path, "data.context.epoch_id");
}

#[test]
fn an_answer_comes_back_as_it_went() {
    let usage = Usage {
        input_tokens: 812,
        output_tokens: 40,
        cached_tokens: 7,
        model: "m".into(),
        cost_microusd: None,
    };
    let provider_state = step().provider_state;
    let thought = Thought { voice: step().voice, usage, provider_state };
    let response = ProcessResponse::from_thought("r-1", &thought);
    let message = Message::<FromAgent>::new(Version::V3, NOW, response);
    let Either::From(message) = through(&message) else { panic!("the other direction") };
    let FromAgent::ProcessResponse(response) = message.body else { panic!("{message:?}") };
    assert_eq!(response.read_provider_state(), thought.provider_state);
    assert!(response.read_provider_state().unwrap().is_needed());
    assert_eq!(response.read_voice(), Ok(thought.voice));
    assert_eq!(response.read_usage(), thought.usage);
}

#[test]
fn a_voice_that_does_not_fit_is_mended_and_not_refused() {
    for (voice, path) in [(json!({"final_response": 3}), "final_response"), (json!("hi"), "")] {
        let message = json!({"type": "process_response", "version": 3, "timestamp": 1,
            "request_id": "r", "voice": voice});
        let bytes = vector::frame(&vector::packed(&message));
        let read = read_one(Direction::FromAgent, &bytes);
        let Ok(Either::From(message)) = read else { panic!("{read:?}") };
        let FromAgent::ProcessResponse(response) = message.body else { panic!("{message:?}") };
        assert_eq!(response.read_voice().unwrap_err().path, path);
        assert_eq!(response.read_usage(), Usage::default());
    }
}

#[test]
fn every_error_of_a_mind_comes_back_as_it_went() {
    let message = || String::from("why");
    let usage = Usage { input_tokens: 1, output_tokens: 2, ..Usage::default() };
    let wait = Some(Duration::from_millis(1500));
    let errors = [
        MindError::Overloaded { message: message() },
        MindError::RateLimited { message: message(), retry_after: wait },
        MindError::RateLimited { message: message(), retry_after: None },
        MindError::MoneyOut { message: message() },
        MindError::Refused { message: message(), usage: usage.clone() },
        MindError::ContextTooLong { message: message() },
        MindError::BrokenOff { message: message(), usage: usage.clone() },
        MindError::PerhapsTooLong { message: message() },
        MindError::BadVoice {
            problem: VoiceError::new("final_response", "is blank").of(AnswerFault::Empty),
            usage: usage.clone(),
        },
        MindError::BadVoice {
            problem: VoiceError::new("", "be brief")
                .of(AnswerFault::CutOff { tokens_max: Some(8192) }),
            usage: usage.clone(),
        },
        MindError::BadVoice { problem: VoiceError::new("tool_calls[0].name", "is blank"), usage },
        MindError::Rejected { message: message() },
        MindError::Unavailable { message: message() },
    ];
    for error in errors {
        let sent = AgentError::from_mind_error("r-1", &error);
        let message = Message::<FromAgent>::new(Version::V3, NOW, sent);
        let Either::From(message) = through(&message) else { panic!("the other direction") };
        let FromAgent::Error(received) = message.body else { panic!("{message:?}") };
        assert_eq!(received.to_mind_error(), error);
        assert!(received.ends_turn("r-1") && !received.ends_turn("r-2"));
    }
}

#[test]
fn a_fatal_error_ends_the_turn_without_naming_it() {
    let error = AgentError { fatal: Some(true), ..AgentError::new("EVAL_ERROR", "unbound") };
    assert!(error.ends_turn("r-1"));
    let message = "the agent's process reported EVAL_ERROR: unbound".into();
    assert_eq!(error.to_mind_error(), MindError::ProcessFailed { message });
    assert!(!AgentError::new("TOOL_FAILED", "x").ends_turn("r-1"));
}
