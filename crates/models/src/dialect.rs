//! The four ways in which providers are spoken to. Each has a file that writes requests and reads stream frames.

mod anthropic;
mod ollama;
mod openai_chat;
mod openai_responses;

use abide_domain::{tool::ToolSpec, turn::TurnRequest};
use serde_json::{Value, json};

use crate::{AttemptError, Form, ModelSettings, prompt::Prompt, reply::Reply, tool_name};

/// How a provider speaks.
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

    /// Takes one frame of a stream into a reply.
    pub(crate) fn decode(self, frame: &Value, reply: &mut Reply) -> Result<(), AttemptError> {
        match self {
            Self::OpenAiChat => openai_chat::decode(frame, reply),
            Self::OpenAiResponses => openai_responses::decode(frame, reply),
            Self::Anthropic => anthropic::decode(frame, reply),
            Self::Ollama => ollama::decode(frame, reply),
        }
    }

    /// Takes an answer that came whole, from a server that does not stream.
    pub(crate) fn decode_whole(
        self,
        answer: &Value,
        reply: &mut Reply,
    ) -> Result<(), AttemptError> {
        match self {
            Self::OpenAiChat => openai_chat::decode(answer, reply),
            Self::OpenAiResponses => openai_responses::decode_whole(answer, reply),
            Self::Anthropic => anthropic::decode_whole(answer, reply),
            Self::Ollama => ollama::decode(answer, reply),
        }
    }
}

/// Writes a turn as the body of a provider's request. The same request gives the same bytes.
pub fn encode(request: &TurnRequest, settings: &ModelSettings, form: Form) -> Value {
    let prompt = Prompt::new(request, form);
    match settings.dialect {
        Dialect::OpenAiChat => openai_chat::encode(&prompt, request, settings, form),
        Dialect::OpenAiResponses => openai_responses::encode(&prompt, request, settings, form),
        Dialect::Anthropic => anthropic::encode(&prompt, request, settings, form),
        Dialect::Ollama => ollama::encode(&prompt, request, settings, form),
    }
}

/// The tools in the form that OpenAI's chat and Ollama share.
fn function_tools(tools: &[ToolSpec]) -> Value {
    let tool = |tool: &ToolSpec| {
        json!({
            "type": "function",
            "function": {
                "name": tool_name::to_provider(&tool.name),
                "description": tool.description,
                "parameters": tool.parameters,
            },
        })
    };
    tools.iter().map(tool).collect()
}
