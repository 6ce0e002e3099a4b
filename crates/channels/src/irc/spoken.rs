//! One line that was said on IRC: who, where, what. Both the embedded server and the client hand these on, and the relay
//! decides what is to be done about them.

use abide_domain::{AgentId, Timestamp};

/// The tag with which a relay marks what it carries over, so that another relay leaves it alone.
pub const RELAY_TAG: &str = "+abide.dev/relay";

/// Who said something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// A person, with the account that the server or the network vouches for; `None` is a guest.
    Person(Option<String>),
    /// One of the keeper's own agents.
    Agent(AgentId),
}

/// Where something was said.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// In a channel, by its name as first written.
    Channel(String),
    /// To an agent alone.
    Agent(AgentId),
}

/// In which form something was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpokenKind {
    /// Plain speech.
    Speech,
    /// A `/me` line, without its frame.
    Action,
    /// A notice: nothing may answer it by itself.
    Notice,
}

/// An agent that hears what is said, by the nick that a mention may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addressee {
    /// The agent.
    pub agent: AgentId,
    /// Its nick here.
    pub nick: String,
}

/// One thing that was said where agents can hear it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpokenLine {
    /// Who said it.
    pub speaker: Speaker,
    /// The nick it was said under. Trust the speaker, not this.
    pub nick: String,
    /// Where.
    pub target: Target,
    /// The account on the other side, where an agent spoke to one person alone.
    pub partner: Option<String>,
    /// Agents that are in the channel, or the one that was spoken to.
    pub agents: Vec<Addressee>,
    /// The text, without colours and other formatting; of several lines where they were sent as one message.
    pub text: String,
    /// In which form.
    pub kind: SpokenKind,
    /// Whether nothing more of it can follow in a line of its own. Programs cut what is longer than a line, and send what is
    /// pasted line by line.
    pub is_whole: bool,
    /// The relay that carried it here, where one says so.
    pub relay: Option<String>,
    /// Its id, unique over restarts; empty where the network gives none.
    pub msgid: String,
    /// When.
    pub at: Timestamp,
}

/// Reads the form out of a text: `/me` lines come in a frame of control characters. `None` for other framed requests,
/// which ask programs for their version and the like.
pub(crate) fn parse_spoken(command: &str, text: &str) -> Option<(SpokenKind, String)> {
    let is_notice = command == "NOTICE";
    if let Some(framed) = text.strip_prefix('\u{1}') {
        let framed = framed.strip_suffix('\u{1}').unwrap_or(framed);
        let action = framed.strip_prefix("ACTION ")?;
        return Some((SpokenKind::Action, strip_formatting(action))).filter(|_| !is_notice);
    }
    let kind = if is_notice { SpokenKind::Notice } else { SpokenKind::Speech };
    Some((kind, strip_formatting(text)))
}

/// A text without formatting: bold, colours with their numbers, and whatever else is a control character.
fn strip_formatting(text: &str) -> String {
    let mut strip_formatting = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{3}' => {
                skip_digits(&mut chars, 2, |c| c.is_ascii_digit());
                let mut ahead = chars.clone();
                if ahead.next() == Some(',') && ahead.next().is_some_and(|c| c.is_ascii_digit()) {
                    chars.next();
                    skip_digits(&mut chars, 2, |c| c.is_ascii_digit());
                }
            }
            '\u{4}' => skip_digits(&mut chars, 6, |c| c.is_ascii_hexdigit()),
            // The indent of what was pasted.
            '\t' => strip_formatting.push(c),
            c if c.is_control() => {}
            c => strip_formatting.push(c),
        }
    }
    strip_formatting
}

fn skip_digits(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    most: usize,
    is_digit: impl Fn(char) -> bool,
) {
    for _ in 0..most {
        if chars.next_if(|c| is_digit(*c)).is_none() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SpokenKind, parse_spoken};

    #[test]
    fn formatting_is_no_part_of_what_was_said() {
        let cases = [
            ("PRIVMSG", "hello", Some((SpokenKind::Speech, "hello"))),
            (
                "PRIVMSG",
                "\u{2}bold\u{f} \u{3}04,12red\u{3} 5",
                Some((SpokenKind::Speech, "bold red 5")),
            ),
            ("PRIVMSG", "\u{3}4, then", Some((SpokenKind::Speech, ", then"))),
            ("PRIVMSG", "\tset in", Some((SpokenKind::Speech, "\tset in"))),
            ("PRIVMSG", "\u{4}ff0000hex", Some((SpokenKind::Speech, "hex"))),
            ("PRIVMSG", "\u{1}ACTION waves\u{1}", Some((SpokenKind::Action, "waves"))),
            ("PRIVMSG", "\u{1}VERSION\u{1}", None),
            ("NOTICE", "psst", Some((SpokenKind::Notice, "psst"))),
            ("NOTICE", "\u{1}VERSION x\u{1}", None),
        ];
        for (command, text, expected) in cases {
            let expected = expected.map(|(kind, text)| (kind, text.to_owned()));
            assert_eq!(parse_spoken(command, text), expected, "{text:?}");
        }
    }
}
