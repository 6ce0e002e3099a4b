//! The result of a call as text for a mind: texts with everything hidden in them made visible, everything else described, nothing
//! twice and nothing without end.
//!
//! Bytes never become text: an image says what it is and how large. What a server structures is shown where its texts do not say it.

use std::fmt::Write as _;

use abide_domain::{text::shortened, visible, visible_line};
use serde_json::Value;

use crate::{
    incoming::CUT_BYTES_KEY,
    limits::{BASE64_SHOWN_BYTES_MAX, RESULT_TEXT_BYTES_MAX},
};

/// Longest description of a part that is not shown, in Unicode scalar values.
const LABEL_CHARS_MAX: usize = 400;

/// A result, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadResult {
    /// Its text, with everything hidden in it made visible.
    pub(crate) text: String,
    /// Whether the server calls it an error.
    pub(crate) is_error: bool,
}

/// Reads the result of a call; none where it is no result of the protocol.
pub(crate) fn read_call_result(result: &Value) -> Option<ReadResult> {
    let object = result.as_object()?;
    let blocks = match object.get("content") {
        None | Some(Value::Null) => &[][..],
        Some(Value::Array(blocks)) => blocks.as_slice(),
        Some(_) => return None,
    };
    let mut text = CappedText::default();
    for block in blocks {
        text.push_part(&describe_block(block));
    }
    if let Some(structured) = object.get("structuredContent").filter(|value| !value.is_null())
        && !is_said(structured, blocks)
    {
        text.push_part(&without_bytes(structured).to_string());
    }
    let is_error = object.get("isError") == Some(&Value::Bool(true));
    Some(ReadResult { text: text.finish(result), is_error })
}

/// Reads what a resource has.
pub(crate) fn read_resource_result(result: &Value) -> Option<ReadResult> {
    let contents = result.get("contents")?.as_array()?;
    let mut text = CappedText::default();
    for content in contents {
        text.push_part(&describe_resource(content, contents.len() > 1));
    }
    Some(ReadResult { text: text.finish(result), is_error: false })
}

/// A text that takes no more than it may, and counts the rest.
#[derive(Debug, Default)]
struct CappedText {
    text: String,
    lost: usize,
    has_parts: bool,
}

impl CappedText {
    fn push_part(&mut self, part: &str) {
        if self.has_parts {
            self.push("\n");
        }
        self.has_parts = true;
        self.push(&visible(part));
    }

    fn push(&mut self, part: &str) {
        let room = RESULT_TEXT_BYTES_MAX.saturating_sub(self.text.len());
        let mut end = room.min(part.len());
        while !part.is_char_boundary(end) {
            end -= 1;
        }
        self.text.push_str(part.get(..end).unwrap_or_default());
        self.lost += part.len() - end;
    }

    fn finish(mut self, result: &Value) -> String {
        let cut_bytes = result.get(CUT_BYTES_KEY).and_then(Value::as_u64);
        let note = match (cut_bytes, self.lost) {
            (Some(bytes), _) => format!(
                "\n[cut: the answer has {bytes} bytes; its first {} are shown]",
                self.text.len()
            ),
            (None, 0) => String::new(),
            (None, lost) => format!("\n[cut: {lost} more bytes are not shown]"),
        };
        self.text.push_str(&note);
        self.text
    }
}

fn describe_block(block: &Value) -> String {
    let field = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
    match field("type") {
        "text" => field("text").to_owned(),
        kind @ ("image" | "audio") => {
            let bytes = decoded_bytes(field("data"));
            format!("[{kind}: {}, {bytes} bytes]", label(field("mimeType")))
        }
        "resource_link" => describe_link(block),
        "resource" => match block.get("resource") {
            Some(resource) => describe_resource(resource, true),
            None => "[resource without content]".to_owned(),
        },
        other => format!("[content of the kind `{}` is not shown]", label(other)),
    }
}

