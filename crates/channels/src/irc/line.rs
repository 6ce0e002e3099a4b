//! One line of IRC: tags, source, command, parameters, read from any bytes and written so that it is always one line.
//!
//! Reading never panics: bytes that are no UTF-8 become replacement characters, and what is too long is an error, not a
//! cut message. Writing never makes two lines of one: line ends inside a value become spaces.
//!
//! It is our own instead of the crate `irc-proto` because both sides of the wire are untrusted here: `irc-proto`'s line codec
//! buffers until a line end comes, without a bound, and neither it nor its parser checks the limits of IRCv3 and RFC 1459.
//! Here every limit is checked on the way in and kept on the way out, and [`LineSplitter`] holds at most one line.
//!
//! Reading order: [`IrcMessage::parse`], [`IrcMessage::encode`], then [`LineSplitter`], which finds the lines in a stream.

use super::{
    limits::{PARAMS_MAX, REST_BYTES_MAX, TAGS_BYTES_MAX},
    name::cut,
};

mod splitter;

pub use splitter::{LineSplitter, SplitLine};

/// Commands whose last parameter is written with its colon even where it needs none: simple clients look for it.
const TRAILING: [&str; 10] =
    ["PRIVMSG", "NOTICE", "TOPIC", "PART", "KICK", "QUIT", "ERROR", "353", "332", "319"];

/// Longest source that is kept, in bytes; longer ones are cut, so that the command always fits.
const SOURCE_BYTES_MAX: usize = 256;
/// Longest command.
const COMMAND_BYTES_MAX: usize = 32;

/// One tag of a message. Client-only tags begin with `+`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Its name, vendor included.
    pub key: String,
    /// Its value, unescaped; empty where it has none.
    pub value: String,
}

impl Tag {
    /// A tag with a value.
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { key: key.into(), value: value.into() }
    }
}

/// One message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IrcMessage {
    /// Tags in their order.
    pub tags: Vec<Tag>,
    /// Who it comes from, without the colon: a server, or `nick!user@host`.
    pub source: Option<String>,
    /// The command in upper case, or three digits.
    pub command: String,
    /// Parameters; at most 15.
    pub params: Vec<String>,
}

/// Says why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// Nothing but spaces.
    #[error("the line is empty")]
    Empty,
    /// Tags above 8191 bytes, or a rest above 512.
    #[error("the line is too long")]
    TooLong,
    /// No letters and no three digits where the command stands.
    #[error("the line has no command")]
    NoCommand,
}

impl IrcMessage {
    /// A message without tags and source.
    pub fn new<const N: usize>(command: &str, params: [&str; N]) -> Self {
        Self {
            command: command.to_owned(),
            params: params.into_iter().map(str::to_owned).collect(),
            ..Self::default()
        }
    }

