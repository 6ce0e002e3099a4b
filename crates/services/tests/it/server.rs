//! A server that answers each request by a function, with faults where they are wanted, and keeps a journal with times.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::Instant,
};

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Path and query.
    pub(crate) path: String,
    /// Header lines in lower case.
    head: String,
    /// Since the server's start.
    pub(crate) at: Duration,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.filter(|(own, _)| *own == name).map(|(_, value)| value.trim()).next()
    }
}

/// An answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) fault: Fault,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fault {
    #[default]
    None,
    /// The body comes in chunks without end.
    Endless,
    /// Nothing ever comes.
    Silent,
    /// The answer comes after a quarter of a minute.
    Slow,
    /// The connection ends in the middle of the body.
    Cut,
}

impl Reply {
    pub(crate) fn new(status: u16, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type", media_type.to_owned())];
        Self { status, headers, body: body.into(), fault: Fault::None }
    }

    pub(crate) fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::new(status, "application/json; charset=utf-8", body.to_string())
    }

    pub(crate) fn html(body: &str) -> Self {
        Self::new(200, "text/html", body)
    }

    pub(crate) fn redirect(status: u16, to: &str) -> Self {
        Self::new(status, "text/html", "moved").with("location", to)
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn body(self, body: Vec<u8>) -> Self {
        Self { body, ..self }
    }

    pub(crate) fn faulty(fault: Fault) -> Self {
        Self { fault, ..Self::html("<p>half of it") }
    }
}

type Answering = dyn Fn(&Asked) -> Reply + Send + Sync;

/// A running server; it ends when it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    journal: Arc<Mutex<Vec<Asked>>>,
    _tasks: JoinSet<()>,
}

impl Server {
    pub(crate) async fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let journal = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, Arc::new(answer), Arc::clone(&journal)));
        Self { address, journal, _tasks: tasks }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.journal.lock().unwrap().clone()
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.path).collect()
    }
}

async fn accept(listener: TcpListener, answer: Arc<Answering>, journal: Arc<Mutex<Vec<Asked>>>) {
    let began = Instant::now();
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        connections.spawn(serve(stream, Arc::clone(&answer), Arc::clone(&journal), began));
    }
}

async fn serve(
    mut stream: TcpStream,
    answer: Arc<Answering>,
    journal: Arc<Mutex<Vec<Asked>>>,
    began: Instant,
) {
    let Some(head) = read_head(&mut stream).await else { return };
    let path = head.split(' ').nth(1).unwrap().to_owned();
    let mut lines = head.lines();
    lines.next();
    let head = lines.map(lower_name).collect::<Vec<_>>().join("\n");
    let asked = Asked { path, head, at: began.elapsed() };
    journal.lock().unwrap().push(asked.clone());
    // Whoever asked may have gone.
    drop(write_reply(&mut stream, answer(&asked)).await);
}

fn lower_name(line: &str) -> String {
    let (name, value) = line.split_once(':').unwrap_or((line, ""));
    format!("{}:{value}", name.to_lowercase())
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
        if bytes.windows(4).any(|end| end == b"\r\n\r\n") {
            return Some(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}

async fn write_reply(stream: &mut TcpStream, reply: Reply) -> std::io::Result<()> {
    if reply.fault == Fault::Silent {
        std::future::pending::<()>().await;
    }
    if reply.fault == Fault::Slow {
        tokio::time::sleep(Duration::from_secs(15)).await;
    }
    let length = match reply.fault {
        Fault::Endless => "transfer-encoding: chunked".to_owned(),
        Fault::Cut => "content-length: 100000".to_owned(),
        _ => format!("content-length: {}", reply.body.len()),
    };
    let mut lines = vec![format!("HTTP/1.1 {} X\r\nconnection: close\r\n{length}", reply.status)];
    lines.extend(reply.headers.iter().map(|(name, value)| format!("{name}: {value}")));
    let head = lines.join("\r\n") + "\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    if reply.fault == Fault::Endless {
        let chunk = [b"10000\r\n".to_vec(), vec![b'x'; 0x10000], b"\r\n".to_vec()].concat();
        loop {
            stream.write_all(&chunk).await?;
        }
    }
    if reply.status != 304 {
        stream.write_all(&reply.body).await?;
    }
    stream.shutdown().await
}
