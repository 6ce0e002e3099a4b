//! The client that joins an outside network. One connection is one nick is one agent of the house.
//!
//! [`service`] makes a [`IrcClient`], which keeps the connection up for as long as it runs, and a [`ClientHandle`], through which
//! the agent speaks. What is heard goes to [`ClientListener`] as [`SpokenLine`], ready for the relay. All rules are in the pure
//! `session`; this file dials and moves bytes.
//!
//! Accounts of the network are not the house's: they come as `account@network`, so that neither can be taken for the
//! other.
//!
//! Reading order: [`ClientConfig`], `session`, this file, `handle`.

use std::{collections::HashMap, fmt, sync::Arc, time::Duration};

use abide_domain::{AgentId, Clock};
use abide_http::Secret;
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
    line::{IrcMessage, LineSplitter, SplitLine},
    said::SpokenLine,
    tls::{TlsError, Trust, client_config},
};

mod backoff;
mod handle;
mod session;

pub use handle::ClientHandle;
pub use session::ClientState;

use handle::{Answer, Shared, Utterance};
use session::{Act, Event, Moment, Session};

/// Calls of the house that may wait.
const UTTERANCES_MAX: usize = 64;
/// Time for a connection with its TLS handshake.
const DIAL_MAX: Duration = Duration::from_secs(20);
/// Time to write a line.
const WRITE_MAX: Duration = Duration::from_secs(20);
/// Bytes that are read at once.
const READ_BYTES: usize = 4 * 1024;

/// How the connection is protected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Security {
    /// TLS from the first byte.
    Tls(Trust),
    /// None. Passwords are sent to loopback addresses only.
    Plain,
}

/// How the agent proves who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sasl {
    /// Its account on the network.
    pub account: String,
    /// The password.
    pub password: Secret,
}

/// Another agent of the house on the same network: what it says is never taken for a person's word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiblingAgent {
    /// The agent.
    pub agent: AgentId,
    /// Its nick there.
    pub nick: String,
    /// Its account there. Without one it is heard as a relay, for anybody may take a nick.
    pub account: Option<String>,
}

/// What a person may set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientConfig {
    /// What the house calls the network.
    pub network: String,
    /// The server's name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Protection.
    pub security: Security,
    /// Who speaks here.
    pub agent: AgentId,
    /// The nick that is wanted.
    pub nick: String,
    /// Nicks to take while that one is in use.
    pub alternates: Vec<String>,
    /// The real name.
    pub real_name: String,
    /// A password of the server itself.
    pub server_password: Option<Secret>,
    /// The account. Where it is set, nothing is said without it.
    pub sasl: Option<Sasl>,
    /// Channels to be in.
    pub channels: Vec<String>,
    /// Whether invitations are followed.
    pub follows_invitations: bool,
    /// The house's other agents there.
    pub kin: Vec<SiblingAgent>,
}

/// Says what in a configuration cannot work.
#[derive(Debug, thiserror::Error)]
pub enum ClientConfigError {
    /// A nick or a channel is none.
    #[error("`{0}` is no nick or channel of IRC")]
    Name(String),
    /// A password would travel in the clear.
    #[error("a password would be sent to {0} without TLS")]
    PlainPassword(String),
    /// TLS cannot be set up.
    #[error("the connection to {host} cannot be protected")]
    Tls {
        /// The server.
        host: String,
        /// Why not.
        #[source]
        source: TlsError,
    },
}

/// Where the spread of waiting times comes from. The system's randomness in the binary, fixed in tests.
pub trait Jitter: Send + Sync + fmt::Debug {
    /// A number from 0 to 1.
    fn fraction(&self) -> f64;
}

/// Who listens.
pub trait ClientListener: Send + Sync + fmt::Debug {
    /// Something was said where the agent is, or to it. Must not block.
    fn heard(&self, said: SpokenLine);
    /// The connection changed its state. Must not block.
    fn changed(&self, _state: &ClientState) {}
}

/// What the client stands on.
#[derive(Clone, Debug)]
pub struct ClientParts {
    /// The house's clock.
    pub clock: Arc<dyn Clock>,
    /// The spread of waiting times.
    pub jitter: Arc<dyn Jitter>,
    /// Who listens.
    pub ears: Arc<dyn ClientListener>,
}

/// How sure it is that something was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendCertainty {
    /// The server echoed it; the id of its last line, where it has one.
    Confirmed(Option<String>),
    /// It was written to a connection that was up. The server does not confirm.
    Written,
}

