//! Query and body of a request, bounded in size and time.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use abide_domain::{
    is_blank,
    limits::REASON_CHARS_MAX,
    strict_json::{JsonError, parse_json, read_shape},
};
use axum::extract::{FromRequest, FromRequestParts, MatchedPath, Request};
use bytes::Bytes;
use http::request::Parts;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::error::ApiError;

/// Longest body. A full envelope with both texts at their limits and every character escaped stays below it.
pub(crate) const BODY_BYTES_MAX: usize = 1024 * 1024;
/// Longest time that a body may take to arrive.
const BODY_TIME_MAX: Duration = Duration::from_secs(30);
/// Between two lines of the log about bodies that are too long: whoever sends them must not fill it.
const TOO_LONG_LOG_EVERY: Duration = Duration::from_mins(1);
/// Items of a list where the caller does not say.
const LIMIT_DEFAULT: usize = 50;
/// Items of a list at most.
const LIMIT_MAX: usize = 500;

/// A query string.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params(BTreeMap<String, String>);

impl Params {
    /// Parameters that a test gives.
    #[cfg(test)]
    pub(crate) fn of(pairs: BTreeMap<String, String>) -> Self {
        Self(pairs)
    }

    /// A parameter that is there and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// All parameters, by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether a parameter is `1` or `true`.
    pub(crate) fn is_set(&self, name: &str) -> Result<bool, ApiError> {
        match self.get(name) {
            None | Some("0" | "false") => Ok(false),
            Some("1" | "true") => Ok(true),
            Some(_) => Err(ApiError::malformed(format!("{name} must be 1 or 0, true or false"))),
        }
    }

    /// A parameter as a number.
    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>, ApiError> {
        let parse = |text: &str| {
            text.parse().map_err(|_| ApiError::malformed(format!("{name} must be a whole number")))
        };
        self.get(name).map(parse).transpose()
    }

    /// How many items of a list are wanted.
    pub(crate) fn limit(&self) -> Result<usize, ApiError> {
        match self.number("limit")? {
            None => Ok(LIMIT_DEFAULT),
            Some(limit @ 1..=500) => Ok(usize::try_from(limit).unwrap_or(LIMIT_MAX)),
            Some(_) => Err(ApiError::malformed(format!("limit must be 1 to {LIMIT_MAX}"))),
        }
    }

    /// Where a list goes on, as the page before said.
    pub(crate) fn cursor(&self) -> Result<Option<u64>, ApiError> {
        self.number("cursor")
            .map_err(|_| ApiError::malformed("cursor must be the `next` of the previous page"))
    }
}

impl<S: Sync> FromRequestParts<S> for Params {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        axum::extract::Query::try_from_uri(&parts.uri)
            .map(|axum::extract::Query(map)| Self(map))
            .map_err(|_| ApiError::malformed("the query string cannot be read"))
    }
}

/// A reason within its bounds.
pub(crate) fn bounded_reason(reason: Option<String>) -> Result<Option<String>, ApiError> {
    let chars = reason.as_ref().map_or(0, |reason| reason.chars().count());
    if chars > REASON_CHARS_MAX {
        return Err(ApiError::invalid(format!(
            "reason: has {chars} characters, but at most {REASON_CHARS_MAX} are allowed"
        )));
    }
    Ok(reason.filter(|reason| !is_blank(reason)))
}

/// A body, as it came.
#[derive(Clone, Debug)]
pub(crate) struct Body(pub(crate) Bytes);

impl Body {
    /// As JSON in which no key stands twice.
    pub(crate) fn json(&self) -> Result<Value, ApiError> {
        parse_json(&self.0).map_err(|error| match error {
            JsonError::Syntax { .. } => ApiError::malformed(format!("the body {error}")),
            JsonError::Duplicate { path } => {
                ApiError::malformed_at(&path, "duplicate", "stands there twice")
            }
        })
    }

    /// As a known shape; an empty body is an empty object.
    pub(crate) fn parse<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        let value = if self.0.is_empty() { Value::Object(Map::new()) } else { self.json()? };
        read_shape(value).map_err(|error| {
            let refuse =
                if error.is_no_object { ApiError::malformed_at } else { ApiError::invalid_at };
            refuse(&error.path, "type", &error.message)
        })
    }
}

/// When a body that is too long was logged last.
static TOO_LONG_LOGGED_AT: Mutex<Option<Instant>> = Mutex::new(None);

/// Says in the log that a body was refused, where that was not said a moment ago. The route alone is said of it.
fn note_too_long(parts: &Parts) {
    let now = Instant::now();
    let mut logged_at = TOO_LONG_LOGGED_AT.lock().unwrap_or_else(PoisonError::into_inner);
    if logged_at.is_some_and(|at| now.duration_since(at) < TOO_LONG_LOG_EVERY) {
        return;
    }
    *logged_at = Some(now);
    let route = parts.extensions.get::<MatchedPath>().map_or("another path", MatchedPath::as_str);
    tracing::warn!(
        event = "body_too_long",
        method = %parts.method,
        route,
        bytes_max = BODY_BYTES_MAX,
        "a request was refused: its body is too long; further ones are not said for a minute"
    );
}

impl<S: Sync> FromRequest<S> for Body {
    type Rejection = ApiError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let body = Limited::new(body, BODY_BYTES_MAX).collect();
        match tokio::time::timeout(BODY_TIME_MAX, body).await {
            Ok(Ok(collected)) => Ok(Self(collected.to_bytes())),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                note_too_long(&parts);
                Err(ApiError::too_large(BODY_BYTES_MAX))
            }
            Ok(Err(_)) => Err(ApiError::malformed("the body ended early")),
            Err(_) => Err(ApiError::malformed(format!(
                "the body did not arrive within {} seconds",
                BODY_TIME_MAX.as_secs()
            ))),
        }
    }
}
