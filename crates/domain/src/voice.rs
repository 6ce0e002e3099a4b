//! The voice: the one form in which a mind answers a turn (`SteveInternalVoice` of the specification).
//!
//! A voice comes as JSON text ([`Voice::from_json_text`]) or is put together from a provider's native parts
//! ([`Voice::native`]). Both end in [`Voice::check`], which says what does not fit, by path, so that one repair turn can
//! be asked for (decision 15).

use std::fmt;

use serde_json::{Map, Value, json};

use crate::{
    hidden::is_blank,
    limits::{
        EMOTIVE_STATE_CHARS_MAX, RESPONSE_CHARS_MAX, THOUGHT_BYTES_MAX, TOOL_ARGUMENTS_BYTES_MAX,
        TOOL_NAME_BYTES_MAX,
    },
};

/// The emotional state of a mind that names none.
pub const EMOTIVE_STATE_DEFAULT: &str = "neutral";

/// What a mind answers in one turn: calls to make, or a final response.
#[derive(Clone, Debug, PartialEq)]
pub struct Voice {
    /// Reasoning; stored, never in history, never sent to people unless asked for.
    pub thought: String,
    /// Free text, such as `curious`.
    pub emotive_state: String,
    /// Tools to run, in order.
    pub tool_calls: Vec<ToolCall>,
    /// The reply. Beside calls it is interim and not sent.
    pub final_response: Option<String>,
}

/// One tool that a mind wants run.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// Its arguments: always an object.
    pub arguments: Value,
}

/// A rule of the voice that an answer breaks. Its text is for the model, which is to repair the answer; people are told the
/// fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoiceError {
    /// Path in the voice, such as `tool_calls[0].name`; empty for the whole.
    pub path: String,
    /// What is wrong and what would be right, for the model.
    pub message: String,
    /// What is wrong, for people.
    pub fault: AnswerFault,
}

/// What is wrong with an answer, as people are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerFault {
    /// It has another form than was asked for.
    #[default]
    Form,
    /// It holds a call of a tool that cannot be read or made.
    Calls,
    /// It holds a call of a tool with more arguments than one may have.
    LargeCall,
    /// It says nothing.
    Empty,
    /// It was cut off at the limit of output tokens.
    CutOff {
        /// The limit, where it is known.
        tokens_max: Option<u32>,
    },
    /// It is longer than a reply may be.
    TooLong,
}

impl AnswerFault {
    /// What may help, for people.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Form | Self::Calls => "ask again, or choose a model that calls tools reliably",
            Self::Empty => "ask again, or in other words",
            Self::LargeCall | Self::CutOff { .. } | Self::TooLong => "ask for less at once",
        }
    }
}

/// What the model did, as what follows its name in a sentence.
impl fmt::Display for AnswerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form => f.write_str("gave an answer that could not be read"),
            Self::Calls => f.write_str("called a tool in a way that could not be read"),
            Self::LargeCall => write!(
                f,
                "called a tool with more than {} KiB of arguments",
                TOOL_ARGUMENTS_BYTES_MAX / 1024
            ),
            Self::Empty => f.write_str("gave an empty answer"),
            Self::CutOff { tokens_max: Some(max) } => {
                write!(f, "gave an answer longer than its limit of {max} tokens")
            }
            Self::CutOff { tokens_max: None } => {
                f.write_str("gave an answer longer than its limit of tokens")
            }
            Self::TooLong => {
                write!(f, "gave an answer of more than {RESPONSE_CHARS_MAX} characters")
            }
        }
    }
}

impl VoiceError {
    /// An error at a path.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        let path = path.into();
        let fault =
            if path.starts_with("tool_calls") { AnswerFault::Calls } else { AnswerFault::Form };
        Self { path, message: message.into(), fault }
    }

    /// The same with a fault that its path does not show.
    #[must_use]
    pub const fn of(mut self, fault: AnswerFault) -> Self {
        self.fault = fault;
        self
    }
}

impl fmt::Display for VoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for VoiceError {}

/// The JSON schema of a voice. `strict` gives the shape that strict modes accept: closed objects, every key required,
/// and a tool's arguments as a JSON string.
pub fn schema(strict: bool) -> Value {
    let arguments = if strict {
        json!({"type": "string", "description": "the arguments as a JSON object in a string"})
    } else {
        json!({"type": "object", "description": "the arguments"})
    };
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["thought", "emotive_state", "tool_calls", "final_response"],
        "properties": {
            "thought": {"type": "string", "description": "your reasoning; never shown to the person"},
            "emotive_state": {"type": "string", "description": "how you feel, in a word or two"},
            "tool_calls": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["name", "arguments"],
                    "properties": {"name": {"type": "string"}, "arguments": arguments}
                }
            },
            "final_response": {
                "type": ["string", "null"],
                "description": "your reply to the person; null while you wait for tools"
            }
        }
    })
}

