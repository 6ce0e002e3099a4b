//! Tokens that a tokenizer finds in a text before anything else happens to it, such as `</s>` or `[SEP]`.
//!
//! They are looked for because the models' own tokenizers do so, and vectors are to be the same as theirs; in a person's
//! text they are words like any other and steer nothing.

use serde_json::Value;

use crate::json;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// Ordinary text, never empty.
    Text(&'t str),
    /// One of the tokens.
    Token(u32),
}

/// The tokens, in the file's order.
#[derive(Debug, Default)]
pub(super) struct AddedTokens(Vec<(String, u32)>);

impl AddedTokens {
    /// Reads `added_tokens` of a tokenizer's file. Only tokens that stand for themselves exactly are understood.
    pub(super) fn of_json(tokenizer: &Value) -> Result<Self, String> {
        let mut tokens = Vec::new();
        for token in json::list(tokenizer, "/added_tokens") {
            let loose = ["single_word", "lstrip", "rstrip", "normalized"];
            let is_loose = loose.iter().any(|key| token.get(*key) != Some(&Value::Bool(false)));
            let id = token.get("id").and_then(Value::as_u64).and_then(|id| u32::try_from(id).ok());
            let content = json::text(token, "/content");
            match id.filter(|_| !is_loose && !content.is_empty()) {
                Some(id) => tokens.push((content.to_owned(), id)),
                None => return Err(format!("its added token {token} is of an unsupported kind")),
            }
        }
        Ok(Self(tokens))
    }

    /// The token with this text.
    pub(super) fn id(&self, content: &str) -> Option<u32> {
        self.0.iter().find(|(own, _)| own == content).map(|&(_, id)| id)
    }

    /// Hands over a text piece by piece. Takes time linear in the text, whatever stands in it.
    pub(super) fn split<'t>(&self, text: &'t str, mut each: impl FnMut(Piece<'t>)) {
        let is_first = |c: char| self.0.iter().any(|(token, _)| token.starts_with(c));
        let mut start = 0;
        for (at, _) in text.match_indices(is_first) {
            let Some(rest) = text.get(at..).filter(|_| at >= start) else { continue };
            let mut tokens = self.0.iter();
            let Some((token, id)) = tokens.find(|(token, _)| rest.starts_with(token)) else {
                continue;
            };
            if let Some(before) = text.get(start..at).filter(|before| !before.is_empty()) {
                each(Piece::Text(before));
            }
            each(Piece::Token(*id));
            start = at + token.len();
        }
        if let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
            each(Piece::Text(rest));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{
        AddedTokens,
        Piece::{self, Text, Token},
    };

    fn tokens() -> AddedTokens {
        AddedTokens(vec![("<s>".into(), 1), ("</s>".into(), 2)])
    }

    fn split(text: &str) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        tokens().split(text, |piece| pieces.push(piece));
        pieces
    }

    #[test]
    fn tokens_are_cut_out_wherever_they_stand() {
        assert_eq!(split("é<s>b</s>"), [Text("é"), Token(1), Text("b"), Token(2)]);
        assert_eq!(split("<s><s"), [Token(1), Text("<s")]);
        assert_eq!(split("< s>"), [Text("< s>")]);
        assert_eq!(split(""), []);
        assert_eq!(tokens().id("</s>"), Some(2));
        assert_eq!(tokens().id("s"), None);
    }

    #[test]
    fn a_token_that_would_match_loosely_is_refused() {
        let token = |lstrip: bool| json!({"added_tokens": [{"id": 3, "content": "x", "single_word": false, "lstrip": lstrip, "rstrip": false, "normalized": false}]});
        assert_eq!(AddedTokens::of_json(&token(false)).unwrap().id("x"), Some(3));
        assert!(AddedTokens::of_json(&token(true)).unwrap_err().contains("of an unsupported kind"));
    }
}