    /// The same message with a source.
    #[must_use]
    pub fn from(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The parameter at `index`; empty where there is none.
    pub fn param(&self, index: usize) -> &str {
        self.params.get(index).map_or("", String::as_str)
    }

    /// The value of a tag, where the message has it.
    pub fn tag(&self, key: &str) -> Option<&str> {
        self.tags.iter().find(|tag| tag.key == key).map(|tag| tag.value.as_str())
    }

    /// The nick in the source, or the server's name.
    pub fn nick(&self) -> &str {
        let source = self.source.as_deref().unwrap_or_default();
        source.split(['!', '@']).next().unwrap_or_default()
    }

    /// Reads one line, with or without its line end.
    ///
    /// Spaces may be doubled, as some servers send them. A sixteenth parameter is part of the fifteenth.
    pub fn parse(line: &[u8]) -> Result<Self, LineError> {
        let line = trim_end(line);
        let (tags, rest) = split_tags(line)?;
        if rest.len() > REST_BYTES_MAX.saturating_sub(2) {
            return Err(LineError::TooLong);
        }
        let tags = tags.map(|tags| parse_tags(&clean(tags))).unwrap_or_default();
        let rest = clean(rest);
        let mut rest = rest.trim_start_matches(' ');
        let mut source = None;
        if let Some(sourced) = rest.strip_prefix(':') {
            let (name, behind) = word(sourced);
            source = Some(cut(name, SOURCE_BYTES_MAX).to_owned()).filter(|name| !name.is_empty());
            rest = behind;
        }
        let (command, rest) = word(rest);
        if command.is_empty() {
            let error = if source.is_none() { LineError::Empty } else { LineError::NoCommand };
            return Err(error);
        }
        if !is_command(command) {
            return Err(LineError::NoCommand);
        }
        // Replacement characters are longer than what they replace: the end gives way, not the whole line.
        let frame = source.as_ref().map_or(0, |source| source.len().saturating_add(2));
        let frame = frame.saturating_add(command.len()).saturating_add(" \r\n".len());
        let params = parse_params(cut(rest, REST_BYTES_MAX.saturating_sub(frame)));
        Ok(Self { tags, source, command: command.to_ascii_uppercase(), params })
    }

    /// Writes the message as one line with CR LF.
    ///
    /// What cannot be in a line is changed: line ends become spaces, spaces in a parameter before the last become `_`,
    /// tags beyond their limit are left out from the end, and a rest beyond its limit is cut on a character boundary.
    pub fn encode(&self) -> String {
        let mut line = encode_tags(&self.tags);
        let begin = line.len();
        self.encode_rest(&mut line);
        let max = begin.saturating_add(REST_BYTES_MAX.saturating_sub(2));
        if line.len() > max {
            line.truncate(line.floor_char_boundary(max));
        }
        line.push_str("\r\n");
        line
    }

    fn encode_rest(&self, line: &mut String) {
        if let Some(source) = &self.source {
            let source: String = source.chars().filter(|c| !is_break(*c) && *c != ' ').collect();
            let source = cut(&source, SOURCE_BYTES_MAX);
            if !source.is_empty() {
                line.push(':');
                line.push_str(source);
                line.push(' ');
            }
        }
        let command = if is_command(&self.command) { self.command.as_str() } else { "PING" };
        line.push_str(command);
        let params = self.params.get(..PARAMS_MAX).unwrap_or(&self.params);
        let last = params.len().saturating_sub(1);
        for (index, param) in params.iter().enumerate() {
            line.push(' ');
            if index < last {
                encode_middle(param, line);
            } else {
                let is_short = matches!(command, "QUIT" | "ERROR");
                let is_text = TRAILING.contains(&command) && (index > 0 || is_short);
                encode_last(param, is_text, line);
            }
        }
    }
}

fn trim_end(mut line: &[u8]) -> &[u8] {
    while let [before @ .., b'\r' | b'\n'] = line {
        line = before;
    }
    line
}

/// The tag section without `@`, where there is one, and the rest.
fn split_tags(line: &[u8]) -> Result<(Option<&[u8]>, &[u8]), LineError> {
    let Some(tagged) = line.strip_prefix(b"@") else { return Ok((None, line)) };
    let end = tagged.iter().position(|b| *b == b' ').unwrap_or(tagged.len());
    if end.saturating_add(2) > TAGS_BYTES_MAX {
        return Err(LineError::TooLong);
    }
    let (tags, rest) = tagged.split_at_checked(end).unwrap_or((tagged, &[]));
    let start = rest.iter().position(|b| *b != b' ').unwrap_or(rest.len());
    Ok((Some(tags), rest.get(start..).unwrap_or_default()))
}

/// Bytes as text without anything that breaks lines.
fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.chars().map(|c| if is_break(c) { ' ' } else { c }).collect()
}

const fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\0')
}

/// The first word, and what stands behind it without the spaces between.
fn word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    (word, rest.trim_start_matches(' '))
}

fn is_command(word: &str) -> bool {
    let is_name = !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphabetic());
    (is_name && word.len() <= COMMAND_BYTES_MAX)
        || (word.len() == 3 && word.bytes().all(|b| b.is_ascii_digit()))
}

fn parse_params(mut rest: &str) -> Vec<String> {
    let mut params = Vec::new();
    while !rest.is_empty() {
        let is_last = params.len().saturating_add(1) == PARAMS_MAX;
        if rest.starts_with(':') || is_last {
            params.push(rest.strip_prefix(':').unwrap_or(rest).to_owned());
            break;
        }
        let (param, behind) = word(rest);
        params.push(param.to_owned());
        rest = behind;
    }
    params
}

