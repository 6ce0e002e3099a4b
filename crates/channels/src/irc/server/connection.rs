//! One connection: bytes in become messages for the state, lines out become bytes. Reads no faster than a client may
//! speak, and holds no more than one incomplete line.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use abide_domain::Clock;
use tokio::{
    io::{
        AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadHalf, WriteHalf, split,
    },
    net::TcpStream,
    sync::mpsc,
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;

use super::{
    outbox::Outbox,
    state::{ClientId, Input},
};
use crate::irc::{
    bucket::TokenBucket,
    limits::{CLIENT_BURST, CLIENT_LINE_EVERY, CLOSE_MAX, HANDSHAKE_MAX, WRITE_MAX},
    line::{IrcMessage, LineError, LineSplitter, SplitLine},
};

/// Bytes that are read at once.
const READ_BYTES: usize = 4 * 1024;

/// What a connection needs.
pub(super) struct Connection {
    pub(super) id: ClientId,
    pub(super) address: SocketAddr,
    pub(super) outbox: Arc<Outbox>,
    pub(super) inputs: mpsc::Sender<Input>,
    pub(super) clock: Arc<dyn Clock>,
}

impl Connection {
    /// Serves until either side ends it, and reports its end last.
    pub(super) async fn serve(self, stream: TcpStream, tls: Option<TlsAcceptor>) {
        // Without it small lines wait for the peer's acknowledgement; a socket that refuses it works as well.
        drop(stream.set_nodelay(true));
        let reason = match tls {
            None => self.run(stream).await,
            Some(tls) => match timeout(HANDSHAKE_MAX, tls.accept(stream)).await {
                Ok(Ok(stream)) => self.run(stream).await,
                Ok(Err(error)) => format!("TLS handshake failed: {error}"),
                Err(_) => "TLS handshake timed out".to_owned(),
            },
        };
        tracing::debug!(
            event = "irc_connection_closed", channel = "irc", client = self.id.0,
            address = %self.address, reason, "IRC connection closed"
        );
        // The server may have ended; then nobody waits for this.
        drop(self.inputs.send(Input::Closed { id: self.id, reason }).await);
    }

    async fn run<S: AsyncRead + AsyncWrite>(&self, stream: S) -> String {
        let (reader, writer) = split(stream);
        let flush_time_out = async {
            self.outbox.closed().await;
            sleep(CLOSE_MAX).await;
        };
        tokio::select! {
            reason = self.read(reader) => reason,
            () = self.write(writer) => "Connection closed".to_owned(),
            () = flush_time_out => "Connection closed".to_owned(),
        }
    }

    async fn read<S: AsyncRead + AsyncWrite>(&self, mut reader: ReadHalf<S>) -> String {
        let mut splitter = LineSplitter::default();
        let mut bucket = TokenBucket::new(CLIENT_BURST, CLIENT_LINE_EVERY);
        let mut buffer = vec![0; READ_BYTES];
        loop {
            let piece = match reader.read(&mut buffer).await {
                Ok(0) => return "Connection closed by the client".to_owned(),
                Ok(count) => buffer.get(..count).unwrap_or_default(),
                Err(error) => return format!("Read error: {}", error.kind()),
            };
            for split_line in splitter.feed(piece) {
                self.wait_for_turn(&mut bucket).await;
                let line = match split_line {
                    SplitLine::Line(line) => IrcMessage::parse(&line),
                    SplitLine::Overlong => Err(LineError::TooLong),
                };
                if self.inputs.send(Input::Line { id: self.id, line }).await.is_err() {
                    return "The server is stopping".to_owned();
                }
            }
        }
    }

    async fn wait_for_turn(&self, bucket: &mut TokenBucket) {
        while let Err(wait) = bucket.take(self.clock.monotonic()) {
            sleep(wait.max(Duration::from_millis(1))).await;
        }
    }

    async fn write<S: AsyncRead + AsyncWrite>(&self, mut writer: WriteHalf<S>) {
        while let Some(lines) = self.outbox.next().await {
            let bytes = lines.concat();
            // An error is learned by the reader too, which says why; a client that does not read is dropped.
            if !matches!(timeout(WRITE_MAX, writer.write_all(&bytes)).await, Ok(Ok(()))) {
                return;
            }
        }
        drop(writer.shutdown().await);
    }
}
