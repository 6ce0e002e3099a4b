//! Vectors by OpenAI's `/embeddings`: of each text its words, hashed into a few dimensions. Texts with the same words
//! get the same vector, texts without a common word lie across from each other; nothing is scripted.

use serde_json::{Value, json};

use super::{
    FakeDialect, errors,
    reply::FailureKind,
    shared::Shared,
    socket::{RawRequest, Response},
};

/// Where it is posted to.
pub(super) const PATH: &str = "/v1/embeddings";
/// Numbers in a vector.
pub(super) const DIMENSIONS: usize = 64;
/// Texts that a real provider takes at once.
const TEXTS_MAX: usize = 2048;

/// Answers a request. What a real provider would refuse is a violation and a 400.
pub(super) fn answer(shared: &Shared, request: &RawRequest) -> Response {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    match read(&body) {
        Ok(texts) => {
            let entry = |(index, text)| json!({"object": "embedding", "index": index, "embedding": vector(text)});
            let data: Vec<Value> = texts.into_iter().enumerate().map(entry).collect();
            let usage = json!({"prompt_tokens": 1, "total_tokens": 1});
            let answer =
                json!({"object": "list", "data": data, "model": body.get("model"), "usage": usage});
            Response::json(200, answer.to_string())
        }
        Err(problem) => {
            shared.violate(shared.count(), [format!("embeddings: {problem}")]);
            let (status, body) =
                errors::body(FakeDialect::OpenAiChat, FailureKind::Status(400), Some(problem));
            Response::json(status, body)
        }
    }
}

/// The texts of a request.
fn read(body: &Value) -> Result<Vec<&str>, &'static str> {
    if body.get("model").and_then(Value::as_str).is_none_or(str::is_empty) {
        return Err("model is missing");
    }
    let input = body.get("input").ok_or("input is missing")?;
    let texts: Option<Vec<&str>> = match input {
        Value::String(text) => Some(vec![text]),
        Value::Array(texts) => texts.iter().map(Value::as_str).collect(),
        _ => None,
    };
    let texts = texts.ok_or("input is neither a text nor a list of texts")?;
    if texts.is_empty() || texts.len() > TEXTS_MAX {
        return Err("input has no text or too many");
    }
    if texts.iter().any(|text| text.is_empty()) {
        return Err("input holds an empty text");
    }
    Ok(texts)
}

/// The words of a text, hashed.
fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let hash = word.to_lowercase().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let place = usize::try_from((hash >> 32) % DIMENSIONS as u64).unwrap_or(0);
        if let Some(number) = vector.get_mut(place) {
            *number += 1.0;
        }
    }
    vector
}
