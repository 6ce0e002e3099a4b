//! WordPiece as BERT's uncased tokenizer does it: clean, lower-case and strip accents, cut at spaces and punctuation,
//! then take the longest known beginning of each word again and again.
//!
//! Own code for the same reason as `bpe`, compared with the library's results in the same test. The Unicode tables are
//! those that the URL parser brings along anyway.

use std::collections::HashMap;

use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::{
    CodePointMapData,
    props::{GeneralCategory, GeneralCategoryGroup},
};
use serde_json::{Value, json};

use super::{
    added::{AddedTokens, Piece},
    vocabulary::Vocabulary,
};
use crate::json::{number, text};

/// A tokenizer of this kind.
#[derive(Debug)]
pub(super) struct WordPiece {
    added: AddedTokens,
    /// Tokens that begin a word.
    heads: HashMap<Box<str>, u32>,
    /// Tokens that go on with one.
    tails: HashMap<Box<str>, u32>,
    /// The token of a word that cannot be put together.
    unknown: u32,
    begin: u32,
    end: u32,
    /// Longer words are unknown, in characters.
    word_chars_max: usize,
    /// Longest token, in characters: no longer beginning is tried.
    token_chars_max: usize,
}

impl WordPiece {
    /// Reads a tokenizer's file.
    pub(super) fn of_json(file: &[u8]) -> Result<Self, String> {
        let file: Value = serde_json::from_slice(file)
            .map_err(|error| format!("it is not valid JSON: {error}"))?;
        let normalizer = json!({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true});
        let is_known = file.get("normalizer") == Some(&normalizer)
            && text(&file, "/pre_tokenizer/type") == "BertPreTokenizer";
        if !is_known {
            return Err("its tokenizer is of an unsupported kind".into());
        }
        let vocabulary = Vocabulary::of_json(&file, "WordPiece")?;
        let prefix = text(&file, "/model/continuing_subword_prefix");
        let (mut heads, mut tails) = (HashMap::new(), HashMap::new());
        let mut token_chars_max = 0;
        for (token, id) in vocabulary.iter() {
            heads.insert(token.into(), id);
            if let Some(tail) = token.strip_prefix(prefix) {
                tails.insert(tail.into(), id);
            }
            token_chars_max = token_chars_max.max(token.chars().count());
        }
        let added = AddedTokens::of_json(&file)?;
        let special =
            |name: &str| added.id(name).ok_or_else(|| format!("it has no added token {name}"));
        let (begin, end) = (special("[CLS]")?, special("[SEP]")?);
        let unknown = vocabulary.id(text(&file, "/model/unk_token"))?;
        let word_chars_max = usize::try_from(number(&file, "/model/max_input_chars_per_word"));
        let word_chars_max = word_chars_max.unwrap_or(usize::MAX);
        Ok(Self { added, heads, tails, unknown, begin, end, word_chars_max, token_chars_max })
    }

    /// The tokens of a text between the two that begin and end it, cut to so many in all.
    pub(super) fn encode(&self, text: &str, tokens_max: usize) -> Vec<u32> {
        let mut tokens = vec![self.begin];
        self.added.split(text, |piece| match piece {
            _ if tokens.len() >= tokens_max => {}
            Piece::Token(id) => tokens.push(id),
            Piece::Text(text) => {
                let plain = plain(text);
                for word in words(&plain) {
                    if tokens.len() >= tokens_max {
                        return;
                    }
                    self.spell(word, &mut tokens);
                }
            }
        });
        tokens.truncate(tokens_max.saturating_sub(1));
        tokens.push(self.end);
        tokens
    }

    /// Appends the tokens of one word; the unknown one where any part of it is unknown.
    fn spell(&self, word: &str, tokens: &mut Vec<u32>) {
        let start = tokens.len();
        if word.chars().count() > self.word_chars_max {
            tokens.push(self.unknown);
            return;
        }
        let mut rest = word;
        while !rest.is_empty() {
            let known = if tokens.len() == start { &self.heads } else { &self.tails };
            let ends = rest.char_indices().map(|(at, char)| at + char.len_utf8());
            let ends: Vec<usize> = ends.take(self.token_chars_max).collect();
            let longest = ends.iter().rev().find_map(|&end| {
                let (head, tail) = rest.split_at_checked(end)?;
                Some((*known.get(head)?, tail))
            });
            let Some((token, tail)) = longest else {
                tokens.truncate(start);
                tokens.push(self.unknown);
                return;
            };
            tokens.push(token);
            rest = tail;
        }
    }
}

