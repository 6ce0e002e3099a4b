//! The headers of a message to a remote server: which version of the protocol it is of, and, since 2026-07-28, what it is about, so
//! that what stands between can tell messages apart without reading them.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use http::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

use crate::limits::TOOLS_MAX;

/// Says which version of the protocol a message is of.
pub(crate) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// Says to which session a message belongs.
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// Says after which event a stream is read on.
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
/// What the names of headers of single arguments begin with.
const PARAM_PREFIX: &str = "mcp-param-";
/// The key of a schema under which an argument names its header.
const PARAM_KEY: &str = "x-mcp-header";
/// The first version whose messages say what they are about. Versions are dates: their texts are in the order of time.
const FIRST_VERSION_WITH_METHODS: &str = "2026-07-28";
/// Most arguments of one tool that go along as headers.
const PARAMS_MAX: usize = 32;
/// How deep arguments that do so may lie.
const DEPTH_MAX: usize = 8;

/// Where in the arguments of a tool a value lies, and its header.
type ParamHeader = (Vec<String>, HeaderName);

/// Which arguments go along as headers, by the tools' own names.
#[derive(Debug, Default)]
pub(crate) struct ParamHeaders(Mutex<HashMap<String, Vec<ParamHeader>>>);

impl ParamHeaders {
    /// Learns from a page of the list of tools.
    pub(crate) fn learn(&self, result: &Value) {
        let Some(tools) = result.get("tools").and_then(Value::as_array) else { return };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for tool in tools {
            let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
            let mut headers = Vec::new();
            if let Some(schema) = tool.get("inputSchema") {
                collect(schema, &mut Vec::new(), &mut headers);
            }
            if headers.is_empty() {
                known.remove(name);
            } else if known.len() < TOOLS_MAX || known.contains_key(name) {
                known.insert(name.to_owned(), headers);
            }
        }
    }

    fn of_call(&self, params: &Value) -> Vec<(HeaderName, HeaderValue)> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let tool = params.get("name").and_then(Value::as_str);
        let headers = tool.and_then(|tool| known.get(tool));
        let value_of = |(path, header): &ParamHeader| {
            let arguments = params.get("arguments")?;
            let value = path.iter().try_fold(arguments, |value, key| value.get(key))?;
            Some((header.clone(), header_value(&plain(value)?)?))
        };
        headers.into_iter().flatten().filter_map(value_of).collect()
    }
}

fn collect(schema: &Value, path: &mut Vec<String>, headers: &mut Vec<ParamHeader>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, property) in properties {
        if headers.len() >= PARAMS_MAX || path.len() >= DEPTH_MAX {
            return;
        }
        path.push(name.clone());
        let header =
            property.get(PARAM_KEY).and_then(Value::as_str).filter(|word| !word.is_empty());
        let header = header.map(|word| format!("{PARAM_PREFIX}{word}"));
        if let Some(header) = header.and_then(|name| HeaderName::try_from(name).ok()) {
            headers.push((path.clone(), header));
        }
        collect(property, path, headers);
        path.pop();
    }
}

/// The version that a message itself says it is of.
pub(crate) fn version_of(message: &Value) -> Option<&str> {
    let meta = message.get("params")?.get("_meta")?;
    meta.get("io.modelcontextprotocol/protocolVersion")?.as_str()
}

/// What a message of that version says about itself.
pub(crate) fn message_headers(
    message: &Value,
    version: &str,
    params: &ParamHeaders,
) -> Vec<(HeaderName, HeaderValue)> {
    let mut headers = Vec::new();
    headers.extend(header_value(version).map(|value| (PROTOCOL_VERSION, value)));
    let method = message.get("method").and_then(Value::as_str);
    let Some(method) = method.filter(|_| version >= FIRST_VERSION_WITH_METHODS) else {
        return headers;
    };
    headers.extend(header_value(method).map(|value| (METHOD, value)));
    let nothing = Value::Object(Map::new());
    let of_message = message.get("params").unwrap_or(&nothing);
    let key = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return headers,
    };
    let name = of_message.get(key).and_then(Value::as_str);
    headers.extend(name.and_then(header_value).map(|value| (NAME, value)));
    if method == "tools/call" {
        headers.extend(params.of_call(of_message));
    }
    headers
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}

/// A text as the value of a header, in base64 where it would not arrive as it is.
fn header_value(text: &str) -> Option<HeaderValue> {
    let is_plain = text.bytes().all(|byte| (0x20..=0x7e).contains(&byte))
        && text.trim() == text
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    if is_plain {
        return HeaderValue::from_str(text).ok();
    }
    HeaderValue::from_str(&format!("=?base64?{}?=", BASE64_STANDARD.encode(text))).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ParamHeaders, message_headers};

    fn of_call(message: &Value, version: &str) -> Vec<(String, String)> {
        let params = ParamHeaders::default();
        params.learn(&json!({"tools": [{"name": "ship", "inputSchema": {"properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "bad": {"type": "string", "x-mcp-header": "a b"},
            "to": {"properties": {"dry": {"type": "boolean", "x-mcp-header": "Dry"}}},
        }}}]}));
        let headers = message_headers(message, version, &params);
        let text = |value: &http::HeaderValue| value.to_str().unwrap().to_owned();
        headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect()
    }

    #[test]
    fn newer_messages_say_what_they_are_about() {
        let arguments = json!({"region": "düne", "bad": "x", "to": {"dry": true}});
        let call =
            json!({"method": "tools/call", "params": {"name": "ship", "arguments": arguments}});
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let version = |version: &str| pair("mcp-protocol-version", version);
        assert_eq!(of_call(&call, "2025-11-25"), [version("2025-11-25")]);
        let expected = [
            version("2026-07-28"),
            pair("mcp-method", "tools/call"),
            pair("mcp-name", "ship"),
            pair("mcp-param-region", "=?base64?ZMO8bmU=?="),
            pair("mcp-param-dry", "true"),
        ];
        assert_eq!(of_call(&call, "2026-07-28"), expected);
    }
}
