//! Gets a page of an allowed host. Every hop is checked against the list before it is asked for, and its address when it is
//! connected to; what lies behind a redirect to another host is named and not read.

use std::sync::Arc;

use abide_http::{Client, Request, RequestLimits};
use abide_tools::{ToolError, ToolErrorKind};
use http::header::LOCATION;
use tokio::time::timeout;
use url::Url;

use crate::{
    allow_list::AllowedHosts,
    answer::{Answer, receive, status_error},
    foreign_text::one_line,
    limits::{PAGE_TIME_MAX, PDF_BYTES_MAX, REDIRECTS_MAX, URL_BYTES_MAX},
};

/// What is asked for, best first.
const ACCEPT: &str =
    "text/html, application/xhtml+xml, application/pdf, application/json, text/*;q=0.9, */*;q=0.5";

/// Gets pages of allowed hosts.
#[derive(Clone, Debug)]
pub(super) struct GuardedClient {
    pub(super) client: Client,
    pub(super) allowed: Arc<AllowedHosts>,
}

impl GuardedClient {
    /// Gets a page and the URL that it came from in the end.
    pub(super) async fn get(&self, text: &str) -> Result<(Url, Answer), ToolError> {
        let url = parse_url(text)?;
        if !self.allowed.permits(&url) {
            return Err(self.refusal(&url));
        }
        match timeout(PAGE_TIME_MAX, self.follow(url)).await {
            Ok(got) => got,
            Err(_) => Err(ToolError::of(
                ToolErrorKind::Upstream,
                format!("the page did not come within {} s", PAGE_TIME_MAX.as_secs()),
            )),
        }
    }

    async fn follow(&self, mut url: Url) -> Result<(Url, Answer), ToolError> {
        for _ in 0..=REDIRECTS_MAX {
            let answer = self.hop(&url).await?;
            let Some(next) = next_hop(&answer, &url) else {
                if answer.status.is_success() {
                    return Ok((url, answer));
                }
                let host = url.host_str().unwrap_or_default();
                return Err(status_error(host, &answer, self.client.clock().now()));
            };
            if !self.allowed.permits(&next) {
                let message = format!(
                    "the page redirects to {}, which is not on the list of allowed hosts; it was not read",
                    shown(&next)
                );
                return Err(ToolError::of(ToolErrorKind::Blocked, message));
            }
            url = next;
        }
        let message = format!("the page redirects more than {REDIRECTS_MAX} times");
        Err(ToolError::of(ToolErrorKind::Upstream, message))
    }

    async fn hop(&self, url: &Url) -> Result<Answer, ToolError> {
        let limits = RequestLimits {
            total: PAGE_TIME_MAX,
            body_bytes_max: PDF_BYTES_MAX,
            ..RequestLimits::default()
        };
        let request = Request::get(url.as_str()).accept(ACCEPT).limits(limits);
        receive(&self.client, request, PDF_BYTES_MAX).await
    }

    fn refusal(&self, url: &Url) -> ToolError {
        let hosts: Vec<&str> = self.allowed.texts().take(20).collect();
        let hosts =
            if hosts.is_empty() { "no host is allowed".to_owned() } else { hosts.join(", ") };
        let message = format!(
            "{} is not on the list of allowed hosts ({hosts}); a person can add it under `allowed` in [tools.internet]",
            url.host_str().unwrap_or("that host")
        );
        ToolError::of(ToolErrorKind::Blocked, message)
    }
}

/// Reads a URL that a mind gave.
fn parse_url(text: &str) -> Result<Url, ToolError> {
    let text = text.trim();
    if text.len() > URL_BYTES_MAX {
        return Err(ToolError::new(format!("url: is longer than {URL_BYTES_MAX} bytes")));
    }
    let url = Url::parse(text)
        .map_err(|error| ToolError::new(format!("url: is not a whole URL: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(ToolError::new("url: only http and https are supported"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ToolError::new("url: must not contain a user name or a password"));
    }
    Ok(url)
}

fn next_hop(answer: &Answer, url: &Url) -> Option<Url> {
    if !matches!(answer.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = answer.headers.get(LOCATION)?.to_str().ok()?;
    url.join(location).ok().filter(|next| next.as_str().len() <= URL_BYTES_MAX)
}

/// A URL for a mind, without the names and passwords in it.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // Neither can be set where the URL has no host, and then there is none to take out.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    one_line(url.as_str(), URL_BYTES_MAX)
}
