//! What a server takes beside the plain request. Servers that copy an interface copy it in part: what one of them refuses is
//! left out from then on, and what is known of a provider stands in its profile.

use std::sync::atomic::{AtomicU8, Ordering};

/// A part of a request that not every server takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mean {
    /// `stream_options`, for the count of a streamed answer.
    StreamUsage = 1,
    /// `max_completion_tokens` in place of `max_tokens`.
    CompletionTokens = 2,
    /// Encrypted reasoning in answers.
    EncryptedReasoning = 4,
    /// What the provider sent with a call, handed back with its result.
    HandBack = 8,
}

/// The parts that a server takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Means(u8);

impl Means {
    /// What is tried where nothing else is known.
    pub(crate) const USUAL: Self =
        Self(Mean::StreamUsage as u8 | Mean::EncryptedReasoning as u8 | Mean::HandBack as u8);

    pub(crate) const fn has(self, mean: Mean) -> bool {
        self.0 & mean as u8 != 0
    }

    pub(crate) const fn with(self, mean: Mean, is_taken: bool) -> Self {
        if is_taken { Self(self.0 | mean as u8) } else { Self(self.0 & !(mean as u8)) }
    }
}

/// The means of one model, which change when its server refuses one.
#[derive(Debug)]
pub(crate) struct KnownMeans(AtomicU8);

impl KnownMeans {
    pub(crate) fn new(means: Means) -> Self {
        Self(AtomicU8::new(means.0))
    }

    pub(crate) fn get(&self) -> Means {
        Means(self.0.load(Ordering::Relaxed))
    }

    /// Leaves out what a refusal names. Whether anything of the request changes by that.
    pub(crate) fn learn(&self, refusal: &str, asked: Means) -> bool {
        let refusal = refusal.to_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| refusal.contains(word));
        let is_refused = names(&[
            "support",
            "unknown",
            "unrecognized",
            "unexpected",
            "not permitted",
            "not allowed",
            "invalid",
            "extra",
            "instead",
            "additional",
            "forbidden",
            "not valid",
        ]);
        if !is_refused {
            return false;
        }
        let next = if asked.has(Mean::StreamUsage) && names(&["stream_options", "include_usage"]) {
            asked.with(Mean::StreamUsage, false)
        } else if asked.has(Mean::EncryptedReasoning)
            && names(&["encrypted", "'include'", "\"include\"", "`include`", "parameter: include"])
        {
            asked.with(Mean::EncryptedReasoning, false)
        } else if names(&["max_completion_tokens", "max_tokens"]) {
            // Each names the other in its refusal; the one that was sent is the one that is refused.
            asked.with(Mean::CompletionTokens, !asked.has(Mean::CompletionTokens))
        } else if asked.has(Mean::HandBack)
            && names(&[
                "reasoning",
                "thinking",
                "extra_content",
                "thought_signature",
                "provider_specific",
            ])
            && names(&["messages", "property", "input", "field", "extra"])
        {
            asked.with(Mean::HandBack, false)
        } else {
            return false;
        };
        self.0.store(next.0, Ordering::Relaxed);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{KnownMeans, Mean, Means};

    #[test]
    fn what_a_server_refuses_is_left_out() {
        let cases = [
            ("Unknown parameter: 'stream_options'", Mean::StreamUsage, false),
            (
                "Encrypted content is not supported with this model.",
                Mean::EncryptedReasoning,
                false,
            ),
            (
                "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
                Mean::CompletionTokens,
                true,
            ),
            ("'messages.2' : property 'reasoning' is unsupported", Mean::HandBack, false),
        ];
        for (refusal, mean, is_taken) in cases {
            let known = KnownMeans::new(Means::USUAL);
            assert!(known.learn(refusal, Means::USUAL), "{refusal}");
            assert_eq!(known.get(), Means::USUAL.with(mean, is_taken), "{refusal}");
        }
        for other in ["the model does not exist", "messages: reasoning_content is required", "no"] {
            assert!(!KnownMeans::new(Means::USUAL).learn(other, Means::USUAL), "{other}");
        }
    }
}
