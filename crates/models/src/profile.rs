//! What is known of a provider or a server: a table, `profiles.toml`. No code asks for a provider by its name.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::{
    Dialect,
    request_features::{RequestFeature, RequestFeatures},
};

/// The table.
const TABLE: &str = include_str!("profiles.toml");

static PROFILES: LazyLock<Vec<ProviderProfile>> = LazyLock::new(|| {
    // A test reads the table; without one every server is asked in the usual way.
    let table: Table = toml::from_str(TABLE).unwrap_or_default();
    table.profile.into_iter().filter_map(Entry::read).collect()
});

/// What is known of one provider or server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderProfile {
    /// The name in the configuration.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// Its wire format.
    pub dialect: Dialect,
    /// Where it is.
    pub base_url: String,
    /// The variable that usually holds its key; empty where it needs none.
    pub key_env: String,
    /// Whether it is a server on this machine.
    pub is_local: bool,
    /// Whether it is looked for at the start.
    pub is_probed: bool,
    /// What its people should know; may be empty.
    pub note: String,
    pub(crate) features: RequestFeatures,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    profile: Vec<Entry>,
}

#[derive(Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    title: String,
    dialect: String,
    base_url: String,
    #[serde(default)]
    key_env: String,
    #[serde(default)]
    local: bool,
    probe: Option<bool>,
    stream_usage: Option<bool>,
    #[serde(default)]
    completion_tokens: bool,
    hand_back: Option<bool>,
    #[serde(default)]
    note: String,
}

impl Entry {
    fn read(self) -> Option<ProviderProfile> {
        let features = RequestFeatures::USUAL
            .with(RequestFeature::StreamUsage, self.stream_usage.unwrap_or(true))
            .with(RequestFeature::CompletionTokens, self.completion_tokens)
            .with(RequestFeature::HandBack, self.hand_back.unwrap_or(true));
        Some(ProviderProfile {
            dialect: Dialect::from_name(&self.dialect)?,
            name: self.name,
            title: self.title,
            base_url: self.base_url,
            key_env: self.key_env,
            is_local: self.local,
            is_probed: self.local && self.probe.unwrap_or(true),
            note: self.note,
            features,
        })
    }
}

/// All profiles, in the order in which they are looked for.
pub fn profiles() -> &'static [ProviderProfile] {
    &PROFILES
}

/// The profile of that name in the configuration.
pub fn profile_named(name: &str) -> Option<&'static ProviderProfile> {
    PROFILES.iter().find(|profile| profile.name == name)
}

/// The profile of the server at an address, asked in a dialect: the one whose address it is, else one of its host.
pub fn profile_at(dialect: Dialect, base_url: &str) -> Option<&'static ProviderProfile> {
    let base = base_url.trim().trim_end_matches('/');
    let fits = |profile: &&ProviderProfile| {
        is_kin(profile.dialect, dialect) && host(&profile.base_url) == host(base)
    };
    let exact =
        PROFILES.iter().find(|profile| profile.dialect == dialect && profile.base_url == base);
    exact.or_else(|| PROFILES.iter().find(fits))
}

/// The two interfaces of OpenAI are served by the same hosts.
fn is_kin(a: Dialect, b: Dialect) -> bool {
    let is_openai = |dialect| matches!(dialect, Dialect::OpenAiChat | Dialect::OpenAiResponses);
    a == b || (is_openai(a) && is_openai(b))
}

/// Host and port; the names of this machine are one.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    host.replace("localhost", "127.0.0.1").replace("[::1]", "127.0.0.1")
}

#[cfg(test)]
mod tests {
    use super::{TABLE, Table, profile_at, profile_named, profiles};
    use crate::{
        Dialect,
        request_features::{RequestFeature, RequestFeatures},
    };

    #[test]
    fn the_table_is_read_whole() {
        let table: Table = toml::from_str(TABLE).unwrap();
        assert_eq!(profiles().len(), table.profile.len(), "each dialect is known");
        let mut names: Vec<_> = profiles().iter().map(|profile| &profile.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), profiles().len(), "each name stands once");
        for profile in profiles() {
            assert!(profile.base_url.starts_with("http"), "{profile:?}");
            assert_eq!(profile.is_local, profile.key_env.is_empty(), "{profile:?}");
        }
    }

    #[test]
    fn a_server_is_known_by_its_address() {
        let name = |dialect, url| profile_at(dialect, url).map(|profile| profile.name.as_str());
        let chat = Dialect::OpenAiChat;
        assert_eq!(name(chat, "https://openrouter.ai/api/v1/"), Some("openrouter"));
        assert_eq!(name(chat, "https://api.openai.com/v1"), Some("openai-responses"));
        assert_eq!(name(chat, "http://localhost:11434/v1"), Some("ollama-v1"));
        assert_eq!(name(Dialect::Ollama, "http://127.0.0.1:11434"), Some("ollama"));
        assert_eq!(name(chat, "http://127.0.0.1:9/v1"), None);
        let groq = profile_named("groq").unwrap().features;
        assert!(
            !groq.has(RequestFeature::HandBack)
                && RequestFeatures::USUAL.has(RequestFeature::HandBack)
        );
    }
}
