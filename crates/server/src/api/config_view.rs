//! The values in force, where each comes from, and how it is changed. No value is a secret: keys are named by their
//! variable (see `crate::config`).

use std::path::Path;

use abide_models::{KnownKey, known_keys};
use serde::Serialize;
use utoipa::ToSchema;

use crate::config::{
    Config, EffectiveValue, Environment, EvolutionSection, KeyReference, Origin, key_reference,
};

/// The configuration.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ConfigView {
    /// The file; it need not be there.
    file: String,
    /// All values, in the order of the sections.
    items: Vec<ConfigEntry>,
    /// Variables of known providers' keys that the keeper was started with. Their names alone.
    keys_found: Vec<&'static str>,
    /// What routes about changes of agents go by.
    #[serde(skip)]
    evolution: EvolutionSection,
}

/// A value in force.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ConfigEntry {
    /// `section.key`; of agents `agent[0].key`.
    key: String,
    /// As it would stand in the file.
    value: String,
    /// What it is for.
    about: String,
    /// Where it comes from.
    source: ConfigSource,
    /// The value where nothing sets it, where that is another.
    default: Option<String>,
    /// The variable that would set it, over the file; null where there is none.
    variable: Option<String>,
    /// How it is changed at a shell; null where it is changed in the file alone.
    command: Option<String>,
}

/// Where a value comes from.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ConfigSource {
    /// `default`, `file`, `environment` or `flag`.
    kind: &'static str,
    /// The variable or the flag.
    name: Option<String>,
    /// Of the file, from 1.
    line: Option<usize>,
    /// In characters, from 1.
    column: Option<usize>,
}

impl ConfigView {
    /// What is shown of a configuration.
    pub(crate) fn new(config: &Config, file: &Path, environment: &Environment) -> Self {
        let entry = |entry: EffectiveValue| {
            let KeyReference { about, variable, default } = key_reference(&entry.path);
            let command =
                variable.as_ref().map(|_| format!("abide config set {} VALUE", entry.path));
            ConfigEntry {
                value: entry.value.to_string(),
                about: about.to_owned(),
                source: ConfigSource::of(entry.origin),
                default: default.filter(|value| *value != entry.value).map(|v| v.to_string()),
                variable,
                command,
                key: entry.path,
            }
        };
        let items = config.entries().into_iter().map(entry).collect();
        let is_found = |key: &KnownKey| environment.get(key.env).is_some();
        let keys_found = known_keys().filter(is_found).map(|key| key.env).collect();
        let evolution = config.settings.evolution.clone();
        Self { file: file.display().to_string(), items, keys_found, evolution }
    }

    /// The same with the servers of another one, which were taken in since.
    pub(crate) fn with_servers_of(&self, newer: Self) -> Self {
        let is_server = |entry: &ConfigEntry| entry.key.starts_with("mcp[");
        let position = |items: &[ConfigEntry]| items.iter().position(is_server);
        // Where there was none, they stand where the newer one has them: behind the entry before.
        let at = position(&self.items).or_else(|| {
            let first = position(&newer.items)?;
            let before = newer.items.get(first.checked_sub(1)?)?;
            Some(self.items.iter().position(|entry| entry.key == before.key)? + 1)
        });
        let mut items = self.items.clone();
        items.retain(|entry| !is_server(entry));
        let at = at.unwrap_or(items.len()).min(items.len());
        items.splice(at..at, newer.items.into_iter().filter(is_server));
        Self { items, ..self.clone() }
    }

    /// Whether and how changes of agents are tried.
    pub(crate) fn evolution(&self) -> &EvolutionSection {
        &self.evolution
    }
}

impl ConfigSource {
    fn of(origin: Origin) -> Self {
        let named = |kind, name| Self { kind, name, line: None, column: None };
        match origin {
            Origin::Default => named("default", None),
            Origin::File { line, column, .. } => {
                Self { kind: "file", name: None, line: Some(line), column: Some(column) }
            }
            Origin::Variable(name) => named("environment", Some(name)),
            Origin::Flag(name) => named("flag", Some(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::ConfigView;
    use crate::config::{Config, Environment, Flag, Sources};

    #[test]
    fn each_value_says_where_it_comes_from_and_how_it_is_changed() {
        let file = Path::new("/home/abide.toml");
        let variables = [
            ("ABIDE_CONTEXT_TOKENS_MAX", "4000"),
            ("MY_KEY", "sk-1"),
            ("OPENAI_API_KEY", "sk-2"),
            ("ANTHROPIC_API_KEY", ""),
        ];
        let environment: Environment = variables.into_iter().collect();
        let flag = Flag {
            name: "--listen".into(),
            key: "keeper.listen".into(),
            text: "127.0.0.1:1".into(),
        };
        let text = "[model]\nprovider = \"openai\"\nname = \"m\"\napi_key_env = \"MY_KEY\"\n[[agent]]\nid = \"a\"\n";
        let sources = Sources { file, environment: &environment, flags: &[flag] };
        let config = Config::from_text(text, sources).unwrap();
        let shown = serde_json::to_value(ConfigView::new(&config, file, &environment)).unwrap();
        assert_eq!(shown["keys_found"], serde_json::json!(["OPENAI_API_KEY"]));
        let find = |key: &str| {
            let items = shown["items"].as_array().unwrap();
            items.iter().find(|item| item["key"] == key).cloned().unwrap()
        };
        assert_eq!(shown["file"], "/home/abide.toml");
        let listen = find("keeper.listen");
        assert_eq!(
            (&listen["source"]["kind"], &listen["source"]["name"]),
            (&"flag".into(), &"--listen".into())
        );
        assert_eq!(listen["default"], "\"127.0.0.1:7717\"");
        let name = find("model.name");
        assert_eq!((&name["source"]["kind"], &name["source"]["line"]), (&"file".into(), &3.into()));
        assert_eq!(name["command"], "abide config set model.name VALUE");
        let id = find("agent[0].id");
        assert_eq!((&id["source"]["line"], &id["command"]), (&6.into(), &serde_json::Value::Null));
        assert_eq!(find("model.api_key_env")["value"], "\"MY_KEY\"");
        assert!(!shown.to_string().contains("sk-1") && !shown.to_string().contains("sk-2"));
        assert_eq!(find("watchdog.enabled")["source"]["kind"], "default");
    }
}
