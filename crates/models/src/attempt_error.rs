//! Classifies the failures of all providers.
//!
//! One table: status, code and message in, kind out. Providers report exhausted credit as 400, 402, 403 and 429 and a
//! full context window as 400, 413 and 500, so the message counts as well as the status.

use std::time::Duration;

use abide_domain::{
    turn::{MindError, Usage},
    voice::VoiceError,
};
use serde_json::Value;

use crate::json::text;

/// Longest message of a provider that is passed on, in characters.
const MESSAGE_CHARS_MAX: usize = 500;

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
    /// The request is at failure.
    Rejected,
}

const MONEY_CODES: [&str; 9] = [
    "credit_balance_exhausted",
    "enforced_spend_limit_reached",
    "insufficient_quota",
    "insufficient_credits",
    "insufficient_balance",
    "billing_error",
    "billing_hard_limit_reached",
    "billing_not_active",
    "spend_limit_reached",
];
const MONEY_WORDS: [&str; 8] = [
    "credit balance",
    "spend limit",
    "spending limit",
    "insufficient credit",
    "insufficient balance",
    "insufficient funds",
    "out of credits",
    "billing hard limit",
];
/// Messages that some use for exhausted credit and others for a limit per minute; a wait that is asked for means the latter.
const MONEY_WORDS_WITHOUT_WAIT: [&str; 2] = ["usage limit", "exceeded your current quota"];
const CONTEXT_CODES: [&str; 3] =
    ["context_length_exceeded", "exceed_context_size_error", "request_too_large"];
const CONTEXT_WORDS: [&str; 8] = [
    "context length",
    "context window",
    "context size",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "maximum number of tokens",
];
const REFUSAL_CODES: [&str; 3] = ["content_filter", "content_policy_violation", "invalid_prompt"];
const TOOLLESS_WORDS: [&str; 2] = ["does not support tools", "tools are not supported"];

impl AttemptError {
    /// A failure without a wait, before an answer began.
    pub fn new(kind: AttemptErrorKind, message: String) -> Self {
        Self { kind, message, retry_after: None, has_begun: false }
    }

    /// An answer that does not fit the voice.
    pub(crate) fn bad_voice(problem: VoiceError) -> Self {
        Self::new(AttemptErrorKind::BadVoice { path: problem.path }, problem.message)
    }

    /// Classifies a response with an error status.
    pub fn of_status(status: u16, body: &str, retry_after: Option<Duration>) -> Self {
        let error = ProviderMessage::of_body(body);
        let kind = kind(Some(status), &error, retry_after.is_some());
        let message = format!("{} (HTTP {status})", error.shown());
        Self { kind, message, retry_after, has_begun: false }
    }

    /// Classifies an error that came in place of an answer.
    pub(crate) fn in_stream(frame: &Value) -> Self {
        let error = ProviderMessage::of_json(frame);
        Self { has_begun: true, ..Self::new(kind(None, &error, false), error.shown()) }
    }

    /// The error that the caller gets.
    pub(crate) fn into_error(self, usage: Usage) -> MindError {
        let Self { kind, message, retry_after, .. } = self;
        match kind {
            AttemptErrorKind::MoneyOut => MindError::MoneyOut { message },
            AttemptErrorKind::RateLimited => MindError::RateLimited { message, retry_after },
            AttemptErrorKind::Overloaded => MindError::Overloaded { message },
            AttemptErrorKind::Unreachable | AttemptErrorKind::Broken | AttemptErrorKind::Cut => {
                MindError::Unavailable { message }
            }
            AttemptErrorKind::Refused => MindError::Refused { message, usage },
            AttemptErrorKind::ContextTooLong => MindError::ContextTooLong { message },
            AttemptErrorKind::NoTools | AttemptErrorKind::Rejected => {
                MindError::Rejected { message }
            }
            AttemptErrorKind::BadVoice { path } => {
                MindError::BadVoice { problem: VoiceError::new(path, message), usage }
            }
        }
    }
}

/// The error that a provider sent.
#[derive(Debug, Default)]
struct ProviderMessage {
    /// Its codes and types, in one text with spaces around each.
    codes: String,
    message: String,
}

