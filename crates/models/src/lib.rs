//! Language models: what a mind without a process of its own is made of.
//!
//! A [`Model`] turns a `TurnRequest` into a provider's request, reads the streamed answer, and gives back a voice with
//! what it cost. It decides nothing about turns, tools or epochs; it never runs a tool, never checks arguments against
//! a tool's schema, and holds no state between calls but which form of voice its provider can speak.
//!
//! Reading order: [`ModelSettings`]; `prompt` (what a mind is told, for all providers alike); `dialect` and the four
//! files below it (each provider's way to write and to say it: [`encode`] and [`Decoder`] are pure); `reply` (what
//! comes together from a stream); `fault` and [`RetryPolicy`] (what failures mean and when to try again); `model` (the
//! one driver); [`PriceTable`]. Beside them stands [`reflex()`], the mind that needs no model, and [`detect()`]; a
//! [`Reasoner`] is either of the two. [`Embeddings`] turn texts into vectors: weights on this machine, or an endpoint.

mod settings;

mod prompt;
mod tool_name;

mod dialect;
mod json;

mod decoder;
mod reply;
mod think;
mod voice_stream;

mod fault;
mod retry;

mod check;
mod model;

mod price;
mod tokens;

mod detect;
mod reflex;

mod reasoner;

mod embed;

pub use check::ModelCheck;
pub use decoder::Decoder;
pub use detect::{Detected, KNOWN_KEYS, KnownKey, LOCAL_SERVERS, LocalServer, detect};
pub use dialect::{Dialect, encode};
pub use embed::{
    BATCH_CHARS_MAX, BATCH_TEXTS_MAX, EmbedError, EmbeddingModel, Embeddings, LocalEmbedder,
    SUMS_FILE, TENSORS_FILE, TEXT_CHARS_MAX, TOKENIZER_FILE, WeightsError, sha256_of, sums_line,
};
pub use fault::{AttemptError, AttemptErrorKind};
pub use model::Model;
pub use price::{PriceError, PriceFileError, PriceTable};
pub use reasoner::Reasoner;
pub use reflex::reflex;
pub use reply::{ReplyDelta, TokenCount};
pub use retry::{RetryPolicy, Spent};
pub use settings::{Form, ModelLimits, ModelSettings, VoiceForm};
pub use tokens::estimate_tokens;
