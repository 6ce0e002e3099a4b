//! Finds the lines in a stream of bytes. Holds at most one line that is not complete, and forgets one that is too long.

use crate::irc::limits::{REST_BYTES_MAX, TAGS_BYTES_MAX};

/// Longest line with tags and line end, in bytes.
const LINE_BYTES_MAX: usize = TAGS_BYTES_MAX + REST_BYTES_MAX;

/// What was found in a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SplitLine {
    /// A line without its line end. Never empty.
    Line(Vec<u8>),
    /// A line that was longer than any may be. It is gone.
    Overlong,
}

/// Finds lines. A line ends with LF; a CR before it belongs to the end.
#[derive(Debug, Default)]
pub struct LineSplitter {
    held: Vec<u8>,
    is_skipping: bool,
}

impl LineSplitter {
    /// Takes a piece of the stream and gives the lines that it completes.
    pub fn feed(&mut self, piece: &[u8]) -> Vec<SplitLine> {
        let mut taken = Vec::new();
        let mut parts = piece.split(|b| *b == b'\n').peekable();
        while let Some(part) = parts.next() {
            self.hold(part, &mut taken);
            if parts.peek().is_some() {
                self.end(&mut taken);
            }
        }
        taken
    }

    /// Bytes of a line that is not complete.
    pub fn held_bytes(&self) -> usize {
        self.held.len()
    }

    fn hold(&mut self, part: &[u8], taken: &mut Vec<SplitLine>) {
        if self.is_skipping {
            return;
        }
        if self.held.len().saturating_add(part.len()) > LINE_BYTES_MAX {
            self.is_skipping = true;
            self.held = Vec::new();
            taken.push(SplitLine::Overlong);
            return;
        }
        self.held.extend_from_slice(part);
    }

    fn end(&mut self, taken: &mut Vec<SplitLine>) {
        let mut line = std::mem::take(&mut self.held);
        if std::mem::take(&mut self.is_skipping) {
            return;
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if !line.is_empty() {
            taken.push(SplitLine::Line(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{LINE_BYTES_MAX, LineSplitter, SplitLine};

    fn line(text: &str) -> SplitLine {
        SplitLine::Line(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_are_found_wherever_the_stream_is_cut() {
        let mut splitter = LineSplitter::default();
        assert_eq!(splitter.feed(b"NICK a\r\nUS"), [line("NICK a")]);
        assert_eq!(splitter.feed(b"ER b\r"), []);
        assert_eq!(splitter.feed(b"\n\r\n\nPING\n"), [line("USER b"), line("PING")]);
    }

    #[test]
    fn an_endless_line_is_said_once_and_not_held() {
        let mut splitter = LineSplitter::default();
        let mut taken = Vec::new();
        for _ in 0..100 {
            taken.extend(splitter.feed(&[b'x'; 4096]));
            assert!(splitter.held_bytes() <= LINE_BYTES_MAX);
        }
        taken.extend(splitter.feed(b"\nPING\n"));
        assert_eq!(taken, [SplitLine::Overlong, line("PING")]);
    }

    proptest! {
        #[test]
        fn the_cut_makes_no_difference(bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200), size in 1_usize..20) {
            let whole = LineSplitter::default().feed(&bytes);
            let mut splitter = LineSplitter::default();
            let pieces: Vec<_> = bytes.chunks(size).flat_map(|piece| splitter.feed(piece)).collect();
            prop_assert_eq!(pieces, whole);
        }
    }
}