impl Voice {
    /// Reads a voice from a model's text. Space and one Markdown fence around the object are tolerated; anything else
    /// beside it is a problem, for it would be lost.
    pub fn from_json_text(text: &str) -> Result<Self, VoiceError> {
        let body = strip_fence(text.trim());
        let value: Value = serde_json::from_str(body).map_err(|error| {
            VoiceError::new("", format!("not a JSON object of the voice's schema: {error}"))
        })?;
        Self::from_json(value)
    }

    /// Reads a voice from a JSON value.
    pub fn from_json(value: Value) -> Result<Self, VoiceError> {
        let Value::Object(mut object) = value else {
            return Err(VoiceError::new("", "must be a JSON object"));
        };
        let thought = take_text(&mut object, "thought")?.unwrap_or_default();
        let emotive_state = take_text(&mut object, "emotive_state")?
            .filter(|state| !state.trim().is_empty())
            .unwrap_or_else(|| EMOTIVE_STATE_DEFAULT.into());
        let tool_calls = match object.remove("tool_calls") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(calls)) => calls
                .into_iter()
                .enumerate()
                .map(|(index, call)| ToolCall::from_json(call, &format!("tool_calls[{index}]")))
                .collect::<Result<_, _>>()?,
            Some(_) => return Err(VoiceError::new("tool_calls", "must be a list")),
        };
        let final_response = take_text(&mut object, "final_response")?;
        if let Some(key) = object.keys().next() {
            return Err(VoiceError::new(key.clone(), "is an unknown field of the voice"));
        }
        Ok(Self { thought, emotive_state, tool_calls, final_response }.trimmed())
    }

    /// Puts a voice together from a provider's native parts. Blank text beside calls is no response.
    pub fn native(thought: String, text: String, tool_calls: Vec<ToolCall>) -> Self {
        let final_response =
            if is_blank(&text) && !tool_calls.is_empty() { None } else { Some(text) };
        Self { thought, emotive_state: EMOTIVE_STATE_DEFAULT.into(), tool_calls, final_response }
            .trimmed()
    }

    /// Checks that this voice can be acted upon, given how many calls a turn may make.
    pub fn check(&self, calls_max: usize) -> Result<(), VoiceError> {
        if self.tool_calls.len() > calls_max {
            let message = format!("{} calls; at most {calls_max} a turn", self.tool_calls.len());
            return Err(VoiceError::new("tool_calls", message));
        }
        for (index, call) in self.tool_calls.iter().enumerate() {
            call.check(&format!("tool_calls[{index}]"))?;
        }
        if !self.tool_calls.is_empty() {
            return Ok(());
        }
        match &self.final_response {
            None => Err(VoiceError::new(
                "final_response",
                "neither a response nor a tool call; give one of them",
            )
            .of(AnswerFault::Empty)),
            Some(text) if is_blank(text) => {
                let message = "is blank; say something to the person";
                Err(VoiceError::new("final_response", message).of(AnswerFault::Empty))
            }
            Some(text) if text.chars().count() > RESPONSE_CHARS_MAX => Err(VoiceError::new(
                "final_response",
                format!("{} characters; at most {RESPONSE_CHARS_MAX}", text.chars().count()),
            )
            .of(AnswerFault::TooLong)),
            Some(_) => Ok(()),
        }
    }

    fn trimmed(mut self) -> Self {
        truncate_bytes(&mut self.thought, THOUGHT_BYTES_MAX);
        if self.emotive_state.chars().count() > EMOTIVE_STATE_CHARS_MAX {
            self.emotive_state = self.emotive_state.chars().take(EMOTIVE_STATE_CHARS_MAX).collect();
        }
        self
    }
}

impl ToolCall {
    fn from_json(value: Value, path: &str) -> Result<Self, VoiceError> {
        let Value::Object(mut object) = value else {
            return Err(VoiceError::new(path, "must be an object with name and arguments"));
        };
        let Some(Value::String(name)) = object.remove("name") else {
            return Err(VoiceError::new(format!("{path}.name"), "must be a tool's name"));
        };
        let arguments =
            arguments_from_json(object.remove("arguments"), &format!("{path}.arguments"))?;
        Ok(Self { name, arguments })
    }

    fn check(&self, path: &str) -> Result<(), VoiceError> {
        if self.name.is_empty() || self.name.len() > TOOL_NAME_BYTES_MAX {
            let message = format!("must be 1 to {TOOL_NAME_BYTES_MAX} bytes");
            return Err(VoiceError::new(format!("{path}.name"), message));
        }
        let bytes = self.arguments.to_string().len();
        if bytes > TOOL_ARGUMENTS_BYTES_MAX {
            let message = format!("{bytes} bytes; at most {TOOL_ARGUMENTS_BYTES_MAX}");
            let error = VoiceError::new(format!("{path}.arguments"), message);
            return Err(error.of(AnswerFault::LargeCall));
        }
        Ok(())
    }
}

