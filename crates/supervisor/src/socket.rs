//! The listeners for agents that connect by themselves: a Unix socket in the home folder, and a loopback TCP address.
//!
//! Each agent has a secret of its own, which binds a connection to it: who knows one agent's can be no other, and nothing
//! but that agent. On the Unix socket the kernel says whose process connected; another user's is not heard.
//!
//! An unauthenticated connection costs little: until its hello was read and its secret compared, it may send one small
//! frame, within a short time. Where too many have said nothing, the one that has been silent longest gives way to the next,
//! so that mute ones keep nobody out. After that the connection is the agent's actor's.

use std::{
    collections::{BTreeMap, VecDeque},
    fs, io,
    net::{SocketAddr, TcpListener as StdTcpListener},
    os::unix::{fs::PermissionsExt as _, net::UnixListener as StdUnixListener},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use abide_domain::AgentId;
use abide_wire::{
    Direction, FieldError, FieldErrorCode, Frame, FrameWriter, FromAgent, Message, RefusalCode,
    RefusalError, Secret, ToAgent, Version, limits::LENGTH_BYTES,
};
use futures_util::future::BoxFuture;
use rustix::process::geteuid;
use subtle::ConstantTimeEq as _;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    net::{TcpListener, UnixListener},
    task::{AbortHandle, JoinSet},
};

use crate::{
    link::{Connection, Sink, Source},
    shared::SharedResources,
    supervisor::{AgentHandle, Command, SupervisorError, SupervisorSettings},
};

/// Longest hello.
const HELLO_BYTES_MAX: usize = 64 * 1024;
/// How long a hello may take, and how long the answer to a refused one.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// Connections whose hello is read at once; with one more, the oldest is closed.
const UNAUTHENTICATED_MAX: usize = 64;
/// Between two log lines about such connections.
const MUTE_LOG_INTERVAL: Duration = Duration::from_secs(10);
/// How long to wait after the system could not hand over a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

type Agents = Arc<BTreeMap<AgentId, AgentHandle>>;

/// The listeners, opened and not served yet.
#[derive(Debug, Default)]
pub(crate) struct SocketListeners {
    unix: Option<(PathBuf, StdUnixListener)>,
    tcp: Option<(SocketAddr, StdTcpListener)>,
}

impl SocketListeners {
    /// Opens what is configured. A socket file that another keeper left is replaced: the home's lock admits one.
    pub(crate) fn open(settings: &SupervisorSettings) -> Result<Self, SupervisorError> {
        let mut listeners = Self::default();
        if let Some(path) = &settings.socket_path {
            let failed = |source| SupervisorError::Socket { path: path.clone(), source };
            listeners.unix = Some((path.clone(), open_unix(path).map_err(failed)?));
        }
        if let Some(address) = settings.tcp {
            if !address.ip().is_loopback() {
                return Err(SupervisorError::NotLoopback { address });
            }
            let failed = |source| SupervisorError::Tcp { address, source };
            let listener = StdTcpListener::bind(address).map_err(failed)?;
            listener.set_nonblocking(true).map_err(failed)?;
            listeners.tcp = Some((listener.local_addr().map_err(failed)?, listener));
        }
        Ok(listeners)
    }

    /// The TCP address, which the system chose where port 0 was asked for.
    pub(crate) fn tcp(&self) -> Option<SocketAddr> {
        self.tcp.as_ref().map(|(address, _)| *address)
    }

    /// The tasks that serve them.
    pub(crate) fn serve(
        self,
        shared: &Arc<SharedResources>,
        agents: &Agents,
    ) -> impl Iterator<Item = (String, BoxFuture<'static, ()>)> {
        let acceptor = || SocketAcceptor { shared: Arc::clone(shared), agents: Arc::clone(agents) };
        let unix = self.unix.map(|(path, listener)| {
            let future: BoxFuture<'static, ()> = Box::pin(acceptor().serve_unix(path, listener));
            ("agents' socket".to_owned(), future)
        });
        let tcp = self.tcp.map(|(_, listener)| {
            let future: BoxFuture<'static, ()> = Box::pin(acceptor().serve_tcp(listener));
            ("agents' TCP address".to_owned(), future)
        });
        unix.into_iter().chain(tcp)
    }
}

