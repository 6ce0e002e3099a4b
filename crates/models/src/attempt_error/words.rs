//! The words by which failures are told apart: one table for all providers.
//!
//! An overflow is told by what is said (something of the prompt is beyond a limit), not by a list of sentences alone: new
//! servers find new sentences.

use super::provider_message::ProviderMessage;

const MONEY_CODES: [&str; 19] = [
    "credit_balance_exhausted",
    "enforced_spend_limit_reached",
    "insufficient_quota",
    "insufficient_credits",
    "insufficient_credit",
    "insufficient_balance",
    "insufficient_funds",
    "insufficient_user_quota",
    "exceeded_current_quota_error",
    "billing_error",
    "billing_hard_limit_reached",
    "billing_not_active",
    "spend_limit_reached",
    "spending_limit_reached",
    "payment_required",
    "quota_exhausted",
    "arrearage",
    "account_overdue",
    "out_of_credits",
];
const MONEY_WORDS: [&str; 32] = [
    "credit balance",
    "spend limit",
    "spending limit",
    "insufficient credit",
    "insufficient balance",
    "insufficient account balance",
    "insufficient funds",
    "insufficient_quota",
    "insufficient quota",
    "out of credits",
    "out of credit",
    "out of funds",
    "no credits",
    "not enough credit",
    "requires more credits",
    "more credits are required",
    "can only afford",
    "add credits",
    "add more credits",
    "purchase credits",
    "purchase more credits",
    "buy credits",
    "ran out of credit",
    "run out of credit",
    "credits exhausted",
    "credit limit",
    "key limit exceeded",
    "billing hard limit",
    "payment required",
    "overdue",
    "top up",
    "余额不足",
];
/// Messages that some use for exhausted credit and others for a limit per minute; a wait that is asked for means the latter.
const MONEY_WORDS_WITHOUT_WAIT: [&str; 5] = [
    "usage limit",
    "exceeded your current quota",
    "monthly limit",
    "monthly quota",
    "check your plan and billing",
];

const CONTEXT_CODES: [&str; 10] = [
    "context_length_exceeded",
    "context_window_exceeded",
    "model_context_window_exceeded",
    "exceed_context_size_error",
    "request_too_large",
    "string_above_max_length",
    "input_too_long",
    "prompt_too_long",
    "max_context_length_exceeded",
    "tokens_limit_exceeded",
];
/// What is certainly about a full window.
const CONTEXT_WORDS: [&str; 36] = [
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input too long",
    "tokens exceed",
    "context length",
    "context window",
    "context size",
    "context limit",
    "context_length",
    "context_window",
    "max context",
    "maximum context",
    "max_model_len",
    "max_seq_len",
    "max_position_embeddings",
    "n_ctx",
    "num_ctx",
    "kv cache",
    "too many tokens",
    "too many input tokens",
    "maximum number of tokens",
    "maximum input length",
    "maximum prompt length",
    "maximum sequence length",
    "maximum token",
    "input length should be",
    "reduce the length",
    "reduce your prompt",
    "reduce the prompt",
    "reduce the number of messages",
    "shorten",
    "truncate your",
    "上下文长度",
    "超过最大",
    "超长",
];
/// What a request is made of.
const MATTER_WORDS: [&str; 13] = [
    "prompt",
    "input",
    "context",
    "token",
    "message",
    "conversation",
    "history",
    "sequence",
    "request",
    "payload",
    "content",
    "chat",
    "text",
];
/// That something is beyond a limit.
const BEYOND_WORDS: [&str; 15] = [
    "too long",
    "too large",
    "too big",
    "exceed",
    "longer than",
    "beyond",
    "over the limit",
    "above the limit",
    "overflow",
    "not fit",
    "n't fit",
    "cannot fit",
    "maximum length",
    "surpass",
    "oversize",
];
/// The same, where a length is spoken of.
const PERHAPS_BEYOND_WORDS: [&str; 7] =
    ["too many", "larger than", "bigger than", "greater than", "more than", "over ", "above "];
