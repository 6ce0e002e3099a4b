//! The four ways of talking to a model, told apart by path.

/// A provider's way of talking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FakeDialect {
    /// OpenAI Chat Completions, spoken by most servers.
    OpenAiChat,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Ollama's own.
    Ollama,
}

impl FakeDialect {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::OpenAiChat, Self::OpenAiResponses, Self::Anthropic, Self::Ollama];

    /// The path that is posted to.
    pub const fn path(self) -> &'static str {
        match self {
            Self::OpenAiChat => "/v1/chat/completions",
            Self::OpenAiResponses => "/v1/responses",
            Self::Anthropic => "/v1/messages",
            Self::Ollama => "/api/chat",
        }
    }

    /// The dialect that is spoken at a path.
    pub fn from_path(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.path() == path)
    }

    /// The dialect whose error shape a client at this path expects.
    pub(crate) fn nearest(path: &str, has_anthropic_header: bool) -> Self {
        match Self::from_path(path) {
            Some(dialect) => dialect,
            None if path.starts_with("/api/") => Self::Ollama,
            None if has_anthropic_header => Self::Anthropic,
            None => Self::OpenAiChat,
        }
    }

    /// The place of this dialect in [`FakeDialect::ALL`].
    pub(crate) const fn index(self) -> usize {
        match self {
            Self::OpenAiChat => 0,
            Self::OpenAiResponses => 1,
            Self::Anthropic => 2,
            Self::Ollama => 3,
        }
    }

    /// The content type of a streamed answer.
    pub(crate) const fn stream_type(self) -> &'static str {
        match self {
            Self::Ollama => "application/x-ndjson",
            _ => "text/event-stream; charset=utf-8",
        }
    }
}
