//! Reads calls out of markup: names of tools, and arguments as JSON, as tags or as a program would write them.

use abide_domain::{
    tool::ToolSpec,
    voice::{ToolCall, arguments_from_json},
};
use serde_json::{Map, Value};

use super::{
    keywords::{self, plain_name},
    marks::find_name,
};

/// Most calls that are read; the engine's own limit is lower and names itself.
const CALLS_MAX: usize = 256;
/// Deepest nesting in which named calls are looked for.
const DEPTH_MAX: usize = 4;
const NAME_FIELDS: [&str; 7] =
    ["name", "tool", "tool_name", "function", "function_name", "action", "recipient_name"];
/// Fields under which calls stand.
const CALL_FIELDS: [&str; 5] = ["tool_calls", "function", "calls", "tool_call", "function_call"];
const ARGUMENT_FIELDS: [&str; 7] =
    ["arguments", "parameters", "args", "input", "action_input", "params", "kwargs"];

/// What a text holds.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) calls: Vec<ToolCall>,
    /// Whether anything but a name makes it a call.
    pub(super) is_explicit: bool,
    /// Whether something of it cannot be read, or is prose.
    pub(super) is_broken: bool,
}

/// A call whose arguments are still to come.
struct Pending<'a> {
    tool: &'a ToolSpec,
    arguments: Map<String, Value>,
}

struct Scanner<'a> {
    text: &'a str,
    /// The same text, byte for byte, with all names in plain spelling.
    plain: String,
    offered: &'a [ToolSpec],
    /// Their names in plain spelling, in the same order.
    names: Vec<String>,
    at: usize,
    rest: String,
    pending: Option<Pending<'a>>,
    scan: Scan,
}

impl Scan {
    pub(super) fn of(text: &str, offered: &[ToolSpec]) -> Self {
        let mut scanner = Scanner {
            text,
            plain: plain_name(text),
            offered,
            names: offered.iter().map(|tool| plain_name(&tool.name)).collect(),
            at: 0,
            rest: String::new(),
            pending: None,
            scan: Self::default(),
        };
        while let Some(letter) = scanner.here().chars().next() {
            if scanner.scan.calls.len() > CALLS_MAX {
                scanner.scan.is_broken = true;
                break;
            }
            scanner.step(letter);
        }
        scanner.flush();
        let mut scan = scanner.scan;
        scan.is_broken |= keywords::is_prose(&scanner.rest);
        scan
    }
}

impl<'a> Scanner<'a> {
    fn here(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn step(&mut self, letter: char) {
        let is_read = match letter {
            '{' | '[' => self.json(letter),
            '<' => self.tag(),
            _ => self.name(),
        };
        if !is_read {
            self.rest.push(letter);
            self.at += letter.len_utf8();
        }
    }

    /// A JSON value: a call with its name, several, or the arguments of the name before it.
    fn json(&mut self, letter: char) -> bool {
        let mut values = serde_json::Deserializer::from_str(self.here()).into_iter::<Value>();
        let Some(Ok(value)) = values.next() else {
            // A bracket may be markup of its own; a brace cannot.
            self.scan.is_broken |= letter == '{';
            return false;
        };
        let end = values.byte_offset();
        let mut named = Vec::new();
        self.named_calls(&value, 0, &mut named);
        match (named.is_empty(), value) {
            (false, _) => {
                self.flush();
                self.scan.calls.append(&mut named);
            }
            (true, Value::Object(arguments)) => match self.pending.take() {
                Some(pending) if pending.arguments.is_empty() => {
                    self.push(pending.tool, Value::Object(arguments));
                }
                _ => self.rest.push_str(" data "),
            },
            (true, _) => return false,
        }
        self.scan.is_explicit = true;
        self.at += end;
        true
    }

    fn named_calls(&mut self, value: &Value, depth: usize, found: &mut Vec<ToolCall>) {
        if depth > DEPTH_MAX {
            return;
        }
        match value {
            Value::Array(items) => {
                items
                    .iter()
                    .take(CALLS_MAX)
                    .for_each(|item| self.named_calls(item, depth + 1, found));
            }
            Value::Object(object) => {
                let text = |field: &&str| object.get(*field).and_then(Value::as_str);
                let tool = NAME_FIELDS.iter().find_map(text).and_then(|name| self.offered(name));
                let Some(tool) = tool else {
                    let inner = CALL_FIELDS.iter().filter_map(|field| object.get(*field));
                    return inner.for_each(|inner| self.named_calls(inner, depth + 1, found));
                };
                let given = ARGUMENT_FIELDS.iter().find_map(|field| object.get(*field));
                match arguments_from_json(given.cloned(), "") {
                    Ok(arguments) => found.push(ToolCall { name: tool.name.clone(), arguments }),
                    Err(_) => self.scan.is_broken = true,
                }
            }
            _ => {}
        }
    }

    /// The tool of that name, however it is spelt.
    fn offered(&self, name: &str) -> Option<&'a ToolSpec> {
        let name = plain_name(name.trim());
        let name = name.strip_prefix("functions_").unwrap_or(&name);
        self.offered.iter().find(|tool| plain_name(&tool.name) == *name)
    }

