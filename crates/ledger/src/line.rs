//! One line of the ledger, to the byte: how it is written, and where its fields stand when it is read.
//!
//! The order of the keys is fixed, so a line is read by walking it once, without a JSON parser; a line that
//! deviates by one byte is refused. Nothing here re-serialises: the checksum and the chain are over bytes as they stand.
//! `docs/ledger-format.md` shows the form.

use abide_domain::{Timestamp, event::Event};

use crate::chain::Chain;

/// Longest line, newline not counted. A longer one is refused when it is submitted.
pub const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes of `,"crc":"xxxxxxxx"}` at the end of each line.
pub(crate) const CRC_TAIL_BYTES: usize = 18;
/// Bytes of `,"chain":"<64 hex>"` before it on the last line of a batch.
pub(crate) const CHAIN_BYTES: usize = 75;
/// Most bytes that stamping adds to a body: header, chain, checksum, newline.
pub(crate) const STAMP_BYTES_MAX: usize = 192;
/// Bytes of a timestamp, `2026-11-27T22:10:03.123456Z`.
const TIMESTAMP_BYTES: usize = 27;

/// Says what is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerLineError {
    /// The bytes do not match their checksum.
    #[error("its checksum does not match its bytes")]
    Checksum,
    /// A field is missing, misplaced or malformed.
    #[error("its field `{0}` is missing or malformed")]
    Field(&'static str),
    /// The number is not the one that must follow.
    #[error("its seq is {found}, expected {expected}")]
    Seq {
        /// The number that must follow.
        expected: u64,
        /// The number that stands there.
        found: u64,
    },
    /// The tick is lower than the one before it.
    #[error("its tick is lower than the one before")]
    Tick,
    /// The time is earlier than the one before it.
    #[error("its timestamp is earlier than the one before")]
    Timestamp,
    /// The batch that it ends does not follow from the chain.
    #[error("the chain value of its batch does not match")]
    Chain,
    /// The log ends before the batch does.
    #[error("its batch is unfinished")]
    Unfinished,
    /// An empty line stands before others.
    #[error("there is an empty line inside the log")]
    Blank,
    /// The first line of a segment does not open that segment.
    #[error("it is not the opening line of this segment: {0}")]
    Opening(&'static str),
    /// It is not UTF-8.
    #[error("it is not UTF-8")]
    Utf8,
    /// The side file recorded another chain value here.
    #[error("its chain value differs from the one in the side file")]
    Recorded,
}

/// A range of bytes in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    from: u32,
    to: u32,
}

impl Span {
    fn new(from: usize, to: usize) -> Self {
        // Lines are at most 16 MiB, so the positions fit.
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { from: narrow(from), to: narrow(to) }
    }

    /// The bytes in `line`.
    pub(crate) fn of(self, line: &[u8]) -> &[u8] {
        part(line, self.from as usize, self.to as usize)
    }

    /// The text in `line`.
    pub(crate) fn text(self, line: &str) -> &str {
        line.get(self.from as usize..self.to as usize).unwrap_or_default()
    }
}

/// The bytes from `from` to `to`; empty where they are not there.
pub(crate) fn part(bytes: &[u8], from: usize, to: usize) -> &[u8] {
    bytes.get(from..to).unwrap_or_default()
}

/// Where the fields of a line stand.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) seq: u64,
    pub(crate) tick: u64,
    pub(crate) timestamp: Span,
    pub(crate) entity: Span,
    pub(crate) author: Span,
    pub(crate) epoch: Option<Span>,
    pub(crate) kind: Span,
    pub(crate) version: u32,
    pub(crate) data: Span,
    /// Where `,"chain"` begins, on the last line of a batch.
    pub(crate) chain_at: Option<usize>,
}

impl Layout {
    /// Checks the checksum and finds the fields of a line without its newline.
    pub(crate) fn read(line: &[u8]) -> Result<Self, LedgerLineError> {
        if !checksum_matches(line) {
            return Err(LedgerLineError::Checksum);
        }
        Self::find(line)
    }

