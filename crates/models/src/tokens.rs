//! Our own count of tokens, for providers that report none and for prompts before they are sent.

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