/// Says why nothing was said, or why that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SayError {
    /// The network is not there.
    #[error("not connected to the network")]
    NotConnected,
    /// The agent is not in that channel.
    #[error("not in channel {0}")]
    NotJoined(String),
    /// Nothing to say, or not to be said to that target.
    #[error("there is nothing to say")]
    Empty,
    /// Too much waits to be said already.
    #[error("too many lines wait to be said")]
    Full,
    /// The server refused it.
    #[error("the server refused it: {0}")]
    Refused(String),
    /// The connection broke before it was known to have been said.
    #[error("the connection broke before this was known to be said")]
    Broken,
    /// The client ended.
    #[error("the IRC client has ended")]
    Closed,
}

/// Makes a client. Connects to nothing before it runs.
pub fn service(
    config: ClientConfig,
    ports: ClientParts,
) -> Result<(IrcClient, ClientHandle), ClientConfigError> {
    let tls = config.check()?;
    let (utterances, utterances_rx) = mpsc::channel(UTTERANCES_MAX);
    let shared = Arc::new(Shared::default());
    let handle = ClientHandle::new(utterances, Arc::clone(&shared));
    let target = Dial { host: config.host.clone(), port: config.port, tls };
    let session = Session::new(config, Arc::clone(&ports.jitter));
    let service = IrcClient {
        session,
        ports,
        target,
        utterances: utterances_rx,
        answers: HashMap::new(),
        shared,
        last_ticket: 0,
    };
    Ok((service, handle))
}

/// Where to connect.
#[derive(Clone)]
struct Dial {
    host: String,
    port: u16,
    tls: Option<TlsConnector>,
}

/// The client before it runs.
pub struct IrcClient {
    session: Session,
    ports: ClientParts,
    target: Dial,
    utterances: mpsc::Receiver<Utterance>,
    /// Where outcomes go; bounded, for the session refuses what is too much.
    answers: HashMap<u64, Answer>,
    shared: Arc<Shared>,
    last_ticket: u64,
}

impl fmt::Debug for IrcClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("session", &self.session).finish_non_exhaustive()
    }
}

/// Both directions of a connection.
trait Duplex: AsyncRead + AsyncWrite + Send {}
impl<T: AsyncRead + AsyncWrite + Send> Duplex for T {}

type Stream = std::pin::Pin<Box<dyn Duplex>>;

/// A connection while it is up.
struct Link {
    reader: ReadHalf<Stream>,
    writer: WriteHalf<Stream>,
    splitter: LineSplitter,
}

/// What the shell waits for while it has no connection, or has one.
enum Wire {
    Down,
    Dialing(std::pin::Pin<Box<dyn Future<Output = Result<Stream, String>> + Send>>),
    Up(Box<Link>),
}

impl IrcClient {
    /// Keeps the agent on the network until told to stop; then it says good-bye.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut wire = Wire::Down;
        let mut buffer = vec![0; READ_BYTES];
        self.step(Event::Wake, &mut wire).await;
        loop {
            let pause = self.session.wake_at().saturating_sub(self.ports.clock.monotonic());
            tokio::select! {
                () = shutdown.cancelled() => break,
                Some(utterance) = self.utterances.recv() => {
                    let event = self.say(utterance);
                    self.step(event, &mut wire).await;
                }
                events = wire.next(&mut buffer) => {
                    for event in events {
                        self.step(event, &mut wire).await;
                    }
                }
                () = sleep(pause.max(Duration::from_millis(1))) => {
                    self.step(Event::Wake, &mut wire).await;
                }
            }
        }
        self.step(Event::Stop, &mut wire).await;
    }

    fn say(&mut self, utterance: Utterance) -> Event {
        let Utterance { target, text, kind, answer } = utterance;
        self.last_ticket = self.last_ticket.wrapping_add(1);
        let ticket = self.last_ticket;
        self.answers.insert(ticket, answer);
        Event::Say { ticket, target, text, kind }
    }

    async fn step(&mut self, event: Event, wire: &mut Wire) {
        let mut events = vec![event];
        while let Some(event) = events.pop() {
            let now =
                Moment { wall: self.ports.clock.now(), monotonic: self.ports.clock.monotonic() };
            for act in self.session.step(now, event) {
                events.extend(self.carry_out(act, wire).await);
            }
        }
    }

    /// Carries out one act; what comes of it at once is an event again.
    async fn carry_out(&mut self, act: Act, wire: &mut Wire) -> Option<Event> {
        match act {
            Act::Dial => *wire = Wire::Dialing(Box::pin(dial(self.target.clone()))),
            Act::Send(line) => {
                if let Err(reason) = wire.write(&line).await {
                    *wire = Wire::Down;
                    return Some(Event::Lost { reason });
                }
            }
            Act::HangUp => *wire = Wire::Down,
            Act::Heard(said) => self.ports.ears.heard(*said),
            Act::Settle { ticket, outcome } => {
                if let Some(answer) = self.answers.remove(&ticket) {
                    // Whoever asked may have gone.
                    drop(answer.send(outcome));
                }
            }
            Act::Changed => {
                let state = self.session.state();
                self.ports.ears.changed(&state);
                self.shared.set(state);
            }
        }
        None
    }
}

