//! Server-sent events, as the command line reads them: bytes in, events out. Bounded.

use std::collections::VecDeque;

use http_body_util::BodyExt as _;
use serde_json::Value;

use super::client::EventBody;

/// An event never has more bytes than this; a longer one ends the stream.
const EVENT_BYTES_MAX: usize = 16 * 1024 * 1024;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StreamEvent {
    /// Its id; none for what is not in the ledger.
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) data: Value,
}

/// Reads events from a body.
#[derive(Debug)]
pub(crate) struct EventStream {
    source: EventBody,
    parser: Parser,
    ready: VecDeque<StreamEvent>,
}

impl EventStream {
    pub(crate) fn new(source: EventBody) -> Self {
        Self { source, parser: Parser::default(), ready: VecDeque::new() }
    }

    /// The next event; none when the stream ended. Safe to cancel.
    pub(crate) async fn next(&mut self) -> Option<StreamEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let frame = self.source.body.frame().await?.ok()?;
            if let Some(bytes) = frame.data_ref() {
                self.parser.push(bytes, &mut self.ready)?;
            }
        }
    }
}

#[derive(Debug, Default)]
struct Parser {
    line: Vec<u8>,
    id: Option<String>,
    name: String,
    data: String,
}

impl Parser {
    /// Parses further bytes; none where an event is too long.
    fn push(&mut self, bytes: &[u8], ready: &mut VecDeque<StreamEvent>) -> Option<()> {
        for &byte in bytes {
            if byte == b'\n' {
                let line = std::mem::take(&mut self.line);
                self.end_line(String::from_utf8_lossy(&line).trim_end_matches('\r'), ready);
            } else {
                self.line.push(byte);
            }
        }
        (self.line.len() + self.data.len() <= EVENT_BYTES_MAX).then_some(())
    }

    fn end_line(&mut self, line: &str, ready: &mut VecDeque<StreamEvent>) {
        if line.is_empty() {
            let Self { id, name, data, .. } = std::mem::take(self);
            if !data.is_empty() {
                let data = serde_json::from_str(&data).unwrap_or(Value::Null);
                ready.push_back(StreamEvent { id, name, data });
            }
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.id = Some(value.into()),
            "event" => self.name = value.into(),
            "data" => self.data.push_str(value),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use serde_json::json;

    use super::{Parser, StreamEvent};

    #[test]
    fn events_are_read_in_chunks_of_any_size() {
        let text = ": hello\n\nretry: 2000\n\nid: 7\nevent: epoch.opened\ndata: {\"seq\":7}\n\nevent:turn.delta\r\ndata:{}\r\n\r\n";
        let expected = vec![
            StreamEvent {
                id: Some("7".into()),
                name: "epoch.opened".into(),
                data: json!({"seq": 7}),
            },
            StreamEvent { id: None, name: "turn.delta".into(), data: json!({}) },
        ];
        for size in [1, 2, 3, 7, text.len()] {
            let (mut parser, mut ready) = (Parser::default(), VecDeque::new());
            for chunk in text.as_bytes().chunks(size) {
                parser.push(chunk, &mut ready).unwrap();
            }
            assert_eq!(Vec::from(ready), expected, "{size} bytes at a time");
        }
    }
}
