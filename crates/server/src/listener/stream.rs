//! The bytes of one connection, and how long each side has waited for its client.
//!
//! A client that reads nothing of what waits for it, or next to nothing, ends with an error of the write. What a client
//! has read is what the system took out of its own buffer, which the listener bounds.

use std::{
    future::Future as _,
    io::{self, IoSlice},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use abide_domain::Peer;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Instant, Sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::limits::now;

/// What a client must read within the time of a write, in bytes, or it counts as one that does not read. Less, and one
/// byte now and then would hold a connection for ever.
const PROGRESS_BYTES_MIN: usize = 16 * 1024;
/// No such time.
const NEVER: u64 = u64::MAX;

/// What is known of a connection outside of its task.
#[derive(Debug)]
pub(crate) struct StreamState {
    peer: Peer,
    opened: Instant,
    /// Milliseconds after the opening of the last byte, either way.
    moved_ms: AtomicU64,
    /// Milliseconds after the opening since which a write waits for the client; `NEVER` while none does.
    blocked_ms: AtomicU64,
    is_admitted: AtomicBool,
    cut: CancellationToken,
}

impl StreamState {
    pub(super) fn new(peer: Peer) -> Self {
        Self {
            peer,
            opened: now(),
            moved_ms: AtomicU64::new(0),
            blocked_ms: AtomicU64::new(NEVER),
            is_admitted: AtomicBool::new(false),
            cut: CancellationToken::new(),
        }
    }

    pub(super) fn peer(&self) -> Peer {
        self.peer
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(now().saturating_duration_since(self.opened).as_millis()).unwrap_or(NEVER)
    }

    /// Something moved on it.
    pub(super) fn touch(&self) {
        self.moved_ms.store(self.elapsed_ms(), Ordering::Relaxed);
    }

    pub(super) fn set_admitted(&self, is_admitted: bool) {
        self.is_admitted.store(is_admitted, Ordering::Relaxed);
    }

    pub(super) fn is_admitted(&self) -> bool {
        self.is_admitted.load(Ordering::Relaxed)
    }

    fn set_blocked(&self, is_blocked: bool) {
        let since = if is_blocked { self.elapsed_ms() } else { NEVER };
        self.blocked_ms.store(since, Ordering::Relaxed);
    }

    /// How long a write has waited for the client, where one does.
    pub(super) fn blocked_for(&self) -> Option<Duration> {
        let since = self.blocked_ms.load(Ordering::Relaxed);
        (since != NEVER).then(|| Duration::from_millis(self.elapsed_ms().saturating_sub(since)))
    }

    /// How long nothing has moved.
    pub(super) fn quiet_for(&self) -> Duration {
        let moved = self.moved_ms.load(Ordering::Relaxed);
        Duration::from_millis(self.elapsed_ms().saturating_sub(moved))
    }

    /// Ends the connection at once.
    pub(super) fn end(&self) {
        self.cut.cancel();
    }

    /// Waits until the connection is to end at once.
    pub(super) async fn cut(&self) {
        self.cut.cancelled().await;
    }
}

/// A socket whose writes end.
#[derive(Debug)]
pub(super) struct BoundedStream {
    socket: TcpStream,
    state: Arc<StreamState>,
    write_time: Duration,
    /// While a write waits: when it ends, and what the client has read since.
    waiting: Option<(Pin<Box<Sleep>>, usize)>,
}

impl BoundedStream {
    pub(super) fn new(socket: TcpStream, state: Arc<StreamState>, write_time: Duration) -> Self {
        Self { socket, state, write_time, waiting: None }
    }

    /// Takes the outcome of a write: counts what was written, and ends one that has waited too long.
    fn written(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match outcome {
            Poll::Ready(Ok(bytes)) => {
                self.state.touch();
                if let Some((_, read)) = &mut self.waiting {
                    *read = read.saturating_add(bytes);
                }
                outcome
            }
            Poll::Ready(Err(_)) => outcome,
            Poll::Pending => self.wait(context),
        }
    }

    fn wait(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let end = now() + self.write_time;
        let (sleep, read) = self.waiting.get_or_insert_with(|| {
            self.state.set_blocked(true);
            (Box::pin(sleep_until(end)), 0)
        });
        if *read >= PROGRESS_BYTES_MIN {
            *read = 0;
            sleep.as_mut().reset(end);
            self.state.set_blocked(true);
        }
        if sleep.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        self.state.end();
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read")))
    }
}

impl AsyncRead for BoundedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.socket).poll_read(context, buffer);
        if outcome.is_ready() {
            self.state.touch();
        }
        outcome
    }
}

impl AsyncWrite for BoundedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.written(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.socket).poll_write_vectored(context, slices);
        self.written(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    /// Everything is written: nothing waits for the client any more.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.waiting.take().is_some() {
            self.state.set_blocked(false);
        }
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}

impl Drop for BoundedStream {
    fn drop(&mut self) {
        if self.state.cut.is_cancelled() {
            // What the client did not read would stay with the system for minutes otherwise.
            drop(self.socket.set_zero_linger());
        }
    }
}
