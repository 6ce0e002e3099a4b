//! Lines that cannot be read, as they are reported to a reader.

use std::fmt;

/// Most lines that are named; all are counted.
pub const CORRUPT_LINES_MAX: usize = 16;

/// Why a line is not an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogLineError {
    /// It is not UTF-8.
    #[error("it is not UTF-8")]
    Utf8,
    /// It is not JSON, or a field is missing or malformed.
    #[error("it is not an entry: {0}")]
    Form(String),
    /// It belongs to another entity.
    #[error("it belongs to another entity, {0}")]
    Entity(String),
    /// It is longer than any line of ours.
    #[error("it is longer than any entry can be")]
    TooLong,
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {why}")]
pub struct CorruptLineError {
    /// Where it begins in the entity's file.
    pub offset: u64,
    /// Why it cannot be read.
    pub why: LogLineError,
}

/// The lines that a read came upon and could not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CorruptLines {
    /// At most [`CORRUPT_LINES_MAX`] of them, in the order of the file.
    pub lines: Vec<CorruptLineError>,
    /// How many there are.
    pub total: u64,
}

impl CorruptLines {
    /// Whether every line could be read.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The lines of a read, in any order.
    pub(super) fn of(mut lines: Vec<CorruptLineError>, total: u64) -> Self {
        lines.sort_by_key(|line| line.offset);
        lines.truncate(CORRUPT_LINES_MAX);
        Self { lines, total }
    }
}

impl fmt::Display for CorruptLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.total == 1 { "line" } else { "lines" };
        write!(f, "{} {noun} of the log cannot be read", self.total)?;
        for (index, line) in self.lines.iter().enumerate() {
            write!(f, "{}{line}", if index == 0 { ": " } else { "; " })?;
        }
        let unnamed = self.total.saturating_sub(self.lines.len() as u64);
        if unnamed > 0 { write!(f, "; and {unnamed} more") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{CORRUPT_LINES_MAX, CorruptLineError, CorruptLines, LogLineError};

    fn corrupt(total: u64) -> CorruptLines {
        let lines =
            (0..total).rev().map(|offset| CorruptLineError { offset, why: LogLineError::Utf8 });
        CorruptLines::of(lines.collect(), total)
    }

    #[test]
    fn all_are_counted_and_some_are_named() {
        assert_eq!(
            corrupt(1).to_string(),
            "1 line of the log cannot be read: byte 0: it is not UTF-8"
        );
        assert_eq!(corrupt(100).lines.len(), CORRUPT_LINES_MAX);
        assert!(corrupt(100).to_string().ends_with("; and 84 more"));
        assert!(corrupt(0).is_empty());
    }
}
