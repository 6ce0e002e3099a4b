//! A mail server that speaks the documented protocol (RFC 5321, 3207, 4954) with the manners that a test asks for, and
//! keeps what it was told.

use std::sync::{Arc, Mutex};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig};

/// How it behaves.
#[derive(Clone, Default)]
pub(super) struct Manners {
    /// Its certificate; TLS begins at once, or after STARTTLS.
    pub(super) tls: Option<Arc<ServerConfig>>,
    pub(super) is_implicit: bool,
    /// The ways to log in that it offers.
    pub(super) ways: &'static str,
    /// What it takes for a password.
    pub(super) password: &'static str,
    /// Recipients that it does not know.
    pub(super) unknown: Vec<&'static str>,
    /// What it says in the place of an answer to a command that begins so.
    pub(super) instead: Option<(&'static str, &'static str)>,
    /// What it says right after it agreed to STARTTLS, before TLS.
    pub(super) injected: &'static str,
}

/// What it was told.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceivedMail {
    /// The lines, each with `+` before it where it came over TLS.
    pub(super) lines: Vec<String>,
    /// The messages that it took, with the escape of dots undone.
    pub(super) messages: Vec<String>,
}

pub(super) struct MailServerStub {
    pub(super) port: u16,
    told: Arc<Mutex<ReceivedMail>>,
    serving: tokio::task::JoinHandle<()>,
}

impl Drop for MailServerStub {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

trait Line: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Line for T {}

impl MailServerStub {
    pub(super) async fn new(manners: Manners) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let told = Arc::<Mutex<ReceivedMail>>::default();
        let journal = Arc::clone(&told);
        #[expect(clippy::disallowed_methods, reason = "a server of a test, ended with it")]
        let serving = tokio::spawn(async move {
            loop {
                let Ok((socket, _)) = listener.accept().await else { return };
                let talk = Talk::begin(socket, &manners, Arc::clone(&journal));
                let Some(talk) = talk.await else { continue };
                // A client that goes away is its own affair.
                let _gone = talk.hold().await;
            }
        });
        Self { port, told, serving }
    }

    pub(super) fn received(&self) -> ReceivedMail {
        self.told.lock().unwrap().clone()
    }
}

struct Talk {
    line: BufReader<Box<dyn Line>>,
    manners: Manners,
    is_secured: bool,
    told: Arc<Mutex<ReceivedMail>>,
}

impl Talk {
    async fn begin(
        socket: TcpStream,
        manners: &Manners,
        told: Arc<Mutex<ReceivedMail>>,
    ) -> Option<Self> {
        let (is_secured, manners) = (manners.is_implicit, manners.clone());
        let line: Box<dyn Line> = if is_secured {
            let acceptor = TlsAcceptor::from(manners.tls.clone()?);
            Box::new(acceptor.accept(socket).await.ok()?)
        } else {
            Box::new(socket)
        };
        Some(Self { line: BufReader::new(line), manners, is_secured, told })
    }

    async fn hold(mut self) -> Option<()> {
        if !self.instead("").await? {
            self.say("220 post.example ESMTP ready\r\n").await?;
        }
        loop {
            let line = self.hear().await?;
            let sign = if self.is_secured { "+" } else { "" };
            self.told.lock().unwrap().lines.push(format!("{sign}{line}"));
            if self.instead(&line).await? {
                continue;
            }
            let word = line.split(' ').next().unwrap().to_uppercase();
            match word.as_str() {
                "EHLO" => self.hello().await?,
                "STARTTLS" => {
                    let injected = self.manners.injected;
                    self.say(&format!("220 go ahead\r\n{injected}")).await?;
                    let acceptor = TlsAcceptor::from(self.manners.tls.clone()?);
                    let secured = acceptor.accept(self.line.into_inner()).await.ok()?;
                    self.line = BufReader::new(Box::new(secured));
                    self.is_secured = true;
                }
                "AUTH" => self.log_in(&line).await?,
                "MAIL" => self.say("250 2.1.0 fine\r\n").await?,
                "RCPT" if self.manners.unknown.iter().any(|to| line.contains(to)) => {
                    self.say("550 5.1.1 <nobody@here> has no mailbox\r\n").await?;
                }
                "RCPT" => self.say("250 2.1.5 fine\r\n").await?,
                "DATA" => self.message().await?,
                "QUIT" => return Some(()),
                _ => self.say("502 5.5.2 what?\r\n").await?,
            }
        }
    }

    async fn hello(&mut self) -> Option<()> {
        let can_start = self.manners.tls.is_some() && !self.is_secured;
        let tls = if can_start { "250-STARTTLS\r\n" } else { "" };
        let ways = self.manners.ways;
        let auth = if ways.is_empty() { String::new() } else { format!("250-AUTH {ways}\r\n") };
        self.say(&format!("250-post.example greets you\r\n{tls}{auth}250 8BITMIME\r\n")).await
    }

    async fn log_in(&mut self, line: &str) -> Option<()> {
        let read = |text: &str| String::from_utf8(STANDARD.decode(text).unwrap()).unwrap();
        let password = if let Some(words) = line.strip_prefix("AUTH PLAIN ") {
            read(words).rsplit('\0').next().unwrap().to_owned()
        } else {
            self.say("334 VXNlcm5hbWU6\r\n").await?;
            self.hear().await?;
            self.say("334 UGFzc3dvcmQ6\r\n").await?;
            read(&self.hear().await?)
        };
        if password == self.manners.password {
            return self.say("235 2.7.0 welcome\r\n").await;
        }
        // Some servers repeat what they heard.
        self.say(&format!("535 5.7.8 no entry with {password}\r\n")).await
    }

    async fn message(&mut self) -> Option<()> {
        self.say("354 speak\r\n").await?;
        let mut message = String::new();
        loop {
            let line = self.hear().await?;
            if line == "." {
                break;
            }
            message.push_str(line.strip_prefix('.').unwrap_or(&line));
            message.push_str("\r\n");
        }
        self.told.lock().unwrap().messages.push(message);
        if self.instead(".").await? {
            return Some(());
        }
        self.say("250 2.0.0 taken\r\n").await
    }

    /// Whether it said something else.
    async fn instead(&mut self, command: &str) -> Option<bool> {
        let Some((at, text)) = self.manners.instead else { return Some(false) };
        if at.is_empty() != command.is_empty() || !command.starts_with(at) {
            return Some(false);
        }
        match text {
            "(hangs up)" => None,
            "(is silent)" => std::future::pending().await,
            "(does not end)" => loop {
                self.say(&"250-x".repeat(1_000)).await?;
            },
            text => self.say(text).await.map(|()| true),
        }
    }

    async fn hear(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.line.read_line(&mut line).await.ok()?;
        assert!(line.is_empty() || line.ends_with("\r\n"), "{line:?}");
        (read > 0).then(|| line.trim_end_matches("\r\n").to_owned())
    }

    async fn say(&mut self, text: &str) -> Option<()> {
        self.line.write_all(text.as_bytes()).await.ok()?;
        self.line.flush().await.ok()
    }
}
