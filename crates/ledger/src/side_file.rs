//! The side file of a segment: where the log stood when it was last written, kept outside the log.
//!
//! It distinguishes a damaged last batch from one that was never acknowledged: a log that is shorter than its side
//! file is refused. It is a cache all the same: without it, or when it is damaged, the log is read instead.

use std::io;

use abide_domain::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    chain::Chain,
    line::{checksum_matches, checksum_tail},
    mark::{Mark, TickRule},
    names,
    storage::{Storage, read_file, replace_file},
};

/// What a side file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SideFile {
    pub(crate) segment: u64,
    /// Whether nothing more will be written to the segment.
    pub(crate) sealed: bool,
    pub(crate) first_seq: u64,
    pub(crate) last_seq: u64,
    /// Bytes of whole batches.
    pub(crate) bytes: u64,
    /// The chain value of the last of them.
    pub(crate) chain: String,
    pub(crate) tick: u64,
    pub(crate) timestamp: Timestamp,
    pub(crate) genesis: Timestamp,
    pub(crate) interval_ms: u64,
    pub(crate) from_tick: u64,
    pub(crate) from_time: Timestamp,
}

impl SideFile {
    /// Records where a segment stands.
    pub(crate) fn new(segment: u64, first_seq: u64, bytes: u64, mark: &Mark) -> Self {
        Self {
            segment,
            sealed: false,
            first_seq,
            last_seq: mark.seq,
            bytes,
            chain: mark.chain.to_string(),
            tick: mark.tick,
            timestamp: mark.timestamp,
            genesis: mark.genesis.unwrap_or_default(),
            interval_ms: mark.rule.interval_ms,
            from_tick: mark.rule.from_tick,
            from_time: mark.rule.from_time,
        }
    }

    /// The recorded chain value.
    pub(crate) fn chain(&self) -> Option<Chain> {
        Chain::parse(self.chain.as_bytes())
    }

    /// Where the ledger stood.
    pub(crate) fn mark(&self) -> Option<Mark> {
        let Self { interval_ms, from_tick, from_time, .. } = *self;
        Some(Mark {
            seq: self.last_seq,
            tick: self.tick,
            timestamp: self.timestamp,
            chain: self.chain()?,
            genesis: Some(self.genesis),
            rule: TickRule { interval_ms, from_tick, from_time },
        })
    }

    /// Writes it in place of the one before.
    pub(crate) fn write(&self, storage: &dyn Storage) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(self)?;
        bytes.pop(); // The closing brace: the checksum stands inside, as it does in a line.
        bytes.extend(checksum_tail(crc32c::crc32c(&bytes)));
        bytes.push(b'\n');
        replace_file(storage, &names::side(self.segment), &bytes)
    }

    /// Reads the side file of a segment; `None` where it is absent, damaged or another segment's.
    pub(crate) fn read(storage: &dyn Storage, segment: u64) -> io::Result<Option<Self>> {
        let bytes = match read_file(storage, &names::side(segment)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        if !checksum_matches(line) {
            return Ok(None);
        }
        let side: Option<Self> = serde_json::from_slice(line).ok();
        Ok(side.filter(|side| side.segment == segment && side.chain().is_some()))
    }
}
