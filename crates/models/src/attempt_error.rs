//! What a provider's failure means, whichever provider it is.
//!
//! One table: status, code and words in, kind out. Providers put an empty purse under 400, 402, 403 and 429 and a full
//! window under 400, 413 and 500, so that words count as well as numbers.

use std::time::Duration;

use abide_domain::{
    turn::{MindError, Usage},
    voice::VoiceError,
};
use serde_json::Value;

use crate::json::text;

/// Longest words of a provider that are passed on, in characters.
const WORDS_CHARS_MAX: usize = 500;

/// A failed try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptError {
    /// What it means.
    pub kind: AttemptErrorKind,
    /// The provider's words, or ours where it said none.
    pub message: String,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
    /// Whether an answer had begun: then nothing is tried again, whatever the kind, for people may have seen it.
    pub has_begun: bool,
}

/// What a failed try means for the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptErrorKind {
    /// The account has no money or has reached its spending limit: never again by itself.
    MoneyOut,
    /// Too many requests: again, after the wait that was asked for.
    RateLimited,
    /// The provider is overloaded: again, after a while.
    Overloaded,
    /// The provider or the connection failed before the first byte of an answer: again, twice at most.
    Broken,
    /// The answer broke off, or cannot be read: never again by itself, for people have seen its beginning.
    Cut,
    /// The model or its filter declined.
    Refused,
    /// The prompt does not fit.
    ContextTooLong,
    /// The model has no native tools.
    NoTools,
    /// The answer is no voice; the path says where.
    BadVoice {
        /// Path in the voice.
        path: String,
    },
    /// The request is at fault.
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
/// Words that some use for an empty purse and others for a limit a minute; a wait that is asked for tells the latter.
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
    /// A fault without a wait, before an answer began.
    pub fn new(kind: AttemptErrorKind, message: String) -> Self {
        Self { kind, message, retry_after: None, has_begun: false }
    }

    /// An answer that does not fit the voice.
    pub(crate) fn bad_voice(problem: VoiceError) -> Self {
        Self::new(AttemptErrorKind::BadVoice { path: problem.path }, problem.message)
    }

    /// Reads an answer with an error status.
    pub fn of_status(status: u16, body: &str, retry_after: Option<Duration>) -> Self {
        let words = Words::of_body(body);
        let kind = kind(Some(status), &words, retry_after.is_some());
        let message = format!("{} (HTTP {status})", words.shown());
        Self { kind, message, retry_after, has_begun: false }
    }

    /// Reads an error that came where an answer should be.
    pub(crate) fn in_stream(frame: &Value) -> Self {
        let words = Words::of_json(frame);
        Self { has_begun: true, ..Self::new(kind(None, &words, false), words.shown()) }
    }

    /// Ends the asking with this fault.
    pub(crate) fn into_error(self, usage: Usage) -> MindError {
        let Self { kind, message, retry_after, .. } = self;
        match kind {
            AttemptErrorKind::MoneyOut => MindError::MoneyOut { message },
            AttemptErrorKind::RateLimited => MindError::RateLimited { message, retry_after },
            AttemptErrorKind::Overloaded => MindError::Overloaded { message },
            AttemptErrorKind::Broken | AttemptErrorKind::Cut => MindError::Unavailable { message },
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

/// What a provider said.
#[derive(Debug, Default)]
struct Words {
    /// Its codes and types, in one text with spaces around each.
    codes: String,
    message: String,
}

impl Words {
    fn of_body(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Self::of_json(&value),
            Err(_) if body.trim_start().starts_with('<') => {
                Self { codes: String::new(), message: "the answer is a web page".into() }
            }
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
        let message: String = self.message.chars().take(WORDS_CHARS_MAX).collect();
        match (message.trim(), self.codes.trim()) {
            ("", "") => "the provider gave no reason".to_owned(),
            ("", codes) => codes.chars().take(WORDS_CHARS_MAX).collect(),
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

fn kind(status: Option<u16>, words: &Words, has_wait: bool) -> AttemptErrorKind {
    if is_money_out(status, words, has_wait) {
        return AttemptErrorKind::MoneyOut;
    }
    if is_too_long(status, words) {
        return AttemptErrorKind::ContextTooLong;
    }
    if matches!(status, None | Some(400 | 403)) && words.has_code(&REFUSAL_CODES) {
        return AttemptErrorKind::Refused;
    }
    match status {
        Some(429) => AttemptErrorKind::RateLimited,
        Some(503 | 529) => AttemptErrorKind::Overloaded,
        Some(408 | 500..) => AttemptErrorKind::Broken,
        Some(400 | 404 | 422) if words.has_word(&TOOLLESS_WORDS) => AttemptErrorKind::NoTools,
        Some(_) => AttemptErrorKind::Rejected,
        None => kind_in_stream(words),
    }
}

fn kind_in_stream(words: &Words) -> AttemptErrorKind {
    if words.has_code(&["overloaded_error", "overloaded", "server_overloaded"]) {
        AttemptErrorKind::Overloaded
    } else if words.has_code(&["rate_limit_error", "rate_limit_exceeded"]) {
        AttemptErrorKind::RateLimited
    } else if words.has_code(&[
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

fn is_money_out(status: Option<u16>, words: &Words, has_wait: bool) -> bool {
    match status {
        Some(402) => true,
        None | Some(400 | 403 | 429) => {
            words.has_code(&MONEY_CODES)
                || words.has_word(&MONEY_WORDS)
                || (!has_wait && words.has_word(&MONEY_WORDS_WITHOUT_WAIT))
        }
        Some(_) => false,
    }
}

fn is_too_long(status: Option<u16>, words: &Words) -> bool {
    match status {
        Some(413) => true,
        None | Some(400 | 422 | 500) => {
            words.has_code(&CONTEXT_CODES) || words.has_word(&CONTEXT_WORDS)
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
    fn a_wait_tells_a_limit_a_minute_from_an_empty_purse() {
        let body =
            r#"{"error":{"message":"You exceeded your current quota, please check your plan"}}"#;
        let wait = Some(Duration::from_secs(7));
        assert_eq!(AttemptError::of_status(429, body, wait).kind, AttemptErrorKind::RateLimited);
        assert_eq!(AttemptError::of_status(429, body, None).kind, AttemptErrorKind::MoneyOut);
    }

    #[test]
    fn the_words_of_a_provider_are_passed_on_in_bounds() {
        let cases = [
            (r#"{"error":{"message":"bad key"}}"#.to_owned(), "bad key (HTTP 401)"),
            (r#"{"detail":"nope"}"#.into(), "nope (HTTP 401)"),
            (
                r#"{"error":{"type":"authentication_error"}}"#.into(),
                "authentication_error (HTTP 401)",
            ),
            ("<!doctype html><body>".into(), "the answer is a web page (HTTP 401)"),
            (String::new(), "the provider gave no reason (HTTP 401)"),
        ];
        for (body, expected) in cases {
            assert_eq!(AttemptError::of_status(401, &body, None).message, expected);
        }
        let long = "é".repeat(10_000);
        assert_eq!(AttemptError::of_status(401, &long, None).message.chars().count(), 511);
    }
}