/// What has a length.
const LENGTH_WORDS: [&str; 5] = ["token", "length", "window", "character", "bytes"];
/// Limits of a rate: whatever else is said.
const RATE_WORDS: [&str; 8] = [
    "per minute",
    "per second",
    "per hour",
    "per day",
    "per-minute",
    "tokens/min",
    "rate limit",
    "rate-limit",
];
/// Limits of something else: the output, the tools, files.
const OTHER_LIMITS: [&str; 17] = [
    "quota",
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "completion tokens",
    "output tokens",
    "tools'",
    "number of tools",
    "functions'",
    "image",
    "temperature",
    "top_p",
    "concurren",
    "timeout",
    "timed out",
    "deadline",
    "time limit",
];

const REFUSAL_CODES: [&str; 5] = [
    "content_filter",
    "content_policy_violation",
    "responsibleaipolicyviolation",
    "data_inspection_failed",
    "invalid_prompt",
];
const TOOLLESS_WORDS: [&str; 7] = [
    "does not support tools",
    "doesn't support tools",
    "tools are not supported",
    "does not support tool",
    "does not support function",
    "tool use is not supported",
    "no endpoints found that support tool use",
];
/// A request at fault for a reason that no shorter prompt mends.
const CLEAR_CODES: [&str; 15] = [
    "invalid_api_key",
    "authentication_error",
    "permission_error",
    "permission_denied",
    "not_found_error",
    "model_not_found",
    "model_not_available",
    "unsupported_parameter",
    "unsupported_value",
    "unknown_parameter",
    "missing_required_parameter",
    "invalid_type",
    "unknown_model",
    "unauthenticated",
    "unsupported_country_region_territory",
];
const CLEAR_WORDS: [&str; 21] = [
    "api key",
    "api_key",
    "apikey",
    "unauthorized",
    "authentication",
    "model not found",
    "unknown model",
    "invalid model",
    "no such model",
    "not a valid model",
    "model does not exist",
    "does not exist",
    "unsupported parameter",
    "unknown parameter",
    "unrecognized",
    "unsupported value",
    "is not supported",
    "not allowed",
    "missing required",
    "extra inputs are not permitted",
    "field required",
];

/// Whether it is about money; `has_wait` where the provider asks to wait.
pub(super) fn is_money(error: &ProviderMessage, has_wait: bool) -> bool {
    error.has_code(&MONEY_CODES)
        || error.has_word(&MONEY_WORDS)
        || (!has_wait && error.has_word(&MONEY_WORDS_WITHOUT_WAIT))
}

/// Whether it says that the prompt does not fit, in known words or in others.
pub(super) fn is_overflow(error: &ProviderMessage) -> bool {
    let speaks = |message: String| {
        is_certain(&message)
            || (has(&message, &MATTER_WORDS)
                && (has(&message, &BEYOND_WORDS)
                    || (has(&message, &PERHAPS_BEYOND_WORDS) && has(&message, &LENGTH_WORDS)))
                && !has(&message, &RATE_WORDS)
                && !has(&message, &OTHER_LIMITS))
    };
    error.has_code(&CONTEXT_CODES) || error.messages().any(speaks)
}

/// The same, in known words alone: for statuses that mostly mean something else.
pub(super) fn is_certain_overflow(error: &ProviderMessage) -> bool {
    error.has_code(&CONTEXT_CODES) || error.messages().any(|message| is_certain(&message))
}

fn is_certain(message: &str) -> bool {
    has(message, &CONTEXT_WORDS) && !has(message, &RATE_WORDS)
}

fn has(message: &str, words: &[&str]) -> bool {
    words.iter().any(|word| message.contains(word))
}

/// Whether a limit of a rate is passed by one request alone.
pub(super) fn is_more_than_a_minute(error: &ProviderMessage) -> bool {
    error.has_word(&["request too large", "request is too large", "tokens must be reduced"])
}

pub(super) fn is_refusal(error: &ProviderMessage) -> bool {
    error.has_code(&REFUSAL_CODES)
}

pub(super) fn is_toolless(error: &ProviderMessage) -> bool {
    error.has_word(&TOOLLESS_WORDS)
}

/// Whether it is known what is wrong with the request, so that a shorter prompt cannot help.
pub(super) fn is_clear(error: &ProviderMessage) -> bool {
    error.has_code(&CLEAR_CODES) || error.has_word(&CLEAR_WORDS)
}
