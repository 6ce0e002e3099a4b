//! Server-sent events, as the HTML standard reads them, however the bytes are cut, within bounds.
//!
//! One deviation: complete lines at the end of the stream that no blank line follows are an event as well, because
//! some servers forget the last blank line.

use crate::{
    Error,
    lines::{LineDecoder, LineEnds},
};

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// Its name; empty where the stream gives none.
    pub event: String,
    /// Its text, lines joined by `\n`.
    pub data: String,
    /// The id that the stream had reached; empty where it gives none.
    pub id: String,
}

/// An incremental decoder: any cutting of the bytes gives the same events.
#[derive(Debug)]
pub struct SseDecoder {
    lines: LineDecoder,
    partial: PartialEvent,
}

/// The event whose lines are being received.
#[derive(Debug)]
struct PartialEvent {
    bytes_max: usize,
    has_begun: bool,
    event: String,
    data: Option<String>,
    id: String,
}

impl SseDecoder {
    /// A decoder for events of at most `event_bytes_max` bytes of data.
    pub fn new(event_bytes_max: usize) -> Self {
        Self {
            lines: LineDecoder::new(LineEnds::Any, event_bytes_max),
            partial: PartialEvent {
                bytes_max: event_bytes_max,
                has_begun: false,
                event: String::new(),
                data: None,
                id: String::new(),
            },
        }
    }

    /// Takes in the next bytes and appends each finished event. Events before an error are appended.
    pub fn push(&mut self, bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), Error> {
        let partial = &mut self.partial;
        self.lines.push(bytes, &mut |line| {
            events.extend(partial.line(line)?);
            Ok(())
        })
    }

    /// Ends the stream: the event of its last complete lines, if they are one. An unfinished line is dropped.
    pub fn finish(mut self) -> Option<SseEvent> {
        self.partial.dispatch()
    }
}

impl PartialEvent {
    fn line(&mut self, line: &[u8]) -> Result<Option<SseEvent>, Error> {
        let line =
            if self.has_begun { line } else { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) };
        self.has_begun = true;
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        let (field, value) = match line.iter().position(|&byte| byte == b':') {
            Some(colon) => {
                let (field, value) = line.split_at(colon);
                let value = value.get(1..).unwrap_or_default();
                (field, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &[] as &[u8]),
        };
        let value = String::from_utf8_lossy(value);
        match field {
            b"event" => self.event = value.into_owned(),
            b"id" if !value.contains('\0') => self.id = value.into_owned(),
            b"data" => self.add_data(&value)?,
            // Comments (no field before the colon), `retry`, and what a later standard may add.
            _ => {}
        }
        Ok(None)
    }

    fn add_data(&mut self, value: &str) -> Result<(), Error> {
        let length = self.data.as_ref().map_or(0, |data| data.len().saturating_add(1));
        if length.saturating_add(value.len()) > self.bytes_max {
            return Err(Error::FrameTooLong { bytes_max: self.bytes_max });
        }
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None => self.data = Some(value.to_owned()),
        }
        Ok(())
    }

    fn dispatch(&mut self) -> Option<SseEvent> {
        let event = std::mem::take(&mut self.event);
        let data = self.data.take()?;
        Some(SseEvent { event, data, id: self.id.clone() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{SseDecoder, SseEvent};

    fn decode(pieces: &[&[u8]], bytes_max: usize) -> (Vec<SseEvent>, bool) {
        let mut decoder = SseDecoder::new(bytes_max);
        let mut events = Vec::new();
        for piece in pieces {
            if decoder.push(piece, &mut events).is_err() {
                return (events, false);
            }
        }
        events.extend(decoder.finish());
        (events, true)
    }

    fn event(event: &str, data: &str, id: &str) -> SseEvent {
        SseEvent { event: event.into(), data: data.into(), id: id.into() }
    }

    #[test]
    fn events_are_read_as_the_standard_reads_them() {
        let cases: [(&str, Vec<SseEvent>); 9] = [
            ("data: a\n\ndata:b\n\n", vec![event("", "a", ""), event("", "b", "")]),
            ("event: ping\r\ndata: 1\r\ndata: 2\r\n\r\n", vec![event("ping", "1\n2", "")]),
            ("data: a\rdata: b\r\r", vec![event("", "a\nb", "")]),
            (": comment\n\ndata\n\n", vec![event("", "", "")]),
            ("id: 7\ndata: x\n\ndata: y\n\n", vec![event("", "x", "7"), event("", "y", "7")]),
            ("event: lost\n\ndata: x\n\n", vec![event("", "x", "")]),
            ("\u{feff}data:  two spaces\n\n", vec![event("", " two spaces", "")]),
            ("data: no blank line\n", vec![event("", "no blank line", "")]),
            ("data: whole\n\ndata: unfinished", vec![event("", "whole", "")]),
        ];
        for (text, expected) in cases {
            assert_eq!(decode(&[text.as_bytes()], 64), (expected, true), "{text:?}");
        }
    }

    #[test]
    fn an_event_over_the_bound_is_an_error_after_the_events_before_it() {
        let first = vec![event("", "a", "")];
        assert_eq!(decode(&[b"data: a\n\ndata: 123\ndata: 456\ndata: 789\n\n"], 9), (first, false));
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same_events(
            parts in proptest::collection::vec(
                prop_oneof![
                    Just("data: é€😀".as_bytes().to_vec()), Just(b"\n".to_vec()), Just(b"\r".to_vec()),
                    Just(b"\r\n\r\n".to_vec()), Just(b"event:x".to_vec()), Just(b"id: 1".to_vec()),
                    proptest::collection::vec(any::<u8>(), 0..6),
                ],
                0..24,
            ),
            size in 1_usize..9,
        ) {
            let bytes = parts.concat();
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(decode(&pieces, 48), decode(&[&bytes], 48));
        }
    }
}