/// A resource as one line: where it is and what it is.
pub(crate) fn describe_link(link: &Value) -> String {
    let field = |key: &str| link.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let mut text = format!("[resource: {}", label(field("uri").unwrap_or("(no address)")));
    for key in ["name", "mimeType", "description"] {
        if let Some(value) = field(key) {
            // Writing to a string cannot fail.
            let _ = write!(text, ", {}", label(value));
        }
    }
    if let Some(size) = link.get("size").and_then(Value::as_u64) {
        let _ = write!(text, ", {size} bytes");
    }
    text.push(']');
    text
}

fn describe_resource(resource: &Value, is_named: bool) -> String {
    let field = |key: &str| resource.get(key).and_then(Value::as_str);
    let uri = label(field("uri").unwrap_or("(no address)"));
    match (field("text"), field("blob")) {
        (Some(text), _) if is_named => format!("[resource: {uri}]\n{text}"),
        (Some(text), _) => text.to_owned(),
        (None, Some(blob)) => {
            let kind = label(field("mimeType").unwrap_or("unknown kind"));
            format!("[resource: {uri}, {kind}, {} bytes]", decoded_bytes(blob))
        }
        (None, None) => format!("[resource: {uri}, without content]"),
    }
}

/// A short text of a server inside a line of ours.
fn label(text: &str) -> String {
    shortened(&visible_line(text), LABEL_CHARS_MAX)
}

/// How many bytes a text in base64 stands for.
fn decoded_bytes(base64: &str) -> usize {
    let padding = base64.bytes().rev().take(2).filter(|byte| *byte == b'=').count();
    (base64.len() / 4 * 3 + base64.len() % 4 * 3 / 4).saturating_sub(padding)
}

/// Whether the texts, or all blocks together, already say what is structured.
fn is_said(structured: &Value, blocks: &[Value]) -> bool {
    let says = |block: &Value| {
        let text = block.get("text").and_then(Value::as_str).unwrap_or_default();
        serde_json::from_str::<Value>(text).is_ok_and(|value| value == *structured)
            || is_wrapped(structured, &Value::from(text))
    };
    blocks.iter().any(says)
        || blocks.iter().any(|block| block == structured)
        || is_wrapped(structured, &Value::Array(blocks.to_vec()))
}

/// Whether a structured value is nothing but an object around a value that is shown, as servers wrap what is no object.
fn is_wrapped(structured: &Value, shown: &Value) -> bool {
    structured
        .as_object()
        .is_some_and(|object| object.len() == 1 && object.values().all(|inner| inner == shown))
}

/// The same value with long texts in base64 described.
fn without_bytes(value: &Value) -> Value {
    match value {
        Value::String(text) if is_base64(text) => {
            Value::String(format!("[base64, {} bytes]", decoded_bytes(text)))
        }
        Value::Array(items) => Value::Array(items.iter().map(without_bytes).collect()),
        Value::Object(object) => Value::Object(
            object.iter().map(|(key, inner)| (key.clone(), without_bytes(inner))).collect(),
        ),
        other => other.clone(),
    }
}

