//! Embeddings from an endpoint with OpenAI's `/embeddings`, hosted or on this machine.
//!
//! Settings, key, retries and the classification of failures are those of a chat model. Texts are sent in batches under
//! two caps; blank ones are never sent, because providers refuse them.

use std::{sync::OnceLock, time::Duration};

use abide_http::{Client, Request};
use bytes::Bytes;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep};

use super::{
    error::EmbedError,
    vector::{EmbeddingModel, to_unit},
};
use crate::{
    AttemptError, AttemptErrorKind, Model, ModelSettings, RetryCount,
    json::{list, number},
    model::error_before_answer,
    retry::jitter_permille,
};

/// Texts in one request.
pub const BATCH_TEXTS_MAX: usize = 96;
/// Characters of all texts in one request.
pub const BATCH_CHARS_MAX: usize = 200_000;
/// Characters of one text that are sent. Providers refuse more than some 8,000 tokens.
pub const TEXT_CHARS_MAX: usize = 20_000;
/// Time of one batch, retries included.
const BATCH_TIMEOUT: Duration = Duration::from_mins(1);
/// Most numbers in a vector.
const DIMENSIONS_MAX: usize = 16_384;

/// An endpoint, with what is known of its model.
#[derive(Debug)]
pub(super) struct Endpoint {
    provider: Model,
    unmeasured: EmbeddingModel,
    /// Set by the first answer.
    measured: OnceLock<EmbeddingModel>,
}

impl Endpoint {
    /// An endpoint. Opens nothing.
    pub(super) fn new(settings: ModelSettings, http: Client) -> Self {
        let name = format!("openai/{}", settings.name);
        let address = format!("{}\n{}", settings.base(), settings.name);
        let digest = hex::encode(Sha256::digest(address));
        let beginning = digest.get(..16).unwrap_or(&digest);
        let id = format!("{name}-{beginning}");
        let unmeasured = EmbeddingModel { name, id, dimensions: 0 };
        Self { provider: Model::new(settings, http), unmeasured, measured: OnceLock::new() }
    }

    /// Which model it is; its dimensions are 0 until it has answered once.
    pub(super) fn model(&self) -> &EmbeddingModel {
        self.measured.get().unwrap_or(&self.unmeasured)
    }

