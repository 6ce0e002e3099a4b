//! `[tools.rss]`.

use std::path::PathBuf;

use abide_http::AddressPolicy;

use crate::{allow_list::AllowedHosts, disk_cache::DiskCacheSettings};

/// What `rss.*` may do.
#[derive(Clone, Debug)]
pub struct RssSettings {
    /// Hosts whose feeds an agent may subscribe to by itself; a person is asked about others. Redirects and pages lead to
    /// these hosts and to the one that was asked about. None by default: an address can carry away what an agent knows.
    pub allowed: AllowedHosts,
    /// Which addresses feeds may come from: public ones.
    pub addresses: AddressPolicy,
    /// Where the last copy of each feed is kept, with how long its server asked to wait.
    pub cache: DiskCacheSettings,
}

impl RssSettings {
    /// Public feeds, cached below a folder; a person is asked before each subscription.
    pub fn new(cache_folder: impl Into<PathBuf>) -> Self {
        Self {
            allowed: AllowedHosts::default(),
            addresses: AddressPolicy::Public,
            cache: DiskCacheSettings::new(cache_folder),
        }
    }
}
