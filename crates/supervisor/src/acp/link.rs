//! One connection to an ACP agent: messages as lines over its stdin and stdout, both ways at once.
//!
//! The protocol's own crate has a connection of its own, with queues that have no end; here what an agent can make the keeper hold
//! is bounded. A line that is no message is passed over and logged, for many programs print a word of their own; too many
//! of them in a row end the connection with the text named. It must never know what a message is about.

use std::{io, mem};

use agent_client_protocol::{
    Error as AcpError, JsonRpcMessage, JsonRpcNotification, JsonRpcRequest, RawJsonRpcId,
    RawJsonRpcMessage, RawJsonRpcNotification, RawJsonRpcParams, RawJsonRpcRequest,
    RawJsonRpcResponse, TransportFrame,
};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::disk_limit::DiskExcess;

/// Longest line that is read, in bytes; a tool's whole output may stand in one.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// What may wait to be read by the agent, in bytes: a prompt, and answers to its requests.
const OUTBOX_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Bytes read at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// Lines in a row that are passed over because they are no messages; one more ends the connection.
const NOISE_LINES_MAX: u32 = 1_000;
/// Such lines of one process that are logged.
const NOISE_LOGGED_MAX: u32 = 5;
/// Characters of a line that are shown where it is no message.
const EXCERPT_CHARS_MAX: usize = 200;

/// A message that came.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A request.
    Request {
        /// To be given back with the answer.
        id: RawJsonRpcId,
        /// What it asks for.
        method: String,
        /// With what.
        params: Value,
    },
    /// A notification.
    Notification {
        /// What.
        method: String,
        /// With what.
        params: Value,
    },
    /// An answer to one of our requests.
    Response {
        /// What was asked.
        id: RawJsonRpcId,
        /// The answer.
        result: Result<Value, AcpError>,
    },
}

/// Says why nothing more comes over a connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum LinkError {
    /// The agent closed its output; mostly because it ended.
    #[error("the agent closed its output")]
    Closed,
    /// Nothing but something else than the protocol came for long.
    #[error(
        "the agent wrote more than {NOISE_LINES_MAX} lines in a row to its stdout that are no messages of the Agent Client Protocol (logs belong on stderr), such as `{excerpt}`"
    )]
    Noise {
        /// How it begins.
        excerpt: String,
    },
    /// A line has no end.
    #[error("the agent wrote a line of more than {LINE_BYTES_MAX} bytes to its stdout")]
    TooLong,
    /// The agent asks and does not read the answers.
    #[error("the agent does not read its stdin: more than {OUTBOX_BYTES_MAX} bytes wait for it")]
    Unread,
    /// An answer did not come.
    #[error("the agent did not open its session within {seconds} s")]
    Late {
        /// How long was waited.
        seconds: u64,
    },
    /// The agent keeps more on the disk than it may, and is to be ended.
    #[error("the agent {0}")]
    OverDiskLimit(DiskExcess),
    /// The keeper stops.
    #[error("the keeper is stopping")]
    Stopping,
    /// An answer has not the shape that its method asks for.
    #[error("the agent's answer to {method} has the wrong shape: {message}")]
    Misshapen {
        /// What was asked.
        method: String,
        /// What does not fit.
        message: String,
    },
}

