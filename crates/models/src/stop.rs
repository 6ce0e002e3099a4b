//! Why a model stopped, in the words of all providers.
//!
//! Only known good ends make an answer whole. Any other word, also one that nobody has seen yet, means that the answer was
//! cut: half of it must never stand for the whole.

/// Why a model stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// It was done, with or without calls.
    End,
    /// It was done because it wants tools run.
    Calls,
    /// It reached the output limit.
    Length,
    /// It, or a filter, declined.
    Refusal,
    /// The context window is full.
    ContextFull,
    /// It wrote a call that its server could not read.
    BrokenCall,
    /// Something that is no end: the provider's word for it.
    Broken(String),
}

const ENDS: [&str; 12] = [
    "stop",
    "end",
    "end_turn",
    "eos",
    "eos_token",
    "stop_sequence",
    "stop_token",
    "complete",
    "completed",
    "done",
    "finished",
    "finish",
];
const CALLS: [&str; 6] =
    ["tool_calls", "tool_call", "tool_use", "function_call", "function_calls", "calls"];
const LENGTHS: [&str; 7] = [
    "length",
    "max_tokens",
    "max_output_tokens",
    "max_length",
    "max_new_tokens",
    "model_length",
    "token_limit",
];
const REFUSALS: [&str; 15] = [
    "content_filter",
    "content_filtered",
    "contentfilter",
    "guardrail_intervened",
    "refusal",
    "refused",
    "safety",
    "recitation",
    "blocklist",
    "prohibited_content",
    "spii",
    "image_safety",
    "sensitive",
    "moderation",
    "blocked",
];
const FULL: [&str; 5] = [
    "model_context_window_exceeded",
    "context_window_exceeded",
    "context_length_exceeded",
    "context_length",
    "input_too_long",
];
const BROKEN_CALLS: [&str; 5] = [
    "malformed_function_call",
    "malformed_tool_call",
    "tool_use_failed",
    "unexpected_tool_call",
    "invalid_tool_call",
];
/// Longest word of a provider that is quoted, in characters.
const WORD_CHARS_MAX: usize = 80;

impl StopReason {
    /// What a provider's word means; none where it says nothing.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        let word = word.trim();
        if word.is_empty() || word.eq_ignore_ascii_case("null") {
            return None;
        }
        // Gemini and some gateways write `MAX_TOKENS` or `FinishReason.STOP`, others `max-tokens`.
        let plain = word.to_ascii_lowercase().replace(['-', ' '], "_");
        let plain = plain.rsplit('.').next().unwrap_or_default();
        let plain = plain.strip_prefix("finish_reason_").unwrap_or(plain);
        let is_in = |words: &[&str]| words.contains(&plain);
        Some(if is_in(&ENDS) {
            Self::End
        } else if is_in(&CALLS) {
            Self::Calls
        } else if is_in(&LENGTHS) {
            Self::Length
        } else if is_in(&REFUSALS) {
            Self::Refusal
        } else if is_in(&FULL) {
            Self::ContextFull
        } else if is_in(&BROKEN_CALLS) {
            Self::BrokenCall
        } else {
            Self::Broken(word.chars().take(WORD_CHARS_MAX).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::StopReason;

    #[test]
    fn only_known_good_ends_count() {
        for word in ["stop", "STOP", "end_turn", "eos", "stop_sequence", "FinishReason.STOP"] {
            assert_eq!(StopReason::of_word(word), Some(StopReason::End), "{word}");
        }
        for word in ["tool_calls", "tool_use", "function_call"] {
            assert_eq!(StopReason::of_word(word), Some(StopReason::Calls), "{word}");
        }
        for word in ["length", "max_tokens", "MAX_TOKENS", "max-tokens", "model_length"] {
            assert_eq!(StopReason::of_word(word), Some(StopReason::Length), "{word}");
        }
        for word in ["content_filter", "SAFETY", "refusal", "RECITATION"] {
            assert_eq!(StopReason::of_word(word), Some(StopReason::Refusal), "{word}");
        }
        for word in [
            "error",
            "abort",
            "aborted",
            "network_error",
            "OTHER",
            "cancelled",
            "load",
            "timeout",
            "x",
        ] {
            let broken = Some(StopReason::Broken(word.to_owned()));
            assert_eq!(StopReason::of_word(word), broken, "{word}");
        }
        assert_eq!(StopReason::of_word(""), None);
    }
}
