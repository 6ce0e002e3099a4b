//! The raw loop that appends are compared with: one file, one write, one fdatasync, nothing else.

use std::{
    fs::{File, OpenOptions},
    os::unix::fs::FileExt as _,
    path::Path,
};

use crate::{
    error::BenchError,
    spread::{float_of, median},
    system::Stopwatch,
};

/// A file that grows by synced appends.
#[derive(Debug)]
pub(crate) struct RawLog {
    file: File,
    at: u64,
    padded: u64,
    pad: Vec<u8>,
}

impl RawLog {
    /// A new file; kept filled ahead with so many newlines, or growing with each append where that is 0.
    pub(crate) fn create(path: &Path, pad_bytes: usize) -> Result<Self, BenchError> {
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).open(path);
        let file = file.map_err(BenchError::io("make a raw file"))?;
        Ok(Self { file, at: 0, padded: 0, pad: vec![b'\n'; pad_bytes] })
    }

    /// Writes and syncs.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), BenchError> {
        let written = self.file.write_all_at(bytes, self.at);
        written.map_err(BenchError::io("write to a raw file"))?;
        self.at += bytes.len() as u64;
        if !self.pad.is_empty() && self.at > self.padded {
            let padded = self.file.write_all_at(&self.pad, self.at);
            padded.map_err(BenchError::io("fill a raw file ahead"))?;
            self.padded = self.at + self.pad.len() as u64;
        }
        self.file.sync_data().map_err(BenchError::io("sync a raw file"))
    }

    /// The median time of so many appends, in microseconds.
    pub(crate) fn p50_us(&mut self, bytes: &[u8], count: usize) -> Result<f64, BenchError> {
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            let watch = Stopwatch::start();
            self.append(bytes)?;
            times.push(watch.micros());
        }
        Ok(median(&times))
    }

    /// Events a second, when each append holds so many.
    pub(crate) fn rate(
        &mut self,
        batch: &[u8],
        events: usize,
        appends: usize,
    ) -> Result<f64, BenchError> {
        let watch = Stopwatch::start();
        for _ in 0..appends {
            self.append(batch)?;
        }
        Ok(float_of(events * appends) / watch.seconds())
    }
}
