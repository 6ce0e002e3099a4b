//! Any text as a voice: never a crash; what was read is within its limits and can be written and read again.
#![no_main]

use abide_domain::{
    limits::{EMOTIVE_STATE_CHARS_MAX, THOUGHT_BYTES_MAX},
    voice::Voice,
};
use libfuzzer_sys::fuzz_target;
use serde_json::json;

fuzz_target!(|text: &str| {
    let Ok(voice) = Voice::from_json_text(text) else { return };
    assert!(voice.thought.len() <= THOUGHT_BYTES_MAX);
    assert!(voice.emotive_state.chars().count() <= EMOTIVE_STATE_CHARS_MAX);
    assert!(voice.tool_calls.iter().all(|call| call.arguments.is_object()));
    let calls: Vec<_> = voice
        .tool_calls
        .iter()
        .map(|call| json!({"name": call.name, "arguments": call.arguments}))
        .collect();
    let written = json!({
        "thought": voice.thought,
        "emotive_state": voice.emotive_state,
        "tool_calls": calls,
        "final_response": voice.final_response,
    });
    assert_eq!(Voice::from_json(written).as_ref(), Ok(&voice));
    // Whether it may be acted upon is a separate question; asking must not fail either.
    let _ = voice.check(32);
});
