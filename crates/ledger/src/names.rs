//! The names of the files in a ledger's folder.
//!
//! `0000000001.jsonl` is a segment. Beside it `.side.json` (where it stood) and `.index` are caches, and
//! `.<offset>.<crc>.torn` holds bytes that were never acknowledged.

/// The file of a segment.
pub(crate) fn segment(number: u64) -> String {
    format!("{number:010}.jsonl")
}

/// The side file of a segment.
pub(crate) fn side(number: u64) -> String {
    format!("{number:010}.side.json")
}

/// The index file of a segment.
pub(crate) fn index(number: u64) -> String {
    format!("{number:010}.index")
}

/// The file for a torn tail. The same bytes at the same place have the same name, so setting them aside twice is once.
pub(crate) fn torn(number: u64, offset: u64, bytes: &[u8]) -> String {
    format!("{number:010}.{offset}.{:08x}.torn", crc32c::crc32c(bytes))
}

/// Reads the number of a segment's file.
pub(crate) fn parse_segment(name: &str) -> Option<u64> {
    parse(name, ".jsonl")
}

/// Reads the number of a side file.
pub(crate) fn parse_side(name: &str) -> Option<u64> {
    parse(name, ".side.json")
}

/// Reads the segment, the offset and the name's length in bytes of a torn tail's file.
pub(crate) fn parse_torn(name: &str) -> Option<(u64, u64)> {
    let (number, rest) = name.strip_suffix(".torn")?.split_once('.')?;
    let (offset, _) = rest.split_once('.')?;
    Some((number.parse().ok()?, offset.parse().ok()?))
}

fn parse(name: &str, suffix: &str) -> Option<u64> {
    let digits = name.strip_suffix(suffix)?;
    let fits = digits.len() >= 10 && digits.bytes().all(|b| b.is_ascii_digit());
    fits.then(|| digits.parse().ok()).flatten().filter(|number| parse_matches(*number, digits))
}

/// Only the one spelling that is written counts: `00000000001` would be a second file for the same number.
fn parse_matches(number: u64, digits: &str) -> bool {
    number > 0 && format!("{number:010}") == digits
}

#[cfg(test)]
mod tests {
    use super::{parse_segment, parse_torn, segment, torn};

    #[test]
    fn names_read_back_and_only_in_their_one_spelling() {
        for number in [1, 42, 9_999_999_999, 10_000_000_000] {
            assert_eq!(parse_segment(&segment(number)), Some(number));
        }
        for name in ["1.jsonl", "00000000001.jsonl", "0000000000.jsonl", "000000000a.jsonl", "x"] {
            assert_eq!(parse_segment(name), None, "{name}");
        }
        assert_eq!(parse_torn(&torn(3, 4711, b"{")), Some((3, 4711)));
    }
}
