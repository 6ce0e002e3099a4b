//! Somebody on a line: sends what a program would, and reads what comes.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    time::Duration,
};

/// In which everything that a test waits for comes, on a machine that is busy with other things.
const LONG: Duration = Duration::from_mins(1);

/// A connection.
pub(super) struct Person {
    reader: BufReader<TcpStream>,
    pub(super) nick: String,
}

impl Person {
    /// Connects and says nothing yet.
    pub(super) fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        Self { reader: BufReader::new(stream), nick: String::new() }
    }

    /// Logs in under an account of its nick's name.
    pub(super) fn log_in(&mut self, name: &str, token: &str) {
        self.send("CAP REQ :batch server-time message-tags draft/chathistory");
        self.introduce(name, &format!("{name}:{token}"));
        self.send("CAP END");
        self.until(" 001 ");
    }

    /// Says who it is, whatever comes of it.
    pub(super) fn introduce(&mut self, nick: &str, password: &str) {
        nick.clone_into(&mut self.nick);
        self.send(&format!("PASS {password}"));
        self.send(&format!("NICK {nick}"));
        self.send(&format!("USER {nick} 0 * :{nick}"));
    }

    pub(super) fn join(&mut self, room: &str) {
        self.send(&format!("JOIN {room}"));
        self.until(" 366 ");
    }

    /// Sends a line.
    pub(super) fn send(&mut self, line: &str) {
        self.reader.get_mut().write_all(format!("{line}\r\n").as_bytes()).unwrap();
    }

    /// Says something.
    pub(super) fn say(&mut self, target: &str, text: &str) {
        self.send(&format!("PRIVMSG {target} :{text}"));
    }

    /// The next line, if there is one.
    pub(super) fn next(&mut self) -> Option<String> {
        let mut line = String::new();
        let count = self.reader.read_line(&mut line).unwrap_or_else(|error| panic!("{error}"));
        let line = line.trim_end().to_owned();
        if line.starts_with("PING") {
            self.send(&line.replacen("PING", "PONG", 1));
        }
        (count > 0).then_some(line)
    }

    /// The next line; none where the connection has ended, however it did.
    pub(super) fn next_or_end(&mut self) -> Option<String> {
        let mut line = String::new();
        let count = self.reader.read_line(&mut line).unwrap_or_default();
        (count > 0).then(|| line.trim_end().to_owned())
    }

    /// The lines up to one that holds a text, that one included.
    pub(super) fn until(&mut self, text: &str) -> Vec<String> {
        self.until_any(&[text])
    }

    /// The lines up to one that holds one of the texts.
    pub(super) fn until_any(&mut self, texts: &[&str]) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let Some(line) = self.next() else {
                panic!("{}: the line ended before {texts:?}: {lines:#?}", self.nick)
            };
            let is_it = texts.iter().any(|text| line.contains(text));
            lines.push(line);
            if is_it {
                return lines;
            }
        }
    }

    /// The words of the next line that a nick says.
    pub(super) fn hear(&mut self, nick: &str) -> String {
        let source = format!(":{nick}!");
        loop {
            let Some(line) = self.next() else { panic!("{}: the line ended", self.nick) };
            // Tags come before the source.
            let line = line
                .strip_prefix('@')
                .and_then(|l| l.split_once(' '))
                .map_or(line.as_str(), |(_, l)| l);
            let is_speech = line.contains(" PRIVMSG ") || line.contains(" NOTICE ");
            if line.starts_with(&source) && is_speech {
                return line.splitn(4, ' ').nth(3).unwrap().trim_start_matches(':').to_owned();
            }
        }
    }

    /// What the server answers to a question about the past: the words, and the ids of their lines.
    pub(super) fn past(&mut self, question: &str) -> Vec<(String, String)> {
        self.send(&format!("CHATHISTORY {question}"));
        let lines = self.until("BATCH -");
        let said = lines.iter().filter(|line| line.contains(" PRIVMSG "));
        let read = |line: &String| {
            let words = line.split_once(" PRIVMSG ").unwrap().1;
            let words = words.split_once(" :").unwrap().1.to_owned();
            let id = line.split(['@', ';', ' ']).find_map(|tag| tag.strip_prefix("msgid="));
            (words, id.unwrap_or_default().to_owned())
        };
        said.map(read).collect()
    }
}
