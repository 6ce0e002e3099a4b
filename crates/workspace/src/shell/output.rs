//! What a program writes, kept in bounded memory: the first bytes, the last ones, and how many there were.

use std::collections::VecDeque;

use serde_json::{Value, json};

/// Bytes that are kept of the beginning.
const HEAD_BYTES_MAX: usize = 12 * 1024;
/// Bytes that are kept of the end.
const TAIL_BYTES_MAX: usize = 12 * 1024;

/// The beginning and the end of an output of any length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapturedOutput {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    bytes: u64,
}

impl CapturedOutput {
    /// Takes more of it in.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        let room = HEAD_BYTES_MAX.saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        let rest = rest.get(rest.len().saturating_sub(TAIL_BYTES_MAX)..).unwrap_or_default();
        let over = (self.tail.len() + rest.len()).saturating_sub(TAIL_BYTES_MAX);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// How many bytes there were in all.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Its text, with a line in the place of what was left out; bytes that are no UTF-8 are replaced.
    pub fn to_text(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let kept = u64::try_from(self.head.len() + tail.len()).unwrap_or(u64::MAX);
        let left_out = self.bytes.saturating_sub(kept);
        if left_out == 0 {
            return String::from_utf8_lossy(&[self.head.as_slice(), &tail].concat()).into_owned();
        }
        let (head, tail) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&tail));
        format!("{head}\n[… {left_out} bytes left out …]\n{tail}")
    }

    /// For the mind: the text, and the length where not all of it stands there.
    pub(super) fn to_json(&self) -> Value {
        json!({"text": self.to_text(), "bytes": self.bytes})
    }
}

#[cfg(test)]
mod tests {
    use super::{CapturedOutput, HEAD_BYTES_MAX, TAIL_BYTES_MAX};

    #[test]
    fn hb_33_an_endless_output_keeps_its_beginning_its_end_and_its_length_in_the_same_memory() {
        let mut all = CapturedOutput::default();
        let mut sent = Vec::new();
        for size in [1, 7, 4_096, 30_000, 3, 65_536, 100] {
            let bytes: Vec<u8> = (b'a'..=b'w').cycle().take(size).collect();
            all.push(&bytes);
            sent.extend(bytes);
        }
        assert_eq!(all.bytes(), sent.len() as u64);
        let text = all.to_text();
        let kept = HEAD_BYTES_MAX + TAIL_BYTES_MAX;
        assert!(text.as_bytes().starts_with(&sent[..HEAD_BYTES_MAX]));
        assert!(text.as_bytes().ends_with(&sent[sent.len() - TAIL_BYTES_MAX..]));
        assert!(
            text.contains(&format!("{} bytes left out", sent.len() - kept))
                && text.len() < kept + 100
        );
    }

    #[test]
    fn an_output_that_fits_is_whole_also_where_the_two_parts_meet() {
        let mut all = CapturedOutput::default();
        let text = "é".repeat(usize::midpoint(HEAD_BYTES_MAX, TAIL_BYTES_MAX));
        text.as_bytes().chunks(1_001).for_each(|chunk| all.push(chunk));
        assert_eq!(all.to_text(), text);
    }
}
