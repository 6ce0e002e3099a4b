//! `steam.*`: a person's games: what they own, what they play, what is installed on this machine.
//!
//! The key goes into requests and nowhere else: errors name the host, results name games.

mod get_installed;
mod get_library;
mod get_recent_games;
mod hours;
mod installed;
mod played;
mod player_service;
mod resolve_id;
mod settings;
mod vdf;

use std::sync::Arc;

use abide_http::ClientSettings;
use abide_tools::Tool;

pub use get_installed::GetInstalled;
pub use get_library::GetLibrary;
pub use get_recent_games::GetRecentGames;
pub use resolve_id::ResolveId;
pub use settings::SteamSettings;

use crate::ServiceCheck;
use player_service::PlayerService;

/// The tools of `steam.*`.
pub fn steam_tools(settings: &SteamSettings, http: &ClientSettings) -> Vec<Arc<dyn Tool>> {
    let service = Arc::new(PlayerService::new(settings, http));
    vec![
        Arc::new(GetLibrary::new(Arc::clone(&service))),
        Arc::new(GetRecentGames::new(Arc::clone(&service))),
        Arc::new(GetInstalled::new(settings.roots.clone(), settings.steam_id.clone())),
        Arc::new(ResolveId::new(service)),
    ]
}

/// Says what of `steam.*` works. Looks at the folders, asks nobody.
pub async fn check_steam(settings: &SteamSettings) -> Vec<ServiceCheck> {
    let key = match (&settings.key, &settings.steam_id) {
        (None, _) => ServiceCheck::warn("steam", settings.missing_key()),
        (Some(_), None) => ServiceCheck::ok(
            "steam",
            "has a key; `id` in [tools.steam] would say whose games are meant",
        ),
        (Some(_), Some(_)) => {
            ServiceCheck::ok("steam", "has a key and knows whose games are meant")
        }
    };
    let roots = settings.roots.clone();
    let found = tokio::task::spawn_blocking(move || installed::read_installed(&roots)).await;
    let installed = match found {
        Ok(found) if found.libraries > 0 => ServiceCheck::ok(
            "steam.get_installed",
            format!("{} games in {} library folders", found.games.len(), found.libraries),
        ),
        _ => ServiceCheck::warn(
            "steam.get_installed",
            "no Steam folder was found; list its folders under `roots` in [tools.steam]",
        ),
    };
    vec![key, installed]
}
