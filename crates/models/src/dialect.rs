//! The four wire formats of providers. Each has a file that writes requests and reads stream frames; `codec` chooses.

mod anthropic;
mod codec;
mod function_tools;
mod ollama;
mod openai_chat;
mod openai_responses;

pub use self::codec::encode;
pub(crate) use self::codec::encode_within;

/// The wire format of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Chat completions: OpenAI and the many servers that copy it.
    OpenAiChat,
    /// OpenAI's Responses.
    OpenAiResponses,
    /// Anthropic's Messages.
    Anthropic,
    /// Ollama's own.
    Ollama,
}

/// How a dialect's stream is cut into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    Sse,
    Ndjson,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 4] =
        [Self::OpenAiChat, Self::OpenAiResponses, Self::Anthropic, Self::Ollama];

    /// The provider's name in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
        }
    }

    /// The dialect of that name in the configuration.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.as_str() == name)
    }

    pub(crate) const fn own_base_url(self) -> &'static str {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }

    /// The part of the path that belongs to the dialect and not to the base URL.
    pub(crate) const fn path_prefix(self) -> Option<&'static str> {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses => None,
            Self::Anthropic => Some("/v1"),
            Self::Ollama => Some("/api"),
        }
    }

    pub(crate) const fn ask_path(self) -> &'static str {
        match self {
            Self::OpenAiChat => "/chat/completions",
            Self::OpenAiResponses => "/responses",
            Self::Anthropic => "/v1/messages",
            Self::Ollama => "/api/chat",
        }
    }

    pub(crate) const fn list_path(self) -> &'static str {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses => "/models",
            Self::Anthropic => "/v1/models",
            Self::Ollama => "/api/tags",
        }
    }

    pub(crate) const fn framing(self) -> Framing {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses | Self::Anthropic => Framing::Sse,
            Self::Ollama => Framing::Ndjson,
        }
    }
}
