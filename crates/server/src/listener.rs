//! HTTP connections: accepted, bounded in number, size and time, and closed gracefully.
//!
//! Knows nothing of routes. A client that sends its header slowly, or nothing at all, holds a connection for a bounded
//! time and no request of others.

use std::{io, sync::Arc, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    io::AsyncWriteExt as _,
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

/// Connections at most; event streams are connections too.
const CONNECTIONS_MAX: usize = 4096;
/// Longest time for a request's header to arrive, and for an idle connection to stay.
const HEADER_TIME_MAX: Duration = Duration::from_secs(30);
/// Longest header.
const HEADER_BYTES_MAX: usize = 64 * 1024;
/// Header fields at most.
const HEADERS_MAX: usize = 64;
/// How long running requests may take to end when the keeper stops.
const DRAIN_MAX: Duration = Duration::from_secs(5);
/// After an error of the system (no file descriptors left) accepting pauses, instead of spinning.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// What a client is told when there are too many connections.
const BUSY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n\
connection: close\r\ncontent-length: 78\r\n\r\n\
{\"error\":{\"code\":\"too_many_connections\",\"message\":\"too many connections now\"}}";

/// Accepts connections and serves a router on them.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: TcpListener,
    router: Router,
}

impl Listener {
    /// Serves a router at a bound socket.
    pub(crate) fn new(socket: TcpListener, router: Router) -> Self {
        Self { socket, router }
    }

    /// Works until told to stop; then accepts no more and lets running requests end.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let permits = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let mut connections = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(_) = connections.join_next() => continue,
                accepted = self.socket.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => match Arc::clone(&permits).try_acquire_owned() {
                    Ok(permit) => {
                        let served = serve(stream, self.router.clone(), stop.clone(), permit);
                        connections.spawn(served);
                    }
                    Err(_) => {
                        connections.spawn(refuse(stream));
                    }
                },
                Err(error) => pause_after(&error).await,
            }
        }
        drop(self.socket);
        let ended = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(DRAIN_MAX, ended).await.is_err() {
            tracing::warn!(
                event = "connections_cut",
                connections = connections.len(),
                "connections did not end in time and are cut"
            );
        }
    }
}

async fn pause_after(error: &io::Error) {
    // A client that was gone before it was accepted is no error.
    if error.kind() != io::ErrorKind::ConnectionAborted {
        tracing::warn!(event = "accept_failed", %error, "a connection cannot be accepted; accepting pauses for a moment");
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }
}

async fn refuse(mut stream: TcpStream) {
    // The client may be gone; nothing depends on its reading this.
    drop(tokio::time::timeout(ACCEPT_PAUSE, stream.write_all(BUSY)).await);
}

async fn serve(
    stream: TcpStream,
    router: Router,
    stop: CancellationToken,
    permit: OwnedSemaphorePermit,
) {
    // Small events must leave at once; without this they would wait for the client's acknowledgement.
    drop(stream.set_nodelay(true));
    let service = TowerToHyperService::new(router);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME_MAX)
        .max_buf_size(HEADER_BYTES_MAX)
        .max_headers(HEADERS_MAX)
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
        tracing::debug!(event = "connection_failed", %error, "a connection ended early");
    }
    drop(permit);
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_refusal_says_its_length() {
        let text = std::str::from_utf8(super::BUSY).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with(&format!("content-length: {}", body.len())), "{}", body.len());
        assert!(serde_json::from_str::<serde_json::Value>(body).is_ok());
    }
}
