//! The client that joins an outside network. One connection is one nick is one agent.
//!
//! [`service`] makes a [`IrcClient`], which keeps the connection up for as long as it runs, and a [`ClientHandle`], through which
//! the agent speaks. Incoming lines go to [`ClientListener`] as [`SpokenLine`](crate::irc::SpokenLine), ready for the relay. All rules are in the pure
//! `session`; this file dials and moves bytes.
//!
//! Accounts of the network are not the keeper's: they come as `account@network`, so that neither can be taken for the
//! other.
//!
//! It is our own instead of the crate `irc` because the session has to be driven by tests without sockets and time, has
//! to say of every message whether the server confirmed it (echo-message and labels), and must never hold more than one
//! line and a bounded queue.
//!
//! Reading order: [`ClientConfig`], `session`, this file, `handle`.

use std::{collections::HashMap, fmt, sync::Arc, time::Duration};

use tokio::{
    io::{
        AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadHalf, WriteHalf, split,
    },
    net::TcpStream,
    sync::mpsc,
    time::{sleep, timeout},
};
use tokio_rustls::{TlsConnector, rustls::pki_types::ServerName};
use tokio_util::sync::CancellationToken;

use super::{
    clock_reading::ClockReading,
    line::{IrcMessage, LineSplitter, SplitLine},
};

mod backoff;
mod config;
mod event;
mod handle;
mod parts;
mod session;

pub use config::{ClientConfig, ClientConfigError, Sasl, Security, SiblingAgent};
pub use event::{ClientState, SayError, SendCertainty};
pub use handle::ClientHandle;
pub use parts::{ClientListener, ClientParts, Jitter};

use event::{SessionAction, SessionEvent};
use handle::{SayReply, SayRequest, SharedState};
use session::Session;

/// Requests to say something that may wait.
const REQUESTS_MAX: usize = 64;
/// Time for a connection with its TLS handshake.
const DIAL_MAX: Duration = Duration::from_secs(20);
/// Time to write a line.
const WRITE_MAX: Duration = Duration::from_secs(20);
/// Bytes that are read at once.
const READ_BYTES: usize = 4 * 1024;

/// Makes a client. Connects to nothing before it runs.
pub fn service(
    config: ClientConfig,
    parts: ClientParts,
) -> Result<(IrcClient, ClientHandle), ClientConfigError> {
    let tls = config.check()?;
    let (requests, requests_rx) = mpsc::channel(REQUESTS_MAX);
    let shared = Arc::new(SharedState::default());
    let handle = ClientHandle::new(requests, Arc::clone(&shared));
    let target = DialTarget { host: config.host.clone(), port: config.port, tls };
    let session = Session::new(config, Arc::clone(&parts.jitter));
    let service = IrcClient {
        session,
        parts,
        target,
        requests: requests_rx,
        answers: HashMap::new(),
        shared,
        last_ticket: 0,
    };
    Ok((service, handle))
}

/// Where to connect.
#[derive(Clone)]
struct DialTarget {
    host: String,
    port: u16,
    tls: Option<TlsConnector>,
}

/// The client before it runs.
pub struct IrcClient {
    session: Session,
    parts: ClientParts,
    target: DialTarget,
    requests: mpsc::Receiver<SayRequest>,
    /// Where outcomes go; bounded, for the session refuses what is too much.
    answers: HashMap<u64, SayReply>,
    shared: Arc<SharedState>,
    last_ticket: u64,
}

impl fmt::Debug for IrcClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IrcClient").field("session", &self.session).finish_non_exhaustive()
    }
}

/// Both directions of a connection.
trait Duplex: AsyncRead + AsyncWrite + Send {}
impl<T: AsyncRead + AsyncWrite + Send> Duplex for T {}

type Stream = std::pin::Pin<Box<dyn Duplex>>;

/// A connection while it is up.
struct OpenConnection {
    reader: ReadHalf<Stream>,
    writer: WriteHalf<Stream>,
    splitter: LineSplitter,
}

/// The connection, at whichever stage it is.
enum Connection {
    Down,
    Dialing(std::pin::Pin<Box<dyn Future<Output = Result<Stream, String>> + Send>>),
    Up(Box<OpenConnection>),
}

