//! Lines out of a stream of bytes, without ever holding more than one line of the longest kind.
//!
//! A longer line is not lost: its head and its tail come out, so that the call that it answers ends and is not waited for in vain.

use crate::limits::{LINE_BYTES_MAX, LINE_HEAD_BYTES, LINE_TAIL_BYTES};

/// A line of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A whole one, without its end.
    Whole(Vec<u8>),
    /// One that is too long to be held.
    Long(LongLine),
}

/// What is kept of a line that is too long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LongLine {
    /// Its first bytes.
    pub(crate) head: Vec<u8>,
    /// Its last bytes.
    pub(crate) tail: Vec<u8>,
    /// How many it had.
    pub(crate) bytes: usize,
}

/// Splits what it is fed.
#[derive(Debug, Default)]
pub(crate) struct LineSplitter {
    buffer: Vec<u8>,
    long: Option<LongLine>,
}

impl LineSplitter {
    /// Takes bytes up to the first end of a line; returns how many it took, and the line where it ended.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> (usize, Option<Line>) {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        self.add(part);
        match end {
            None => (bytes.len(), None),
            Some(end) => (end + 1, Some(self.finish())),
        }
    }

    /// Takes bytes of the line that is being received, ends of lines among them.
    pub(crate) fn add(&mut self, part: &[u8]) {
        if let Some(long) = &mut self.long {
            long.bytes += part.len();
            keep_tail(&mut long.tail, part);
            return;
        }
        self.buffer.extend_from_slice(part);
        if self.buffer.len() > LINE_BYTES_MAX {
            let whole = std::mem::take(&mut self.buffer);
            let head = whole.get(..LINE_HEAD_BYTES).unwrap_or_default().to_vec();
            let mut long = LongLine { head, tail: Vec::new(), bytes: whole.len() };
            keep_tail(&mut long.tail, &whole);
            self.long = Some(long);
        }
    }

    /// Ends the line.
    pub(crate) fn finish(&mut self) -> Line {
        match self.long.take() {
            Some(long) => Line::Long(long),
            None => Line::Whole(std::mem::take(&mut self.buffer)),
        }
    }
}

fn keep_tail(tail: &mut Vec<u8>, part: &[u8]) {
    let newest = part.get(part.len().saturating_sub(LINE_TAIL_BYTES)..).unwrap_or_default();
    tail.extend_from_slice(newest);
    let surplus = tail.len().saturating_sub(LINE_TAIL_BYTES);
    tail.drain(..surplus);
}

#[cfg(test)]
mod tests {
    use super::{Line, LineSplitter};
    use crate::limits::{LINE_BYTES_MAX, LINE_HEAD_BYTES, LINE_TAIL_BYTES};

    fn split(chunks: &[&[u8]]) -> Vec<Line> {
        let (mut splitter, mut lines) = (LineSplitter::default(), Vec::new());
        for chunk in chunks {
            let mut rest = *chunk;
            while !rest.is_empty() {
                let (taken, line) = splitter.feed(rest);
                lines.extend(line);
                rest = &rest[taken..];
            }
        }
        lines
    }

    #[test]
    fn lines_come_whole_however_they_are_cut() {
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        assert_eq!(
            split(&[b"a\nb", b"", b"c\n\nd"]),
            [whole("a"), whole("bc"), whole("")],
            "what has no end is no line"
        );
    }

    #[test]
    fn of_a_line_that_is_too_long_head_and_tail_come_out_and_the_next_is_whole() {
        let mut long = b"HEAD".to_vec();
        long.resize(LINE_BYTES_MAX + 10, b'x');
        long.extend_from_slice(b"TAIL\nnext\n");
        for size in [1_000, 65_536, long.len()] {
            let chunks: Vec<&[u8]> = long.chunks(size).collect();
            let lines = split(&chunks);
            let [Line::Long(cut), Line::Whole(next)] = &lines[..] else {
                panic!("{} lines", lines.len());
            };
            assert!(cut.head.starts_with(b"HEADx") && cut.tail.ends_with(b"xTAIL"));
            assert_eq!((cut.head.len(), cut.tail.len()), (LINE_HEAD_BYTES, LINE_TAIL_BYTES));
            assert_eq!(cut.bytes, LINE_BYTES_MAX + 14);
            assert_eq!(next, b"next");
        }
    }
}
