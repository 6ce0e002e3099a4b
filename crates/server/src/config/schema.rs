//! The JSON schema of `abide.toml`, for editors.

use serde_json::{Map, Value, json};

use super::{
    sections::Settings,
    shape::{Key, KeyDefault, Node, Shape},
};

/// The schema.
pub(crate) fn json_schema() -> Value {
    let mut schema = object(Settings::KEYS);
    if let Value::Object(schema) = &mut schema {
        schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        schema.insert("title".into(), "abide.toml".into());
    }
    schema
}

fn object(keys: &[Key]) -> Value {
    let required = keys.iter().filter(|key| matches!(key.default, KeyDefault::Required));
    let required: Vec<_> = required.map(|key| key.name).collect();
    let properties: Map<_, _> =
        keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "required": required,
    })
}

fn property(key: &Key) -> Value {
    let mut schema = match key.node {
        Node::Value(shape) => value(shape),
        Node::Table(keys) => object(keys),
        Node::Tables(keys) => json!({"type": "array", "items": object(keys)}),
    };
    if let Value::Object(schema) = &mut schema {
        schema.insert("description".into(), key.about.into());
        if let (Node::Value(_), Some(default)) = (key.node, key.default_value()) {
            schema.insert("default".into(), json!(default));
        }
    }
    schema
}

fn one_of(words: &[super::shape::Word]) -> Value {
    json!({"type": "string", "enum": words.iter().map(|word| word.word).collect::<Vec<_>>()})
}

fn value(shape: Shape) -> Value {
    let text = |pattern: &str| json!({"type": "string", "pattern": format!("^{pattern}$")});
    let list = |items: Value| json!({"type": "array", "items": items});
    match shape {
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Count(min, max) => json!({"type": "integer", "minimum": min, "maximum": max}),
        Shape::Money => json!({"type": "number", "minimum": 0}),
        Shape::Text(bytes_max) => json!({"type": "string", "maxLength": bytes_max}),
        Shape::OneOf(words) => one_of(words),
        Shape::Listed(words) => one_of(&words()),
        Shape::Time(..) => text("[0-9]+(ms|s|m|h|d)"),
        Shape::Texts | Shape::ToolPatterns => list(json!({"type": "string"})),
        Shape::Chats => list(json!({"type": ["integer", "string"], "pattern": "^-?[1-9][0-9]*$"})),
        Shape::Address => text(".+:[0-9]{1,5}"),
        Shape::AddressOrOff => text("(off|.+:[0-9]{1,5})"),
        Shape::Url => text("(|https?://.+)"),
        Shape::VariableName => text("(|[A-Za-z_][A-Za-z0-9_]*)"),
        Shape::VariableNames => list(text("[A-Za-z_][A-Za-z0-9_]*")),
        Shape::Cron | Shape::Moment => json!({"type": "string"}),
        Shape::Zone => json!({"type": "string", "maxLength": 64}),
        Shape::Id => text("[A-Za-z0-9][A-Za-z0-9._-]{0,63}"),
    }
}
