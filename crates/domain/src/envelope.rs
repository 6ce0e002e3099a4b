//! The stimulus envelope: the only way anything reaches an agent.
//!
//! [`StimulusEnvelope::from_json`] applies every rule of `spec/stimulus-envelope.md` and decisions 1 to 5 and reports
//! *all* violations at once, each with its path, so that a caller can fix them at once.

use std::{borrow::Cow, fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    AgentId, Timestamp, Zone,
    hidden::is_blank,
    id,
    limits::{
        CLOCK_SKEW_MAX, CONTENT_CHARS_MAX, RESPONSE_CHARS_MAX, SESSION_CHARS_MAX, VIOLATIONS_MAX,
    },
    text::excerpt,
};

/// A validated stimulus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StimulusEnvelope {
    /// The message, byte for byte as it came.
    pub content: Arc<str>,
    /// Who sent it: a checked, lower-case id.
    pub sender: String,
    /// Where it came from.
    pub channel: Channel,
    /// When it was sent.
    pub timestamp: Timestamp,
    /// Where its sender is, as far as the timestamp's offset says: what they call tomorrow is so there (decision 55).
    pub sender_zone: Option<Zone>,
    /// The caller's view of the agent's last output; the ledger wins (decision 4).
    pub last_driver_output: Option<DriverOutput>,
    /// The agent that it is for.
    pub citizen: AgentId,
    /// The conversation; [`StimulusEnvelope::session`] gives the default.
    pub session_id: Option<String>,
}

/// An agent's last output in a session, and its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverOutput {
    /// The text of the output.
    pub content: Arc<str>,
    /// Its time, in conversational time.
    pub timestamp: Timestamp,
}

/// Where a stimulus came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// The Telegram bot.
    Telegram,
    /// A person at the command line or in the browser.
    Direct,
    /// A program.
    Api,
    /// Abide itself: timers, wakes, the watchdog.
    System,
    /// The manual loop.
    Manual,
    /// IRC (ours; documented beside the specification's five).
    Irc,
}

/// How the conversations of chats on Telegram begin: `telegram:CHAT`, or `telegram:CHAT/TOPIC` in a forum.
pub const TELEGRAM_SESSION: &str = "telegram:";

impl Channel {
    /// All channels, as in error texts.
    pub const ALL: [Self; 6] =
        [Self::Telegram, Self::Direct, Self::Api, Self::System, Self::Manual, Self::Irc];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Telegram => "telegram",
            Self::Direct => "direct",
            Self::Api => "api",
            Self::System => "system",
            Self::Manual => "manual",
            Self::Irc => "irc",
        }
    }

    /// The channel of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.as_str() == name)
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The path of the field, such as `stimulus.channel`.
    pub path: String,
    /// The kind of violation: `required`, `type`, `empty`, `too_long`, `value`, `format`, `future`, `order`, `pair`, `unknown`,
    /// `unknown_field`.
    pub code: &'static str,
    /// What is wrong and what would be right.
    pub message: String,
}

/// All the rules that an envelope breaks; never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Invalid stimulus envelope: {}", format_violations(.violations))]
pub struct EnvelopeError {
    /// In the order of the envelope's fields.
    pub violations: Vec<Violation>,
}

/// All violations in one line.
pub(crate) fn format_violations(violations: &[Violation]) -> String {
    let parts: Vec<_> = violations.iter().map(|v| format!("{}: {}", v.path, v.message)).collect();
    parts.join("; ")
}

/// What an envelope is checked against.
#[derive(Clone, Copy)]
pub struct EnvelopeRules<'a> {
    /// The present time.
    pub now: Timestamp,
    /// Says whether an agent of that (lower-case) id exists.
    pub is_citizen: &'a dyn Fn(&AgentId) -> bool,
}

impl fmt::Debug for EnvelopeRules<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules").field("now", &self.now).finish_non_exhaustive()
    }
}

impl StimulusEnvelope {
    /// Reads and checks an envelope. Every violation is in the error.
    pub fn from_json(value: &Value, rules: EnvelopeRules<'_>) -> Result<Self, EnvelopeError> {
        let mut reader = Reader { violations: Vec::new() };
        let envelope = reader.envelope(value, rules);
        match envelope {
            Some(envelope) if reader.violations.is_empty() => Ok(envelope),
            _ => Err(EnvelopeError { violations: reader.violations }),
        }
    }

