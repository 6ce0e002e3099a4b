//! Counts of tokens: as a provider reports them, and our own estimate where it reports none.

/// The tokens that an answer used, as its provider counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenCount {
    /// All input tokens, cached ones included.
    pub input: u64,
    /// Input tokens that came from a cache.
    pub cache_read: u64,
    /// Input tokens that went into a cache.
    pub cache_write: u64,
    /// Output tokens, reasoning included.
    pub output: u64,
}

/// Characters a token, on average over English text and code.
const CHARS_A_TOKEN: u64 = 4;

/// Estimates the tokens of a text: a quarter of its characters, rounded up.
pub fn estimate_tokens(text: &str) -> u64 {
    tokens_of(text.chars().count() as u64)
}

/// Estimates the tokens of so many characters.
pub(crate) fn tokens_of(chars: u64) -> u64 {
    chars.div_ceil(CHARS_A_TOKEN)
}

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    #[test]
    fn four_characters_are_a_token_and_a_rest_is_one_too() {
        for (text, expected) in [("", 0), ("a", 1), ("four", 1), ("fives", 2), ("éééé", 1)] {
            assert_eq!(estimate_tokens(text), expected, "{text}");
        }
    }
}