impl IrcClient {
    /// Keeps the agent on the network until shutdown; then sends QUIT.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut connection = Connection::Down;
        let mut buffer = vec![0; READ_BYTES];
        self.step(SessionEvent::Wake, &mut connection).await;
        loop {
            let pause = self.session.wake_at().saturating_sub(self.parts.clock.monotonic());
            tokio::select! {
                () = shutdown.cancelled() => break,
                Some(request) = self.requests.recv() => {
                    let event = self.say(request);
                    self.step(event, &mut connection).await;
                }
                events = connection.next(&mut buffer) => {
                    for event in events {
                        self.step(event, &mut connection).await;
                    }
                }
                () = sleep(pause.max(Duration::from_millis(1))) => {
                    self.step(SessionEvent::Wake, &mut connection).await;
                }
            }
        }
        self.step(SessionEvent::Stop, &mut connection).await;
    }

    fn say(&mut self, request: SayRequest) -> SessionEvent {
        let SayRequest { target, text, kind, answer } = request;
        self.last_ticket = self.last_ticket.wrapping_add(1);
        let ticket = self.last_ticket;
        self.answers.insert(ticket, answer);
        SessionEvent::Say { ticket, target, text, kind }
    }

    async fn step(&mut self, event: SessionEvent, connection: &mut Connection) {
        let mut events = vec![event];
        while let Some(event) = events.pop() {
            let now = ClockReading::of(&*self.parts.clock);
            for action in self.session.step(now, event) {
                events.extend(self.perform(action, connection).await);
            }
        }
    }

    /// Carries out one act; what comes of it at once is an event again.
    async fn perform(
        &mut self,
        action: SessionAction,
        connection: &mut Connection,
    ) -> Option<SessionEvent> {
        match action {
            SessionAction::Dial => {
                *connection = Connection::Dialing(Box::pin(dial(self.target.clone())));
            }
            SessionAction::Send(line) => {
                if let Err(reason) = connection.write(&line).await {
                    *connection = Connection::Down;
                    return Some(SessionEvent::Lost { reason });
                }
            }
            SessionAction::HangUp => *connection = Connection::Down,
            SessionAction::Deliver(line) => self.parts.listener.on_line(*line),
            SessionAction::Settle { ticket, outcome } => {
                if let Some(answer) = self.answers.remove(&ticket) {
                    // Whoever asked may have gone.
                    drop(answer.send(outcome));
                }
            }
            SessionAction::StateChanged => {
                let state = self.session.state();
                self.parts.listener.on_state_change(&state);
                self.shared.set(state);
            }
        }
        None
    }
}

impl Connection {
    /// What happens next on the wire. Dropped halfway, it loses nothing.
    async fn next(&mut self, buffer: &mut [u8]) -> Vec<SessionEvent> {
        match self {
            Self::Down => std::future::pending().await,
            Self::Dialing(dialing) => match dialing.await {
                Ok(stream) => {
                    let (reader, writer) = split(stream);
                    let splitter = LineSplitter::default();
                    *self = Self::Up(Box::new(OpenConnection { reader, writer, splitter }));
                    vec![SessionEvent::Connected]
                }
                Err(reason) => {
                    *self = Self::Down;
                    vec![SessionEvent::Lost { reason }]
                }
            },
            Self::Up(link) => {
                let reason = match link.reader.read(buffer).await {
                    Ok(0) => "the server closed the connection".to_owned(),
                    Err(error) => format!("reading failed: {}", error.kind()),
                    Ok(count) => {
                        let taken = link.splitter.feed(buffer.get(..count).unwrap_or_default());
                        return taken.into_iter().filter_map(parse_line).collect();
                    }
                };
                // A dead link that is kept says again and again that it is dead, and nothing else has its turn.
                *self = Self::Down;
                vec![SessionEvent::Lost { reason }]
            }
        }
    }

    async fn write(&mut self, line: &str) -> Result<(), String> {
        let Self::Up(link) = self else { return Ok(()) };
        match timeout(WRITE_MAX, link.writer.write_all(line.as_bytes())).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(format!("writing failed: {}", error.kind())),
            Err(_) => Err("the server stopped reading".to_owned()),
        }
    }
}

fn parse_line(taken: SplitLine) -> Option<SessionEvent> {
    match taken {
        // A server that sends what is no line is not worth hanging up on.
        SplitLine::Line(line) => IrcMessage::parse(&line).ok().map(SessionEvent::Line),
        SplitLine::Overlong => None,
    }
}

async fn dial(target: DialTarget) -> Result<Stream, String> {
    let DialTarget { host, port, tls } = target;
    let connecting = async {
        let stream = TcpStream::connect((host.as_str(), port)).await;
        let stream = stream.map_err(|error| format!("{host}:{port} cannot be reached: {error}"))?;
        drop(stream.set_nodelay(true));
        let Some(tls) = tls else { return Ok(Box::pin(stream) as Stream) };
        let name = ServerName::try_from(host.clone())
            .map_err(|_| format!("{host} is not a name that a certificate can hold"))?;
        let stream = tls.connect(name, stream).await;
        let stream = stream.map_err(|error| format!("TLS with {host} failed: {error}"))?;
        Ok(Box::pin(stream) as Stream)
    };
    match timeout(DIAL_MAX, connecting).await {
        Ok(dialed) => dialed,
        Err(_) => Err("connecting timed out".to_owned()),
    }
}
