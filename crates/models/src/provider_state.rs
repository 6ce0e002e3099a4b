//! What a provider is handed back with a turn that called tools: what it sent, unchanged, and nothing of ours.
//!
//! Reasoning models sign or encrypt what they thought and refuse the results of their calls without it. Which fields those
//! are changes with every server: so all that is no known part of an answer is kept, and pieces of a stream are put together
//! by their shape. Only the model that sent it gets it back.

use abide_domain::{limits::PROVIDER_STATE_BYTES_MAX, turn::ProviderState, voice::Voice};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::json::{list, text};

/// Pieces of a stream that are texts, but whole: they replace and do not continue.
const WHOLE_FIELDS: [&str; 9] =
    ["id", "type", "format", "index", "role", "name", "status", "object", "call_id"];
/// Fields of a list's items that grow.
const GROWING_FIELDS: [&str; 4] = ["text", "thinking", "summary", "data"];

/// Collects it from the pieces of one answer.
#[derive(Debug, Default)]
pub(crate) struct StateCollector {
    /// Fields beside a message's own.
    message: Map<String, Value>,
    /// Whole items, by their place in the answer.
    items: Vec<(u64, Value)>,
    /// Whether one of the items is more than words and calls.
    has_more: bool,
    bytes: usize,
}

/// One call: the id that the provider gave it, and what else it said of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct CallState {
    pub(crate) id: String,
    pub(crate) extra: Map<String, Value>,
    pub(crate) function: Map<String, Value>,
}

impl StateCollector {
    /// Takes a piece of a field of the message.
    pub(crate) fn add_field(&mut self, field: &str, piece: &Value) {
        if !is_empty(piece) && self.grow(piece) {
            merge_field(&mut self.message, field, piece);
        }
    }

    /// Takes an item that begins, or that came whole; `is_more` where it is neither words nor a call.
    pub(crate) fn set_item(&mut self, index: u64, item: &Value, is_more: bool) {
        if !self.grow(item) {
            return;
        }
        self.has_more |= is_more;
        match self.items.iter_mut().find(|(own, _)| *own == index) {
            Some((_, own)) => own.clone_from(item),
            None => self.items.push((index, item.clone())),
        }
    }

    /// Continues a text of an item.
    pub(crate) fn grow_item(&mut self, index: u64, field: &str, piece: &str) {
        self.bytes = self.bytes.saturating_add(piece.len());
        if self.bytes > PROVIDER_STATE_BYTES_MAX {
            return;
        }
        let item = self.items.iter_mut().find(|(own, _)| *own == index);
        if let Some((_, Value::Object(item))) = item {
            match item.get_mut(field) {
                Some(Value::String(own)) => own.push_str(piece),
                _ => drop(item.insert(field.to_owned(), piece.into())),
            }
        }
    }

    fn grow(&mut self, piece: &Value) -> bool {
        self.bytes = self.bytes.saturating_add(piece.to_string().len());
        self.bytes <= PROVIDER_STATE_BYTES_MAX
    }

    /// What is handed back with the results of these calls; none where the answer holds nothing of that kind.
    pub(crate) fn finish(&mut self, calls: &[CallState]) -> Option<Value> {
        // A part of it is refused like none at all.
        if calls.is_empty() || self.bytes > PROVIDER_STATE_BYTES_MAX {
            return None;
        }
        let has_extra = |call: &CallState| !call.extra.is_empty() || !call.function.is_empty();
        let needed = self.has_more || !self.message.is_empty() || calls.iter().any(has_extra);
        let has_ids = calls.iter().any(|call| !call.id.is_empty());
        if !needed && !has_ids {
            return None;
        }
        self.items.sort_by_key(|(index, _)| *index);
        let items = std::mem::take(&mut self.items).into_iter().map(|(_, item)| item);
        let items: Vec<Value> = items.filter(|_| self.has_more).collect();
        let calls: Vec<Value> = calls
            .iter()
            .map(|call| json!({"id": call.id, "extra": call.extra, "function": call.function}))
            .collect();
        let message = std::mem::take(&mut self.message);
        Some(json!({"needed": needed, "message": message, "calls": calls, "items": items}))
    }
}

/// What a turn's answer brought for its provider, where it comes from `source` and belongs to these calls.
pub(crate) fn state_for<'a>(
    state: Option<&'a ProviderState>,
    source: &str,
    voice: &Voice,
) -> Option<&'a Value> {
    let state = state?.value();
    let is_own = text(state, "/source") == source;
    (is_own && list(state, "/calls").len() == voice.tool_calls.len()).then_some(state)
}

/// The provider's own ids of the calls, where it gave each one of its own.
pub(crate) fn call_ids(state: &Value) -> Option<Vec<&str>> {
    let ids: Vec<&str> = list(state, "/calls").iter().map(|call| text(call, "/id")).collect();
    let mut seen = ids.clone();
    seen.sort_unstable();
    seen.dedup();
    (seen.len() == ids.len() && ids.iter().all(|id| !id.is_empty())).then_some(ids)
}