fn parse_tags(text: &str) -> Vec<Tag> {
    let tags = text.split(';').filter(|tag| !tag.is_empty());
    let tags = tags.map(|tag| tag.split_once('=').unwrap_or((tag, "")));
    tags.filter(|(key, _)| is_key(key)).map(|(key, value)| Tag::new(key, unescape(value))).collect()
}

fn is_key(key: &str) -> bool {
    let is_letter = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'/' | b'.' | b'_');
    let name = key.strip_prefix('+').unwrap_or(key);
    !name.is_empty() && name.bytes().all(is_letter)
}

fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next() {
            Some(':') => text.push(';'),
            Some('s') => text.push(' '),
            Some('r') => text.push('\r'),
            Some('n') => text.push('\n'),
            Some(other) => text.push(other),
            None => {}
        }
    }
    text
}

fn escape(value: &str, text: &mut String) {
    for c in value.chars() {
        match c {
            ';' => text.push_str("\\:"),
            ' ' => text.push_str("\\s"),
            '\\' => text.push_str("\\\\"),
            '\r' => text.push_str("\\r"),
            '\n' => text.push_str("\\n"),
            '\0' => {}
            other => text.push(other),
        }
    }
}

fn encode_tags(tags: &[Tag]) -> String {
    let mut text = String::new();
    for tag in tags.iter().filter(|tag| is_key(&tag.key)) {
        let before = text.len();
        text.push(if text.is_empty() { '@' } else { ';' });
        text.push_str(&tag.key);
        if !tag.value.is_empty() {
            text.push('=');
            escape(&tag.value, &mut text);
        }
        // The space behind the tags is part of their limit.
        if text.len() >= TAGS_BYTES_MAX {
            text.truncate(before);
            break;
        }
    }
    if !text.is_empty() {
        text.push(' ');
    }
    text
}

/// A parameter before the last: one word that does not begin with a colon.
fn encode_middle(param: &str, line: &mut String) {
    let param = param.trim_start_matches(':');
    if param.is_empty() {
        line.push('*');
    }
    line.extend(param.chars().map(|c| if is_break(c) || c == ' ' { '_' } else { c }));
}

