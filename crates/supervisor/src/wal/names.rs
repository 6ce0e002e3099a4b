//! The names of the files in an agent's WAL folder.
//!
//! `000000000001.wal` is a segment. `000000000001-<offset>.torn` holds bytes that were no record, and
//! `000000000001.entries` entries that do not count any more, named after the segment that begins without them.

/// What the name of a set-aside file ends in.
const ASIDE: [&str; 2] = [".torn", ".entries"];

/// The file of a segment.
pub(super) fn segment(number: u64) -> String {
    format!("{number:012}.wal")
}

/// The file for bytes of a segment that are no record.
pub(super) fn torn(segment: u64, offset: u64) -> String {
    format!("{segment:012}-{offset:012}.torn")
}

/// The file for entries that do not count any more.
pub(super) fn entries(segment: u64) -> String {
    format!("{segment:012}.entries")
}

/// Reads the number of a segment's file, in the one spelling that is written. Order comes from it, never from the text.
pub(super) fn parse_segment(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".wal")?;
    let number = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
    number.filter(|number| segment(*number) == name)
}

/// Whether a file was set aside.
pub(super) fn is_aside(name: &str) -> bool {
    ASIDE.iter().any(|suffix| name.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::{entries, is_aside, parse_segment, segment, torn};

    #[test]
    fn segments_are_ordered_by_number_also_where_their_names_outgrow_the_padding() {
        let numbers = [2, 10, 999_999_999_999, 1_000_000_000_000, 10_000_000_000_000];
        let mut names: Vec<_> = numbers.iter().map(|number| segment(*number)).collect();
        names.sort_unstable();
        let mut read: Vec<_> = names.iter().filter_map(|name| parse_segment(name)).collect();
        assert_ne!(read, numbers, "sorted as text they would be out of order");
        read.sort_unstable();
        assert_eq!(read, numbers);
        for name in ["2.wal", "00000000000a.wal", ".wal", "000000000002.wal.tmp"] {
            assert_eq!(parse_segment(name), None, "{name}");
        }
        assert!(is_aside(&torn(1, 2)) && is_aside(&entries(1)) && !is_aside(&segment(1)));
    }
}
