//! What of a message its sender said: quotations, code, forwarded mail, recalled memories and output are taken out.
//!
//! Whatever this leaves may become a fact about the sender, so it takes out too much rather than too little (BC-29).

use std::collections::HashMap;

use super::Passage;
use crate::{attribution::without_foreign, normalise};

/// A quotation of at least so many words is somebody else's sentence and not a name.
const QUOTED_WORDS_MIN: usize = 4;
/// A text of at least so many characters that comes again and again is a template and nobody's words.
const REPEATED_CHARS_MIN: usize = 80;
/// How often it comes then.
const REPEATED_TIMES_MIN: usize = 3;
/// Stands where something was taken out, so that no pattern reads over the gap.
pub(super) const GAP: char = '\u{fffc}';

/// A line that begins so is not its sender's.
const FOREIGN_LINES: &[&str] = &[
    ">",
    "|",
    "$ ",
    "%%",
    "[memory",
    "[recall",
    "[tool",
    "[keeper",
    "[system",
    "[cron",
    "[watchdog",
    "[context",
    "[retrieved",
    "[assistant",
    "memory:",
    "memories:",
    "recalled:",
    "recall:",
    "from memory:",
    "output:",
    "result:",
    "tool:",
    "tool result:",
    "stdout:",
    "stderr:",
    "system:",
    "assistant:",
    "you said",
    "you told me",
    "you wrote",
    "you remembered",
    "you remember",
    "according to your",
    "your notes say",
    "your memory says",
    "@tickle",
    "info ",
    "warn ",
    "error ",
    "debug ",
    "trace ",
];

/// A line that is only this begins a block of such text, up to the next blank line.
const FOREIGN_HEADS: &[&str] = &[
    "recalled memories",
    "relevant memories",
    "retrieved memories",
    "memories",
    "recalled",
    "recalled facts",
    "known facts",
    "relevant facts",
    "facts from memory",
    "from your memory",
    "what you know",
    "what you remember",
    "past conversations",
    "previous conversation",
    "earlier conversation",
    "conversation so far",
    "context",
    "retrieved context",
    "tool output",
    "tool result",
    "search results",
    "log",
    "logs",
    "output",
    "boot",
    "boot text",
    "system prompt",
    "instructions",
];

/// A line that begins so begins forwarded mail, up to the end of the text.
const FORWARDED: &[&str] = &[
    "from:",
    "subject:",
    "-----original",
    "---------- forwarded",
    "begin forwarded",
    "forwarded message",
    "on behalf of",
];

/// The words of a message that are its sender's own, lines and sentences kept apart.
pub fn own_words(text: &str) -> String {
    let text = without_foreign(text, GAP).replace(['\u{2019}', '\u{2018}'], "'");
    let mut own = String::with_capacity(text.len());
    let mut context = LineContext::Sender;
    for line in text.lines() {
        let trimmed = line.trim();
        let lower = trimmed.to_ascii_lowercase();
        context = context.after(&lower);
        match context {
            LineContext::Forwarded => break,
            LineContext::Sender if !is_foreign(&lower) && !is_log_line(&lower) => {
                own.push_str(&without_quotations(trimmed));
            }
            _ => own.push(GAP),
        }
        context = context.behind(&lower);
        own.push('\n');
    }
    own
}

/// Where a line stands.
#[derive(Clone, Debug, PartialEq, Eq)]
enum LineContext {
    /// The sender's own words.
    Sender,
    /// Between fences of code.
    Fence,
    /// On the second of two fences.
    FenceEnd,
    /// Below a head, up to a blank line.
    Block,
    /// Inside a tag, up to its end.
    Tag(String),
    /// In forwarded mail.
    Forwarded,
}

impl LineContext {
    /// Where a line stands, by what it says itself.
    fn after(self, lower: &str) -> Self {
        match self {
            Self::Sender if lower.starts_with("```") => Self::Fence,
            Self::Sender if FORWARDED.iter().any(|head| lower.starts_with(head)) => Self::Forwarded,
            Self::Sender if is_head(lower) => Self::Block,
            Self::Sender => opened_tag(lower).map_or(Self::Sender, Self::Tag),
            Self::Fence if lower.starts_with("```") => Self::FenceEnd,
            Self::Block if lower.is_empty() => Self::Sender,
            other => other,
        }
    }

