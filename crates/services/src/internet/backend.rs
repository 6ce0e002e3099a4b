//! What searches the web.

use std::fmt;

use abide_tools::ToolError;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    document::html::plain_text,
    limits::{RESULTS_MAX, SNIPPET_CHARS_MAX, TITLE_CHARS_MAX, URL_BYTES_MAX},
};

/// A search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebQuery {
    /// What is looked for.
    pub words: String,
    /// The page of results, from 1; 0 is the first too.
    pub page: u32,
    /// `day`, `month` or `year`: how old a result may be.
    pub time_range: Option<String>,
    /// A language such as `en` or `de`.
    pub language: Option<String>,
}

/// One result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebResult {
    /// Its title, plain.
    pub title: String,
    /// Its address.
    pub url: String,
    /// A piece of it, plain.
    #[serde(default)]
    pub snippet: String,
    /// When it was published, as the service says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
}

/// The results of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebResults {
    /// The results, best first.
    pub results: Vec<WebResult>,
    /// What the service says beside them, such as other words to look for.
    pub notes: Vec<String>,
}

/// A service that searches the web.
pub trait SearchBackend: Send + Sync + fmt::Debug {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Searches. Nothing found is no error.
    fn search<'a>(&'a self, query: &'a WebQuery) -> BoxFuture<'a, Result<WebResults, ToolError>>;
}

/// Reads a list of results whose fields have these names; what has no address is left out.
pub(super) fn parse_results(list: Option<&Value>, snippet: &str, date: &str) -> Vec<WebResult> {
    let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = |item: &Value, name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
    let results = list.iter().take(RESULTS_MAX * 2).filter_map(|item| {
        let url = text(item, "url")?;
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        let fits = is_web && url.len() <= URL_BYTES_MAX;
        fits.then(|| WebResult {
            title: plain_text(&text(item, "title").unwrap_or_default(), TITLE_CHARS_MAX),
            snippet: plain_text(&text(item, snippet).unwrap_or_default(), SNIPPET_CHARS_MAX),
            published: text(item, date).map(|date| plain_text(&date, TITLE_CHARS_MAX)),
            url: crate::foreign_text::without_hidden(&url),
        })
    });
    results.collect()
}
