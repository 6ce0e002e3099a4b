//! Cutting what was said into passages: at the ends of paragraphs, of sentences, of words, in this order.
//!
//! Pure. Nothing is lost or changed: the passages put together are the text, byte for byte.

/// Longest passage, in Unicode scalar values, apart from the last one of a text that has too many.
const PART_CHARS_MAX: usize = 1_000;
/// Shortest passage before the last, in Unicode scalar values: a text within the limits of stimulus and reply has at most
/// 120, which leaves the numbers of passages below [`PARTS_MAX`].
const PART_CHARS_MIN: usize = 500;
/// Most passages of an exchange: their number is the lowest byte of their row.
pub(super) const PARTS_MAX: usize = 256;

/// Cuts a text into at most that many passages.
pub(super) fn cut(text: &str, parts_max: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while parts.len() + 1 < parts_max {
        let Some((end, _)) = rest.char_indices().nth(PART_CHARS_MAX) else { break };
        let (part, after) = rest.split_at(cut_position(rest.get(..end).unwrap_or(rest)));
        parts.push(part);
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(rest);
    }
    parts
}

/// Where to cut the text behind, in bytes; its first [`PART_CHARS_MIN`] are kept together.
fn cut_position(window: &str) -> usize {
    let start = window.char_indices().nth(PART_CHARS_MIN).map_or(0, |(start, _)| start);
    let later = window.get(start..).unwrap_or_default();
    let end = last_after(later, "\n\n")
        .or_else(|| last_sentence(later))
        .or_else(|| later.char_indices().rev().find(|(_, c)| c.is_whitespace()).map(end_of));
    end.map_or(window.len(), |end| start + end)
}

fn last_after(text: &str, separator: &str) -> Option<usize> {
    text.rfind(separator).map(|at| at + separator.len())
}

/// Behind the last line, or sentence with the space that follows it.
fn last_sentence(text: &str) -> Option<usize> {
    let mut before = ' ';
    let mut found = None;
    for (at, c) in text.char_indices() {
        let ends =
            c == '\n' || (c.is_whitespace() && matches!(before, '.' | '!' | '?' | ':' | ';'));
        if ends || matches!(c, '。' | '！' | '？') {
            found = Some(end_of((at, c)));
        }
        before = c;
    }
    found
}

fn end_of((at, c): (usize, char)) -> usize {
    at + c.len_utf8()
}

#[cfg(test)]
mod tests {
    use abide_domain::limits::{CONTENT_CHARS_MAX, RESPONSE_CHARS_MAX};
    use proptest::prelude::*;

    use super::{PART_CHARS_MAX, PART_CHARS_MIN, PARTS_MAX, cut};

    #[test]
    fn short_texts_are_one_passage_and_nothing_is_none() {
        assert_eq!(cut("hello", PARTS_MAX), ["hello"]);
        assert!(cut("", PARTS_MAX).is_empty());
    }

    #[test]
    fn paragraphs_come_before_sentences_and_those_before_words() {
        let words = "word ".repeat(130);
        let text = format!("{words}\n\n{words}. {words}");
        assert_eq!(cut(&text, PARTS_MAX)[0], format!("{words}\n\n"));
        let text = format!("{words}. {words}{words}");
        assert_eq!(cut(&text, PARTS_MAX)[0], format!("{words}. "));
        assert!(cut(&"word ".repeat(500), PARTS_MAX)[0].ends_with("word "));
        assert_eq!(cut(&"x".repeat(2_500), PARTS_MAX).len(), 3);
    }

    #[test]
    fn the_longest_exchange_stays_below_the_number_of_passages() {
        let most = |chars: usize| chars / PART_CHARS_MIN + 1;
        assert!(most(CONTENT_CHARS_MAX) + most(RESPONSE_CHARS_MAX) < PARTS_MAX);
        assert_eq!(cut(&"x".repeat(1_000_000), 5).len(), 5);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn passages_put_together_are_the_text(text in "([a-z .\n漢é]{0,40}(\n\n|[.] |。)?){0,120}") {
            let parts = cut(&text, PARTS_MAX);
            prop_assert_eq!(&parts.concat(), &text);
            prop_assert!(parts.iter().all(|p| !p.is_empty() && p.chars().count() <= PART_CHARS_MAX));
            let all_but_last = parts.iter().rev().skip(1);
            prop_assert!(all_but_last.clone().all(|part| part.chars().count() >= PART_CHARS_MIN));
        }
    }
}
