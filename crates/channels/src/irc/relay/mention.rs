//! Whether a text speaks to a nick, and what is left of it without the mention. Whole tokens only.

use crate::irc::name::{is_nick, is_nick_char, is_same};

/// The text without its mentions of `nick`; `None` where it has none.
///
/// A mention is `@nick` anywhere, or `nick:` or `nick,` at the start, in any case. The nick ends where no character of a
/// nick follows, so that `@claude-2` is no mention of `claude`, nor `@claude.example` or `x@claude`.
pub(super) fn strip_mentions(text: &str, nick: &str) -> Option<String> {
    let trimmed = text.trim();
    let mut rest = trimmed;
    let mut is_mentioned = false;
    if let Some(behind) = after_leading_nick(trimmed, nick) {
        is_mentioned = true;
        rest = behind;
    }
    let mut left = String::with_capacity(rest.len());
    let mut before = None;
    while let Some(c) = rest.chars().next() {
        if let Some(behind) = after_at_mention(before, rest, nick) {
            is_mentioned = true;
            before = Some(' ');
            rest = behind;
            if rest.starts_with(' ') && (left.is_empty() || left.ends_with(' ')) {
                rest = rest.trim_start_matches(' ');
            }
            continue;
        }
        left.push(c);
        before = Some(c);
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    is_mentioned.then(|| left.trim().to_owned())
}

/// The nick that a line names at its start, as `nick:`, `nick,` or `@nick`; whether anybody goes by it is another matter.
pub(super) fn leading_nick(text: &str) -> Option<&str> {
    let named = text.strip_prefix('@');
    let text = named.unwrap_or(text);
    let end = text.find(|c| !is_nick_char(c)).unwrap_or(text.len());
    let (nick, behind) = text.split_at_checked(end)?;
    (is_nick(nick) && (named.is_some() || behind.starts_with([':', ',']))).then_some(nick)
}

/// What stands behind `nick:` or `nick,` at the start.
fn after_leading_nick<'a>(text: &'a str, nick: &str) -> Option<&'a str> {
    let head = text.get(..nick.len())?;
    let rest = text.get(nick.len()..)?;
    let behind = rest.strip_prefix([':', ','])?;
    is_same(head, nick).then_some(behind)
}

/// What stands behind `@nick` where the text begins with it, with the mark that may follow.
fn after_at_mention<'a>(before: Option<char>, text: &'a str, nick: &str) -> Option<&'a str> {
    // In `x@nick` and `@@nick` the `@` is part of something else.
    if before.is_some_and(|c| is_token(c) || c == '@' || c == '.') {
        return None;
    }
    let rest = text.strip_prefix('@')?;
    let head = rest.get(..nick.len())?;
    let behind = rest.get(nick.len()..)?;
    let mut next = behind.chars();
    let is_end = match next.next() {
        None => true,
        Some('.' | '@') => !next.next().is_some_and(is_token),
        Some(c) => !is_token(c),
    };
    if !is_same(head, nick) || !is_end {
        return None;
    }
    Some(behind.strip_prefix([':', ',']).unwrap_or(behind))
}

/// Whether a character continues a name. Letters of other scripts are in no nick, and still part of a word.
fn is_token(c: char) -> bool {
    is_nick_char(c) || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{leading_nick, strip_mentions};

    #[test]
    fn mentions_are_whole_tokens() {
        let cases = [
            ("@claude hi", Some("hi")),
            ("hi @claude", Some("hi")),
            ("hey @Claude what's up", Some("hey what's up")),
            ("@claude: hi", Some("hi")),
            ("@claude, hi", Some("hi")),
            ("claude: hi", Some("hi")),
            ("Claude,hi", Some("hi")),
            ("(@claude) hi", Some("() hi")),
            ("ask @claude.", Some("ask .")),
            ("@claude's idea", Some("'s idea")),
            ("@claude @claude hi", Some("hi")),
            ("@claude", Some("")),
            ("claude:", Some("")),
            ("@claude-2 hi", None),
            ("@claude2 hi", None),
            ("@claude_ hi", None),
            ("@claudeü hi", None),
            ("@claude.example hi", None),
            ("@claude@example hi", None),
            ("mail claude@claude now", None),
            ("x@claude hi", None),
            ("@@claude hi", None),
            ("claude-2: hi", None),
            ("claude hi", None),
            ("hi claude: there", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(strip_mentions(text, "claude").as_deref(), expected, "{text}");
        }
        assert_eq!(strip_mentions("@a|b[1] hi", "a|b[1]").as_deref(), Some("hi"));
    }

    #[test]
    fn whom_a_line_names_first_is_known() {
        let cases = [
            ("bob: lunch?", Some("bob")),
            ("bob, lunch?", Some("bob")),
            ("@bob lunch?", Some("bob")),
            ("@bob", Some("bob")),
            ("bob lunch?", None),
            ("  bob: 1", None),
            (": x", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(leading_nick(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_longer_name_never_reaches_a_shorter_one(tail in "[a-zA-Z0-9_|{}^`\\[\\]\\\\-]{1,8}", text in "[a-z ]{0,20}") {
            let texts =
                [format!("@claude{tail} {text}"), format!("claude{tail}: {text}"), format!("{text}@claude{tail}")];
            for text in texts {
                prop_assert_eq!(strip_mentions(&text, "claude"), None);
            }
        }

        #[test]
        fn any_text_is_looked_at_without_a_panic(text in ".{0,80}", nick in "[a-z@:]{0,4}") {
            drop(strip_mentions(&text, &nick));
        }
    }
}
