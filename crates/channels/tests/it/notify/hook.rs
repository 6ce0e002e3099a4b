//! An HTTP server that keeps what it is asked and answers as it is told.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};

/// What one request is answered with; the last answer is given again and again.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// A status, and headers with their line ends.
    Status(u16, &'static str),
    /// The line is cut without an answer.
    Cut,
    /// Nothing, for ever.
    Silence,
    /// Success, with a body that is said to be very long and does not end.
    Endless,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) first_line: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Seen {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// The server.
#[derive(Debug)]
pub(super) struct Hook {
    pub(super) root: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    serving: tokio::task::JoinHandle<()>,
}

impl Drop for Hook {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Hook {
    pub(super) async fn new(answers: &[Answer]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let root = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::<Mutex<Vec<Seen>>>::default();
        let (answers, journal) = (answers.to_vec(), Arc::clone(&seen));
        #[expect(clippy::disallowed_methods, reason = "a server of a test, ended with it")]
        let serving = tokio::spawn(async move {
            let mut open = Vec::new();
            let mut count = 0;
            loop {
                let Ok((socket, _)) = listener.accept().await else { return };
                let mut line = BufReader::new(socket);
                let Some(request) = read(&mut line).await else { continue };
                journal.lock().unwrap().push(request);
                let answer = answers.get(count).or_else(|| answers.last()).cloned().unwrap();
                count += 1;
                open.extend(give(line.into_inner(), answer).await);
            }
        });
        Self { root, seen, serving }
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The only request.
    pub(super) fn only(&self) -> Seen {
        let seen = self.seen();
        assert_eq!(seen.len(), 1, "{seen:?}");
        seen.into_iter().next().unwrap()
    }
}

async fn read(line: &mut BufReader<TcpStream>) -> Option<Seen> {
    let mut first_line = String::new();
    line.read_line(&mut first_line).await.ok().filter(|read| *read > 0)?;
    let mut headers = Vec::new();
    loop {
        let mut text = String::new();
        line.read_line(&mut text).await.ok()?;
        let Some((name, value)) = text.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
    line.read_exact(&mut body).await.ok()?;
    let body = String::from_utf8(body).unwrap();
    Some(Seen { first_line: first_line.trim_end().to_owned(), headers, body })
}

/// Answers; gives the socket back where it is to stay open.
async fn give(mut socket: TcpStream, answer: Answer) -> Option<TcpStream> {
    let text = match answer {
        Answer::Status(status, headers) => {
            format!(
                "HTTP/1.1 {status} X\r\nConnection: close\r\n{headers}Content-Length: 2\r\n\r\nok"
            )
        }
        Answer::Cut => return None,
        Answer::Silence => return Some(socket),
        Answer::Endless => {
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nand so on".to_owned()
        }
    };
    socket.write_all(text.as_bytes()).await.ok()?;
    Some(socket)
}
