//! A server of bulk data and pictures for tests, with the faults that servers have.

use std::{
    collections::{BTreeMap, VecDeque},
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use abide_domain::Clock;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use super::source::CardSource;
use crate::system::SystemClock;

/// What goes wrong with one answer.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// The connection ends after so many bytes of the body.
    Cut(usize),
    /// The whole file comes, whatever range was asked for.
    IgnoresRange,
    /// The rest comes as asked, but its head says that it is of another length.
    OtherTotal,
    /// The body has no length in its head.
    NoLength,
    /// No answer ever comes.
    Silent,
    /// A byte at a time, this far apart.
    Drip(Duration),
    /// A status without a body, and headers.
    Refusal(u16, Vec<(&'static str, String)>),
}

/// A file of the server.
#[derive(Clone, Debug, Default)]
pub(super) struct ServedFile {
    pub(super) bytes: Vec<u8>,
    pub(super) etag: Option<String>,
    pub(super) media_type: &'static str,
    /// Of the next answers, one each.
    pub(super) faults: VecDeque<Fault>,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) path: String,
    head: String,
}

impl Asked {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        let mut found = lines.filter(|(own, _)| own.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.trim())
    }
}

#[derive(Debug, Default)]
struct Shared {
    files: BTreeMap<String, ServedFile>,
    asked: Vec<Asked>,
}

/// A running server; it ends when it is dropped.
#[derive(Debug)]
pub(super) struct FileServer {
    pub(super) address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    _tasks: JoinSet<()>,
}

impl FileServer {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Mutex::new(Shared::default()));
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, Arc::clone(&shared)));
        Self { address, shared, _tasks: tasks }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A source of cards that asks this server.
    pub(super) fn source(&self) -> CardSource {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        CardSource::new(&self.url(""), clock)
    }

    /// Puts a file at a path, in place of the one that is there.
    pub(super) fn serve(&self, path: &str, file: ServedFile) {
        self.shared.lock().unwrap().files.insert(path.to_owned(), file);
    }

    /// Lets the next answer for a path go wrong, and the one after it, and so on.
    pub(super) fn spoil(&self, path: &str, faults: impl IntoIterator<Item = Fault>) {
        let mut shared = self.shared.lock().unwrap();
        shared.files.get_mut(path).unwrap().faults.extend(faults);
    }

    /// The requests for a path; those before are forgotten.
    pub(super) fn asked(&self, path: &str) -> Vec<Asked> {
        let mut shared = self.shared.lock().unwrap();
        let (found, others) = shared.asked.drain(..).partition(|asked| asked.path == path);
        shared.asked = others;
        found
    }
}

async fn accept(listener: TcpListener, shared: Arc<Mutex<Shared>>) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let shared = Arc::clone(&shared);
        connections.spawn(async move { drop(serve(stream, &shared).await) });
    }
}

async fn serve(mut stream: TcpStream, shared: &Mutex<Shared>) -> std::io::Result<()> {
    let head = read_head(&mut stream).await?;
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let asked = Asked { path: path.clone(), head };
    let (file, fault) = {
        let mut shared = shared.lock().unwrap();
        shared.asked.push(asked.clone());
        let file = shared.files.get_mut(&path);
        let fault = file.and_then(|file| file.faults.pop_front());
        (shared.files.get(&path).cloned(), fault)
    };
    let Some(file) = file else {
        return stream
            .write_all(b"HTTP/1.1 404 X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            .await;
    };
    answer(&mut stream, &asked, &file, fault).await?;
    stream.shutdown().await
}

async fn answer(
    stream: &mut TcpStream,
    asked: &Asked,
    file: &ServedFile,
    fault: Option<Fault>,
) -> std::io::Result<()> {
    if let Some(Fault::Silent) = fault {
        std::future::pending::<()>().await;
    }
    if let Some(Fault::Refusal(status, headers)) = fault {
        let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n");
        for (name, value) in headers {
            head.extend([name, ": ", &value, "\r\n"]);
        }
        return stream.write_all((head + "\r\n").as_bytes()).await;
    }
    let all = file.bytes.len();
    let range = asked
        .header("range")
        .and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
    let is_same = asked.header("if-range").is_none_or(|same| Some(same) == file.etag.as_deref());
    let range = range.filter(|_| is_same && !matches!(fault, Some(Fault::IgnoresRange)));
    let body = &file.bytes[range.unwrap_or(0).min(all)..];
    let mut head = match range {
        Some(from) if from >= all => "HTTP/1.1 416 X\r\n".to_owned(),
        Some(from) => {
            let total = if matches!(fault, Some(Fault::OtherTotal)) { all + 1 } else { all };
            format!("HTTP/1.1 206 X\r\ncontent-range: bytes {from}-{}/{total}\r\n", all - 1)
        }
        None => "HTTP/1.1 200 X\r\n".to_owned(),
    };
    if !matches!(fault, Some(Fault::NoLength)) {
        head.extend(["content-length: ", &body.len().to_string(), "\r\n"]);
    }
    for (name, value) in [("etag", file.etag.as_deref()), ("content-type", Some(file.media_type))] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            head.extend([name, ": ", value, "\r\n"]);
        }
    }
    stream.write_all((head + "connection: close\r\n\r\n").as_bytes()).await?;
    match fault {
        Some(Fault::Cut(at)) => stream.write_all(&body[..at.min(body.len())]).await,
        Some(Fault::Drip(apart)) => {
            for byte in body {
                stream.write_all(&[*byte]).await?;
                tokio::time::sleep(apart).await;
            }
            Ok(())
        }
        _ => stream.write_all(body).await,
    }
}

async fn read_head(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).await?;
        bytes.extend_from_slice(&buffer[..read]);
        if read == 0 || bytes.ends_with(b"\r\n\r\n") {
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}