    /// One vector a text.
    pub(super) async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let cut = |&text: &&str| -> String { text.chars().take(TEXT_CHARS_MAX).collect() };
        let is_not_blank = |text: &&&str| !text.trim().is_empty();
        let sent: Vec<String> = texts.iter().filter(is_not_blank).map(cut).collect();
        let mut vectors = Vec::with_capacity(sent.len());
        for batch in batches(&sent) {
            vectors.extend(self.request_batch(batch).await?);
        }
        let mut vectors = vectors.into_iter();
        let zeros = || vec![0.0; self.model().dimensions];
        let in_order = texts.iter().map(|text| {
            let vector = if is_not_blank(&text) { vectors.next() } else { None };
            vector.unwrap_or_else(zeros)
        });
        Ok(in_order.collect())
    }

    /// Requests the vectors of one batch, with retries where that is safe.
    async fn request_batch(&self, batch: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let settings = self.provider.settings();
        let body = json!({"model": settings.name, "input": batch, "encoding_format": "float"});
        let body = Bytes::from(body.to_string());
        let deadline = Instant::now() + BATCH_TIMEOUT;
        let mut retries = RetryCount::default();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let failure = match self.attempt(body.clone(), left).await {
                Ok(answer) => return self.read(&answer, batch.len()),
                Err(failure) => failure,
            };
            let first = batch.first().map_or("", String::as_str);
            let jitter = jitter_permille(&[first.as_bytes(), &retries.total().to_be_bytes()]);
            let left = deadline.saturating_duration_since(Instant::now());
            let Some(wait) = settings.retry.next_wait(&failure, &mut retries, jitter, left) else {
                return Err(self.embed_error(self.provider.without_secret(failure)));
            };
            tracing::debug!(model = %self.unmeasured.name, event = "embedding_retry_scheduled", kind = ?failure.kind, "retrying embedding request");
            sleep(wait).await;
        }
    }

    async fn attempt(&self, body: Bytes, left: Duration) -> Result<Bytes, AttemptError> {
        let url = format!("{}/embeddings", self.provider.settings().base());
        let request = self.provider.request(Request::post_json(url, body), left);
        let response =
            self.provider.http.send(request).await.map_err(|error| error_before_answer(&error))?;
        if !response.status().is_success() {
            return Err(self.provider.error_of_response(response).await);
        }
        response.bytes().await.map_err(|error| error_before_answer(&error))
    }

    /// Reads `{data: [{index, embedding: [..]}]}`: as many vectors as were asked for, all of one length.
    fn read(&self, answer: &[u8], count: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let unusable =
            |problem: String| EmbedError::Unusable { model: self.unmeasured.name.clone(), problem };
        let answer: Value = serde_json::from_slice(answer)
            .map_err(|error| unusable(format!("the answer is not valid JSON: {error}")))?;
        let data = list(&answer, "/data");
        if data.len() != count {
            return Err(unusable(format!("{} vectors for {count} texts", data.len())));
        }
        let mut vectors = vec![Vec::new(); count];
        for (position, entry) in data.iter().enumerate() {
            let has_index = entry.get("index").is_some();
            let index = usize::try_from(number(entry, "/index")).unwrap_or(usize::MAX);
            let slot = vectors.get_mut(if has_index { index } else { position });
            let slot = slot.filter(|slot| slot.is_empty());
            let slot = slot.ok_or_else(|| {
                unusable(format!("vector {position} has no valid index of its own"))
            })?;
            *slot = vector(entry).map_err(unusable)?;
            self.measure(slot.len()).map_err(unusable)?;
        }
        Ok(vectors)
    }

    /// Takes the length of vectors from the first one, and checks the others against it.
    fn measure(&self, dimensions: usize) -> Result<(), String> {
        let learn = || EmbeddingModel { dimensions, ..self.unmeasured.clone() };
        let known = self.measured.get_or_init(learn).dimensions;
        if known == dimensions {
            return Ok(());
        }
        Err(format!("a vector has {dimensions} numbers, earlier ones have {known}"))
    }

    fn embed_error(&self, failure: AttemptError) -> EmbedError {
        let AttemptError { kind, message, retry_after, .. } = failure;
        let model = self.unmeasured.name.clone();
        match kind {
            AttemptErrorKind::RateLimited
            | AttemptErrorKind::Overloaded
            | AttemptErrorKind::Unreachable
            | AttemptErrorKind::Broken
            | AttemptErrorKind::Cut => EmbedError::Unavailable { model, message, retry_after },
            _ => EmbedError::Rejected { model, message },
        }
    }
}

/// A vector of length one.
fn vector(entry: &Value) -> Result<Vec<f32>, String> {
    #[expect(clippy::cast_possible_truncation, reason = "vectors are kept in 32 bits")]
    let single = |number: &Value| number.as_f64().map(|number| number as f32);
    let numbers = list(entry, "/embedding");
    if numbers.is_empty() || numbers.len() > DIMENSIONS_MAX {
        return Err(format!("a vector has {} numbers", numbers.len()));
    }
    let vector: Option<Vec<f32>> = numbers.iter().map(single).collect();
    let vector = vector.filter(|vector| vector.iter().all(|x| x.is_finite()));
    let mut vector = vector.ok_or("a vector contains something that is not a finite number")?;
    to_unit(&mut vector);
    Ok(vector)
}

/// The texts in order, in batches that keep both caps.
fn batches(texts: &[String]) -> impl Iterator<Item = &[String]> {
    let mut rest = texts;
    std::iter::from_fn(move || {
        let mut chars = 0;
        let fits = |text: &&String| {
            chars += text.chars().count();
            chars <= BATCH_CHARS_MAX
        };
        let count = rest.iter().take(BATCH_TEXTS_MAX).take_while(fits).count();
        let (batch, after) = rest.split_at_checked(count.max(1))?;
        rest = after;
        Some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::{BATCH_TEXTS_MAX, batches};

    #[test]
    fn batches_keep_both_caps_and_the_order() {
        let sizes = |texts: &[String]| batches(texts).map(<[String]>::len).collect::<Vec<_>>();
        assert_eq!(sizes(&[]), [0_usize; 0]);
        assert_eq!(sizes(&vec!["a".to_owned(); 2 * BATCH_TEXTS_MAX + 1]), [96, 96, 1]);
        let long = "é".repeat(90_000);
        assert_eq!(sizes(&vec![long; 5]), [2, 2, 1]);
        assert_eq!(sizes(&["x".repeat(300_000), "y".into()]), [1, 1]);
    }
}
