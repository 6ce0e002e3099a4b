//! An answer as messages: at most so many UTF-16 units each, cut between paragraphs, lines or words where that is
//! possible, and between characters as people see them always. Pure.

use unicode_segmentation::UnicodeSegmentation as _;

/// Longest text of one message, in UTF-16 units.
pub const MESSAGE_UNITS_MAX: usize = 4096;

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

    use super::{split_message, utf16_len};

    #[test]
    fn a_short_answer_is_one_message_and_a_blank_one_is_none() {
        assert_eq!(split_message("hello", 10), ["hello"]);
        assert_eq!(split_message("  hello\n", 10), ["hello"]);
        assert!(split_message(" \n ", 10).is_empty());
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
