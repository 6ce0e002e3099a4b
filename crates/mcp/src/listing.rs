//! Reads a list of a server, page after page, up to a bound and never in a circle.

use std::collections::HashSet;

use abide_tools::CallProgress;
use rmcp::model::{ClientRequest, ListResourcesRequest, ListToolsRequest, PaginatedRequestParams};
use serde_json::Value;

use crate::{
    limits::{LIST_BYTES_MAX, PAGES_MAX, REFRESH_LIMIT, TOOLS_MAX},
    request::{RequestError, RequestLimits, request},
    session::Link,
};

/// A list, as far as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Listing {
    /// Its items, as the server sent them.
    pub(crate) items: Vec<Value>,
    /// Why it is not all of it.
    pub(crate) problem: Option<String>,
}

/// One page of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Page {
    pub(crate) items: Vec<Value>,
    /// Where the next one begins.
    pub(crate) next: Option<String>,
}

/// Reads all pages of `tools/list`.
pub(crate) async fn list_tools(link: &Link) -> Result<Listing, RequestError> {
    let (mut listing, mut seen, mut cursor) = (Listing::default(), HashSet::new(), None);
    let mut bytes = 0;
    // Nobody watches a list as it is read.
    let unwatched = CallProgress::default();
    for _ in 0..PAGES_MAX {
        let params = cursor.take().map(from_cursor);
        let message = ListToolsRequest { params, ..ListToolsRequest::default() }.into();
        let answer = request(link, message, (list_limits(), &unwatched)).await?;
        bytes += answer.to_string().len();
        if bytes > LIST_BYTES_MAX {
            listing.problem = Some(format!("the list stopped at {LIST_BYTES_MAX} bytes"));
            return Ok(listing);
        }
        let page = read_page(&answer, "tools")?;
        listing.items.extend(page.items);
        if listing.items.len() > TOOLS_MAX {
            listing.items.truncate(TOOLS_MAX);
            listing.problem = Some(format!("only the first {TOOLS_MAX} tools are used"));
            return Ok(listing);
        }
        let Some(next) = page.next else { return Ok(listing) };
        if !seen.insert(next.clone()) {
            listing.problem = Some("the list stopped where a cursor came again".to_owned());
            return Ok(listing);
        }
        cursor = Some(next);
    }
    listing.problem = Some(format!("the list stopped after {PAGES_MAX} pages"));
    Ok(listing)
}

/// Asks for one page of `resources/list`.
pub(crate) fn ask_for_resources(cursor: Option<String>) -> ClientRequest {
    let params = cursor.map(from_cursor);
    ListResourcesRequest { params, ..ListResourcesRequest::default() }.into()
}

/// Reads the answer.
pub(crate) fn read_resources(answer: &Value) -> Result<Page, RequestError> {
    read_page(answer, "resources")
}

fn from_cursor(cursor: String) -> PaginatedRequestParams {
    PaginatedRequestParams::default().with_cursor(Some(cursor))
}

fn list_limits() -> RequestLimits {
    RequestLimits { idle: REFRESH_LIMIT, total: REFRESH_LIMIT }
}

fn read_page(result: &Value, key: &str) -> Result<Page, RequestError> {
    let items = result.get(key).and_then(Value::as_array).ok_or_else(|| {
        RequestError::Unreadable(format!("the answer to `{key}/list` has no list of {key}"))
    })?;
    let next = result.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
    Ok(Page { items: items.clone(), next })
}
