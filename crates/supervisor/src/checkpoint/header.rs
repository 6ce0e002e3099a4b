//! The first 1,024 bytes of a checkpoint: one line of JSON that a person reads with `head -1`, padded with spaces.
//!
//! Behind it is one zstd frame and nothing else. Each byte of the file is covered: the body by its SHA-256, the line
//! by the checksum in it, the padding by being spaces.

use std::fmt::Write as _;

use abide_domain::Timestamp;
use serde::{Deserialize, Serialize, Serializer};
use uuid::Uuid;

use super::names;

/// Bytes before the body.
pub(super) const HEADER_BYTES: usize = 1024;
/// The format version that is written.
pub(super) const VERSION: u64 = 1;
const MAGIC: &str = "abide-checkpoint";
/// What comes after the text that the checksum covers.
const TAIL: &str = ",\"crc32c\":\"";

/// One checkpoint, as lists and acknowledgements show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoredCheckpoint {
    /// Its number: newer ones have higher ones.
    pub number: u64,
    /// Its id, which the agent gets with the acknowledgement.
    #[serde(serialize_with = "text")]
    pub id: Uuid,
    /// When it was made.
    pub created: Timestamp,
    /// The run of the agent that made it.
    pub run: Option<String>,
    /// The last WAL sequence whose effects it holds.
    pub wal_sequence: u64,
    /// The place of that entry in the WAL.
    pub wal_position: u64,
    /// Bytes of the agent's state.
    pub raw_bytes: u64,
    /// Bytes on the disk: the `size` of a `checkpoint_ack`.
    pub bytes: u64,
    /// SHA-256 of the body, 64 hex digits.
    pub sha256: String,
    /// Its file.
    pub file: String,
}

fn text<S: Serializer>(id: &Uuid, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

/// What identifies a new checkpoint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckpointStamp {
    pub(crate) id: Uuid,
    pub(crate) created: Timestamp,
    pub(crate) run: Option<Uuid>,
    pub(crate) sequence: u64,
    pub(crate) position: u64,
}

/// A header as it is in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    magic: String,
    version: u64,
    number: u64,
    created: Timestamp,
    id: String,
    agent: String,
    run: Option<String>,
    pub(super) raw_bytes: u64,
    pub(super) stored_bytes: u64,
    compression: String,
    /// Of the stored body.
    pub(super) sha256: String,
    wal_sequence: u64,
    wal_position: u64,
}

/// What of a header is read before anything else, so that a later format is recognised as such.
#[derive(Deserialize)]
struct HeaderForm {
    magic: String,
    version: u64,
}

/// Says why bytes are no header of this agent's checkpoint.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HeaderError {
    /// It is damaged, or another's.
    Bad(String),
    /// It is of a later format.
    Newer(u64),
}

impl From<&str> for HeaderError {
    fn from(reason: &str) -> Self {
        Self::Bad(reason.into())
    }
}

impl Header {
    /// Describes a state whose body is not written yet.
    pub(super) fn new(agent: &str, number: u64, stamp: CheckpointStamp, raw_bytes: u64) -> Self {
        Self {
            magic: MAGIC.into(),
            version: VERSION,
            number,
            created: stamp.created,
            id: stamp.id.to_string(),
            agent: agent.into(),
            run: stamp.run.map(|run| run.to_string()),
            raw_bytes,
            stored_bytes: 0,
            compression: "zstd".into(),
            sha256: String::new(),
            wal_sequence: stamp.sequence,
            wal_position: stamp.position,
        }
    }

    /// The number in it.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The agent in it.
    pub(super) fn agent(&self) -> &str {
        &self.agent
    }

    /// Writes the line and its padding; `None` where it does not fit.
    pub(super) fn encode(&self) -> Option<[u8; HEADER_BYTES]> {
        let mut line = serde_json::to_string(self).ok()?;
        line.pop(); // The closing brace: the checksum stands inside.
        let sum = crc32c::crc32c(line.as_bytes());
        write!(line, "{TAIL}{sum:08x}\"}}").ok()?;
        let mut block = [b' '; HEADER_BYTES];
        block.get_mut(..line.len())?.copy_from_slice(line.as_bytes());
        let end = block.last_mut()?;
        if *end != b' ' {
            return None;
        }
        *end = b'\n';
        Some(block)
    }

