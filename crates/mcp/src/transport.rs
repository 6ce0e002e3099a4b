//! The pipes of a server as a transport of the protocol library.
//!
//! Lines are read and judged here, not by the library: it drops what it cannot read, and whoever waits for that waits on. Whole lines
//! are written by a task of their own, so that a send that is given up never leaves half a message in the pipe.

use std::{io, sync::Arc};

use rmcp::{
    RoleClient,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    sync::mpsc,
};
use tokio_util::sync::CancellationToken;

use crate::{
    incoming::{Outstanding, read_line},
    limits::OUTGOING_MAX,
    lines::{Line, LineSplitter},
    status::Counts,
};

/// How much is read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// Where messages go out and come in.
pub(crate) struct PipeTransport {
    reader: LineReader,
    outgoing: Option<mpsc::Sender<Vec<u8>>>,
    outstanding: Outstanding,
    counts: Arc<Counts>,
    /// Cancelled where the server's stdout ends.
    closed: CancellationToken,
}

impl PipeTransport {
    /// A transport over what a server writes, and the queue of its [`write_lines`].
    pub(crate) fn new(
        stdout: Box<dyn AsyncRead + Send + Unpin>,
        outgoing: mpsc::Sender<Vec<u8>>,
        counts: Arc<Counts>,
        closed: CancellationToken,
    ) -> Self {
        Self {
            reader: LineReader::new(stdout),
            outgoing: Some(outgoing),
            outstanding: Outstanding::default(),
            counts,
            closed,
        }
    }

    /// Writes a line beside the library, before it has the transport.
    pub(crate) async fn send_line(&mut self, line: Vec<u8>) -> io::Result<()> {
        let outgoing = self.outgoing.clone();
        queue(outgoing, line).await
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
        self.outstanding.note(&message);
        let line = serde_json::to_vec(&message).map_err(io::Error::from);
        let outgoing = self.outgoing.clone();
        async move { queue(outgoing, line?).await }
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
        self.outgoing = None;
        Ok(())
    }
}

async fn queue(outgoing: Option<mpsc::Sender<Vec<u8>>>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
    let outgoing = outgoing.ok_or_else(closed)?;
    outgoing.send(line).await.map_err(|_| closed())
}

/// The queue of messages for a server, and the task that writes them; the pipe is closed when the last sender is gone.
pub(crate) fn write_lines(
    mut stdin: Box<dyn AsyncWrite + Send + Unpin>,
) -> (mpsc::Sender<Vec<u8>>, impl Future<Output = ()> + Send) {
    let (sender, mut lines) = mpsc::channel::<Vec<u8>>(OUTGOING_MAX);
    let writing = async move {
        while let Some(line) = lines.recv().await {
            if stdin.write_all(&line).await.is_err() || stdin.flush().await.is_err() {
                break;
            }
        }
    };
    (sender, writing)
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
