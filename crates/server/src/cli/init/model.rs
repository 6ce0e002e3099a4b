//! Which model the home begins with: as the flags say, else a model server of this machine, else what a key in the
//! environment allows once a model is named. Keys are named and never shown.

use abide_models::{Dialect, LocalServer, known_keys};

use crate::config::Environment;

/// What stands in `[model]`, and what is said about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ModelLines {
    /// Keys and their values.
    pub(super) values: Vec<(&'static str, String)>,
    /// One sentence.
    pub(super) announcement: String,
}

/// The flags that say which model.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModelFlags<'a> {
    pub(super) provider: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) base_url: Option<&'a str>,
    pub(super) api_key_env: Option<&'a str>,
}

impl ModelFlags<'_> {
    /// Whether they leave open which server is asked.
    pub(super) const fn leave_open(self) -> bool {
        self.provider.is_none() && self.base_url.is_none() && self.api_key_env.is_none()
    }

    /// What a home begins with.
    pub(super) fn choose(self, environment: &Environment, local: &[LocalServer]) -> ModelLines {
        let given = [
            ("provider", self.provider),
            ("name", self.name),
            ("base_url", self.base_url),
            ("api_key_env", self.api_key_env),
        ];
        let given = given.into_iter().filter_map(|(key, value)| Some((key, value?.to_owned())));
        let mut lines = ModelLines { values: given.collect(), announcement: String::new() };
        if !self.leave_open() {
            "the model is as you said".clone_into(&mut lines.announcement);
            return lines;
        }
        let key = known_keys().find(|key| environment.get(key.env).is_some());
        if let (Some(key), Some(name)) = (key, self.name) {
            lines.announcement = format!("{name} is asked with the key in {}", key.env);
            return lines;
        }
        if let Some((server, name)) = local_model(local, self.name) {
            let provider = if server.dialect == Dialect::Ollama { "ollama" } else { "openai" };
            lines.announcement = format!("{name} is asked at {}, on this machine", server.base_url);
            lines.values = vec![
                ("provider", provider.to_owned()),
                ("name", name),
                ("base_url", server.base_url.clone()),
            ];
            return lines;
        }
        lines.announcement = match key {
            Some(key) => format!(
                "{} is set, but no model is named: `abide config set model.name NAME` uses it; until then the agent \
                 answers without a model",
                key.env
            ),
            None => "no model was found: the agent answers without one until [model] in abide.toml names it".to_owned(),
        };
        lines
    }
}

/// The model of this machine that is named, else the first that talks.
fn local_model<'a>(
    local: &'a [LocalServer],
    name: Option<&str>,
) -> Option<(&'a LocalServer, String)> {
    let talks = |model: &&String| !model.to_lowercase().contains("embed");
    local.iter().find_map(|server| {
        let mut models = server.models.iter();
        let model = match name {
            Some(name) => models.find(|model| *model == name),
            None => models.find(talks),
        };
        Some((server, model?.clone()))
    })
}

#[cfg(test)]
mod tests {
    use abide_models::{Dialect, LocalServer};

    use super::ModelFlags;
    use crate::config::Environment;

    const NOTHING: ModelFlags<'_> =
        ModelFlags { provider: None, name: None, base_url: None, api_key_env: None };

    #[test]
    fn flags_then_a_named_model_with_a_key_then_a_model_of_this_machine() {
        let local = [LocalServer {
            dialect: Dialect::OpenAiChat,
            base_url: "http://127.0.0.1:1234/v1".into(),
            models: vec!["nomic-embed".into(), "qwen".into()],
        }];
        let none = Environment::default();
        let key: Environment = [("OPENAI_API_KEY", "sk-secret")].into_iter().collect();
        let found = NOTHING.choose(&none, &local);
        let here = ("base_url", "http://127.0.0.1:1234/v1".to_owned());
        let values = [("provider", "openai".to_owned()), ("name", "qwen".to_owned()), here];
        assert_eq!(found.values, values);
        assert_eq!(NOTHING.choose(&key, &local).values, values, "a key alone names no model");
        let named = ModelFlags { name: Some("gpt"), ..NOTHING };
        let chosen = named.choose(&key, &local);
        assert_eq!(chosen.values, [("name", "gpt".to_owned())]);
        assert!(chosen.announcement.contains("OPENAI_API_KEY"));
        assert!(!chosen.announcement.contains("sk-secret"));
        let said = ModelFlags { provider: Some("reflex"), ..NOTHING }.choose(&key, &local);
        assert_eq!(said.values, [("provider", "reflex".to_owned())]);
        assert!(NOTHING.choose(&none, &[]).values.is_empty());
        assert!(NOTHING.choose(&key, &[]).announcement.contains("no model is named"));
    }
}