    /// A tag: of a tool, of an argument, or of nothing that matters.
    fn tag(&mut self) -> bool {
        let here = self.here();
        let Some(end) = here.find('>') else { return false };
        let inner = here.get(1..end).unwrap_or_default();
        if inner.contains(['\n', '<']) {
            return false;
        }
        if !inner.starts_with('/') && self.argument(inner, end + 1) {
            return true;
        }
        if !inner.starts_with('/')
            && let Some(tool) = self.tool_in(inner)
        {
            self.flush();
            self.scan.is_explicit = true;
            self.pending = Some(Pending { tool, arguments: Map::new() });
        }
        if !keywords::is_mark(inner) && self.tool_in(inner).is_none() && keywords::is_prose(inner) {
            self.rest.push_str(inner);
        }
        self.at += end + 1;
        true
    }

    fn tool_in(&self, text: &str) -> Option<&'a ToolSpec> {
        let plain = plain_name(text);
        self.offered.iter().find(|tool| find_name(&plain, &plain_name(&tool.name)).is_some())
    }

    /// An argument in tags of its own, up to its closing tag.
    fn argument(&mut self, inner: &str, body_start: usize) -> bool {
        let Some(pending) = &self.pending else { return false };
        let word = inner.split([' ', '=', '\t']).next().unwrap_or_default();
        let bare = word.rsplit([':', '|', '｜']).next().unwrap_or_default();
        let properties = pending.tool.parameters.pointer("/properties");
        let is_property = |name: &str| properties.is_some_and(|known| known.get(name).is_some());
        let here = self.here();
        let body = here.get(body_start..).unwrap_or_default();
        if bare == "arg_key" {
            let Some((key, after)) = body.split_once("</arg_key>") else { return false };
            let Some((_, value)) = after.split_once("<arg_value>") else { return false };
            let Some((value, left)) = value.split_once("</arg_value>") else { return false };
            let (key, value, end) =
                (key.trim().to_owned(), value.to_owned(), here.len() - left.len());
            return self.set_argument(&key, &value, end);
        }
        let key = match bare {
            "parameter" | "param" | "argument" | "arg" => attribute(inner),
            name if is_property(name) && word == inner => Some(name.to_owned()),
            _ => None,
        };
        let Some(key) = key else { return false };
        let close = format!("</{word}>");
        let Some((value, left)) = body.split_once(&close) else { return false };
        let (value, end) = (value.to_owned(), here.len() - left.len());
        self.set_argument(&key, &value, end)
    }

    fn set_argument(&mut self, key: &str, text: &str, end: usize) -> bool {
        let Some(pending) = &mut self.pending else { return false };
        let kind = pending.tool.parameters.pointer(&format!("/properties/{key}/type"));
        let text = text.strip_prefix('\n').unwrap_or(text);
        let text = text.strip_suffix('\n').unwrap_or(text);
        let value = match kind.and_then(Value::as_str) {
            Some("string") => Value::String(text.to_owned()),
            _ => {
                serde_json::from_str(text.trim()).unwrap_or_else(|_| Value::String(text.to_owned()))
            }
        };
        pending.arguments.insert(key.to_owned(), value);
        self.scan.is_explicit = true;
        self.at += end;
        true
    }

    /// A name of a tool, with the arguments in parentheses behind it where there are any.
    fn name(&mut self) -> bool {
        let plain = self.plain.get(self.at..).unwrap_or_default();
        let named = self.offered.iter().zip(&self.names);
        let begun = named.filter(|(_, name)| plain.starts_with(name.as_str()));
        // The longest name: one may begin with another.
        let Some((tool, _)) = begun.max_by_key(|(_, name)| name.len()) else { return false };
        let end = self.at + tool.name.len();
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let before = self.plain.get(..self.at).unwrap_or_default();
        let is_prefixed = before.ends_with("functions_") || before.ends_with("default_api_");
        let is_inside = !is_prefixed && before.chars().next_back().is_some_and(is_word);
        if is_inside || self.text.get(end..).is_some_and(|rest| rest.starts_with(is_word)) {
            return false;
        }
        self.flush();
        self.at = end;
        let rest = self.here();
        if let Some(inner) = rest.strip_prefix('(') {
            self.scan.is_explicit = true;
            let inner_start = inner.trim_start();
            if inner_start.starts_with('{') {
                self.pending = Some(Pending { tool, arguments: Map::new() });
                self.at += 1;
                return true;
            }
            match keyword_arguments(inner, tool) {
                Some((arguments, used)) => {
                    self.push(tool, Value::Object(arguments));
                    self.at += 1 + used;
                }
                None => self.scan.is_broken = true,
            }
            return true;
        }
        self.pending = Some(Pending { tool, arguments: Map::new() });
        true
    }

    fn flush(&mut self) {
        if let Some(Pending { tool, arguments }) = self.pending.take() {
            self.push(tool, Value::Object(arguments));
        }
    }

    /// Adds a call; one that lacks what it must have was not read whole.
    fn push(&mut self, tool: &ToolSpec, arguments: Value) {
        let required = tool.parameters.get("required").and_then(Value::as_array);
        let lacks = |name: &Value| name.as_str().is_some_and(|name| arguments.get(name).is_none());
        self.scan.is_broken |= required.is_some_and(|names| names.iter().any(lacks));
        self.scan.calls.push(ToolCall { name: tool.name.clone(), arguments });
    }
}

