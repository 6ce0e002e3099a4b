//! Frames over pipes and sockets: the only part of the wire that does I/O.
//!
//! Both ends may be dropped between any two polls and go on where they were: a frame is never half lost.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::{
    deframe::{CutOffError, DeframeEvent, Deframer, LostBoundaryError},
    limits::CHUNK_BYTES,
    message::{Body, EncodeError, Message},
    message_type::Direction,
};

/// A buffer that once held a large frame is given back above this many bytes.
const BUFFER_BYTES_MAX: usize = 1024 * 1024;

/// Why no frame could be read. The link must be closed.
#[derive(Debug, thiserror::Error)]
pub enum FrameReadError {
    /// The pipe or socket failed.
    #[error("cannot read from the peer")]
    Io(#[from] io::Error),
    /// The peer sent something else than frames.
    #[error(transparent)]
    Lost(#[from] LostBoundaryError),
    /// The peer ended inside a frame.
    #[error(transparent)]
    CutOff(#[from] CutOffError),
}

/// Counts received bytes: each is a sign of life, also within an incomplete frame.
#[derive(Clone, Debug, Default)]
pub struct ReceivedBytes(Arc<AtomicU64>);

impl ReceivedBytes {
    /// Bytes since the link was opened.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// Reads frames from a pipe or socket.
#[derive(Debug)]
pub struct FrameReader<R> {
    source: R,
    chunk: Vec<u8>,
    /// What of the chunk is not taken yet.
    begin: usize,
    end: usize,
    deframer: Deframer,
    received: ReceivedBytes,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    /// Reads what goes in one direction, from a frame boundary on.
    pub fn new(source: R, direction: Direction) -> Self {
        Self {
            source,
            chunk: vec![0; CHUNK_BYTES],
            begin: 0,
            end: 0,
            deframer: Deframer::new(direction),
            received: ReceivedBytes::default(),
        }
    }

    /// A counter to watch from elsewhere.
    pub fn received(&self) -> ReceivedBytes {
        self.received.clone()
    }

    /// The next frame, or one that is refused; `None` when the peer has ended between two frames. May be cancelled.
    pub async fn next(&mut self) -> Result<Option<DeframeEvent>, FrameReadError> {
        loop {
            let mut input = self.chunk.get(self.begin..self.end).unwrap_or_default();
            let event = self.deframer.take(&mut input);
            self.begin = self.end - input.len();
            if let Some(event) = event? {
                return Ok(Some(event));
            }
            self.begin = 0;
            self.end = 0;
            let bytes = self.source.read(&mut self.chunk).await?;
            if bytes == 0 {
                self.deframer.finish()?;
                return Ok(None);
            }
            self.received.add(bytes);
            self.end = bytes;
        }
    }
}

/// Why a message was not sent.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// It cannot be encoded; the link is fine.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The pipe or socket failed: the link must be closed.
    #[error("cannot write to the peer")]
    Io(#[from] io::Error),
}

/// Writes messages to a pipe or socket, as frames.
#[derive(Debug)]
pub struct FrameWriter<W> {
    sink: W,
    pending: Vec<u8>,
    written: usize,
}

impl<W: AsyncWrite + Unpin> FrameWriter<W> {
    /// Writes from a frame boundary on.
    pub fn new(sink: W) -> Self {
        Self { sink, pending: Vec::new(), written: 0 }
    }

    /// Sends one message. If this is cancelled, the next sending first finishes it: frames stay whole.
    pub async fn send<B: Body>(&mut self, message: &Message<B>) -> Result<(), WriteError> {
        self.drain().await?;
        message.encode_into(&mut self.pending)?;
        self.drain().await?;
        Ok(())
    }

    /// Sends a frame that is encoded already.
    pub async fn send_encoded(&mut self, frame: &[u8]) -> Result<(), WriteError> {
        self.drain().await?;
        self.pending.extend_from_slice(frame);
        self.drain().await?;
        Ok(())
    }

    async fn drain(&mut self) -> io::Result<()> {
        while let Some(rest) = self.pending.get(self.written..).filter(|rest| !rest.is_empty()) {
            let bytes = self.sink.write(rest).await?;
            if bytes == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.written += bytes;
        }
        self.pending.clear();
        self.pending.shrink_to(BUFFER_BYTES_MAX);
        self.written = 0;
        self.sink.flush().await
    }
}
