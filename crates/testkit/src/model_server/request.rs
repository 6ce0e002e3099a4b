//! A request as the fake understood it: the same shape whatever the dialect.
//!
//! Holds no secret: the headers that carry keys are left out when it is made.

use serde_json::Value;

use super::FakeDialect;

/// One request for an answer.
#[derive(Clone, Debug)]
pub struct SeenRequest {
    /// From 1, in the order of arrival.
    pub number: usize,
    /// How it was said.
    pub dialect: FakeDialect,
    /// The model asked for.
    pub model: String,
    /// Instructions that stand before the conversation, joined by blank lines.
    pub system: String,
    /// The conversation.
    pub messages: Vec<SeenMessage>,
    /// The tools on offer.
    pub tools: Vec<SeenTool>,
    /// The JSON schema that the answer must fit, where one was given.
    pub format: Option<Value>,
    /// The longest answer allowed, in tokens.
    pub tokens_max: Option<u64>,
    /// Whether a stream was asked for.
    pub stream: bool,
    /// Headers by lower-case name, without those that carry keys.
    pub headers: Vec<(String, String)>,
    /// Whether the key was the right one; true where none is demanded.
    pub auth_ok: bool,
    /// Bytes of the body.
    pub bytes: usize,
    /// The body as it came.
    pub body: Value,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Instructions in the middle of the conversation.
    System,
    /// The person, or the system in a person's place.
    User,
    /// The model.
    Assistant,
    /// Tools, with their results.
    Tool,
}

/// One message. Neighbouring results are one message of [`Role::Tool`].
#[derive(Clone, Debug, PartialEq)]
pub struct SeenMessage {
    /// Who speaks.
    pub role: Role,
    /// Its text parts, joined by line ends.
    pub text: String,
    /// The calls that the model made in it.
    pub calls: Vec<SeenCall>,
    /// The results that it brings.
    pub results: Vec<SeenResult>,
}

/// How a context object begins.
const OBJECT_TITLE: &str = "# What you know at this moment";

/// A tool call in a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenCall {
    /// Its id.
    pub id: String,
    /// The tool, in the provider's spelling.
    pub name: String,
    /// Its arguments.
    pub arguments: Value,
}

/// A tool's result in a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenResult {
    /// The call that it answers.
    pub id: String,
    /// What it says.
    pub text: String,
}

/// A tool on offer.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenTool {
    /// Its name, in the provider's spelling.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The schema of its arguments.
    pub parameters: Value,
}

impl SeenMessage {
    /// A message of text alone.
    pub(crate) const fn new(role: Role, text: String) -> Self {
        Self { role, text, calls: Vec::new(), results: Vec::new() }
    }
}

impl SeenRequest {
    /// The text of the newest message of the person; empty where there is none. The context object above it is left out.
    pub fn user_text(&self) -> &str {
        let newest = self.newest();
        // The label of the message is the first behind the object; what follows the message may have others.
        let object = newest.find(OBJECT_TITLE).and_then(|at| newest.get(at..));
        let label = object.and_then(|object| object.get(object.find("\n\n[")?..));
        label.map_or(newest, str::trim_start)
    }

    /// The context object, where the request has one: what stands above the newest message.
    pub fn object(&self) -> &str {
        let newest = self.newest();
        let end = newest.len() - self.user_text().len();
        let object = newest.get(..end).unwrap_or_default();
        object.find(OBJECT_TITLE).and_then(|at| object.get(at..)).unwrap_or_default().trim_end()
    }

    fn newest(&self) -> &str {
        let newest = self.messages.iter().rev().find(|message| message.role == Role::User);
        newest.map_or("", |message| &message.text)
    }

    /// The last message, where the conversation ends with one.
    pub fn last(&self) -> Option<&SeenMessage> {
        self.messages.last()
    }

    /// The calls of the turn before and the texts of their results, where the request ends with results.
    ///
    /// Where the voice is asked for as JSON, the calls stand in the model's text and the results in the text after it.
    pub fn finished_calls(&self) -> Option<(Vec<SeenCall>, Vec<String>)> {
        let (last, before) = self.messages.split_last()?;
        let asked = before.iter().rev().find(|message| message.role == Role::Assistant)?;
        if last.role == Role::Tool {
            let texts = last.results.iter().map(|result| result.text.clone()).collect();
            return Some((asked.calls.clone(), texts));
        }
        let is_next = before.last().is_some_and(|message| message.role == Role::Assistant);
        let calls = voice_calls(&asked.text);
        (is_next && !calls.is_empty()).then(|| (calls, vec![last.text.clone()]))
    }

    /// The provider's spelling of one of our tools (`memory.search_facts` may be offered as `memory__search_facts`).
    /// A tool that is not on offer keeps its name.
    pub fn spelling(&self, tool: &str) -> String {
        let forms = [
            tool.to_owned(),
            tool.replace('.', "__"),
            tool.replace('.', "_"),
            tool.replace('.', "-"),
        ];
        let is_offered = |form: &&String| self.tools.iter().any(|tool| tool.name == **form);
        forms.iter().find(is_offered).map_or_else(|| tool.to_owned(), Clone::clone)
    }

    /// Whether a Chat stream is to end with its usage.
    pub(crate) fn wants_usage(&self) -> bool {
        self.body.pointer("/stream_options/include_usage") == Some(&Value::Bool(true))
    }

    /// Whether the answer must be the voice as JSON.
    pub fn wants_voice(&self) -> bool {
        self.voice_property("tool_calls").is_some()
    }

    /// Whether the voice's schema wants a call's arguments as JSON in a string.
    pub(crate) fn wants_arguments_as_text(&self) -> bool {
        let kind = self
            .voice_property("tool_calls")
            .and_then(|calls| calls.pointer("/items/properties/arguments/type"));
        kind.is_some_and(|kind| kind == "string")
    }

    fn voice_property(&self, name: &str) -> Option<&Value> {
        self.format.as_ref()?.get("properties")?.get(name)
    }
}

/// The calls in a text that is a voice as JSON; none in any other.
fn voice_calls(text: &str) -> Vec<SeenCall> {
    let voice: Value = serde_json::from_str(text.trim()).unwrap_or_default();
    let calls = voice.get("tool_calls").and_then(Value::as_array);
    let call = |call: &Value| {
        let name = call.get("name")?.as_str()?.to_owned();
        let arguments = call.get("arguments").cloned().unwrap_or_default();
        Some(SeenCall { id: String::new(), name, arguments })
    };
    calls.into_iter().flatten().filter_map(call).collect()
}
