//! What a real provider would refuse in a conversation as a whole.

use std::collections::HashSet;

use serde_json::Value;

use super::{FakeDialect, Role, SeenCall, SeenMessage, SeenRequest, schema};

/// Says what is wrong with a request, beyond what reading it has shown.
pub(super) fn check(request: &SeenRequest, bytes_max: usize) -> Vec<String> {
    let mut problems = Vec::new();
    if request.bytes > bytes_max {
        problems.push(format!("body: {} bytes; at most {bytes_max}", request.bytes));
    }
    if request.model.is_empty() {
        problems.push("model: is missing".to_owned());
    }
    if request.messages.is_empty() {
        problems.push("messages: are missing".to_owned());
    }
    tools(request, &mut problems);
    pairing(request, &mut problems);
    blanks(request, &mut problems);
    if request.dialect == FakeDialect::Anthropic {
        alternation(request, &mut problems);
    }
    format(request, &mut problems);
    problems
}

/// A schema fits the rules of the mode that it is given for; Anthropic knows only the strict one.
fn format(request: &SeenRequest, problems: &mut Vec<String>) {
    let Some(format) = &request.format else { return };
    let is_strict = match request.dialect {
        FakeDialect::OpenAiChat => request.body.pointer("/response_format/json_schema/strict"),
        FakeDialect::OpenAiResponses => request.body.pointer("/text/format/strict"),
        FakeDialect::Anthropic => Some(&Value::Bool(true)),
        FakeDialect::Ollama => None,
    };
    if is_strict == Some(&Value::Bool(true)) {
        problems.extend(schema::strict(format).map(|problem| format!("format: {problem}")));
    } else if format.get("type") != Some(&Value::from("object")) {
        problems.push("format: the root must be of type object".to_owned());
    }
}

/// Names fit the providers' pattern, are offered once, and no conversation with calls comes without tools.
fn tools(request: &SeenRequest, problems: &mut Vec<String>) {
    let mut names = HashSet::new();
    for tool in &request.tools {
        if !is_tool_name(&tool.name) {
            problems.push(format!("tools: `{}` is no name: [a-zA-Z0-9_-], 1 to 64", tool.name));
        }
        if !names.insert(tool.name.as_str()) {
            problems.push(format!("tools: `{}` is offered twice", tool.name));
        }
    }
    let mut calls = request.messages.iter().flat_map(|message| &message.calls);
    if let Some(call) = calls.clone().find(|call| !is_tool_name(&call.name)) {
        problems.push(format!("messages: `{}` is called and is no name", call.name));
    }
    if request.dialect == FakeDialect::Anthropic
        && request.tools.is_empty()
        && calls.next().is_some()
    {
        problems.push("tools: must be given, for the conversation holds calls".to_owned());
    }
}

fn is_tool_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(fits)
}

/// Every call has exactly one result with its id directly after it; no result is without a call; no id comes twice.
fn pairing(request: &SeenRequest, problems: &mut Vec<String>) {
    let mut seen = HashSet::new();
    let mut asked: &[SeenCall] = &[];
    for message in &request.messages {
        if message.role == Role::Tool {
            results(message, asked.iter().map(|call| call.id.as_str()), problems);
        } else if let Some(call) = asked.first() {
            problems.push(format!("messages: no result directly after call `{}`", call.id));
        }
        asked = &message.calls;
        for call in asked {
            if call.id.is_empty() || (request.dialect == FakeDialect::Anthropic && !is_id(&call.id))
            {
                problems.push(format!("messages: `{}` is no id of a call", call.id));
            }
            if !seen.insert(call.id.as_str()) {
                problems.push(format!("messages: call id `{}` comes twice", call.id));
            }
        }
    }
    if let Some(call) = asked.first() {
        problems.push(format!("messages: end with call `{}` and no result", call.id));
    }
}

fn is_id(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

fn results<'a>(
    message: &'a SeenMessage,
    asked: impl Iterator<Item = &'a str>,
    problems: &mut Vec<String>,
) {
    let mut open: HashSet<&str> = asked.collect();
    for result in &message.results {
        if !open.remove(result.id.as_str()) {
            problems.push(format!("messages: result `{}` answers no open call", result.id));
        }
    }
    let mut left: Vec<_> = open.into_iter().collect();
    left.sort_unstable();
    problems.extend(left.iter().map(|id| format!("messages: call `{id}` has no result")));
}

/// Nobody says nothing. A model that calls tools may be silent beside them.
fn blanks(request: &SeenRequest, problems: &mut Vec<String>) {
    for (index, message) in request.messages.iter().enumerate() {
        let may_be_silent = message.role == Role::Tool || !message.calls.is_empty();
        if !may_be_silent && message.text.trim().is_empty() {
            problems.push(format!(
                "messages: the {}. of them ({:?}) is blank",
                index + 1,
                message.role
            ));
        }
    }
}

/// A person begins and ends, and speakers take turns; results count as the person's.
fn alternation(request: &SeenRequest, problems: &mut Vec<String>) {
    let is_model = |message: &SeenMessage| message.role == Role::Assistant;
    if request.messages.first().is_some_and(is_model) {
        problems.push("messages: the first must be the user's".to_owned());
    }
    if request.messages.last().is_some_and(is_model) {
        problems.push("messages: the last must be the user's".to_owned());
    }
    let pairs = request.messages.windows(2);
    let twice = pairs.filter(|pair| matches!(pair, [a, b] if is_model(a) == is_model(b))).count();
    if twice > 0 {
        problems.push(format!("messages: {twice} times one speaker speaks twice in a row"));
    }
}
