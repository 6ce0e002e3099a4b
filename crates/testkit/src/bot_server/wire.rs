//! One connection, one request, one answer; then it is closed.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
};

use serde_json::Value;

use super::calls::{BotCalls, BotReply};

/// Longest line of a head, in bytes.
const LINE_BYTES_MAX: u64 = 16 * 1024;
/// Longest body that is read, in bytes.
const BODY_BYTES_MAX: usize = 1024 * 1024;

/// Takes connections until the fake is closed.
pub(super) fn accept(listener: &TcpListener, calls: &Arc<BotCalls>) {
    for stream in listener.incoming() {
        if calls.is_closed() {
            return;
        }
        let (Ok(stream), calls) = (stream, Arc::clone(calls)) else { continue };
        // A client that leaves in the middle is none of a test's business.
        drop(thread::Builder::new().spawn(move || drop(serve(stream, &calls))));
    }
}

fn serve(stream: TcpStream, calls: &BotCalls) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let target = line(&mut reader)?.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        let header = line(&mut reader)?;
        let Some((name, value)) = header.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length.min(BODY_BYTES_MAX)];
    reader.read_exact(&mut body)?;
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let Some(BotReply { status, content_type, text }) = calls.take(&target, body) else {
        return Ok(());
    };
    let head = format!(
        "HTTP/1.1 {status} Status\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        text.len()
    );
    let stream = reader.get_mut();
    stream.write_all(head.as_bytes())?;
    stream.write_all(text.as_bytes())
}

fn line(reader: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    reader.take(LINE_BYTES_MAX).read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}
