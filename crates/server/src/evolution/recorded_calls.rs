//! What the tools of one epoch gave, for a trial that asks for them again. Nothing here runs a tool: what the record has no answer to
//! has none.
//!
//! A call is known by its tool and its arguments in one form: the order of keys, composed and decomposed letters, and `1.0` beside
//! `1` make no difference. Calls that repeat get what was given, in that order; one more than there were gets nothing.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use abide_domain::tool::Outcome;
use abide_engine::state::TurnRecord;
use icu_normalizer::ComposingNormalizerBorrowed;
use serde_json::{Map, Number, Value};

/// What a call gave.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RecordedResult {
    pub(super) outcome: Outcome,
    pub(super) content: Arc<str>,
}

/// Says why an epoch cannot be asked again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what {tool} gave is not in the record any more, or was never known")]
pub(super) struct LostResultError {
    tool: String,
}

/// The results of one epoch's calls that were not asked for again yet.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordedCalls(HashMap<(String, String), VecDeque<RecordedResult>>);

impl RecordedCalls {
    /// Those of an epoch. Errors: the result of one of them is gone, or is not known.
    pub(super) fn of(turns: &[TurnRecord]) -> Result<Self, LostResultError> {
        let mut calls = Self::default();
        for turn in turns {
            for (call, record) in turn.voice.tool_calls.iter().zip(&turn.calls) {
                let finished = record.finished.as_ref();
                let known = finished.filter(|finished| {
                    finished.outcome != Outcome::Unknown && finished.ethereal.is_none()
                });
                let Some(finished) = known else {
                    return Err(LostResultError { tool: call.name.clone() });
                };
                let result = RecordedResult {
                    outcome: finished.outcome,
                    content: finished.content.as_str().into(),
                };
                calls.0.entry(key(&call.name, &call.arguments)).or_default().push_back(result);
            }
        }
        Ok(calls)
    }

    /// What a call gave; none where the record has no such call, or none any more.
    pub(super) fn take(&mut self, tool: &str, arguments: &Value) -> Option<RecordedResult> {
        self.0.get_mut(&key(tool, arguments))?.pop_front()
    }
}

/// By what a call is known: its tool, and its arguments in one form.
pub(super) fn key(tool: &str, arguments: &Value) -> (String, String) {
    (tool.to_owned(), canonical(arguments).to_string())
}

fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<(String, Value)> =
                object.iter().map(|(key, value)| (composed(key), canonical(value))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(entries.into_iter().collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::String(text) => Value::String(composed(text)),
        Value::Number(number) => Value::Number(whole(number).unwrap_or_else(|| number.clone())),
        Value::Null | Value::Bool(_) => value.clone(),
    }
}

fn composed(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned()
}

/// A whole number that was written as a fraction.
fn whole(number: &Number) -> Option<Number> {
    /// Whole numbers that a float holds exactly.
    const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;
    let value = number.as_f64().filter(|_| number.is_f64())?;
    #[expect(clippy::cast_possible_truncation, reason = "whole, and within what a float holds")]
    let whole = (value.fract() == 0.0 && value.abs() < WHOLE_MAX).then_some(value as i64);
    whole.map(Number::from)
}

#[cfg(test)]
mod tests {
    use abide_domain::{
        CallId,
        event::{ToolFinished, UsageRecord, VoiceCall, VoiceRecord},
        tool::Outcome,
    };
    use abide_engine::state::{CallRecord, TurnRecord};
    use serde_json::{Value, json};

    use super::{RecordedCalls, key};

    fn turn(calls: &[(&str, Value, Outcome, &str)]) -> TurnRecord {
        let call_id = |place| CallId::new(1, place + 1);
        let voice_calls =
            calls.iter().enumerate().map(|(place, (name, arguments, ..))| VoiceCall {
                call_id: call_id(place),
                name: (*name).into(),
                arguments: arguments.clone(),
            });
        let records = calls.iter().enumerate().map(|(place, (_, _, outcome, content))| {
            let finished: ToolFinished = serde_json::from_value(json!({
                "call_id": call_id(place), "outcome": outcome, "content": content, "duration_ms": 1,
            }))
            .unwrap();
            CallRecord { requested: None, finished: Some(finished), inner: Vec::new() }
        });
        TurnRecord {
            turn: 1,
            voice: VoiceRecord {
                thought: String::new(),
                emotive_state: "neutral".into(),
                tool_calls: voice_calls.collect(),
                final_response: None,
            },
            usage: UsageRecord::default(),
            calls: records.collect(),
        }
    }

    /// EV-04.
    #[test]
    fn the_order_of_keys_the_form_of_letters_and_of_whole_numbers_make_no_difference() {
        let one = json!({"b": [1.0, {"y": 2, "x": null}], "a": "e\u{301}", "n": -3.0});
        let other = json!({"a": "\u{e9}", "n": -3, "b": [1, {"x": null, "y": 2.0}]});
        assert_eq!(key("t", &one), key("t", &other));
        assert_ne!(key("t", &json!({"a": 1.5})), key("t", &json!({"a": 1})));
        assert_ne!(key("t", &json!({"a": "1"})), key("t", &json!({"a": 1})));
        assert_ne!(key("t", &json!({})), key("u", &json!({})));
    }

    /// EV-03.
    #[test]
    fn calls_that_repeat_get_what_was_given_in_that_order_and_one_more_gets_nothing() {
        let asked = json!({"id": 1});
        let turns = [turn(&[
            ("a.b", asked.clone(), Outcome::Ok, "first"),
            ("a.b", asked.clone(), Outcome::Error, "second"),
        ])];
        let mut calls = RecordedCalls::of(&turns).unwrap();
        let mut take = || calls.take("a.b", &asked).map(|result| result.content.to_string());
        assert_eq!(take().as_deref(), Some("first"));
        assert_eq!(take().as_deref(), Some("second"));
        assert_eq!(take(), None);
        assert_eq!(calls.take("a.b", &json!({"id": 2})), None);
    }

    /// EV-05.
    #[test]
    fn an_epoch_whose_result_is_unknown_cannot_be_asked_again() {
        let turns = [turn(&[("a.b", json!({}), Outcome::Unknown, "")])];
        let error = RecordedCalls::of(&turns).unwrap_err();
        assert!(error.to_string().contains("a.b"), "{error}");
    }
}
