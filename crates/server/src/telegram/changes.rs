//! What a message that was changed changes in what the agent was told of it. Pure. Of texts that were joined since this keeper
//! started more is known ([`super::recent_pieces`]).

use abide_channels::telegram::{ChatMessage, MESSAGE_UNITS_MAX, utf16_len};

use super::texts;

/// How a message begins that was forwarded with a comment, behind the comment.
const FORWARDED: &str = "\n\n(Forwarded, written by ";

/// Whether a message that was changed is a part of a longer text; none where the agent was told before what it says.
pub(super) fn changed_part(before: &str, said: &ChatMessage) -> Option<bool> {
    let content = said.content();
    let told = [texts::format_edited_part(&content), texts::format_edited(&content)];
    if before == content || told.iter().any(|told| told == before) {
        return None;
    }
    // More than a message holds: it was joined, and this is its first part.
    let is_joined = utf16_len(before) > MESSAGE_UNITS_MAX;
    let is_same = before.strip_prefix(&content).is_some_and(|rest| {
        let is_cut_in_word = utf16_len(&said.text) == MESSAGE_UNITS_MAX;
        let is_rest =
            is_joined && said.may_continue() && (is_cut_in_word || rest.starts_with('\n'));
        is_rest || rest.starts_with(FORWARDED)
    });
    (!is_same)
        .then(|| is_joined || before.contains(FORWARDED) || before.starts_with(texts::EDITED_PART))
}

#[cfg(test)]
mod tests {
    use abide_channels::telegram::{ChatMessage, ChatSender, MessageLocation, MessageOrigin};
    use abide_domain::Timestamp;

    use super::changed_part;
    use crate::telegram::texts;

    fn said(text: &str) -> ChatMessage {
        ChatMessage {
            location: MessageLocation { chat: 42, message: 7 },
            topic: None,
            sender: ChatSender { id: 42, username: None, display_name: None },
            text: text.into(),
            has_media: false,
            album: None,
            origin: MessageOrigin::default(),
            at: Timestamp::from_micros(0),
            edited: 1,
        }
    }

    #[test]
    fn what_says_the_same_is_not_changed_and_a_first_part_is_known_by_what_follows() {
        let cut = "x".repeat(4_096);
        let line = "y".repeat(3_600);
        let forwarded = "\n\n(Forwarded, written by Eve:)\n> one";
        let cases = [
            ("at five".to_owned(), "at five", None),
            ("at five".to_owned(), "at six", Some(false)),
            (texts::format_edited("at six"), "at six", None),
            (texts::format_edited("at six"), "at five", Some(false)),
            (texts::format_edited_part("at six"), "at five", Some(true)),
            (format!("{cut}more"), &cut, None),
            (format!("{cut}more"), "other", Some(true)),
            (format!("{line}\n{line}"), &line, None),
            (format!("these?{forwarded}"), "these?", None),
            (format!("these?{forwarded}"), "those?", Some(true)),
            ("one\ntwo".to_owned(), "one", Some(false)),
        ];
        for (before, text, expected) in cases {
            assert_eq!(changed_part(&before, &said(text)), expected, "{text}");
        }
    }
}
