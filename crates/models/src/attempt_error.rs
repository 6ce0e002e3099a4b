//! Classifies the failures of all providers.
//!
//! One table: status, code and message in, kind out. Providers report exhausted credit as 400, 402, 403 and 429 and a
//! full context window as 400, 413 and 500, so the message counts as well as the status.

use std::time::Duration;

use abide_domain::{
    turn::{MindError, Usage},
    voice::{AnswerFault, VoiceError},
};
use serde_json::Value;

mod provider_message;
mod words;

use provider_message::ProviderMessage;
pub(crate) use provider_message::web_page;

/// A failed attempt to get an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AttemptError {
    /// What it means.
    pub kind: AttemptErrorKind,
    /// The provider's message, or ours where it gave none.
    pub message: String,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
    /// Whether an answer had begun: then it is not retried, whatever the kind, because people may have seen it.
    pub has_begun: bool,
    /// What people are told of an answer that is not a valid voice.
    pub fault: AnswerFault,
}

/// What kind of failure it is, and whether it is retried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptErrorKind {
    /// The account has no money or has reached its spending limit: not retried.
    MoneyOut,
    /// Too many requests: retried after the wait that was asked for.
    RateLimited,
    /// The provider is overloaded: retried after a while.
    Overloaded,
    /// No connection was made: not retried here, so that each failure is recorded before the next try. The turn has attempts of
    /// its own, and the watchdog learns from them alone that a host is out of reach.
    Unreachable,
    /// The provider or the connection failed before the first byte of an answer: retried, twice by default.
    Broken,
    /// The answer was cut off, or cannot be read: not retried, because people have seen its beginning.
    Cut,
    /// The model or its filter declined.
    Refused,
    /// The prompt does not fit the context window.
    ContextTooLong,
    /// The model has no native tools.
    NoTools,
    /// The answer is not a valid voice; the path says where.
    BadVoice {
        /// Path in the voice.
        path: String,
    },
    /// The request is at fault.
    Rejected,
    /// The request is at fault, and nobody here knows why: the prompt may be too long in words that are not known.
    Unclear,
}

impl AttemptError {
    /// A failure without a wait, before an answer began.
    pub fn new(kind: AttemptErrorKind, message: String) -> Self {
        let fault = AnswerFault::default();
        Self { kind, message, retry_after: None, has_begun: false, fault }
    }

    /// An answer that does not fit the voice.
    pub(crate) fn bad_voice(problem: VoiceError) -> Self {
        let VoiceError { path, message, fault } = problem;
        Self { fault, ..Self::new(AttemptErrorKind::BadVoice { path }, message) }
    }

    /// Classifies a response with an error status.
    pub fn of_status(status: u16, body: &str, retry_after: Option<Duration>) -> Self {
        let error = ProviderMessage::of_body(body);
        let retry_after = retry_after.or(error.wait);
        let kind = kind(Some(status), &error, retry_after.is_some());
        let message = format!("{} (HTTP {status})", error.shown());
        Self { retry_after, ..Self::new(kind, message) }
    }

    /// Classifies an error that came in place of an answer.
    pub(crate) fn in_stream(frame: &Value) -> Self {
        let error = ProviderMessage::of_json(frame);
        let kind = match kind(None, &error, error.wait.is_some()) {
            // Its beginning may have been seen: it is not asked again in silence.
            AttemptErrorKind::Broken => AttemptErrorKind::Cut,
            kind => kind,
        };
        Self { has_begun: true, retry_after: error.wait, ..Self::new(kind, error.shown()) }
    }

    /// The error that the caller gets.
    pub(crate) fn into_error(self, usage: Usage) -> MindError {
        let Self { kind, message, retry_after, fault, .. } = self;
        match kind {
            AttemptErrorKind::MoneyOut => MindError::MoneyOut { message },
            AttemptErrorKind::RateLimited => MindError::RateLimited { message, retry_after },
            AttemptErrorKind::Overloaded => MindError::Overloaded { message },
            AttemptErrorKind::Cut => MindError::BrokenOff { message, usage },
            AttemptErrorKind::Unreachable | AttemptErrorKind::Broken => {
                MindError::Unavailable { message }
            }
            AttemptErrorKind::Unclear => MindError::PerhapsTooLong { message },
            AttemptErrorKind::Refused => MindError::Refused { message, usage },
            AttemptErrorKind::ContextTooLong => MindError::ContextTooLong { message },
            AttemptErrorKind::NoTools | AttemptErrorKind::Rejected => {
                MindError::Rejected { message }
            }
            AttemptErrorKind::BadVoice { path } => {
                MindError::BadVoice { problem: VoiceError::new(path, message).of(fault), usage }
            }
        }
    }
}

