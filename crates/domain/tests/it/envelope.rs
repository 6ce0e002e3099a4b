//! `spec/stimulus-envelope.md` and decisions 1 to 5, rule by rule.

use abide_domain::{
    AgentId, Timestamp,
    envelope::{Channel, EnvelopeError, EnvelopeRules, StimulusEnvelope},
    limits::VIOLATIONS_MAX,
};
use proptest::prelude::*;
use serde_json::{Value, json};

const EXAMPLES: [&str; 4] = [
    include_str!("../spec/envelope/first_interaction.json"),
    include_str!("../spec/envelope/follow_up.json"),
    include_str!("../spec/envelope/direct.json"),
    include_str!("../spec/envelope/system.json"),
];

fn read(value: &Value) -> Result<StimulusEnvelope, EnvelopeError> {
    let now: Timestamp = "2024-11-21T00:00:30Z".parse().unwrap();
    let is_citizen = |id: &AgentId| id.as_str() == "felix";
    StimulusEnvelope::from_json(value, EnvelopeRules { now, is_citizen: &is_citizen })
}

fn example(index: usize) -> Value {
    serde_json::from_str(EXAMPLES[index]).unwrap()
}

/// The violations as `path code`, after a change to the follow-up example.
fn broken(change: impl Fn(&mut Value)) -> Vec<String> {
    let mut value = example(1);
    change(&mut value);
    let violations = read(&value).map_err(|invalid| invalid.violations).err().unwrap_or_default();
    violations.iter().map(|violation| format!("{} {}", violation.path, violation.code)).collect()
}

#[test]
fn the_specification_s_four_examples_are_accepted() {
    for index in 0..4 {
        let envelope = read(&example(index)).unwrap();
        assert_eq!(envelope.citizen.as_str(), "felix");
        assert_eq!(envelope.content.as_ref(), example(index)["stimulus"]["content"]);
    }
    let follow_up = read(&example(1)).unwrap();
    assert_eq!(follow_up.channel, Channel::Telegram);
    assert_eq!(follow_up.session(), "telegram_race_condition_20241120");
    let output = follow_up.last_driver_output.unwrap();
    assert_eq!(output.timestamp.to_string(), "2024-11-20T16:32:00.000000Z");
}

#[test]
fn each_rule_has_its_violation() {
    let cases: &[(&str, &str, Value, &str)] = &[
        ("stimulus", "content", json!(""), "stimulus.content empty"),
        ("stimulus", "content", json!(" \n\t"), "stimulus.content empty"),
        ("stimulus", "content", json!(7), "stimulus.content type"),
        ("stimulus", "content", json!("é".repeat(10_001)), "stimulus.content too_long"),
        ("stimulus", "sender", json!(""), "stimulus.sender empty"),
        ("stimulus", "sender", json!("two words"), "stimulus.sender format"),
        ("stimulus", "channel", json!("invalid_channel"), "stimulus.channel value"),
        ("stimulus", "channel", json!("Telegram"), "stimulus.channel value"),
        ("stimulus", "timestamp", json!("yesterday"), "stimulus.timestamp format"),
        ("stimulus", "timestamp", json!("2024-11-20T18:45:00"), "stimulus.timestamp format"),
        ("stimulus", "timestamp", json!("2024-11-21T00:01:31Z"), "stimulus.timestamp future"),
        ("stimulus", "mood", json!("x"), "stimulus.mood unknown_field"),
        ("last_driver_output", "content", json!(null), "last_driver_output.timestamp pair"),
        ("last_driver_output", "timestamp", json!(null), "last_driver_output.timestamp pair"),
        ("last_driver_output", "content", json!(""), "last_driver_output.content empty"),
        (
            "last_driver_output",
            "content",
            json!("x".repeat(50_001)),
            "last_driver_output.content too_long",
        ),
        (
            "last_driver_output",
            "timestamp",
            json!("2024-11-20T18:45:01Z"),
            "last_driver_output.timestamp order",
        ),
        ("last_driver_output", "by", json!("x"), "last_driver_output.by unknown_field"),
    ];
    for (object, key, value, expected) in cases {
        assert_eq!(broken(|v| v[*object][*key] = value.clone()), [*expected], "{object}.{key}");
    }
    assert_eq!(broken(|v| v["citizen"] = json!("nobody")), ["citizen unknown"]);
    assert_eq!(broken(|v| v["citizen"] = json!("no body")), ["citizen format"]);
    assert_eq!(broken(|v| v["session_id"] = json!("")), ["session_id empty"]);
    assert_eq!(broken(|v| v["session_id"] = json!("x".repeat(129))), ["session_id too_long"]);
    assert_eq!(broken(|v| v["extra"] = json!(1)), ["extra unknown_field"]);
    assert_eq!(broken(|v| *v = json!([])), ["(envelope) type"]);
    let odd = format!("\u{1b}[2J{}", "k".repeat(1_000_000));
    let said = broken(|v| v[&odd] = json!(1));
    assert!(said[0].starts_with("⟦U+001B⟧[2Jkk") && said[0].len() < 200, "{said:?}");
    let many = |v: &mut Value| (0..1_000).for_each(|n| v[format!("k{n}")] = json!(1));
    assert_eq!(broken(many).len(), VIOLATIONS_MAX, "and no more of them than anybody reads");
}

