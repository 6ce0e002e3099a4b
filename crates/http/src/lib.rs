//! The one outbound HTTP layer of Abide: whatever leaves this house over HTTP leaves through a [`Client`].
//!
//! It bounds what it does (time-outs of three kinds, body caps, redirects followed by hand, pacing a host) and checks
//! where it goes (address policy at connect time). It never retries, never reads the environment, never logs a header,
//! and knows nothing of models or tools: those decide what an answer means.
//!
//! Reading order: [`Request`], [`Client`], [`Response`], then [`Error`]; [`AddressPolicy`] says where a client may
//! connect; [`SseDecoder`] and [`NdjsonDecoder`] take a streamed body apart; [`retry_after`] reads a refusal.

mod request;

mod client;
mod response;

mod address;
mod pace;
mod resolver;

mod lines;
mod ndjson;
mod sse;

mod retry_after;

mod error;

pub use abide_domain::Secret;
pub use address::{AddressPolicy, is_public};
pub use client::{Client, ClientSettings};
pub use error::{Error, ErrorKind, Phase, UNREACHABLE};
pub use ndjson::NdjsonDecoder;
pub use pace::RequestPace;
pub use request::{Request, RequestLimits};
pub use resolver::{NameLookup, SystemLookup};
pub use response::Response;
pub use retry_after::retry_after;
pub use sse::{SseDecoder, SseEvent};
