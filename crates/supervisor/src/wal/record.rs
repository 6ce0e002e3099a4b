//! The form of a WAL record: length, checksum, body.
//!
//! ```text
//! u32  length of the body        all numbers little-endian
//! u32  CRC-32C over: segment number (u64), offset in it (u64), the length, the body
//! u8   kind
//!      1 entry: u64 durable, u64 position, u64 sequence, i64 timestamp, u16 n, n bytes operation, the rest is data
//!      2 mark:  u64 durable
//!      3 rollback: u64 to, u64 sequence, u8 lost
//! ```
//!
//! Location and body are checked together, so that bytes of another file, or of this one at another time, are never taken
//! for a record. `durable` is the position through which entries were on the disk when the record was written: it is
//! what tells damage from a write that a crash cut.

/// Length and checksum before a body.
const FRAME_BYTES: usize = 8;
/// A mark on disk: too short to have been an entry.
pub(super) const MARK_BYTES: u64 = 17;
/// The body of a mark.
const MARK_BODY_BYTES: usize = 9;
/// Most bytes that are looked for as taken out of a file, and marks that are tried for it.
const DISPLACED_BYTES_MAX: u64 = 256 * 1024;
const DISPLACED_TRIES_MAX: u32 = 8;
/// Longest body that is looked for; entries are kept well below it.
const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Kinds above this one are noise, not a newer version.
const KIND_MAX: u8 = 15;

const ENTRY: u8 = 1;
const MARK: u8 = 2;
const ROLLBACK: u8 = 3;

/// Where a record is. Later ones are greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RecordLocation {
    pub(crate) segment: u64,
    pub(crate) offset: u64,
}

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record<'a> {
    /// An entry of the agent.
    Entry(EntryRecord<'a>),
    /// Everything through `durable` was on the disk.
    Mark { durable: u64 },
    /// Entries after position `to` do not count any more; the next one is at `to + 1`.
    Rollback { to: u64, sequence: u64, lost: bool },
    /// Whole, but of a kind that this version does not know.
    Newer { kind: u8 },
}

/// An entry as it is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryRecord<'a> {
    pub(crate) durable: u64,
    /// Counts entries from 1 without a gap, whatever the agent's numbering does.
    pub(crate) position: u64,
    pub(crate) sequence: u64,
    pub(crate) timestamp: i64,
    pub(crate) operation: &'a str,
    pub(crate) data: &'a [u8],
}

/// Bytes that an entry takes on the disk.
pub(crate) fn entry_bytes(operation: &str, data: &[u8]) -> u64 {
    (FRAME_BYTES + 35 + operation.len() + data.len()) as u64
}

/// Appends a record that will stand at `location`.
pub(crate) fn encode(buffer: &mut Vec<u8>, location: RecordLocation, record: &Record<'_>) {
    let start = buffer.len();
    buffer.extend_from_slice(&[0; FRAME_BYTES]);
    match record {
        Record::Entry(entry) => {
            buffer.push(ENTRY);
            buffer.extend_from_slice(&entry.durable.to_le_bytes());
            buffer.extend_from_slice(&entry.position.to_le_bytes());
            buffer.extend_from_slice(&entry.sequence.to_le_bytes());
            buffer.extend_from_slice(&entry.timestamp.to_le_bytes());
            let length = u16::try_from(entry.operation.len()).unwrap_or(u16::MAX);
            buffer.extend_from_slice(&length.to_le_bytes());
            buffer.extend_from_slice(entry.operation.as_bytes());
            buffer.extend_from_slice(entry.data);
        }
        Record::Mark { durable } => {
            buffer.push(MARK);
            buffer.extend_from_slice(&durable.to_le_bytes());
        }
        Record::Rollback { to, sequence, lost } => {
            buffer.push(ROLLBACK);
            buffer.extend_from_slice(&to.to_le_bytes());
            buffer.extend_from_slice(&sequence.to_le_bytes());
            buffer.push(u8::from(*lost));
        }
        Record::Newer { kind } => buffer.push(*kind),
    }
    let Some((frame, body)) =
        buffer.get_mut(start..).and_then(|r| r.split_first_chunk_mut::<FRAME_BYTES>())
    else {
        return;
    };
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX).to_le_bytes();
    let sum = checksum(location, length, body).to_le_bytes();
    for (to, from) in frame.iter_mut().zip(length.into_iter().chain(sum)) {
        *to = from;
    }
}

/// Reads the record at the beginning of `bytes`, which is at `location`; says how many bytes it takes. `None` unless it
/// is whole.
pub(crate) fn decode(bytes: &[u8], location: RecordLocation) -> Option<(Record<'_>, usize)> {
    let mut rest = bytes;
    let length_bytes = take::<4>(&mut rest)?;
    let sum = u32::from_le_bytes(take(&mut rest)?);
    let length = u32::from_le_bytes(length_bytes) as usize;
    let kind = *rest.first()?;
    if length > BODY_BYTES_MAX || kind == 0 || kind > KIND_MAX {
        return None;
    }
    let body = rest.get(..length)?;
    if checksum(location, length_bytes, body) != sum {
        return None;
    }
    Some((parse(body)?, FRAME_BYTES + length))
}

