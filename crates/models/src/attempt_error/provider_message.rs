//! What a provider says about a failure, read out of whatever shape it comes in.
//!
//! Gateways wrap the failure of another provider into their own: in lists, in `error.metadata.raw`, in JSON that stands as
//! text in a message. All layers are read, within bounds; nothing is read that repeats the request, for that is the text of
//! people.

use std::time::Duration;

use serde_json::{Map, Value};

/// Longest message that is passed on, in characters.
const MESSAGE_CHARS_MAX: usize = 500;
/// Deepest layer that is read.
const DEPTH_MAX: usize = 8;
/// Most messages that are kept, and most codes.
const PARTS_MAX: usize = 16;
/// Longest message that is searched, in bytes.
const PART_BYTES_MAX: usize = 8 * 1024;

/// Fields that hold a code or a class of the failure.
const CODE_FIELDS: [&str; 10] = [
    "type",
    "code",
    "status",
    "error_code",
    "error_type",
    "status_code",
    "reason",
    "__type",
    "errorcode",
    "statuscode",
];
/// Fields that hold words about the failure, or a layer of it.
const WORD_FIELDS: [&str; 19] = [
    "error",
    "errors",
    "message",
    "detail",
    "details",
    "msg",
    "metadata",
    "raw",
    "error_message",
    "description",
    "cause",
    "causes",
    "inner",
    "innererror",
    "previous_errors",
    "title",
    "response",
    "body",
    "error_description",
];
/// Words of a gateway that say nothing by themselves.
const EMPTY_WORDS: [&str; 7] = [
    "provider returned error",
    "upstream error",
    "bad request",
    "error",
    "internal server error",
    "unknown error",
    "request failed",
];

/// The error that a provider sent, all layers in one.
#[derive(Debug, Default)]
pub(super) struct ProviderMessage {
    /// Codes and types, outermost first.
    codes: Vec<String>,
    /// Messages, outermost first.
    words: Vec<String>,
    /// How long to wait, where the body says it.
    pub(super) wait: Option<Duration>,
}

impl ProviderMessage {
    pub(super) fn of_body(body: &str) -> Self {
        let mut message = Self::default();
        match serde_json::from_str::<Value>(body.trim()) {
            Ok(value) => message.read(&value, 0),
            // An error status with a stream's body: its first frame that is JSON.
            Err(_) => match body.lines().find_map(frame) {
                Some(value) => message.read(&value, 0),
                None => message.add_words(&plain(body)),
            },
        }
        message
    }

    pub(super) fn of_json(value: &Value) -> Self {
        let mut message = Self::default();
        message.read(value, 0);
        message
    }

