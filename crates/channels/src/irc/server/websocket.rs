//! IRC over WebSocket (RFC 6455, IRCv3 websocket), pure: the handshake and the frames of one connection. A web client
//! reaches the server at the same address as every other program; its first bytes say which it is.
//!
//! Everything is bounded: a request by its size, a message by the longest line. Only the server's side is here: what clients
//! send is masked, what the server sends is not. It is our own because the whole of it is what stands here, and the crates
//! for it hold a stream of their own instead of bytes.

use std::net::{Ipv4Addr, Ipv6Addr};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use sha1::{Digest as _, Sha1};

use crate::irc::limits::{REST_BYTES_MAX, TAGS_BYTES_MAX};

/// How a connection begins that speaks HTTP first. No command of IRC does.
pub(super) const REQUEST_START: &[u8] = b"GET ";
/// Longest request.
const REQUEST_BYTES_MAX: usize = 16 * 1024;
/// Longest message: one line.
const MESSAGE_BYTES_MAX: usize = TAGS_BYTES_MAX + REST_BYTES_MAX;
/// Longest control frame.
const CONTROL_BYTES_MAX: usize = 125;
/// What both sides append to the key (RFC 6455, section 1.3).
const KEY_SUFFIX: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// The subprotocols of IRCv3, the better one first: text frames are shown by every tool.
const SUBPROTOCOLS: [&str; 2] = ["text.ircv3.net", "binary.ircv3.net"];

/// What is to be done about the beginning of a connection.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Handshake {
    /// More is needed.
    Incomplete,
    /// It is refused: this goes out, and the connection ends.
    Refused(String),
    /// It is accepted.
    Accepted {
        /// What goes out.
        response: String,
        /// In which kind of frames lines are sent.
        kind: FrameKind,
        /// How many bytes the request had; what follows them are frames.
        bytes: usize,
    },
}

/// In which kind of frames lines are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// UTF-8.
    Text,
    /// Bytes.
    Binary,
}

/// Reads a request. Pages of other sites may open a connection only where a password is asked for: a browser sends it
/// wherever a page wants it to.
pub(super) fn handshake(bytes: &[u8], is_password_required: bool) -> Handshake {
    let Some(end) = find_end(bytes) else {
        return if bytes.len() > REQUEST_BYTES_MAX {
            refused("431 Request Header Fields Too Large", "the request is too long")
        } else {
            Handshake::Incomplete
        };
    };
    let head = bytes.get(..end).and_then(|head| std::str::from_utf8(head).ok());
    let Some(head) = head else { return refused("400 Bad Request", "the request is no text") };
    let header = |name: &str| {
        let fields = head.lines().skip(1).filter_map(|line| line.split_once(':'));
        let mut fields = fields.filter(|(key, _)| key.trim().eq_ignore_ascii_case(name));
        fields.next().map(|(_, value)| value.trim())
    };
    let lists = |name: &str, word: &str| {
        header(name)
            .is_some_and(|list| list.split(',').any(|w| w.trim().eq_ignore_ascii_case(word)))
    };
    let key = header("Sec-WebSocket-Key").filter(|key| is_key(key));
    let (true, true, Some(key)) =
        (lists("Upgrade", "websocket"), lists("Connection", "upgrade"), key)
    else {
        return refused(
            "426 Upgrade Required",
            "this is an IRC server; use an IRC program or a WebSocket",
        );
    };
    if header("Sec-WebSocket-Version") != Some("13") {
        return refused("426 Upgrade Required", "version 13 of WebSocket is needed");
    }
    if !is_password_required && header("Origin").is_some_and(|origin| !is_loopback_origin(origin)) {
        return refused("403 Forbidden", "pages of other sites may not connect without a password");
    }
    let offered = header("Sec-WebSocket-Protocol").unwrap_or_default();
    let mut offered = offered.split(',').map(str::trim);
    let chosen = offered.find_map(|word| SUBPROTOCOLS.iter().find(|known| **known == word));
    let protocol =
        chosen.map(|chosen| format!("Sec-WebSocket-Protocol: {chosen}\r\n")).unwrap_or_default();
    let is_binary = chosen.is_some_and(|chosen| chosen.starts_with("binary"));
    let response = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {}\r\n{protocol}\r\n",
        accept_key(key)
    );
    let kind = if is_binary { FrameKind::Binary } else { FrameKind::Text };
    Handshake::Accepted { response, kind, bytes: end }
}

