//! `scryfall.*`: cards of Magic: The Gathering.

mod card;
mod card_service;
mod get_card_details;
mod search;
mod settings;

use std::sync::Arc;

use abide_http::ClientSettings;
use abide_tools::Tool;

pub use get_card_details::GetCardDetails;
pub use search::SearchCards;
pub use settings::ScryfallSettings;

use crate::ServiceCheck;
use card_service::CardService;

/// The tools of `scryfall.*`. They share their paces, their cache and what a refusal locks out.
pub fn scryfall_tools(settings: &ScryfallSettings, http: &ClientSettings) -> Vec<Arc<dyn Tool>> {
    let service = Arc::new(CardService::new(settings, http));
    vec![Arc::new(GetCardDetails::new(Arc::clone(&service))), Arc::new(SearchCards::new(service))]
}

/// Says what of `scryfall.*` works. Asks nobody.
pub fn check_scryfall(settings: &ScryfallSettings) -> Vec<ServiceCheck> {
    let text = format!("cards of {} need no key; answers are kept for a day", settings.url);
    vec![ServiceCheck::ok("scryfall", text)]
}
