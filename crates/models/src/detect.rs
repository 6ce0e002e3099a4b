//! `provider = "auto"`: which model is available. A pure rule; the server reads the environment, probes the local ports,
//! and announces the outcome before any prompt is sent.

use crate::Dialect;

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
pub const KNOWN_KEYS: [KnownKey; 3] = [
    KnownKey { env: "ANTHROPIC_API_KEY", dialect: Dialect::Anthropic, base_url: "" },
    KnownKey { env: "OPENAI_API_KEY", dialect: Dialect::OpenAiResponses, base_url: "" },
    KnownKey {
        env: "OPENROUTER_API_KEY",
        dialect: Dialect::OpenAiChat,
        base_url: "https://openrouter.ai/api/v1",
    },
];

/// The addresses at which local servers are probed, first choice first: Ollama, LM Studio, llama.cpp, vLLM.
pub const LOCAL_SERVERS: [(Dialect, &str); 4] = [
    (Dialect::Ollama, "http://127.0.0.1:11434"),
    (Dialect::OpenAiChat, "http://127.0.0.1:1234/v1"),
    (Dialect::OpenAiChat, "http://127.0.0.1:8080/v1"),
    (Dialect::OpenAiChat, "http://127.0.0.1:8000/v1"),
];

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
    let key = KNOWN_KEYS.into_iter().find(is_set);
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
    use super::{KNOWN_KEYS, LocalServer, ModelChoice, detect};
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
        assert_eq!(detect(&openai, &both, "m"), ModelChoice::Key(KNOWN_KEYS[1]));
        assert_eq!(detect(&openai, &both, ""), found(Dialect::Ollama, "a"), "no name to ask for");
        assert_eq!(detect(&blank, &both, "c"), found(Dialect::OpenAiChat, "c"));
        assert_eq!(detect(&none, &both, ""), found(Dialect::Ollama, "a"));
        assert_eq!(detect(&none, &empty, ""), found(Dialect::OpenAiChat, "c"));
        assert_eq!(detect(&none, &both, "unknown"), ModelChoice::Reflex { unused_key: None });
        assert_eq!(
            detect(&openai, &[], ""),
            ModelChoice::Reflex { unused_key: Some(KNOWN_KEYS[1]) }
        );
    }
}
