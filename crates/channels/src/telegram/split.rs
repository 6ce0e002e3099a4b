//! An answer as messages: at most so many UTF-16 units each, cut between paragraphs, lines or words where that is
//! possible, and between characters as people see them always. Pure.

use unicode_segmentation::UnicodeSegmentation as _;

/// Longest text of one message, in UTF-16 units.
pub const MESSAGE_UNITS_MAX: usize = 4096;

/// What begins and ends code.
const FENCE: &str = "```";
/// What ends the code of a message.
const FENCE_END: &str = "\n```";
/// Longest mark that is opened again with its language, in UTF-16 units.
const FENCE_MARK_UNITS_MAX: usize = 24;
/// Room for a mark, the end of its line, and the end of the code.
const FENCE_UNITS_MAX: usize = FENCE_MARK_UNITS_MAX + 1 + FENCE_END.len();

/// Cuts a text into pieces of at most `units_max` UTF-16 units; the space at the cuts and the ends is left out. No piece is
/// blank, so that a blank text has none. Only a character that is longer by itself is cut within.
pub fn split_message(text: &str, units_max: usize) -> Vec<&str> {
    let mut split_message = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (head, tail) = cut(rest, units_max);
        split_message.push(head.trim_end());
        rest = tail.trim_start();
    }
    split_message
}

/// Cuts an answer into messages like [`split_message`]. A fence of code that is open at the end of a message is closed there, and
/// opened again in the next one.
pub fn split_answer(text: &str, units_max: usize) -> Vec<String> {
    if !text.contains(FENCE) {
        return split_message(text, units_max).into_iter().map(str::to_owned).collect();
    }
    let mut messages = Vec::new();
    let mut open: Option<String> = None;
    for piece in split_message(text, units_max.saturating_sub(FENCE_UNITS_MAX).max(1)) {
        let before = open.take();
        open = open_fence(before.as_deref(), piece);
        let begin = before.map(|fence| format!("{fence}\n")).unwrap_or_default();
        let end = if open.is_some() { FENCE_END } else { "" };
        messages.push(format!("{begin}{piece}{end}"));
    }
    messages
}

/// The fence that is open behind a piece, as it is to be opened again.
fn open_fence(before: Option<&str>, piece: &str) -> Option<String> {
    let mut open = before.map(str::to_owned);
    for line in piece.lines().map(str::trim).filter(|line| line.starts_with(FENCE)) {
        open = if open.is_some() { None } else { Some(short_fence(line)) };
    }
    open
}

/// The mark of a fence with the language behind it, where that is short.
fn short_fence(line: &str) -> String {
    let is_short = utf16_len(line) <= FENCE_MARK_UNITS_MAX;
    if is_short { line.to_owned() } else { FENCE.to_owned() }
}

/// How long a text is, as Telegram counts.
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The first piece and what follows it. The text begins with no space, so that the piece is not blank.
fn cut(text: &str, units_max: usize) -> (&str, &str) {
    let hard = fitting(text, units_max);
    if hard >= text.len() {
        return (text, "");
    }
    let (head, tail) = text.split_at_checked(hard).unwrap_or((text, ""));
    if tail.starts_with(char::is_whitespace) && !tail.starts_with('\n') {
        return (head, tail);
    }
    // A piece that is half full is fair; below that a word is better broken.
    let is_fair = |at: &usize| at.saturating_mul(2) > head.len();
    let soft = head
        .rfind("\n\n")
        .filter(is_fair)
        .or_else(
            || if tail.starts_with('\n') { Some(hard) } else { head.rfind('\n').filter(is_fair) },
        )
        .or_else(|| head.rfind(char::is_whitespace).filter(is_fair));
    text.split_at_checked(soft.unwrap_or(hard)).unwrap_or((head, tail))
}

/// How many bytes of a text fit, up to the end of a character as people see it; at least one scalar value.
fn fitting(text: &str, units_max: usize) -> usize {
    let mut used = 0_usize;
    for (at, character) in text.grapheme_indices(true) {
        used = used.saturating_add(utf16_len(character));
        if used > units_max {
            return if at > 0 { at } else { scalars_fitting(character, units_max) };
        }
    }
    text.len()
}

fn scalars_fitting(character: &str, units_max: usize) -> usize {
    let mut used = 0_usize;
    for (at, c) in character.char_indices() {
        used = used.saturating_add(c.len_utf16());
        if used > units_max && at > 0 {
            return at;
        }
    }
    character.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{FENCE, split_answer, split_message, utf16_len};

    #[test]
    fn a_short_answer_is_one_message_and_a_blank_one_is_none() {
        assert_eq!(split_message("hello", 10), ["hello"]);
        assert_eq!(split_message("  hello\n", 10), ["hello"]);
        assert!(split_message(" \n ", 10).is_empty());
    }

    #[test]
    fn code_that_is_cut_is_code_in_every_message() {
        let text = format!("Look:\n```rust\n{}\n```\nThat is all.", "let x = 1;\n".repeat(30));
        let messages = split_answer(&text, 160);
        assert!(messages.len() > 2, "{messages:?}");
        for (index, message) in messages.iter().enumerate() {
            assert!(utf16_len(message) <= 160, "{message}");
            assert_eq!(message.matches(FENCE).count() % 2, 0, "{message}");
            assert!(index == 0 || message.starts_with("```rust\n"), "{message}");
        }
        assert!(messages.last().unwrap().ends_with("That is all."));
        assert_eq!(split_answer("one two", 4), ["one", "two"]);
        let long = format!("```{}\n{}", "x".repeat(60), "y\n".repeat(100));
        assert!(split_answer(&long, 120)[1].starts_with("```\n"), "a long mark is not repeated");
    }

    #[test]
    fn the_cut_is_between_paragraphs_then_lines_then_words() {
        assert_eq!(split_message("one two\n\nthree four", 12), ["one two", "three four"]);
        assert_eq!(split_message("one two\nthree four", 12), ["one two", "three four"]);
        assert_eq!(split_message("one two three", 9), ["one two", "three"]);
        assert_eq!(split_message("one two three", 7), ["one two", "three"]);
        assert_eq!(
            split_message("one\n\ntwo three four", 18),
            ["one\n\ntwo three", "four"],
            "not a tiny first piece"
        );
        assert_eq!(
            split_message("a bbbbbbbbbbbb", 10),
            ["a bbbbbbbb", "bbbb"],
            "a long word is broken"
        );
    }

    #[test]
    fn characters_are_whole_and_counted_as_telegram_does() {
        assert_eq!(utf16_len("🦀"), 2);
        assert_eq!(split_message("🦀🦀🦀", 5), ["🦀🦀", "🦀"]);
        let family = "👩‍👩‍👧";
        assert_eq!(split_message(&format!("ab{family}"), 8), ["ab", family]);
        assert_eq!(split_message("e\u{301}e\u{301}", 3), ["e\u{301}", "e\u{301}"]);
        let tower = format!("e{}", "\u{301}".repeat(20));
        assert_eq!(
            split_message(&tower, 8).len(),
            3,
            "one that is too long by itself is cut all the same"
        );
    }

    proptest! {
        #[test]
        fn nothing_is_lost_nothing_too_long_nothing_blank(
            text in "([a-z🦀é\u{301}\u{200d}]{0,12}[ \n]{0,3}){0,20}",
            units_max in 2_usize..40,
        ) {
            let cut = split_message(&text, units_max);
            let ink = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(ink(&cut.concat()), ink(&text));
            for piece in cut {
                prop_assert!(utf16_len(piece) <= units_max && !piece.trim().is_empty(), "{:?}", piece);
            }
        }
    }
}