impl Wire {
    /// What happens next on the wire. Dropped halfway, it loses nothing.
    async fn next(&mut self, buffer: &mut [u8]) -> Vec<Event> {
        match self {
            Self::Down => std::future::pending().await,
            Self::Dialing(dialing) => match dialing.await {
                Ok(stream) => {
                    let (reader, writer) = split(stream);
                    let splitter = LineSplitter::default();
                    *self = Self::Up(Box::new(Link { reader, writer, splitter }));
                    vec![Event::Connected]
                }
                Err(reason) => {
                    *self = Self::Down;
                    vec![Event::Lost { reason }]
                }
            },
            Self::Up(link) => {
                let reason = match link.reader.read(buffer).await {
                    Ok(0) => "the server closed the connection".to_owned(),
                    Err(error) => format!("reading failed: {}", error.kind()),
                    Ok(count) => {
                        let taken = link.splitter.feed(buffer.get(..count).unwrap_or_default());
                        return taken.into_iter().filter_map(read).collect();
                    }
                };
                // A dead link that is kept says again and again that it is dead, and nothing else has its turn.
                *self = Self::Down;
                vec![Event::Lost { reason }]
            }
        }
    }

    async fn write(&mut self, line: &str) -> Result<(), String> {
        let Self::Up(link) = self else { return Ok(()) };
        match timeout(WRITE_MAX, link.writer.write_all(line.as_bytes())).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(format!("writing failed: {}", error.kind())),
            Err(_) => Err("the server does not read".to_owned()),
        }
    }
}

fn read(taken: SplitLine) -> Option<Event> {
    match taken {
        // A server that sends what is no line is not worth hanging up on.
        SplitLine::Line(line) => IrcMessage::parse(&line).ok().map(Event::Line),
        SplitLine::Overlong => None,
    }
}

async fn dial(target: Dial) -> Result<Stream, String> {
    let Dial { host, port, tls } = target;
    let connecting = async {
        let stream = TcpStream::connect((host.as_str(), port)).await;
        let stream = stream.map_err(|error| format!("{host}:{port} cannot be reached: {error}"))?;
        drop(stream.set_nodelay(true));
        let Some(tls) = tls else { return Ok(Box::pin(stream) as Stream) };
        let name = ServerName::try_from(host.clone())
            .map_err(|_| format!("{host} is no name that a certificate could have"))?;
        let stream = tls.connect(name, stream).await;
        let stream = stream.map_err(|error| format!("TLS with {host} failed: {error}"))?;
        Ok(Box::pin(stream) as Stream)
    };
    match timeout(DIAL_MAX, connecting).await {
        Ok(dialed) => dialed,
        Err(_) => Err("connecting took too long".to_owned()),
    }
}

impl ClientConfig {
    /// Checks names and protection.
    fn check(&self) -> Result<Option<TlsConnector>, ClientConfigError> {
        let nicks = std::iter::once(&self.nick).chain(&self.alternates);
        let bad_nick = nicks.into_iter().find(|nick| !super::is_nick(nick));
        let bad_channel = self.channels.iter().find(|name| !super::is_channel(name));
        if let Some(name) = bad_nick.or(bad_channel) {
            return Err(ClientConfigError::Name(name.clone()));
        }
        match &self.security {
            Security::Tls(trust) => {
                let config = client_config(trust)
                    .map_err(|source| ClientConfigError::Tls { host: self.host.clone(), source })?;
                Ok(Some(TlsConnector::from(config)))
            }
            Security::Plain => {
                let has_password = self.sasl.is_some() || self.server_password.is_some();
                let host = self.host.trim_start_matches('[').trim_end_matches(']');
                let is_loopback = host == "localhost"
                    || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
                if has_password && !is_loopback {
                    return Err(ClientConfigError::PlainPassword(self.host.clone()));
                }
                Ok(None)
            }
        }
    }
}