/// The name in `parameter name="x"` or `parameter=x`.
fn attribute(inner: &str) -> Option<String> {
    let (_, value) = inner.split_once('=')?;
    let value = value.trim();
    let quoted = value.strip_prefix(['"', '\'']).and_then(|rest| rest.split(['"', '\'']).next());
    let name = quoted.unwrap_or_else(|| value.split_whitespace().next().unwrap_or_default());
    (!name.is_empty()).then(|| name.to_owned())
}

/// `a="x", b=3)`: the arguments, and how much of the text they take.
fn keyword_arguments(text: &str, tool: &ToolSpec) -> Option<(Map<String, Value>, usize)> {
    let mut arguments = Map::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\n', '\t', ',']);
        if let Some(after) = rest.strip_prefix(')') {
            return Some((arguments, text.len() - after.len()));
        }
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
        let (name, after) = rest.split_at_checked(end)?;
        let (name, after) = match after.trim_start().strip_prefix(['=', ':']) {
            Some(after) if !name.is_empty() => (name.to_owned(), after),
            // One value without its name, where only one can be meant.
            _ if arguments.is_empty() => (only_required(tool)?, rest),
            _ => return None,
        };
        let (value, after) = literal(after.trim_start())?;
        arguments.insert(name, value);
        rest = after;
    }
}

fn only_required(tool: &ToolSpec) -> Option<String> {
    match tool.parameters.get("required")?.as_array()?.as_slice() {
        [name] => name.as_str().map(str::to_owned),
        _ => None,
    }
}

/// A value as Python or JSON writes it, and what follows.
fn literal(text: &str) -> Option<(Value, &str)> {
    if let Some(rest) = text.strip_prefix('\'') {
        let mut value = String::new();
        let mut letters = rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\'' => return Some((Value::String(value), rest.get(at + 1..)?)),
                '\\' => match letters.next()?.1 {
                    'n' => value.push('\n'),
                    't' => value.push('\t'),
                    other => value.push(other),
                },
                other => value.push(other),
            }
        }
        return None;
    }
    for (word, value) in
        [("True", Value::Bool(true)), ("False", Value::Bool(false)), ("None", Value::Null)]
    {
        if let Some(rest) = text.strip_prefix(word) {
            return Some((value, rest));
        }
    }
    let end = text.find([',', ')', '\n']).unwrap_or(text.len());
    if !text.starts_with(['"', '{', '[']) {
        let (value, rest) = text.split_at_checked(end)?;
        return Some((serde_json::from_str(value.trim()).ok()?, rest));
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let used = values.byte_offset();
    Some((value, text.get(used..)?))
}
