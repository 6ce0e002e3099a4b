//! A request to send, and the bounds of its response.

use std::time::Duration;

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method,
    header::{ACCEPT, CONTENT_TYPE},
};

use crate::Secret;

/// The bounds of one request. Each has a value: nothing waits or grows without limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// From sending to the body's end.
    pub total: Duration,
    /// From sending to the body's first byte.
    pub first_byte: Duration,
    /// Between two pieces of the body.
    pub idle: Duration,
    /// Longest body, in bytes.
    pub body_bytes_max: u64,
    /// Redirects that are followed; with 0, a redirect is a response like any other.
    pub redirects_max: u32,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self {
            total: Duration::from_secs(30),
            first_byte: Duration::from_secs(20),
            idle: Duration::from_secs(15),
            body_bytes_max: 2 * 1024 * 1024,
            redirects_max: 0,
        }
    }
}

/// One request. Built in one expression; a value that is not allowed in a header is reported when it is sent.
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) method: Method,
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
    pub(crate) limits: RequestLimits,
    pub(crate) problem: Option<String>,
}

impl Request {
    /// A request of any method.
    pub fn new(method: Method, url: impl Into<String>) -> Self {
        Self {
            method,
            url: url.into(),
            headers: HeaderMap::new(),
            body: None,
            limits: RequestLimits::default(),
            problem: None,
        }
    }

    /// A GET.
    pub fn get(url: impl Into<String>) -> Self {
        Self::new(Method::GET, url)
    }

    /// A POST of a JSON body.
    pub fn post_json(url: impl Into<String>, body: impl Into<Bytes>) -> Self {
        let mut request = Self::new(Method::POST, url);
        request.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        request.body = Some(body.into());
        request
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: &str) -> Self {
        self.insert(name, value, false);
        self
    }

    /// Sets the `Accept` header.
    #[must_use]
    pub fn accept(self, value: &str) -> Self {
        self.header(ACCEPT, value)
    }

    /// Adds a header that holds a secret after a plain prefix, such as `Bearer `. It shows in no Debug output, and a
    /// redirect to another origin does not carry it on.
    #[must_use]
    pub fn secret_header(mut self, name: HeaderName, prefix: &str, secret: &Secret) -> Self {
        self.insert(name, &format!("{prefix}{}", secret.expose()), true);
        self
    }

    /// Sets the bounds.
    #[must_use]
    pub fn limits(mut self, limits: RequestLimits) -> Self {
        self.limits = limits;
        self
    }

    fn insert(&mut self, name: HeaderName, value: &str, is_secret: bool) {
        if let Ok(mut value) = HeaderValue::from_str(value) {
            value.set_sensitive(is_secret);
            self.headers.insert(name, value);
        } else {
            let problem = format!(
                "the value of header {name} contains a character that is not allowed in headers"
            );
            self.problem = Some(problem);
        }
    }
}

#[cfg(test)]
mod tests {
    use http::header::AUTHORIZATION;

    use super::Request;
    use crate::Secret;

    #[test]
    fn a_secret_header_does_not_show() {
        let request = Request::get("http://127.0.0.1/").secret_header(
            AUTHORIZATION,
            "Bearer ",
            &Secret::new("sk-777"),
        );
        assert!(!format!("{request:?}").contains("sk-777"));
        assert_eq!(request.headers[AUTHORIZATION], "Bearer sk-777");
    }
}
