//! The line below a mail library: it gives one byte at a time and not more than a talk may have.
//!
//! A library reads ahead, and checks the length of an answer when it has all of it. One byte at a time, there is nothing
//! that was read before TLS began and is taken for what is said after, and nothing that grows without an end. A talk has
//! few bytes: that it costs a call for each does not matter. It must never be read from but through here.

use std::{
    fmt,
    io::{self, ErrorKind},
    net::SocketAddr,
    pin::Pin,
    task::{Context, Poll, ready},
};

use lettre::transport::smtp::client::AsyncTokioStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// All that a server may say in one talk, its certificates included where TLS begins on this line.
const READ_BYTES_MAX: usize = 32 * 1_024;

/// Line ends in it. The library reads an answer of many lines anew with each of them. (In what TLS says, every 256th byte
/// looks like one.)
const LINES_MAX: usize = 400;

/// What a line goes over: a socket, or TLS over one.
pub(super) trait Transport:
    AsyncRead + AsyncWrite + fmt::Debug + Send + Sync + Unpin
{
}
impl<T: AsyncRead + AsyncWrite + fmt::Debug + Send + Sync + Unpin> Transport for T {}

/// A line to a mail server. Its end is an error, and so is what is beyond the bound.
#[derive(Debug)]
pub(super) struct BoundedStream {
    transport: Box<dyn Transport>,
    peer: SocketAddr,
    left: usize,
    lines_left: usize,
}

impl BoundedStream {
    /// A line over this way to that peer.
    pub(super) fn new(transport: Box<dyn Transport>, peer: SocketAddr) -> Self {
        Self { transport, peer, left: READ_BYTES_MAX, lines_left: LINES_MAX }
    }
}

impl AsyncRead for BoundedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if buf.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        if self.left == 0 || self.lines_left == 0 {
            return Poll::Ready(Err(ErrorKind::InvalidData.into()));
        }
        let mut byte = [0];
        let mut byte = ReadBuf::new(&mut byte);
        ready!(Pin::new(&mut self.transport).poll_read(cx, &mut byte))?;
        if byte.filled().is_empty() {
            return Poll::Ready(Err(ErrorKind::UnexpectedEof.into()));
        }
        buf.put_slice(byte.filled());
        self.left = self.left.saturating_sub(1);
        if byte.filled() == b"\n" {
            self.lines_left = self.lines_left.saturating_sub(1);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for BoundedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.transport).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_shutdown(cx)
    }
}

impl AsyncTokioStream for BoundedStream {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.peer)
    }
}

#[cfg(test)]
mod tests {
    use std::{io::ErrorKind, net::SocketAddr};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::{BoundedStream, LINES_MAX, READ_BYTES_MAX};

    #[tokio::test]
    async fn a_line_never_reads_ahead_and_has_an_end() {
        let peer = SocketAddr::from(([127, 0, 0, 1], 25));
        let (transport, mut far) = tokio::io::duplex(READ_BYTES_MAX + 1);
        far.write_all(&vec![b'x'; READ_BYTES_MAX + 1]).await.unwrap();
        let mut line = BoundedStream::new(Box::new(transport), peer);
        let mut buffer = vec![0; READ_BYTES_MAX];
        assert_eq!(line.read(&mut buffer).await.unwrap(), 1, "one byte, whatever there is");
        assert_eq!(line.read_exact(&mut buffer[1..]).await.unwrap(), READ_BYTES_MAX - 1);
        assert_eq!(line.read(&mut buffer).await.unwrap_err().kind(), ErrorKind::InvalidData);

        let (transport, mut far) = tokio::io::duplex(READ_BYTES_MAX);
        far.write_all(&vec![b'\n'; LINES_MAX + 1]).await.unwrap();
        let mut line = BoundedStream::new(Box::new(transport), peer);
        line.read_exact(&mut buffer[..LINES_MAX]).await.unwrap();
        assert_eq!(line.read(&mut buffer).await.unwrap_err().kind(), ErrorKind::InvalidData);

        let (transport, far) = tokio::io::duplex(1);
        drop(far);
        let mut line = BoundedStream::new(Box::new(transport), peer);
        assert_eq!(line.read(&mut buffer).await.unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }
}
