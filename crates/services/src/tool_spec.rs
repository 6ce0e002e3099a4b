//! How the specifications of these tools are put together.

use abide_domain::tool::{EffectClass, ToolSpec};
use serde_json::{Value, json};

/// A specification. All tools of this crate may run twice: what they read is asked for again, what they stage is the same.
pub(crate) fn tool_spec(
    name: &str,
    effect: EffectClass,
    description: &str,
    parameters: Value,
) -> ToolSpec {
    let (name, description) = (name.to_owned(), description.to_owned());
    ToolSpec { name, description, parameters, effect, idempotent: true }
}

/// The schema of arguments: an object with no others than these.
pub(crate) fn object_schema(required: &[&str], properties: Value) -> Value {
    let mut schema = json!({"type": "object", "additionalProperties": false, "required": required});
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("properties".into(), properties);
    }
    schema
}

/// The schema of a number that may be left out.
pub(crate) fn optional_number(description: &str) -> Value {
    json!({"type": ["integer", "null"], "minimum": 1, "description": description})
}

/// The schema of a text that may be left out.
pub(crate) fn optional_text(description: &str) -> Value {
    json!({"type": ["string", "null"], "description": description})
}

/// A number that was asked for, within its bounds.
pub(crate) fn bounded(asked: Option<u64>, default: usize, max: usize) -> usize {
    asked.map_or(default, |asked| usize::try_from(asked).unwrap_or(max).clamp(1, max))
}

/// A text that is there and says something.
pub(crate) fn filled(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}
