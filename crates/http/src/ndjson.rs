//! Newline-delimited JSON, line by line. It looks at line ends only; what a line holds is the caller's to read.

use crate::{
    Error,
    lines::{LineDecoder, LineEnds},
};

/// An incremental decoder: any cutting of the bytes gives the same lines.
#[derive(Debug)]
pub struct NdjsonDecoder {
    lines: LineDecoder,
}

impl NdjsonDecoder {
    /// A decoder for lines of at most `line_bytes_max` bytes.
    pub fn new(line_bytes_max: usize) -> Self {
        Self { lines: LineDecoder::new(LineEnds::Lf, line_bytes_max) }
    }

    /// Takes in the next bytes and appends each finished line that is not blank. Lines before an error are appended.
    pub fn push(&mut self, bytes: &[u8], lines: &mut Vec<String>) -> Result<(), Error> {
        self.lines.push(bytes, &mut |line| {
            lines.extend(text(line));
            Ok(())
        })
    }

    /// Ends the stream: what stands after the last line end, where that is not blank.
    pub fn finish(mut self) -> Option<String> {
        text(&self.lines.take_rest())
    }
}

fn text(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    (!text.trim().is_empty()).then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::NdjsonDecoder;

    fn decode(pieces: &[&[u8]]) -> (Vec<String>, bool) {
        let mut decoder = NdjsonDecoder::new(16);
        let mut lines = Vec::new();
        for piece in pieces {
            if decoder.push(piece, &mut lines).is_err() {
                return (lines, false);
            }
        }
        lines.extend(decoder.finish());
        (lines, true)
    }

    #[test]
    fn lines_come_whole_and_blank_ones_do_not_come() {
        let (lines, ok) = decode(&[b"{\"a\":1}\r\n\n  \n{\"b\":\r2}\nrest"]);
        assert_eq!(lines, ["{\"a\":1}", "{\"b\":\r2}", "rest"]);
        assert!(ok);
    }

    #[test]
    fn a_line_over_the_bound_is_an_error_after_the_lines_before_it() {
        assert_eq!(decode(&[b"ok\n0123456789abcdefg"]), (vec!["ok".into()], false));
        assert_eq!(decode(&[b"ok\n0123456789abcdefg\n"]), (vec!["ok".into()], false));
        assert_eq!(decode(&[b"0123456789abcdef\n"]).0.len(), 1, "the bound itself fits");
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same_lines(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..80),
            size in 1_usize..9,
        ) {
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(decode(&pieces), decode(&[&bytes]));
        }
    }
}
