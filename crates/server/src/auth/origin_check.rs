//! `Host` and `Origin`: whether a request was meant for this keeper, and came from its own page or from no page.
//!
//! A page on the web can make a browser send requests to a local port: under its own origin (foreign `Origin`), or by a
//! name that it lets point to 127.0.0.1 (foreign `Host`: DNS rebinding). Both are refused before anything is read.
//! An IP address as `Host` cannot be rebound; a name can, so only `localhost` is one of ours.

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, Method, header};

/// Says why a request is refused by where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OriginError {
    /// It was meant for another host: 421.
    Host,
    /// It was sent by a page of another origin: 403.
    Origin,
}

/// Checks requests by the address that the keeper answers to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OriginCheck {
    bound: SocketAddr,
}

impl OriginCheck {
    /// For a keeper at the bound address.
    pub(crate) fn new(bound: SocketAddr) -> Self {
        Self { bound }
    }

    /// Lets a request pass or says why not.
    pub(crate) fn check(
        &self,
        method: &Method,
        uri_host: Option<&str>,
        headers: &HeaderMap,
    ) -> Result<(), OriginError> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().ok(),
            (None, _) => uri_host,
            (Some(_), Some(_)) => None,
        };
        let host = host.filter(|host| self.is_ours(host)).ok_or(OriginError::Host)?;
        if uri_host.is_some_and(|uri_host| !uri_host.eq_ignore_ascii_case(host)) {
            return Err(OriginError::Host);
        }
        for origin in headers.get_all(header::ORIGIN) {
            let is_own = origin.to_str().is_ok_and(|origin| is_origin_of(origin, host));
            if !is_own {
                return Err(OriginError::Origin);
            }
        }
        self.check_fetch(method, headers)
    }

    /// Browsers say where a request comes from even where they send no `Origin` (images, plain links). Following a link
    /// to the page is fine; everything else from elsewhere is not.
    #[expect(clippy::unused_self, reason = "one of the three parts of the check")]
    fn check_fetch(&self, method: &Method, headers: &HeaderMap) -> Result<(), OriginError> {
        let value = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let is_foreign = matches!(value("sec-fetch-site"), Some("cross-site" | "same-site"));
        let is_navigation = value("sec-fetch-mode") == Some("navigate") && method == Method::GET;
        if is_foreign && !is_navigation { Err(OriginError::Origin) } else { Ok(()) }
    }

    fn is_ours(&self, host: &str) -> bool {
        let Some((name, port)) = split(host) else {
            return false;
        };
        if port.unwrap_or(80) != self.bound.port() {
            return false;
        }
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            Ok(ip) if self.bound.ip().is_loopback() => ip.is_loopback(),
            Ok(ip) => self.bound.ip().is_unspecified() || ip == self.bound.ip() || ip.is_loopback(),
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        }
    }
}

fn split(host: &str) -> Option<(&str, Option<u16>)> {
    let name_end = match host.strip_prefix('[') {
        Some(rest) => rest.find(']')? + 2,
        None => host.find(':').unwrap_or(host.len()),
    };
    let (name, port) = host.split_at_checked(name_end)?;
    match port.strip_prefix(':') {
        Some(port) if port.bytes().all(|b| b.is_ascii_digit()) => {
            Some((name, Some(port.parse().ok()?)))
        }
        None if port.is_empty() && !name.is_empty() => Some((name, None)),
        _ => None,
    }
}

/// Whether an `Origin` is the page that `host` serves: the scheme may be TLS where a proxy stands in front.
fn is_origin_of(origin: &str, host: &str) -> bool {
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderName, HeaderValue, Method};

    use super::{OriginCheck, OriginError};

    fn check(bound: &str, headers: &[(&str, &str)]) -> Result<(), OriginError> {
        let map: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                (name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap())
            })
            .collect();
        OriginCheck::new(bound.parse().unwrap()).check(&Method::GET, None, &map)
    }

    #[test]
    fn bc_32_a_rebinding_host_is_refused() {
        let bound = "127.0.0.1:7717";
        for host in ["127.0.0.1:7717", "localhost:7717", "LOCALHOST:7717", "[::1]:7717"] {
            assert_eq!(check(bound, &[("host", host)]), Ok(()), "{host}");
        }
        for host in [
            "evil.example:7717",
            "evil.example",
            "localhost",
            "localhost:80",
            "127.0.0.1:7718",
            "192.168.1.5:7717",
            "localhost.evil.example:7717",
            "127.0.0.1.evil.example:7717",
            "127.0.0.1:7717@evil.example",
            "[::1",
            "",
            ":7717",
            "localhost:+7717",
        ] {
            assert_eq!(check(bound, &[("host", host)]), Err(OriginError::Host), "{host}");
        }
        assert_eq!(check(bound, &[]), Err(OriginError::Host), "no Host at all");
        let twice = [("host", "localhost:7717"), ("host", "evil.example")];
        assert_eq!(check(bound, &twice), Err(OriginError::Host));
    }

    #[test]
    fn bc_32_a_foreign_origin_is_refused() {
        let own = ("host", "127.0.0.1:7717");
        let with = |name, value| check("127.0.0.1:7717", &[own, (name, value)]);
        assert_eq!(with("origin", "http://127.0.0.1:7717"), Ok(()));
        for origin in [
            "http://evil.example",
            "null",
            "http://127.0.0.1:3000",
            "http://localhost:7717",
            "file://",
            "http://127.0.0.1:7717.evil.example",
        ] {
            assert_eq!(with("origin", origin), Err(OriginError::Origin), "{origin}");
        }
        assert_eq!(with("sec-fetch-site", "same-origin"), Ok(()));
        assert_eq!(with("sec-fetch-site", "none"), Ok(()));
        assert_eq!(
            with("sec-fetch-site", "cross-site"),
            Err(OriginError::Origin),
            "an image, a form"
        );
        let link = [own, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
        assert_eq!(check("127.0.0.1:7717", &link), Ok(()), "a followed link shows the page shell");
    }

    #[test]
    fn an_open_address_answers_to_ip_addresses_and_never_to_names() {
        assert_eq!(check("0.0.0.0:7717", &[("host", "192.168.1.5:7717")]), Ok(()));
        assert_eq!(check("0.0.0.0:7717", &[("host", "evil.example:7717")]), Err(OriginError::Host));
        assert_eq!(
            check("192.168.1.5:7717", &[("host", "192.168.1.6:7717")]),
            Err(OriginError::Host)
        );
    }
}