fn refused(status: &str, words: &str) -> Handshake {
    Handshake::Refused(format!(
        "HTTP/1.1 {status}\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nConnection: close\r\n\
         Content-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\r\n{words}\n",
        words.len() + 1
    ))
}

/// Whether an origin, such as `http://127.0.0.1:8080`, is a page of this very machine.
fn is_loopback_origin(origin: &str) -> bool {
    let Some((_, authority)) = origin.split_once("://") else { return false };
    if let Some(v6) = authority.strip_prefix('[') {
        return v6
            .split(']')
            .next()
            .and_then(|v6| v6.parse::<Ipv6Addr>().ok())
            .is_some_and(|v6| v6.is_loopback());
    }
    let host = authority.split(':').next().unwrap_or_default();
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<Ipv4Addr>().is_ok_and(|v4| v4.is_loopback())
}

/// The end of a request's head.
fn find_end(bytes: &[u8]) -> Option<usize> {
    let within = bytes.get(..bytes.len().min(REQUEST_BYTES_MAX))?;
    within.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at.saturating_add(4))
}

fn is_key(key: &str) -> bool {
    BASE64_STANDARD.decode(key).is_ok_and(|bytes| bytes.len() == 16)
}

fn accept_key(key: &str) -> String {
    BASE64_STANDARD.encode(Sha1::digest(format!("{key}{KEY_SUFFIX}")))
}

/// What a peer sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FrameEvent {
    /// A whole message.
    Message(Vec<u8>),
    /// It asks for an answer with these bytes.
    Ping(Vec<u8>),
    /// It ends the connection.
    Close,
    /// It breaks the protocol; the connection ends with this code.
    Broken(u16),
}

/// Finds messages in a stream of frames. Holds at most one message that is not complete.
#[derive(Debug, Default)]
pub(super) struct FrameReader {
    unread: Vec<u8>,
    /// The pieces of a message so far.
    message: Option<Vec<u8>>,
    is_over: bool,
}

/// The head of a frame.
struct FrameHead {
    is_last: bool,
    opcode: u8,
    mask: [u8; 4],
    /// Where its content begins.
    start: usize,
    length: usize,
}

impl FrameReader {
    /// Takes a piece of the stream and gives what it completes. Nothing comes after an end.
    pub(super) fn feed(&mut self, piece: &[u8]) -> Vec<FrameEvent> {
        let mut events = Vec::new();
        if self.is_over {
            return events;
        }
        self.unread.extend_from_slice(piece);
        loop {
            match self.next_frame() {
                Ok(None) => return events,
                Ok(Some(event)) => {
                    self.is_over = event == FrameEvent::Close;
                    events.push(event);
                }
                Err(code) => {
                    self.is_over = true;
                    events.push(FrameEvent::Broken(code));
                }
            }
            if self.is_over {
                self.unread = Vec::new();
                return events;
            }
        }
    }

    /// The next event; none where more bytes are needed. Errors are codes of RFC 6455, section 7.4.
    fn next_frame(&mut self) -> Result<Option<FrameEvent>, u16> {
        loop {
            let Some(head) = read_head(&self.unread)? else { return Ok(None) };
            let held = self.message.as_ref().map_or(0, Vec::len);
            if held.saturating_add(head.length) > MESSAGE_BYTES_MAX {
                return Err(1009);
            }
            let end = head.start.saturating_add(head.length);
            let Some(content) = self.unread.get(head.start..end) else { return Ok(None) };
            let content: Vec<u8> = content
                .iter()
                .zip(head.mask.iter().cycle())
                .map(|(byte, mask)| byte ^ mask)
                .collect();
            self.unread.drain(..end);
            match (head.opcode, self.message.take()) {
                (0x8, _) => return Ok(Some(FrameEvent::Close)),
                (0x9, held) => {
                    self.message = held;
                    return Ok(Some(FrameEvent::Ping(content)));
                }
                (0xA, held) => self.message = held,
                (0x0, Some(mut held)) => {
                    held.extend(content);
                    if head.is_last {
                        return Ok(Some(FrameEvent::Message(held)));
                    }
                    self.message = Some(held);
                }
                (0x1 | 0x2, None) if head.is_last => return Ok(Some(FrameEvent::Message(content))),
                (0x1 | 0x2, None) => self.message = Some(content),
                _ => return Err(1002),
            }
        }
    }
}

