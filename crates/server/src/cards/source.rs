//! Where cards and their pictures come from: Scryfall, or what `tools.scryfall.url` names, and the hosts of their files.

use std::{sync::Arc, time::Duration};

use abide_domain::Clock;
use abide_http::{
    AddressPolicy, Client, ClientSettings, Request, RequestLimits, Response, retry_after,
};
use abide_services::AllowedHosts;
use http::{HeaderName, StatusCode, header};
use url::Url;

use super::{error::CardPullError, limits::REDIRECTS_MAX};

const SCRYFALL: &str = "https://api.scryfall.com";
/// The hosts of Scryfall's files.
const FILE_HOSTS: &str = "*.scryfall.io";
/// Longest address that an error shows, in characters.
const SHOWN_CHARS_MAX: usize = 200;

/// Where cards come from. A cheap clone.
#[derive(Clone, Debug)]
pub(crate) struct CardSource {
    /// Where the list of bulk data is.
    url: String,
    /// Hosts of files.
    hosts: Arc<AllowedHosts>,
    client: Client,
}

impl CardSource {
    /// Scryfall, unless a person wrote another address down; then that host has files too, and may be on this machine.
    pub(crate) fn new(configured: &str, clock: Arc<dyn Clock>) -> Self {
        let own = Some(configured).filter(|url| !url.is_empty());
        let mut rules = vec![FILE_HOSTS.to_owned()];
        rules.extend(own.and_then(place_of));
        let addresses = if own.is_some() { AddressPolicy::Any } else { AddressPolicy::Public };
        Self {
            url: own.unwrap_or(SCRYFALL).trim_end_matches('/').to_owned(),
            // The rules are hosts of URLs; one that is none opens nothing.
            hosts: Arc::new(AllowedHosts::parse(&rules).unwrap_or_default()),
            client: Client::new(ClientSettings::new(addresses, clock)),
        }
    }

    /// The address of the list of bulk data.
    pub(super) fn index_url(&self) -> String {
        format!("{}/bulk-data", self.url)
    }

    /// Its clock.
    pub(super) fn clock(&self) -> &Arc<dyn Clock> {
        self.client.clock()
    }

    /// Whether a file may be asked for at an address: a host of the list; Scryfall's own only over TLS.
    fn permits(&self, url: &Url) -> bool {
        let is_scryfalls = url.host_str().is_some_and(|host| host.ends_with(".scryfall.io"));
        self.hosts.permits(url) && (url.scheme() == "https" || !is_scryfalls)
    }

    /// Asks for the list of bulk data. Redirects lead nowhere.
    pub(super) async fn ask_index(&self, limits: RequestLimits) -> Result<Response, CardPullError> {
        let request = Request::get(self.index_url()).accept("application/json;q=0.9, */*;q=0.8");
        let response = self.client.send(request.limits(limits)).await?;
        self.checked(response, &self.index_url())
    }

    /// Asks for a file. Every hop is a host of the list. An error status is an error; 416 is left to the caller.
    pub(super) async fn ask_file(
        &self,
        url: &str,
        headers: &[(HeaderName, String)],
        limits: &RequestLimits,
    ) -> Result<Response, CardPullError> {
        let mut next = url.to_owned();
        for _ in 0..=REDIRECTS_MAX {
            let at = Url::parse(&next).ok().filter(|url| self.permits(url));
            let at = at.ok_or_else(|| self.refused(&next))?;
            let mut request = Request::get(at.as_str()).accept("*/*").limits(limits.clone());
            for (name, value) in headers {
                request = request.header(name.clone(), value);
            }
            let response = self.client.send(request).await?;
            if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
                return self.checked(response, &next);
            }
            let to = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
            let to = to.and_then(|to| at.join(to).ok());
            next = to.map(String::from).ok_or_else(|| self.refused("a redirect to nowhere"))?;
        }
        Err(CardPullError::Redirects { url: shown(url) })
    }

    fn checked(&self, response: Response, url: &str) -> Result<Response, CardPullError> {
        let status = response.status();
        if status.is_success() || status == StatusCode::RANGE_NOT_SATISFIABLE {
            return Ok(response);
        }
        if status == StatusCode::TOO_MANY_REQUESTS {
            let wait = retry_after(response.headers(), self.clock().now());
            let wait = wait.unwrap_or_default().max(Duration::from_secs(1));
            return Err(CardPullError::RateLimited { url: shown(url), wait });
        }
        Err(CardPullError::Status { url: shown(url), status: status.as_u16() })
    }

    fn refused(&self, url: &str) -> CardPullError {
        let hosts: Vec<&str> = self.hosts.texts().collect();
        CardPullError::Host { url: shown(url), hosts: hosts.join(" and ") }
    }
}

/// The host of a URL and its port, where that is not the usual one.
fn place_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// An address for people: without its query, names and passwords.
pub(super) fn shown(url: &str) -> String {
    let bare = url.split(['?', '#']).next().unwrap_or_default();
    let bare = match (bare.split_once("://"), bare.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://{rest}"),
        _ => bare.to_owned(),
    };
    bare.chars().take(SHOWN_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use url::Url;

    use super::{CardSource, shown};
    use crate::system::SystemClock;

    fn permits(source: &CardSource, url: &str) -> bool {
        source.permits(&Url::parse(url).unwrap())
    }

    #[test]
    fn files_come_from_scryfalls_hosts_and_from_the_configured_one() {
        let scryfall = CardSource::new("", Arc::new(SystemClock::new()));
        let own = CardSource::new("http://127.0.0.1:9/api/", Arc::new(SystemClock::new()));
        assert_eq!(scryfall.index_url(), "https://api.scryfall.com/bulk-data");
        assert_eq!(own.index_url(), "http://127.0.0.1:9/api/bulk-data");
        for url in ["https://data.scryfall.io/a.gz", "https://cards.scryfall.io/normal/a.jpg?1"] {
            assert!(permits(&scryfall, url) && permits(&own, url), "{url}");
        }
        assert!(
            permits(&own, "http://127.0.0.1:9/x") && !permits(&scryfall, "http://127.0.0.1:9/x")
        );
        for url in [
            "http://data.scryfall.io/a.gz",
            "https://scryfall.io/a.gz",
            "https://scryfall.io.evil.test/a",
            "https://evilscryfall.io/a",
            "https://data.scryfall.io:8443/a",
            "https://me@data.scryfall.io/a",
            "https://api.scryfall.com/a",
            "http://127.0.0.1:10/x",
            "file:///etc/passwd",
        ] {
            assert!(!permits(&scryfall, url) && !permits(&own, url), "{url}");
        }
    }

    #[test]
    fn an_address_is_shown_without_what_may_be_secret() {
        assert_eq!(shown("https://a.test/b?key=1#c"), "https://a.test/b");
        assert_eq!(shown("https://me:pw@a.test/b"), "https://a.test/b");
        assert_eq!(shown(&"x".repeat(500)).len(), 200);
    }
}
