//! Which machine an address names. By its words alone: no name is looked up.

use std::net::IpAddr;

/// The host of an address, without its port and without a name and a password before it.
pub(crate) fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit('@').next().unwrap_or_default();
    match authority.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        Some((address, _)) => address,
        None => authority.split(':').next().unwrap_or_default(),
    }
}

/// Whether a host is the machine that asks.
pub(crate) fn is_this_machine(host: &str) -> bool {
    let is_loopback = |address: IpAddr| address.is_loopback() || address.is_unspecified();
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(is_loopback)
}

#[cfg(test)]
mod tests {
    use super::{host_of, is_this_machine};

    #[test]
    fn a_model_on_this_machine_is_known_by_its_address() {
        for (url, host, is_here) in [
            ("http://127.0.0.1:11434", "127.0.0.1", true),
            ("http://localhost/v1", "localhost", true),
            ("http://[::1]:8080/v1", "::1", true),
            ("http://[::1]/v1", "::1", true),
            ("https://api.model.test/v1", "api.model.test", false),
            ("https://127.0.0.1:1@api.model.test/v1", "api.model.test", false),
            ("https://localhost@api.model.test", "api.model.test", false),
            ("https://[2001:db8::1]/v1", "2001:db8::1", false),
            ("", "", false),
        ] {
            assert_eq!((host_of(url), is_this_machine(host_of(url))), (host, is_here), "{url}");
        }
    }
}