/// What a failure means, by its status (none where it came within an answer) and its words.
fn kind(status: Option<u16>, error: &ProviderMessage, has_wait: bool) -> AttemptErrorKind {
    let status = effective_status(status, error.status());
    if is_money_out(status, error, has_wait) {
        return AttemptErrorKind::MoneyOut;
    }
    if is_too_long(status, error) {
        return AttemptErrorKind::ContextTooLong;
    }
    if matches!(status, None | Some(400 | 403 | 422)) && words::is_refusal(error) {
        return AttemptErrorKind::Refused;
    }
    match status {
        Some(429) => AttemptErrorKind::RateLimited,
        Some(503 | 529) => AttemptErrorKind::Overloaded,
        Some(408 | 500..) => AttemptErrorKind::Broken,
        Some(400 | 404 | 422) if words::is_toolless(error) => AttemptErrorKind::NoTools,
        Some(400 | 422) if !words::is_clear(error) => AttemptErrorKind::Unclear,
        Some(_) => AttemptErrorKind::Rejected,
        None => AttemptErrorKind::Cut,
    }
}

/// The status that counts: a gateway gives its own and says within what the provider behind it gave.
const fn effective_status(outer: Option<u16>, inner: Option<u16>) -> Option<u16> {
    match (outer, inner) {
        (None, inner) => inner,
        (Some(400), Some(inner @ (401..=404 | 429 | 500..)))
        | (Some(500 | 502), Some(inner @ (400..=404 | 413 | 422 | 429 | 503 | 529))) => Some(inner),
        (outer, _) => outer,
    }
}

fn is_money_out(status: Option<u16>, error: &ProviderMessage, has_wait: bool) -> bool {
    match status {
        Some(402) => true,
        None | Some(400 | 403 | 429) => words::is_money(error, has_wait),
        // What may also be a limit per minute counts there alone where such limits are said.
        Some(400..) => words::is_money(error, true),
        Some(_) => false,
    }
}

