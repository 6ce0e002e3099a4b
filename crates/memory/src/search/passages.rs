//! Where a long text is cut for searching: into passages of about sixty words, at the ends of lines and sentences.
//!
//! Pure. Nothing is lost or changed: the passages put together are the text, byte for byte. A long answer says many things;
//! compared as a whole it is a little about each of them, so that its passages are compared instead.

/// Words after which a passage ends with its sentence.
const PASSAGE_WORDS: usize = 60;
/// Words of a passage at most; a sentence that is longer is cut between words.
const PASSAGE_WORDS_MAX: usize = 120;
/// A text of so many words is not cut: each half would say too little.
const WHOLE_WORDS_MAX: usize = 90;
/// A rest of fewer words stays with what is before it.
const REST_WORDS_MIN: usize = 20;

/// Cuts a text into its passages, at most so many, of which the last one may be longer. None for a text without content.
pub fn passages(text: &str, passages_max: usize) -> Vec<&str> {
    if text.split_whitespace().nth(WHOLE_WORDS_MAX).is_none() {
        return if text.is_empty() { Vec::new() } else { vec![text] };
    }
    let mut found = Vec::new();
    let (mut rest, mut words_left) = (text, text.split_whitespace().count());
    while found.len() + 1 < passages_max && words_left > WHOLE_WORDS_MAX {
        let (end, words) = passage_end(rest);
        if words_left.saturating_sub(words) < REST_WORDS_MIN || end >= rest.len() {
            break;
        }
        let (passage, after) = rest.split_at(end);
        found.push(passage);
        (rest, words_left) = (after, words_left.saturating_sub(words));
    }
    if !rest.is_empty() {
        found.push(rest);
    }
    found
}

/// Where the first passage of a text ends, in bytes, and its words.
fn passage_end(text: &str) -> (usize, usize) {
    let (mut words, mut before) = (0, ' ');
    for (at, c) in text.char_indices() {
        let is_enough = words >= PASSAGE_WORDS && (before == '\n' || ends_sentence(before, c));
        if is_enough || (words >= PASSAGE_WORDS_MAX && c.is_whitespace()) {
            return (behind_space(text, at), words);
        }
        words += usize::from(before.is_whitespace() && !c.is_whitespace());
        before = c;
    }
    (text.len(), words)
}

fn ends_sentence(before: char, c: char) -> bool {
    c.is_whitespace() && matches!(before, '.' | '!' | '?' | ':' | ';')
}

/// Behind the white space that begins there.
fn behind_space(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.len() - rest.trim_start().len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{PASSAGE_WORDS_MAX, WHOLE_WORDS_MAX, passages};

    fn words(text: &str) -> usize {
        text.split_whitespace().count()
    }

    #[test]
    fn a_text_of_ninety_words_is_whole_and_a_longer_one_ends_its_passages_with_sentences() {
        assert_eq!(passages(&"word ".repeat(90), 99).len(), 1);
        assert!(passages("", 99).is_empty());
        let sentence = "Each of these sentences has just eight words. ";
        let text = sentence.repeat(40);
        let found = passages(&text, 99);
        assert_eq!(found.iter().map(|part| words(part)).collect::<Vec<_>>(), [64, 64, 64, 64, 64]);
        assert!(found.iter().all(|part| part.starts_with("Each") && part.ends_with("words. ")));
        assert_eq!(passages(&text, 3).len(), 3);
    }

    #[test]
    fn lines_end_a_passage_and_a_sentence_without_end_is_cut_between_words() {
        let text = "- one item of a list\n".repeat(40);
        assert!(passages(&text, 99).iter().all(|part| part.ends_with("list\n")));
        let found = words(passages(&"word ".repeat(400), 99)[0]);
        assert_eq!(found, PASSAGE_WORDS_MAX);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn passages_put_together_are_the_text(text in "([a-z .\n漢é]{0,30}(\n\n|[.] |。)?){0,60}", most in 1_usize..20) {
            let found = passages(&text, most);
            prop_assert_eq!(&found.concat(), &text);
            prop_assert!(found.len() <= most && found.iter().all(|part| !part.is_empty()));
            let limit = PASSAGE_WORDS_MAX.max(WHOLE_WORDS_MAX) + 20;
            prop_assert!(found.len() == most || found.iter().all(|part| words(part) <= limit));
        }
    }
}