/// Adds the fields of an object, where they do not stand there yet.
pub(crate) fn add_fields(into: &mut Value, fields: Option<&Value>) {
    if let (Value::Object(into), Some(Value::Object(fields))) = (into, fields) {
        for (field, value) in fields {
            if !into.contains_key(field) {
                into.insert(field.clone(), value.clone());
            }
        }
    }
}

pub(crate) fn merge_field(into: &mut Map<String, Value>, field: &str, piece: &Value) {
    match into.get_mut(field) {
        Some(own) => merge(own, piece, field),
        None => drop(into.insert(field.to_owned(), piece.clone())),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn merge(into: &mut Value, piece: &Value, field: &str) {
    match (into, piece) {
        (_, Value::Null) => {}
        (Value::String(own), Value::String(piece)) if grows(field) => own.push_str(piece),
        (Value::Array(own), Value::Array(pieces)) => {
            for piece in pieces {
                match own.iter_mut().rev().find(|item| continues(item, piece)) {
                    Some(item) => merge(item, piece, field),
                    None => own.push(piece.clone()),
                }
            }
        }
        (Value::Object(own), Value::Object(pieces)) => {
            for (field, piece) in pieces {
                merge_field(own, field, piece);
            }
        }
        (own, piece) => own.clone_from(piece),
    }
}

fn grows(field: &str) -> bool {
    !WHOLE_FIELDS.contains(&field) && !field.contains("signature")
}

/// Whether a piece belongs to an item that has begun: by its number, else because it is of its type and goes on with its text.
fn continues(item: &Value, piece: &Value) -> bool {
    let (Value::Object(item), Value::Object(piece)) = (item, piece) else { return false };
    let same = |field: &str| match (item.get(field), piece.get(field)) {
        (Some(own), Some(other)) => own == other || own.is_null() || other.is_null(),
        _ => true,
    };
    if !same("type") || !same("id") {
        return false;
    }
    match (item.get("index"), piece.get("index")) {
        (Some(own), Some(other)) => own == other,
        (None, None) => {
            let has_growing = |fields: &Map<String, Value>| {
                GROWING_FIELDS.iter().any(|field| fields.contains_key(*field))
            };
            !item.contains_key("signature") && has_growing(item) && has_growing(piece)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{CallState, StateCollector, call_ids};

    fn call(id: &str) -> CallState {
        CallState { id: id.into(), ..CallState::default() }
    }

    #[test]
    fn pieces_of_a_stream_are_put_together_by_their_shape() {
        let mut state = StateCollector::default();
        for piece in ["Let me ", "", "look."] {
            state.add_field("reasoning_content", &json!(piece));
        }
        state.add_field("signature", &json!("a"));
        state.add_field("signature", &json!("b"));
        for piece in [
            json!([{"type": "reasoning.text", "index": 0, "text": "Let "}]),
            json!([{"type": "reasoning.text", "index": 0, "text": "me"}]),
            json!([{"type": "reasoning.text", "index": 0, "signature": "s1"}]),
            json!([{"type": "reasoning.encrypted", "index": 1, "data": "xyz", "id": "r1"}]),
        ] {
            state.add_field("reasoning_details", &piece);
        }
        for piece in ["a", "b"] {
            let parts =
                json!([{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]);
            state.add_field("content", &parts);
        }
        let expected = json!({
            "needed": true,
            "message": {
                "reasoning_content": "Let me look.",
                "signature": "b",
                "reasoning_details": [
                    {"type": "reasoning.text", "index": 0, "text": "Let me", "signature": "s1"},
                    {"type": "reasoning.encrypted", "index": 1, "data": "xyz", "id": "r1"},
                ],
                "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "ab"}]}],
            },
            "calls": [{"id": "c1", "extra": {}, "function": {}}],
            "items": [],
        });
        assert_eq!(state.finish(&[call("c1")]), Some(expected));
    }

    #[test]
    fn nothing_is_kept_where_there_is_nothing_or_too_much_of_it() {
        assert_eq!(StateCollector::default().finish(&[call("")]), None);
        let mut state = StateCollector::default();
        state.add_field("reasoning", &json!("x"));
        assert_eq!(state.finish(&[]), None, "without calls the turn is the last one");
        let mut long = StateCollector::default();
        for _ in 0..11 {
            long.add_field("reasoning", &json!("x".repeat(100_000)));
        }
        assert_eq!(long.finish(&[call("c")]), None);
    }

    #[test]
    fn ids_that_repeat_are_not_used() {
        let ids = |ids: &[&str]| {
            let calls: Vec<_> = ids.iter().map(|id| json!({"id": id})).collect();
            call_ids(&json!({"calls": calls})).is_some()
        };
        assert!(ids(&["a", "b"]));
        assert!(!ids(&["a", "a"]) && !ids(&["a", ""]));
    }
}
