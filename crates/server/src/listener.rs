//! HTTP connections: accepted, bounded in number, size and time, and closed gracefully.
//!
//! Knows nothing of routes. A client that sends its header slowly, or does not read what it asked for, holds a connection
//! for a bounded time. Where connections run out, the ones that wait for their own client longest make room for a new one;
//! those on which an admitted request runs never do.
//!
//! Reading order: `limits`, `connections` (who may stay), `stream` (the bytes), `in_flight`
//! (one request), this file.

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};

use abide_domain::Peer;
use axum::Router;
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    io::AsyncWriteExt as _,
    net::{TcpListener, TcpSocket, TcpStream},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

mod connections;
mod in_flight;
mod limits;
mod stream;

pub(crate) use in_flight::RequestConnection;
pub(crate) use limits::ListenerLimits;

use connections::{Connections, Entered};
use stream::BoundedStream;

/// Longest header.
const HEADER_BYTES_MAX: usize = 64 * 1024;
/// Header fields at most.
const HEADERS_MAX: usize = 64;
/// What the system holds of an answer that is not read, in bytes; Linux doubles it. Without a bound of ours it grows to
/// megabytes for each connection.
const SEND_BUFFER_BYTES: u32 = 128 * 1024;
/// Connections that the system holds until they are accepted.
const BACKLOG: u32 = 1_024;
/// How long running requests may take to end when the keeper stops.
const DRAIN_MAX: Duration = Duration::from_secs(5);
/// After an error of the system (no file descriptors left) accepting pauses, instead of spinning.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Clients at most that are told at the same time that there are too many; more are closed without a word.
const REFUSALS_MAX: usize = 64;
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
    limits: ListenerLimits,
}

/// Binds an address, with the bounds that accepted connections inherit.
pub(crate) fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

impl Listener {
    /// Serves a router at a bound socket.
    pub(crate) fn new(socket: TcpListener, router: Router, limits: ListenerLimits) -> Self {
        Self { socket, router, limits }
    }

    /// Works until told to stop; then accepts no more and lets running requests end.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let Self { socket, router, limits } = self;
        let connections = Arc::new(Connections::new(limits));
        let mut tasks = JoinSet::new();
        let mut refusals = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(_) = tasks.join_next() => continue,
                Some(_) = refusals.join_next() => continue,
                accepted = socket.accept() => accepted,
            };
            match accepted {
                Ok((stream, address)) => match connections.enter(Peer::of(address.ip())) {
                    Some(entered) => {
                        let place = (entered, limits);
                        tasks.spawn(serve(stream, router.clone(), place, stop.clone()));
                    }
                    None if refusals.len() < REFUSALS_MAX => {
                        refusals.spawn(refuse(stream));
                    }
                    None => {}
                },
                Err(error) => pause_after(&error).await,
            }
        }
        drop(socket);
        let ended = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(DRAIN_MAX, ended).await.is_err() {
            tracing::warn!(
                event = "connections_cut",
                connections = tasks.len(),
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
    (entered, limits): (Entered, ListenerLimits),
    stop: CancellationToken,
) {
    // Small events must leave at once; without this they would wait for the client's acknowledgement.
    drop(stream.set_nodelay(true));
    let state = Arc::clone(entered.state());
    let connection = RequestConnection::of(&entered);
    let routes = TowerToHyperService::new(router);
    let service = service_fn(|mut request: hyper::Request<Incoming>| {
        let in_flight = connection.begin();
        request.extensions_mut().insert(connection.clone());
        let answer = routes.call(request);
        async move { Ok::<_, Infallible>(in_flight.hold_until_end(answer.await?)) }
    });
    let stream = BoundedStream::new(stream, Arc::clone(&state), limits.write_time);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_buf_size(HEADER_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = state.cut() => return,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                ended = connection => ended,
                () = state.cut() => return,
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(event = "connection_failed", %error, "a connection ended early");
    }
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
