//! What a request's address may hold: text, and the parameters that its route documents, each once. A misspelt parameter
//! would otherwise widen the answer without a word: `?citzen=ada` is not everybody.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use axum::{
    extract::{MatchedPath, Query, Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use http::Method;
use utoipa::openapi::{
    OpenApi, PathItem, RefOr,
    path::{Operation, ParameterIn},
};

use super::{error::ApiError, page};

/// The names of the parameters of each method of each route. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct KnownParameters(Arc<BTreeMap<(&'static str, String), BTreeSet<String>>>);

/// Of a route that has none.
static NONE: BTreeSet<String> = BTreeSet::new();

impl KnownParameters {
    /// Those that the document of this interface has, so that both always say the same.
    pub(super) fn of(document: OpenApi) -> Self {
        let mut known = BTreeMap::new();
        for (path, item) in document.paths.paths {
            let PathItem { get, post, put, delete, .. } = item;
            for (method, operation) in
                [("get", get), ("post", post), ("put", put), ("delete", delete)]
            {
                if let Some(operation) = operation {
                    known.insert((method, path.clone()), names(operation));
                }
            }
        }
        Self(Arc::new(known))
    }

    /// Those of a route.
    pub(super) fn of_route(&self, method: &Method, path: &str) -> &BTreeSet<String> {
        self.0.get(&(method_name(method), path.to_owned())).unwrap_or(&NONE)
    }
}

/// Lets a request through or answers it.
pub(super) async fn check_address(
    State(known): State<KnownParameters>,
    request: Request,
    next: Next,
) -> Response {
    match check(&known, &request) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

fn check(known: &KnownParameters, request: &Request) -> Result<(), ApiError> {
    if !is_text(request.uri().path()) {
        return Err(ApiError::malformed("the path is not UTF-8"));
    }
    // A page's address may carry whatever a link to it had.
    let is_page = page::is_screen(request.uri().path(), request.headers());
    let Some(path) = request.extensions().get::<MatchedPath>().filter(|_| !is_page) else {
        return Ok(());
    };
    let Query(given) = Query::<Vec<(String, String)>>::try_from_uri(request.uri())
        .map_err(|_| ApiError::malformed("the query string cannot be read"))?;
    if given.is_empty() {
        return Ok(());
    }
    let known = known.of_route(request.method(), path.as_str());
    let mut seen = BTreeSet::new();
    for (name, _) in &given {
        let shown: String = name.chars().take(64).collect();
        // The specification of evidence writes dashes.
        if !known.contains(&name.replace('-', "_")) {
            return Err(ApiError::malformed(format!(
                "there is no query parameter `{shown}` here; {}",
                in_words(known)
            )));
        }
        if !seen.insert(name) {
            return Err(ApiError::malformed(format!("the query parameter `{shown}` stands twice")));
        }
    }
    Ok(())
}

fn in_words(known: &BTreeSet<String>) -> String {
    if known.is_empty() {
        return "this route has none".to_owned();
    }
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    format!("known ones are {}", names.join(", "))
}

/// The method whose parameters count.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET | Method::HEAD => "get",
        Method::POST => "post",
        Method::PUT => "put",
        Method::DELETE => "delete",
        _ => "",
    }
}

fn names(operation: Operation) -> BTreeSet<String> {
    let parameters = operation.parameters.unwrap_or_default().into_iter();
    let named = parameters.filter_map(|parameter| match parameter {
        RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Query => Some(parameter.name),
        RefOr::T(_) | RefOr::Ref(_) => None,
    });
    named.collect()
}

/// Whether a path is UTF-8 once its escapes are undone.
fn is_text(path: &str) -> bool {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escaped = match tail {
            [high, low, ..] if first == b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                digit(*high).zip(digit(*low)).and_then(|(h, l)| u8::try_from(h * 16 + l).ok())
            }
            _ => None,
        };
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { tail.get(2..).unwrap_or_default() } else { tail };
    }
    std::str::from_utf8(&bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_text;

    #[test]
    fn a_path_is_text() {
        for path in ["/", "/a%20b", "/%C3%A9", "/é", "/100%", "/%zz", "/%4"] {
            assert!(is_text(path), "{path}");
        }
        for path in ["/%ff", "/a/%C3/b", "/%e2%82"] {
            assert!(!is_text(path), "{path}");
        }
    }
}