/// Reads a call's arguments: an object, an object in a string, or nothing at all (no arguments).
pub fn arguments_from_json(value: Option<Value>, path: &str) -> Result<Value, VoiceError> {
    match value {
        None | Some(Value::Null) => Ok(Value::Object(Map::new())),
        Some(Value::Object(object)) => Ok(Value::Object(object)),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(Value::Object(Map::new())),
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => Ok(Value::Object(object)),
            Ok(_) => Err(VoiceError::new(path, "must be a JSON object")),
            Err(error) => Err(VoiceError::new(path, format!("not JSON: {error}"))),
        },
        Some(_) => Err(VoiceError::new(path, "must be a JSON object")),
    }
}

/// Cuts a text to at most `bytes_max` bytes, on a character boundary.
pub fn truncate_bytes(text: &mut String, bytes_max: usize) {
    if text.len() > bytes_max {
        let end = (0..=bytes_max).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
    }
}

fn take_text(object: &mut Map<String, Value>, key: &str) -> Result<Option<String>, VoiceError> {
    match object.remove(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(VoiceError::new(key, "must be a string")),
    }
}

fn strip_fence(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("```") else {
        return text;
    };
    let Some(body) = rest.strip_suffix("```") else {
        return text;
    };
    match body.split_once('\n') {
        Some((language, body)) if !language.contains('{') => body.trim(),
        _ => body.trim(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::{AnswerFault, ToolCall, Voice, schema};

    fn problem(text: &str) -> String {
        Voice::from_json_text(text)
            .and_then(|voice| voice.check(32).map(|()| voice))
            .map_or_else(|problem| problem.to_string(), |voice| format!("fits: {voice:?}"))
    }

    #[test]
    fn a_full_voice_is_read_and_a_fence_is_tolerated() {
        let text = "```json\n{\"thought\":\"t\",\"emotive_state\":\"calm\",\"tool_calls\":[{\"name\":\"clock.now\",\"arguments\":\"{}\"}],\"final_response\":null}\n```";
        let voice = Voice {
            thought: "t".into(),
            emotive_state: "calm".into(),
            tool_calls: vec![ToolCall { name: "clock.now".into(), arguments: json!({}) }],
            final_response: None,
        };
        assert_eq!(Voice::from_json_text(text), Ok(voice));
    }

    #[test]
    fn each_violation_names_its_path() {
        let cases = [
            (r"[1]", "must be a JSON object"),
            (r#"{"final_response":3}"#, "final_response: must be a string"),
            (r#"{"final_response":" "}"#, "final_response: is blank; say something to the person"),
            ("{}", "final_response: neither a response nor a tool call; give one of them"),
            (r#"{"tool_calls":{}}"#, "tool_calls: must be a list"),
            (r#"{"tool_calls":[{"arguments":{}}]}"#, "tool_calls[0].name: must be a tool's name"),
            (
                r#"{"tool_calls":[{"name":"a","arguments":"[1]"}]}"#,
                "tool_calls[0].arguments: must be a JSON object",
            ),
            (r#"{"answer":"x"}"#, "answer: is an unknown field of the voice"),
        ];
        for (text, expected) in cases {
            assert_eq!(problem(text), expected, "{text}");
        }
        assert!(
            problem("Sure! Here you go").starts_with("not a JSON object of the voice's schema")
        );
        let calls = format!(r#"{{"tool_calls":[{}]}}"#, vec![r#"{"name":"a"}"#; 10_000].join(","));
        assert_eq!(problem(&calls), "tool_calls: 10000 calls; at most 32 a turn");
        let long = format!(r#"{{"final_response":"{}"}}"#, "é".repeat(50_001));
        assert_eq!(problem(&long), "final_response: 50001 characters; at most 50000");
    }

    #[test]
    fn people_are_told_what_the_model_did_and_not_what_it_is_to_do() {
        let fault = |text: &str| {
            let voice = Voice::from_json_text(text);
            voice.and_then(|voice| voice.check(32)).unwrap_err().fault.to_string()
        };
        let long = format!(r#"{{"final_response":"{}"}}"#, "é".repeat(50_001));
        let cases = [
            (r#"{"final_response":" "}"#, "gave an empty answer"),
            ("{}", "gave an empty answer"),
            ("Sure! {", "gave an answer that could not be read"),
            (r#"{"tool_calls":{}}"#, "called a tool in a way that could not be read"),
            (&long, "gave an answer of more than 50000 characters"),
        ];
        for (text, expected) in cases {
            assert_eq!(fault(text), expected, "{text}");
        }
        let cut = AnswerFault::CutOff { tokens_max: Some(8192) };
        assert_eq!(cut.to_string(), "gave an answer longer than its limit of 8192 tokens");
    }

    #[test]
    fn the_strict_schema_is_closed_everywhere() {
        fn closed(value: &serde_json::Value) -> bool {
            let own = value["type"] != "object" || value["additionalProperties"] == false;
            own && value.as_object().is_none_or(|o| o.values().all(closed))
        }
        assert!(closed(&schema(true)));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,200}|[\\[\\]{}\":,a-z0-9 `\n]{0,200}") {
            drop(Voice::from_json_text(&text).map(|voice| voice.check(32)));
        }
    }
}
