//! A server of raw bytes: each connection is answered from a script, and what was asked is kept.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// What to do with a connection after the request has come.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Writes the bytes and closes.
    Write(String),
    /// Writes the bytes and keeps the connection open, silent.
    WriteAndHang(String),
    /// Writes the bytes and answers the next request of the same connection.
    WriteAndServe(String),
    /// Closes without a word.
    Close,
}

/// A running server; it ends when it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    _tasks: JoinSet<()>,
}

impl Server {
    /// Answers the n-th connection with the n-th act, and the last act ever after.
    pub(crate) async fn start(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = JoinSet::new();
        tasks.spawn(serve(listener, acts, Arc::clone(&asked)));
        Self { address, asked, _tasks: tasks }
    }

    /// A URL of this server.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests that came, as text.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn serve(listener: TcpListener, acts: Vec<Act>, asked: Arc<Mutex<Vec<String>>>) {
    let mut hanging = Vec::new();
    let mut kept = None;
    let mut acts = acts.into_iter().peekable();
    loop {
        let mut stream = match kept.take() {
            Some(stream) => stream,
            None => listener.accept().await.unwrap().0,
        };
        let request = read_request(&mut stream).await;
        if request.is_empty() {
            continue;
        }
        asked.lock().unwrap().push(request);
        let act = acts.next().unwrap();
        if acts.peek().is_none() {
            acts = vec![act.clone()].into_iter().peekable();
        }
        match act {
            Act::Close => {}
            Act::Write(text) => stream.write_all(text.as_bytes()).await.unwrap(),
            Act::WriteAndServe(text) => {
                stream.write_all(text.as_bytes()).await.unwrap();
                kept = Some(stream);
            }
            Act::WriteAndHang(text) => {
                stream.write_all(text.as_bytes()).await.unwrap();
                hanging.push(stream);
            }
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).await.unwrap_or(0);
        request.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&request).into_owned();
        let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.map_or(0, |length| length.parse().unwrap());
        let body = text.split_once("\r\n\r\n").map(|(_, body)| body.len());
        // A TLS greeting is no request; it never ends like one.
        let is_tls = request.first() == Some(&0x16);
        if read == 0 || is_tls || body.is_some_and(|body| body >= length) {
            return text;
        }
    }
}
