//! `api.sock` in the home: where the running keeper answers its own command line.
//!
//! A port can be taken by anybody once its keeper has died, so that whoever calls it hands the token to a stranger. This
//! socket is in the home, where nobody but its owner can make one: it is made anew at each start, under the home's lock, and
//! both sides check whose process the other one is. A path that is too long for a socket's address is reached through the
//! folder's descriptor.

use std::{
    io,
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _},
    },
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use rustix::fs::{Mode, OFlags};
use tokio::{
    net::{UnixListener, UnixStream},
    sync::Semaphore,
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use crate::home::Home;

/// Commands that may be connected at the same time; a further one waits.
const CONNECTIONS_MAX: usize = 256;
/// Longest time for a request's header to arrive, and for an idle connection to stay.
const HEADER_TIME_MAX: Duration = Duration::from_secs(30);
/// After an error of the system (no file descriptors left) accepting pauses, instead of spinning.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How long running requests may take to end when the keeper stops.
const DRAIN_MAX: Duration = Duration::from_secs(5);
/// Longest path that fits into a socket's address everywhere, in bytes.
const PATH_BYTES_MAX: usize = 100;

/// The bound socket. Dropped, it is gone from the home.
#[derive(Debug)]
pub(crate) struct LocalSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl LocalSocket {
    /// Makes the socket in place of one that an earlier keeper left. Only for who holds the home's lock.
    pub(crate) fn bind(home: &Home) -> io::Result<Self> {
        let path = home.api_socket();
        let part = home.root().join(format!(".api.sock.{}.part", std::process::id()));
        drop(std::fs::remove_file(&part));
        let listener = {
            let short = ShortPath::of(&part)?;
            UnixListener::bind(short.as_path())?
        };
        // It is private before it has its name.
        let made = std::fs::set_permissions(&part, std::fs::Permissions::from_mode(0o600))
            .and_then(|()| std::fs::rename(&part, &path));
        if let Err(error) = made {
            drop(std::fs::remove_file(&part));
            return Err(error);
        }
        Ok(Self { listener, path })
    }

    /// Serves until told to stop; then accepts no more and lets running requests end.
    pub(crate) async fn run(self, router: Router, stop: CancellationToken) {
        let permits = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let mut connections = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(_) = connections.join_next() => continue,
                accepted = self.accept(&permits) => accepted,
            };
            match accepted {
                Ok((stream, permit)) => {
                    let (router, stop) = (router.clone(), stop.clone());
                    connections.spawn(async move {
                        serve(stream, router, stop).await;
                        drop(permit);
                    });
                }
                Err(error) => {
                    tracing::warn!(event = "accept_failed", %error, "a command cannot connect; accepting pauses for a moment");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        let ended = async { while connections.join_next().await.is_some() {} };
        // Whoever has not ended by then is cut.
        drop(tokio::time::timeout(DRAIN_MAX, ended).await);
    }

    async fn accept(
        &self,
        permits: &Arc<Semaphore>,
    ) -> io::Result<(UnixStream, tokio::sync::OwnedSemaphorePermit)> {
        let permit = Arc::clone(permits).acquire_owned().await.map_err(io::Error::other)?;
        loop {
            let (stream, _) = self.listener.accept().await?;
            if is_of(&stream, &[own_uid()]) {
                return Ok((stream, permit));
            }
            tracing::warn!(
                event = "foreign_peer",
                "a process of another user connected to api.sock and was refused"
            );
        }
    }
}

impl Drop for LocalSocket {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.path));
    }
}

/// Connects to the keeper of a home; an error where no keeper listens there, or where whoever does is another user's.
pub(crate) async fn connect(home: &Path) -> io::Result<UnixStream> {
    let path = home.join("api.sock");
    if !std::fs::symlink_metadata(&path)?.file_type().is_socket() {
        let problem =
            format!("{} is not a socket; move it away and restart the keeper", path.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
    }
    let short = ShortPath::of(&path)?;
    let stream = UnixStream::connect(short.as_path()).await?;
    let owner = std::fs::metadata(home)?.uid();
    if is_of(&stream, &[own_uid(), owner]) {
        return Ok(stream);
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        "the process that listens at api.sock belongs to another user",
    ))
}

async fn serve(stream: UnixStream, router: Router, stop: CancellationToken) {
    let service = TowerToHyperService::new(router);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME_MAX)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(event = "connection_failed", %error, "a command's connection ended early");
    }
}

/// Whether the other side is a process of one of these users, or of root.
fn is_of(stream: &UnixStream, users: &[u32]) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == 0 || users.contains(&peer.uid()))
}

fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// A path that fits into a socket's address: itself, or its name in the folder's descriptor.
struct ShortPath {
    path: PathBuf,
    /// Keeps the descriptor in the path valid.
    _folder: Option<OwnedFd>,
}

impl ShortPath {
    fn of(path: &Path) -> io::Result<Self> {
        if path.as_os_str().len() <= PATH_BYTES_MAX {
            return Ok(Self { path: path.to_owned(), _folder: None });
        }
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(folder, flags, Mode::empty())?;
        let short = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name);
        Ok(Self { path: short, _folder: Some(folder) })
    }

    fn as_path(&self) -> &Path {
        &self.path
    }
}
