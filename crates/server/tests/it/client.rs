//! A plain HTTP/1.1 caller over a socket: what it sends is exactly what a test says, with no library's manners.

use std::{
    collections::VecDeque,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

/// Longest wait for an answer; nothing is asserted about how long one takes.
const PATIENCE: Duration = Duration::from_mins(1);

/// A caller.
#[derive(Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    token: Option<String>,
    patience: Duration,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Its status.
    pub(crate) status: u16,
    /// Its header, lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// Its body.
    pub(crate) text: String,
}

impl Answer {
    /// A header's value; empty where there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The code of the error that it reports.
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

impl Client {
    /// A caller with a token, or without.
    pub(crate) fn new(address: SocketAddr, token: Option<String>) -> Self {
        Self { address, token, patience: PATIENCE }
    }

    /// The same, but it leaves when it has no answer after so long.
    pub(crate) fn with_patience(&self, patience: Duration) -> Self {
        Self { patience, ..self.clone() }
    }

    /// The same without its token.
    pub(crate) fn anonymous(&self) -> Self {
        Self { token: None, ..self.clone() }
    }

    /// Reads.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], "")
    }

    /// Reads what must be there.
    pub(crate) fn read(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }

    /// Writes JSON.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &[("content-type", "application/json")], &body.to_string())
    }

    /// Says something and waits for the epoch's end.
    pub(crate) fn say(&self, message: &str) -> Value {
        let answer = self.post("/start-epoch?wait=1", &serde_json::json!({ "message": message }));
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// Sends a request with these headers beside `Host` and the token.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        self.attempt(method, path, headers, body).expect("the connection broke off")
    }

    /// The same where the keeper may die over it.
    pub(crate) fn attempt(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Option<Answer> {
        let mut reader = BufReader::new(self.open(method, path, headers, body)?);
        let (status, headers) = read_head(&mut reader)?;
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).ok()?;
        let is_chunked =
            headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        let bytes = if is_chunked { dechunk(&bytes) } else { bytes };
        Some(Answer { status, headers, text: String::from_utf8(bytes).unwrap() })
    }

    /// Opens a stream of events.
    pub(crate) fn events(&self, path: &str, headers: &[(&str, &str)]) -> Events {
        self.try_events(path, headers).expect("the stream was refused")
    }

    /// The same where the keeper may be dead or not ready yet.
    pub(crate) fn try_events(&self, path: &str, headers: &[(&str, &str)]) -> Option<Events> {
        let mut reader = BufReader::new(self.open("GET", path, headers, "")?);
        let (status, _) = read_head(&mut reader)?;
        (status == 200).then(|| Events { reader, buffer: String::new(), ready: VecDeque::new() })
    }

    fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Option<TcpStream> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        stream.set_read_timeout(Some(self.patience)).unwrap();
        let mut lines = vec![format!("{method} {path} HTTP/1.1"), "connection: close".to_owned()];
        if !headers.iter().any(|(name, _)| *name == "host") {
            lines.push(format!("host: {}", self.address));
        }
        lines.extend(self.token.iter().map(|token| format!("authorization: Bearer {token}")));
        lines.extend(headers.iter().map(|(name, value)| format!("{name}: {value}")));
        if !body.is_empty() || method != "GET" {
            lines.push(format!("content-length: {}", body.len()));
        }
        let request = format!("{}\r\n\r\n{body}", lines.join("\r\n"));
        // What is refused before all of it has come is answered all the same.
        drop(stream.write_all(request.as_bytes()));
        Some(stream)
    }
}

fn read_head(reader: &mut BufReader<TcpStream>) -> Option<(u16, Vec<(String, String)>)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let status = line.split(' ').nth(1)?.parse().ok()?;
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            return Some((status, headers));
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
}

fn dechunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some(at) = bytes.windows(2).position(|pair| pair == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..at]).unwrap(), 16).unwrap();
        let start = at + 2;
        out.extend_from_slice(&bytes[start..start + size]);
        bytes = &bytes[(start + size + 2).min(bytes.len())..];
    }
    out
}

/// A server-sent event.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Event {
    /// Its id; none for what is not in the ledger.
    pub(crate) id: Option<u64>,
    /// Its kind.
    pub(crate) kind: String,
    /// Its data.
    pub(crate) data: Value,
}

/// A stream of events.
pub(crate) struct Events {
    reader: BufReader<TcpStream>,
    buffer: String,
    ready: VecDeque<Event>,
}

impl Events {
    /// The next event; none when the stream ended.
    pub(crate) fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let mut size = String::new();
            if self.reader.read_line(&mut size).ok()? == 0 {
                return None;
            }
            let size = usize::from_str_radix(size.trim(), 16).ok()?;
            let mut chunk = vec![0; size + 2];
            self.reader.read_exact(&mut chunk).ok()?;
            if size == 0 {
                return None;
            }
            self.buffer.push_str(std::str::from_utf8(&chunk[..size]).unwrap());
            while let Some((block, rest)) = self.buffer.split_once("\n\n") {
                let event = parse(block);
                self.buffer = rest.to_owned();
                self.ready.extend(event);
            }
        }
    }

    /// The events up to and with the first of a kind.
    pub(crate) fn until(&mut self, kind: &str) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next() {
            let is_last = event.kind == kind;
            events.push(event);
            if is_last {
                return events;
            }
        }
        panic!("the stream ended before {kind}: {events:?}");
    }
}

fn parse(block: &str) -> Option<Event> {
    let mut event = Event::default();
    for line in block.lines() {
        match line.split_once(": ") {
            Some(("id", id)) => event.id = id.parse().ok(),
            Some(("event", kind)) => kind.clone_into(&mut event.kind),
            Some(("data", data)) => event.data = serde_json::from_str(data).unwrap(),
            _ => {}
        }
    }
    (!event.kind.is_empty()).then_some(event)
}
