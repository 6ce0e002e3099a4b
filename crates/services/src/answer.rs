//! The answer of a service: received whole, within its caps before and after it is inflated, which is done beside the
//! runtime's threads.
//!
//! It must never follow a redirect and never judge a status, but in [`status_error`], which says in one place what a status
//! means for a mind.

use std::io::Read as _;

use abide_domain::Timestamp;
use abide_http::{Client, Error, ErrorKind, Request, retry_after};
use abide_tools::{ToolError, ToolErrorKind};
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use http::{
    HeaderMap, StatusCode,
    header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE},
};

use crate::{
    foreign_text::short,
    limits::{DETAIL_BYTES_MAX, RETRY_AFTER_MAX},
};

/// An answer with its whole body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// A header as text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// What the body says that it is, without parameters, in lower case.
    pub(crate) fn media_type(&self) -> String {
        let value = self.header(CONTENT_TYPE.as_str()).unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }
}

/// Sends a request and receives the whole answer. `bytes_max` bounds the body once it is inflated; the request's own limits
/// bound what comes over the wire.
pub(crate) async fn receive(
    client: &Client,
    request: Request,
    bytes_max: u64,
) -> Result<Answer, ToolError> {
    let request = request.header(ACCEPT_ENCODING, "gzip");
    let response = client.send(request).await.map_err(|error| transport_error(&error))?;
    let (status, headers) = (response.status(), response.headers().clone());
    let host = response.host().to_owned();
    let body = response.bytes().await.map_err(|error| transport_error(&error))?;
    let coding = coding_of(&headers);
    let inflating = tokio::task::spawn_blocking(move || inflate(&coding, &body, bytes_max));
    let body = inflating.await.unwrap_or_else(|_| Err("cannot be unpacked".into()));
    let body = body.map_err(|problem| {
        ToolError::of(ToolErrorKind::Unreadable, format!("the answer of {host} {problem}"))
    })?;
    Ok(Answer { status, headers, body })
}

/// How a body is packed, in lower case.
fn coding_of(headers: &HeaderMap) -> String {
    let coding = headers.get(CONTENT_ENCODING).and_then(|value| value.to_str().ok());
    coding.unwrap_or_default().trim().to_ascii_lowercase()
}

fn inflate(coding: &str, body: &[u8], bytes_max: u64) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let most = bytes_max.saturating_add(1);
    let read = match coding {
        "" | "identity" => body.take(most).read_to_end(&mut out),
        "gzip" | "x-gzip" => MultiGzDecoder::new(body).take(most).read_to_end(&mut out),
        "deflate" => ZlibDecoder::new(body).take(most).read_to_end(&mut out),
        other => return Err(format!("is packed as `{}`, which cannot be read", short(other))),
    };
    read.map_err(|error| format!("cannot be unpacked: {error}"))?;
    if out.len() as u64 > bytes_max {
        return Err(format!("is longer than {bytes_max} bytes once unpacked"));
    }
    Ok(out)
}

/// What a request that got no whole answer means for a mind.
pub(crate) fn transport_error(error: &Error) -> ToolError {
    let kind = match error {
        Error::AddressRefused { .. } => ToolErrorKind::Blocked,
        Error::TooLarge { .. } => ToolErrorKind::Unreadable,
        _ if error.kind() == ErrorKind::Invalid => ToolErrorKind::Invalid,
        _ => ToolErrorKind::Upstream,
    };
    ToolError::of(kind, error.chain())
}

/// What an error status means for a mind.
pub(crate) fn status_error(service: &str, answer: &Answer, now: Timestamp) -> ToolError {
    let status = answer.status;
    let wait = wait_of(answer, now);
    let kind = match status.as_u16() {
        400 | 422 => ToolErrorKind::Invalid,
        401..=403 | 407 | 451 => ToolErrorKind::Forbidden,
        404 | 410 => ToolErrorKind::NotFound,
        429 => ToolErrorKind::RateLimited,
        _ => ToolErrorKind::Upstream,
    };
    ToolError::of(kind, format!("{service} answered {status}")).after(wait)
}

/// How long a refusal asks to wait.
pub(crate) fn wait_of(answer: &Answer, now: Timestamp) -> Option<std::time::Duration> {
    retry_after(&answer.headers, now).map(|wait| wait.min(RETRY_AFTER_MAX))
}

/// The beginning of a text that a service gave with an error.
pub(crate) fn detail(text: &str) -> String {
    short(text.get(..crate::foreign_text::floor(text, DETAIL_BYTES_MAX)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};
    use http::{HeaderMap, HeaderValue, header::CONTENT_ENCODING};

    use super::{coding_of, inflate};

    fn packed_as(coding: &'static str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
        coding_of(&headers)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_small_answer_that_unpacks_to_a_huge_one_is_refused() {
        let bomb = gzip(&vec![0; 1 << 20]);
        assert!(bomb.len() < 4_096);
        let error = inflate(&packed_as("gzip"), &bomb, 1_000).unwrap_err();
        assert!(error.contains("longer than 1000 bytes"), "{error}");
        assert_eq!(inflate(&packed_as("gzip"), &bomb, 1 << 20).unwrap().len(), 1 << 20);
    }

    #[test]
    fn what_cannot_be_unpacked_is_an_error() {
        assert!(inflate(&packed_as("br"), b"x", 10).is_err());
        assert!(inflate(&packed_as("gzip, gzip"), &gzip(b"x"), 10).is_err());
        assert!(inflate(&packed_as("gzip"), b"not gzip", 10).is_err());
        assert_eq!(inflate(&coding_of(&HeaderMap::new()), b"as it is", 10).unwrap(), b"as it is");
    }
}
