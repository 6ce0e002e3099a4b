//! A client in the browser: the same server at the same address, over WebSocket.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{
    irc_server::{PASSWORD, TestIrcServer},
    plain::PlainClient,
};

/// A WebSocket, spoken by hand: frames of less than 65,536 bytes, masked with zeros.
struct WebSocket(TcpStream);

impl WebSocket {
    async fn open(house: &TestIrcServer) -> (Self, String) {
        let mut stream = TcpStream::connect(house.address).await.unwrap();
        let request = "GET / HTTP/1.1\r\nHost: abide\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                       Origin: http://localhost:8080\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                       Sec-WebSocket-Protocol: text.ircv3.net\r\n\r\n";
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        (Self(stream), String::from_utf8(head).unwrap())
    }

    async fn send(&mut self, opcode: u8, content: &str) {
        let mut frame = vec![0x80 | opcode, 0x80 | 0x7e];
        frame.extend(u16::try_from(content.len()).unwrap().to_be_bytes());
        frame.extend([0; 4]);
        frame.extend(content.as_bytes());
        self.0.write_all(&frame).await.unwrap();
    }

    /// The next frame: its kind, and what is in it.
    async fn next(&mut self) -> (u8, String) {
        let first = self.0.read_u8().await.unwrap();
        let length = match self.0.read_u8().await.unwrap() {
            126 => usize::from(self.0.read_u16().await.unwrap()),
            length => usize::from(length),
        };
        let mut content = vec![0; length];
        self.0.read_exact(&mut content).await.unwrap();
        (first, String::from_utf8_lossy(&content).into_owned())
    }

    async fn until(&mut self, text: &str) -> String {
        loop {
            let (first, line) = self.next().await;
            assert_eq!(first, 0x81, "whole frames of text: {line:?}");
            assert!(!line.ends_with(['\r', '\n']), "{line:?}");
            if line.contains(text) {
                return line;
            }
        }
    }
}

#[tokio::test]
async fn a_page_in_a_browser_talks_to_agents_and_to_people_with_other_programs() {
    let house = TestIrcServer::open().await;
    let (mut page, head) = WebSocket::open(&house).await;
    assert!(head.starts_with("HTTP/1.1 101 ") && head.contains("text.ircv3.net"), "{head}");
    let pass = format!("PASS ann:{PASSWORD}");
    for line in [&*pass, "NICK ann", "USER ann 0 * :Ann", "JOIN #abide"] {
        page.send(0x1, line).await;
    }
    page.until(" 366 ").await;
    let mut bob = PlainClient::enter(house.address, "bob", "sasl").await;
    page.send(0x1, "PRIVMSG #abide :hello from a page").await;
    while bob.hear("PRIVMSG").await.param(1) != "hello from a page" {}
    bob.send("PRIVMSG #abide :and hello to you").await;
    page.until("and hello to you").await;
    page.send(0x9, "are you there?").await;
    assert_eq!(page.next().await, (0x8A, "are you there?".to_owned()));
    page.send(0x8, "").await;
    assert_eq!(page.next().await.0, 0x88, "the server ends it as well");
    assert_eq!(bob.hear("QUIT").await.nick(), "ann");
}

#[tokio::test]
async fn what_asks_for_a_page_is_told_that_there_is_none() {
    let house = TestIrcServer::open().await;
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: abide\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 426 ") && answer.contains("IRC"), "{answer}");
}
