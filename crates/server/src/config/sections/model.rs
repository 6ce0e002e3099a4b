//! `[model]` and `[agent.model]`: which model answers, and where it is.

use std::fmt;

use abide_models::{ProviderProfile, profile_named, profiles};

use crate::config::{
    host::{host_of, is_this_machine},
    shape::{Node, Shape, URL, VARIABLE_NAME, Word, count, section, text, words},
};

section! {
    /// `[model]`; of an agent, with its own table over the default one.
    #[derive(PartialEq, Eq)]
    pub(crate) struct ModelSection {
        /// The API that is spoken, or the provider by its name.
        pub(crate) provider: Provider = "auto", Provider::NODE;
        /// Where the model is; empty: the provider's own address.
        pub(crate) base_url: String = "", URL;
        /// The model's name.
        pub(crate) name: String = "", text(256);
        /// The variable that holds the key; empty: the usual one of a provider that is named, at its own address, else no key is sent.
        pub(crate) api_key_env: String = "", VARIABLE_NAME;
        /// The form in which the model answers.
        pub(crate) voice: VoiceKind = "auto", VoiceKind::NODE;
        /// A file with prices, for models that the built-in table does not know; empty: none.
        pub(crate) price_file: String = "", text(4_096);
        /// Most tokens of one answer, with the thoughts before it; 0: what the provider allows, of Anthropic 8192.
        pub(crate) max_output_tokens: u32 = 0, count(0, 1_000_000);
    }
}

impl ModelSection {
    /// Whether it is asked on this machine, as far as the section says.
    pub(crate) fn is_on_this_machine(&self) -> bool {
        let is_usual = self.provider == Provider::Ollama && self.base_url.is_empty();
        is_usual || is_this_machine(host_of(&self.base_url))
    }
}

/// The API that is spoken, the provider that is known by its name, or the way to find one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum Provider {
    Auto,
    Openai,
    OpenaiResponses,
    Anthropic,
    Ollama,
    Reflex,
    /// One of the table of providers.
    Known(&'static ProviderProfile),
}

impl Provider {
    const WORDS: [(Self, Word); 6] = [
        (
            Self::Auto,
            Word {
                word: "auto",
                about: "A known key in the environment, else a server on this machine, else reflex.",
            },
        ),
        (
            Self::Openai,
            Word { word: "openai", about: "OpenAI Chat Completions, and all that speak it." },
        ),
        (Self::OpenaiResponses, Word { word: "openai-responses", about: "OpenAI Responses." }),
        (Self::Anthropic, Word { word: "anthropic", about: "Anthropic Messages." }),
        (Self::Ollama, Word { word: "ollama", about: "Ollama." }),
        (Self::Reflex, Word { word: "reflex", about: "No model." }),
    ];

    /// What a value of it must look like.
    pub(crate) const NODE: Node = Node::Value(Shape::Listed(Self::words));

    fn words() -> Vec<Word> {
        let own = Self::WORDS.map(|(_, word)| word);
        let is_own = |name: &str| own.iter().any(|word| word.word == name);
        let known = profiles().iter().filter(|profile| !is_own(&profile.name));
        let known = known.map(|profile| Word { word: &profile.name, about: &profile.title });
        own.into_iter().chain(known).collect()
    }
}

impl TryFrom<String> for Provider {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let own = Self::WORDS.into_iter().find(|(_, word)| word.word == name);
        let known = || profile_named(&name).map(Self::Known);
        own.map(|(own, _)| own)
            .or_else(known)
            .ok_or_else(|| format!("no provider is called {name:?}"))
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(profile) => f.write_str(&profile.name),
            own => {
                let word = Self::WORDS.iter().find(|(other, _)| other == own);
                f.write_str(word.map_or("", |(_, word)| word.word))
            }
        }
    }
}

words! {
    /// The form in which a model answers.
    pub(crate) enum VoiceKind {
        /// native where the provider has tool calls, else json.
        Auto = "auto",
        /// The provider's own tool calls.
        Native = "native",
        /// JSON text.
        Json = "json",
    }
}
