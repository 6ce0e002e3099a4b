//! Where a login comes back to: a page on this machine that takes one answer, the one to the question that was asked.
//!
//! Anybody on this machine can speak to it, so everything but that answer is turned away and changes nothing.

use std::{io, net::Ipv4Addr, sync::Arc, time::Duration};

use abide_domain::{text::shortened, visible_line};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::timeout,
};
use url::form_urlencoded;

use crate::login::login_error::McpLoginError;

/// The path of the page.
const PATH: &str = "/callback";
/// Longest head of a request that is read.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// How long a request may take to arrive: browsers open connections ahead and send nothing.
const HEAD_LIMIT: Duration = Duration::from_secs(30);
/// Most requests at the same time.
const REQUESTS_MAX: usize = 16;
/// Longest words of a refusal that are shown, in Unicode scalar values.
const WORDS_CHARS_MAX: usize = 300;

/// What the answer to a login must carry.
#[derive(Debug)]
pub(crate) struct ExpectedReturn {
    /// What this client chose for this login alone.
    pub(crate) state: String,
    /// The login service that was asked.
    pub(crate) issuer: String,
    /// Whether the service says that it names itself.
    pub(crate) names_issuer: bool,
}

/// The page.
#[derive(Debug)]
pub(crate) struct CallbackPage {
    listener: TcpListener,
    /// Its address.
    pub(crate) url: String,
}

/// What becomes of a request to the page.
enum Visit {
    /// It is not the answer.
    Other(&'static str),
    /// It is.
    Return(Result<String, McpLoginError>),
}

impl CallbackPage {
    /// Opens the page on that port, or on a free one.
    pub(crate) async fn open(port: Option<u16>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await?;
        let url = format!("http://{}{PATH}", listener.local_addr()?);
        Ok(Self { listener, url })
    }

    /// Waits for the answer; returns the code in it.
    pub(crate) async fn wait(self, expected: ExpectedReturn) -> Result<String, McpLoginError> {
        let expected = Arc::new(expected);
        let mut visits = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if visits.len() < REQUESTS_MAX => {
                    let (stream, _) = accepted.map_err(McpLoginError::Callback)?;
                    visits.spawn(serve(stream, Arc::clone(&expected)));
                }
                Some(visit) = visits.join_next() => {
                    if let Ok(Some(answer)) = visit {
                        return answer;
                    }
                }
            }
        }
    }
}

async fn serve(
    mut stream: TcpStream,
    expected: Arc<ExpectedReturn>,
) -> Option<Result<String, McpLoginError>> {
    let head = timeout(HEAD_LIMIT, read_head(&mut stream)).await.ok()??;
    let visit = read_visit(&head, &expected);
    let (status, words) = match &visit {
        Visit::Other(words) => ("400 Bad Request", *words),
        Visit::Return(Ok(_)) => ("200 OK", "You are logged in. You can close this page."),
        Visit::Return(Err(_)) => {
            ("200 OK", "The login was refused. You can close this page; Abide says why.")
        }
    };
    let page = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\ncache-control: no-store\r\n\
         referrer-policy: no-referrer\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n{words}",
        words.len()
    );
    // Whether the page is seen does not matter to the login.
    drop(timeout(HEAD_LIMIT, stream.write_all(page.as_bytes())).await);
    drop(timeout(HEAD_LIMIT, stream.shutdown()).await);
    match visit {
        Visit::Other(_) => None,
        Visit::Return(answer) => Some(answer),
    }
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let (mut head, mut chunk) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut chunk).await.ok()?;
        head.extend_from_slice(chunk.get(..read)?);
        if read == 0 || head.len() > HEAD_BYTES_MAX {
            return None;
        }
    }
    String::from_utf8(head).ok()
}

fn read_visit(head: &str, expected: &ExpectedReturn) -> Visit {
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    let (method, target) = (words.next(), words.next().unwrap_or_default());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if method != Some("GET") || path != PATH {
        return Visit::Other("Nothing is here.");
    }
    let value = |key: &str| {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find(|(name, _)| name == key).map(|(_, value)| value.into_owned())
    };
    if value("state").as_deref() != Some(expected.state.as_str()) {
        return Visit::Other("This does not belong to the login that is waited for.");
    }
    let issuer = value("iss");
    let is_of_issuer = match &issuer {
        Some(issuer) => *issuer == expected.issuer,
        None => !expected.names_issuer,
    };
    if !is_of_issuer {
        return Visit::Other("This comes from another login service than was asked.");
    }
    let short = |text: &str| shortened(&visible_line(text), WORDS_CHARS_MAX);
    Visit::Return(match (value("error"), value("code")) {
        (Some(code), _) => {
            let words = value("error_description");
            let words = words.map(|words| format!(": {}", short(&words))).unwrap_or_default();
            Err(McpLoginError::Refused { code: short(&code), words })
        }
        (None, Some(code)) => Ok(code),
        (None, None) => {
            Err(McpLoginError::Unreadable { problem: "there is no code in it".to_owned() })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{ExpectedReturn, Visit, read_visit};
    use crate::login::login_error::McpLoginError;

    #[test]
    fn only_the_answer_to_this_login_is_taken() {
        let mut expected = ExpectedReturn {
            state: "s1".into(),
            issuer: "https://login.example".into(),
            names_issuer: false,
        };
        let visit = |target: &str, expected: &ExpectedReturn| match read_visit(
            &format!("GET {target} HTTP/1.1\r\n\r\n"),
            expected,
        ) {
            Visit::Other(_) => None,
            Visit::Return(answer) => Some(answer.map_err(|error| error.to_string())),
        };
        let good = "/callback?state=s1&code=c%2B1&iss=https%3A%2F%2Flogin.example";
        assert_eq!(visit(good, &expected), Some(Ok("c+1".into())));
        assert_eq!(visit("/callback?code=c&state=s1", &expected), Some(Ok("c".into())));
        let other = [
            "/",
            "/favicon.ico",
            "/callback",
            "/callback?code=c",
            "/callback?code=c&state=s2",
            "/callback?code=c&state=s1&iss=https://evil.example",
        ];
        for target in other {
            assert_eq!(visit(target, &expected), None, "{target}");
        }
        let denied = visit("/callback?state=s1&error=access_denied", &expected);
        let refusal = McpLoginError::Refused { code: "access_denied".into(), words: String::new() };
        assert_eq!(denied, Some(Err(refusal.to_string())));
        expected.names_issuer = true;
        assert_eq!(visit("/callback?code=c&state=s1", &expected), None, "it names nobody");
    }
}
