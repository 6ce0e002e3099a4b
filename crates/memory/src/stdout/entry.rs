//! One entry, and its line in the form of the specification.
//!
//! A line that this program wrote is read by looking at its ends; any other spelling of the same JSON is read by the
//! general parser, so that a file by another hand is read too.

use std::{borrow::Cow, ops::Range, sync::Arc};

use abide_domain::{EntityName, Timestamp};
use serde::{Deserialize, Serialize};

use super::{
    corrupt::LogLineError,
    time::{self, TIME_BYTES},
};

/// Most characters of a parser's complaint that are kept.
const COMPLAINT_CHARS_MAX: usize = 160;
/// Bytes of `","timestamp":"…"}` behind the content.
const TAIL_BYTES: usize = 15 + TIME_BYTES + 2;

/// One entry of an entity's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StdoutEntry {
    /// The tick of the ledger.
    pub tick: u64,
    /// Whose log it is.
    pub entity: EntityName,
    /// What was written, byte for byte.
    pub content: Arc<str>,
    /// When it was committed.
    pub timestamp: Timestamp,
}

/// The fields in the order of the specification.
#[derive(Serialize)]
struct LineFields<'a> {
    tick: u64,
    entity: &'a str,
    content: &'a str,
    timestamp: Timestamp,
}

/// The same as they are read; further fields are ignored.
#[derive(Deserialize)]
struct ParsedFields<'a> {
    tick: u64,
    #[serde(borrow)]
    entity: Cow<'a, str>,
    #[serde(borrow)]
    content: Cow<'a, str>,
    #[serde(borrow)]
    timestamp: Cow<'a, str>,
}

impl StdoutEntry {
    /// Its line without the newline: `{"tick":42,"entity":"@alice","content":"…","timestamp":"…Z"}`.
    pub fn line(&self) -> String {
        let Self { tick, entity, content, timestamp } = self;
        let (tick, entity, timestamp) = (*tick, entity.as_str(), *timestamp);
        // Numbers and texts always have a JSON form.
        serde_json::to_string(&LineFields { tick, entity, content, timestamp }).unwrap_or_default()
    }

    /// About how much memory it holds.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.content.len() + 2 * size_of::<usize>()
    }
}

/// A line that was read, its text still where it stands.
#[derive(Debug)]
pub(super) struct ParsedLine<'a> {
    pub(super) tick: u64,
    pub(super) content: Cow<'a, str>,
    pub(super) timestamp: Timestamp,
}

impl<'a> ParsedLine<'a> {
    /// Reads a line of an entity's file, without its newline.
    pub(super) fn read(line: &'a [u8], entity: &EntityName) -> Result<Self, LogLineError> {
        Self::read_written(line, entity).map_or_else(|| Self::read_any(line, entity), Ok)
    }

    /// Reads what this program writes where the content needs no unescaping.
    fn read_written(line: &'a [u8], entity: &EntityName) -> Option<Self> {
        let PlainLine { tick, content, time } = PlainLine::find(line, entity)?;
        let timestamp = time::read_written(line.get(time)?)?;
        let content = line.get(content)?;
        // Looking at every byte goes sixteen a step; stopping at the first control character would go one.
        let controls = content.iter().fold(0, |found, byte| found | u8::from(*byte < 0x20));
        if controls != 0 {
            return None;
        }
        let content = Cow::Borrowed(std::str::from_utf8(content).ok()?);
        Some(Self { tick, content, timestamp })
    }

    fn read_any(line: &'a [u8], entity: &EntityName) -> Result<Self, LogLineError> {
        let form = |complaint: &str| {
            LogLineError::Form(complaint.chars().take(COMPLAINT_CHARS_MAX).collect())
        };
        let text = std::str::from_utf8(line).map_err(|_| LogLineError::Utf8)?;
        let read: ParsedFields<'a> =
            serde_json::from_str(text).map_err(|error| form(&error.to_string()))?;
        if read.entity.parse::<EntityName>().as_ref() != Ok(entity) {
            return Err(LogLineError::Entity(
                read.entity.chars().take(COMPLAINT_CHARS_MAX).collect(),
            ));
        }
        let timestamp =
            time::read(&read.timestamp).ok_or_else(|| form("its timestamp is not a time"))?;
        Ok(Self { tick: read.tick, content: read.content, timestamp })
    }

    /// The entry by itself.
    pub(super) fn entry(&self, entity: &EntityName) -> StdoutEntry {
        StdoutEntry {
            tick: self.tick,
            entity: entity.clone(),
            content: Arc::from(&*self.content),
            timestamp: self.timestamp,
        }
    }
}

/// Where the parts of a line stand that has the form in which this program writes it, its content without an escape.
/// Whether the content is UTF-8 without control characters, and the time a time, is not looked at.
#[derive(Debug)]
pub(super) struct PlainLine {
    pub(super) tick: u64,
    pub(super) content: Range<usize>,
    time: Range<usize>,
}

