//! Failures in each dialect's documented shape.

use serde_json::{Value, json};

use super::{FakeDialect, reply::FailureKind};

/// Status and body of a failure. `message` replaces the usual words.
pub(super) fn body(
    dialect: FakeDialect,
    kind: FailureKind,
    message: Option<&str>,
) -> (u16, String) {
    let (status, body) = match dialect {
        FakeDialect::OpenAiChat | FakeDialect::OpenAiResponses => openai(kind, message),
        FakeDialect::Anthropic => anthropic(kind, message),
        FakeDialect::Ollama => ollama(kind, message),
    };
    (status, body.to_string())
}

/// The header that carries a request's id.
pub(super) const fn request_id_header(dialect: FakeDialect) -> &'static str {
    match dialect {
        FakeDialect::Anthropic => "request-id",
        _ => "x-request-id",
    }
}

fn openai(kind: FailureKind, message: Option<&str>) -> (u16, Value) {
    let (status, class, code, words) = match kind {
        FailureKind::MoneyOut(status) => (
            status,
            "insufficient_quota",
            json!(if status == 402 { "credit_balance_exhausted" } else { "insufficient_quota" }),
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        FailureKind::ContextTooLong => (
            400,
            "invalid_request_error",
            json!("context_length_exceeded"),
            "This model's maximum context length is 8192 tokens. Please reduce the length of the messages.",
        ),
        FailureKind::Overloaded => {
            (503, "server_error", Value::Null, "The server is overloaded. Please try again later.")
        }
        FailureKind::Status(status) => {
            let (class, code, words) = openai_status(status);
            (status, class, code, words)
        }
    };
    let words = message.unwrap_or(words);
    (status, json!({"error": {"message": words, "type": class, "param": null, "code": code}}))
}

fn openai_status(status: u16) -> (&'static str, Value, &'static str) {
    let invalid = "invalid_request_error";
    match status {
        401 => (invalid, json!("invalid_api_key"), "Incorrect API key provided."),
        403 => (invalid, json!("unsupported_country_region_territory"), "Access is denied."),
        404 => (invalid, json!("model_not_found"), "The model does not exist."),
        413 => (invalid, Value::Null, "The request is too large."),
        429 => ("requests", json!("rate_limit_exceeded"), "Rate limit reached for requests."),
        500.. => ("server_error", Value::Null, "The server had an error."),
        _ => (invalid, Value::Null, "The request is invalid."),
    }
}

fn anthropic(kind: FailureKind, message: Option<&str>) -> (u16, Value) {
    let (status, class, words) = match kind {
        // The balance is reported with 400 and an ordinary class: only the words tell.
        FailureKind::MoneyOut(400) => (
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
        ),
        FailureKind::MoneyOut(402) => {
            (402, "billing_error", "There is an issue with your billing.")
        }
        FailureKind::MoneyOut(status) => (
            status,
            "rate_limit_error",
            "You have reached your specified API usage limits (enforced_spend_limit_reached).",
        ),
        FailureKind::ContextTooLong => {
            (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
        }
        FailureKind::Overloaded => (529, "overloaded_error", "Overloaded"),
        FailureKind::Status(status) => {
            let (class, words) = anthropic_status(status);
            (status, class, words)
        }
    };
    let words = message.unwrap_or(words);
    let body = json!({
        "type": "error",
        "error": {"type": class, "message": words},
        "request_id": "req_fake",
    });
    (status, body)
}

const fn anthropic_status(status: u16) -> (&'static str, &'static str) {
    match status {
        401 => ("authentication_error", "invalid x-api-key"),
        402 => ("billing_error", "There is an issue with your billing."),
        403 => ("permission_error", "Access is denied."),
        404 => ("not_found_error", "model: unknown"),
        413 => ("request_too_large", "Request exceeds the maximum size"),
        429 => ("rate_limit_error", "This request would exceed your rate limit."),
        504 => ("timeout_error", "The request timed out."),
        529 => ("overloaded_error", "Overloaded"),
        500.. => ("api_error", "Internal server error"),
        _ => ("invalid_request_error", "The request is invalid."),
    }
}

fn ollama(kind: FailureKind, message: Option<&str>) -> (u16, Value) {
    let (status, words) = match kind {
        FailureKind::MoneyOut(status) => {
            (status, "you've reached your usage limit, please upgrade to continue")
        }
        FailureKind::ContextTooLong => {
            (400, "input length exceeds the context length of the model")
        }
        FailureKind::Overloaded => {
            (503, "server busy, please try again. maximum pending requests exceeded")
        }
        FailureKind::Status(status) => (status, ollama_status(status)),
    };
    (status, json!({"error": message.unwrap_or(words)}))
}

const fn ollama_status(status: u16) -> &'static str {
    match status {
        401 => "unauthorized",
        404 => "model \"unknown\" not found, try pulling it first",
        429 => "too many requests",
        500.. => "an internal error was encountered",
        _ => "invalid request",
    }
}