    /// Finds the fields of a line whose checksum is known to match.
    pub(crate) fn find(line: &[u8]) -> Result<Self, LedgerLineError> {
        let chain_at = chain_position(line)?;
        let end = chain_at.unwrap_or_else(|| line.len().saturating_sub(CRC_TAIL_BYTES));
        let mut fields = FieldReader { bytes: part(line, 0, end), at: 0 };
        let seq = fields.number(b"{\"seq\":").ok_or(LedgerLineError::Field("seq"))?;
        let tick = fields.number(b",\"tick\":").ok_or(LedgerLineError::Field("tick"))?;
        let timestamp =
            fields.quoted(b",\"timestamp\":").ok_or(LedgerLineError::Field("timestamp"))?;
        if timestamp.of(line).len() != TIMESTAMP_BYTES {
            return Err(LedgerLineError::Field("timestamp"));
        }
        let entity = fields.quoted(b",\"entity\":").ok_or(LedgerLineError::Field("entity"))?;
        let author = fields.quoted(b",\"author\":").ok_or(LedgerLineError::Field("author"))?;
        let epoch = match fields.skip(b",\"epoch\":null") {
            Some(()) => None,
            None => Some(fields.quoted(b",\"epoch\":").ok_or(LedgerLineError::Field("epoch"))?),
        };
        let kind = fields.quoted(b",\"kind\":").ok_or(LedgerLineError::Field("kind"))?;
        let version = fields.number(b",\"v\":").ok_or(LedgerLineError::Field("v"))?;
        let version = u32::try_from(version).map_err(|_| LedgerLineError::Field("v"))?;
        let data = fields.object(b",\"data\":").ok_or(LedgerLineError::Field("data"))?;
        Ok(Self { seq, tick, timestamp, entity, author, epoch, kind, version, data, chain_at })
    }

    /// The chain value on the line, if it ends a batch.
    pub(crate) fn chain(&self, line: &[u8]) -> Option<Chain> {
        let from = self.chain_at? + 10;
        Chain::parse(part(line, from, from + 64))
    }

    /// Reads the timestamp.
    pub(crate) fn time(&self, line: &[u8]) -> Option<Timestamp> {
        std::str::from_utf8(self.timestamp.of(line)).ok()?.parse().ok()
    }

    /// Decodes the event of a line.
    pub(crate) fn event(&self, line: &[u8]) -> Option<Event> {
        let kind = std::str::from_utf8(self.kind.of(line)).ok()?;
        let data = std::str::from_utf8(self.data.of(line)).ok()?;
        Event::decode(kind, self.version, data).ok()
    }
}

/// Says whether a line ends in the checksum of what stands before it. Only the exact spelling counts.
pub(crate) fn checksum_matches(line: &[u8]) -> bool {
    let Some(covered_bytes) = line.len().checked_sub(CRC_TAIL_BYTES) else { return false };
    let (covered, tail) = line.split_at_checked(covered_bytes).unwrap_or_default();
    tail == checksum_tail(crc32c::crc32c(covered))
}

/// Finds `,"chain":"<64 hex>"` before the checksum. A body ends in `}`, so a quote there ends a chain or a malformed line.
fn chain_position(line: &[u8]) -> Result<Option<usize>, LedgerLineError> {
    let body_end = line.len().saturating_sub(CRC_TAIL_BYTES);
    if part(line, body_end.saturating_sub(1), body_end) != b"\"" {
        return Ok(None);
    }
    let at = body_end.checked_sub(CHAIN_BYTES).ok_or(LedgerLineError::Field("chain"))?;
    let has_key = part(line, at, at + 10) == b",\"chain\":\"";
    let has_value = Chain::parse(part(line, at + 10, at + 74)).is_some();
    if has_key && has_value { Ok(Some(at)) } else { Err(LedgerLineError::Field("chain")) }
}

/// Reads a line field by field.
struct FieldReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl FieldReader<'_> {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, literal: &[u8]) -> Option<()> {
        self.rest().starts_with(literal).then(|| self.at += literal.len())
    }

    fn number(&mut self, key: &[u8]) -> Option<u64> {
        self.skip(key)?;
        let digits = self.rest().iter().take_while(|b| b.is_ascii_digit()).count();
        let text = part(self.bytes, self.at, self.at + digits);
        if digits == 0 || (digits > 1 && text.first() == Some(&b'0')) {
            return None;
        }
        self.at += digits;
        text.iter().try_fold(0_u64, |value, b| {
            value.checked_mul(10)?.checked_add(u64::from(b.wrapping_sub(b'0')))
        })
    }

    fn quoted(&mut self, key: &[u8]) -> Option<Span> {
        self.skip(key)?;
        self.skip(b"\"")?;
        let from = self.at;
        let length = memchr::memchr2(b'"', b'\\', self.rest())?;
        self.at += length;
        self.skip(b"\"")?;
        Some(Span::new(from, from + length))
    }

    fn object(&mut self, key: &[u8]) -> Option<Span> {
        self.skip(key)?;
        let value = self.rest();
        (value.len() >= 2 && value.first() == Some(&b'{') && value.last() == Some(&b'}'))
            .then(|| Span::new(self.at, self.bytes.len()))
    }
}

