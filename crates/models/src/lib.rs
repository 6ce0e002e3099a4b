//! Language models, for minds that have no process of their own.
//!
//! A [`Model`] turns a `TurnRequest` into a provider's request, reads the streamed answer, and returns a voice with its
//! cost. It decides nothing about turns, tools or epochs; it never runs a tool, never checks arguments against a tool's
//! schema, and keeps no state between calls except what its server turned out to take and how its model writes.
//!
//! The wire formats need no connection:
//!
//! ```
//! use abide_models::{Decoder, Dialect, RequestForm};
//!
//! let mut decoder = Decoder::new(Dialect::OpenAiChat, RequestForm::Native);
//! let mut deltas = Vec::new();
//! let frame = r#"{"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]}"#;
//! decoder.push(format!("data: {frame}\n\n").as_bytes(), &mut deltas)?;
//! assert_eq!(deltas[0].text, "Hello");
//! let voice = decoder.finish(&mut deltas)?;
//! assert_eq!(voice.final_response.as_deref(), Some("Hello"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: [`ModelSettings`]; `prompt` (the same for all providers); `dialect` and the files below it (each
//! provider's wire format: [`encode`] and [`Decoder`] are pure); `reply` (assembled from a stream); [`AttemptError`] and
//! [`RetryPolicy`] (what failures mean and when to retry); `model` (the driver); [`PriceTable`]; then [`reflex()`], the
//! mind that needs no model, and [`detect()`]; a [`Reasoner`] is a model or the reflex. [`Embeddings`] turn texts into
//! vectors: weights on this machine, or an endpoint.

mod profile;
mod request_features;
mod request_form;
mod settings;

mod prompt;
mod tool_name;

mod dialect;
mod json;

mod decoder;
mod provider_state;
mod reply;
mod stop;
mod think;
mod voice_stream;
mod written_call;

mod attempt_error;
mod retry;

mod check;
mod model;
mod probe;

mod price;
mod tokens;

mod detect;
mod reflex;

mod reasoner;

mod embed;

pub use attempt_error::{AttemptError, AttemptErrorKind};
pub use check::ModelCheck;
pub use decoder::Decoder;
pub use detect::{KnownKey, LocalServer, ModelChoice, detect, known_keys, known_servers};
pub use dialect::{Dialect, encode};
pub use embed::{
    BATCH_CHARS_MAX, BATCH_TEXTS_MAX, EmbedError, EmbeddingModel, Embeddings, LocalEmbedder,
    SUMS_FILE, TENSORS_FILE, TEXT_CHARS_MAX, TOKENIZER_FILE, WeightsError, sha256_of, sums_line,
};
pub use model::Model;
pub use price::{PriceError, PriceFileError, PriceTable};
pub use probe::{ModelProbe, ProbedCalls};
pub use profile::{ProviderProfile, profile_at, profile_named, profiles};
pub use reasoner::Reasoner;
pub use reflex::reflex;
pub use reply::ReplyDelta;
pub use retry::{RetryCount, RetryPolicy};
pub use settings::{ModelLimits, ModelSettings, RequestForm, VoiceForm};
pub use tokens::{TokenCount, estimate_tokens};
