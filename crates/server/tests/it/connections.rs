//! Connections to the HTTP side that ask and never read, or never ask: they end, and lock nobody out.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use rustix::net::sockopt::set_socket_recv_buffer_size;

use serde_json::json;

use crate::{client::Client, home::Home};

/// Answers that one connection asks for at once; together far more than systems keep for a reader.
const PIPELINED: usize = 500;
/// Longest wait; nothing is asserted about how long anything takes.
const PATIENCE: Duration = Duration::from_mins(2);
/// Tries within that.
const TRIES: u32 = 1_200;

/// Connects, with room for little that is not read.
fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    set_socket_recv_buffer_size(&stream, 8 * 1024).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Asks for a large file again and again, and reads nothing.
fn ask_without_reading(address: SocketAddr) -> TcpStream {
    let mut stream = connect(address);
    let request = format!("GET /assets/app.js HTTP/1.1\r\nhost: {address}\r\n\r\n");
    // One that is refused at once cannot take all of it.
    drop(stream.write_all(request.repeat(PIPELINED).as_bytes()));
    stream
}

/// Tries until it holds; what is tried may wait a moment itself.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..TRIES {
        if holds() {
            return;
        }
        std::thread::park_timeout(PATIENCE / TRIES);
    }
    panic!("{what}");
}

/// Whether the other side has ended the connection, found without reading what it sent.
fn is_ended(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    match stream.write_all(b" ") {
        Ok(()) => false,
        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
    }
}

#[test]
fn clients_that_never_read_lock_nobody_out() {
    let config =
        "[keeper]\nconnections = 160\nconnections_per_peer = 120\nwrite_timeout = \"1h\"\n";
    let home = Home::new(config);
    let keeper = home.up();
    let mute: Vec<_> = (0..300).map(|_| ask_without_reading(keeper.address)).collect();
    // Those that came last are left a moment for themselves.
    let anonymous = keeper.client.anonymous();
    let health = || anonymous.attempt("GET", "/health", &[], "").is_some_and(|a| a.status == 200);
    until("a client that reads is locked out", health);
    for n in 0..50 {
        // Each on a connection of its own, while all others are taken.
        until(&format!("request {n} is locked out"), || {
            keeper.client.attempt("GET", "/snapshot", &[], "").is_some_and(|a| a.status == 200)
        });
    }
    drop(mute);
}

#[test]
fn admitted_requests_keep_their_connections_while_mute_ones_make_room() {
    let config = "[keeper]\nconnections = 40\nconnections_per_peer = 32\nheader_timeout = \"1h\"\n";
    let home = Home::new(config);
    let keeper = home.up();
    let mut streams: Vec<_> =
        (0..8).map(|_| keeper.client.events("/events?after=0", &[])).collect();
    let mute: Vec<_> = (0..100).map(|_| connect(keeper.address)).collect();
    until("a client is locked out", || {
        keeper.client.attempt("GET", "/health", &[], "").is_some_and(|a| a.status == 200)
    });
    keeper.client.say("remember that the heron is grey");
    for events in &mut streams {
        events.until("epoch.committed");
    }
    drop(mute);
}

#[test]
fn a_client_that_does_not_read_is_dropped_after_the_time_of_a_write() {
    let home = Home::new("[keeper]\nwrite_timeout = \"300ms\"\n");
    let keeper = home.up();
    let mut mute = ask_without_reading(keeper.address);
    until("the connection is held for ever", || is_ended(&mut mute));
    assert_eq!(keeper.client.get("/snapshot").status, 200);
}

#[test]
fn a_stream_of_events_that_nobody_reads_is_dropped_with_all_that_it_holds() {
    let home = Home::new("[keeper]\nwrite_timeout = \"300ms\"\n");
    let keeper = home.up();
    // Nobody works on them: the lines are there at once.
    assert_eq!(keeper.client.post("/agents/felix/park", &json!({})).status, 200);
    for n in 0..120 {
        let message = format!("{n} {}", "heron ".repeat(1_500));
        assert_eq!(keeper.client.post("/start-epoch", &json!({"message": message})).status, 202);
    }
    let streams = |client: &Client| {
        let metrics = client.get("/metrics").text;
        let line = metrics.lines().find(|line| line.starts_with("abide_sse_streams ")).unwrap();
        line.to_owned()
    };
    let mut mute: Vec<_> = (0..5).map(|_| connect(keeper.address)).collect();
    for stream in &mut mute {
        let (address, token) = (keeper.address, home.token());
        let request = format!(
            "GET /events?after=0 HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
    }
    for stream in &mut mute {
        until("the stream is held for ever", || is_ended(stream));
    }
    until("the stream's task goes on", || streams(&keeper.client) == "abide_sse_streams 0");
    // One that reads, however late, has everything.
    let mut events = keeper.client.events("/events?after=0", &[]);
    assert_eq!(events.next().unwrap().id, Some(1));
}

#[test]
fn a_connection_without_a_request_ends_and_so_does_one_that_sends_its_header_slowly() {
    let home = Home::new("[keeper]\nheader_timeout = \"300ms\"\n");
    let keeper = home.up();
    let ends = |mut stream: TcpStream| {
        let mut rest = Vec::new();
        // An error is an end too.
        drop(stream.read_to_end(&mut rest));
        String::from_utf8(rest).unwrap()
    };
    ends(connect(keeper.address));
    let mut slow = connect(keeper.address);
    slow.write_all(b"GET /health HTT").unwrap();
    ends(slow);
    let mut idle = connect(keeper.address);
    idle.write_all(format!("GET /health HTTP/1.1\r\nhost: {}\r\n\r\n", keeper.address).as_bytes())
        .unwrap();
    assert!(ends(idle).starts_with("HTTP/1.1 200"), "answered first");
}
