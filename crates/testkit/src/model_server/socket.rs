//! One HTTP/1.1 connection, byte by byte: reads requests, writes heads and bodies, breaks where it is told to.
//!
//! Written by hand because the faults need the socket itself: a server library would repair or hide them.

use std::io;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task,
};

use super::{
    render::RepeatedBytes,
    reply::{EarlyEnd, Ending},
};

/// Longest head of a request, in bytes.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Longest body of a request that is read at all, in bytes.
const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A request as it stood on the wire.
#[derive(Debug)]
pub(super) struct RawRequest {
    pub(super) method: String,
    /// Without the query.
    pub(super) path: String,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl RawRequest {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// A response ready to be written.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) content_type: &'static str,
    pub(super) headers: Vec<(String, String)>,
    pub(super) parts: Vec<RepeatedBytes>,
    /// Sent in chunks of unannounced number, as streams are.
    pub(super) is_stream: bool,
    pub(super) ending: Ending,
    pub(super) dribble: Option<usize>,
}

impl Response {
    /// A whole response of one part.
    pub(super) fn json(status: u16, body: String) -> Self {
        Self {
            status,
            content_type: "application/json",
            headers: Vec::new(),
            parts: vec![RepeatedBytes::once(body)],
            is_stream: false,
            ending: Ending::Whole,
            dribble: None,
        }
    }
}

/// What became of a connection after a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectionFate {
    /// The next request may come.
    Open,
    /// The fake ended it, as told.
    Closed,
    /// The client left first.
    HungUp,
}

/// A connection to one client.
#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Socket {
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        // Without this, small writes of a dribbled body wait for acknowledgements.
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(16 * 1024) })
    }

    /// The next request; none at an orderly end between requests.
    pub(super) async fn read(&mut self) -> io::Result<Option<RawRequest>> {
        let head_bytes = loop {
            if let Some(end) = memchr::memmem::find(&self.buffer, b"\r\n\r\n") {
                break end + 4;
            }
            if self.buffer.len() > HEAD_BYTES_MAX {
                return Err(io::Error::other("the head of the request is too long"));
            }
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        };
        let rest = self.buffer.split_off(head_bytes);
        let head = std::mem::replace(&mut self.buffer, rest);
        let mut request = parse_head(&String::from_utf8_lossy(&head));
        let length = request.header("content-length").map_or(Ok(0), str::parse::<usize>);
        let Some(length) = length.ok().filter(|length| *length <= BODY_BYTES_MAX) else {
            return Err(io::Error::other("the length of the body is no number or too large"));
        };
        while self.buffer.len() < length {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
        let rest = self.buffer.split_off(length);
        request.body = std::mem::replace(&mut self.buffer, rest);
        Ok(Some(request))
    }

    /// Ends when the client leaves.
    pub(super) async fn left(&mut self) {
        let mut byte = [0; 1];
        while matches!(self.stream.read(&mut byte).await, Ok(1..)) {}
    }

    /// Bytes that were prepared beforehand, head included.
    pub(super) async fn write_prepared(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Writes a response, or as much of it as its ending allows.
    pub(super) async fn write(&mut self, response: &Response) -> io::Result<ConnectionFate> {
        let (how, mut budget) = match response.ending {
            Ending::Whole => (None, usize::MAX),
            Ending::Early { how, after_bytes: None } => return Ok(self.end(how).await),
            Ending::Early { how, after_bytes: Some(bytes) } => (Some(how), bytes),
        };
        let mut out = head(response);
        for part in &response.parts {
            for _ in 0..part.times {
                let allowed = part.bytes.get(..budget).unwrap_or(&part.bytes);
                self.body(&mut out, allowed, response).await?;
                budget -= allowed.len();
                if budget == 0 {
                    break;
                }
            }
        }
        if let Some(how) = how {
            self.stream.write_all(&out).await?;
            return Ok(self.end(how).await);
        }
        if response.is_stream {
            out.extend_from_slice(b"0\r\n\r\n");
        }
        self.stream.write_all(&out).await?;
        Ok(ConnectionFate::Open)
    }

    /// Adds bytes of a body to what waits to be written, and writes it where it is time.
    async fn body(
        &mut self,
        out: &mut Vec<u8>,
        bytes: &[u8],
        response: &Response,
    ) -> io::Result<()> {
        /// What waits at most, so that a huge reply is never in memory as a whole.
        const WAITING_BYTES_MAX: usize = 64 * 1024;
        for piece in bytes.chunks(response.dribble.unwrap_or(usize::MAX)) {
            if response.is_stream {
                out.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
                out.extend_from_slice(piece);
                out.extend_from_slice(b"\r\n");
            } else {
                out.extend_from_slice(piece);
            }
            if response.dribble.is_some() || out.len() > WAITING_BYTES_MAX {
                self.stream.write_all(out).await?;
                out.clear();
                task::yield_now().await;
            }
        }
        Ok(())
    }

    async fn end(&mut self, how: EarlyEnd) -> ConnectionFate {
        match how {
            EarlyEnd::Cut => ConnectionFate::Closed,
            EarlyEnd::Reset => {
                // Closing with zero linger sends a reset. Where the system refuses, the client sees a cut.
                drop(self.stream.set_zero_linger());
                ConnectionFate::Closed
            }
            EarlyEnd::Silence => {
                self.left().await;
                ConnectionFate::HungUp
            }
        }
    }
}

fn parse_head(head: &str) -> RawRequest {
    let mut lines = head.split("\r\n");
    let mut start = lines.next().unwrap_or_default().split(' ');
    let method = start.next().unwrap_or_default().to_owned();
    let target = start.next().unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default().to_owned();
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers =
        headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect();
    RawRequest { method, path, headers, body: Vec::new() }
}

/// Status line and headers with the empty line after them.
pub(super) fn head(response: &Response) -> Vec<u8> {
    let length = if response.is_stream {
        "transfer-encoding: chunked".to_owned()
    } else {
        let bytes: usize = response.parts.iter().map(|part| part.bytes.len() * part.times).sum();
        format!("content-length: {bytes}")
    };
    let mut lines = vec![
        format!("HTTP/1.1 {} {}", response.status, reason(response.status)),
        format!("content-type: {}", response.content_type),
        length,
    ];
    lines.extend(response.headers.iter().map(|(name, value)| format!("{name}: {value}")));
    format!("{}\r\n\r\n", lines.join("\r\n")).into_bytes()
}

const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        404 => "Not Found",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        529 => "Site is overloaded",
        _ => "Unnamed",
    }
}
