//! One connection: bytes in become messages for the state, lines out become bytes, as lines or in the frames of a WebSocket,
//! whichever its first bytes ask for. It reads no faster than a client may speak, holds at most one incomplete line, and
//! knows no command.

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
    websocket::{
        FrameEvent, FrameKind, FrameReader, Handshake, REQUEST_START, close_frame, handshake,
        line_frame, pong_frame,
    },
};
use crate::irc::{
    bucket::TokenBucket,
    limits::{CLIENT_BURST, CLIENT_LINE_EVERY, CLOSE_MAX, HANDSHAKE_MAX, WRITE_MAX},
    line::{IrcMessage, LineError, LineSplitter, SplitLine},
};

/// Bytes that are read at once.
const READ_BYTES: usize = 4 * 1024;
/// Answers to pings that may wait to be written.
const CONTROLS_MAX: usize = 4;
/// The code of a WebSocket that ends as it should.
const NORMAL_END: u16 = 1000;
/// Time in which the last frame of a connection that the client ends is written.
const CLOSE_FRAME_MAX: Duration = Duration::from_millis(200);

/// What a connection needs.
pub(super) struct Connection {
    pub(super) id: ClientId,
    pub(super) address: SocketAddr,
    pub(super) outbox: Arc<Outbox>,
    pub(super) inputs: mpsc::Sender<Input>,
    pub(super) clock: Arc<dyn Clock>,
    /// Whether nobody gets in without a password.
    pub(super) is_password_required: bool,
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
        let (mut reader, writer) = split(stream);
        let mut buffer = vec![0; READ_BYTES];
        let mut begun = Vec::new();
        let (controls, controls_rx) = mpsc::channel(CONTROLS_MAX);
        let flush_time_out = async {
            self.outbox.closed().await;
            sleep(CLOSE_MAX).await;
        };
        // The first bytes say whether it is a WebSocket. Until they have, nothing is to be written: the server speaks only
        // when it was spoken to, but for the end.
        let opening = async {
            loop {
                match read_some(&mut reader, &mut buffer).await {
                    Ok(piece) => begun.extend_from_slice(piece),
                    Err(reason) => return Err(reason),
                }
                let is_request = begun.starts_with(REQUEST_START);
                if !is_request && !REQUEST_START.starts_with(&begun) {
                    return Ok(None);
                }
                match is_request.then(|| handshake(&begun, self.is_password_required)) {
                    None | Some(Handshake::Incomplete) => {}
                    Some(other) => return Ok(Some(other)),
                }
            }
        };
        let opened = tokio::select! {
            opened = opening => opened,
            () = self.outbox.closed() => Ok(None),
        };
        let (framing, rest) = match opened {
            Err(reason) => return reason,
            Ok(None | Some(Handshake::Incomplete)) => (Framing::Lines, begun),
            Ok(Some(Handshake::Refused(response))) => {
                let mut writer = writer;
                drop(timeout(WRITE_MAX, writer.write_all(response.as_bytes())).await);
                drop(writer.shutdown().await);
                return "Refused as a WebSocket".to_owned();
            }
            Ok(Some(Handshake::Accepted { response, kind, bytes })) => {
                let rest = begun.split_off(bytes.min(begun.len()));
                drop(controls.send(response.into_bytes()).await);
                (Framing::WebSocket(kind), rest)
            }
        };
        tokio::select! {
            reason = self.read(reader, (framing, rest), controls) => reason,
            () = self.write(writer, framing, controls_rx) => "Connection closed".to_owned(),
            () = flush_time_out => "Connection closed".to_owned(),
        }
    }

    async fn read<S: AsyncRead + AsyncWrite>(
        &self,
        mut reader: ReadHalf<S>,
        (framing, begun): (Framing, Vec<u8>),
        controls: mpsc::Sender<Vec<u8>>,
    ) -> String {
        let mut incoming =
            Incoming { framing, lines: LineSplitter::default(), frames: FrameReader::default() };
        let mut bucket = TokenBucket::new(CLIENT_BURST, CLIENT_LINE_EVERY);
        let mut buffer = vec![0; READ_BYTES];
        let mut piece = begun.as_slice();
        loop {
            for arrival in incoming.feed(piece) {
                let split_line = match arrival {
                    Arrival::Line(split_line) => split_line,
                    Arrival::Ping(content) => {
                        self.wait_for_turn(&mut bucket).await;
                        drop(controls.send(pong_frame(&content)).await);
                        continue;
                    }
                    Arrival::End(code) => {
                        // Sent before the connection is closed by the writer, which sees the end of this queue.
                        drop(controls.send(close_frame(code)).await);
                        drop(controls);
                        sleep(CLOSE_FRAME_MAX).await;
                        return "Connection closed by the client".to_owned();
                    }
                };
                self.wait_for_turn(&mut bucket).await;
                let line = match split_line {
                    SplitLine::Line(line) => IrcMessage::parse(&line),
                    SplitLine::Overlong => Err(LineError::TooLong),
                };
                if self.inputs.send(Input::Line { id: self.id, line }).await.is_err() {
                    return "The server is stopping".to_owned();
                }
            }
            piece = match read_some(&mut reader, &mut buffer).await {
                Ok(piece) => piece,
                Err(reason) => return reason,
            };
        }
    }

    async fn wait_for_turn(&self, bucket: &mut TokenBucket) {
        while let Err(wait) = bucket.take(self.clock.monotonic()) {
            sleep(wait.max(Duration::from_millis(1))).await;
        }
    }

    async fn write<S: AsyncRead + AsyncWrite>(
        &self,
        mut writer: WriteHalf<S>,
        framing: Framing,
        mut controls: mpsc::Receiver<Vec<u8>>,
    ) {
        let mut has_controls = matches!(framing, Framing::WebSocket(_));
        loop {
            let bytes = tokio::select! {
                biased;
                control = controls.recv(), if has_controls => {
                    let Some(control) = control else {
                        has_controls = false;
                        continue;
                    };
                    control
                }
                lines = self.outbox.next() => match (lines, framing) {
                    (Some(lines), Framing::Lines) => lines.concat(),
                    (Some(lines), Framing::WebSocket(kind)) => {
                        lines.iter().flat_map(|line| line_frame(kind, line)).collect()
                    }
                    (None, _) => break,
                },
            };
            // An error is learned by the reader too, which says why; a client that does not read is dropped.
            if !matches!(timeout(WRITE_MAX, writer.write_all(&bytes)).await, Ok(Ok(()))) {
                return;
            }
        }
        if matches!(framing, Framing::WebSocket(_)) {
            drop(timeout(WRITE_MAX, writer.write_all(&close_frame(NORMAL_END))).await);
        }
        drop(writer.shutdown().await);
    }
}

