//! Names on IRC: what is a nick, what is a channel, and when two of them are the same.
//!
//! Case is folded as ASCII, as the server announces it (`CASEMAPPING=ascii`). A nick is also what a mention may name, so
//! that the characters of nicks are those that the relay's whole tokens are made of.

use abide_domain::AgentId;

use super::limits::{CHANNEL_BYTES_MAX, NICK_BYTES_MAX};

/// A name in the form in which names are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Folded(String);

impl Folded {
    /// Folds a nick or the name of a channel.
    pub(crate) fn new(name: &str) -> Self {
        Self(name.to_ascii_lowercase())
    }
}

/// Whether two names are the same one.
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

/// Whether a character may stand in a nick.
pub(crate) fn is_nick_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_[]\\`^{}|".contains(c)
}

/// Whether a text is a nick: 1 to 64 bytes of letters, digits and ``-_[]\`^{}|``, without a digit or `-` in front.
pub fn is_nick(text: &str) -> bool {
    let is_first = |c: char| is_nick_char(c) && !c.is_ascii_digit() && c != '-';
    text.starts_with(is_first) && text.len() <= NICK_BYTES_MAX && text.chars().all(is_nick_char)
}

/// Whether a text names a channel: `#` and 1 to 63 bytes without spaces, commas, colons and control characters.
pub fn is_channel(text: &str) -> bool {
    let name = text.strip_prefix('#').unwrap_or_default();
    let is_barred =
        |c: char| c.is_control() || matches!(c, ' ' | ',' | ':' | '*' | '?' | '!' | '@');
    !name.is_empty() && text.len() <= CHANNEL_BYTES_MAX && !name.contains(is_barred)
}

/// The nick that an agent goes by: its id, with `_` for a dot and before a leading digit.
pub fn nick_for_agent(id: &AgentId) -> String {
    let nick = id.as_str().replace('.', "_");
    let nick = if nick.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        format!("_{nick}")
    } else {
        nick
    };
    nick.chars().take(NICK_BYTES_MAX).collect()
}

/// The nick of an account: its name, in the characters of nicks.
pub(crate) fn nick_for_account(account: &str) -> String {
    let nick = account.chars().map(|c| if is_nick_char(c) { c } else { '_' });
    let nick: String = nick.take(NICK_BYTES_MAX).collect();
    if is_nick(&nick) { nick } else { cut(&format!("_{nick}"), NICK_BYTES_MAX).to_owned() }
}

/// Whether a nick is an account's own: its name, or its name and what a sign begins, such as `ann-phone`. Others would take
/// whoever has another nick for somebody else.
pub(crate) fn is_nick_of(nick: &str, account: &str) -> bool {
    let (nick, own) = (nick.to_ascii_lowercase(), nick_for_account(account).to_ascii_lowercase());
    let rest = nick.strip_prefix(&own);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

/// A text cut to at most `max` bytes, between characters.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    text.get(..text.floor_char_boundary(max)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{is_channel, is_nick, is_nick_of, nick_for_account, nick_for_agent};

    #[test]
    fn nicks_and_channels_are_told_from_other_words() {
        for nick in ["felix", "claude-2", "[x]", "_", "a|b", &"n".repeat(64)] {
            assert!(is_nick(nick), "{nick}");
        }
        for word in ["", "1a", "-a", "a b", "a.b", "#a", "ä", "a!b", &"n".repeat(65)] {
            assert!(!is_nick(word), "{word}");
        }
        for channel in ["#abide", "#a.b", "##", "#ä"] {
            assert!(is_channel(channel), "{channel}");
        }
        for word in ["", "#", "abide", "#a b", "#a,b", "#a\u{7}", &format!("#{}", "c".repeat(64))] {
            assert!(!is_channel(word), "{word}");
        }
    }

    #[test]
    fn every_agent_has_a_nick() {
        let cases = [("felix", "felix"), ("a.b-c_d", "a_b-c_d"), ("1st", "_1st")];
        for (id, nick) in cases {
            let nick_given = nick_for_agent(&id.parse().unwrap());
            assert_eq!(nick_given, nick);
            assert!(is_nick(&nick_given));
        }
        let long = "9".repeat(64);
        assert!(is_nick(&nick_for_agent(&long.parse().unwrap())));
    }

    #[test]
    fn an_account_goes_by_its_own_name_and_no_other() {
        for (nick, account, is_own) in [
            ("ann", "ann", true),
            ("Ann", "ann", true),
            ("ann-phone", "ann", true),
            ("ann_", "ann", true),
            ("ann|away", "ann", true),
            ("anna", "ann", false),
            ("vic", "ann", false),
            ("an", "ann", false),
            ("j_doe", "j.doe", true),
            ("_9lives", "9lives", true),
        ] {
            assert_eq!(is_nick_of(nick, account), is_own, "{nick} of {account}");
            assert!(is_nick(&nick_for_account(account)), "{account}");
        }
    }
}