/// One connection.
#[derive(Debug)]
pub(super) struct AcpLink<R, W> {
    reader: R,
    /// None once it was closed, by us or by the agent.
    writer: Option<W>,
    chunk: Vec<u8>,
    unread: Vec<u8>,
    /// How much of `unread` was looked through for an end of line.
    scanned: usize,
    outbox: Vec<u8>,
    /// How much of `outbox` is written.
    written: usize,
    next_id: i64,
    /// Whose it is, for the log.
    agent: String,
    /// Lines that were passed over since the last message.
    noise: u32,
    /// Lines that were logged because they were passed over.
    noise_logged: u32,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> AcpLink<R, W> {
    /// Over these two streams of an agent's process.
    pub(super) fn new(agent: &str, reader: R, writer: W) -> Self {
        Self {
            reader,
            writer: Some(writer),
            chunk: vec![0; CHUNK_BYTES],
            unread: Vec::new(),
            scanned: 0,
            outbox: Vec::new(),
            written: 0,
            next_id: 1,
            agent: agent.to_owned(),
            noise: 0,
            noise_logged: 0,
        }
    }

    /// Queues a request; gives the id that its answer will have.
    pub(super) fn request<M: JsonRpcRequest>(
        &mut self,
        message: &M,
    ) -> Result<RawJsonRpcId, LinkError> {
        let id = RawJsonRpcId::Number(self.next_id);
        self.next_id += 1;
        let (method, params) = parts(message)?;
        let request = RawJsonRpcRequest { id: id.clone(), method: method.into(), params };
        self.enqueue(&request.into())?;
        Ok(id)
    }

    /// Queues a notification.
    pub(super) fn notify<M: JsonRpcNotification>(&mut self, message: &M) -> Result<(), LinkError> {
        let (method, params) = parts(message)?;
        self.enqueue(&RawJsonRpcNotification { method: method.into(), params }.into())
    }

    /// Queues an answer.
    pub(super) fn respond(
        &mut self,
        id: RawJsonRpcId,
        result: Result<Value, AcpError>,
    ) -> Result<(), LinkError> {
        self.enqueue(&RawJsonRpcMessage::response(id, result))
    }

    /// Sends nothing more. The agent sees the end of its input.
    pub(super) fn close(&mut self) {
        self.writer = None;
        self.outbox.clear();
        self.written = 0;
    }

    /// Waits for the next message, sending meanwhile what was left to be sent. Cancel-safe.
    pub(super) async fn next(&mut self) -> Result<Incoming, LinkError> {
        loop {
            while let Some(line) = self.take_line()? {
                if line.trim_ascii().is_empty() {
                    continue;
                }
                match parse(&line) {
                    Some(message) => {
                        self.noise = 0;
                        return Ok(message);
                    }
                    None => self.pass_over(&line)?,
                }
            }
            self.exchange().await?;
        }
    }

    /// What the agent printed and did not mean for us.
    fn pass_over(&mut self, line: &[u8]) -> Result<(), LinkError> {
        self.noise = self.noise.saturating_add(1);
        let excerpt = excerpt(&String::from_utf8_lossy(line));
        if self.noise > NOISE_LINES_MAX {
            return Err(LinkError::Noise { excerpt });
        }
        if self.noise_logged < NOISE_LOGGED_MAX {
            self.noise_logged += 1;
            tracing::warn!(
                agent = self.agent, event = "stdout_line_ignored", %excerpt, lines = self.noise_logged,
                "an ACP agent wrote a line to its stdout that is no message; logs belong on stderr"
            );
        }
        Ok(())
    }

    /// Reads something or writes something.
    async fn exchange(&mut self) -> Result<(), LinkError> {
        let Self { reader, writer, chunk, unread, outbox, written, .. } = self;
        let waiting = outbox.get(*written..).filter(|rest| !rest.is_empty());
        let write = async {
            match (writer.as_mut(), waiting) {
                (Some(writer), Some(waiting)) => writer.write(waiting).await,
                _ => std::future::pending().await,
            }
        };
        let sent = tokio::select! {
            read = reader.read(chunk) => {
                match read {
                    Ok(count) if count > 0 => unread.extend(chunk.iter().take(count)),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    _ => return Err(LinkError::Closed),
                }
                return Ok(());
            }
            sent = write => sent,
        };
        match sent {
            Ok(count) if count > 0 => *written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // It is about to end, or has closed its input: what it still writes is read to the end.
            _ => self.close(),
        }
        if self.written == self.outbox.len() {
            self.outbox.clear();
            self.written = 0;
        }
        Ok(())
    }

    fn take_line(&mut self) -> Result<Option<Vec<u8>>, LinkError> {
        let fresh = self.unread.get(self.scanned..).unwrap_or_default();
        let Some(end) = memchr::memchr(b'\n', fresh).map(|at| self.scanned + at) else {
            self.scanned = self.unread.len();
            let is_too_long = self.unread.len() > LINE_BYTES_MAX;
            return if is_too_long { Err(LinkError::TooLong) } else { Ok(None) };
        };
        let rest = self.unread.split_off(end + 1);
        self.scanned = 0;
        Ok(Some(mem::replace(&mut self.unread, rest)))
    }

    fn enqueue(&mut self, message: &RawJsonRpcMessage) -> Result<(), LinkError> {
        if self.writer.is_none() {
            return Ok(());
        }
        let mut line =
            serde_json::to_vec(message).map_err(|error| misshapen("a message", &error))?;
        line.push(b'\n');
        if self.outbox.len() - self.written + line.len() > OUTBOX_BYTES_MAX {
            return Err(LinkError::Unread);
        }
        self.outbox.drain(..self.written);
        self.written = 0;
        self.outbox.append(&mut line);
        Ok(())
    }
}

/// A failure to read or write a value of the protocol.
pub(super) fn misshapen(method: &str, error: &dyn std::fmt::Display) -> LinkError {
    LinkError::Misshapen { method: method.into(), message: excerpt(&error.to_string()) }
}

fn parts<M: JsonRpcMessage>(message: &M) -> Result<(String, Option<RawJsonRpcParams>), LinkError> {
    let failed = |error: AcpError| misshapen(message.method(), &error);
    let untyped = message.to_untyped_message().map_err(failed)?;
    let params = RawJsonRpcParams::from_value(untyped.params).map_err(failed)?;
    Ok((untyped.method, params))
}

/// Reads a line; none where it is no message.
fn parse(line: &[u8]) -> Option<Incoming> {
    let text = std::str::from_utf8(line).ok()?;
    let TransportFrame::Single(message) = TransportFrame::parse_json(text) else { return None };
    let value =
        |params: Option<RawJsonRpcParams>| params.map_or(Value::Null, RawJsonRpcParams::into_value);
    Some(match message {
        RawJsonRpcMessage::Request(request) => Incoming::Request {
            id: request.id,
            method: request.method.to_string(),
            params: value(request.params),
        },
        RawJsonRpcMessage::Notification(notification) => Incoming::Notification {
            method: notification.method.to_string(),
            params: value(notification.params),
        },
        RawJsonRpcMessage::Response(RawJsonRpcResponse::Result { id, result }) => {
            Incoming::Response { id, result: Ok(result) }
        }
        RawJsonRpcMessage::Response(RawJsonRpcResponse::Error { id, error }) => {
            Incoming::Response { id, result: Err(error.into_acp_error()) }
        }
    })
}

/// The beginning of a text, without control characters.
fn excerpt(text: &str) -> String {
    let shown = text.trim().chars().take(EXCERPT_CHARS_MAX);
    shown.map(|character| if character.is_control() { ' ' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{CancelNotification, PromptRequest};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf};

    use super::{AcpLink, Incoming, LINE_BYTES_MAX, LinkError, NOISE_LINES_MAX, OUTBOX_BYTES_MAX};

    type Both = AcpLink<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

    fn link() -> (Both, DuplexStream) {
        let (ours, theirs) = tokio::io::duplex(1024);
        let (reader, writer) = tokio::io::split(ours);
        (AcpLink::new("felix", reader, writer), theirs)
    }

    async fn next_of(bytes: &[u8]) -> Result<Incoming, LinkError> {
        let (mut link, mut theirs) = link();
        let bytes = bytes.to_vec();
        let feed = async move {
            theirs.write_all(&bytes).await.ok();
        };
        let end = async {
            feed.await;
            std::future::pending::<()>().await;
        };
        tokio::select! {
            incoming = link.next() => incoming,
            () = end => panic!("no message was read"),
        }
    }

    #[tokio::test]
    async fn messages_of_each_kind_are_told_apart() {
        let line = b"\n{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"a\",\"params\":{\"x\":1}}\n";
        assert!(
            matches!(next_of(line).await, Ok(Incoming::Request { method, .. }) if method == "a")
        );
        let line = b"{\"jsonrpc\":\"2.0\",\"method\":\"b\"}\r\n";
        assert!(
            matches!(next_of(line).await, Ok(Incoming::Notification { method, .. }) if method == "b")
        );
        let line =
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32000,\"message\":\"no\"}}\n";
        assert!(matches!(next_of(line).await, Ok(Incoming::Response { result: Err(_), .. })));
    }

    #[tokio::test]
    async fn what_is_no_message_is_passed_over_and_what_follows_is_read() {
        let message = "{\"jsonrpc\":\"2.0\",\"method\":\"b\"}\n";
        for noise in [
            &b"Loading model\x1b[2J...\n"[..],
            b"[]\n",
            b"{\"jsonrpc\":\"1.0\",\"method\":\"x\"}\n",
            b"{\"level\":\"info\",\"msg\":\"ready\"}\n",
            b"\xff\xfe\n",
        ] {
            let bytes = [noise, message.as_bytes()].concat();
            let read = next_of(&bytes).await;
            assert!(matches!(read, Ok(Incoming::Notification { .. })), "{noise:?}: {read:?}");
        }
    }

    #[tokio::test]
    async fn a_program_that_says_hardly_anything_else_is_named() {
        let lines = "Welcome\x1b[2J!\n".repeat(usize::try_from(NOISE_LINES_MAX).unwrap() + 1);
        let Err(LinkError::Noise { excerpt }) = next_of(lines.as_bytes()).await else { panic!() };
        assert_eq!(excerpt, "Welcome [2J!");
    }

    #[tokio::test]
    async fn a_program_that_prints_a_line_with_each_message_may_do_so_for_ever() {
        let (mut link, mut theirs) = link();
        let rounds = NOISE_LINES_MAX + 10;
        let feed = async {
            for _ in 0..rounds {
                let round = b"thinking...\n{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n";
                theirs.write_all(round).await.unwrap();
            }
        };
        let read = async {
            for _ in 0..rounds {
                assert!(matches!(link.next().await, Ok(Incoming::Notification { .. })));
            }
        };
        tokio::join!(feed, read);
    }

    #[tokio::test]
    async fn a_line_that_the_end_cut_off_is_no_noise() {
        assert!(matches!(next_of(b"{\"jsonrpc\":\"2.0\",\"met").await, Err(LinkError::Closed)));
    }

    #[tokio::test]
    async fn a_line_without_an_end_is_refused() {
        let line = vec![b'a'; LINE_BYTES_MAX + 70_000];
        assert!(matches!(next_of(&line).await, Err(LinkError::TooLong)));
    }

    #[tokio::test]
    async fn what_nobody_reads_is_bounded() {
        let (mut link, _theirs) = link();
        let text = "x".repeat(OUTBOX_BYTES_MAX / 2);
        let prompt = PromptRequest::new("s", vec![text.as_str().into()]);
        assert!(link.request(&prompt).is_ok());
        assert!(matches!(link.request(&prompt), Err(LinkError::Unread)));
    }

    #[tokio::test]
    async fn it_reads_while_it_writes_more_than_the_pipe_holds() {
        let (mut link, theirs) = link();
        let text = "x".repeat(100_000);
        link.request(&PromptRequest::new("s", vec![text.as_str().into()])).unwrap();
        link.notify(&CancelNotification::new("s")).unwrap();
        let (mut reader, mut writer) = tokio::io::split(theirs);
        let peer = async move {
            let record = "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}\n".repeat(1000);
            writer.write_all(record.as_bytes()).await.unwrap();
            let mut bytes = vec![0; 100_000];
            reader.read_exact(&mut bytes).await.unwrap();
            writer.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n").await.unwrap();
            drop((reader, writer));
            bytes
        };
        let ours = async {
            let mut notifications = 0;
            while let Incoming::Notification { .. } = link.next().await.unwrap() {
                notifications += 1;
            }
            notifications
        };
        let (notifications, bytes) = tokio::join!(ours, peer);
        assert_eq!(notifications, 1000);
        assert!(bytes.starts_with(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/prompt\""));
    }
}
