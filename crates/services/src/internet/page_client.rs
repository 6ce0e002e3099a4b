//! Gets a page of an allowed host, within one time for all its redirects.

use std::sync::Arc;

use abide_http::{Client, Request, RequestLimits};
use abide_tools::{ToolError, ToolErrorKind};
use tokio::time::timeout;
use url::Url;

use crate::{
    allow_list::AllowedHosts,
    answer::{Answer, status_error},
    guarded_client::{FollowError, Followed, GuardedClient, Reach, shown},
    limits::{PAGE_TIME_MAX, PDF_BYTES_MAX, URL_BYTES_MAX},
};

/// What is asked for, best first.
const ACCEPT: &str =
    "text/html, application/xhtml+xml, application/pdf, application/json, text/*;q=0.9, */*;q=0.5";

/// Gets pages of allowed hosts.
#[derive(Clone, Debug)]
pub(super) struct PageClient {
    guarded: GuardedClient,
}

impl PageClient {
    pub(super) fn new(client: Client, allowed: Arc<AllowedHosts>) -> Self {
        Self { guarded: GuardedClient { client, allowed, reach: Reach::Listed } }
    }

    /// Gets a page and the URL that it came from in the end.
    pub(super) async fn get(&self, text: &str) -> Result<(Url, Answer), ToolError> {
        let url = parse_url(text)?;
        if !self.guarded.permits(&url, &url) {
            return Err(self.refusal(&url));
        }
        let following = self.guarded.follow(&url, request, PDF_BYTES_MAX);
        let Ok(followed) = timeout(PAGE_TIME_MAX, following).await else {
            return Err(ToolError::of(
                ToolErrorKind::Upstream,
                format!("the page did not come within {} s", PAGE_TIME_MAX.as_secs()),
            ));
        };
        let Followed { url, answer, .. } = followed.map_err(not_followed)?;
        if answer.status.is_success() {
            return Ok((url, answer));
        }
        let host = url.host_str().unwrap_or_default();
        Err(status_error(host, &answer, self.guarded.client.clock().now()))
    }

    fn refusal(&self, url: &Url) -> ToolError {
        let hosts: Vec<&str> = self.guarded.allowed.texts().take(20).collect();
        let hosts =
            if hosts.is_empty() { "no host is allowed".to_owned() } else { hosts.join(", ") };
        let message = format!(
            "{} is not on the list of allowed hosts ({hosts}); a person can add it under `allowed` in [tools.internet]",
            url.host_str().unwrap_or("that host")
        );
        ToolError::of(ToolErrorKind::Blocked, message)
    }
}

fn request(url: &Url) -> Request {
    let limits = RequestLimits {
        total: PAGE_TIME_MAX,
        body_bytes_max: PDF_BYTES_MAX,
        ..RequestLimits::default()
    };
    Request::get(url.as_str()).accept(ACCEPT).limits(limits)
}

fn not_followed(error: FollowError) -> ToolError {
    match error {
        FollowError::Failed(error) => error,
        FollowError::OutOfReach { to, .. } => ToolError::of(
            ToolErrorKind::Blocked,
            format!(
                "the page redirects to {}, which is not on the list of allowed hosts; it was not read",
                shown(&to)
            ),
        ),
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
