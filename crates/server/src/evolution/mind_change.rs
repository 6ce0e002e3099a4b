//! What of a mind a trial changes: keys of `[model]`, `[context]` and `[limits]`, and the identity that it is shown.
//!
//! A value is checked as the file's would be. What a trial could not show an effect of is refused, with what there is.

use std::{collections::BTreeMap, sync::Arc};

use abide_engine::{context::History, keeper::ShownInstead};
use serde_json::Value;

use crate::config::{ModelSection, Provider, Setting, Settings, TimeSpan, VoiceKind};

/// Keys that a trial can change. Those of `[model]` have a short name too.
const KEYS: [(&str, &str); 11] = [
    ("model", "model.name"),
    ("provider", "model.provider"),
    ("base_url", "model.base_url"),
    ("voice", "model.voice"),
    ("max_output_tokens", "model.max_output_tokens"),
    ("", "context.tokens_max"),
    ("", "context.history"),
    ("", "limits.turns"),
    ("", "limits.turn"),
    ("", "limits.turn_streaming"),
    ("", "limits.tool_result_kb"),
];
/// The key that is none of the configuration.
const IDENTITY: &str = "identity";

/// A change of a mind, as it was proposed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MindChange {
    /// By the key of the configuration.
    settings: BTreeMap<&'static str, Setting>,
    /// The identity document that it is shown.
    pub(crate) identity: Option<Arc<str>>,
}

/// Bounds of a conversation with one of two minds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MindBounds {
    /// Turns of an epoch.
    pub(crate) turns: u32,
    /// Bytes of one tool result.
    pub(crate) result_bytes: usize,
}

impl MindChange {
    /// Reads what was proposed. Errors say what there is.
    pub(crate) fn read(change: &BTreeMap<String, Value>) -> Result<Self, String> {
        let mut read = Self::default();
        for (key, value) in change {
            read.set(key, value)?;
        }
        if read == Self::default() {
            return Err("nothing of the mind would change".to_owned());
        }
        Ok(read)
    }

    fn set(&mut self, key: &str, value: &Value) -> Result<(), String> {
        if key == IDENTITY {
            let document = value.as_str().filter(|text| !text.trim().is_empty());
            self.identity = Some(document.ok_or("identity must be a text")?.into());
            return Ok(());
        }
        let is_it =
            |(short, full): &&(&str, &str)| !key.is_empty() && (*short == key || *full == key);
        let Some((_, full)) = KEYS.iter().find(is_it) else { return Err(unknown(key)) };
        let setting = Setting::read(full, value)?;
        if setting.text().is_some_and(str::is_empty) && *full != "model.base_url" {
            return Err(format!("{key} is empty"));
        }
        if self.settings.insert(full, setting).is_some() {
            return Err(format!("{key} is set twice"));
        }
        Ok(())
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.settings.get(key)?.text()
    }

    fn count(&self, key: &str) -> Option<u64> {
        self.settings.get(key)?.count()
    }

    fn time(&self, key: &str) -> Option<TimeSpan> {
        self.text(key)?.parse().ok()
    }

    /// The model's section with the change. Another provider begins from its own address and key, and another address gets no key: none
    /// was named for it.
    pub(crate) fn apply(&self, section: &ModelSection) -> ModelSection {
        let mut changed = section.clone();
        let provider =
            self.text("model.provider").and_then(|name| Provider::try_from(name.to_owned()).ok());
        if let Some(provider) = provider.filter(|provider| *provider != section.provider) {
            changed.provider = provider;
            changed.base_url.clear();
            changed.api_key_env.clear();
        }
        let set = |into: &mut String, key: &str| {
            if let Some(text) = self.text(key) {
                text.clone_into(into);
            }
        };
        set(&mut changed.name, "model.name");
        set(&mut changed.base_url, "model.base_url");
        if changed.base_url != section.base_url {
            changed.api_key_env.clear();
        }
        changed.voice = match self.text("model.voice") {
            Some("auto") => VoiceKind::Auto,
            Some("native") => VoiceKind::Native,
            Some("json") => VoiceKind::Json,
            _ => changed.voice,
        };
        let tokens =
            self.count("model.max_output_tokens").and_then(|count| u32::try_from(count).ok());
        changed.max_output_tokens = tokens.unwrap_or(changed.max_output_tokens);
        changed
    }