/// In which form lines come and go.
#[derive(Clone, Copy, Debug)]
enum Framing {
    /// As lines.
    Lines,
    /// In frames of a WebSocket.
    WebSocket(FrameKind),
}

/// Finds lines in what comes.
struct Incoming {
    framing: Framing,
    lines: LineSplitter,
    frames: FrameReader,
}

/// What came.
enum Arrival {
    Line(SplitLine),
    Ping(Vec<u8>),
    /// The connection ends, with this code of a WebSocket.
    End(u16),
}

impl Incoming {
    fn feed(&mut self, piece: &[u8]) -> Vec<Arrival> {
        match self.framing {
            Framing::Lines => self.lines.feed(piece).into_iter().map(Arrival::Line).collect(),
            Framing::WebSocket(_) => {
                let events = self.frames.feed(piece);
                events.into_iter().flat_map(|event| self.arrivals(event)).collect()
            }
        }
    }

    fn arrivals(&mut self, event: FrameEvent) -> Vec<Arrival> {
        match event {
            // A message is a line without its end; what has ends all the same is several.
            FrameEvent::Message(mut message) => {
                message.push(b'\n');
                self.lines.feed(&message).into_iter().map(Arrival::Line).collect()
            }
            FrameEvent::Ping(content) => vec![Arrival::Ping(content)],
            FrameEvent::Close => vec![Arrival::End(NORMAL_END)],
            FrameEvent::Broken(code) => vec![Arrival::End(code)],
        }
    }
}

/// Reads what is there; why nothing more comes.
async fn read_some<'a, S: AsyncRead + AsyncWrite>(
    reader: &mut ReadHalf<S>,
    buffer: &'a mut [u8],
) -> Result<&'a [u8], String> {
    match reader.read(buffer).await {
        Ok(0) => Err("Connection closed by the client".to_owned()),
        Ok(count) => Ok(buffer.get(..count).unwrap_or_default()),
        Err(error) => Err(format!("Read error: {}", error.kind())),
    }
}