/// Reads the head of a frame; none where it is not there yet.
fn read_head(bytes: &[u8]) -> Result<Option<FrameHead>, u16> {
    let [first, second, rest @ ..] = bytes else { return Ok(None) };
    let (is_last, opcode) = (first & 0x80 != 0, first & 0x0f);
    let is_control = opcode & 0x8 != 0;
    // Bits of extensions, none of which was agreed on; a client that does not mask; a control frame in pieces.
    if first & 0x70 != 0 || second & 0x80 == 0 || (is_control && !is_last) {
        return Err(1002);
    }
    let (length, behind) = match second & 0x7f {
        126 => {
            let Some((length, behind)) = rest.split_first_chunk::<2>() else { return Ok(None) };
            (u64::from(u16::from_be_bytes(*length)), behind)
        }
        127 => {
            let Some((length, behind)) = rest.split_first_chunk::<8>() else { return Ok(None) };
            (u64::from_be_bytes(*length), behind)
        }
        short => (u64::from(short), rest),
    };
    let length = usize::try_from(length).map_err(|_| 1009_u16)?;
    if is_control && length > CONTROL_BYTES_MAX {
        return Err(1002);
    }
    if length > MESSAGE_BYTES_MAX {
        return Err(1009);
    }
    let Some((mask, content)) = behind.split_first_chunk::<4>() else { return Ok(None) };
    let start = bytes.len().saturating_sub(content.len());
    Ok(Some(FrameHead { is_last, opcode, mask: *mask, start, length }))
}

/// A line as a frame, without its line end.
pub(super) fn line_frame(kind: FrameKind, line: &[u8]) -> Vec<u8> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let opcode = match kind {
        FrameKind::Text => 0x1,
        FrameKind::Binary => 0x2,
    };
    frame(opcode, line)
}

/// The answer to a ping.
pub(super) fn pong_frame(content: &[u8]) -> Vec<u8> {
    frame(0xA, content)
}

/// The end of a connection, with a code of RFC 6455.
pub(super) fn close_frame(code: u16) -> Vec<u8> {
    frame(0x8, &code.to_be_bytes())
}