fn open_unix(path: &Path) -> io::Result<StdUnixListener> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = StdUnixListener::bind(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// One listener.
#[derive(Debug)]
enum SocketListener {
    Unix(UnixListener),
    Tcp(TcpListener),
}

impl SocketListener {
    async fn accept(&self) -> io::Result<Accepted> {
        match self {
            Self::Unix(listener) => {
                let stream = listener.accept().await?.0;
                let user = stream.peer_cred()?.uid();
                let (source, sink) = stream.into_split();
                Ok(Accepted { source: Box::new(source), sink: Box::new(sink), user: Some(user) })
            }
            Self::Tcp(listener) => {
                let stream = listener.accept().await?.0; // Frames are small and answered at once.
                stream.set_nodelay(true)?;
                let (source, sink) = stream.into_split();
                Ok(Accepted { source: Box::new(source), sink: Box::new(sink), user: None })
            }
        }
    }
}

/// A connection that was accepted.
struct Accepted {
    source: Source,
    sink: Sink,
    /// Whose process connected, where the kernel says so.
    user: Option<u32>,
}

impl Accepted {
    /// Whether it may be heard: on the Unix socket, a process of the keeper's user or of root.
    fn is_admitted(&self) -> bool {
        self.user.is_none_or(|user| user == 0 || user == geteuid().as_raw())
    }
}

/// Connections that have not said who they are, the oldest first.
#[derive(Debug, Default)]
struct Unauthenticated {
    tasks: JoinSet<()>,
    oldest_first: VecDeque<AbortHandle>,
    closed: u64,
    logged_at: Option<Duration>,
}

impl Unauthenticated {
    /// Hears a new one. Where there are too many, the oldest is closed; `now` is monotonic.
    fn hear(&mut self, task: impl Future<Output = ()> + Send + 'static, now: Duration) {
        while self.tasks.try_join_next().is_some() {}
        self.oldest_first.retain(|task| !task.is_finished());
        while self.oldest_first.len() >= UNAUTHENTICATED_MAX {
            let Some(oldest) = self.oldest_first.pop_front() else { break };
            oldest.abort();
            self.closed += 1;
        }
        self.oldest_first.push_back(self.tasks.spawn(task));
        let is_due = self.logged_at.is_none_or(|at| now.saturating_sub(at) >= MUTE_LOG_INTERVAL);
        if self.closed > 0 && is_due {
            let closed = std::mem::take(&mut self.closed);
            self.logged_at = Some(now);
            tracing::warn!(
                event = "mute_connections_closed",
                closed,
                "closed connections of agents that had said nothing, to hear newer ones"
            );
        }
    }
}

/// Accepts connections of one listener.
#[derive(Clone, Debug)]
struct SocketAcceptor {
    shared: Arc<SharedResources>,
    agents: Agents,
}

impl SocketAcceptor {
    async fn serve_unix(self, path: PathBuf, listener: StdUnixListener) {
        match UnixListener::from_std(listener) {
            Ok(listener) => self.serve(SocketListener::Unix(listener)).await,
            Err(error) => {
                tracing::error!(event = "listener_failed", listener = "unix", %error, "cannot serve the agents' Unix socket");
            }
        } // Best effort: what is left there is replaced at the next start.
        drop(fs::remove_file(path));
    }

    async fn serve_tcp(self, listener: StdTcpListener) {
        match TcpListener::from_std(listener) {
            Ok(listener) => self.serve(SocketListener::Tcp(listener)).await,
            Err(error) => {
                tracing::error!(event = "listener_failed", listener = "tcp", %error, "cannot serve the agents' TCP address");
            }
        }
    }

    async fn serve(self, listener: SocketListener) {
        let mut unauthenticated = Unauthenticated::default();
        loop {
            let accepted = tokio::select! {
                () = self.shared.stop.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok(connection) if connection.is_admitted() => {
                    let now = self.shared.lifecycle.clock.monotonic();
                    unauthenticated.hear(self.clone().authenticate(connection), now);
                }
                Ok(Accepted { user, .. }) => {
                    tracing::warn!(
                        event = "connection_of_other_user",
                        user,
                        "refused the connection of another user's process"
                    );
                }
                Err(error) => {
                    tracing::warn!(event = "accept_failed", %error, "cannot accept the connection of an agent");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Reads a hello and hands the link to the agent's actor.
    async fn authenticate(self, Accepted { mut source, sink, .. }: Accepted) {
        let hello = tokio::time::timeout(HELLO_TIMEOUT, read_hello(&mut source)).await;
        let checked = match hello {
            Err(_) | Ok(Err(SocketRefusedError::Gone)) => return,
            Ok(Err(SocketRefusedError::Refused(refusal))) => Err(refusal),
            Ok(Ok(hello)) => self.check(&hello).map(|commands| (hello, commands)),
        };
        match checked {
            Ok((hello, handle)) => {
                let connection = Box::new(Connection { source, sink, hello }); // Where the actor is gone the keeper stops.
                drop(handle.commands.send(Command::Connected(connection)).await);
            }
            Err(refusal) => {
                tracing::warn!(event = "connection_refused", %refusal, "refused the connection of an agent");
                let now = self.shared.lifecycle.clock.now();
                let message = Message::<ToAgent>::new(Version::V3, now, refusal.to_keeper_error());
                let mut writer = FrameWriter::new(sink);
                drop(tokio::time::timeout(HELLO_TIMEOUT, writer.send(&message)).await);
            }
        }
    }

    fn check(&self, message: &Message<FromAgent>) -> Result<AgentHandle, RefusalError> {
        let refused = |path: &str, code, why: &str| {
            RefusalError::new(RefusalCode::InvalidMessage, FieldError::new(path, code, why))
        };
        let FromAgent::Hello(hello) = &message.body else {
            return Err(refused("type", FieldErrorCode::Order, "the first message must be hello"));
        };
        let handle = self.agents.get(&hello.agent);
        let wanted = handle.and_then(|handle| handle.secret.as_ref()).map(Secret::expose);
        let given = hello.token.as_ref().map(Secret::expose);
        let is_right = wanted.zip(given).is_some_and(|(wanted, given)| {
            !wanted.is_empty() && bool::from(given.as_bytes().ct_eq(wanted.as_bytes()))
        });
        // A stranger does not learn which agents there are.
        handle.filter(|_| is_right).cloned().ok_or_else(|| {
            let why = "is missing, or is not the secret of this agent (agents/<id>/socket-secret in the home folder of a \
                       keeper that has it with transport = \"socket\")";
            refused("token", FieldErrorCode::Value, why)
        })
    }
}

/// Why a connection was not accepted.
enum SocketRefusedError {
    Gone,
    Refused(RefusalError),
}

impl From<io::Error> for SocketRefusedError {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

/// Reads exactly one frame, so that the link begins at a boundary.
async fn read_hello(
    source: &mut (impl AsyncRead + Unpin),
) -> Result<Message<FromAgent>, SocketRefusedError> {
    let mut length = [0; LENGTH_BYTES];
    source.read_exact(&mut length).await?;
    let bytes = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if bytes > HELLO_BYTES_MAX {
        let why = format!("{bytes} bytes; a hello has at most {HELLO_BYTES_MAX}");
        let problem = FieldError::new("", FieldErrorCode::TooLarge, why);
        return Err(SocketRefusedError::Refused(RefusalError::new(RefusalCode::TooLarge, problem)));
    }
    let mut body = vec![0; bytes];
    source.read_exact(&mut body).await?;
    let frame =
        Frame::parse(Direction::FromAgent, body.into()).map_err(SocketRefusedError::Refused)?;
    Message::decode(&frame).map_err(SocketRefusedError::Refused)
}
