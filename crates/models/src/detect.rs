//! `provider = "auto"`: which model is available. A pure rule; the server reads the environment, probes the local ports,
//! and announces the outcome before any prompt is sent.

use crate::{Dialect, profile::profiles};

/// An environment variable that holds the key of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownKey {
    /// The variable.
    pub env: &'static str,
    /// The wire format of the provider.
    pub dialect: Dialect,
    /// Its base URL; empty for the dialect's own provider.
    pub base_url: &'static str,
}

/// The known keys, first choice first.
pub fn known_keys() -> impl Iterator<Item = KnownKey> {
    let keyed = profiles().iter().filter(|profile| !profile.key_env.is_empty());
    keyed.map(|profile| KnownKey {
        env: &profile.key_env,
        dialect: profile.dialect,
        // The dialect's own address is the one that stays where the configuration says nothing.
        base_url: if profile.base_url == profile.dialect.own_base_url() {
            ""
        } else {
            &profile.base_url
        },
    })
}

/// The addresses at which servers of this machine are looked for, first choice first.
pub fn known_servers() -> impl Iterator<Item = (Dialect, &'static str)> {
    let probed = profiles().iter().filter(|profile| profile.is_probed);
    probed.map(|profile| (profile.dialect, profile.base_url.as_str()))
}

/// A server of this machine that answered, with the models that it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalServer {
    /// Its wire format.
    pub dialect: Dialect,
    /// Its base URL.
    pub base_url: String,
    /// Its models, in its order.
    pub models: Vec<String>,
}

/// The model that `auto` stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelChoice {
    /// A provider whose key is in the environment. The operator says which of its models to use, because names change
    /// monthly and prices differ widely.
    Key(KnownKey),
    /// A model on this machine.
    Local {
        /// The wire format of its server.
        dialect: Dialect,
        /// The server's base URL.
        base_url: String,
        /// The model.
        name: String,
    },
    /// None: the reflex answers.
    Reflex {
        /// A key that is set and cannot be used, because no model is named.
        unused_key: Option<KnownKey>,
    },
}

/// Decides what `auto` means: a known key, else a local server with a model, else the reflex.
///
/// `name` is the configured model's name; a local server that has it is preferred, and without a
/// name a server's first model is taken. A key without a configured name is not used: no model could be named in a request.
pub fn detect(
    env: &dyn Fn(&str) -> Option<String>,
    local: &[LocalServer],
    name: &str,
) -> ModelChoice {
    let is_set = |key: &KnownKey| env(key.env).is_some_and(|value| !value.trim().is_empty());
    let key = known_keys().find(is_set);
    if let Some(key) = key.filter(|_| !name.is_empty()) {
        return ModelChoice::Key(key);
    }
    let having = local.iter().find(|server| server.models.iter().any(|model| model == name));
    let first = local.iter().find(|server| !server.models.is_empty());
    let Some(server) = having.or_else(|| first.filter(|_| name.is_empty())) else {
        return ModelChoice::Reflex { unused_key: key };
    };
    let name = if name.is_empty() { server.models.first().cloned() } else { Some(name.to_owned()) };
    ModelChoice::Local {
        dialect: server.dialect,
        base_url: server.base_url.clone(),
        name: name.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::{KnownKey, LocalServer, ModelChoice, detect, known_keys, known_servers};
    use crate::Dialect;

    fn server(dialect: Dialect, models: &[&str]) -> LocalServer {
        let models = models.iter().map(|&model| model.to_owned()).collect();
        LocalServer { dialect, base_url: dialect.as_str().to_owned(), models }
    }

    fn found(dialect: Dialect, name: &str) -> ModelChoice {
        ModelChoice::Local { dialect, base_url: dialect.as_str().to_owned(), name: name.to_owned() }
    }

    #[test]
    fn a_key_then_a_local_model_then_the_reflex() {
        let none = |_: &str| None;
        let openai = |name: &str| (name == "OPENAI_API_KEY").then(|| "sk".to_owned());
        let blank = |_: &str| Some(" ".to_owned());
        let both = [server(Dialect::Ollama, &["a", "b"]), server(Dialect::OpenAiChat, &["c"])];
        let empty = [server(Dialect::Ollama, &[]), server(Dialect::OpenAiChat, &["c"])];
        let key =
            KnownKey { env: "OPENAI_API_KEY", dialect: Dialect::OpenAiResponses, base_url: "" };
        assert_eq!(detect(&openai, &both, "m"), ModelChoice::Key(key));
        assert_eq!(detect(&openai, &both, ""), found(Dialect::Ollama, "a"), "no name to ask for");
        assert_eq!(detect(&blank, &both, "c"), found(Dialect::OpenAiChat, "c"));
        assert_eq!(detect(&none, &both, ""), found(Dialect::Ollama, "a"));
        assert_eq!(detect(&none, &empty, ""), found(Dialect::OpenAiChat, "c"));
        assert_eq!(detect(&none, &both, "unknown"), ModelChoice::Reflex { unused_key: None });
        assert_eq!(detect(&openai, &[], ""), ModelChoice::Reflex { unused_key: Some(key) });
        let first: Vec<_> = known_keys().map(|key| key.env).take(3).collect();
        assert_eq!(first, ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"]);
        let servers: Vec<_> = known_servers().map(|(_, url)| url).collect();
        assert_eq!(servers[0], "http://127.0.0.1:11434");
        assert_eq!(servers.len(), 4, "Ollama is looked for once");
    }
}
