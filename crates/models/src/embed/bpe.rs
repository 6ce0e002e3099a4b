//! Byte-pair encoding as the Llama 2 tokenizer does it: spaces become `▁`, one more goes in front, then pairs of
//! neighbours are joined, the best pair of the whole text first; characters that no token has become bytes.
//!
//! Own code because the library `tokenizers` takes a minute to compile for this one algorithm; the results are compared
//! with the library's in `tests/it/embed.rs`. Files that ask for anything else are refused.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

use serde_json::{Value, json};

use super::{
    added::{AddedTokens, Piece},
    vocabulary::Vocabulary,
};
use crate::json::list;

/// What stands for a space.
const SPACE: char = '▁';

/// A tokenizer of this kind.
#[derive(Debug)]
pub(super) struct Bpe {
    added: AddedTokens,
    /// Tokens of one character.
    chars: HashMap<char, u32>,
    /// Tokens of one byte.
    bytes: Vec<u32>,
    /// Which two tokens become which, and how soon.
    merges: HashMap<(u32, u32), Merge>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Merge {
    rank: u32,
    into: u32,
}

/// A token in a text under work, with its neighbours.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    token: u32,
    before: Option<u32>,
    after: Option<u32>,
    is_gone: bool,
}

/// A pair that may be joined: the lowest rank first, among equals the leftmost.
type Candidate = Reverse<(u32, u32, u32)>;

/// Buffers that are reused from text to text.
#[derive(Debug, Default)]
pub(super) struct MergeScratch {
    symbols: Vec<Symbol>,
    waiting: BinaryHeap<Candidate>,
}

