//! `edhrec.*`: what others play with a commander. Off unless a person turns it on: EDHREC publishes no terms for this use.

mod deck_page;
mod get_recommendations;
mod page_service;
mod settings;
mod slug;

use std::sync::Arc;

use abide_http::ClientSettings;
use abide_tools::Tool;

pub use get_recommendations::GetRecommendations;
pub use settings::EdhrecSettings;

use crate::ServiceCheck;
use page_service::PageService;

/// The tools of `edhrec.*`.
pub fn edhrec_tools(settings: &EdhrecSettings, http: &ClientSettings) -> Vec<Arc<dyn Tool>> {
    let service = settings.enabled.then(|| Arc::new(PageService::new(settings, http)));
    vec![Arc::new(GetRecommendations::new(service))]
}

/// Says what of `edhrec.*` works. Asks nobody.
pub fn check_edhrec(settings: &EdhrecSettings) -> Vec<ServiceCheck> {
    const SERVICE: &str = "edhrec";
    vec![if settings.enabled {
        ServiceCheck::ok(SERVICE, "on; one request a second at most, pages are kept for days")
    } else {
        ServiceCheck::warn(SERVICE, get_recommendations::NOT_ENABLED)
    }]
}
