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
    let call = |number: u64, rng: &mut SplitMix64| match rng.below(9) {
        0 => (
            "memory.remember_fact",
            json!({"content": format!("fact {} of {}", number, request.epoch)}),
        ),
        1 => ("world.page", json!({"bytes": rng.below(100_000)})),
        2 => ("no.such_tool", json!({})),
        3 => ("memory.search_facts", json!({"query": "fact"})),
        4 => ("stdout", json!({"command": command(rng, request)})),
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

/// Notes, words for the other agent, and wakes.
fn command(rng: &mut SplitMix64, request: &TurnRequest) -> String {
    let other = if request.agent.as_str() == "ada" { "felix" } else { "ada" };
    let number = rng.below(1_000);
    let note = format!(r"\stdout note {number} ---");
    let say = format!(r"\say @{other} word {number} ---");
    match rng.below(6) {
        0 => note,
        1 => format!(r"{note} \stdout read: last 2 --- {note}"),
        2 => say,
        3 => format!(r"{note} {say} \nonsense ---"),
        4 => format!(r"{say} {} {note}", wake(rng, other, number)),
        _ => wake(rng, other, number),
    }
}

fn wake(rng: &mut SplitMix64, other: &str, number: u64) -> String {
    let length = 1 + rng.below(300);
    let condition = match rng.below(7) {
        0 => format!("sleep({length}s)"),
        1 => format!("sleep({length} ticks)"),
        2 => format!("from(@{other})"),
        3 => format!("not response(@{other}) and sleep({length}s)"),
        4 => format!("content contains '{}'", number % 10),
        5 => r"$(\stdout read: last 1 ---) contains '7'".to_owned(),
        _ => "from(@nicolas) or tick > 1000".to_owned(),
    };
    format!(r"\wake ?({condition}) look around ---")
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