impl Bpe {
    /// Reads a tokenizer's file.
    pub(super) fn of_json(file: &[u8]) -> Result<Self, String> {
        let file: Value = serde_json::from_slice(file)
            .map_err(|error| format!("it is not valid JSON: {error}"))?;
        let normalizer = json!({"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "▁"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        ]});
        let model = |key: &str| file.pointer(&format!("/model/{key}")).unwrap_or(&Value::Null);
        let is_known = file.get("normalizer") == Some(&normalizer)
            && file.get("pre_tokenizer").is_none_or(Value::is_null)
            && model("byte_fallback") == &Value::Bool(true)
            && ["dropout", "continuing_subword_prefix", "end_of_word_suffix"]
                .iter()
                .all(|key| model(key).is_null())
            && model("ignore_merges") != &Value::Bool(true);
        if !is_known {
            return Err("its tokenizer is of an unsupported kind".into());
        }
        let vocabulary = Vocabulary::of_json(&file, "BPE")?;
        let chars = vocabulary.iter().filter_map(|(text, id)| {
            let mut chars = text.chars();
            chars.next().filter(|_| chars.next().is_none()).map(|char| (char, id))
        });
        let bytes = (0..=u8::MAX).map(|byte| vocabulary.id(&format!("<0x{byte:02X}>")));
        Ok(Self {
            added: AddedTokens::of_json(&file)?,
            chars: chars.collect(),
            bytes: bytes.collect::<Result<_, _>>()?,
            merges: merges(&file, &vocabulary)?,
        })
    }

    /// Appends the tokens of a text.
    pub(super) fn encode(&self, text: &str, scratch: &mut MergeScratch, tokens: &mut Vec<u32>) {
        self.added.split(text, |piece| match piece {
            Piece::Token(id) => tokens.push(id),
            Piece::Text(text) => {
                self.fill_symbols(text, scratch);
                self.merge_all(scratch);
                let left = scratch.symbols.iter().filter(|symbol| !symbol.is_gone);
                tokens.extend(left.map(|symbol| symbol.token));
            }
        });
    }

    /// Lays a text out, a token a character.
    fn fill_symbols(&self, text: &str, scratch: &mut MergeScratch) {
        scratch.symbols.clear();
        let mut put = |token| {
            let position = u32::try_from(scratch.symbols.len()).unwrap_or(u32::MAX);
            scratch.symbols.push(Symbol {
                token,
                before: position.checked_sub(1),
                after: position.checked_add(1),
                is_gone: false,
            });
        };
        for char in [SPACE].into_iter().chain(text.chars()) {
            let char = if char == ' ' { SPACE } else { char };
            if let Some(&token) = self.chars.get(&char) {
                put(token);
                continue;
            }
            for byte in char.encode_utf8(&mut [0; 4]).bytes() {
                put(self.bytes.get(usize::from(byte)).copied().unwrap_or(0));
            }
        }
        if let Some(last) = scratch.symbols.last_mut() {
            last.after = None;
        }
    }

    fn merge_all(&self, scratch: &mut MergeScratch) {
        scratch.waiting.clear();
        for position in 0..u32::try_from(scratch.symbols.len()).unwrap_or(u32::MAX) {
            self.queue_pair(scratch, Some(position));
        }
        while let Some(Reverse((rank, position, into))) = scratch.waiting.pop() {
            // Tokens may have changed since the pair was queued: it counts only if it is still the same.
            let Some((left, right, after)) = scratch.pair(position) else { continue };
            if self.merges.get(&(left, right)) != Some(&Merge { rank, into }) {
                continue;
            }
            let before = scratch.merge(position, into, after);
            self.queue_pair(scratch, before);
            self.queue_pair(scratch, Some(position));
        }
    }

    /// Queues the pair that begins at a position, where it can be merged.
    fn queue_pair(&self, scratch: &mut MergeScratch, position: Option<u32>) {
        let Some(position) = position else { return };
        let Some((left, right, _)) = scratch.pair(position) else { return };
        if let Some(&Merge { rank, into }) = self.merges.get(&(left, right)) {
            scratch.waiting.push(Reverse((rank, position, into)));
        }
    }
}

impl MergeScratch {
    fn symbol(&mut self, position: u32) -> Option<&mut Symbol> {
        self.symbols.get_mut(usize::try_from(position).ok()?)
    }

    /// The token at a position, the one after it, and where that is.
    fn pair(&mut self, position: u32) -> Option<(u32, u32, u32)> {
        let left = *self.symbol(position).filter(|symbol| !symbol.is_gone)?;
        let after = left.after?;
        Some((left.token, self.symbol(after)?.token, after))
    }

    /// Joins the token at a position with the one after it. Gives the position before.
    fn merge(&mut self, position: u32, into: u32, after: u32) -> Option<u32> {
        let right = self.symbol(after)?;
        right.is_gone = true;
        let beyond = right.after;
        if let Some(beyond) = beyond.and_then(|beyond| self.symbol(beyond)) {
            beyond.before = Some(position);
        }
        let left = self.symbol(position)?;
        left.token = into;
        left.after = beyond;
        left.before
    }
}

/// Reads `model.merges`: pairs as a text with a space between, or as lists of two.
fn merges(file: &Value, vocabulary: &Vocabulary<'_>) -> Result<HashMap<(u32, u32), Merge>, String> {
    let pairs = list(file, "/model/merges").iter().enumerate();
    let mut merges = HashMap::with_capacity(pairs.len());
    for (rank, pair) in pairs {
        let parts = match pair {
            Value::String(text) => text.split_once(' '),
            Value::Array(parts) => match parts.as_slice() {
                [Value::String(left), Value::String(right)] => {
                    Some((left.as_str(), right.as_str()))
                }
                _ => None,
            },
            _ => None,
        };
        let (left, right) = parts.ok_or_else(|| format!("its merge {pair} is not a pair"))?;
        let into = vocabulary.id(&format!("{left}{right}"))?;
        let merge = Merge { rank: u32::try_from(rank).unwrap_or(u32::MAX), into };
        merges.insert((vocabulary.id(left)?, vocabulary.id(right)?), merge);
    }
    Ok(merges)
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert_eq, proptest};
    use serde_json::{Value, json};

    use super::{Bpe, MergeScratch};

    fn file() -> Value {
        let mut vocab = serde_json::Map::new();
        for (index, token) in ["<unk>", "▁", "a", "b", "ab", "▁a", "bb", "▁ab"].iter().enumerate()
        {
            vocab.insert((*token).into(), index.into());
        }
        for byte in 0..=255_u32 {
            vocab.insert(format!("<0x{byte:02X}>"), (100 + byte).into());
        }
        json!({
            "added_tokens": [{"id": 0, "content": "<unk>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false}],
            "normalizer": {"type": "Sequence", "normalizers": [
                {"type": "Prepend", "prepend": "▁"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            ]},
            "model": {"type": "BPE", "byte_fallback": true, "vocab": vocab, "merges": ["b b", ["a", "b"], "▁ a", "▁ ab"]},
        })
    }

    fn encode(text: &str) -> Vec<u32> {
        let bpe = Bpe::of_json(file().to_string().as_bytes()).unwrap();
        let mut tokens = Vec::new();
        bpe.encode(text, &mut MergeScratch::default(), &mut tokens);
        tokens
    }

    #[test]
    fn the_best_pair_of_the_text_is_joined_first() {
        assert_eq!(encode("ab"), [7], "▁ a b, then ▁ ab, then ▁ab");
        assert_eq!(encode("abb"), [5, 6], "bb goes before ab");
        assert_eq!(encode("a a"), [5, 5]);
        assert_eq!(encode(""), [0_u32; 0]);
        assert_eq!(encode("bbb"), [1, 6, 3], "among equals the leftmost");
    }

    #[test]
    fn unknown_characters_become_bytes_and_added_tokens_stay_whole() {
        assert_eq!(encode("é"), [1, 100 + 0xc3, 100 + 0xa9]);
        assert_eq!(encode("a<unk>b"), [5, 0, 1, 3], "each piece gets its own space in front");
    }

    proptest! {
        #[test]
        fn every_byte_of_any_text_is_in_some_token(text in "[ab▁ é<unk>\\PC]{0,40}") {
            // Without merges each token is a character or a byte: nothing is lost and nothing is made up.
            let mut file = file();
            file["model"]["merges"] = json!([]);
            file["added_tokens"] = json!([]);
            let bpe = Bpe::of_json(file.to_string().as_bytes()).unwrap();
            let mut tokens = Vec::new();
            bpe.encode(&text, &mut MergeScratch::default(), &mut tokens);
            let space = "▁".as_bytes();
            let bytes = tokens.iter().flat_map(|&token| match token {
                1 => space.to_vec(),
                2 => vec![b'a'],
                3 => vec![b'b'],
                byte => vec![u8::try_from(byte - 100).unwrap()],
            });
            let expected = if text.is_empty() { String::new() } else { format!("▁{}", text.replace(' ', "▁")) };
            prop_assert_eq!(bytes.collect::<Vec<_>>(), expected.into_bytes());
        }
    }

    #[test]
    fn another_kind_of_tokenizer_is_refused() {
        let changes = [
            ("/normalizer", Value::Null),
            ("/model/byte_fallback", json!(false)),
            ("/model/type", json!("Unigram")),
            ("/model/merges", json!(["a x"])),
        ];
        for (place, value) in changes {
            let mut file = file();
            *file.pointer_mut(place).unwrap() = value;
            assert!(Bpe::of_json(file.to_string().as_bytes()).is_err(), "{place}");
        }
    }
}
