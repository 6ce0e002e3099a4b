//! The names of the files in an agent's checkpoint folder.
//!
//! `000000000007.ckpt` is a checkpoint; higher numbers are newer, whatever the clock says. `.tmp` after it marks one that
//! is being written, `.aside` one that does not count any more.

const SUFFIX: &str = ".ckpt";
const ASIDE: &str = ".aside";
const TEMPORARY: &str = ".tmp";

/// The file of a checkpoint.
pub(super) fn checkpoint(number: u64) -> String {
    format!("{number:012}{SUFFIX}")
}

/// The file of one that is being written.
pub(super) fn temporary(number: u64) -> String {
    checkpoint(number) + TEMPORARY
}

/// The file of one that does not count any more.
pub(super) fn aside(number: u64) -> String {
    checkpoint(number) + ASIDE
}

/// Reads the number of a checkpoint's file, in the one spelling that is written.
pub(super) fn parse(name: &str) -> Option<u64> {
    let number = name.strip_suffix(SUFFIX)?.parse().ok()?;
    (checkpoint(number) == name).then_some(number)
}

/// Reads the number of a checkpoint's file, set aside or unfinished ones among them.
pub(super) fn number_of_any(name: &str) -> Option<u64> {
    let bare = name.strip_suffix(ASIDE).or_else(|| name.strip_suffix(TEMPORARY)).unwrap_or(name);
    parse(bare)
}

/// Whether a file was set aside.
pub(super) fn is_aside(name: &str) -> bool {
    name.strip_suffix(ASIDE).is_some_and(|bare| parse(bare).is_some())
}

/// Whether a file is what an interrupted write left.
pub(super) fn is_temporary(name: &str) -> bool {
    name.strip_suffix(TEMPORARY).is_some_and(|bare| parse(bare).is_some())
}

#[cfg(test)]
mod tests {
    use super::{aside, checkpoint, is_aside, is_temporary, number_of_any, parse, temporary};

    #[test]
    fn names_read_back() {
        assert_eq!(parse(&checkpoint(7)), Some(7));
        for name in ["7.ckpt", &aside(7), &temporary(7), "x.ckpt", "-00000000007.ckpt"] {
            assert_eq!(parse(name), None, "{name}");
        }
        assert_eq!([aside(7), temporary(8)].map(|n| number_of_any(&n)), [Some(7), Some(8)]);
        assert!(is_aside(&aside(7)) && is_temporary(&temporary(7)) && !is_aside("x.aside"));
    }
}
