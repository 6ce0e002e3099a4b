//! The built web client: its shell at the address of every screen, its files by the hash in their names.
//!
//! Built by `make web` and compiled in with a brotli and a gzip form beside each file, so that nothing is compressed while
//! somebody waits. Where it was not built (no Node), `page` shows the plain page in its place. Nothing here looks at the
//! disk, and nothing needs a token: the shell says nothing until it is signed in.

use std::borrow::Cow;

use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use rust_embed::{EmbeddedFile, RustEmbed};

/// The client's files; none where it was not built.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../web/dist"]
#[allow_missing = true]
struct Built;

/// Addresses of screens. Some are addresses of the interface too: a browser that asks for a page by name gets the page.
const SCREENS: [&str; 9] = [
    "/chat",
    "/timeline",
    "/cortex",
    "/agents",
    "/watchdog",
    "/stdout",
    "/decks",
    "/media",
    "/settings",
];
/// Screens that name something behind themselves: an agent, or a deck.
const SCREENS_OF_ONE: [&str; 3] = ["/chat/", "/cortex/", "/decks/"];

/// What a browser unpacks, the smaller first.
const ENCODINGS: [(&str, &str); 2] = [("br", "br"), ("gzip", "gz")];

/// Whether a path is the address of a screen.
pub(super) fn is_screen(path: &str) -> bool {
    let of_one = |prefix: &str| {
        path.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() && !rest.contains('/'))
    };
    SCREENS.contains(&path) || SCREENS_OF_ONE.into_iter().any(of_one)
}

/// The page that all screens are parts of; none where the client was not built.
pub(super) fn shell(headers: &HeaderMap) -> Option<Response> {
    // It names the files of this build, so it is asked for again each time; that costs a hash.
    serve("index.html", headers, "no-cache")
}

/// A file by its name below `/assets`; none where the client has no such file.
pub(super) fn asset(name: &str, headers: &HeaderMap) -> Option<Response> {
    // Its name has the hash of its content: another content is another file.
    serve(&format!("assets/{name}"), headers, "public, max-age=31536000, immutable")
}

fn serve(path: &str, headers: &HeaderMap, caching: &'static str) -> Option<Response> {
    let whole = Built::get(path)?;
    let tag = format!("\"{}\"", hex::encode(whole.metadata.sha256_hash()));
    let mut response = if has_tag(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        packed(path, headers, whole)
    };
    let fixed = response.headers_mut();
    fixed.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    fixed.insert(header::VARY, HeaderValue::from_static("accept, accept-encoding"));
    if let Ok(tag) = HeaderValue::try_from(tag) {
        fixed.insert(header::ETAG, tag);
    }
    Some(response)
}

fn packed(path: &str, headers: &HeaderMap, whole: EmbeddedFile) -> Response {
    let media_type = [(header::CONTENT_TYPE, media_type(path))];
    let found = ENCODINGS
        .into_iter()
        .filter(|(name, _)| takes(headers, name))
        .find_map(|(name, extension)| Some((name, Built::get(&format!("{path}.{extension}"))?)));
    match found {
        Some((name, file)) => {
            (media_type, [(header::CONTENT_ENCODING, name)], bytes_of(file)).into_response()
        }
        None => (media_type, bytes_of(whole)).into_response(),
    }
}

/// A file's bytes, which no answer has a copy of: they are in the program.
pub(super) fn bytes_of(file: EmbeddedFile) -> Bytes {
    match file.data {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    }
}

/// Whether `Accept-Encoding` names an encoding and does not refuse it.
fn takes(headers: &HeaderMap, encoding: &str) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter();
    let mut parts =
        values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    parts.any(|part| {
        let (name, weight) = part.split_once(';').unwrap_or((part, ""));
        let is_refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case(encoding) && !is_refused
    })
}

fn has_tag(headers: &HeaderMap, tag: &str) -> bool {
    let values = headers.get_all(header::IF_NONE_MATCH).iter();
    let mut parts =
        values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    parts.any(|part| part.trim().trim_start_matches("W/") == tag)
}

/// The media type of a file by its name.
pub(super) fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, header};

    use super::{Built, asset, is_screen, shell, takes};

    fn accepting(encodings: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::ACCEPT_ENCODING, encodings.parse().unwrap())])
    }

    #[test]
    fn screens_are_told_from_routes_below_them() {
        for screen in ["/chat", "/chat/felix", "/cortex/felix", "/decks", "/decks/d1", "/settings"]
        {
            assert!(is_screen(screen), "{screen}");
        }
        for route in
            ["/", "/agents/felix", "/chat/", "/decks/a/b", "/deck/list", "/events", "/settingsx"]
        {
            assert!(!is_screen(route), "{route}");
        }
    }

    #[test]
    fn an_encoding_is_used_only_where_it_is_taken() {
        assert!(takes(&accepting("gzip, deflate, br"), "br"));
        assert!(takes(&accepting("br;q=0.5"), "br"));
        assert!(!takes(&accepting("gzip"), "br"));
        assert!(!takes(&accepting("br;q=0, gzip"), "br"));
        assert!(!takes(&HeaderMap::new(), "gzip"));
    }

    #[test]
    fn a_client_that_was_built_is_whole_packed_and_kept_by_browsers() {
        let names: Vec<_> = Built::iter().collect();
        if names.is_empty() {
            // Nothing was built here: there is a plain page in its place, and `tests/it/web.rs` asks for that one.
            assert!(shell(&HeaderMap::new()).is_none());
            return;
        }
        let page = String::from_utf8(Built::get("index.html").unwrap().data.into_owned()).unwrap();
        assert_eq!(
            page.matches("<script").count(),
            page.matches("<script type=\"module\"").count()
        );
        // Very small ones do not shrink.
        let is_packed = |name: &str| Built::get(&format!("{name}.br")).is_some();
        let script = names.iter().find(|name| name.ends_with(".js") && is_packed(name)).unwrap();
        let script = script.strip_prefix("assets/").unwrap();
        let response = asset(script, &accepting("gzip, br")).unwrap();
        assert_eq!(response.headers()[header::CONTENT_ENCODING], "br");
        assert!(response.headers()[header::CACHE_CONTROL].to_str().unwrap().contains("immutable"));
        let tag = response.headers()[header::ETAG].clone();
        let again = HeaderMap::from_iter([(header::IF_NONE_MATCH, tag)]);
        assert_eq!(asset(script, &again).unwrap().status(), 304);
    }
}
