//! The tools of a server as it lists them: each by itself, so that one that cannot be used takes none of the others with it.

use std::{collections::BTreeSet, sync::Arc};

use abide_domain::{
    text::shortened,
    tool::{EffectClass, ToolSpec},
    visible, visible_line,
};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::{
    limits::{
        DESCRIPTION_BYTES_MAX, DESCRIPTION_CHARS_MAX, DIFF_CHARS_MAX, FOREIGN_NAME_BYTES_MAX,
        HINTS_BYTES_MAX, SCHEMA_BYTES_MAX, SCHEMA_DEPTH_MAX,
    },
    names::tool_name,
    pin::{PinState, ToolPin, compare_pins},
    settings::McpServerSettings,
    status::WithheldTool,
};

/// One tool that can be used.
#[derive(Clone, Debug)]
pub(crate) struct ListedTool {
    /// As a mind sees it.
    pub(crate) spec: ToolSpec,
    /// What it said about itself.
    pub(crate) pin: ToolPin,
    /// Its schema, compiled.
    pub(crate) arguments: Arc<Validator>,
}

/// All tools of a server, sorted out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Catalog {
    /// Those that may be offered.
    pub(crate) offered: Vec<Arc<ListedTool>>,
    /// Those that wait for a person.
    pub(crate) blocked: Vec<WithheldTool>,
    /// Those that cannot be used.
    pub(crate) dropped: Vec<WithheldTool>,
    /// What all usable tools said about themselves, blocked ones too.
    pub(crate) pins: Vec<ToolPin>,
}

impl Catalog {
    /// Sorts out what a server listed, under what was accepted of it before. Where nothing ever was, nothing is blocked.
    pub(crate) fn new(listed: &[Value], settings: &McpServerSettings, pinned: &[ToolPin]) -> Self {
        let mut catalog = Self::default();
        let (mut usable, mut names) = (Vec::new(), BTreeSet::new());
        for tool in listed {
            let shown = tool.get("name").and_then(Value::as_str).unwrap_or("(without a name)");
            match read_tool(tool, settings) {
                Ok(read) if names.insert(read.spec.name.clone()) => usable.push(Arc::new(read)),
                Ok(_) => catalog.drop_tool(shown, "the server lists two tools of this name"),
                Err(reason) => catalog.drop_tool(shown, &reason),
            }
        }
        catalog.pins = usable.iter().map(|tool| tool.pin.clone()).collect();
        let compared =
            if pinned.is_empty() { Vec::new() } else { compare_pins(pinned, &catalog.pins) };
        for comparison in compared {
            let reason = match comparison.state {
                PinState::Unchanged | PinState::Gone => continue,
                PinState::New => "it is new, and nobody has accepted it yet".to_owned(),
                PinState::Changed { diff } => {
                    let diff = shortened(&diff, DIFF_CHARS_MAX);
                    format!("it changed since it was accepted:\n{diff}")
                }
            };
            usable.retain(|tool| tool.pin.tool != comparison.tool);
            let tool = visible_line(&comparison.tool).into_owned();
            catalog.blocked.push(WithheldTool { tool, reason });
        }
        usable.sort_by(|a, b| a.spec.name.cmp(&b.spec.name));
        catalog.offered = usable;
        catalog
    }

    /// The offered tool of a server's own name.
    pub(crate) fn offered(&self, tool: &str) -> Option<&Arc<ListedTool>> {
        self.offered.iter().find(|listed| listed.pin.tool == tool)
    }

    fn drop_tool(&mut self, tool: &str, reason: &str) {
        let tool = shortened(&visible_line(tool), FOREIGN_NAME_BYTES_MAX);
        self.dropped.push(WithheldTool { tool, reason: reason.to_owned() });
    }
}