    /// Reads a header of `agent`.
    pub(super) fn decode(block: &[u8], agent: &str) -> Result<Self, HeaderError> {
        if block.len() != HEADER_BYTES {
            return Err("the file is shorter than its header".into());
        }
        let line = str::from_utf8(block).map_err(|_| "its header is not text")?;
        let line = line.strip_suffix('\n').ok_or("its header does not end")?.trim_end_matches(' ');
        let (text, sum) = line.rsplit_once(TAIL).ok_or("its header has no checksum")?;
        if sum != format!("{:08x}\"}}", crc32c::crc32c(text.as_bytes())) {
            return Err("its header is damaged".into());
        }
        let json = format!("{text}}}");
        let form: HeaderForm = serde_json::from_str(&json).map_err(|_| "its header is not JSON")?;
        if form.magic != MAGIC {
            return Err("it is not a checkpoint".into());
        }
        if form.version > VERSION {
            return Err(HeaderError::Newer(form.version));
        }
        let header: Self = serde_json::from_str(&json).map_err(|_| "its header lacks a field")?;
        if header.agent != agent {
            return Err(HeaderError::Bad(format!("it belongs to agent {}", header.agent)));
        }
        if Uuid::parse_str(&header.id).is_err() {
            return Err("its id is not a UUID".into());
        }
        Ok(header)
    }

    /// The checkpoint that the header describes.
    pub(super) fn into_checkpoint(self, number: u64) -> StoredCheckpoint {
        StoredCheckpoint {
            number,
            id: Uuid::parse_str(&self.id).unwrap_or_default(),
            created: self.created,
            run: self.run,
            wal_sequence: self.wal_sequence,
            wal_position: self.wal_position,
            raw_bytes: self.raw_bytes,
            bytes: HEADER_BYTES as u64 + self.stored_bytes,
            sha256: self.sha256,
            file: names::checkpoint(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;
    use uuid::Uuid;

    use super::{CheckpointStamp, HEADER_BYTES, Header, HeaderError};

    fn header() -> Header {
        let id = Uuid::from_u128(0x0193_0000_0000_7000_8000_0000_0000_0007);
        let created = Timestamp::from_micros(1_795_817_403_000_000);
        let stamp =
            CheckpointStamp { id, created, run: Some(id), sequence: 12_347, position: 12_347 };
        let mut header = Header::new(&"a".repeat(64), u64::MAX, stamp, u64::MAX);
        (header.stored_bytes, header.sha256) = (u64::MAX, "f".repeat(64));
        header
    }

    #[test]
    fn the_longest_header_fits_and_its_first_line_is_json() {
        let block = header().encode().unwrap();
        let line = str::from_utf8(&block).unwrap().lines().next().unwrap();
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (&json["magic"], &json["wal_sequence"]),
            (&"abide-checkpoint".into(), &12_347.into())
        );
        assert_eq!(Header::decode(&block, &"a".repeat(64)), Ok(header()));
    }

    #[test]
    fn every_flipped_bit_is_found() {
        let block = header().encode().unwrap();
        for at in 0..HEADER_BYTES {
            for bit in 0..8 {
                let mut flipped = block;
                flipped[at] ^= 1 << bit;
                assert!(Header::decode(&flipped, &"a".repeat(64)).is_err(), "byte {at} bit {bit}");
            }
        }
    }

    #[test]
    fn another_agents_checkpoint_and_a_later_format_are_refused() {
        let block = header().encode().unwrap();
        assert!(matches!(Header::decode(&block, "felix"), Err(HeaderError::Bad(_))));
        let newer = Header { version: 2, ..header() };
        let decoded = Header::decode(&newer.encode().unwrap(), &newer.agent);
        assert_eq!(decoded, Err(HeaderError::Newer(2)));
    }
}
