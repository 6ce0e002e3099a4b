//! The pipes of a server as a transport of the protocol library.
//!
//! Lines are read and judged here, not by the library: it drops what it cannot read, and whoever waits for that waits on. A send is
//! over once its line is in the outbox, or was refused there.

use std::{future::ready, io, sync::Arc};

use rmcp::{
    RoleClient,
    model::JsonRpcMessage,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio_util::sync::CancellationToken;

use crate::{
    incoming::{Outstanding, read_line},
    lines::{Line, LineSplitter},
    outbox::{Outbox, OutboxError},
    status::Counts,
};

/// How much is read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// Where messages go out and come in.
pub(crate) struct PipeTransport {
    reader: LineReader,
    /// None once it was closed.
    outbox: Option<Outbox>,
    outstanding: Outstanding,
    counts: Arc<Counts>,
    /// Cancelled where the server's stdout ends.
    closed: CancellationToken,
}

impl PipeTransport {
    /// A transport over what a server writes, and what is written to it.
    pub(crate) fn new(
        stdout: Box<dyn AsyncRead + Send + Unpin>,
        outbox: Outbox,
        counts: Arc<Counts>,
        closed: CancellationToken,
    ) -> Self {
        Self {
            reader: LineReader::new(stdout),
            outbox: Some(outbox),
            outstanding: Outstanding::default(),
            counts,
            closed,
        }
    }

    /// Writes a line beside the library, before it has the transport.
    pub(crate) fn send_line(&self, line: Vec<u8>) -> Result<(), OutboxError> {
        self.outbox.as_ref().ok_or(OutboxError::Closed)?.push(line)
    }

    /// Reads a line beside the library, before it has the transport; none at the end.
    pub(crate) async fn next_line(&mut self) -> Option<Line> {
        let line = self.reader.next().await;
        if line.is_none() {
            self.closed.cancel();
        }
        line
    }
}

impl Transport<RoleClient> for PipeTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let line = serde_json::to_vec(&message).map_err(io::Error::from);
        let sent = line.and_then(|line| self.send_line(line).map_err(io::Error::from));
        // A request that did not go out is not waited for.
        if sent.is_ok() || !matches!(message, JsonRpcMessage::Request(_)) {
            self.outstanding.note(&message);
        }
        ready(sent)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let line = self.next_line().await?;
            if let Some(message) = read_line(line, &self.outstanding, &self.counts) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.outbox = None;
        Ok(())
    }
}

/// Lines of a pipe. A reading that is given up loses nothing: what was read stays here.
struct LineReader {
    stdout: Box<dyn AsyncRead + Send + Unpin>,
    splitter: LineSplitter,
    chunk: Vec<u8>,
    /// What of the chunk is not yet split.
    pending: std::ops::Range<usize>,
}

impl LineReader {
    fn new(stdout: Box<dyn AsyncRead + Send + Unpin>) -> Self {
        Self {
            stdout,
            splitter: LineSplitter::default(),
            chunk: vec![0; CHUNK_BYTES],
            pending: 0..0,
        }
    }

    async fn next(&mut self) -> Option<Line> {
        loop {
            while !self.pending.is_empty() {
                let bytes = self.chunk.get(self.pending.clone()).unwrap_or_default();
                let (taken, line) = self.splitter.feed(bytes);
                self.pending.start += taken;
                if line.is_some() {
                    return line;
                }
            }
            match self.stdout.read(&mut self.chunk).await {
                Ok(0) | Err(_) => return None,
                Ok(read) => self.pending = 0..read,
            }
        }
    }
}
