//! A response, read in pieces, within the bounds of its request.

use std::{fmt, time::Duration};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode};
use tokio::time::{Instant, timeout_at};

use crate::{Error, Phase, RequestLimits};

/// The deadlines of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadlines {
    total: Instant,
    first_byte: Instant,
    limits: (Duration, Duration, Duration),
}

impl Deadlines {
    pub(crate) fn start(limits: &RequestLimits) -> Self {
        let now = Instant::now();
        Self {
            total: now + limits.total,
            first_byte: now + limits.first_byte,
            limits: (limits.total, limits.first_byte, limits.idle),
        }
    }

    /// When the next piece is due, which limit that is, and its length.
    pub(crate) fn next(&self, has_begun: bool) -> (Instant, Phase, Duration) {
        let (total, first_byte, idle) = self.limits;
        let (at, phase, after) = if has_begun {
            (Instant::now() + idle, Phase::Idle, idle)
        } else {
            (self.first_byte, Phase::FirstByte, first_byte)
        };
        if self.total < at { (self.total, Phase::Total, total) } else { (at, phase, after) }
    }
}

/// A response whose body is still being received.
pub struct Response {
    pub(crate) inner: reqwest::Response,
    pub(crate) host: String,
    pub(crate) deadlines: Deadlines,
    pub(crate) bytes_max: u64,
    pub(crate) received: u64,
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("host", &self.host)
            .field("status", &self.status())
            .field("received", &self.received)
            .finish_non_exhaustive()
    }
}

impl Response {
    /// The status.
    pub fn status(&self) -> StatusCode {
        self.inner.status()
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        self.inner.headers()
    }

    /// The host that answered.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The URL that answered, after redirects, without its query.
    pub fn url(&self) -> String {
        crate::url::bare_url(self.inner.url())
    }

    /// How many bytes of the body were received.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Whether the body says that it is of a media type such as `application/json`.
    pub fn is_of_type(&self, media_type: &str) -> bool {
        let value = self.headers().get(http::header::CONTENT_TYPE);
        value.and_then(|value| value.to_str().ok()).is_some_and(|value| {
            let essence = value.split(';').next().unwrap_or_default().trim();
            essence.eq_ignore_ascii_case(media_type)
        })
    }

    /// The next piece of the body; `None` at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        let (at, phase, after) = self.deadlines.next(self.received > 0);
        let chunk = match timeout_at(at, self.inner.chunk()).await {
            Err(_) => return Err(Error::TimedOut { host: self.host.clone(), phase, after }),
            Ok(Err(error)) => {
                let (host, bytes) = (self.host.clone(), self.received);
                return Err(Error::Interrupted { host, bytes, source: error.without_url().into() });
            }
            Ok(Ok(chunk)) => chunk,
        };
        let Some(chunk) = chunk else {
            return Ok(None);
        };
        self.received = self.received.saturating_add(chunk.len() as u64);
        if self.received > self.bytes_max {
            return Err(Error::TooLarge { host: self.host.clone(), bytes_max: self.bytes_max });
        }
        Ok(Some(chunk))
    }

    /// The whole body.
    pub async fn bytes(mut self) -> Result<Bytes, Error> {
        let mut body = BytesMut::new();
        while let Some(chunk) = self.chunk().await? {
            body.extend_from_slice(&chunk);
        }
        Ok(body.freeze())
    }

    /// The beginning of the body as text, as far as it was received: for the message of an error status. Never fails.
    pub async fn excerpt(mut self, bytes_max: usize) -> String {
        let mut body = Vec::new();
        while body.len() < bytes_max {
            let Ok(Some(chunk)) = self.chunk().await else {
                break;
            };
            body.extend_from_slice(&chunk);
        }
        body.truncate(bytes_max);
        String::from_utf8_lossy(&body).into_owned()
    }
}
