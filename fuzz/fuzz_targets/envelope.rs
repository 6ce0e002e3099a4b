//! Any bytes as a stimulus envelope: never a crash; an error names what is wrong; what was accepted is within its
//! limits and is accepted again from its own parts.
#![no_main]

use abide_domain::{
    AgentId, Timestamp,
    envelope::{EnvelopeRules, StimulusEnvelope},
    limits::CONTENT_CHARS_MAX,
};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    let everybody = |_: &AgentId| true;
    let rules = EnvelopeRules {
        now: Timestamp::from_micros(1_795_817_403_000_000),
        is_citizen: &everybody,
    };
    match StimulusEnvelope::from_json(&value, rules) {
        Err(invalid) => assert!(!invalid.violations.is_empty(), "refused without a reason"),
        Ok(envelope) => {
            let chars = envelope.content.chars().count();
            assert!((1..=CONTENT_CHARS_MAX).contains(&chars));
            assert_eq!(value.pointer("/stimulus/content"), Some(&json!(&*envelope.content)));
            assert!(!envelope.session().is_empty());
            let text = serde_json::to_string(&value).expect("a value can be written");
            let again = serde_json::from_str(&text).expect("what was written can be read");
            assert_eq!(StimulusEnvelope::from_json(&again, rules), Ok(envelope));
        }
    }
});
