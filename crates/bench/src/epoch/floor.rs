//! An epoch without Abide: the same two exchanges with the model and four synced writes of the same bytes, one after the
//! other on one thread. Nothing can be durable at the same four places and be faster, but by doing things at once.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
};

use super::canned::Canned;
use crate::{error::BenchError, raw::RawLog, system::Stopwatch};

/// Places at which an epoch must be durable: accepted, intent, outcome, commit.
const SYNCS: usize = 4;
/// The end of a chunked body.
const BODY_END: &[u8] = b"0\r\n\r\n";

/// What an epoch moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct EpochLoad {
    /// Bytes of one request to the model.
    pub(super) request_bytes: usize,
    /// Bytes of the log.
    pub(super) ledger_bytes: usize,
}

/// The raw loop.
#[derive(Debug)]
pub(super) struct RawLoop {
    log: RawLog,
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl RawLoop {
    /// A file of its own and a connection of its own.
    pub(super) fn open(file: &Path, canned: &Canned) -> Result<Self, BenchError> {
        let stream = TcpStream::connect(canned.address()).map_err(BenchError::io("connect"))?;
        stream.set_nodelay(true).map_err(BenchError::io("connect"))?;
        Ok(Self { log: RawLog::create(file, 0)?, stream, buffer: vec![0; 64 * 1024] })
    }

    /// The times of so many epochs, in milliseconds.
    pub(super) fn epochs(&mut self, load: EpochLoad, count: usize) -> Result<Vec<f64>, BenchError> {
        let [first, second] = [false, true].map(|answered| request(load.request_bytes, answered));
        let part = vec![b'x'; load.ledger_bytes / SYNCS];
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            let watch = Stopwatch::start();
            self.log.append(&part)?;
            self.exchange(&first)?;
            self.log.append(&part)?;
            self.log.append(&part)?;
            self.exchange(&second)?;
            self.log.append(&part)?;
            times.push(watch.millis());
        }
        Ok(times)
    }

    fn exchange(&mut self, request: &[u8]) -> Result<(), BenchError> {
        self.stream.write_all(request).map_err(BenchError::io("ask the canned model"))?;
        let mut end = Vec::with_capacity(2 * BODY_END.len());
        loop {
            let count = self.stream.read(&mut self.buffer);
            let count = count.map_err(BenchError::io("hear the canned model"))?;
            let came = self.buffer.get(..count).unwrap_or_default();
            end.extend_from_slice(came.get(count.saturating_sub(BODY_END.len())..).unwrap_or(came));
            if end.ends_with(BODY_END) {
                return Ok(());
            }
            if count == 0 {
                return Err(BenchError::Wrong("the canned model broke off".into()));
            }
            end.drain(..end.len().saturating_sub(BODY_END.len()));
        }
    }
}

/// A request with a body of about that length, before or after the tool has answered.
fn request(bytes: usize, answered: bool) -> Vec<u8> {
    let role = if answered { "tool" } else { "user" };
    let filler = "x".repeat(bytes.saturating_sub(64));
    let body =
        format!(r#"{{"stream":true,"messages":[{{"role":"{role}","content":"{filler}"}}]}}"#);
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    [head.into_bytes(), body.into_bytes()].concat()
}
