//! The JSON schema of `abide.toml`, made from the table of keys: for editors, and for people.

use serde_json::{Map, Value, json};

use super::keys::{self, Key, Node, Shape};

/// The schema.
pub(crate) fn json_schema() -> Value {
    let mut schema = object(keys::ROOT);
    if let Value::Object(schema) = &mut schema {
        schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        schema.insert("title".into(), "abide.toml".into());
    }
    schema
}

fn object(keys: &[Key]) -> Value {
    let property = |key: &Key| {
        let mut schema = match key.node {
            Node::Value(shape) => value(shape),
            Node::Table(keys) => object(keys),
            Node::Tables { keys, required } => {
                json!({"type": "array", "items": with_required(keys, required)})
            }
        };
        if let Value::Object(schema) = &mut schema {
            schema.insert("description".into(), key.about.into());
        }
        (key.name.to_owned(), schema)
    };
    let properties: Map<_, _> = keys.iter().map(property).collect();
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn with_required(keys: &[Key], required: &[&str]) -> Value {
    let mut schema = object(keys);
    if let Value::Object(schema) = &mut schema {
        schema.insert("required".into(), json!(required));
    }
    schema
}

fn value(shape: Shape) -> Value {
    match shape {
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Count { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
        Shape::Money => json!({"type": "number", "minimum": 0}),
        Shape::Text { bytes_max } => json!({"type": "string", "maxLength": bytes_max}),
        Shape::OneOf(words) => json!({"type": "string", "enum": words}),
        Shape::Length { .. } => json!({"type": "string", "pattern": "^[0-9]+(ms|s|m|h|d)$"}),
        Shape::Texts | Shape::ToolPatterns => json!({"type": "array", "items": {"type": "string"}}),
        Shape::Chats => {
            json!({"type": "array", "items": {"type": ["integer", "string"], "pattern": "^-?[1-9][0-9]*$"}})
        }
        Shape::Address => json!({"type": "string", "pattern": "^.+:[0-9]{1,5}$"}),
        Shape::AddressOrOff => json!({"type": "string", "pattern": "^(off|.+:[0-9]{1,5})$"}),
        Shape::Url => json!({"type": "string", "pattern": "^(|https?://.+)$"}),
        Shape::VariableName => json!({"type": "string", "pattern": "^(|[A-Za-z_][A-Za-z0-9_]*)$"}),
        Shape::VariableNames => {
            json!({"type": "array", "items": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}})
        }
        Shape::Cron => json!({"type": "string"}),
        Shape::Id => json!({"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}),
    }
}
