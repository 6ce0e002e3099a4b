//! A blocking HTTP client that shows what came over the wire, chunk by chunk.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::{Shutdown, TcpStream},
    time::Duration,
};

use abide_testkit::{FakeDialect, ModelServer};
use serde_json::{Value, json};

/// The header that Anthropic's dialect demands; the others ignore it.
const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// How a response ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Whole,
    Cut,
    Reset,
}

/// What a client got.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
    pub(crate) chunks: Vec<usize>,
    pub(crate) end: End,
}

impl Got {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The JSON of each event or line of a stream.
    pub(crate) fn events(&self) -> Vec<Value> {
        let lines = self.body.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
        lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

/// A request that every dialect takes: one message of the user.
pub(crate) fn hello(dialect: FakeDialect, stream: bool) -> Value {
    ask(dialect, "hello", stream)
}

/// A request with this message of the user and the two memory tools.
pub(crate) fn ask(dialect: FakeDialect, text: &str, stream: bool) -> Value {
    let schema = json!({"type": "object", "properties": {}});
    let names = ["memory__remember_fact", "memory__search_facts"];
    let function = |name: &str| json!({"name": name, "description": "d", "parameters": schema});
    let nested: Value =
        names.iter().map(|name| json!({"type": "function", "function": function(name)})).collect();
    let messages = json!([{"role": "user", "content": text}]);
    match dialect {
        FakeDialect::OpenAiChat => json!({"model": "m", "messages": messages, "tools": nested,
            "stream": stream, "stream_options": {"include_usage": true}}),
        FakeDialect::OpenAiResponses => {
            let tools: Value = names
                .iter()
                .map(|name| json!({"type": "function", "name": name, "parameters": schema}))
                .collect();
            json!({"model": "m", "input": messages, "tools": tools, "stream": stream})
        }
        FakeDialect::Anthropic => {
            let tools: Value =
                names.iter().map(|name| json!({"name": name, "input_schema": schema})).collect();
            json!({"model": "m", "max_tokens": 100, "messages": messages, "tools": tools, "stream": stream})
        }
        FakeDialect::Ollama => json!({"model": "m", "messages": messages, "tools": nested,
            "stream": stream, "options": {"num_ctx": 8192}}),
    }
}

/// Adds the model's call and its result to a request, as the dialect wants them.
pub(crate) fn with_result(dialect: FakeDialect, mut body: Value, id: &str, result: &str) -> Value {
    let name = "memory__search_facts";
    let items = match dialect {
        FakeDialect::OpenAiChat => vec![
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function",
                   "function": {"name": name, "arguments": "{}"}}]}),
            json!({"role": "tool", "tool_call_id": id, "content": result}),
        ],
        FakeDialect::OpenAiResponses => vec![
            json!({"type": "function_call", "call_id": id, "name": name, "arguments": "{}"}),
            json!({"type": "function_call_output", "call_id": id, "output": result}),
        ],
        FakeDialect::Anthropic => vec![
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": {}}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": result}]}),
        ],
        FakeDialect::Ollama => vec![
            json!({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": name, "arguments": {}}}]}),
            json!({"role": "tool", "tool_name": name, "content": result}),
        ],
    };
    let key = if dialect == FakeDialect::OpenAiResponses { "input" } else { "messages" };
    body[key].as_array_mut().unwrap().extend(items);
    body
}

/// Posts a request and reads the response to its end.
pub(crate) fn post(server: &ModelServer, dialect: FakeDialect, body: &Value) -> Got {
    send(server, "POST", dialect.path(), &[VERSION], &body.to_string())
}

/// Posts a request to a server that will fall silent: leaves at once, and reads what came before.
pub(crate) fn post_and_leave(server: &ModelServer, dialect: FakeDialect, body: &Value) -> Got {
    let mut stream = connect(server);
    write(&mut stream, "POST", dialect.path(), &[VERSION], &body.to_string());
    stream.shutdown(Shutdown::Write).unwrap();
    receive(&mut stream)
}

pub(crate) fn get(server: &ModelServer, path: &str, headers: &[(&str, &str)]) -> Got {
    send(server, "GET", path, headers, "")
}

pub(crate) fn send(
    server: &ModelServer,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Got {
    let mut stream = connect(server);
    write(&mut stream, method, path, headers, body);
    receive(&mut stream)
}

pub(crate) fn connect(server: &ModelServer) -> TcpStream {
    let stream = TcpStream::connect(server.url().trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

pub(crate) fn write(
    stream: &mut TcpStream,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) {
    let mut lines = vec![
        format!("{method} {path} HTTP/1.1\r\nhost: fake\r\ncontent-type: application/json"),
        format!("content-length: {}", body.len()),
    ];
    lines.extend(headers.iter().map(|(name, value)| format!("{name}: {value}")));
    stream.write_all(format!("{}\r\n\r\n{body}", lines.join("\r\n")).as_bytes()).unwrap();
}

/// Reads one response.
pub(crate) fn receive(stream: &mut TcpStream) -> Got {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(got) = parse(&bytes, End::Whole) {
            return got;
        }
        let mut buffer = [0; 16 * 1024];
        match stream.read(&mut buffer) {
            Ok(0) => break End::Cut,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break End::Reset,
            Err(error) => panic!("{error} after {} bytes", bytes.len()),
        }
    };
    parse(&bytes, end).unwrap()
}

/// The response in these bytes. As long as more may come (`End::Whole`), only a complete one counts.
fn parse(bytes: &[u8], end: End) -> Option<Got> {
    let Some(head_bytes) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        let head = String::from_utf8_lossy(bytes).into_owned();
        let nothing = Got { status: 0, head, body: String::new(), chunks: Vec::new(), end };
        return (end != End::Whole).then_some(nothing);
    };
    let head = String::from_utf8_lossy(&bytes[..head_bytes]).into_owned();
    let rest = &bytes[head_bytes + 4..];
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let is_chunked = head.contains("chunked");
    let (body, chunks, is_complete) = if is_chunked { dechunk(rest) } else { plain(&head, rest) };
    let body = String::from_utf8_lossy(&body).into_owned();
    (is_complete || end != End::Whole).then_some(Got { status, head, body, chunks, end })
}

fn plain(head: &str, rest: &[u8]) -> (Vec<u8>, Vec<usize>, bool) {
    let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
    let is_complete = rest.len() == length.parse::<usize>().unwrap();
    (rest.to_owned(), Vec::new(), is_complete)
}

fn dechunk(mut rest: &[u8]) -> (Vec<u8>, Vec<usize>, bool) {
    let (mut body, mut chunks) = (Vec::new(), Vec::new());
    while let Some(line) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&rest[..line]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return (body, chunks, rest.len() >= line + 4);
        }
        let after = &rest[line + 2..];
        let here = after.get(..size).unwrap_or(after);
        body.extend_from_slice(here);
        chunks.push(here.len());
        rest = after.get(size + 2..).unwrap_or_default();
    }
    (body, chunks, false)
}