fn is_base64(text: &str) -> bool {
    let data = text.rsplit_once(";base64,").map_or(text, |(_, data)| data);
    data.len() > BASE64_SHOWN_BYTES_MAX
        && data.bytes().all(|b| {
            b.is_ascii_alphanumeric()
                || matches!(b, b'+' | b'/' | b'-' | b'_' | b'=' | b'\n' | b'\r')
        })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{read_call_result, read_resource_result};
    use crate::limits::RESULT_TEXT_BYTES_MAX;

    fn text(result: &Value) -> String {
        read_call_result(result).unwrap().text
    }

    #[test]
    fn each_kind_of_content_has_its_line_and_bytes_are_never_text() {
        let data = "iVBORw0KGgo=".to_owned() + &"A".repeat(4_000);
        let result = json!({"content": [
            {"type": "text", "text": "two\nlines"},
            {"type": "image", "data": data, "mimeType": "image/png"},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav\u{1b}[2J"},
            {"type": "resource_link", "uri": "file:///a", "name": "a", "size": 3},
            {"type": "resource", "resource": {"uri": "file:///b", "text": "inside"}},
            {"type": "resource", "resource": {"uri": "file:///c", "blob": "AAAA", "mimeType": "x/y"}},
            {"type": "hologram"},
        ]});
        assert_eq!(
            text(&result),
            "two\nlines\n[image: image/png, 3009 bytes]\n[audio: audio/wav⟦U+001B⟧[2J, 3 bytes]\n\
             [resource: file:///a, a, 3 bytes]\n[resource: file:///b]\ninside\n\
             [resource: file:///c, x/y, 3 bytes]\n[content of the kind `hologram` is not shown]"
        );
    }

    #[test]
    fn what_is_structured_is_shown_once() {
        let structured = json!({"sum": 3});
        let said = json!({"content": [{"type": "text", "text": "{ \"sum\": 3 }"}], "structuredContent": structured});
        assert_eq!(text(&said), "{ \"sum\": 3 }");
        let wrapped = json!({"content": [{"type": "text", "text": "noon"}], "structuredContent": {"result": "noon"}});
        assert_eq!(text(&wrapped), "noon");
        let alone = json!({"content": [], "structuredContent": structured});
        assert_eq!(text(&alone), r#"{"sum":3}"#);
        let more =
            json!({"content": [{"type": "text", "text": "done"}], "structuredContent": structured});
        assert_eq!(text(&more), "done\n{\"sum\":3}");
    }

    #[test]
    fn an_image_that_comes_again_as_structure_is_described_and_not_shown() {
        let image = json!({"type": "image", "data": "A".repeat(4_000), "mimeType": "image/png"});
        let again = json!({"content": [image], "structuredContent": {"result": [image]}});
        assert_eq!(text(&again), "[image: image/png, 3000 bytes]");
        let other = json!({"content": [image], "structuredContent": {"data": "A".repeat(4_000), "at": "noon"}});
        assert_eq!(
            text(&other),
            "[image: image/png, 3000 bytes]\n{\"data\":\"[base64, 3000 bytes]\",\"at\":\"noon\"}"
        );
    }

    #[test]
    fn what_is_hidden_is_shown_in_texts_resources_and_structure() {
        let words = "ok\u{e0041}\u{202e}\u{1b}[2J";
        let seen = "ok⟦U+E0041⟧⟦U+202E⟧⟦U+001B⟧[2J";
        let result = json!({
            "content": [
                {"type": "text", "text": words},
                {"type": "resource", "resource": {"uri": "a:b", "text": words}},
            ],
            "structuredContent": {"more": "ok\u{e0041}"},
        });
        let expected = format!("{seen}\n[resource: a:b]\n{seen}\n{{\"more\":\"ok⟦U+E0041⟧\"}}");
        assert_eq!(text(&result), expected);
        let one = json!({"contents": [{"uri": "a:b", "text": words}]});
        assert_eq!(read_resource_result(&one).unwrap().text, seen);
    }

    #[test]
    fn a_long_text_is_cut_between_characters_with_a_note() {
        let result =
            json!({"content": [{"type": "text", "text": "é".repeat(RESULT_TEXT_BYTES_MAX)}]});
        let shown = text(&result);
        assert!(shown.len() < RESULT_TEXT_BYTES_MAX + 100);
        assert!(shown.ends_with("é\n[cut: 262144 more bytes are not shown]"), "{}", shown.len());
    }

    #[test]
    fn what_is_no_result_is_not_read_and_errors_are_known() {
        assert_eq!(read_call_result(&json!([])), None);
        assert_eq!(read_call_result(&json!({"content": "text"})), None);
        let error = json!({"content": [{"type": "text", "text": "no"}], "isError": true});
        assert!(read_call_result(&error).unwrap().is_error);
        assert_eq!(text(&json!({})), "");
    }

    #[test]
    fn a_resource_is_its_text_or_a_description_of_its_bytes() {
        let one = json!({"contents": [{"uri": "a:b", "text": "x"}]});
        assert_eq!(read_resource_result(&one).unwrap().text, "x");
        let two =
            json!({"contents": [{"uri": "a:b", "text": "x"}, {"uri": "a:c", "blob": "AAA="}]});
        assert_eq!(
            read_resource_result(&two).unwrap().text,
            "[resource: a:b]\nx\n[resource: a:c, unknown kind, 2 bytes]"
        );
        assert_eq!(read_resource_result(&json!({})), None);
    }
}