impl PlainLine {
    /// Finds them; `None` in any other line.
    pub(super) fn find(line: &[u8], entity: &EntityName) -> Option<Self> {
        let (tick, rest) = number(line.strip_prefix(b"{\"tick\":")?)?;
        let rest =
            rest.strip_prefix(b",\"entity\":\"")?.strip_prefix(entity.as_str().as_bytes())?;
        let rest = rest.strip_prefix(b"\",\"content\":\"")?;
        let (content, tail) = rest.split_at_checked(rest.len().checked_sub(TAIL_BYTES)?)?;
        let time = tail.strip_prefix(b"\",\"timestamp\":\"")?.strip_suffix(b"\"}")?;
        let content_end = line.len() - TAIL_BYTES;
        let time_end = line.len() - 2;
        memchr::memchr2(b'"', b'\\', content).is_none().then_some(Self {
            tick,
            content: content_end - content.len()..content_end,
            time: time_end - time.len()..time_end,
        })
    }
}

/// Reads digits, and what stands behind them.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(digits)?;
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with(b"0")) {
        return None;
    }
    let value = digits.iter().try_fold(0_u64, |value, digit| {
        value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    })?;
    Some((value, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::corrupt::LogLineError, ParsedLine, StdoutEntry};

    fn entry(content: &str) -> StdoutEntry {
        StdoutEntry {
            tick: 42,
            entity: "@alice".parse().unwrap(),
            content: content.into(),
            timestamp: "2025-12-06T17:33:23.651621Z".parse().unwrap(),
        }
    }

    fn read(line: &str) -> Result<StdoutEntry, LogLineError> {
        let entity = "@alice".parse().unwrap();
        ParsedLine::read(line.as_bytes(), &entity).map(|line| line.entry(&entity))
    }

    #[test]
    fn the_line_is_the_one_of_the_specification_with_its_z() {
        assert_eq!(
            entry("Your message").line(),
            r#"{"tick":42,"entity":"@alice","content":"Your message","timestamp":"2025-12-06T17:33:23.651621Z"}"#
        );
    }

    #[test]
    fn other_spellings_of_the_same_entry_are_read() {
        for line in [
            r#"{"tick": 42, "entity": "@alice", "content": "Your message", "timestamp": "2025-12-06T17:33:23.651621"}"#,
            r#"{"timestamp":"2025-12-06T18:33:23.651621+01:00","content":"Your\u0020message","entity":"@Alice","tick":42,"more":[1]}"#,
        ] {
            assert_eq!(read(line), Ok(entry("Your message")), "{line}");
        }
    }

    #[test]
    fn what_is_not_an_entry_says_why() {
        let good = entry("a").line();
        let form = |line: &str| matches!(read(line), Err(LogLineError::Form(_)));
        assert!(form(""));
        assert!(form("{}"));
        assert!(form(&good.replace("42", "-1")));
        assert!(form(&good.replace("42", "042")));
        assert!(form(&good.replace("\"a\"", "\"a\"\"")));
        assert!(form(&good.replace("\"a\"", "\"a\tb\"")));
        assert!(form(&good.replace("\"a\"", "\"a\",\"content\":\"b\"")));
        assert!(form(&good.replace("2025-12", "2025-13")));
        assert!(form(&good.replace("content", "contents")));
        assert!(form(&good[..good.len() - 1]));
        let other = good.replace("@alice", "@bob");
        assert_eq!(read(&other), Err(LogLineError::Entity("@bob".into())));
        let entity = "@alice".parse().unwrap();
        let torn = ParsedLine::read(b"{\"tick\":1,\"content\":\"\xff\"}", &entity).map(|_| ());
        assert_eq!(torn, Err(LogLineError::Utf8));
    }

    proptest! {
        #[test]
        fn every_entry_reads_back(content in "[\\PC\\x00-\\x1f\"\\\\]{0,40}", tick: u64, micros in 0..4_000_000_000_000_000_i64) {
            let timestamp = abide_domain::Timestamp::from_micros(micros);
            let entry = StdoutEntry { tick, timestamp, ..entry(&content) };
            prop_assert!(!entry.line().contains('\n'));
            prop_assert_eq!(read(&entry.line()), Ok(entry));
        }

        /// The quick reader must accept nothing that the general one refuses.
        #[test]
        fn one_changed_byte_is_read_alike_by_both_readers(at in 0..96_usize, byte: u8) {
            let mut line = entry("Your message").line().into_bytes();
            if let Some(slot) = line.get_mut(at) {
                *slot = byte;
            }
            let entity = "@alice".parse().unwrap();
            let quick = ParsedLine::read_written(&line, &entity).map(|line| line.entry(&entity));
            let general = ParsedLine::read_any(&line, &entity).ok().map(|line| line.entry(&entity));
            prop_assert!(quick.is_none() || quick == general, "{}", String::from_utf8_lossy(&line));
        }
    }
}
