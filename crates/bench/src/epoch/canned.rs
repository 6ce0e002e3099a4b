//! A model that thinks in no time: answers were serialised before, one marker in the prompt tells which is due.
//!
//! It speaks streamed OpenAI Chat over kept-alive loopback connections, on a thread of its own, so that its processor
//! time can be told from that of what is measured. It believes everything that it is sent.

use std::{
    fs, io,
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
};

use memchr::memmem;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use crate::{error::BenchError, spread::float};

/// Longest head and body of a request.
const REQUEST_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Characters of one piece of a streamed answer: a few tokens.
const PIECE_CHARS: usize = 24;
/// Stands in a prompt once a tool has answered. Quotes inside strings are escaped, so that no one can say it.
const TOOL_ANSWERED: &[u8] = br#""role":"tool""#;

/// The one call that it asks for.
#[derive(Clone, Debug)]
pub(super) struct CannedCall {
    /// The tool, in our spelling.
    pub(super) tool: &'static str,
    /// Its arguments.
    pub(super) arguments: Value,
}

/// The running model.
#[derive(Debug)]
pub(super) struct Canned {
    address: SocketAddr,
    served: Arc<ServedModel>,
    stop: CancellationToken,
    thread: JoinHandle<()>,
}

#[derive(Debug)]
struct ServedModel {
    calling: Vec<u8>,
    answering: Vec<u8>,
    requests: AtomicU64,
    bytes: AtomicU64,
    /// The thread's place under `/proc`.
    place: OnceLock<PathBuf>,
}

impl Canned {
    /// Starts it on a free port: first this call, then this text, again and again.
    pub(super) fn start(call: &CannedCall, text: &str) -> Result<Self, BenchError> {
        let failed = BenchError::io;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").map_err(failed("open a port"))?;
        let address = listener.local_addr().map_err(failed("open a port"))?;
        listener.set_nonblocking(true).map_err(failed("open a port"))?;
        let served = Arc::new(ServedModel {
            calling: response(&calling(call)),
            answering: response(&answering(text)),
            requests: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            place: OnceLock::new(),
        });
        let stop = CancellationToken::new();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(failed("start a runtime"))?;
        let (theirs, stopped) = (Arc::clone(&served), stop.clone());
        let thread = std::thread::Builder::new().name("canned model".into()).spawn(move || {
            if let Ok(place) = fs::read_link("/proc/thread-self") {
                theirs.place.get_or_init(|| PathBuf::from("/proc").join(place));
            }
            runtime.block_on(stopped.run_until_cancelled(accept(listener, theirs)));
        });
        let thread = thread.map_err(failed("start a thread"))?;
        Ok(Self { address, served, stop, thread })
    }

    /// Where it answers, as `[model] base_url`.
    pub(super) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Requests so far.
    pub(super) fn requests(&self) -> u64 {
        self.served.requests.load(Ordering::Relaxed)
    }

    /// Bytes of all request bodies so far.
    pub(super) fn request_bytes(&self) -> u64 {
        self.served.bytes.load(Ordering::Relaxed)
    }

    /// Processor time of its thread so far, in milliseconds.
    pub(super) fn cpu_ms(&self) -> f64 {
        let Some(place) = self.served.place.get() else { return 0.0 };
        let text = fs::read_to_string(place.join("schedstat")).unwrap_or_default();
        let nanos = text.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(0);
        float(nanos) / 1e6
    }

    /// Ends it.
    pub(super) fn stop(self) {
        self.stop.cancel();
        // A model that panicked has failed the measurement before.
        drop(self.thread.join());
    }
}

async fn accept(listener: std::net::TcpListener, served: Arc<ServedModel>) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                let served = Arc::clone(&served);
                connections.spawn(async move { connection(stream, &served).await });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Answers one request after the other until the client leaves.
async fn connection(mut stream: TcpStream, served: &ServedModel) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut bytes = Vec::with_capacity(64 * 1024);
    loop {
        let Some(body_at) = read_request(&mut stream, &mut bytes).await? else { return Ok(()) };
        let body = bytes.get(body_at..).unwrap_or_default();
        served.requests.fetch_add(1, Ordering::Relaxed);
        served.bytes.fetch_add(body.len() as u64, Ordering::Relaxed);
        let has_result = memmem::rfind(body, TOOL_ANSWERED).is_some();
        let response = if has_result { &served.answering } else { &served.calling };
        stream.write_all(response).await?;
        bytes.clear();
    }
}

