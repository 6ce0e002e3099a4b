//! `[model]` and `[agent.model]`: which model answers, and where it is.

use crate::config::shape::{URL, VARIABLE_NAME, section, text, words};

section! {
    /// `[model]`; of an agent, with its own table over the default one.
    #[derive(PartialEq, Eq)]
    pub(crate) struct ModelSection {
        /// The API that is spoken.
        pub(crate) provider: Provider = "auto", Provider::NODE;
        /// Where the model is; empty: the provider's own address.
        pub(crate) base_url: String = "", URL;
        /// The model's name.
        pub(crate) name: String = "", text(256);
        /// The variable that holds the key; empty: no key is sent.
        pub(crate) api_key_env: String = "", VARIABLE_NAME;
        /// The form in which the model answers.
        pub(crate) voice: VoiceKind = "auto", VoiceKind::NODE;
        /// A file with prices, for models that the built-in table does not know; empty: none.
        pub(crate) price_file: String = "", text(4_096);
    }
}

words! {
    /// The API that is spoken, or the way to find one.
    pub(crate) enum Provider {
        /// A known key in the environment, else a server on this machine, else reflex.
        Auto = "auto",
        /// OpenAI Chat Completions, and all that speak it.
        Openai = "openai",
        /// OpenAI Responses.
        OpenaiResponses = "openai-responses",
        /// Anthropic Messages.
        Anthropic = "anthropic",
        /// Ollama.
        Ollama = "ollama",
        /// No model.
        Reflex = "reflex",
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