    /// The conversation that the stimulus belongs to: the caller's, else `<channel>:<sender>` (decision 4).
    pub fn session(&self) -> String {
        self.session_id.clone().unwrap_or_else(|| format!("{}:{}", self.channel, self.sender))
    }
}

/// Collects violations while reading.
struct Reader {
    violations: Vec<Violation>,
}

impl Reader {
    fn reject(&mut self, path: &str, code: &'static str, message: impl Into<String>) {
        if self.violations.len() < VIOLATIONS_MAX {
            self.violations.push(Violation { path: path.into(), code, message: message.into() });
        }
    }

    fn envelope(&mut self, value: &Value, rules: EnvelopeRules<'_>) -> Option<StimulusEnvelope> {
        let Some(root) = value.as_object() else {
            self.reject("(envelope)", "type", "must be a JSON object");
            return None;
        };
        let stimulus = self.object(root, "stimulus", "stimulus", false);
        let (content, sender, channel, timestamp) =
            stimulus.map_or((None, None, None, None), |stimulus| self.stimulus(stimulus, rules));
        let written =
            stimulus.and_then(|stimulus| stimulus.get("timestamp")).and_then(Value::as_str);
        let sender_zone = written.and_then(Zone::of_rfc3339);
        let output = self.object(root, "last_driver_output", "last_driver_output", true);
        let last_driver_output = output.and_then(|output| self.driver_output(output, timestamp));
        let citizen = self.citizen(root, rules);
        let session_id = self.session_id(root);
        self.unknown_fields(root, "", &["stimulus", "last_driver_output", "citizen", "session_id"]);
        Some(StimulusEnvelope {
            content: content?.into(),
            sender: sender?,
            channel: channel?,
            timestamp: timestamp?,
            sender_zone,
            last_driver_output,
            citizen: citizen?,
            session_id,
        })
    }

    fn stimulus(
        &mut self,
        stimulus: &Map<String, Value>,
        rules: EnvelopeRules<'_>,
    ) -> (Option<String>, Option<String>, Option<Channel>, Option<Timestamp>) {
        let content = self.text(stimulus, "content", "stimulus.content");
        let content =
            content.filter(|text| self.bounded(text, "stimulus.content", CONTENT_CHARS_MAX));
        let sender = self.text(stimulus, "sender", "stimulus.sender");
        let sender = sender.and_then(|text| self.name(&text, "stimulus.sender"));
        let channel = self.text(stimulus, "channel", "stimulus.channel");
        let channel = channel.and_then(|text| self.channel(&text));
        let timestamp = self.text(stimulus, "timestamp", "stimulus.timestamp");
        let timestamp = timestamp.and_then(|text| self.timestamp(&text, "stimulus.timestamp"));
        if timestamp.is_some_and(|timestamp| timestamp > rules.now.plus(CLOCK_SKEW_MAX)) {
            self.reject(
                "stimulus.timestamp",
                "future",
                format!("is more than {} s in the future", CLOCK_SKEW_MAX.as_secs()),
            );
        }
        self.unknown_fields(stimulus, "stimulus.", &["content", "sender", "channel", "timestamp"]);
        (content, sender, channel, timestamp)
    }

