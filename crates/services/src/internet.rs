//! `internet.*`: search the web, read pages of hosts that a person listed, say which those are.

mod backend;
mod brave;
mod fetch;
mod list_allowed;
mod page_client;
mod recorded;
mod search;
mod searxng;
mod settings;

use std::sync::Arc;

use abide_http::ClientSettings;
use abide_tools::Tool;

pub use backend::{SearchBackend, WebQuery, WebResult, WebResults};
pub use fetch::FetchPage;
pub use list_allowed::ListAllowed;
pub use recorded::RecordedSearch;
pub use search::SearchWeb;
pub use settings::InternetSettings;

use crate::{ServiceCheck, allow_list::AllowedHosts};
use brave::BraveSearch;
use searxng::SearxngSearch;

/// The tools of `internet.*`. `http` gives the clock and the look-up of names; where each client may connect is decided by
/// `settings`.
pub fn internet_tools(settings: &InternetSettings, http: &ClientSettings) -> Vec<Arc<dyn Tool>> {
    let allowed = Arc::new(settings.allowed.clone());
    vec![
        Arc::new(SearchWeb::new(search_backend(settings, http))),
        Arc::new(FetchPage::new(Arc::clone(&allowed), settings.addresses, http)),
        Arc::new(ListAllowed::new(allowed)),
    ]
}

/// The backend that the settings name: recorded searches, else SearXNG, else Brave. The error says what is missing.
fn search_backend(
    settings: &InternetSettings,
    http: &ClientSettings,
) -> Result<Arc<dyn SearchBackend>, String> {
    if let Some(folder) = &settings.recorded_searches {
        return Ok(Arc::new(RecordedSearch::new(folder.clone())));
    }
    if let Some(url) = &settings.searxng_url {
        return Ok(Arc::new(SearxngSearch::new(url.clone(), http)));
    }
    let key = settings.brave_key.clone().ok_or_else(|| settings.missing_search())?;
    Ok(Arc::new(BraveSearch::new(settings.brave_url.clone(), key, http)))
}

/// Says what of `internet.*` works; searches once where a search service is configured.
pub async fn check_internet(
    settings: &InternetSettings,
    http: &ClientSettings,
) -> Vec<ServiceCheck> {
    vec![check_search(settings, http).await, check_fetch(&settings.allowed)]
}

async fn check_search(settings: &InternetSettings, http: &ClientSettings) -> ServiceCheck {
    const SERVICE: &str = "internet.search";
    let backend = match search_backend(settings, http) {
        Ok(backend) => backend,
        Err(missing) => return ServiceCheck::warn(SERVICE, missing),
    };
    let query = WebQuery { words: "abide".into(), ..WebQuery::default() };
    match backend.search(&query).await {
        Ok(found) => {
            let count = found.results.len();
            ServiceCheck::ok(SERVICE, format!("{} answered with {count} results", backend.name()))
        }
        Err(error) => ServiceCheck::warn(SERVICE, error.to_text()),
    }
}

fn check_fetch(allowed: &AllowedHosts) -> ServiceCheck {
    const SERVICE: &str = "internet.fetch";
    let hosts: Vec<&str> = allowed.texts().collect();
    if hosts.is_empty() {
        return ServiceCheck::warn(
            SERVICE,
            "no page can be read: list hosts under `allowed` in [tools.internet]",
        );
    }
    ServiceCheck::ok(SERVICE, format!("pages of {} can be read", hosts.join(", ")))
}
