//! Reads a request of any dialect into one shape, noting what is out of place on the way.
//!
//! Rules that need the whole conversation (pairing, alternation) are in `check`; here is what one item shows by itself.

mod anthropic;
mod chat;
mod draft;
mod ollama;
mod responses;

use serde_json::Value;

use self::draft::{RequestDraft, text};
use super::{FakeDialect, SeenRequest, socket::RawRequest};

/// Headers that are not kept, for they carry keys.
const SECRET_HEADERS: [&str; 4] = ["authorization", "x-api-key", "api-key", "cookie"];

/// Understands a request; the texts say what is wrong with it.
pub(super) fn parse(dialect: FakeDialect, raw: RawRequest) -> (SeenRequest, Vec<String>) {
    let mut draft = RequestDraft::default();
    let body: Value = serde_json::from_slice(&raw.body).unwrap_or_default();
    if !body.is_object() {
        draft.problem("body", "is no JSON object");
    }
    let json_type =
        raw.header("content-type").is_some_and(|kind| kind.starts_with("application/json"));
    if !json_type {
        draft.problem("content-type", "must be application/json");
    }
    match dialect {
        FakeDialect::OpenAiChat => chat::read(&body, &mut draft),
        FakeDialect::OpenAiResponses => responses::read(&body, &mut draft),
        FakeDialect::Anthropic => anthropic::read(&body, &raw, &mut draft),
        FakeDialect::Ollama => ollama::read(&body, &mut draft),
    }
    // Ollama alone streams unless told not to.
    let stream =
        body.get("stream").and_then(Value::as_bool).unwrap_or(dialect == FakeDialect::Ollama);
    let headers =
        raw.headers.into_iter().filter(|(name, _)| !SECRET_HEADERS.contains(&name.as_str()));
    let seen = SeenRequest {
        number: 0,
        dialect,
        model: text(&body, "model").to_owned(),
        system: draft.system.join("\n\n"),
        messages: draft.messages,
        tools: draft.tools,
        format: draft.format,
        tokens_max: draft.tokens_max,
        stream,
        headers: headers.collect(),
        auth_ok: true,
        bytes: raw.body.len(),
        body,
    };
    (seen, draft.problems)
}
