//! What of a mind a trial changes: its model, and the identity that it is shown.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use crate::config::{ModelSection, Provider, VoiceKind};

/// Longest text of a setting.
const TEXT_BYTES_MAX: usize = 4_096;

/// A change of a mind, as it was proposed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MindChange {
    /// The model's name.
    model: Option<String>,
    provider: Option<Provider>,
    base_url: Option<String>,
    voice: Option<VoiceKind>,
    max_output_tokens: Option<u32>,
    /// The identity document that it is shown.
    pub(crate) identity: Option<Arc<str>>,
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
        let text = || text(key, value);
        let wrong = |error: &dyn std::fmt::Display| format!("{key}: {error}");
        match key {
            "model" => self.model = Some(text()?),
            "provider" => {
                let provider = Provider::try_from(text()?);
                self.provider = Some(provider.map_err(|error| wrong(&error))?);
            }
            "base_url" => self.base_url = Some(text()?),
            "voice" => {
                let voice = serde_json::from_value(value.clone());
                self.voice = Some(voice.map_err(|error| wrong(&error))?);
            }
            "max_output_tokens" => {
                let count = value.as_u64().and_then(|count| u32::try_from(count).ok());
                self.max_output_tokens =
                    Some(count.ok_or_else(|| wrong(&"it must be a whole number"))?);
            }
            "identity" => {
                let document = value.as_str().filter(|text| !text.trim().is_empty());
                self.identity = Some(document.ok_or_else(|| wrong(&"it must be a text"))?.into());
            }
            _ => {
                return Err(format!(
                    "there is no {key:?} to change of a mind; there are model, provider, base_url, voice, max_output_tokens and identity"
                ));
            }
        }
        Ok(())
    }

    /// The model's section with the change. Another provider begins from its own address and key, and another address gets no key: none
    /// was named for it.
    pub(crate) fn apply(&self, section: &ModelSection) -> ModelSection {
        let mut changed = section.clone();
        if let Some(provider) = self.provider.filter(|provider| *provider != section.provider) {
            changed.provider = provider;
            changed.base_url.clear();
            changed.api_key_env.clear();
        }
        let set = |into: &mut String, text: &Option<String>| {
            if let Some(text) = text {
                into.clone_from(text);
            }
        };
        set(&mut changed.name, &self.model);
        set(&mut changed.base_url, &self.base_url);
        if changed.base_url != section.base_url {
            changed.api_key_env.clear();
        }
        changed.voice = self.voice.unwrap_or(changed.voice);
        changed.max_output_tokens = self.max_output_tokens.unwrap_or(changed.max_output_tokens);
        changed
    }
}

fn text(key: &str, value: &Value) -> Result<String, String> {
    let text = value.as_str().ok_or_else(|| format!("{key}: it must be a text"))?;
    if text.is_empty() || text.len() > TEXT_BYTES_MAX {
        return Err(format!("{key}: it must have 1 to {TEXT_BYTES_MAX} bytes"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::MindChange;

    fn read(change: Value) -> Result<MindChange, String> {
        MindChange::read(&serde_json::from_value::<BTreeMap<String, Value>>(change).unwrap())
    }

    #[test]
    fn what_cannot_be_changed_is_said_with_what_can() {
        for (change, said) in [
            (json!({}), "nothing"),
            (json!({"limits": {}}), "there are model"),
            (json!({"model": 3}), "model: it must be a text"),
            (json!({"provider": "nobody"}), "provider"),
            (json!({"max_output_tokens": -1}), "whole number"),
            (json!({"identity": "  "}), "identity"),
        ] {
            let error = read(change.clone()).unwrap_err();
            assert!(error.contains(said), "{change}: {error}");
        }
        assert!(read(json!({"model": "x", "provider": "ollama"})).is_ok());
    }
}
