//! `[tools.scryfall]`.

use std::path::PathBuf;

use abide_http::AddressPolicy;

use crate::disk_cache::DiskCacheSettings;

/// Where cards come from.
#[derive(Clone, Debug)]
pub struct ScryfallSettings {
    /// Scryfall's address.
    pub url: String,
    /// Which addresses it may have: public ones.
    pub addresses: AddressPolicy,
    /// Where answers are kept for a day.
    pub cache: DiskCacheSettings,
}

impl ScryfallSettings {
    /// Scryfall itself, cached below a folder.
    pub fn new(cache_folder: impl Into<PathBuf>) -> Self {
        Self {
            url: "https://api.scryfall.com".into(),
            addresses: AddressPolicy::Public,
            cache: DiskCacheSettings::new(cache_folder),
        }
    }
}
