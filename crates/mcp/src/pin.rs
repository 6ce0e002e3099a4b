//! What a person accepted of a server's tools, compared with what the server offers now.
//!
//! A tool's text and schema are read by a model: a server that changes them changes what the model does. So what changed, or came
//! after a person had looked, waits for a person. The keeper holds the pins; this is pure.

use std::{collections::BTreeMap, fmt::Write as _};

use abide_domain::visible;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use similar::TextDiff;

/// What one tool said about itself when it was accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolPin {
    /// The server, by its name in the settings.
    pub server: String,
    /// The tool, by the server's own name.
    pub tool: String,
    /// Its description, as the server sent it.
    pub description: String,
    /// The schema of its arguments, as the server sent it.
    pub schema: Value,
    /// Its hints (`annotations`), as the server sent them; null where it sent none.
    pub hints: Value,
    /// SHA-256 over all of it, in hexadecimal digits: the order of keys does not count.
    pub digest: String,
}

/// How an offered tool stands to the pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinState {
    /// It is what was accepted.
    Unchanged,
    /// Nobody looked at it yet.
    New,
    /// It is not what was accepted.
    Changed {
        /// What changed, as a diff for people, with everything hidden in it made visible.
        diff: String,
    },
    /// It was accepted, and the server no longer has it.
    Gone,
}

/// One tool in a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinComparison {
    /// The tool, by the server's own name.
    pub tool: String,
    /// How it stands.
    pub state: PinState,
}

impl ToolPin {
    /// The pin of a tool.
    pub fn new(
        server: impl Into<String>,
        tool: impl Into<String>,
        description: impl Into<String>,
        schema: Value,
        hints: Value,
    ) -> Self {
        let mut pin = Self {
            server: server.into(),
            tool: tool.into(),
            description: description.into(),
            schema,
            hints,
            digest: String::new(),
        };
        pin.digest = pin.compute_digest();
        pin
    }

    /// The tool as its server listed it.
    pub(crate) fn as_listed(&self) -> Value {
        let Self { tool, description, schema, hints, .. } = self;
        json!({"name": tool, "description": description, "inputSchema": schema, "annotations": hints})
    }

