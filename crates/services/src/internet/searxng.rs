//! SearXNG: a search service of one's own.

use abide_http::{AddressPolicy, ClientSettings, Request};
use abide_tools::{ToolError, ToolErrorKind};
use futures_util::future::BoxFuture;
use serde_json::Value;

use super::backend::{SearchBackend, WebQuery, WebResults, parse_results};
use crate::{
    answer::status_error,
    document::html::plain_text,
    limits::TITLE_CHARS_MAX,
    service_client::{ServiceClient, client_for, service_url},
};

/// What a person has to do where SearXNG gives no JSON.
const JSON_IS_OFF: &str =
    "SearXNG gives no JSON: add `json` to `search.formats` in its settings.yml and start it anew";
/// Suggestions and silent engines that are repeated.
const NOTES_MAX: usize = 5;

/// A SearXNG.
#[derive(Debug)]
pub(super) struct SearxngSearch {
    url: String,
    service: ServiceClient,
}

impl SearxngSearch {
    pub(super) fn new(url: String, http: &ClientSettings) -> Self {
        let client = client_for(http, AddressPolicy::Any, Vec::new());
        Self { url, service: ServiceClient { name: "SearXNG", client } }
    }

    async fn ask(&self, query: &WebQuery) -> Result<WebResults, ToolError> {
        let page = query.page.max(1).to_string();
        let mut pairs = vec![("q", query.words.as_str()), ("format", "json"), ("pageno", &page)];
        pairs.extend(query.time_range.as_deref().map(|range| ("time_range", range)));
        pairs.extend(query.language.as_deref().map(|language| ("language", language)));
        let request = Request::get(service_url(&self.url, "search", &pairs)?);
        let answer = self.service.send(request.accept("application/json")).await?;
        if answer.status.as_u16() == 403 {
            return Err(ToolError::of(ToolErrorKind::Forbidden, JSON_IS_OFF));
        }
        if !answer.status.is_success() {
            return Err(status_error(self.service.name, &answer, self.service.now()));
        }
        if answer.media_type() == "text/html" {
            return Err(ToolError::of(ToolErrorKind::Unreadable, JSON_IS_OFF));
        }
        let found = self.service.parse(answer.body).await?;
        let results = parse_results(found.get("results"), "content", "publishedDate");
        Ok(WebResults { results, notes: notes(&found) })
    }
}

impl SearchBackend for SearxngSearch {
    fn name(&self) -> &'static str {
        self.service.name
    }

    fn search<'a>(&'a self, query: &'a WebQuery) -> BoxFuture<'a, Result<WebResults, ToolError>> {
        Box::pin(self.ask(query))
    }
}

fn notes(found: &Value) -> Vec<String> {
    let list = |name: &str| found.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut notes = Vec::new();
    for answer in list("answers").iter().take(NOTES_MAX) {
        // An answer is a text, or since 2024 an object with one.
        let text = answer.as_str().or_else(|| answer.get("answer").and_then(Value::as_str));
        notes.extend(text.map(|text| format!("answer: {}", plain_text(text, TITLE_CHARS_MAX))));
    }
    for suggestion in list("suggestions").iter().take(NOTES_MAX).filter_map(Value::as_str) {
        notes.push(format!("also try: {}", plain_text(suggestion, TITLE_CHARS_MAX)));
    }
    let silent = list("unresponsive_engines");
    if !silent.is_empty() {
        notes.push(format!("{} search engines behind it did not answer", silent.len()));
    }
    notes
}
