//! The one estimate of how many tokens a text has.
//!
//! Four characters a token, rounded up: trivial on purpose, the same for every model, so that windows are a function of
//! the ledger alone. It must never call a tokenizer. Used wherever a prompt is measured before it is sent.

/// Estimates the tokens of a text: its characters over four, rounded up.
pub fn estimate_tokens(text: &str) -> u64 {
    u64::try_from(text.chars().count()).unwrap_or(u64::MAX).div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    #[test]
    fn four_characters_are_a_token_and_a_rest_is_one_more() {
        for (text, tokens) in [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("ééééé", 2)] {
            assert_eq!(estimate_tokens(text), tokens, "{text}");
        }
    }
}
