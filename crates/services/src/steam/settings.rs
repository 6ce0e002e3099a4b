//! `[tools.steam]`.

use std::path::{Path, PathBuf};

use abide_http::{AddressPolicy, Secret};

/// Whose games, and where from.
#[derive(Clone, Debug)]
pub struct SteamSettings {
    /// The address of Steam's service.
    pub url: String,
    /// Which addresses it may have: public ones.
    pub addresses: AddressPolicy,
    /// The key of the service.
    pub key: Option<Secret>,
    /// Whose games are meant where a call does not say it: a number of 17 digits or a name.
    pub steam_id: Option<String>,
    /// Folders of Steam on this machine; those that are not there are left out.
    pub roots: Vec<PathBuf>,
}

impl Default for SteamSettings {
    fn default() -> Self {
        Self {
            url: "https://api.steampowered.com".into(),
            addresses: AddressPolicy::Public,
            key: None,
            steam_id: None,
            roots: Vec::new(),
        }
    }
}

impl SteamSettings {
    /// Where Steam usually is below a person's home.
    pub fn usual_roots(home: &Path) -> Vec<PathBuf> {
        [
            ".steam/steam",
            ".local/share/Steam",
            ".var/app/com.valvesoftware.Steam/.local/share/Steam",
            "Library/Application Support/Steam",
        ]
        .iter()
        .map(|folder| home.join(folder))
        .collect()
    }
}