    fn read(&mut self, value: &Value, depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        match value {
            Value::Array(items) => {
                items.iter().take(PARTS_MAX).for_each(|item| self.read(item, depth + 1));
            }
            Value::String(text) => self.read_text(text, depth),
            Value::Object(object) => {
                self.wait = self.wait.or_else(|| wait_in(object));
                for field in CODE_FIELDS {
                    let found = object.iter().find(|(key, _)| key.eq_ignore_ascii_case(field));
                    self.add_code(found.map(|(_, value)| value));
                }
                for field in WORD_FIELDS {
                    let found = object.iter().find(|(key, _)| key.eq_ignore_ascii_case(field));
                    if let Some((_, value)) = found {
                        self.read(value, depth + 1);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// A text, or the JSON that stands in it, whole or behind words such as `400: `.
    fn read_text(&mut self, text: &str, depth: usize) {
        let text = text.trim();
        let start = text.find(['{', '[']).unwrap_or(text.len());
        let (before, inner) = text.split_at_checked(start).unwrap_or((text, ""));
        if inner.len() > 1 {
            let mut values = serde_json::Deserializer::from_str(inner).into_iter::<Value>();
            if let Some(Ok(value @ (Value::Object(_) | Value::Array(_)))) = values.next() {
                let known = (self.words.len(), self.codes.len());
                self.read(&value, depth + 1);
                if known != (self.words.len(), self.codes.len()) {
                    self.add_words(before.trim_end_matches([' ', ':', '-']));
                    return;
                }
            }
        }
        self.add_words(text);
    }

    fn add_code(&mut self, code: Option<&Value>) {
        let code = match code {
            Some(Value::String(code)) => code.trim().to_owned(),
            Some(Value::Number(code)) => code.to_string(),
            _ => return,
        };
        // Some give their words as a reason.
        if code.contains(' ') {
            return self.add_words(&code);
        }
        if !code.is_empty() && self.codes.len() < PARTS_MAX && !self.codes.contains(&code) {
            self.codes.push(code.chars().take(MESSAGE_CHARS_MAX).collect());
        }
    }

    fn add_words(&mut self, text: &str) {
        let mut text = text.trim().to_owned();
        abide_domain::voice::truncate_bytes(&mut text, PART_BYTES_MAX);
        if !text.is_empty() && self.words.len() < PARTS_MAX && !self.words.contains(&text) {
            self.words.push(text);
        }
    }

    /// What people are told: the first words that say something, and what stands below words that do not.
    pub(super) fn shown(&self) -> String {
        let says = |words: &&String| {
            let plain = words.trim_end_matches('.').to_lowercase();
            !EMPTY_WORDS.contains(&plain.as_str())
        };
        let outer = self.words.first();
        let telling = self.words.iter().find(says);
        let text = match (outer, telling) {
            (Some(outer), Some(telling)) if outer != telling => format!("{outer}: {telling}"),
            (Some(words), _) => words.clone(),
            (None, _) if self.codes.is_empty() => return "the provider gave no reason".to_owned(),
            (None, _) => self.codes.join(" "),
        };
        text.chars().take(MESSAGE_CHARS_MAX).collect()
    }

    pub(super) fn has_code(&self, codes: &[&str]) -> bool {
        let has = |code: &str| self.codes.iter().any(|own| own.eq_ignore_ascii_case(code));
        codes.iter().any(|code| has(code))
    }

    /// Whether any message holds any of the words.
    pub(super) fn has_word(&self, words: &[&str]) -> bool {
        self.messages().any(|message| words.iter().any(|word| message.contains(word)))
    }

    /// All messages, in lower case.
    pub(super) fn messages(&self) -> impl Iterator<Item = String> {
        self.words.iter().map(|words| words.to_lowercase())
    }

    /// The HTTP status that the message itself names, as a number or by a known word; an inner one counts before an outer.
    pub(super) fn status(&self) -> Option<u16> {
        self.codes.iter().rev().find_map(|code| status_of_code(code))
    }
}

/// A wait as bodies give it: `"37s"`, seconds, or milliseconds by the field's name.
fn wait_in(object: &Map<String, Value>) -> Option<Duration> {
    let number = |field: &str| object.get(field).and_then(Value::as_f64);
    let text = object.get("retryDelay").and_then(Value::as_str);
    let seconds = text.and_then(|text| text.strip_suffix('s')?.parse::<f64>().ok());
    let seconds = seconds
        .or_else(|| number("retry_after"))
        .or_else(|| number("retry_after_seconds"))
        .or_else(|| number("retry_after_ms").map(|ms| ms / 1_000.0));
    Duration::try_from_secs_f64(seconds?).ok()
}

/// The JSON of a line of a stream.
fn frame(line: &str) -> Option<Value> {
    let line = line.trim();
    let data = line.strip_prefix("data:").unwrap_or(line).trim();
    serde_json::from_str(data).ok().filter(|value: &Value| value.is_object() || value.is_array())
}

fn plain(body: &str) -> String {
    web_page(body).unwrap_or_else(|| body.trim().to_owned())
}

/// What is said of a web page that came in place of an answer; none where the text is no page.
pub(crate) fn web_page(text: &str) -> Option<String> {
    let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    let lower: String = text.chars().take(64 * 1024).collect::<String>().to_lowercase();
    let is_page = lower.starts_with("<!doctype")
        || lower.starts_with("<html")
        || lower.starts_with("<?xml")
        || lower.starts_with("<head")
        || lower.starts_with("<body")
        || lower.starts_with("<!--")
        || (lower.starts_with('<') && (lower.contains("<html") || lower.contains("</")));
    if !is_page {
        return None;
    }
    let title = lower.find("<title").and_then(|start| {
        // Lower case may have other lengths outside ASCII: the title is taken from where the tags are in the text itself.
        let own = find_ignoring_case(text, "<title").unwrap_or(start);
        let rest = text.get(own..)?;
        let rest = rest.get(rest.find('>')? + 1..)?;
        let title = rest.get(..rest.find('<')?)?.split_whitespace().collect::<Vec<_>>().join(" ");
        (!title.is_empty()).then(|| title.chars().take(100).collect::<String>())
    });
    Some(match title {
        Some(title) => {
            format!("the provider sent a web page in place of an answer, titled “{title}”")
        }
        None => "the provider sent a web page in place of an answer".to_owned(),
    })
}

fn find_ignoring_case(text: &str, needle: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    bytes.windows(needle.len()).position(|part| part.eq_ignore_ascii_case(needle.as_bytes()))
}

/// A status as a code gives it: digits, or the word that some interfaces have for it.
fn status_of_code(code: &str) -> Option<u16> {
    let digits = code.strip_prefix("http_").unwrap_or(code);
    if let Ok(status) = digits.parse::<u16>() {
        return (400..=599).contains(&status).then_some(status);
    }
    let plain: String =
        code.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let plain =
        plain.strip_suffix("exception").or_else(|| plain.strip_suffix("error")).unwrap_or(&plain);
    Some(match plain {
        "resourceexhausted"
        | "throttling"
        | "toomanyrequests"
        | "ratelimit"
        | "ratelimitexceeded"
        | "ratelimited"
        | "requestlimitexceeded"
        | "requests" => 429,
        "unavailable" | "serviceunavailable" | "overloaded" | "serveroverloaded"
        | "modelnotready" | "engineoverloaded" | "modeloverloaded" | "capacityexceeded" => 503,
        "internal" | "internalserver" | "server" | "api" | "upstream" | "provider"
        | "modelerror" => 500,
        "deadlineexceeded" | "gatewaytimeout" | "timeout" | "requesttimeout" | "modeltimeout" => {
            504
        }
        "badgateway" => 502,
        "invalidargument" | "invalidrequest" | "badrequest" | "validation"
        | "failedprecondition" => 400,
        "unauthenticated" | "authentication" | "unauthorized" | "invalidapikey" => 401,
        "permissiondenied" | "permission" | "accessdenied" | "forbidden" => 403,
        "notfound" | "modelnotfound" | "resourcenotfound" => 404,
        "paymentrequired" => 402,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ProviderMessage, web_page};

    #[test]
    fn all_layers_of_an_error_are_read() {
        let raw =
            json!({"error": {"code": "insufficient_quota", "message": "pay first"}}).to_string();
        let cases = [
            (
                json!({"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": raw}}}),
                "Provider returned error: pay first",
            ),
            (
                json!([{"error": {"code": 400, "message": "bad key", "status": "INVALID_ARGUMENT"}}]),
                "bad key",
            ),
            (
                json!({"detail": [{"loc": ["body"], "msg": "field required", "type": "missing", "input": "secret"}]}),
                "field required",
            ),
            (json!({"error": "boom"}), "boom"),
            (json!({"errors": ["a", "b"]}), "a"),
            (json!({"message": "400: {\"error\":{\"message\":\"inner\"}}"}), "inner"),
            (json!({"error": {"type": "authentication_error"}}), "authentication_error"),
            (json!({}), "the provider gave no reason"),
        ];
        for (body, shown) in cases {
            assert_eq!(ProviderMessage::of_json(&body).shown(), shown, "{body}");
        }
        let money = ProviderMessage::of_json(&json!({"error": {"metadata": {"raw": raw}}}));
        assert!(money.has_code(&["insufficient_quota"]));
        let echoed = json!({"detail": [{"msg": "no", "input": {"messages": "context length"}}], "request": "context length"});
        assert!(
            !ProviderMessage::of_json(&echoed).has_word(&["context length"]),
            "the request is not read"
        );
    }

    #[test]
    fn a_status_is_read_from_digits_and_from_words() {
        let status = |value| ProviderMessage::of_json(&value).status();
        assert_eq!(status(json!({"error": {"code": 429}})), Some(429));
        assert_eq!(status(json!({"error": {"code": "503"}})), Some(503));
        assert_eq!(
            status(json!({"error": {"code": 400, "status": "RESOURCE_EXHAUSTED"}})),
            Some(429)
        );
        assert_eq!(status(json!({"__type": "ThrottlingException"})), Some(429));
        assert_eq!(status(json!({"error": {"code": 7, "type": "mystery"}})), None);
    }

    #[test]
    fn a_wait_in_the_body_counts() {
        let wait = |value| ProviderMessage::of_json(&value).wait.map(|wait| wait.as_millis());
        let info = json!({"error": {"details": [{"@type": "x/RetryInfo", "retryDelay": "37s"}]}});
        assert_eq!(wait(info), Some(37_000));
        assert_eq!(wait(json!({"error": {"metadata": {"retry_after_ms": 250}}})), Some(250));
        assert_eq!(wait(json!({"error": {"retry_after": -1}})), None);
    }

    #[test]
    fn a_web_page_is_named_with_its_title() {
        let page = "\n<!DOCTYPE html><html><head><title>\n Open  WebUI </title></head>";
        assert!(web_page(page).unwrap().ends_with("titled “Open WebUI”"));
        assert!(web_page("<html>busy</html>").is_some());
        assert_eq!(web_page("{\"a\":1}"), None);
        assert_eq!(web_page("<think>hm"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,200}|[\\[\\]{}\":,<>a-z0-9 \n]{0,200}") {
            drop(ProviderMessage::of_body(&text).shown());
        }
    }
}
