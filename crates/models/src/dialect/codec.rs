//! Writes and reads in the wire format of each dialect.

use abide_domain::turn::TurnRequest;
use serde_json::Value;

use super::{Dialect, anthropic, ollama, openai_chat, openai_responses};
use crate::{
    attempt_error::AttemptError,
    prompt::Prompt,
    reply::Reply,
    request_features::RequestFeatures,
    settings::{ModelSettings, RequestForm},
};

impl Dialect {
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
pub fn encode(request: &TurnRequest, settings: &ModelSettings, form: RequestForm) -> Value {
    encode_within(request, settings, form, settings.profile_features())
}

/// The same, by means that a server is known to take.
pub(crate) fn encode_within(
    request: &TurnRequest,
    settings: &ModelSettings,
    form: RequestForm,
    features: RequestFeatures,
) -> Value {
    let prompt = Prompt::new(request, form, &settings.source());
    match settings.dialect {
        Dialect::OpenAiChat => openai_chat::encode(&prompt, request, settings, (form, features)),
        Dialect::OpenAiResponses => {
            openai_responses::encode(&prompt, request, settings, (form, features))
        }
        Dialect::Anthropic => anthropic::encode(&prompt, request, settings, form),
        Dialect::Ollama => ollama::encode(&prompt, request, settings, form),
    }
}
