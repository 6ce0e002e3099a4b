//! A bare writer of the same lines: one thread that does only what the format itself demands.
//!
//! It tells what the ledger's queue, wake-ups and bookkeeping cost from what serialising, checksums and the chain cost.

use std::path::Path;

use abide_domain::{
    CallId,
    event::{Event, ToolFinished},
};
use abide_ledger::Draft;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::events;
use crate::{error::BenchError, raw::RawLog, spread::float_of, system::Stopwatch};

/// A line up to its checksum.
#[derive(Serialize)]
struct Line<'a> {
    seq: u64,
    tick: u64,
    timestamp: &'a str,
    entity: &'a str,
    author: &'a str,
    epoch: String,
    kind: &'static str,
    v: u32,
    data: &'a ToolFinished,
}

/// The bare writer.
#[derive(Debug)]
pub(super) struct Harness {
    raw: RawLog,
    draft: Draft,
    data: ToolFinished,
    seq: u64,
    chain: [u8; 32],
}

impl Harness {
    /// A file of its own, for events like this draft.
    pub(super) fn open(file: &Path, draft: &Draft) -> Result<Self, BenchError> {
        let data = events::finished(&CallId::new(1, 1));
        if draft.event != Event::from(data.clone()) {
            return Err(BenchError::Wrong("the bare writer would write another event".into()));
        }
        let (raw, draft) = (RawLog::create(file, 0)?, draft.clone());
        Ok(Self { raw, draft, data, seq: 0, chain: [0; 32] })
    }

    /// Events a second in so many batches of so many.
    pub(super) fn rate(&mut self, events: usize, batches: usize) -> Result<f64, BenchError> {
        let watch = Stopwatch::start();
        for _ in 0..batches {
            let batch = self.batch(events)?;
            self.raw.append(&batch)?;
        }
        Ok(float_of(events * batches) / watch.seconds())
    }

    fn batch(&mut self, events: usize) -> Result<Vec<u8>, BenchError> {
        let mut bytes = Vec::with_capacity(events * 400);
        for index in 0..events {
            let begin = bytes.len();
            self.seq += 1;
            self.line(&mut bytes)?;
            if index + 1 == events {
                self.chain =
                    Sha256::new().chain_update(self.chain).chain_update(&bytes).finalize().into();
                let hex = hex::encode(self.chain);
                bytes.extend_from_slice(format!(",\"chain\":\"{hex}\"").as_bytes());
            }
            let crc = crc32c::crc32c(bytes.get(begin..).unwrap_or_default());
            bytes.extend_from_slice(format!(",\"crc\":\"{crc:08x}\"}}\n").as_bytes());
        }
        Ok(bytes)
    }

    fn line(&self, bytes: &mut Vec<u8>) -> Result<(), BenchError> {
        let line = Line {
            seq: self.seq,
            tick: 1,
            timestamp: "2026-11-27T22:10:03.123456Z",
            entity: self.draft.entity.as_str(),
            author: self.draft.author.as_str(),
            epoch: self.draft.epoch.map(|epoch| epoch.to_string()).unwrap_or_default(),
            kind: self.draft.event.kind().name,
            v: self.draft.event.kind().version,
            data: &self.data,
        };
        serde_json::to_writer(&mut *bytes, &line).map_err(BenchError::of("serialise a line"))?;
        bytes.pop();
        Ok(())
    }
}
