//! Which hosts may be asked for: exact names, or all names below one, with a port where it is not the usual one.

use url::Url;

/// Hosts that may be asked for. Empty: none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedHosts {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    text: String,
    /// Normalised as in URLs, without a dot at its end.
    host: String,
    /// Whether names below the host are meant, and not the host itself.
    is_below: bool,
    port: Option<u16>,
}

/// Says why a rule cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` does not name hosts: write `example.org`, `*.example.org` for all names below it, or `example.org:8443`"
)]
pub struct AllowedHostsError {
    /// The rule.
    pub text: String,
}

impl AllowedHosts {
    /// Reads rules such as `example.org`, `*.example.org` and `example.org:8443`.
    pub fn parse<S: AsRef<str>>(texts: &[S]) -> Result<Self, AllowedHostsError> {
        let rules = texts.iter().map(|text| {
            let text = text.as_ref().trim();
            parse_rule(text).ok_or_else(|| AllowedHostsError { text: text.to_owned() })
        });
        Ok(Self { rules: rules.collect::<Result<_, _>>()? })
    }

    /// Whether a URL may be asked for: http or https, nobody's name in it, a host and a port of the list.
    pub fn permits(&self, url: &Url) -> bool {
        let is_plain = matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none();
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return false;
        };
        let host = host.trim_end_matches('.');
        is_plain && self.rules.iter().any(|rule| rule.matches(host, port))
    }

    /// The rules as they were written.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|rule| rule.text.as_str())
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

/// Whether two URLs of the web lead to the same host: its usual ports count as one.
pub(crate) fn is_same_host(one: &Url, other: &Url) -> bool {
    let place = |url: &Url| {
        let is_plain = matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none();
        let host = url.host_str().filter(|_| is_plain)?.trim_end_matches('.').to_owned();
        let port = url.port_or_known_default().filter(|port| !matches!(port, 80 | 443));
        Some((host, port))
    };
    let one = place(one);
    one.is_some() && one == place(other)
}

impl Rule {
    fn matches(&self, host: &str, port: u16) -> bool {
        let fits_port = match self.port {
            Some(own) => own == port,
            None => matches!(port, 80 | 443),
        };
        let fits_host = if self.is_below {
            let above = host.strip_suffix(self.host.as_str());
            above.is_some_and(|above| above.len() > 1 && above.ends_with('.'))
        } else {
            host == self.host
        };
        fits_port && fits_host
    }
}

fn parse_rule(text: &str) -> Option<Rule> {
    let (is_below, rest) = match text.strip_prefix("*.") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if rest.contains(['/', '?', '#', '@', '*', '\\', '%']) || rest.contains(char::is_whitespace) {
        return None;
    }
    // Read as a host is read in a URL, so that both are compared in one form. The scheme has no port of its own here.
    let url = Url::parse(&format!("http://{rest}")).ok()?;
    let host = url.host_str()?.trim_end_matches('.').to_owned();
    let has_port = rest.rsplit_once(':').is_some_and(|(_, port)| {
        !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    });
    let is_name = matches!(url.host(), Some(url::Host::Domain(_)));
    let port = if has_port && !rest.ends_with(']') { url.port_or_known_default() } else { None };
    let fits = !host.is_empty() && !rest.ends_with(':') && (is_name || !is_below);
    fits.then(|| Rule { text: text.to_owned(), host, is_below, port })
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::{AllowedHosts, is_same_host};

    fn permits(rules: &[&str], url: &str) -> bool {
        AllowedHosts::parse(rules).unwrap().permits(&Url::parse(url).unwrap())
    }

    #[test]
    fn a_name_means_itself_and_a_star_means_what_is_below() {
        let rules =
            ["example.org", "*.wiki.test", "bücher.example", "api.test:8443", "127.0.0.1:9"];
        for url in [
            "https://example.org/a?b",
            "http://EXAMPLE.org./",
            "http://example.org:443/",
            "https://de.wiki.test/",
            "https://a.b.wiki.test/",
            "https://xn--bcher-kva.example/",
            "https://BÜCHER.example/",
            "https://api.test:8443/",
            "http://127.0.0.1:9/",
            "http://0x7f.1:9/",
        ] {
            assert!(permits(&rules, url), "{url}");
        }
        for url in [
            "https://www.example.org/",
            "https://example.org.evil.test/",
            "https://evilexample.org/",
            "https://example.org:8080/",
            "https://wiki.test/",
            "https://evilwiki.test/",
            "https://.wiki.test/",
            "https://api.test/",
            "http://127.0.0.1/",
            "ftp://example.org/",
            "https://example.org@evil.test/",
            "https://user@example.org/",
            "https://:secret@example.org/",
            "data:text/plain,example.org",
            "file:///example.org",
        ] {
            assert!(!permits(&rules, url), "{url}");
        }
        assert!(!permits(&[], "https://example.org/"));
        assert!(permits(&["[::1]:8080"], "http://[::1]:8080/"));
        assert!(!permits(&["[::1]"], "http://[::1]:8080/"));
    }

    #[test]
    fn the_usual_ports_of_a_host_are_one_place_and_no_other_is() {
        let is_same = |one: &str, other: &str| {
            is_same_host(&Url::parse(one).unwrap(), &Url::parse(other).unwrap())
        };
        for other in ["http://a.test/", "https://A.test./x?y", "http://a.test:443/"] {
            assert!(is_same("https://a.test/feed", other), "{other}");
        }
        for other in [
            "https://a.test:8443/",
            "https://www.a.test/",
            "https://me@a.test/",
            "ftp://a.test/",
            "data:,a.test",
        ] {
            assert!(!is_same("https://a.test/feed", other), "{other}");
        }
        assert!(!is_same("data:,x", "data:,x"));
    }

    #[test]
    fn rules_that_name_no_host_are_refused() {
        for rule in [
            "",
            "*",
            "*.",
            "https://example.org",
            "example.org/path",
            "a b",
            "*.*.org",
            "x:y",
            "x:",
            "user@example.org",
            "*.127.0.0.1",
            "example.*",
            "x:70000",
            "a%2eb",
        ] {
            let error = AllowedHosts::parse(&[rule]).unwrap_err();
            assert_eq!(error.text, rule);
        }
    }
}