/// Writes a number in decimal.
pub(crate) fn push_number(out: &mut String, mut value: u64) {
    let mut digits = [b'0'; 20];
    let mut used = 0;
    for slot in digits.iter_mut().rev() {
        *slot = b'0' + u8::try_from(value % 10).unwrap_or(0);
        value /= 10;
        used += 1;
        if value == 0 {
            break;
        }
    }
    out.extend(digits.iter().skip(20 - used).map(|digit| char::from(*digit)));
}

/// Makes `,"crc":"xxxxxxxx"}`.
pub(crate) fn checksum_tail(crc: u32) -> [u8; CRC_TAIL_BYTES] {
    let mut tail = *b",\"crc\":\"00000000\"}";
    let shifts = (0..8_u32).rev().map(|place| place * 4);
    for (slot, shift) in tail.iter_mut().skip(8).zip(shifts) {
        let nibble = u8::try_from((crc >> shift) & 15).unwrap_or(0);
        *slot = if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
    }
    tail
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Layout, checksum_matches, checksum_tail, push_number};

    const BODY: &str = concat!(
        r#"{"seq":7,"tick":0,"timestamp":"2026-11-27T22:10:03.123456Z","entity":"@felix","author":"@ada","#,
        r#""epoch":null,"kind":"memory.reset","v":1,"data":{"a":"}\",\"chain\":\""}"#,
    );

    fn close(body: &str) -> Vec<u8> {
        [body.as_bytes(), &checksum_tail(crc32c::crc32c(body.as_bytes()))].concat()
    }

    #[test]
    fn a_line_is_found_field_by_field() {
        let line = close(BODY);
        let layout = Layout::read(&line).unwrap();
        assert_eq!((layout.seq, layout.tick, layout.version), (7, 0, 1));
        assert_eq!((layout.kind.of(&line), layout.epoch), (&b"memory.reset"[..], None));
        assert_eq!(layout.data.of(&line), br#"{"a":"}\",\"chain\":\""}"#);
        assert_eq!(layout.chain(&line), None);
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_refused() {
        let chained = format!("{BODY},\"chain\":\"{}\"", "0f".repeat(32));
        for line in [close(BODY), close(&chained)] {
            for at in 0..line.len() {
                assert!(Layout::read(&line[..at]).is_err(), "cut at {at}");
                for bit in 0..8 {
                    let mut damaged = line.clone();
                    damaged[at] ^= 1 << bit;
                    assert!(Layout::read(&damaged).is_err(), "byte {at}, bit {bit}");
                }
            }
        }
    }

    #[test]
    fn other_spellings_of_the_same_json_are_refused_even_with_a_right_checksum() {
        let changes = [
            ("\"seq\":7", "\"seq\":07"),
            ("\"seq\":7", "\"seq\": 7"),
            ("\"seq\":7", "\"seq\":-7"),
            ("\"seq\":7", "\"seq\":18446744073709551616"),
            ("\"tick\":0,", ""),
            (".123456Z", ".123Z"),
            ("@felix", "@fe\\lix"),
            ("\"epoch\":null", "\"epoch\":nul"),
            ("\"v\":1", "\"v\":4294967296"),
            ("\"data\":{", "\"data\":[{"),
        ];
        for (from, to) in changes {
            let body = BODY.replace(from, to);
            assert!(checksum_matches(&close(&body)));
            assert!(Layout::read(&close(&body)).is_err(), "{to}");
        }
        let upper = String::from_utf8(close(BODY)).unwrap();
        let (covered, tail) = upper.split_at(BODY.len() + 8);
        assert!(Layout::read(format!("{covered}{}", tail.to_uppercase()).as_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn numbers_are_written_as_everywhere(number: u64) {
            let mut text = String::new();
            push_number(&mut text, number);
            prop_assert_eq!(text, number.to_string());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>, prefix in 0..=BODY.len()) {
            let body = [BODY.as_bytes().get(..prefix).unwrap_or_default(), &bytes].concat();
            let line = [&body[..], &checksum_tail(crc32c::crc32c(&body))].concat();
            if let Ok(layout) = Layout::read(&line) {
                prop_assert_eq!(layout.data.of(&line).first(), Some(&b'{'));
            }
            prop_assert!(Layout::read(&bytes).is_err());
        }
    }
}