    /// What its mind is shown in place of what was shown.
    pub(crate) fn shown_instead(&self) -> ShownInstead {
        ShownInstead {
            identity: self.identity.clone(),
            context_tokens_max: self.context_tokens(),
            history: match self.text("context.history") {
                Some("agent") => Some(History::Agent),
                Some("session") => Some(History::Session),
                _ => None,
            },
            turn: self.time("limits.turn").map(|span| span.0),
            turn_streaming: self.time("limits.turn_streaming").map(|span| span.0),
        }
    }

    /// Estimated tokens of its prompts at most, where that changes.
    pub(crate) fn context_tokens(&self) -> Option<u64> {
        self.count("context.tokens_max")
    }

    /// The bounds that hold for its conversations.
    pub(crate) fn bounds(&self, now: MindBounds) -> MindBounds {
        let turns = self.count("limits.turns").and_then(|turns| u32::try_from(turns).ok());
        let kilobytes = self.count("limits.tool_result_kb").and_then(|kb| usize::try_from(kb).ok());
        MindBounds {
            turns: turns.unwrap_or(now.turns),
            result_bytes: kilobytes.map_or(now.result_bytes, |kb| kb * 1024),
        }
    }

    /// The keys of the configuration that change, with their new values.
    pub(crate) fn settings(&self) -> impl Iterator<Item = &Setting> {
        self.settings.values()
    }
}

impl MindBounds {
    /// As the configuration says.
    pub(crate) fn of(settings: &Settings) -> Self {
        let limits = settings.limits();
        Self { turns: limits.turns, result_bytes: limits.tool_result_kb * 1024 }
    }
}

fn unknown(key: &str) -> String {
    let keys: Vec<&str> = KEYS.iter().map(|(_, full)| *full).collect();
    format!(
        "a trial cannot change {key:?} of a mind; it can change {} and identity",
        keys.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, time::Duration};

    use abide_engine::context::History;
    use serde_json::{Value, json};

    use super::{KEYS, MindBounds, MindChange};
    use crate::config::key_reference;

    fn read(change: Value) -> Result<MindChange, String> {
        MindChange::read(&serde_json::from_value::<BTreeMap<String, Value>>(change).unwrap())
    }

    /// EV-26: what a trial is judged by is nothing that it can change.
    #[test]
    fn what_cannot_be_changed_is_said_with_what_can() {
        for (change, said) in [
            (json!({}), "nothing"),
            (json!({"limits": {}}), "model.name, model.provider"),
            (json!({"model": 3}), "model.name must be a string"),
            (json!({"model": ""}), "model is empty"),
            (json!({"provider": "nobody"}), "model.provider is \"nobody\""),
            (json!({"max_output_tokens": -1}), "at least 0"),
            (json!({"identity": "  "}), "identity"),
            (json!({"model": "a", "model.name": "b"}), "set twice"),
            (json!({"context.tokens_max": "few"}), "a whole number"),
            (json!({"limits.turn": "5"}), "limits.turn is \"5\""),
            (json!({"model.api_key_env": "X"}), "cannot change \"model.api_key_env\""),
            (json!({"evolution.approve": "[]"}), "cannot change \"evolution.approve\""),
            (json!({"evolution.last": 30}), "cannot change \"evolution.last\""),
            (json!({"tools.allow": ["*"]}), "cannot change \"tools.allow\""),
        ] {
            let error = read(change.clone()).unwrap_err();
            assert!(error.contains(said), "{change}: {error}");
        }
        assert!(read(json!({"model": "x", "provider": "ollama"})).is_ok());
    }

    #[test]
    fn every_key_is_one_of_the_configuration() {
        for (_, key) in KEYS {
            assert!(key_reference(key).variable.is_some(), "{key}");
        }
    }

    #[test]
    fn a_setting_is_read_from_its_text_or_its_value_and_shown_to_the_candidate_alone() {
        let change = read(json!({
            "context.tokens_max": "2000", "context.history": "session", "limits.turn": "5s", "limits.turns": 3,
            "limits.tool_result_kb": 1,
        }));
        let change = change.unwrap();
        let shown = change.shown_instead();
        assert_eq!(
            (shown.context_tokens_max, shown.history),
            (Some(2_000), Some(History::Session))
        );
        assert_eq!((shown.turn, shown.turn_streaming), (Some(Duration::from_secs(5)), None));
        let now = MindBounds { turns: 16, result_bytes: 65_536 };
        assert_eq!(change.bounds(now), MindBounds { turns: 3, result_bytes: 1_024 });
        assert_eq!(read(json!({"model": "x"})).unwrap().bounds(now), now);
    }
}
