//! Parts of a URL that may be shown: no user info, query or fragment.

use reqwest::Url;

/// The URL without user info, query and fragment.
pub(crate) fn bare_url(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path())
}

/// The host, lower case, IPv6 addresses without their brackets.
pub(crate) fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    host.trim_start_matches('[').trim_end_matches(']').to_owned()
}
