//! Reads a request of any dialect into one shape, noting what is out of place on the way.
//!
//! Rules that need the whole conversation (pairing, alternation) are in `check`; here is what one item shows by itself.

mod anthropic;
mod chat;
mod ollama;
mod responses;

use serde_json::Value;

use super::{
    FakeDialect, Role, SeenCall, SeenMessage, SeenRequest, SeenResult, SeenTool, schema,
    socket::RawRequest,
};

/// Headers that are not kept, for they carry keys.
const SECRET_HEADERS: [&str; 4] = ["authorization", "x-api-key", "api-key", "cookie"];

/// Understands a request; the texts say what is wrong with it.
pub(super) fn parse(dialect: FakeDialect, raw: RawRequest) -> (SeenRequest, Vec<String>) {
    let mut draft = Draft::default();
    let body: Value = serde_json::from_slice(&raw.body).unwrap_or_default();
    if !body.is_object() {
        draft.problem("body", "is no JSON object");
    }
    let json_type =
        raw.header("content-type").is_some_and(|kind| kind.starts_with("application/json"));
    if !json_type {
        draft.problem("content-type", "must be application/json");
    }
    match dialect {
        FakeDialect::OpenAiChat => chat::read(&body, &mut draft),
        FakeDialect::OpenAiResponses => responses::read(&body, &mut draft),
        FakeDialect::Anthropic => anthropic::read(&body, &raw, &mut draft),
        FakeDialect::Ollama => ollama::read(&body, &mut draft),
    }
    // Ollama alone streams unless told not to.
    let stream =
        body.get("stream").and_then(Value::as_bool).unwrap_or(dialect == FakeDialect::Ollama);
    let headers =
        raw.headers.into_iter().filter(|(name, _)| !SECRET_HEADERS.contains(&name.as_str()));
    let seen = SeenRequest {
        number: 0,
        dialect,
        model: text(&body, "model").to_owned(),
        system: draft.system.join("\n\n"),
        messages: draft.messages,
        tools: draft.tools,
        format: draft.format,
        tokens_max: draft.tokens_max,
        stream,
        headers: headers.collect(),
        auth_ok: true,
        bytes: raw.body.len(),
        body,
    };
    (seen, draft.problems)
}

/// A request in the making.
#[derive(Debug, Default)]
struct Draft {
    system: Vec<String>,
    messages: Vec<SeenMessage>,
    tools: Vec<SeenTool>,
    format: Option<Value>,
    tokens_max: Option<u64>,
    problems: Vec<String>,
}

impl Draft {
    fn problem(&mut self, place: &str, problem: &str) {
        self.problems.push(format!("{place}: {problem}"));
    }

    /// Instructions: before the conversation they are the system text, inside it a message.
    fn instruct(&mut self, text: String) {
        if self.messages.is_empty() {
            self.system.push(text);
        } else {
            self.say(Role::System, text);
        }
    }

    fn say(&mut self, role: Role, text: String) {
        self.messages.push(SeenMessage::new(role, text));
    }

    /// Adds a call to the model's message that is being read.
    fn call(&mut self, call: SeenCall) {
        if let Some(message) = self.newest(Role::Assistant) {
            message.calls.push(call);
        }
    }

    /// Adds a result to the results that are being read.
    fn result(&mut self, result: SeenResult) {
        if let Some(message) = self.newest(Role::Tool) {
            message.results.push(result);
        }
    }

    /// Gives the message that is being read its text.
    fn word(&mut self, role: Role, words: &[String]) {
        if let Some(message) = self.newest(role) {
            message.text = words.join("\n");
        }
    }

    /// The last message, a new one where the last is not of that role. Never none.
    fn newest(&mut self, role: Role) -> Option<&mut SeenMessage> {
        if self.messages.last().is_none_or(|message| message.role != role) {
            self.say(role, String::new());
        }
        self.messages.last_mut()
    }

    /// The text of a content: a string, or parts of the given types.
    fn content(&mut self, content: Option<&Value>, place: &str, types: &[&str]) -> String {
        match content {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(parts)) => {
                let texts: Vec<_> =
                    parts.iter().filter_map(|part| self.part(part, place, types)).collect();
                texts.join("\n")
            }
            Some(_) => {
                self.problem(place, "content must be a string or a list of parts");
                String::new()
            }
        }
    }

    fn part(&mut self, part: &Value, place: &str, types: &[&str]) -> Option<String> {
        let kind = text(part, "type");
        if !types.contains(&kind) {
            self.problem(place, &format!("a part of type `{kind}` does not belong here"));
            return None;
        }
        let words = part.get("text").and_then(Value::as_str);
        match words {
            None => self.problem(place, &format!("a part of type `{kind}` has no text")),
            Some(words) if words.trim().is_empty() => self.problem(place, "a text part is blank"),
            Some(_) => {}
        }
        words.map(str::to_owned)
    }

    /// A tool whose definition stands in this value.
    fn tool(&mut self, definition: &Value, parameters: &str, place: &str) {
        let schema = definition.get(parameters).cloned().unwrap_or_default();
        if text(&schema, "type") != "object" {
            self.problem(place, &format!("`{parameters}` must be a schema of type object"));
        }
        let is_strict = definition.get("strict") == Some(&Value::Bool(true));
        if let Some(problem) = schema::strict(&schema).filter(|_| is_strict) {
            self.problem(place, &problem);
        }
        self.tools.push(SeenTool {
            name: text(definition, "name").to_owned(),
            description: text(definition, "description").to_owned(),
            parameters: schema,
        });
    }

    /// Arguments that must be a JSON object in a string.
    fn arguments_in_text(&mut self, arguments: Option<&Value>, place: &str) -> Value {
        let parsed = arguments.and_then(Value::as_str).map(serde_json::from_str::<Value>);
        match parsed {
            Some(Ok(value)) if value.is_object() => value,
            _ => {
                self.problem(place, "a call's arguments must be a JSON object in a string");
                Value::Null
            }
        }
    }

    /// Fields that the provider would refuse.
    fn known_fields(&mut self, body: &Value, known: &[&str]) {
        let unknown = body.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
        let unknown: Vec<_> = unknown.filter(|key| !known.contains(key)).collect();
        for key in unknown {
            self.problem(key, "is no parameter of this provider");
        }
    }
}

/// A text field; empty where it is missing or no text.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The items of a list field with their places; none where it is missing or no list.
fn items<'a>(value: &'a Value, key: &'a str) -> impl Iterator<Item = (String, &'a Value)> {
    let list = value.get(key).and_then(Value::as_array).into_iter().flatten();
    list.enumerate().map(move |(index, item)| (format!("{key}[{index}]"), item))
}
