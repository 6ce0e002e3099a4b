//! The mind of the simulation: a pure function of the seed and of what it is asked, with every kind of bad answer.
//!
//! Asked the same turn twice it may answer differently, as a model would: only the attempt that is recorded counts.

use std::time::Duration;

use abide_domain::{
    tool::Outcome,
    turn::{MindError, TurnRequest, Usage},
    voice::{ToolCall, Voice},
};
use abide_engine::mind::ScriptedAnswer;
use serde_json::json;

use crate::SplitMix64;

/// Answers one asking.
pub(crate) fn answer(seed: u64, request: &TurnRequest) -> ScriptedAnswer {
    let mut rng = SplitMix64::new(seed ^ mixed(request));
    if !is_paired(request) {
        // A mind that is shown an unpaired call says so in a way that the laws look for.
        return ScriptedAnswer::Voice(words("UNPAIRED"));
    }
    match rng.below(100) {
        0..4 => ScriptedAnswer::Silence,
        4..8 => ScriptedAnswer::Fail(MindError::Unavailable { message: "cut".into() }),
        8..10 => ScriptedAnswer::Fail(MindError::ContextTooLong { message: "too long".into() }),
        10..11 => ScriptedAnswer::Fail(MindError::Refused {
            message: "no".into(),
            usage: Usage::default(),
        }),
        11..16 => ScriptedAnswer::Voice(words(" ")),
        16..60 if request.turn < 5 => after(&mut rng, |rng| calls(rng, request)),
        _ => after(&mut rng, |_| words(&format!("answer in turn {}", request.turn))),
    }
}

fn after(rng: &mut SplitMix64, voice: impl Fn(&mut SplitMix64) -> Voice) -> ScriptedAnswer {
    let delay = Duration::from_millis(rng.below(20_000));
    ScriptedAnswer::After(delay, voice(rng))
}

fn words(text: &str) -> Voice {
    Voice::native("I think".into(), text.into(), Vec::new())
}

fn calls(rng: &mut SplitMix64, request: &TurnRequest) -> Voice {
    let count = 1 + rng.below(3);
    let call = |number: u64, rng: &mut SplitMix64| match rng.below(6) {
        0 => (
            "memory.remember_fact",
            json!({"content": format!("fact {} of {}", number, request.epoch)}),
        ),
        1 => ("world.page", json!({"bytes": rng.below(100_000)})),
        2 => ("no.such_tool", json!({})),
        3 => ("memory.search_facts", json!({"query": "fact"})),
        _ => (
            "world.push",
            json!({
                "before_ms": rng.below(3_000), "after_ms": rng.below(3_000),
                "idempotent": rng.per_mille(300)
            }),
        ),
    };
    let calls = (0..count).map(|number| {
        let (name, arguments) = call(number, rng);
        ToolCall { name: name.into(), arguments }
    });
    Voice::native(String::new(), String::new(), calls.collect())
}

/// Whether every call of the steps has exactly one result (BC-01).
fn is_paired(request: &TurnRequest) -> bool {
    request.steps.iter().all(|step| {
        step.voice.tool_calls.len() == step.results.len()
            && step.results.iter().zip(&step.voice.tool_calls).all(|(result, call)| {
                result.name == call.name
                    && (result.outcome != Outcome::Unknown || result.content.contains("unknown"))
            })
    })
}

fn mixed(request: &TurnRequest) -> u64 {
    let (high, low) = request.epoch.uuid().as_u64_pair();
    let asked = u64::from(request.turn) << 32 | u64::from(request.attempt);
    SplitMix64::new(high ^ low.rotate_left(17) ^ asked).next_u64()
}
