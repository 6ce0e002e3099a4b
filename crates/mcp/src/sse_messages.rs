//! Messages out of an event stream: the text of an event is a line of a server like one of its pipe, bounded in the same way.
//!
//! The decoder of `abide-http` ends at an event that is too long. Here its head and its tail come out, so that the call that it
//! answers is not waited for in vain.

use std::time::Duration;

use crate::lines::{Line, LineSplitter};

/// Longest id of an event that is kept.
const EVENT_ID_BYTES_MAX: usize = 1024;

/// Where a stream stands: what it takes to read on where it was cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamPosition {
    /// The id of the last event.
    pub(crate) event_id: Option<String>,
    /// How long the server would have a reader wait before it reads on.
    pub(crate) retry: Option<Duration>,
}

/// Takes a stream of events apart.
#[derive(Debug, Default)]
pub(crate) struct SseMessages {
    lines: LineSplitter,
    /// The text of the event that is being received; none before its first line of text.
    text: Option<LineSplitter>,
    id: Option<String>,
    position: StreamPosition,
}

impl SseMessages {
    /// Reads on where a stream stood.
    pub(crate) fn after(position: StreamPosition) -> Self {
        Self { position, ..Self::default() }
    }

    /// Takes in the next bytes and appends the message of each finished event.
    pub(crate) fn push(&mut self, mut bytes: &[u8], messages: &mut Vec<Line>) {
        while !bytes.is_empty() {
            let (taken, line) = self.lines.feed(bytes);
            bytes = bytes.get(taken..).unwrap_or_default();
            if let Some(line) = line {
                messages.extend(self.take_line(line));
            }
        }
    }

    /// Where the stream stands.
    pub(crate) fn position(&self) -> &StreamPosition {
        &self.position
    }

    fn take_line(&mut self, line: Line) -> Option<Line> {
        let line = match line {
            Line::Whole(line) => line,
            Line::Long(mut long) => {
                // It has no other field that could be long, and stands for the whole event.
                let text = long.head.strip_prefix(b"data:")?;
                long.head = text.strip_prefix(b" ").unwrap_or(text).to_vec();
                self.text = None;
                return Some(Line::Long(long));
            }
        };
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if line.is_empty() {
            if self.id.is_some() {
                self.position.event_id = self.id.take();
            }
            // An event without text only says where the stream stands.
            return self.text.take().map(|mut text| text.finish()).filter(|text| !is_blank(text));
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match line.get(..colon).unwrap_or_default() {
            b"data" => self.add_text(value),
            b"id" => self.id = read_text(value, EVENT_ID_BYTES_MAX).filter(|id| !id.is_empty()),
            b"retry" => {
                let millis = read_text(value, 16).and_then(|text| text.parse().ok());
                self.position.retry = millis.map(Duration::from_millis).or(self.position.retry);
            }
            _ => {}
        }
        None
    }

    fn add_text(&mut self, value: &[u8]) {
        if let Some(text) = &mut self.text {
            text.add(b"\n");
            text.add(value);
        } else {
            self.text.insert(LineSplitter::default()).add(value);
        }
    }
}

fn is_blank(line: &Line) -> bool {
    matches!(line, Line::Whole(text) if text.trim_ascii().is_empty())
}

fn read_text(value: &[u8], bytes_max: usize) -> Option<String> {
    let text = std::str::from_utf8(value).ok()?;
    let is_plain = text.len() <= bytes_max && !text.chars().any(char::is_control);
    is_plain.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{SseMessages, StreamPosition};
    use crate::{
        limits::{LINE_BYTES_MAX, LINE_HEAD_BYTES},
        lines::Line,
    };

    fn read(stream: &[u8], size: usize) -> (Vec<Line>, StreamPosition) {
        let (mut reader, mut messages) = (SseMessages::default(), Vec::new());
        for piece in stream.chunks(size) {
            reader.push(piece, &mut messages);
        }
        (messages, reader.position().clone())
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[test]
    fn events_are_messages_however_they_are_cut() {
        let stream = b"\xef\xbb\xbfid: 1\r\nretry: 250\ndata:\n\n: alive\n\nevent: message\nid: 2\ndata: {\"a\":\ndata: 1}\r\n\r\n\
            data:{}\n\nid: 3\ndata: {\"unfinished\":1}\n";
        for size in [1, 7, 4096] {
            let (messages, position) = read(stream, size);
            assert_eq!(messages, [whole("{\"a\":\n1}"), whole("{}")]);
            assert_eq!(position.event_id.as_deref(), Some("2"), "the third is not whole");
            assert_eq!(position.retry, Some(Duration::from_millis(250)));
        }
    }

    #[test]
    fn of_an_event_that_is_too_long_head_and_tail_come_out() {
        let long = "x".repeat(LINE_BYTES_MAX + 1);
        let in_one_line = format!("data: HEAD{long}TAIL\n\ndata: next\n\n");
        let half = "x".repeat(LINE_BYTES_MAX / 2 + 1);
        let in_two_lines = format!("data: HEAD{half}\ndata: {half}TAIL\n\ndata: next\n\n");
        for stream in [in_one_line, in_two_lines] {
            let (messages, _) = read(stream.as_bytes(), 65_536);
            let [Line::Long(cut), next] = &messages[..] else { panic!("{}", messages.len()) };
            assert!(cut.head.starts_with(b"HEADx") && cut.tail.ends_with(b"xTAIL"));
            assert!(cut.head.len() <= LINE_HEAD_BYTES && cut.bytes > LINE_BYTES_MAX);
            assert_eq!(*next, whole("next"));
        }
    }
}
