//! A request while it is read, and what is out of place in it.

use serde_json::Value;

use super::super::{Role, SeenCall, SeenMessage, SeenResult, SeenTool, schema};

/// A request in the making.
#[derive(Debug, Default)]
pub(super) struct RequestDraft {
    pub(super) system: Vec<String>,
    pub(super) messages: Vec<SeenMessage>,
    pub(super) tools: Vec<SeenTool>,
    pub(super) format: Option<Value>,
    pub(super) tokens_max: Option<u64>,
    pub(super) problems: Vec<String>,
}

impl RequestDraft {
    pub(super) fn problem(&mut self, place: &str, problem: &str) {
        self.problems.push(format!("{place}: {problem}"));
    }

    /// Instructions: before the conversation they are the system text, inside it a message.
    pub(super) fn instruct(&mut self, text: String) {
        if self.messages.is_empty() {
            self.system.push(text);
        } else {
            self.say(Role::System, text);
        }
    }

    pub(super) fn say(&mut self, role: Role, text: String) {
        self.messages.push(SeenMessage::new(role, text));
    }

    /// Adds a call to the model's message that is being read.
    pub(super) fn call(&mut self, call: SeenCall) {
        if let Some(message) = self.newest(Role::Assistant) {
            message.calls.push(call);
        }
    }

    /// Adds a result to the results that are being read.
    pub(super) fn result(&mut self, result: SeenResult) {
        if let Some(message) = self.newest(Role::Tool) {
            message.results.push(result);
        }
    }

    /// Gives the message that is being read its text.
    pub(super) fn word(&mut self, role: Role, words: &[String]) {
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
    pub(super) fn content(
        &mut self,
        content: Option<&Value>,
        place: &str,
        types: &[&str],
    ) -> String {
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

    pub(super) fn part(&mut self, part: &Value, place: &str, types: &[&str]) -> Option<String> {
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
    pub(super) fn tool(&mut self, definition: &Value, parameters: &str, place: &str) {
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
    pub(super) fn arguments_in_text(&mut self, arguments: Option<&Value>, place: &str) -> Value {
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
    pub(super) fn known_fields(&mut self, body: &Value, known: &[&str]) {
        let unknown = body.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
        let unknown: Vec<_> = unknown.filter(|key| !known.contains(key)).collect();
        for key in unknown {
            self.problem(key, "is no parameter of this provider");
        }
    }
}

/// A text field; empty where it is missing or no text.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The items of a list field with their places; none where it is missing or no list.
pub(super) fn items<'a>(
    value: &'a Value,
    key: &'a str,
) -> impl Iterator<Item = (String, &'a Value)> {
    let list = value.get(key).and_then(Value::as_array).into_iter().flatten();
    list.enumerate().map(move |(index, item)| (format!("{key}[{index}]"), item))
}
