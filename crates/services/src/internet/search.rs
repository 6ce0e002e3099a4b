//! `internet.search {query, count?, page?, time_range?, language?}`: searches the web.
//!
//! Returns `{"query", "notice", "results": [{title, url, snippet, published?}], "notes"}`. Ethereal: what others wrote is not kept.

use std::sync::Arc;

use abide_domain::{
    is_blank,
    tool::{EffectClass, ToolSpec},
};
use abide_tools::{Call, Output, Tool, ToolError, ToolErrorKind, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;

use super::backend::{SearchBackend, WebQuery};
use crate::{
    foreign_text::{NOTICE, short},
    limits::{QUERY_CHARS_MAX, RESULTS_DEFAULT, RESULTS_MAX},
    tool_spec::{bounded, filled, object_schema, optional_number, optional_text, tool_spec},
};

const TIME_RANGES: [&str; 3] = ["day", "month", "year"];
/// Longest code of a language, in bytes.
const LANGUAGE_BYTES_MAX: usize = 10;

/// The tool `internet.search`.
#[derive(Clone, Debug)]
pub struct SearchWeb {
    spec: ToolSpec,
    /// Or what a person has to do before a search can be made.
    backend: Result<Arc<dyn SearchBackend>, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    query: String,
    count: Option<u64>,
    page: Option<u32>,
    time_range: Option<String>,
    language: Option<String>,
}

impl SearchWeb {
    /// The tool with what searches for it; without, each call says what is missing, which is the error then.
    pub fn new(backend: Result<Arc<dyn SearchBackend>, String>) -> Self {
        let properties = json!({
            "query": {"type": "string", "description": "words to look for"},
            "count": optional_number(&format!("results, up to {RESULTS_MAX}; {RESULTS_DEFAULT} unless given")),
            "page": optional_number("the page of results, from 1"),
            "time_range": optional_text("day, month or year: how old a result may be"),
            "language": optional_text("a language such as en or de")
        });
        let description = "Searches the web. Gives titles, addresses and snippets; internet.fetch reads pages of allowed hosts.";
        let parameters = object_schema(&["query"], properties);
        let spec = tool_spec("internet.search", EffectClass::Read, description, parameters);
        Self { spec, backend }
    }

    async fn search(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let arguments: Arguments = parse_arguments(call.arguments)?;
        let count = bounded(arguments.count, RESULTS_DEFAULT, RESULTS_MAX);
        let query = query(arguments)?;
        let backend = self.backend.as_ref();
        let backend =
            backend.map_err(|missing| ToolError::of(ToolErrorKind::Blocked, missing.as_str()))?;
        let mut found = backend.search(&query).await?;
        found.results.truncate(count);
        let content = json!({
            "query": query.words,
            "notice": NOTICE,
            "results": found.results,
            "notes": found.notes,
        });
        let note = format!(
            "{} results of a web search for “{}”; not kept, search again if they are needed",
            found.results.len(),
            short(&query.words)
        );
        Ok(Output { ethereal: Some(note), ..Output::json(&content) })
    }
}

impl Tool for SearchWeb {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.search(call))
    }
}

fn query(arguments: Arguments) -> Result<WebQuery, ToolError> {
    let words = arguments.query.trim().to_owned();
    if is_blank(&words) {
        return Err(ToolError::new("query: is blank; say what to look for"));
    }
    if words.chars().count() > QUERY_CHARS_MAX {
        return Err(ToolError::new(format!("query: has more than {QUERY_CHARS_MAX} characters")));
    }
    let time_range = filled(arguments.time_range);
    if time_range.as_deref().is_some_and(|range| !TIME_RANGES.contains(&range)) {
        return Err(ToolError::new("time_range: must be day, month or year"));
    }
    let language = filled(arguments.language);
    let is_code = |code: &str| {
        code.len() <= LANGUAGE_BYTES_MAX
            && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    if language.as_deref().is_some_and(|code| !is_code(code)) {
        return Err(ToolError::new("language: must be a code such as en or de"));
    }
    Ok(WebQuery { words, page: arguments.page.unwrap_or(1), time_range, language })
}