/// A text without control characters and accents, in lower case, with spaces around each Chinese character.
fn plain(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\t' | '\n' | '\r' => clean.push(' '),
            '\u{fffd}' => {}
            _ if is_of(char, GeneralCategoryGroup::Control)
                || is_of(char, GeneralCategoryGroup::Format)
                || is_of(char, GeneralCategoryGroup::PrivateUse) => {}
            _ if char.is_whitespace() => clean.push(' '),
            _ if is_chinese(char) => clean.extend([' ', char, ' ']),
            _ => clean.push(char),
        }
    }
    let decomposed = DecomposingNormalizerBorrowed::new_nfd().normalize(&clean);
    let bare = decomposed.chars().filter(|&c| !is_of(c, GeneralCategoryGroup::NonspacingMark));
    // A letter at a time, as the models' own tokenizer does: a final sigma is not special there.
    bare.flat_map(char::to_lowercase).collect()
}

/// The words of a plain text; each mark of punctuation is one.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().flat_map(|chunk| {
        chunk.split_inclusive(is_punctuation).flat_map(|part| {
            let mark = part.chars().next_back().filter(|&last| is_punctuation(last));
            let (word, mark) = part.split_at(part.len() - mark.map_or(0, char::len_utf8));
            [word, mark].into_iter().filter(|word| !word.is_empty())
        })
    })
}

fn is_punctuation(char: char) -> bool {
    char.is_ascii_punctuation() || is_of(char, GeneralCategoryGroup::Punctuation)
}

fn is_of(char: char, group: GeneralCategoryGroup) -> bool {
    group.contains(CodePointMapData::<GeneralCategory>::new().get(char))
}

/// The ranges that BERT calls Chinese; it lets 0x2b820 to 0x2b91f out.
fn is_chinese(char: char) -> bool {
    matches!(u32::from(char),
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x2_0000..=0x2_a6df | 0x2_a700..=0x2_b81f
        | 0x2_b920..=0x2_ceaf | 0xf900..=0xfaff | 0x2_f800..=0x2_fa1f)
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::any, prop_assert, prop_assert_eq, proptest};
    use serde_json::json;

    use super::{WordPiece, plain, words};

    fn encode(text: &str, tokens_max: usize) -> Vec<u32> {
        let added = |id: u32, content: &str| json!({"id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false});
        let file = json!({
            "added_tokens": [added(1, "[CLS]"), added(2, "[SEP]"), added(3, "[UNK]")],
            "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "model": {
                "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 8,
                "vocab": {"[CLS]": 1, "[SEP]": 2, "[UNK]": 3, "race": 4, "##r": 5, "##s": 6, "cafe": 7, "?": 8, "世": 9},
            },
        });
        WordPiece::of_json(file.to_string().as_bytes()).unwrap().encode(text, tokens_max)
    }

    #[test]
    fn words_are_spelt_by_their_longest_known_beginnings() {
        assert_eq!(encode("Racers? CAFÉ", 16), [1, 4, 5, 6, 8, 7, 2]);
        assert_eq!(
            encode("racex race", 16),
            [1, 3, 4, 2],
            "a word is known as a whole or not at all"
        );
        assert_eq!(encode("racerrrrr", 16), [1, 3, 2], "too long a word");
        assert_eq!(encode("世世[SEP]", 16), [1, 9, 9, 2, 2]);
        assert_eq!(encode("race race race", 4), [1, 4, 4, 2], "the end is kept");
        assert_eq!(encode("", 16), [1, 2]);
    }

    proptest! {
        #[test]
        fn any_text_stays_between_its_ends_and_within_its_cap(text in any::<String>(), cap in 2..20_usize) {
            let tokens = encode(&text, cap);
            prop_assert!(tokens.len() <= cap);
            prop_assert_eq!((tokens.first(), tokens.last()), (Some(&1), Some(&2)));
        }
    }

    #[test]
    fn text_is_made_plain_before_it_is_cut() {
        assert_eq!(plain("Ǻ\tΣ\u{200b}\u{7}İ"), "a σi");
        assert_eq!(
            words("don't (stop)…").collect::<Vec<_>>(),
            ["don", "'", "t", "(", "stop", ")", "…"]
        );
    }
}
