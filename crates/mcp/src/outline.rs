//! What a message is that cannot be read whole: the id, and whether it asks or answers, from its outermost object alone.
//!
//! It is for messages that are too long, nested too deep or broken. One pass over the bytes that there are, without recursion and
//! without a copy. It never guesses: an id inside of something is not the message's own.

use rmcp::model::NumberOrString;
use serde_json::{Map, Value};

use crate::limits::{LINE_TAIL_BYTES, REQUEST_ID_BYTES_MAX};

/// What is known of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    /// Its id; none where it has none, or where it stands in what there is no more of.
    pub(crate) id: Option<NumberOrString>,
    /// Whether it has what only a request or a notice has.
    pub(crate) asks: bool,
    /// Whether it has what only an answer has.
    pub(crate) answers: bool,
}

impl Outline {
    /// Reads the head of a message, or all of it, and its end.
    pub(crate) fn read(head: &[u8], tail: &[u8]) -> Self {
        let mut outline = Self::default();
        outline.read_head(head);
        let tail = tail.get(tail.len().saturating_sub(LINE_TAIL_BYTES)..).unwrap_or_default();
        outline.read_tail(tail);
        outline
    }

    fn read_head(&mut self, head: &[u8]) {
        let (mut at, mut depth) = (0_usize, 0_usize);
        while let Some(byte) = head.get(at) {
            at += 1;
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                b'"' => {
                    let Some(length) = text_length(head.get(at..).unwrap_or_default()) else {
                        return;
                    };
                    let text = head.get(at..at + length).unwrap_or_default();
                    at += length + 1;
                    let rest = head.get(at..).unwrap_or_default().trim_ascii_start();
                    if let Some(value) = rest.strip_prefix(b":").filter(|_| depth == 1) {
                        self.note(text, || read_id(value.trim_ascii_start()));
                    }
                }
                _ => {}
            }
        }
    }

    /// Some programs write the id behind everything else. What ends together with the message and is read as an object when one is
    /// opened before it, is the end of the outermost one.
    fn read_tail(&mut self, tail: &[u8]) {
        let text = String::from_utf8_lossy(tail);
        let text = text.trim_end();
        let begins = text
            .match_indices('"')
            .filter(|(at, _)| text.get(..*at).unwrap_or_default().trim_end().ends_with([',', '{']));
        let read = |(at, _): (usize, &str)| {
            let members = format!("{{{}", text.get(at..)?);
            serde_json::from_str::<Map<String, Value>>(&members).ok()
        };
        for (key, value) in { begins }.find_map(read).into_iter().flatten() {
            self.note(key.as_bytes(), || serde_json::from_value(value).ok());
        }
    }

    fn note(&mut self, key: &[u8], id: impl FnOnce() -> Option<NumberOrString>) {
        match key {
            b"id" if self.id.is_none() => self.id = id(),
            b"method" | b"params" => self.asks = true,
            b"result" | b"error" => self.answers = true,
            _ => {}
        }
    }
}

/// How long a text is whose opening mark was read; none where its end is missing.
fn text_length(bytes: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    bytes.iter().position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    })
}

/// The id that a value begins with; none where it may go on behind what there is of it.
fn read_id(value: &[u8]) -> Option<NumberOrString> {
    let value = value.get(..REQUEST_ID_BYTES_MAX.min(value.len()))?;
    let mut values = serde_json::Deserializer::from_slice(value).into_iter::<NumberOrString>();
    let id = values.next()?.ok()?;
    (values.byte_offset() < value.len()).then_some(id)
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;

    use super::Outline;

    fn outline(message: &str) -> (Option<NumberOrString>, bool, bool) {
        let Outline { id, asks, answers } = Outline::read(message.as_bytes(), message.as_bytes());
        (id, asks, answers)
    }

    const SEVEN: Option<NumberOrString> = Some(NumberOrString::Number(7));

    #[test]
    fn what_a_message_is_stands_in_its_outermost_object() {
        let text = Some(NumberOrString::String("a\"}".into()));
        let cases = [
            (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"id":8}}"#, SEVEN, true, false),
            (r#" { "id" : "a\"}" , "params" : [ "#, text, true, false),
            (r#"{"id":7,"result":{"method":"x","content":["#, SEVEN, false, true),
            (r#"{"params":{"id":8,"method":"y"},"method":"x"}"#, None, true, false),
            (r#"{"params":{"t":"\",\"id\":8}"}"#, None, true, false),
            (r#"{"method":"x","id":12"#, None, true, false),
            (r#"{"method":"x","id":[1]}"#, None, true, false),
            (r#"{"level":"info","message":"method"}"#, None, false, false),
            ("{time=12, level=\"info\"}", None, false, false),
            ("", None, false, false),
        ];
        for (message, id, asks, answers) in cases {
            assert_eq!(outline(message), (id, asks, answers), "{message}");
        }
    }

    #[test]
    fn an_id_behind_everything_else_is_read_from_the_end_where_it_is_the_messages_own() {
        let head = br#"{"params":{"text":"xxxxx"#;
        let read = |tail: &str| Outline::read(head, tail.as_bytes()).id;
        assert_eq!(read(r#"xx","n":[1,{"id":9}]},"id":7,"method":"x"}"#), SEVEN);
        assert_eq!(read("xx\"} , \"id\" : 7 }\r"), SEVEN);
        for nested in [
            r#"xx","id":7}}"#,
            r#"xx","n":{"id":7},"m":1}}"#,
            r#"xx \"id\":7}"#,
            r#""},"a\"id":7}"#,
            r#"xx"},"id":7"#,
        ] {
            assert_eq!(read(nested), None, "{nested}");
        }
    }

    #[test]
    fn no_depth_and_no_length_of_a_name_is_too_much() {
        let deep = format!(r#"{{"id":7,"params":{},"method":"x"}}"#, "[".repeat(1_000_000));
        assert_eq!(outline(&deep), (SEVEN, true, false));
        let long = format!(r#"{{"method":"x","id":"{}"}}"#, "x".repeat(10_000));
        assert_eq!(outline(&long).0, None);
    }
}
