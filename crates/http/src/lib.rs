//! The outbound HTTP layer of Abide: every HTTP request that Abide makes goes through a [`Client`].
//!
//! It bounds requests (three kinds of time-outs, body caps, redirects followed by hand, a pace for each host) and checks
//! where they go (address policy at connect time). It never retries, never reads the environment, never logs a header,
//! and is independent of models and tools: those decide what a response means.
//!
//! ```
//! # use std::{sync::Arc, time::Duration};
//! # use abide_domain::{Clock, Timestamp};
//! use abide_http::{AddressPolicy, Client, ClientSettings, Error, Request};
//!
//! # #[derive(Debug)]
//! # struct FixedClock;
//! # impl Clock for FixedClock {
//! #     fn now(&self) -> Timestamp { Timestamp::default() }
//! #     fn monotonic(&self) -> Duration { Duration::ZERO }
//! # }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let settings = ClientSettings::new(AddressPolicy::Public, Arc::new(FixedClock));
//! let client = Client::new(settings);
//! let response = client.send(Request::get("http://169.254.169.254/latest/meta-data")).await;
//! assert!(matches!(response, Err(Error::AddressRefused { .. })));
//! # }
//! ```
//!
//! Reading order: [`Request`], [`Client`], [`Response`], then [`Error`]; [`AddressPolicy`] says where a client may
//! connect; [`SseDecoder`] and [`NdjsonDecoder`] decode a streamed body; [`retry_after`] reads how long a refusal asks to wait.

mod request;

mod client;
mod response;

mod address;
mod pace;
mod resolver;
mod url;

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