#[test]
fn missing_parts_are_named() {
    let remove =
        |key: &'static str| move |v: &mut Value| drop(v.as_object_mut().unwrap().remove(key));
    assert_eq!(broken(remove("stimulus")), ["stimulus required"]);
    assert_eq!(broken(remove("citizen")), ["citizen required"]);
    assert_eq!(broken(remove("last_driver_output")), ["last_driver_output required"]);
    assert_eq!(broken(remove("session_id")), [""; 0], "the session is optional");
    for key in ["content", "sender", "channel", "timestamp"] {
        let gone = broken(|v| drop(v["stimulus"].as_object_mut().unwrap().remove(key)));
        assert_eq!(gone, [format!("stimulus.{key} required")]);
    }
}

#[test]
fn a_null_object_counts_as_both_null_and_a_session_has_a_default() {
    let mut value = example(0);
    value["last_driver_output"] = json!(null);
    value["session_id"] = json!(null);
    let envelope = read(&value).unwrap();
    assert_eq!(envelope.last_driver_output, None);
    assert_eq!(envelope.session(), "telegram:nicolas");
}

#[test]
fn every_violation_is_reported_at_once_in_one_sentence() {
    let value = json!({
        "stimulus": {"content": "", "sender": "A B", "channel": "fax", "timestamp": "now"},
        "last_driver_output": {"content": "x", "timestamp": null},
        "citizen": "nobody", "session_id": 3, "more": true
    });
    let invalid = read(&value).unwrap_err();
    assert_eq!(invalid.violations.len(), 8);
    let text = invalid.to_string();
    assert!(
        text.starts_with("Invalid stimulus envelope: stimulus.content: must not be empty"),
        "{text}"
    );
    assert!(text.contains("; citizen: there is no agent `nobody`; "), "{text}");
}

#[test]
fn content_is_kept_byte_for_byte_and_ids_are_lower_cased() {
    let mut value = example(1);
    value["stimulus"]["content"] = json!("  e\u{301} \r\n\u{200b}🦀\t ");
    value["stimulus"]["sender"] = json!("Nicolas");
    value["citizen"] = json!("FELIX");
    value["stimulus"]["timestamp"] = json!("2024-11-20T19:45:00+01:00");
    let envelope = read(&value).unwrap();
    assert_eq!(envelope.content.as_ref(), "  e\u{301} \r\n\u{200b}🦀\t ");
    assert_eq!((envelope.sender.as_str(), envelope.citizen.as_str()), ("nicolas", "felix"));
    assert_eq!(envelope.timestamp.to_string(), "2024-11-20T18:45:00.000000Z");
}

#[test]
fn the_bound_counts_characters_and_not_bytes() {
    assert_eq!(broken(|v| v["stimulus"]["content"] = json!("🦀".repeat(10_000))), [""; 0]);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|b| json!(b)),
        any::<i64>().prop_map(|n| json!(n)),
        "\\PC{0,20}".prop_map(|s| json!(s)),
        Just(json!("2024-11-20T18:45:00Z")),
    ];
    let keys = "content|sender|channel|timestamp|stimulus|citizen|session_id|last_driver_output|x";
    leaf.prop_recursive(3, 24, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(keys, inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_value_panics_and_a_refusal_names_at_least_one_rule(value in any_json()) {
        if let Err(invalid) = read(&value) {
            prop_assert!(!invalid.violations.is_empty());
        }
    }
}