fn read_tool(tool: &Value, settings: &McpServerSettings) -> Result<ListedTool, String> {
    let name = tool.get("name").and_then(Value::as_str).ok_or("it has no name")?;
    let description = tool.get("description").and_then(Value::as_str).unwrap_or_default();
    let schema = tool.get("inputSchema").cloned().unwrap_or(Value::Null);
    let hints = tool.get("annotations").cloned().unwrap_or(Value::Null);
    let sizes = [
        ("name", name.len(), FOREIGN_NAME_BYTES_MAX),
        ("description", description.len(), DESCRIPTION_BYTES_MAX),
        ("annotations", hints.to_string().len(), HINTS_BYTES_MAX),
    ];
    if let Some((what, bytes, most)) = sizes.into_iter().find(|(_, bytes, most)| bytes > most) {
        return Err(format!("its `{what}` has {bytes} bytes; {most} are the most"));
    }
    let parameters = check_schema(&schema)?;
    let arguments = compile(&parameters)?;
    let hint = |key: &str| settings.trust_hints && hints.get(key) == Some(&Value::Bool(true));
    let effect = match settings.effects.get(name) {
        Some(effect) => *effect,
        None if hint("readOnlyHint") => EffectClass::Read,
        None => EffectClass::World,
    };
    let spec = ToolSpec {
        name: tool_name(&settings.name, name),
        description: shortened(&visible(description), DESCRIPTION_CHARS_MAX),
        parameters,
        effect,
        idempotent: effect == EffectClass::Read || hint("idempotentHint"),
    };
    let pin = ToolPin::new(settings.name.as_str(), name, description, schema, hints);
    Ok(ListedTool { spec, pin, arguments: Arc::new(arguments) })
}

/// The schema as it can be used: an object schema of a bearable size.
fn check_schema(schema: &Value) -> Result<Value, String> {
    let Value::Object(object) = schema else {
        return Err("its `inputSchema` is no object".to_owned());
    };
    if object.get("type").is_some_and(|kind| kind != "object") {
        return Err("its `inputSchema` does not describe an object".to_owned());
    }
    if depth(schema) > SCHEMA_DEPTH_MAX {
        return Err(format!("its `inputSchema` is nested deeper than {SCHEMA_DEPTH_MAX}"));
    }
    let bytes = schema.to_string().len();
    if bytes > SCHEMA_BYTES_MAX {
        return Err(format!(
            "its `inputSchema` has {bytes} bytes; {SCHEMA_BYTES_MAX} are the most"
        ));
    }
    let mut usable = object.clone();
    usable.entry("type").or_insert_with(|| json!("object"));
    Ok(Value::Object(usable))
}

fn compile(schema: &Value) -> Result<Validator, String> {
    jsonschema::validator_for(schema).map_err(|error| {
        format!("its `inputSchema` cannot be used: {}", shortened(&error.to_string(), 300))
    })
}

