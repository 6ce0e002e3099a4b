//! From a connection to a reply: accepts, reads, checks, asks the script or the rule, answers.

use std::{io, sync::Arc, time::Duration};

use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

use super::{
    FakeDialect, Reply, SeenRequest, check, embeddings, errors, listing, parse,
    render::{self, RepeatedBytes},
    reply::{Body, FailureKind},
    rules::Canned,
    shared::Shared,
    socket::{ConnectionFate, RawRequest, Response, Socket},
};

/// Connections at once; more wait to be accepted.
const CONNECTIONS_MAX: usize = 1024;

/// Serves until told to stop. Connections end with it.
pub(super) async fn accept(
    listener: TcpListener,
    shared: Arc<Shared>,
    mut stopped: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = stopped.wait_for(|stop| *stop) => return,
            accepted = listener.accept(), if connections.len() < CONNECTIONS_MAX => {
                if let Ok((stream, _)) = accepted {
                    connections.spawn(connection(stream, Arc::clone(&shared)));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Answers the requests of one client, one after the other. A broken connection is the client's affair.
async fn connection(stream: TcpStream, shared: Arc<Shared>) {
    let Ok(mut socket) = Socket::new(stream) else { return };
    while let Ok(Some(request)) = socket.read().await {
        let after = match &shared.settings.canned {
            Some(canned) => quick(&mut socket, &shared, canned, &request).await,
            None => exchange(&mut socket, &shared, request).await,
        };
        match after {
            Ok(ConnectionFate::Open) => {}
            Ok(ConnectionFate::Closed) => return,
            Ok(ConnectionFate::HungUp) | Err(_) => {
                shared.hang_up();
                return;
            }
        }
    }
}

/// The benchmark's way: no parsing, prepared bytes.
async fn quick(
    socket: &mut Socket,
    shared: &Shared,
    canned: &Canned,
    request: &RawRequest,
) -> io::Result<ConnectionFate> {
    let Some(dialect) = FakeDialect::from_path(&request.path) else {
        return socket.write(&lookup(shared, request)).await;
    };
    shared.next_number();
    if !canned.delay().is_zero() {
        tokio::time::sleep(canned.delay()).await;
    }
    socket.write_prepared(canned.answer(dialect, &request.body)).await?;
    Ok(ConnectionFate::Open)
}

async fn exchange(
    socket: &mut Socket,
    shared: &Shared,
    request: RawRequest,
) -> io::Result<ConnectionFate> {
    let dialect = match FakeDialect::from_path(&request.path) {
        Some(dialect) if request.method == "POST" => dialect,
        _ => return socket.write(&lookup(shared, &request)).await,
    };
    let (seen, problems) = read(shared, dialect, request);
    shared.violate(seen.number, problems.clone());
    shared.keep(&seen);
    let refused = refusal(shared, &seen, &problems);
    let reply = refused.or_else(|| shared.reply(&seen)).unwrap_or_else(|| {
        shared.violate(seen.number, ["was not expected: no reply is scripted".to_owned()]);
        Reply::status(500).body("{\"error\":\"no reply is scripted\"}")
    });
    if !wait(socket, &reply).await {
        return Ok(ConnectionFate::HungUp);
    }
    socket.write(&respond(shared, &seen, reply)).await
}

/// Understands and checks a request.
fn read(shared: &Shared, dialect: FakeDialect, raw: RawRequest) -> (Arc<SeenRequest>, Vec<String>) {
    let auth_ok = authorised(shared, &raw);
    let (mut seen, mut problems) = parse::parse(dialect, raw);
    seen.auth_ok = auth_ok;
    seen.number = shared.next_number();
    problems.extend(check::check(&seen, shared.settings.request_bytes_max));
    (Arc::new(seen), problems)
}

fn refusal(shared: &Shared, seen: &SeenRequest, problems: &[String]) -> Option<Reply> {
    if !seen.auth_ok {
        return Some(Reply::status(401));
    }
    let first = problems.first().filter(|_| shared.settings.refusing)?;
    let (_, body) = errors::body(seen.dialect, FailureKind::Status(400), Some(first));
    Some(Reply::status(400).body(&body))
}

/// Waits as the reply demands. False where the client left meanwhile.
async fn wait(socket: &mut Socket, reply: &Reply) -> bool {
    if reply.delay == Duration::ZERO && reply.gate.is_none() {
        return true;
    }
    let waiting = async {
        tokio::time::sleep(reply.delay).await;
        if let Some(gate) = &reply.gate {
            gate.pass().await;
        }
    };
    tokio::select! {
        () = waiting => true,
        () = socket.left() => false,
    }
}

fn respond(shared: &Shared, seen: &SeenRequest, reply: Reply) -> Response {
    let mut response = match reply.body {
        Body::Answer(answer) => render::answer(seen, &answer),
        Body::Failure(failure) => {
            let (status, body) = errors::body(seen.dialect, failure.kind, None);
            Response::json(status, failure.body.unwrap_or(body))
        }
        Body::Raw(bytes) => {
            let content_type =
                if seen.stream { seen.dialect.stream_type() } else { "application/json" };
            Response {
                content_type,
                parts: vec![RepeatedBytes::once(bytes)],
                is_stream: seen.stream,
                ..Response::json(200, String::new())
            }
        }
    };
    let id = format!("req_{}", seen.number);
    response.headers.push((errors::request_id_header(seen.dialect).to_owned(), id));
    response.headers.extend(reply.headers);
    response.ending = reply.ending;
    response.dribble = reply.dribble.or(shared.settings.dribble);
    response
}

/// Everything that is no request for an answer: lists, health, and the fake's own state.
fn lookup(shared: &Shared, request: &RawRequest) -> Response {
    let has_anthropic_header = request.header("anthropic-version").is_some();
    let dialect = FakeDialect::nearest(&request.path, has_anthropic_header);
    if !authorised(shared, request) && request.path != "/health" {
        let (status, body) = errors::body(dialect, FailureKind::Status(401), None);
        return Response::json(status, body);
    }
    if request.method == "POST" && request.path == embeddings::PATH {
        return embeddings::answer(shared, request);
    }
    let found =
        if request.method == "GET" { listing::get(shared, dialect, &request.path) } else { None };
    found.map_or_else(
        || {
            let (status, body) = errors::body(dialect, FailureKind::Status(404), None);
            Response::json(status, body)
        },
        |body| Response::json(200, body.to_string()),
    )
}

fn authorised(shared: &Shared, request: &RawRequest) -> bool {
    let Some(key) = &shared.settings.key else { return true };
    let bearer = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    bearer.or_else(|| request.header("x-api-key")) == Some(key)
}