fn frame(opcode: u8, content: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x80 | opcode];
    match u16::try_from(content.len()) {
        Ok(length @ 0..=125) => frame.extend(length.to_be_bytes().last()),
        Ok(length) => {
            frame.push(126);
            frame.extend(length.to_be_bytes());
        }
        Err(_) => {
            frame.push(127);
            frame.extend(u64::try_from(content.len()).unwrap_or(u64::MAX).to_be_bytes());
        }
    }
    frame.extend_from_slice(content);
    frame
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        FrameEvent, FrameKind, FrameReader, Handshake, MESSAGE_BYTES_MAX, handshake, line_frame,
    };

    const REQUEST: &str = "GET /irc HTTP/1.1\r\nHost: x\r\nupgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n\
                           Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";

    fn request(more: &str) -> String {
        format!("{REQUEST}{more}\r\n")
    }

    /// A frame as a client sends it.
    fn masked(first: u8, content: &[u8]) -> Vec<u8> {
        let mask = [7, 1, 9, 200];
        let mut frame = vec![first];
        match content.len() {
            length @ 0..=125 => frame.push(0x80 | u8::try_from(length).unwrap()),
            length @ 126..=65_535 => {
                frame.push(0xfe);
                frame.extend(u16::try_from(length).unwrap().to_be_bytes());
            }
            length => {
                frame.push(0xff);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        frame.extend(mask);
        frame.extend(content.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        frame
    }

    #[test]
    fn a_handshake_is_answered_with_the_key_and_the_protocol_of_ircv3() {
        let whole = request("Sec-WebSocket-Protocol: soap, binary.ircv3.net, text.ircv3.net\r\n");
        for end in 0..whole.len() {
            assert_eq!(handshake(&whole.as_bytes()[..end], true), Handshake::Incomplete, "{end}");
        }
        let Handshake::Accepted { response, kind, bytes } =
            handshake(format!("{whole}frames").as_bytes(), true)
        else {
            panic!()
        };
        // The example of RFC 6455, section 1.3.
        assert!(response.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
        assert!(response.contains("Sec-WebSocket-Protocol: binary.ircv3.net\r\n"), "{response}");
        assert_eq!((kind, bytes), (FrameKind::Binary, whole.len()));
    }

    #[test]
    fn what_is_no_handshake_and_pages_of_others_are_refused() {
        let status = |request: &str, is_password_required| match handshake(
            request.as_bytes(),
            is_password_required,
        ) {
            Handshake::Refused(response) => response.get(9..12).unwrap().to_owned(),
            other => format!("{other:?}"),
        };
        assert_eq!(status("GET / HTTP/1.1\r\nHost: x\r\n\r\n", true), "426");
        assert_eq!(status(&request("").replace("13", "8"), true), "426");
        assert_eq!(status(&request("").replace("dGhl", ""), true), "426");
        assert_eq!(status(&"GET /".repeat(5_000), true), "431");
        let foreign = request("Origin: https://evil.example\r\n");
        assert_eq!(status(&foreign, false), "403");
        assert!(status(&foreign, true).starts_with("Accepted"));
        for own in ["http://127.0.0.1:7717", "http://localhost:8080", "http://[::1]:1"] {
            let own = request(&format!("Origin: {own}\r\n"));
            assert!(status(&own, false).starts_with("Accepted"), "{own}");
        }
    }

    #[test]
    fn messages_come_whole_whatever_pieces_and_pings_lie_between() {
        let mut stream = masked(0x01, b"NICK ");
        stream.extend(masked(0x89, b"p"));
        stream.extend(masked(0x80, b"ann"));
        stream.extend(masked(0x8A, b""));
        stream.extend(masked(0x82, b"PING x"));
        stream.extend(masked(0x88, b""));
        stream.extend(masked(0x81, b"after the end"));
        for size in 1..stream.len() {
            let mut reader = FrameReader::default();
            let events: Vec<_> = stream.chunks(size).flat_map(|piece| reader.feed(piece)).collect();
            let expected = [
                FrameEvent::Ping(b"p".to_vec()),
                FrameEvent::Message(b"NICK ann".to_vec()),
                FrameEvent::Message(b"PING x".to_vec()),
                FrameEvent::Close,
            ];
            assert_eq!(events, expected, "{size}");
        }
    }

    #[test]
    fn what_breaks_the_protocol_or_is_too_long_ends_the_connection() {
        let unmasked = [0x81, 0x01, b'x'].to_vec();
        let huge =
            [0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0].to_vec();
        let mut pieces = masked(0x01, &vec![b'x'; MESSAGE_BYTES_MAX]);
        pieces.extend(masked(0x80, b"x"));
        let cases = [
            (unmasked, 1002),
            (masked(0x80, b"no beginning"), 1002),
            (masked(0xC1, b"an extension"), 1002),
            (masked(0x09, b"a ping in pieces"), 1002),
            (masked(0x83, b"an unknown kind"), 1002),
            (masked(0x82, &vec![b'x'; MESSAGE_BYTES_MAX + 1]), 1009),
            (pieces, 1009),
            (huge, 1009),
        ];
        for (stream, code) in cases {
            let events = FrameReader::default().feed(&stream);
            assert_eq!(events, [FrameEvent::Broken(code)]);
        }
    }

    #[test]
    fn a_line_is_a_frame_without_its_end() {
        assert_eq!(line_frame(FrameKind::Text, b"PING\r\n"), [0x81, 4, b'P', b'I', b'N', b'G']);
        let long = line_frame(FrameKind::Binary, &[b'x'; 300]);
        assert_eq!(&long[..4], [0x82, 126, 1, 44]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic_and_held_within_bounds(
            bytes in proptest::collection::vec(any::<u8>(), 0..400), size in 1_usize..50,
        ) {
            drop(handshake(&bytes, true));
            let mut reader = FrameReader::default();
            let events: Vec<_> = bytes.chunks(size).flat_map(|piece| reader.feed(piece)).collect();
            prop_assert!(reader.unread.len() <= MESSAGE_BYTES_MAX + 14 + size);
            let ends = events.iter().filter(|e| matches!(e, FrameEvent::Close | FrameEvent::Broken(_)));
            prop_assert!(ends.count() <= 1);
        }
    }
}