/// How deep a value is nested. Values come out of a parser that bounds it.
fn depth(value: &Value) -> usize {
    let inner = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(object) => object.values().map(depth).max(),
        _ => return 0,
    };
    1 + inner.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use abide_domain::tool::EffectClass;
    use serde_json::{Value, json};

    use super::Catalog;
    use crate::settings::McpServerSettings;

    fn settings() -> McpServerSettings {
        McpServerSettings::new("s", "x")
    }

    fn tool(name: &str, schema: Value) -> Value {
        let mut tool = json!({"name": name, "description": "does"});
        tool["inputSchema"] = schema;
        tool
    }

    #[test]
    fn a_tool_that_cannot_be_used_is_dropped_with_its_reason_and_the_others_stay() {
        let mut deep = json!({"type": "object"});
        for _ in 0..60 {
            deep = json!({"type": "object", "properties": {"p": deep}});
        }
        let listed = [
            tool(
                "good",
                json!({"type": "object", "properties": {"u": {"type": "string", "format": "uri"}}}),
            ),
            tool("plain", json!({})),
            tool(
                "any_of",
                json!({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            ),
            tool("cycle", json!({"type": "object", "properties": {"next": {"$ref": "#"}}})),
            tool("away", json!({"type": "object", "$ref": "https://a.example/schema.json"})),
            tool(
                "file",
                json!({"type": "object", "properties": {"p": {"$ref": "file:///etc/passwd"}}}),
            ),
            tool("bad_type", json!({"type": "object", "properties": {"p": {"type": "strin"}}})),
            tool("bad_pattern", json!({"type": "object", "properties": {"p": {"pattern": "("}}})),
            tool("text", json!({"type": "string"})),
            tool("none", Value::Null),
            tool(&"n".repeat(300), json!({})),
            json!({"name": "talker", "description": "x".repeat(70_000), "inputSchema": {}}),
            tool("deep", deep),
            tool("large", json!({"type": "object", "description": "x".repeat(70_000)})),
            json!({"description": "nameless", "inputSchema": {}}),
            json!(7),
            tool("good", json!({})),
        ];
        let catalog = Catalog::new(&listed, &settings(), &[]);
        let offered: Vec<&str> =
            catalog.offered.iter().map(|tool| tool.pin.tool.as_str()).collect();
        assert_eq!(offered, ["any_of", "cycle", "good", "plain"]);
        let long = format!("{}…", "n".repeat(256));
        let dropped: Vec<&str> = catalog.dropped.iter().map(|tool| tool.tool.as_str()).collect();
        assert_eq!(
            dropped,
            [
                "away",
                "file",
                "bad_type",
                "bad_pattern",
                "text",
                "none",
                long.as_str(),
                "talker",
                "deep",
                "large",
                "(without a name)",
                "(without a name)",
                "good",
            ]
        );
        assert!(catalog.dropped.iter().all(|tool| !tool.reason.is_empty()));
        assert!(catalog.blocked.is_empty(), "nothing was ever accepted");
    }

    #[test]
    fn arguments_are_held_against_the_schema_of_the_server() {
        let schema = json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
        let catalog = Catalog::new(&[tool("t", schema)], &settings(), &[]);
        let arguments = &catalog.offered[0].arguments;
        assert!(arguments.is_valid(&json!({"b": 1})));
        assert!(!arguments.is_valid(&json!({"c": 1})));
        assert!(!arguments.is_valid(&json!([])));
    }

    #[test]
    fn hints_count_only_where_the_server_is_trusted_and_settings_win() {
        let hinted = json!({"name": "h", "inputSchema": {}, "annotations": {"readOnlyHint": true, "idempotentHint": true}});
        let effect = |settings: &McpServerSettings| {
            let catalog = Catalog::new(std::slice::from_ref(&hinted), settings, &[]);
            let spec = &catalog.offered[0].spec;
            (spec.effect, spec.idempotent)
        };
        let mut settings = settings();
        assert_eq!(effect(&settings), (EffectClass::World, false));
        settings.trust_hints = true;
        assert_eq!(effect(&settings), (EffectClass::Read, true));
        settings.effects.insert("h".into(), EffectClass::World);
        assert_eq!(effect(&settings), (EffectClass::World, true));
        settings.trust_hints = false;
        settings.effects.insert("h".into(), EffectClass::Read);
        assert_eq!(effect(&settings), (EffectClass::Read, true));
    }

    #[test]
    fn what_changed_or_came_after_acceptance_waits_and_what_did_not_is_offered() {
        let before = [tool("a", json!({})), tool("b", json!({}))];
        let pins = Catalog::new(&before, &settings(), &[]).pins;
        let mut changed = before[1].clone();
        changed["description"] = json!("does\u{200b} more");
        let now = [before[0].clone(), changed, tool("c", json!({}))];
        let catalog = Catalog::new(&now, &settings(), &pins);
        assert_eq!(catalog.offered.len(), 1);
        let blocked: Vec<&str> = catalog.blocked.iter().map(|tool| tool.tool.as_str()).collect();
        assert_eq!(blocked, ["b", "c"]);
        assert!(catalog.blocked[0].reason.contains("+does⟦U+200B⟧ more"), "{:?}", catalog.blocked);
        let accepted = Catalog::new(&now, &settings(), &catalog.pins);
        assert_eq!((accepted.offered.len(), accepted.blocked.len()), (3, 0));
        assert_eq!(accepted.offered[1].spec.description, "does⟦U+200B⟧ more");
    }
}
