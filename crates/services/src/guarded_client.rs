//! Follows redirects, and no further than it may: every hop is checked before it is asked for, and its address when it is
//! connected to. What lies behind a redirect to another host is named and not read.

use std::sync::Arc;

use abide_http::{Client, Request};
use abide_tools::{ToolError, ToolErrorKind};
use http::header::LOCATION;
use url::Url;

use crate::{
    allow_list::{AllowedHosts, is_same_host},
    answer::{Answer, receive},
    foreign_text::one_line,
    limits::{REDIRECTS_MAX, URL_BYTES_MAX},
};

/// How far a client may go from the URL that it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To hosts of the list.
    Listed,
    /// To hosts of the list and to the host of that URL, which a person may have been asked about.
    ListedOrOwnHost,
}

/// Gets what is at a URL.
#[derive(Clone, Debug)]
pub(crate) struct GuardedClient {
    pub(crate) client: Client,
    pub(crate) allowed: Arc<AllowedHosts>,
    pub(crate) reach: Reach,
}

/// Where redirects led to.
#[derive(Debug)]
pub(crate) struct Followed {
    /// What was asked for last.
    pub(crate) url: Url,
    /// Its answer, whatever its status, but no redirect to anywhere.
    pub(crate) answer: Answer,
    /// Where the first redirects led to that are for good.
    pub(crate) moved_to: Option<Url>,
}

/// Why redirects led nowhere.
#[derive(Debug)]
pub(crate) enum FollowError {
    /// One leads where the client may not go.
    OutOfReach {
        /// The address, which was not asked for.
        to: Url,
        /// Whether all redirects up to it are for good.
        is_for_good: bool,
    },
    Failed(ToolError),
}

impl GuardedClient {
    /// Whether `url` may be asked for by whoever may ask for `start`.
    pub(crate) fn permits(&self, url: &Url, start: &Url) -> bool {
        let is_own = self.reach == Reach::ListedOrOwnHost && is_same_host(url, start);
        is_own || self.allowed.permits(url)
    }

    /// Asks for a URL, which the caller may ask for, and follows redirects.
    pub(crate) async fn follow(
        &self,
        start: &Url,
        request: impl Fn(&Url) -> Request,
        bytes_max: u64,
    ) -> Result<Followed, FollowError> {
        let (mut url, mut moved_to, mut is_for_good) = (start.clone(), None, true);
        for _ in 0..=REDIRECTS_MAX {
            let answer = receive(&self.client, request(&url), bytes_max).await;
            let answer = answer.map_err(|error| FollowError::Failed(with_key(error)))?;
            let Some(next) = next_hop(&answer, &url) else {
                return Ok(Followed { url, answer, moved_to });
            };
            is_for_good &= matches!(answer.status.as_u16(), 301 | 308);
            if !self.permits(&next, start) {
                return Err(FollowError::OutOfReach { to: next, is_for_good });
            }
            if is_for_good {
                moved_to = Some(next.clone());
            }
            url = next;
        }
        let message = format!("{} redirects more than {REDIRECTS_MAX} times", shown(start));
        Err(FollowError::Failed(ToolError::of(ToolErrorKind::Upstream, message)))
    }
}

/// Where an address is refused, the key that a person would set: each list of hosts has one beside it.
fn with_key(mut error: ToolError) -> ToolError {
    if error.kind == ToolErrorKind::Blocked {
        error
            .message
            .push_str("; `private = true` beside `allowed` in the configuration would allow it");
    }
    error
}

fn next_hop(answer: &Answer, url: &Url) -> Option<Url> {
    if !matches!(answer.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = answer.headers.get(LOCATION)?.to_str().ok()?;
    url.join(location).ok().filter(|next| next.as_str().len() <= URL_BYTES_MAX)
}

/// A URL for a mind, without the names and passwords in it.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // Neither can be set where the URL has no host, and then there is none to take out.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    one_line(url.as_str(), URL_BYTES_MAX)
}
