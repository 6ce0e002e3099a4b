//! The listeners for agents that connect by themselves: a Unix socket in the home folder, and a loopback TCP address.
//!
//! An unauthenticated connection costs little: until its hello was read and its token compared, it may send one small frame,
//! within a short time, and few may do so at once. After that the connection is the agent's actor's.

use std::{
    collections::BTreeMap,
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
    RefusalError, ToAgent, Version, limits::LENGTH_BYTES,
};
use futures_util::future::BoxFuture;
use subtle::ConstantTimeEq as _;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    net::{TcpListener, UnixListener},
    task::JoinSet,
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
/// Connections whose hello is read at once; more wait to be accepted.
const UNAUTHENTICATED_MAX: usize = 32;
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
    async fn accept(&self) -> io::Result<(Source, Sink)> {
        match self {
            Self::Unix(listener) => {
                let (source, sink) = listener.accept().await?.0.into_split();
                Ok((Box::new(source), Box::new(sink)))
            }
            Self::Tcp(listener) => {
                let stream = listener.accept().await?.0; // Frames are small and answered at once.
                stream.set_nodelay(true)?;
                let (source, sink) = stream.into_split();
                Ok((Box::new(source), Box::new(sink)))
            }
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
        let mut pending = JoinSet::new();
        loop {
            tokio::select! { () = self.shared.stop.cancelled() => return, Some(_) = pending.join_next() => {} accepted = listener.accept(), if pending.len() < UNAUTHENTICATED_MAX => match accepted { Ok(connection) => { pending.spawn(self.clone().authenticate(connection)); } Err(error) => { tracing::warn!(event = "accept_failed", %error, "cannot accept the connection of an agent"); tokio::time::sleep(ACCEPT_PAUSE).await; } }, }
        }
    }

    /// Reads a hello and hands the link to the agent's actor.
    async fn authenticate(self, (mut source, sink): (Source, Sink)) {
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
        let wanted = self.shared.settings.token.expose().as_bytes();
        let given = hello.token.as_ref().map(|token| token.expose().as_bytes());
        let is_right =
            !wanted.is_empty() && given.is_some_and(|given| bool::from(given.ct_eq(wanted)));
        if !is_right {
            return Err(refused("token", FieldErrorCode::Value, "is missing or wrong"));
        } // Only those who have the token learn which agents there are.
        self.agents.get(&hello.agent).cloned().ok_or_else(|| {
            refused(
                "agent",
                FieldErrorCode::Value,
                "this agent does not exist, or does not run as a process",
            )
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
