//! A client that speaks IRC by hand, over a socket.

use std::net::SocketAddr;

use abide_channels::irc::IrcMessage;
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, ReadHalf,
        WriteHalf, split,
    },
    net::TcpStream,
    time::timeout,
};

use crate::{irc_server::PASSWORD, wait::LONG};

/// A connection.
pub(crate) struct PlainClient<S> {
    reader: BufReader<ReadHalf<S>>,
    writer: WriteHalf<S>,
}

impl PlainClient<TcpStream> {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).await.unwrap())
    }

    /// Connects, gets in as `nick`, and joins `#abide`.
    pub(crate) async fn enter(address: SocketAddr, nick: &str, caps: &str) -> Self {
        let mut client = Self::connect(address).await;
        client.register(nick, caps).await;
        client
    }
}

impl<S: AsyncRead + AsyncWrite> PlainClient<S> {
    pub(crate) fn over(stream: S) -> Self {
        let (reader, writer) = split(stream);
        Self { reader: BufReader::new(reader), writer }
    }

    pub(crate) async fn register(&mut self, nick: &str, caps: &str) {
        self.send(&format!("CAP REQ :{caps}")).await;
        self.send(&format!("PASS {nick}:{PASSWORD}")).await;
        self.send(&format!("NICK {nick}")).await;
        self.send(&format!("USER {nick} 0 * :{nick}")).await;
        self.send("CAP END").await;
        self.send("JOIN #abide").await;
        self.hear("366").await;
    }

    pub(crate) async fn send(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\r\n").as_bytes()).await.unwrap();
    }

    /// The next line, `None` at the end of the connection.
    pub(crate) async fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        let reading = self.reader.read_until(b'\n', &mut line);
        let count = timeout(LONG, reading).await.unwrap_or_else(|_| panic!("nothing came"));
        // A connection that is reset has ended as well.
        let count = count.unwrap_or(0);
        (count > 0).then(|| String::from_utf8(line).unwrap().trim_end().to_owned())
    }

    /// Reads on to the next message with this command.
    pub(crate) async fn hear(&mut self, command: &str) -> IrcMessage {
        loop {
            let Some(line) = self.line().await else {
                panic!("the connection ended before {command}")
            };
            let message = IrcMessage::parse(line.as_bytes()).unwrap();
            if message.command == "PING" {
                self.send(&format!("PONG :{}", message.param(0))).await;
            }
            if message.command == command {
                return message;
            }
        }
    }
}
