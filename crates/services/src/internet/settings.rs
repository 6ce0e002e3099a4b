//! `[tools.internet]`.

use std::path::PathBuf;

use abide_http::{AddressPolicy, Secret};

use crate::allow_list::AllowedHosts;

/// What `internet.*` may do.
#[derive(Clone, Debug)]
pub struct InternetSettings {
    /// Hosts whose pages may be read; none by default.
    pub allowed: AllowedHosts,
    /// Which addresses pages may come from: public ones. Anything else is for tests and for a network that a person owns.
    pub addresses: AddressPolicy,
    /// A SearXNG of one's own, such as `http://127.0.0.1:8888`; any address, since a person wrote it down.
    pub searxng_url: Option<String>,
    /// Brave's address.
    pub brave_url: String,
    /// Brave's key; used where no SearXNG is named.
    pub brave_key: Option<Secret>,
    /// The variable that was to hold Brave's key; empty where none is named.
    pub brave_key_env: String,
    /// A folder of recorded searches, which wins over both: for demonstrations and tests.
    pub recorded_searches: Option<PathBuf>,
}

impl Default for InternetSettings {
    fn default() -> Self {
        Self {
            allowed: AllowedHosts::default(),
            addresses: AddressPolicy::Public,
            searxng_url: None,
            brave_url: "https://api.search.brave.com".into(),
            brave_key: None,
            brave_key_env: String::new(),
            recorded_searches: None,
        }
    }
}

impl InternetSettings {
    /// What a person has to do before a search can be made.
    pub(super) fn missing_search(&self) -> String {
        match self.brave_key_env.as_str() {
            "" => "no search service is configured: set `searxng_url` or `brave_key_env` in [tools.internet]".to_owned(),
            name => format!(
                "{name}, which `brave_key_env` in [tools.internet] names, is not set in the environment: set it to the key where the \
                 keeper is started"
            ),
        }
    }
}
