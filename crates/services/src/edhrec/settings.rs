//! `[tools.edhrec]`.

use std::{path::PathBuf, time::Duration};

use abide_http::AddressPolicy;

use crate::disk_cache::DiskCacheSettings;

/// Where recommendations come from.
#[derive(Clone, Debug)]
pub struct EdhrecSettings {
    /// Whether EDHREC is asked at all; it is not by default.
    pub enabled: bool,
    /// The address of its pages as JSON.
    pub json_url: String,
    /// The address of its site, which is asked where the other has no page.
    pub site_url: String,
    /// Which addresses both may have: public ones.
    pub addresses: AddressPolicy,
    /// How long a page is kept: three days; from one to seven are possible.
    pub page_age: Duration,
    /// Where pages are kept.
    pub cache: DiskCacheSettings,
}

impl EdhrecSettings {
    /// EDHREC itself, cached below a folder, and turned off.
    pub fn new(cache_folder: impl Into<PathBuf>) -> Self {
        Self {
            enabled: false,
            json_url: "https://json.edhrec.com".into(),
            site_url: "https://edhrec.com".into(),
            addresses: AddressPolicy::Public,
            page_age: Duration::from_hours(3 * 24),
            cache: DiskCacheSettings::new(cache_folder),
        }
    }
}