/// What bytes that are no record where they stand, at `location`, prove to have been durable: they hold records that were
/// written further on, so something before them has been taken out of the file. The highest, as a position.
///
/// By how much they were moved is found with a mark, whose checksum is tried at one place after the other.
pub(crate) fn displaced_durable(bytes: &[u8], location: RecordLocation) -> Option<u64> {
    let (mut moved, mut tried, mut highest) = (None, 0, None);
    for at in 0..bytes.len() {
        let Some(rest) = bytes.get(at..) else { break };
        let whole = |by: u64| {
            let offset = location.offset + at as u64 + by;
            decode(rest, RecordLocation { offset, ..location })
        };
        if moved.is_none() && tried < DISPLACED_TRIES_MAX && is_mark(rest) {
            tried += 1;
            let offset = location.offset + at as u64;
            moved = find_moved(rest, RecordLocation { offset, ..location });
        }
        let durable = match moved.and_then(whole) {
            Some((Record::Mark { durable }, _)) => Some(durable),
            Some((Record::Entry(entry), _)) => Some(entry.durable),
            _ => None,
        };
        highest = highest.max(durable);
    }
    highest
}

/// Whether bytes begin with the form of a mark.
fn is_mark(bytes: &[u8]) -> bool {
    let length = bytes.first_chunk::<4>().map(|length| u32::from_le_bytes(*length) as usize);
    length == Some(MARK_BODY_BYTES) && bytes.get(FRAME_BYTES) == Some(&MARK)
}

/// How many bytes further on than `location` a mark was written. Each place costs two short checksums.
fn find_moved(mark: &[u8], location: RecordLocation) -> Option<u64> {
    let mut rest = mark;
    let length = take::<4>(&mut rest)?;
    let sum = u32::from_le_bytes(take(&mut rest)?);
    let checked = [&length, rest.get(..MARK_BODY_BYTES)?].concat();
    let segment = crc32c::crc32c(&location.segment.to_le_bytes());
    let mut by = 0;
    while by < DISPLACED_BYTES_MAX {
        by += 1;
        let place = crc32c::crc32c_append(segment, &(location.offset + by).to_le_bytes());
        if crc32c::crc32c_append(place, &checked) == sum {
            return Some(by);
        }
    }
    None
}

fn parse(body: &[u8]) -> Option<Record<'_>> {
    let (kind, mut rest) = body.split_first()?;
    let rest = &mut rest;
    Some(match *kind {
        ENTRY => {
            let [durable, position, sequence] = [number(rest)?, number(rest)?, number(rest)?];
            let timestamp = i64::from_le_bytes(take(rest)?);
            let length = usize::from(u16::from_le_bytes(take(rest)?));
            let (operation, data) = rest.split_at_checked(length)?;
            let operation = str::from_utf8(operation).ok()?;
            Record::Entry(EntryRecord { durable, position, sequence, timestamp, operation, data })
        }
        MARK => Record::Mark { durable: number(rest)? },
        ROLLBACK => {
            let (to, sequence) = (number(rest)?, number(rest)?);
            Record::Rollback { to, sequence, lost: take::<1>(rest)? != [0] }
        }
        kind => Record::Newer { kind },
    })
}

fn checksum(location: RecordLocation, length: [u8; 4], body: &[u8]) -> u32 {
    let mut head = [0; 20];
    let numbers = location.segment.to_le_bytes().into_iter().chain(location.offset.to_le_bytes());
    for (to, from) in head.iter_mut().zip(numbers.chain(length)) {
        *to = from;
    }
    crc32c::crc32c_append(crc32c::crc32c(&head), body)
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*taken)
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    take(bytes).map(u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{EntryRecord, MARK_BYTES, Record, RecordLocation, decode, encode, entry_bytes};

    const LOCATION: RecordLocation = RecordLocation { segment: 3, offset: 4711 };

    fn written(record: &Record<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(&mut bytes, LOCATION, record);
        bytes
    }

    #[test]
    fn a_mark_is_as_long_as_it_says_and_shorter_than_any_entry() {
        assert_eq!(written(&Record::Mark { durable: 7 }).len() as u64, MARK_BYTES);
        assert!(entry_bytes("", b"") > MARK_BYTES);
    }

    #[test]
    fn a_whole_record_of_an_unknown_kind_is_told_from_damage() {
        let bytes = written(&Record::Newer { kind: 9 });
        assert_eq!(decode(&bytes, LOCATION), Some((Record::Newer { kind: 9 }, bytes.len())));
    }

    proptest! {
        #[test]
        fn entries_read_back_as_they_were(
            numbers in any::<[u64; 3]>(),
            timestamp in any::<i64>(),
            operation in "\\PC{0,40}",
            data in proptest::collection::vec(any::<u8>(), 0..300),
        ) {
            let [durable, position, sequence] = numbers;
            let entry = EntryRecord {
                durable, position, sequence, timestamp, operation: &operation, data: &data,
            };
            let bytes = written(&Record::Entry(entry));
            prop_assert_eq!(bytes.len() as u64, entry_bytes(&operation, &data));
            prop_assert_eq!(decode(&bytes, LOCATION), Some((Record::Entry(entry), bytes.len())));
        }

        #[test]
        fn a_flipped_bit_a_cut_or_another_place_is_found(
            data in proptest::collection::vec(any::<u8>(), 0..60),
            at in any::<prop::sample::Index>(),
            bit in 0..8_u32,
        ) {
            let entry = EntryRecord {
                durable: 1, position: 2, sequence: 2, timestamp: 3, operation: "memory_add", data: &data,
            };
            let whole = written(&Record::Entry(entry));
            let at = at.index(whole.len());
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << bit;
            prop_assert_eq!(decode(&flipped, LOCATION), None);
            prop_assert_eq!(decode(&whole[..at], LOCATION), None);
            prop_assert_eq!(decode(&whole, RecordLocation { offset: LOCATION.offset + 1, ..LOCATION }), None);
        }
    }
}