    fn driver_output(
        &mut self,
        output: &Map<String, Value>,
        stimulus_at: Option<Timestamp>,
    ) -> Option<DriverOutput> {
        const CONTENT: &str = "last_driver_output.content";
        const TIMESTAMP: &str = "last_driver_output.timestamp";
        self.unknown_fields(output, "last_driver_output.", &["content", "timestamp"]);
        for (key, path) in [("content", CONTENT), ("timestamp", TIMESTAMP)] {
            if !output.contains_key(key) {
                self.reject(path, "required", "is missing; null when there was none");
            }
        }
        let is_set = |key| output.get(key).is_some_and(|value| !value.is_null());
        match (is_set("content"), is_set("timestamp")) {
            (false, false) => return None,
            (true, true) => {}
            (true, false) => self.reject(TIMESTAMP, "pair", "must be set because content is set"),
            (false, true) => self.reject(TIMESTAMP, "pair", "must be null because content is null"),
        }
        let content = is_set("content").then(|| self.text(output, "content", CONTENT)).flatten();
        let content = content.filter(|text| self.bounded(text, CONTENT, RESPONSE_CHARS_MAX));
        let timestamp =
            is_set("timestamp").then(|| self.text(output, "timestamp", TIMESTAMP)).flatten();
        let timestamp = timestamp.and_then(|text| self.timestamp(&text, TIMESTAMP))?;
        if stimulus_at.is_some_and(|stimulus_at| timestamp > stimulus_at) {
            self.reject(
                TIMESTAMP,
                "order",
                "must not be later than stimulus.timestamp: it belongs to the stimulus before this one",
            );
        }
        Some(DriverOutput { content: content?.into(), timestamp })
    }

    fn citizen(&mut self, root: &Map<String, Value>, rules: EnvelopeRules<'_>) -> Option<AgentId> {
        let text = self.text(root, "citizen", "citizen")?;
        let name = self.name(&text, "citizen")?;
        let citizen: AgentId = name.parse().ok()?;
        if !(rules.is_citizen)(&citizen) {
            self.reject("citizen", "unknown", format!("there is no agent `{citizen}`"));
            return None;
        }
        Some(citizen)
    }

    fn session_id(&mut self, root: &Map<String, Value>) -> Option<String> {
        if root.get("session_id").is_none_or(Value::is_null) {
            return None;
        }
        let text = self.text(root, "session_id", "session_id")?;
        self.bounded(&text, "session_id", SESSION_CHARS_MAX).then_some(text)
    }

    fn object<'v>(
        &mut self,
        parent: &'v Map<String, Value>,
        key: &str,
        path: &str,
        null_is_empty: bool,
    ) -> Option<&'v Map<String, Value>> {
        match parent.get(key) {
            Some(Value::Object(object)) => return Some(object),
            Some(Value::Null) if null_is_empty => {}
            None => self.reject(path, "required", "is missing"),
            Some(_) => self.reject(path, "type", "must be an object"),
        }
        None
    }

    fn text(&mut self, parent: &Map<String, Value>, key: &str, path: &str) -> Option<String> {
        match parent.get(key) {
            Some(Value::String(text)) => return Some(text.clone()),
            None => self.reject(path, "required", "is missing"),
            Some(_) => self.reject(path, "type", "must be a string"),
        }
        None
    }

    fn bounded(&mut self, text: &str, path: &str, chars_max: usize) -> bool {
        let chars = text.chars().count();
        if is_blank(text) {
            self.reject(path, "empty", "must not be empty or blank");
        } else if chars > chars_max {
            self.reject(path, "too_long", format!("has {chars} characters; at most {chars_max}"));
        } else {
            return true;
        }
        false
    }

    fn name(&mut self, text: &str, path: &str) -> Option<String> {
        if text.is_empty() {
            self.reject(path, "empty", "must not be empty");
            return None;
        }
        let name = id::parse_name(text).map(Cow::into_owned);
        name.map_err(|error| self.reject(path, "format", error.to_string())).ok()
    }

    fn channel(&mut self, text: &str) -> Option<Channel> {
        let channel = Channel::from_name(text);
        if channel.is_none() {
            let names: Vec<_> = Channel::ALL.iter().map(|c| c.as_str()).collect();
            let message = format!("`{}` is not one of {}", excerpt(text), names.join(", "));
            self.reject("stimulus.channel", "value", message);
        }
        channel
    }

    fn timestamp(&mut self, text: &str, path: &str) -> Option<Timestamp> {
        text.parse()
            .map_err(|error: crate::TimestampError| self.reject(path, "format", error.to_string()))
            .ok()
    }

    fn unknown_fields(&mut self, object: &Map<String, Value>, prefix: &str, known: &[&str]) {
        for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
            let message = format!("is an unknown field; the fields are {}", known.join(", "));
            self.reject(&format!("{prefix}{}", excerpt(key)), "unknown_field", message);
        }
    }
}
