//! The settings of a model: provider, address, form of its answers, bounds.

use std::{sync::Arc, time::Duration};

use abide_http::Secret;

use crate::{
    Dialect, PriceTable, RetryPolicy, profile::profile_at, request_features::RequestFeatures,
};

/// Output tokens that are asked for where the provider demands a number and the settings give none.
const OUTPUT_TOKENS_DEFAULT: u32 = 8_192;
/// Tokens of context that are requested from Ollama where the settings give none; its own default is small.
const CONTEXT_TOKENS_DEFAULT: u32 = 40_192;

/// The form in which a voice is asked for, as configured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VoiceForm {
    /// Native, and JSON once the model turns out to have no native tools.
    #[default]
    Auto,
    /// By the provider's own tool calls and text.
    Native,
    /// By the voice's JSON schema.
    Json,
}

impl VoiceForm {
    /// The form of that name in the configuration.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "native" => Some(Self::Native),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// The form of one request: [`VoiceForm`] after `auto` has been decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestForm {
    /// By the provider's own tool calls and text.
    Native,
    /// By the voice's JSON schema.
    Json,
}

/// The bounds of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelLimits {
    /// Longest wait for the first byte of the answer. Long: a local model reads its prompt first.
    pub first_byte: Duration,
    /// Longest silence within the answer.
    pub idle: Duration,
    /// Longest answer on the wire, in bytes, framing included.
    pub reply_bytes_max: u64,
}

impl Default for ModelLimits {
    fn default() -> Self {
        Self {
            first_byte: Duration::from_secs(90),
            idle: Duration::from_secs(45),
            reply_bytes_max: 32 * 1024 * 1024,
        }
    }
}

/// One model at one provider.
#[derive(Clone, Debug)]
pub struct ModelSettings {
    /// The wire format of the provider.
    pub dialect: Dialect,
    /// Its base URL: for the OpenAI dialects with `/v1`, for Anthropic without, for Ollama without `/api`. Empty is the
    /// provider's own address.
    pub base_url: String,
    /// The model's name, as the provider has it.
    pub name: String,
    /// The key; none is sent where there is none.
    pub api_key: Option<Secret>,
    /// The form of the voice.
    pub voice: VoiceForm,
    /// Most output tokens of one answer; `None` leaves it to the provider where it allows that.
    pub max_output_tokens: Option<u32>,
    /// Tokens of context, for the provider that needs the number (Ollama).
    pub context_tokens: Option<u32>,
    /// The bounds.
    pub limits: ModelLimits,
    /// When and how often a request is retried.
    pub retry: RetryPolicy,
    /// What tokens cost.
    pub prices: Arc<PriceTable>,
}

impl ModelSettings {
    /// Settings for a model at the provider's own address, with defaults for the rest.
    pub fn new(dialect: Dialect, name: impl Into<String>) -> Self {
        Self {
            dialect,
            base_url: String::new(),
            name: name.into(),
            api_key: None,
            voice: VoiceForm::Auto,
            max_output_tokens: None,
            context_tokens: None,
            limits: ModelLimits::default(),
            retry: RetryPolicy::default(),
            prices: Arc::new(PriceTable::default()),
        }
    }

    /// The base URL, with neither a slash nor a doubled version at its end.
    pub(crate) fn base(&self) -> &str {
        let base = match self.base_url.trim() {
            "" => self.dialect.own_base_url(),
            base => base,
        };
        let base = base.trim_end_matches('/');
        // A base URL may end with `/v1` or `/api` although it should not: it is accepted.
        self.dialect.path_prefix().map_or(base, |prefix| base.strip_suffix(prefix).unwrap_or(base))
    }

    /// What is known of the server.
    pub(crate) fn profile_features(&self) -> RequestFeatures {
        profile_at(self.dialect, self.base())
            .map_or(RequestFeatures::USUAL, |profile| profile.features)
    }

    /// What the state of an answer is for: this model, asked here in this way.
    pub(crate) fn source(&self) -> String {
        format!("{} {} {}", self.dialect.as_str(), self.base(), self.name)
    }

    /// Where requests are sent.
    pub(crate) fn ask_url(&self) -> String {
        format!("{}{}", self.base(), self.dialect.ask_path())
    }

    /// Where the list of models is.
    pub(crate) fn list_url(&self) -> String {
        format!("{}{}", self.base(), self.dialect.list_path())
    }

    pub(crate) fn output_tokens(&self) -> u32 {
        self.max_output_tokens.unwrap_or(OUTPUT_TOKENS_DEFAULT)
    }

    /// The limit of output tokens that a request names, if it names one.
    pub(crate) fn output_tokens_sent(&self) -> Option<u32> {
        match self.dialect {
            Dialect::Anthropic => Some(self.output_tokens()),
            _ => self.max_output_tokens,
        }
    }

    pub(crate) fn context(&self) -> u32 {
        self.context_tokens.unwrap_or(CONTEXT_TOKENS_DEFAULT)
    }
}

#[cfg(test)]
mod tests {
    use super::ModelSettings;
    use crate::Dialect;

    #[test]
    fn urls_are_put_together_as_the_configuration_says() {
        use Dialect::{Anthropic, Ollama, OpenAiChat, OpenAiResponses};
        let cases = [
            (OpenAiChat, "", "https://api.openai.com/v1/chat/completions"),
            (OpenAiChat, "http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1/chat/completions"),
            (OpenAiResponses, "http://h/v1", "http://h/v1/responses"),
            (Anthropic, "", "https://api.anthropic.com/v1/messages"),
            (Anthropic, "http://h", "http://h/v1/messages"),
            (Anthropic, "http://h/v1", "http://h/v1/messages"),
            (Ollama, "", "http://127.0.0.1:11434/api/chat"),
            (Ollama, "http://h/api/", "http://h/api/chat"),
        ];
        for (dialect, base_url, expected) in cases {
            let mut settings = ModelSettings::new(dialect, "m");
            settings.base_url = base_url.into();
            assert_eq!(settings.ask_url(), expected, "{base_url}");
        }
        assert_eq!(ModelSettings::new(Ollama, "m").list_url(), "http://127.0.0.1:11434/api/tags");
    }
}