impl ProviderMessage {
    fn of_body(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Self::of_json(&value),
            Err(_) if body.trim_start().starts_with('<') => Self {
                codes: String::new(),
                message: "the provider sent a web page in place of an answer".into(),
            },
            Err(_) => Self { codes: String::new(), message: body.trim().to_owned() },
        }
    }

    /// All known shapes: `{error: {message, type, code}}`, `{error: "…"}`, `{message, type, code}`, `{detail: "…"}`.
    fn of_json(value: &Value) -> Self {
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let mut codes = String::from(" ");
        for field in ["/type", "/code", "/status", "/error_code"] {
            let code = text(error, field);
            if !code.is_empty() {
                codes.push_str(code);
                codes.push(' ');
            }
        }
        let message = [
            error.as_str().unwrap_or_default(),
            text(error, "/message"),
            text(error, "/detail"),
            text(error, "/msg"),
        ];
        let message = message.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
        Self { codes, message: message.to_owned() }
    }

    fn shown(&self) -> String {
        let message: String = self.message.chars().take(MESSAGE_CHARS_MAX).collect();
        match (message.trim(), self.codes.trim()) {
            ("", "") => "the provider gave no reason".to_owned(),
            ("", codes) => codes.chars().take(MESSAGE_CHARS_MAX).collect(),
            (message, _) => message.to_owned(),
        }
    }

    fn has_code(&self, codes: &[&str]) -> bool {
        codes.iter().any(|code| self.codes.split(' ').any(|own| own.eq_ignore_ascii_case(code)))
    }

    fn has_word(&self, words: &[&str]) -> bool {
        let message = self.message.to_lowercase();
        words.iter().any(|word| message.contains(word))
    }
}

fn kind(status: Option<u16>, error: &ProviderMessage, has_wait: bool) -> AttemptErrorKind {
    if is_money_out(status, error, has_wait) {
        return AttemptErrorKind::MoneyOut;
    }
    if is_too_long(status, error) {
        return AttemptErrorKind::ContextTooLong;
    }
    if matches!(status, None | Some(400 | 403)) && error.has_code(&REFUSAL_CODES) {
        return AttemptErrorKind::Refused;
    }
    match status {
        Some(429) => AttemptErrorKind::RateLimited,
        Some(503 | 529) => AttemptErrorKind::Overloaded,
        Some(408 | 500..) => AttemptErrorKind::Broken,
        Some(400 | 404 | 422) if error.has_word(&TOOLLESS_WORDS) => AttemptErrorKind::NoTools,
        Some(_) => AttemptErrorKind::Rejected,
        None => kind_in_stream(error),
    }
}

fn kind_in_stream(error: &ProviderMessage) -> AttemptErrorKind {
    if error.has_code(&["overloaded_error", "overloaded", "server_overloaded"]) {
        AttemptErrorKind::Overloaded
    } else if error.has_code(&["rate_limit_error", "rate_limit_exceeded"]) {
        AttemptErrorKind::RateLimited
    } else if error.has_code(&[
        "invalid_request_error",
        "authentication_error",
        "permission_error",
        "not_found_error",
    ]) {
        AttemptErrorKind::Rejected
    } else {
        AttemptErrorKind::Cut
    }
}

fn is_money_out(status: Option<u16>, error: &ProviderMessage, has_wait: bool) -> bool {
    match status {
        Some(402) => true,
        None | Some(400 | 403 | 429) => {
            error.has_code(&MONEY_CODES)
                || error.has_word(&MONEY_WORDS)
                || (!has_wait && error.has_word(&MONEY_WORDS_WITHOUT_WAIT))
        }
        Some(_) => false,
    }
}

fn is_too_long(status: Option<u16>, error: &ProviderMessage) -> bool {
    match status {
        Some(413) => true,
        None | Some(400 | 422 | 500) => {
            error.has_code(&CONTEXT_CODES) || error.has_word(&CONTEXT_WORDS)
        }
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
            (400, r#"{"error":{"message":"bad"}}"#, Rejected),
            (401, r#"{"error":{"message":"Incorrect API key"}}"#, Rejected),
            (403, "", Rejected),
            (404, r#"{"error":"model 'x' not found"}"#, Rejected),
            (422, r#"{"detail":"nope"}"#, Rejected),
            (302, "", Rejected),
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
