//! The parts of a request that not every server takes, as a set: what a profile says of a server (`profiles.toml`), less what
//! the server itself has refused.
//!
//! Servers that copy an interface copy it in part. `model.rs` asks with the set, gives a refusal to [`LearnedFeatures::learn`],
//! and asks once more if that changed the request. Nothing is learnt from a refusal that does not name the field: a wrong guess
//! would leave something out for as long as the keeper runs. Held in memory alone.

use std::sync::atomic::{AtomicU8, Ordering};

/// A part of a request that not every server takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestFeature {
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
pub(crate) struct RequestFeatures(u8);

impl RequestFeatures {
    /// What is tried where nothing else is known.
    pub(crate) const USUAL: Self = Self(
        RequestFeature::StreamUsage as u8
            | RequestFeature::EncryptedReasoning as u8
            | RequestFeature::HandBack as u8,
    );

    pub(crate) const fn has(self, feature: RequestFeature) -> bool {
        self.0 & feature as u8 != 0
    }

    pub(crate) const fn with(self, feature: RequestFeature, is_taken: bool) -> Self {
        if is_taken { Self(self.0 | feature as u8) } else { Self(self.0 & !(feature as u8)) }
    }
}

/// The features of one model, which change when its server refuses one.
#[derive(Debug)]
pub(crate) struct LearnedFeatures(AtomicU8);

impl LearnedFeatures {
    pub(crate) fn new(features: RequestFeatures) -> Self {
        Self(AtomicU8::new(features.0))
    }

    pub(crate) fn get(&self) -> RequestFeatures {
        RequestFeatures(self.0.load(Ordering::Relaxed))
    }

    /// Leaves out what a refusal names. Whether anything of the request changes by that.
    pub(crate) fn learn(&self, refusal: &str, asked: RequestFeatures) -> bool {
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
        let next = if asked.has(RequestFeature::StreamUsage)
            && names(&["stream_options", "include_usage"])
        {
            asked.with(RequestFeature::StreamUsage, false)
        } else if asked.has(RequestFeature::EncryptedReasoning)
            && names(&["encrypted", "'include'", "\"include\"", "`include`", "parameter: include"])
        {
            asked.with(RequestFeature::EncryptedReasoning, false)
        } else if names(&["max_completion_tokens", "max_tokens"]) {
            // Each names the other in its refusal; the one that was sent is the one that is refused.
            asked.with(
                RequestFeature::CompletionTokens,
                !asked.has(RequestFeature::CompletionTokens),
            )
        } else if asked.has(RequestFeature::HandBack)
            && names(&[
                "reasoning",
                "thinking",
                "extra_content",
                "thought_signature",
                "provider_specific",
            ])
            && names(&["messages", "property", "input", "field", "extra"])
        {
            asked.with(RequestFeature::HandBack, false)
        } else {
            return false;
        };
        self.0.store(next.0, Ordering::Relaxed);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{LearnedFeatures, RequestFeature, RequestFeatures};

    #[test]
    fn what_a_server_refuses_is_left_out() {
        let cases = [
            ("Unknown parameter: 'stream_options'", RequestFeature::StreamUsage, false),
            (
                "Encrypted content is not supported with this model.",
                RequestFeature::EncryptedReasoning,
                false,
            ),
            (
                "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
                RequestFeature::CompletionTokens,
                true,
            ),
            ("'messages.2' : property 'reasoning' is unsupported", RequestFeature::HandBack, false),
        ];
        for (refusal, mean, is_taken) in cases {
            let known = LearnedFeatures::new(RequestFeatures::USUAL);
            assert!(known.learn(refusal, RequestFeatures::USUAL), "{refusal}");
            assert_eq!(known.get(), RequestFeatures::USUAL.with(mean, is_taken), "{refusal}");
        }
        for other in ["the model does not exist", "messages: reasoning_content is required", "no"] {
            assert!(
                !LearnedFeatures::new(RequestFeatures::USUAL).learn(other, RequestFeatures::USUAL),
                "{other}"
            );
        }
    }
}