/// Reads a whole request, and says where its body begins; `None` when the client has left.
async fn read_request(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<Option<usize>> {
    let mut end = None;
    loop {
        if let Some((body_at, total)) = end.or_else(|| parse_head(bytes)) {
            if bytes.len() >= total {
                return Ok(Some(body_at));
            }
            end = Some((body_at, total));
            bytes.reserve(total - bytes.len());
        }
        if bytes.len() > REQUEST_BYTES_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if stream.read_buf(bytes).await? == 0 {
            return Ok(None);
        }
    }
}

/// Where the body begins and where it ends, once the whole head is there.
fn parse_head(bytes: &[u8]) -> Option<(usize, usize)> {
    let body_at = memmem::find(bytes, b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(bytes.get(..body_at)?).ok()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    Some((body_at, body_at + length.unwrap_or(0).min(REQUEST_BYTES_MAX)))
}

/// The frames of an answer that calls the tool.
fn calling(call: &CannedCall) -> Vec<Value> {
    let name = call.tool.replace('.', "-");
    let arguments = call.arguments.to_string();
    let opening = json!({"index": 0, "id": "call_canned", "type": "function",
                         "function": {"name": name, "arguments": ""}});
    let mut frames = vec![json!({"tool_calls": [opening]})];
    frames.extend(
        pieces(&arguments)
            .map(|piece| json!({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})),
    );
    chunks(frames, "tool_calls")
}

/// The frames of an answer in words.
fn answering(text: &str) -> Vec<Value> {
    chunks(pieces(text).map(|piece| json!({"content": piece})), "stop")
}

fn pieces(text: &str) -> impl Iterator<Item = String> {
    let chars: Vec<char> = text.chars().collect();
    let pieces: Vec<String> =
        chars.chunks(PIECE_CHARS).map(|piece| piece.iter().collect()).collect();
    pieces.into_iter()
}

fn chunks(deltas: impl IntoIterator<Item = Value>, finish: &str) -> Vec<Value> {
    let chunk = |choices: Value, usage: Value| {
        json!({"id": "chatcmpl-canned", "object": "chat.completion.chunk", "created": 0,
               "model": "canned", "choices": choices, "usage": usage})
    };
    let said = deltas.into_iter().map(|delta| {
        chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]), Value::Null)
    });
    let last = chunk(json!([{"index": 0, "delta": {}, "finish_reason": finish}]), Value::Null);
    let usage = json!({"prompt_tokens": 1000, "completion_tokens": 90, "total_tokens": 1090});
    said.chain([last, chunk(json!([]), usage)]).collect()
}

/// The whole response with its head.
fn response(frames: &[Value]) -> Vec<u8> {
    let mut bytes = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
        transfer-encoding: chunked\r\n\r\n"
        .to_vec();
    let frames = frames.iter().map(|frame| format!("data: {frame}\n\n"));
    for event in frames.chain(["data: [DONE]\n\n".to_owned()]) {
        bytes.extend_from_slice(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes());
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    bytes
}

#[cfg(test)]
mod tests {
    use super::{answering, parse_head, response};

    #[test]
    fn a_head_says_where_its_body_ends() {
        let bytes = b"POST /v1 HTTP/1.1\r\nhost: x\r\nContent-Length: 5\r\n\r\n12345";
        assert_eq!(parse_head(bytes), Some((bytes.len() - 5, bytes.len())));
        assert_eq!(parse_head(&bytes[..20]), None);
    }

    #[test]
    fn an_answer_carries_its_words_in_pieces() {
        let text = "x".repeat(60);
        let frames = answering(&text);
        let said: String = frames
            .iter()
            .filter_map(|frame| frame.pointer("/choices/0/delta/content")?.as_str())
            .collect();
        assert_eq!(said, text);
        assert!(response(&frames).ends_with(b"data: [DONE]\n\n\r\n0\r\n\r\n"));
    }
}
