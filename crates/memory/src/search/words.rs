//! What a text is cut into for searching: words in lower case without accents, stems of those that mean something.
//!
//! The one tokenizer of memory: documents, questions and keywords go through the same steps. English is stemmed; other
//! languages go through unharmed, since both sides go the same way. Writing without spaces becomes pairs of characters.

mod english;

use std::borrow::Cow;

use icu_normalizer::DecomposingNormalizerBorrowed;
use rust_stemmers::{Algorithm, Stemmer};

pub(super) use self::english::is_of_asking;
use self::english::{is_stop_word, regular};
use super::TEXT_CHARS_MAX;

/// Characters of a word that count; longer ones (keys, encoded bytes) are cut.
const WORD_CHARS_MAX: usize = 64;
/// What stands after an apostrophe and is no word of its own.
const CLITICS: [&str; 7] = ["s", "t", "d", "ll", "m", "re", "ve"];

/// Cuts a text into the stems of its words, in order, repeated as they are repeated, without stop words.
pub fn words(text: &str) -> Vec<String> {
    words_of(&tokens(text))
}

/// The same for a text that is cut already.
pub(super) fn words_of(tokens: &[String]) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let meant = tokens.iter().filter(|token| !is_stop_word(token));
    meant.map(|token| stemmer.stem(regular(token)).into_owned()).collect()
}

/// Cuts a text into its words as they stand, in lower case, without accents and without the `'s` behind a name.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let text = fold_case_and_accents(truncate(text));
    let mut found = Vec::new();
    let mut word = String::new();
    let mut after_apostrophe = false;
    let mut previous = ' ';
    for c in text.chars() {
        if is_border(previous, c) {
            close(&mut found, &mut word, after_apostrophe);
        }
        if is_picture(c) {
            close(&mut found, &mut word, after_apostrophe);
            found.push(c.to_string());
        } else if c.is_alphanumeric() {
            if word.is_empty() {
                after_apostrophe = is_apostrophe(previous);
            }
            word.push(c);
        } else {
            close(&mut found, &mut word, after_apostrophe);
        }
        previous = c;
    }
    close(&mut found, &mut word, after_apostrophe);
    found
}

/// The text up to the named limit.
pub(super) fn truncate(text: &str) -> &str {
    text.char_indices().nth(TEXT_CHARS_MAX).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Ends a word and keeps it, where it is one.
fn close(found: &mut Vec<String>, word: &mut String, after_apostrophe: bool) {
    if word.is_empty() {
        return;
    }
    if after_apostrophe && CLITICS.contains(&word.as_str()) {
        word.clear();
        return;
    }
    if word.chars().any(is_unspaced) {
        found.extend(pairs(word));
        word.clear();
        return;
    }
    if let Some((end, _)) = word.char_indices().nth(WORD_CHARS_MAX) {
        word.truncate(end);
    }
    found.push(std::mem::take(word));
}

/// Overlapping pairs of the characters of a run without spaces; a run of one is itself.
fn pairs(word: &str) -> Vec<String> {
    let characters: Vec<char> = word.chars().collect();
    if characters.len() < 2 {
        return vec![word.to_owned()];
    }
    characters.windows(2).map(|pair| pair.iter().collect()).collect()
}

/// Whether two characters that stand side by side are of two words: writing without spaces beside letters or digits, and
/// Hangul, whose particles follow a foreign word without a space, beside them too.
fn is_border(before: char, after: char) -> bool {
    before.is_alphanumeric()
        && after.is_alphanumeric()
        && (is_unspaced(before) != is_unspaced(after) || is_hangul(before) != is_hangul(after))
}

/// Hangul, whole or as it is decomposed.
fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7a3}')
}

/// Han, Hiragana and Katakana: words are not spaced out.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{2fa1f}')
}

/// Emoji and other pictures: each is a word.
fn is_picture(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{1f300}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1faff}')
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}

/// Lower case without accents.
fn fold_case_and_accents(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd().normalize(text);
    let bare = decomposed.chars().filter(|c| !matches!(c, '\u{300}'..='\u{36f}'));
    Cow::Owned(bare.flat_map(char::to_lowercase).collect())
}

#[cfg(test)]
mod tests {
    use super::{tokens, words};

    #[test]
    fn words_are_stems_without_stop_words() {
        assert_eq!(words("What were the puppies doing in the gardens?"), ["puppi", "garden"]);
    }

    #[test]
    fn a_name_loses_its_possessive_and_an_irregular_verb_its_form() {
        assert_eq!(words("Ana's brother went and bought shoes"), words("ana brother go buy shoe"));
        assert_eq!(words("Ana\u{2019}s"), ["ana"]);
    }

    #[test]
    fn accents_and_case_make_no_difference() {
        assert_eq!(words("Café Zoë"), words("CAFE zoe"));
    }

    #[test]
    fn negations_leave_no_letters_behind() {
        assert_eq!(tokens("don't we'll"), ["don", "we"]);
        assert!(words("don't we'll").is_empty());
    }

    #[test]
    fn writing_without_spaces_becomes_pairs_of_characters() {
        assert_eq!(words("東京都"), ["東京", "京都"]);
        assert_eq!(words("京"), ["京"]);
    }

    #[test]
    fn a_word_ends_where_the_writing_changes() {
        assert_eq!(tokens("部署到staging服务器"), ["部署", "署到", "staging", "服务", "务器"]);
        assert_eq!(tokens("第3章はv2.1のAPIは"), ["第", "3", "章は", "v2", "1", "の", "api", "は"]);
        assert_eq!(tokens("staging서버")[0], "staging");
        assert_eq!(words("日本語のWi-Fi"), words("日本語の wi fi"));
        assert_eq!(tokens("room2101a Übergröße1"), ["room2101a", "ubergroße1"]);
    }

    #[test]
    fn each_emoji_is_a_word() {
        assert_eq!(words("crabs🦀\u{1f3fd}☀\u{fe0f}!"), ["crab", "🦀", "☀"]);
    }

    #[test]
    fn a_very_long_word_is_cut_and_a_very_long_text_too() {
        assert_eq!(words(&"a1".repeat(100)), ["a1".repeat(32)]);
        assert_eq!(tokens(&"ab ".repeat(10_000)).len(), 6_667);
    }
}