fn is_too_long(status: Option<u16>, error: &ProviderMessage) -> bool {
    match status {
        Some(413) => true,
        // Alone it is more than the limit of a minute: no wait helps, a shorter prompt does.
        Some(429) => words::is_more_than_a_minute(error),
        None | Some(404 | 409 | 500..) => words::is_certain_overflow(error),
        Some(400 | 422) => words::is_overflow(error),
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{AttemptError, AttemptErrorKind};

    #[test]
    fn each_signal_means_what_the_table_says() {
        use AttemptErrorKind::{
            Broken, ContextTooLong, MoneyOut, NoTools, Overloaded, RateLimited, Refused, Rejected,
            Unclear,
        };
        let cases = [
            (
                429,
                r#"{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}"#,
                RateLimited,
            ),
            (429, "", RateLimited),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
                MoneyOut,
            ),
            (429, r#"{"error":{"type":"credit_balance_exhausted"}}"#, MoneyOut),
            (
                429,
                r#"{"type":"error","error":{"type":"rate_limit_error","message":"You have reached your specified API usage limits"}}"#,
                MoneyOut,
            ),
            (429, r#"{"error":{"code":"enforced_spend_limit_reached","message":"no"}}"#, MoneyOut),
            (402, "{}", MoneyOut),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#,
                MoneyOut,
            ),
            (
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                Overloaded,
            ),
            (503, "<html>busy</html>", Overloaded),
            (500, r#"{"error":"boom"}"#, Broken),
            (502, "", Broken),
            (504, "", Broken),
            (408, "", Broken),
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}"#,
                ContextTooLong,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
                ContextTooLong,
            ),
            (
                500,
                r#"{"error":{"message":"the request exceeds the available context size","type":"server_error"}}"#,
                ContextTooLong,
            ),
            (413, "", ContextTooLong),
            (400, r#"{"error":"registry/x does not support tools"}"#, NoTools),
            (400, r#"{"error":{"message":"filtered","code":"content_filter"}}"#, Refused),
            (400, r#"{"error":{"message":"bad"}}"#, Unclear),
            (401, r#"{"error":{"message":"Incorrect API key"}}"#, Rejected),
            (403, "", Rejected),
            (404, r#"{"error":"model 'x' not found"}"#, Rejected),
            (422, r#"{"detail":"nope"}"#, Unclear),
        ];
        for (status, body, expected) in cases {
            assert_eq!(
                AttemptError::of_status(status, body, None).kind,
                expected,
                "{status} {body}"
            );
        }
    }

    #[test]
    fn an_overflow_is_known_in_any_words_and_other_limits_are_none() {
        let long = [
            "Input length 9001 exceeds the maximum allowed token count of 8192",
            "Your request is larger than the 32k tokens this deployment accepts",
            "the conversation does not fit into the model",
            "Requested tokens (9001) exceed the window of 8192",
            "Range of input length should be [1, 30720]",
            "prompt has 9001 tokens, which is greater than the limit",
            "The sequence is too long for this model",
            "Please shorten your messages",
            "input token count (1048577) surpasses the allowed number",
            "string too long: the text must have a maximum length of 1048576",
        ];
        for message in long {
            let body =
                serde_json::json!([{"error": {"message": message, "code": 400}}]).to_string();
            let found = AttemptError::of_status(400, &body, None).kind;
            assert_eq!(found, AttemptErrorKind::ContextTooLong, "{message}");
        }
        let other = [
            "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
            "Rate limit: too many tokens requested per minute",
            "Input should be greater than 0",
            "Invalid 'tools': array too long. Expected an array with maximum length 128",
            "messages: at most one system message",
            "the request exceeded its deadline",
        ];
        for message in other {
            let body = serde_json::json!({"error": {"message": message}}).to_string();
            let found = AttemptError::of_status(400, &body, None).kind;
            assert_ne!(found, AttemptErrorKind::ContextTooLong, "{message}");
        }
    }

    #[test]
    fn a_request_whose_fault_is_named_is_no_doubtful_one() {
        let body = r#"{"error":{"message":"Unknown parameter: 'x'"}}"#;
        assert_eq!(AttemptError::of_status(400, body, None).kind, AttemptErrorKind::Rejected);
        assert_eq!(AttemptError::of_status(302, "", None).kind, AttemptErrorKind::Rejected);
    }

    #[test]
    fn one_request_that_is_more_than_a_minutes_limit_is_too_long() {
        let body = r#"{"error":{"message":"Request too large for m on tokens per min (TPM): Limit 30000, Requested 35000."}}"#;
        let found = AttemptError::of_status(429, body, None).kind;
        assert_eq!(found, AttemptErrorKind::ContextTooLong);
    }

    #[test]
    fn what_a_gateway_wraps_counts() {
        let raw = r#"{\"error\":{\"message\":\"Insufficient Balance\",\"code\":\"invalid_request_error\"}}"#;
        let wrapped = format!(
            r#"{{"error":{{"message":"Provider returned error","code":502,"metadata":{{"raw":"{raw}"}}}}}}"#
        );
        for status in [400, 500, 502, 429] {
            let failure = AttemptError::of_status(status, &wrapped, None);
            assert_eq!(failure.kind, AttemptErrorKind::MoneyOut, "{status}");
            assert!(failure.message.contains("Insufficient Balance"), "{failure}");
        }
        let cases = [
            (r#"{"error":{"code":429,"message":"slow down"}}"#, AttemptErrorKind::RateLimited),
            (r#"{"error":{"code":"503","message":"x"}}"#, AttemptErrorKind::Overloaded),
            (r#"{"error":{"code":402,"message":"x"}}"#, AttemptErrorKind::MoneyOut),
            (r#"{"error":{"code":401,"message":"x"}}"#, AttemptErrorKind::Rejected),
            (r#"{"error":{"code":400,"message":"x"}}"#, AttemptErrorKind::Unclear),
            (r#"[{"error":{"code":500,"message":"x"}}]"#, AttemptErrorKind::Cut),
            (r#"{"error":{"message":"x"}}"#, AttemptErrorKind::Cut),
        ];
        for (frame, expected) in cases {
            let frame = serde_json::from_str(frame).unwrap();
            assert_eq!(AttemptError::in_stream(&frame).kind, expected, "{frame}");
        }
    }

    #[test]
    fn a_wait_means_a_limit_per_minute_and_not_exhausted_credit() {
        let body =
            r#"{"error":{"message":"You exceeded your current quota, please check your plan"}}"#;
        let wait = Some(Duration::from_secs(7));
        assert_eq!(AttemptError::of_status(429, body, wait).kind, AttemptErrorKind::RateLimited);
        assert_eq!(AttemptError::of_status(429, body, None).kind, AttemptErrorKind::MoneyOut);
    }

    #[test]
    fn the_message_of_a_provider_is_passed_on_within_bounds() {
        let cases = [
            (r#"{"error":{"message":"bad key"}}"#.to_owned(), "bad key (HTTP 401)"),
            (r#"{"detail":"nope"}"#.into(), "nope (HTTP 401)"),
            (
                r#"{"error":{"type":"authentication_error"}}"#.into(),
                "authentication_error (HTTP 401)",
            ),
            (
                "<!doctype html><body>".into(),
                "the provider sent a web page in place of an answer (HTTP 401)",
            ),
            (String::new(), "the provider gave no reason (HTTP 401)"),
        ];
        for (body, expected) in cases {
            assert_eq!(AttemptError::of_status(401, &body, None).message, expected);
        }
        let long = "é".repeat(10_000);
        assert_eq!(AttemptError::of_status(401, &long, None).message.chars().count(), 511);
    }
}
