//! Bytes into lines that can be shown: whole, cut where they are too long, without control characters.
//!
//! Pure. It never holds more than one line of the largest size.

/// Bytes of a line that are kept.
pub(super) const LINE_BYTES_MAX: usize = 4096;
/// Stands behind a line that was longer.
const CUT: &str = " … (cut)";

/// Cuts a stream into lines.
#[derive(Debug, Default)]
pub(super) struct LineCutter {
    held: Vec<u8>,
    /// The rest of a line that was already given is skipped.
    skips: bool,
}

impl LineCutter {
    /// Gives each line that `bytes` complete. A carriage return ends a line too, so that a progress bar is many.
    pub(super) fn feed(&mut self, bytes: &[u8], mut each: impl FnMut(String)) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr2(b'\n', b'\r', rest) {
            let (line, behind) = rest.split_at(end);
            self.hold(line, &mut each);
            self.complete(&mut each);
            rest = behind.get(1..).unwrap_or_default();
        }
        self.hold(rest, &mut each);
    }

    /// Gives what stands behind the last end of a line.
    pub(super) fn finish(mut self, mut each: impl FnMut(String)) {
        self.complete(&mut each);
    }

    fn hold(&mut self, bytes: &[u8], each: &mut impl FnMut(String)) {
        if self.skips {
            return;
        }
        let room = LINE_BYTES_MAX - self.held.len();
        self.held.extend(bytes.iter().take(room));
        if bytes.len() > room {
            // Said now, not when it ends: it may never.
            let text = shown(&self.held);
            each(format!("{}{CUT}", text.trim_end_matches('\u{fffd}')));
            self.held.clear();
            self.skips = true;
        }
    }

    fn complete(&mut self, each: &mut impl FnMut(String)) {
        if !self.held.is_empty() {
            each(shown(&self.held));
        }
        self.held.clear();
        self.skips = false;
    }
}

/// Text for a log: what is no text becomes U+FFFD, a control character its escape.
fn shown(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for c in String::from_utf8_lossy(bytes).chars() {
        if c.is_control() && c != '\t' {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{CUT, LINE_BYTES_MAX, LineCutter};

    fn cut(chunks: &[&[u8]]) -> Vec<String> {
        let mut lines = Vec::new();
        let mut cutter = LineCutter::default();
        for chunk in chunks {
            cutter.feed(chunk, |line| lines.push(line));
        }
        cutter.finish(|line| lines.push(line));
        lines
    }

    #[test]
    fn lines_come_whole_without_their_ends_and_without_empty_ones() {
        assert_eq!(
            cut(&[b"one\ntw", b"o\r\n", b"\n10%\r20%\rlast"]),
            ["one", "two", "10%", "20%", "last"]
        );
    }

    #[test]
    fn a_line_cannot_command_a_terminal() {
        assert_eq!(cut(&[b"\x1b[2Jgone\xff\ttab\n"]), ["\\u{1b}[2Jgone\u{fffd}\ttab"]);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let long = "é".repeat(LINE_BYTES_MAX);
        let lines = cut(&[b"x", long.as_bytes(), b"rest\nnext\n"]);
        assert_eq!(lines.len(), 2);
        assert!(lines[0].ends_with(&format!("é{CUT}")));
        assert_eq!(lines[1], "next");
    }

    #[test]
    fn a_line_of_exactly_the_largest_size_is_whole() {
        let line = "y".repeat(LINE_BYTES_MAX);
        assert_eq!(cut(&[line.as_bytes(), b"\n"]), [line]);
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_how_the_bytes_come(
            bytes in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'a'), any::<u8>()], 0..600),
            size in 1_usize..50,
        ) {
            let chunks: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(cut(&chunks), cut(&[&bytes]));
        }
    }
}
