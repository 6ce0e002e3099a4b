//! The keeper's JSON as text: small readers that give a text for whatever is there.

use std::fmt::Write as _;

use serde_json::Value;

/// The text at a pointer; empty where there is none.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// What stands at a pointer, as text; `-` for nothing.
pub(crate) fn display(value: &Value, pointer: &str) -> String {
    match value.pointer(pointer) {
        None | Some(Value::Null) => "-".into(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// The list at a pointer; empty where there is none.
pub(crate) fn items<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A query string of those parameters that are given, with its `?`; empty where none is.
pub(crate) fn query_string(parameters: &[(&str, Option<&str>)]) -> String {
    let given = parameters.iter().filter_map(|(name, value)| value.map(|value| (name, value)));
    let pairs: Vec<_> =
        given.map(|(name, value)| format!("{name}={}", url_encode(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// A text as one segment or value of a URL.
pub(crate) fn url_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// A number with its noun, such as `1 epoch` or `2 epochs`.
pub(crate) fn format_count(count: u64, noun: &str) -> String {
    let ending = match count {
        1 => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{count} {noun}{ending}")
}

/// The number at a pointer with its noun.
pub(crate) fn display_count(value: &Value, pointer: &str, noun: &str) -> String {
    format_count(value.pointer(pointer).and_then(Value::as_u64).unwrap_or(0), noun)
}

#[cfg(test)]
mod tests {
    use super::{format_count, query_string};

    #[test]
    fn parameters_are_encoded_and_absent_ones_left_out() {
        assert_eq!(query_string(&[("a", Some("x y&z/é")), ("b", None)]), "?a=x%20y%26z%2F%C3%A9");
        assert_eq!(query_string(&[("b", None)]), "");
    }

    #[test]
    fn one_thing_has_no_plural() {
        assert_eq!(format_count(1, "batch"), "1 batch");
        assert_eq!(format_count(2, "batch") + &format_count(0, "event"), "2 batches0 events");
    }
}
