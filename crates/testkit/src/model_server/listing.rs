//! Model lists and health, in each provider's form; and the fake's own state for shell checks.

use serde_json::{Value, json};

use super::{FakeDialect, shared::Shared};

/// The answer to a GET; none where a provider of this dialect has nothing at that path.
pub(super) fn get(shared: &Shared, dialect: FakeDialect, path: &str) -> Option<Value> {
    let models = &shared.settings.models;
    match (path, dialect) {
        ("/health", _) => Some(json!({"status": "ok"})),
        ("/api/version", _) => Some(json!({"version": "0.0.0-fake"})),
        ("/api/tags", _) => Some(json!({"models": models.iter().map(ollama).collect::<Vec<_>>()})),
        ("/v1/models", FakeDialect::Anthropic) => Some(json!({
            "data": models.iter().map(anthropic).collect::<Vec<_>>(),
            "has_more": false,
            "first_id": models.first(),
            "last_id": models.last(),
        })),
        ("/v1/models", _) => {
            Some(json!({"object": "list", "data": models.iter().map(openai).collect::<Vec<_>>()}))
        }
        ("/_fake/violations", _) => Some(json!(shared.violations())),
        ("/_fake/requests", _) => {
            Some(shared.requests().iter().map(|request| request.body.clone()).collect())
        }
        _ => None,
    }
}

fn ollama(name: &String) -> Value {
    json!({"name": name, "model": name, "modified_at": "2026-01-01T00:00:00Z", "size": 1,
           "digest": "00", "details": {"format": "gguf", "family": "fake"}})
}

fn anthropic(name: &String) -> Value {
    json!({"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z"})
}

fn openai(name: &String) -> Value {
    json!({"id": name, "object": "model", "created": 0, "owned_by": "fake"})
}
