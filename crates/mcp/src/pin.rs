//! What a person accepted of a server's tools, compared with what the server offers now.
//!
//! A tool's text and schema are read by a model: a server that changes them changes what the model does. So what changed, or came
//! after a person had looked, waits for a person. The keeper holds the pins; this is pure.

use std::{collections::BTreeMap, fmt::Write as _};

use abide_domain::{text::shortened, visible, visible_line};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use similar::TextDiff;

use crate::{limits::DIFF_CHARS_MAX, names::tool_name};

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

/// A tool that is not offered until a person accepts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingTool {
    /// The tool, by the server's own name.
    pub tool: String,
    /// What stands for all that it says about itself now: an acceptance names it.
    pub digest: String,
    /// Whether nothing of this name was accepted before.
    pub is_new: bool,
    /// What changed since, or all that it says where it is new. With everything hidden in it made visible.
    pub diff: String,
    /// Whether that is cut: it says more than is shown.
    pub is_cut: bool,
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

    /// The tool's name as agents call it.
    pub fn offered_as(&self) -> String {
        tool_name(&self.server, &self.tool)
    }

    /// All of it as lines for people, with everything hidden in it made visible.
    fn to_text(&self) -> String {
        let mut text = format!("description:\n{}\n", self.description);
        // Writing to a string cannot fail; values always have a text.
        let _ = writeln!(text, "schema:\n{:#}", sorted(&self.schema));
        let _ = writeln!(text, "hints: {}", sorted(&self.hints));
        visible(&text).into_owned()
    }
}

/// Compares what was accepted of one server with what it offers: the tools that are new or changed, in the order of names. What it
/// no longer has is no matter.
pub fn compare_pins(pinned: &[ToolPin], offered: &[ToolPin]) -> Vec<WaitingTool> {
    let pinned: BTreeMap<&str, &ToolPin> =
        pinned.iter().map(|pin| (pin.tool.as_str(), pin)).collect();
    let compare = |now: &ToolPin| compare(pinned.get(now.tool.as_str()).copied(), now);
    let mut waiting: Vec<WaitingTool> = offered.iter().filter_map(compare).collect();
    waiting.sort_by(|a, b| a.tool.cmp(&b.tool));
    waiting
}

fn compare(before: Option<&ToolPin>, now: &ToolPin) -> Option<WaitingTool> {
    let text = match before {
        None => now.to_text(),
        // Both are computed anew: a digest in a file proves nothing about the text beside it.
        Some(before) if before.compute_digest() == now.compute_digest() => return None,
        Some(before) => {
            let name = visible_line(&now.tool);
            let (before, now) = (before.to_text(), now.to_text());
            let diff = TextDiff::from_lines(&before, &now);
            diff.unified_diff().header(&name, &name).to_string()
        }
    };
    let diff = shortened(&text, DIFF_CHARS_MAX);
    let (tool, digest) = (now.tool.clone(), now.compute_digest());
    Some(WaitingTool { tool, digest, is_new: before.is_none(), is_cut: diff != text, diff })
}

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

    use super::{ToolPin, WaitingTool, compare_pins};

    fn pin(tool: &str, description: &str, schema: Value) -> ToolPin {
        ToolPin::new("s", tool, description, schema, Value::Null)
    }

    fn waits(before: &ToolPin, now: &ToolPin) -> Option<WaitingTool> {
        compare_pins(std::slice::from_ref(before), std::slice::from_ref(now)).pop()
    }

    #[test]
    fn what_is_new_or_changed_waits_and_what_is_gone_is_no_matter() {
        let schema = json!({"type": "object"});
        let pinned = [
            pin("a", "adds", schema.clone()),
            pin("b", "reads a file", schema.clone()),
            pin("d", "x", schema.clone()),
        ];
        let offered = [
            pin("c", "new", schema.clone()),
            pin("b", "reads a file and sends it away", schema.clone()),
            pin("a", "adds", schema),
        ];
        let [changed, new] = compare_pins(&pinned, &offered).try_into().unwrap();
        assert_eq!(
            (&*changed.tool, changed.is_new, &changed.digest),
            ("b", false, &offered[1].digest)
        );
        assert!(
            changed.diff.contains("-reads a file\n+reads a file and sends it away\n"),
            "{changed:?}"
        );
        assert_eq!((&*new.tool, new.is_new, new.is_cut), ("c", true, false));
        assert!(new.diff.contains("new"), "{new:?}");
    }

    #[test]
    fn schema_and_hints_count_and_the_order_of_keys_does_not() {
        let before =
            pin("a", "x", json!({"type": "object", "properties": {"p": {"type": "string"}}}));
        let reordered =
            pin("a", "x", json!({"properties": {"p": {"type": "string"}}, "type": "object"}));
        assert_eq!((waits(&before, &reordered), &before.digest), (None, &reordered.digest));
        let schema =
            pin("a", "x", json!({"type": "object", "properties": {"q": {"type": "string"}}}));
        assert!(waits(&before, &schema).is_some());
        let hints =
            ToolPin::new("s", "a", "x", before.schema.clone(), json!({"readOnlyHint": true}));
        assert!(waits(&before, &hints).is_some());
    }

    /// HB-12.
    #[test]
    fn a_change_that_is_not_seen_is_shown_and_a_long_one_says_that_it_is_cut() {
        let before = pin("a", "adds", json!({}));
        let hidden = waits(&before, &pin("a", "adds\u{200b}\u{e0041}", json!({}))).unwrap();
        assert!(hidden.diff.contains("+adds⟦U+200B⟧⟦U+E0041⟧"), "{hidden:?}");
        let long = waits(&before, &pin("a", &"x\n".repeat(20_000), json!({}))).unwrap();
        assert!(long.is_cut && long.diff.len() < 20_000);
    }

    #[test]
    fn a_forged_digest_beside_other_text_changes_nothing() {
        let now = pin("a", "new text", json!({}));
        let forged = ToolPin { digest: now.digest.clone(), ..pin("a", "old text", json!({})) };
        assert!(waits(&forged, &now).is_some());
    }

    #[test]
    fn a_pin_survives_its_json() {
        let before = pin("a", "x", json!({"type": "object"}));
        let json = serde_json::to_string(&before).unwrap();
        assert_eq!(serde_json::from_str::<ToolPin>(&json).unwrap(), before);
    }
}