fn encode_last(param: &str, is_text: bool, line: &mut String) {
    let needs_colon = param.is_empty()
        || param.starts_with(':')
        || param.contains(|c: char| c == ' ' || is_break(c));
    if is_text || needs_colon {
        line.push(':');
    }
    line.extend(param.chars().map(|c| if is_break(c) { ' ' } else { c }));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{IrcMessage, LineError, Tag};
    use crate::irc::limits::{REST_BYTES_MAX, TAGS_BYTES_MAX};

    fn message(tags: &[(&str, &str)], source: Option<&str>, words: &[&str]) -> IrcMessage {
        let (command, params) = words.split_first().unwrap();
        IrcMessage {
            tags: tags.iter().map(|(key, value)| Tag::new(*key, *value)).collect(),
            source: source.map(str::to_owned),
            command: (*command).to_owned(),
            params: params.iter().map(|param| (*param).to_owned()).collect(),
        }
    }

    #[test]
    fn lines_are_read_as_they_are_meant() {
        let cases = [
            ("PING", message(&[], None, &["PING"])),
            ("ping :a b\r\n", message(&[], None, &["PING", "a b"])),
            ("JOIN :", message(&[], None, &["JOIN", ""])),
            (":a!b@c PRIVMSG #x ::)", message(&[], Some("a!b@c"), &["PRIVMSG", "#x", ":)"])),
            (":s  353  n = #c :a b ", message(&[], Some("s"), &["353", "n", "=", "#c", "a b "])),
            (
                "@time=1;+x=a\\sb\\:\\\\c\\q\\;flag :s NOTICE * :hi",
                message(
                    &[("time", "1"), ("+x", "a b;\\cq"), ("flag", "")],
                    Some("s"),
                    &["NOTICE", "*", "hi"],
                ),
            ),
            ("USER root 0 * :root", message(&[], None, &["USER", "root", "0", "*", "root"])),
            (
                "X 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 :17",
                message(
                    &[],
                    None,
                    &[
                        "X",
                        "1",
                        "2",
                        "3",
                        "4",
                        "5",
                        "6",
                        "7",
                        "8",
                        "9",
                        "10",
                        "11",
                        "12",
                        "13",
                        "14",
                        "15 16 :17",
                    ],
                ),
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(IrcMessage::parse(line.as_bytes()), Ok(expected), "{line}");
        }
    }

    #[test]
    fn what_is_no_message_says_why() {
        let long = format!("PRIVMSG #c :{}", "x".repeat(500));
        let tags = format!("@a={} PING", "x".repeat(TAGS_BYTES_MAX));
        let cases = [
            ("", LineError::Empty),
            ("\r\n", LineError::Empty),
            ("   ", LineError::Empty),
            (":source", LineError::NoCommand),
            ("12 a", LineError::NoCommand),
            ("P1NG", LineError::NoCommand),
            ("PINGPINGPINGPINGPINGPINGPINGPINGP", LineError::NoCommand),
            ("@tag", LineError::Empty),
            (&long, LineError::TooLong),
            (&tags, LineError::TooLong),
        ];
        for (line, error) in cases {
            assert_eq!(IrcMessage::parse(line.as_bytes()), Err(error), "{line}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let message = IrcMessage::parse(b"PRIVMSG #c :caf\xe9\0!").unwrap();
        assert_eq!(message.param(1), "caf\u{fffd} !");
    }

    #[test]
    fn one_message_is_always_one_line() {
        let evil = message(
            &[("bad key", "x"), ("+ok", "a;b\r\nc")],
            Some("a b\r\nQUIT"),
            &["PRIVMSG", "#c\r\nQUIT", "hi\r\nQUIT :gone"],
        );
        assert_eq!(evil.encode(), "@+ok=a\\:b\\r\\nc :abQUIT PRIVMSG #c__QUIT :hi  QUIT :gone\r\n");
    }

    #[test]
    fn a_line_is_cut_between_characters() {
        let text = "ü".repeat(400);
        let line = message(&[], None, &["PRIVMSG", "#c", &text]).encode();
        assert!(line.len() <= REST_BYTES_MAX && line.len() > REST_BYTES_MAX - 3, "{}", line.len());
        assert!(line.ends_with("ü\r\n"));
    }

    #[test]
    fn a_command_fits_behind_any_source() {
        let line = [b":".as_slice(), &[0xc7; 400], b" PRIVMSG #c :hi"].concat();
        let message = IrcMessage::parse(&line).unwrap();
        let again = IrcMessage::parse(message.encode().as_bytes()).unwrap();
        assert_eq!((again.command.as_str(), again.param(1)), ("PRIVMSG", "hi"));
    }

    fn any_message() -> impl Strategy<Value = IrcMessage> {
        let tag = ("\\+?[a-z][a-z0-9./-]{0,8}", "[^\0]{0,12}").prop_map(|(k, v)| Tag::new(k, v));
        let middle = "[^: \r\n\0][^ \r\n\0]{0,6}";
        let params =
            (proptest::collection::vec(middle, 0..6), proptest::option::of("[^\r\n\0]{0,40}"));
        let params = params.prop_map(|(mut params, last)| {
            params.extend(last);
            params
        });
        (
            proptest::collection::vec(tag, 0..4),
            proptest::option::of("[^ \r\n\0]{1,20}"),
            "[A-Z]{1,12}|[0-9]{3}",
            params,
        )
            .prop_map(|(tags, source, command, params)| IrcMessage {
                tags,
                source,
                command,
                params,
            })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(message in any_message()) {
            prop_assert_eq!(IrcMessage::parse(message.encode().as_bytes()), Ok(message));
        }

        #[test]
        fn any_bytes_are_read_without_a_panic_and_settle(bytes in proptest::collection::vec(any::<u8>(), 0..700)) {
            if let Ok(message) = IrcMessage::parse(&bytes) {
                let line = message.encode();
                prop_assert!(!line.trim_end_matches("\r\n").contains(['\r', '\n', '\0']));
                let again = IrcMessage::parse(line.as_bytes()).unwrap();
                prop_assert_eq!(IrcMessage::parse(again.encode().as_bytes()), Ok(again));
            }
        }
    }
}
