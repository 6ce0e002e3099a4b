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
    /// The variable that was to hold the key; empty where none is named.
    pub key_env: String,
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
            key_env: String::new(),
            steam_id: None,
            roots: Vec::new(),
        }
    }
}

impl SteamSettings {
    /// What a person has to do before Steam can be asked, where there is no key.
    pub(super) fn missing_key(&self) -> String {
        let what = match self.key_env.as_str() {
            "" => "no key of Steam is configured: get one at https://steamcommunity.com/dev/apikey and set `key_env` in [tools.steam]"
                .to_owned(),
            name => format!(
                "{name}, which `key_env` in [tools.steam] names, is not set in the environment: set it to the key from \
                 https://steamcommunity.com/dev/apikey where the keeper is started"
            ),
        };
        format!("{what}; steam.get_installed works without")
    }

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
