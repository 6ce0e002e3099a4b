//! Brave's search service, with a key.

use std::time::Duration;

use abide_http::{AddressPolicy, ClientSettings, Request, Secret};
use abide_tools::{ToolError, ToolErrorKind};
use futures_util::future::BoxFuture;
use http::HeaderName;

use super::backend::{SearchBackend, WebQuery, WebResults, parse_results};
use crate::{
    answer::status_error,
    limits::RESULTS_MAX,
    service_client::{ServiceClient, client_for, pace_of, service_url},
};

/// The small plan allows one request a second.
const INTERVAL: Duration = Duration::from_secs(1);
/// The last page that it gives.
const PAGES_MAX: u32 = 10;

/// Brave.
#[derive(Debug)]
pub(super) struct BraveSearch {
    url: String,
    key: Secret,
    service: ServiceClient,
}

impl BraveSearch {
    pub(super) fn new(url: String, key: Secret, http: &ClientSettings) -> Self {
        let client = client_for(http, AddressPolicy::Any, pace_of(&url, INTERVAL));
        Self { url, key, service: ServiceClient { name: "Brave Search", client } }
    }

    async fn ask(&self, query: &WebQuery) -> Result<WebResults, ToolError> {
        let count = RESULTS_MAX.to_string();
        let offset = query.page.clamp(1, PAGES_MAX).saturating_sub(1).to_string();
        let mut pairs = vec![("q", query.words.as_str()), ("count", &count), ("offset", &offset)];
        let freshness = query.time_range.as_deref().and_then(|range| match range {
            "day" => Some("pd"),
            "month" => Some("pm"),
            "year" => Some("py"),
            _ => None,
        });
        pairs.extend(freshness.map(|range| ("freshness", range)));
        pairs.extend(query.language.as_deref().map(|language| ("search_lang", language)));
        let url = service_url(&self.url, "res/v1/web/search", &pairs)?;
        let name = HeaderName::from_static("x-subscription-token");
        let request = Request::get(url).secret_header(name, "", &self.key);
        let answer = self.service.send(request.accept("application/json")).await?;
        match answer.status.as_u16() {
            200 => {}
            401 | 403 | 422 => {
                let message =
                    "Brave Search refuses the key: see `brave_key_env` in [tools.internet]";
                return Err(ToolError::of(ToolErrorKind::Forbidden, message));
            }
            _ => return Err(status_error(self.service.name, &answer, self.service.now())),
        }
        let found = self.service.parse(answer.body).await?;
        let results = parse_results(found.pointer("/web/results"), "description", "page_age");
        Ok(WebResults { results, notes: Vec::new() })
    }
}

impl SearchBackend for BraveSearch {
    fn name(&self) -> &'static str {
        self.service.name
    }

    fn search<'a>(&'a self, query: &'a WebQuery) -> BoxFuture<'a, Result<WebResults, ToolError>> {
        Box::pin(self.ask(query))
    }
}