    fn compute_digest(&self) -> String {
        let mut hash = Sha256::new();
        let parts = [
            self.tool.clone(),
            self.description.clone(),
            sorted(&self.schema).to_string(),
            sorted(&self.hints).to_string(),
        ];
        for part in parts {
            // With its length, so that no text moves from one part to the next unseen.
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        hex::encode(hash.finalize())
    }

    /// All of it as lines for people, with everything hidden in it made visible.
    pub fn to_text(&self) -> String {
        let mut text = format!("description:\n{}\n", self.description);
        // Writing to a string cannot fail; values always have a text.
        let _ = writeln!(text, "schema:\n{:#}", sorted(&self.schema));
        let _ = writeln!(text, "hints: {}", sorted(&self.hints));
        visible(&text).into_owned()
    }
}

/// Compares what was accepted of one server with what it offers, in the order of names.
pub fn compare_pins(pinned: &[ToolPin], offered: &[ToolPin]) -> Vec<PinComparison> {
    let by_name = |pins: &[ToolPin]| -> BTreeMap<String, ToolPin> {
        pins.iter().map(|pin| (pin.tool.clone(), pin.clone())).collect()
    };
    let (pinned, offered) = (by_name(pinned), by_name(offered));
    let gone = pinned.keys().filter(|tool| !offered.contains_key(*tool));
    let mut comparisons: Vec<PinComparison> = gone
        .map(|tool| PinComparison { tool: tool.clone(), state: PinState::Gone })
        .chain(offered.values().map(|now| PinComparison {
            tool: now.tool.clone(),
            state: compare(pinned.get(&now.tool), now),
        }))
        .collect();
    comparisons.sort_by(|a, b| a.tool.cmp(&b.tool));
    comparisons
}

fn compare(before: Option<&ToolPin>, now: &ToolPin) -> PinState {
    let Some(before) = before else { return PinState::New };
    // Both are computed anew: a digest in a file proves nothing about the text beside it.
    if before.compute_digest() == now.compute_digest() {
        return PinState::Unchanged;
    }
    let (before, now) = (before.to_text(), now.to_text());
    let diff = TextDiff::from_lines(&before, &now)
        .unified_diff()
        .header("accepted", "offered")
        .to_string();
    PinState::Changed { diff }
}

/// The same value with the keys of its objects in order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<&String> = object.keys().collect();
            keys.sort();
            let pairs = keys
                .into_iter()
                .filter_map(|key| object.get(key).map(|inner| (key.clone(), sorted(inner))));
            Value::Object(pairs.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{PinState, ToolPin, compare_pins};

    fn pin(tool: &str, description: &str, schema: Value) -> ToolPin {
        ToolPin::new("s", tool, description, schema, Value::Null)
    }

    fn state(before: &ToolPin, now: &ToolPin) -> PinState {
        compare_pins(std::slice::from_ref(before), std::slice::from_ref(now)).remove(0).state
    }

    #[test]
    fn each_tool_is_unchanged_new_changed_or_gone() {
        let schema = json!({"type": "object"});
        let pinned = [
            pin("a", "adds", schema.clone()),
            pin("b", "reads a file", schema.clone()),
            pin("d", "x", schema.clone()),
        ];
        let offered = [
            pin("a", "adds", schema.clone()),
            pin("b", "reads a file and sends it away", schema.clone()),
            pin("c", "new", schema),
        ];
        let compared = compare_pins(&pinned, &offered);
        let names: Vec<&str> = compared.iter().map(|one| one.tool.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
        assert_eq!(compared[0].state, PinState::Unchanged);
        assert_eq!(compared[2].state, PinState::New);
        assert_eq!(compared[3].state, PinState::Gone);
        let PinState::Changed { diff } = &compared[1].state else { panic!("{compared:?}") };
        assert!(diff.contains("-reads a file\n+reads a file and sends it away\n"), "{diff}");
    }

    #[test]
    fn schema_and_hints_count_and_the_order_of_keys_does_not() {
        let before =
            pin("a", "x", json!({"type": "object", "properties": {"p": {"type": "string"}}}));
        let reordered =
            pin("a", "x", json!({"properties": {"p": {"type": "string"}}, "type": "object"}));
        assert_eq!(state(&before, &reordered), PinState::Unchanged);
        assert_eq!(before.digest, reordered.digest);
        let schema =
            pin("a", "x", json!({"type": "object", "properties": {"q": {"type": "string"}}}));
        assert!(matches!(state(&before, &schema), PinState::Changed { .. }));
        let hints =
            ToolPin::new("s", "a", "x", before.schema.clone(), json!({"readOnlyHint": true}));
        assert!(matches!(state(&before, &hints), PinState::Changed { .. }));
    }

    #[test]
    fn a_change_that_is_not_seen_is_shown() {
        let (before, now) =
            (pin("a", "adds", json!({})), pin("a", "adds\u{200b}\u{e0041}", json!({})));
        let PinState::Changed { diff } = state(&before, &now) else { panic!("unchanged") };
        assert!(diff.contains("+adds⟦U+200B⟧⟦U+E0041⟧"), "{diff}");
    }

    #[test]
    fn a_forged_digest_beside_other_text_changes_nothing() {
        let now = pin("a", "new text", json!({}));
        let forged = ToolPin { digest: now.digest.clone(), ..pin("a", "old text", json!({})) };
        assert!(matches!(state(&forged, &now), PinState::Changed { .. }));
    }

    #[test]
    fn a_pin_survives_its_json() {
        let before = pin("a", "x", json!({"type": "object"}));
        let json = serde_json::to_string(&before).unwrap();
        assert_eq!(serde_json::from_str::<ToolPin>(&json).unwrap(), before);
    }
}
