//! Reads JSON that came from outside: whatever is missing or of another type reads as empty.

use serde_json::Value;

/// The text at a JSON pointer, or the empty text.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The number at a JSON pointer, or zero.
pub(crate) fn number(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}

/// The list at a JSON pointer, or the empty list.
pub(crate) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Whether something other than null stands at a JSON pointer.
pub(crate) fn is_set(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer).is_some_and(|value| !value.is_null())
}

/// Sets a field of an object.
pub(crate) fn set(object: &mut Value, field: &str, value: Value) {
    if let Value::Object(object) = object {
        object.insert(field.to_owned(), value);
    }
}