    /// Where the line behind it stands, if that does not say otherwise.
    fn behind(self, lower: &str) -> Self {
        match self {
            Self::FenceEnd => Self::Sender,
            Self::Fence if lower.len() > 3 && lower.ends_with("```") => Self::Sender,
            Self::Tag(name) if lower.contains(&format!("</{name}")) => Self::Sender,
            other => other,
        }
    }
}

fn is_head(lower: &str) -> bool {
    let bare = lower.trim_matches(|c: char| "#*_:[]- ".contains(c));
    let is_marked = lower.ends_with(':') || lower.starts_with(['#', '[', '*']);
    is_marked && FOREIGN_HEADS.contains(&bare)
}

fn opened_tag(lower: &str) -> Option<String> {
    let name: String = lower
        .strip_prefix('<')?
        .chars()
        .take_while(|c| c.is_alphanumeric() || "_-".contains(*c))
        .collect();
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(name)
}

fn is_foreign(lower: &str) -> bool {
    FOREIGN_LINES.iter().any(|head| lower.starts_with(head))
}

/// A line that begins with a date or a time is a log's: `2026-11-27T22:10:03Z …`, `[22:10:03] …`.
fn is_log_line(lower: &str) -> bool {
    let bare = lower.trim_start_matches('[');
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let next = bare.as_bytes().get(digits);
    (digits == 4 && next == Some(&b'-') || digits == 2 && next == Some(&b':')) && bare.len() > 10
}

/// Takes quoted sentences out; a quoted name stays.
fn without_quotations(line: &str) -> String {
    let mut own = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once(['"', '\u{201c}', '\u{201e}']) {
        own.push_str(before);
        let Some((quoted, after)) = behind.split_once(['"', '\u{201d}', '\u{201c}']) else {
            own.push(GAP);
            return own;
        };
        if quoted.split_whitespace().count() >= QUOTED_WORDS_MIN {
            own.push(GAP);
        } else {
            own.push_str(quoted);
        }
        rest = after;
    }
    own.push_str(rest);
    own
}

/// Which messages are templates: the same long text again and again, as boot texts and reports are.
pub(super) fn repeated_texts(passages: &[Passage]) -> HashMap<String, usize> {
    let mut times: HashMap<String, usize> = HashMap::new();
    for passage in passages.iter().filter(|p| p.stimulus.chars().count() >= REPEATED_CHARS_MIN) {
        *times.entry(normalise(&passage.stimulus)).or_default() += 1;
    }
    times.retain(|_, times| *times >= REPEATED_TIMES_MIN);
    times
}

/// Whether a text speaks as a prompt does: to an agent about itself.
pub(super) fn is_prompt(text: &str) -> bool {
    let lower = text.trim_start().to_ascii_lowercase();
    let heads = [
        "you are ",
        "# you are",
        "system prompt",
        "boot:",
        "wake up",
        "# identity",
        "# soul",
        "# boot",
    ];
    heads.iter().any(|head| lower.starts_with(head))
}

#[cfg(test)]
mod tests {
    use super::{GAP, own_words};

    #[test]
    fn only_the_senders_own_words_are_left() {
        let cases = [
            ("I live in Berlin.", "I live in Berlin."),
            ("> I live in Rome.\nBut I live in Berlin.", "But I live in Berlin."),
            ("Recalled memories:\n- I live in Rome.\n\nI live in Berlin.", "I live in Berlin."),
            ("<memory>\nI live in Rome.\n</memory>\nI live in Berlin.", "I live in Berlin."),
            ("<memory>I live in Rome.</memory>\nI live in Berlin.", "I live in Berlin."),
            ("```\nI live in Rome.\n```\nI live in Berlin.", "I live in Berlin."),
            ("I live in Berlin.\nFrom: bob\n\nI live in Rome.", "I live in Berlin."),
            ("2026-11-27T22:10:03Z I live in Rome.\nI live in Berlin.", "I live in Berlin."),
            ("[tool result] I live in Rome.\nI live in Berlin.", "I live in Berlin."),
            ("You told me: I live in Rome.\nI live in Berlin.", "I live in Berlin."),
            ("I live in \"Berlin\".", "I live in Berlin."),
        ];
        for (text, left) in cases {
            let own: String = own_words(text).chars().filter(|c| *c != GAP).collect();
            assert_eq!(own.trim(), left, "{text}");
        }
        let quoted = own_words("Bob said \"I live in Rome now\" and I live in Berlin.");
        assert!(!quoted.contains("Rome") && quoted.contains("Berlin"), "{quoted}");
    }
}
