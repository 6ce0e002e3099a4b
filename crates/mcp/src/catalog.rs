//! The tools of a server as it lists them: each by itself, so that one that cannot be used takes none of the others with it.

use std::{collections::BTreeSet, sync::Arc};

use abide_domain::{
    limits::SCHEMA_DEPTH_MAX,
    text::shortened,
    tool::{EffectClass, ToolSpec},
    visible, visible_line,
};
use abide_tools::{Permission, compile_schema};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::{
    limits::{
        DESCRIPTION_BYTES_MAX, DESCRIPTION_CHARS_MAX, FOREIGN_NAME_BYTES_MAX, HINTS_BYTES_MAX,
        SCHEMA_BYTES_MAX,
    },
    names::{LIST_RESOURCES, READ_RESOURCE, tool_name},
    pin::{ToolPin, WaitingTool, compare_pins},
    settings::McpServerSettings,
    status::WithheldTool,
};

/// Longest text about names that the server does not have.
const PROBLEM_CHARS_MAX: usize = 1_000;
/// Keywords of a schema whose texts are for those who read it.
const SCHEMA_TEXTS: [&str; 3] = ["description", "title", "$comment"];

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
    pub(crate) waiting: Arc<[WaitingTool]>,
    /// Those that cannot be used.
    pub(crate) dropped: Vec<WithheldTool>,
    /// What all usable tools said about themselves, blocked ones too.
    pub(crate) pins: Vec<ToolPin>,
    /// Names in the settings that no tool of the server has; none where all are known.
    pub(crate) unknown_names: Option<String>,
}

impl Catalog {
    /// Sorts out what a server listed, under what a person accepted of it before. None: nobody has looked yet, and nothing is
    /// blocked. Where a person accepted nothing, all is.
    pub(crate) fn new(
        listed: &[Value],
        settings: &McpServerSettings,
        pinned: Option<&[ToolPin]>,
    ) -> Self {
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
        catalog.unknown_names = unknown_names(listed, settings);
        let mut waiting =
            pinned.map(|pinned| compare_pins(pinned, &catalog.pins)).unwrap_or_default();
        usable.retain(|tool| !waiting.iter().any(|waits| waits.tool == tool.pin.tool));
        // What is denied is not offered in any case: it need not be accepted.
        let is_denied = |tool: &str| matches!(settings.judge(tool), Some(Permission::Deny { .. }));
        waiting.retain(|waits| !is_denied(&waits.tool));
        catalog.waiting = waiting.into();
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

/// What the settings name that the server does not have, for people: a name that is misspelt in `deny` denies nothing.
fn unknown_names(listed: &[Value], settings: &McpServerSettings) -> Option<String> {
    let names = listed.iter().filter_map(|tool| tool.get("name").and_then(Value::as_str));
    let names: BTreeSet<&str> = names.collect();
    if names.is_empty() {
        return None;
    }
    let McpServerSettings { allow, ask, deny, effects, .. } = settings;
    let effects: Vec<String> = effects.keys().cloned().collect();
    let lists = [("allow", allow), ("ask", ask), ("deny", deny), ("effects", &effects)];
    let of_list = |(list, entries): (&str, &Vec<String>)| -> Vec<String> {
        let is_unknown = |entry: &&String| {
            !["*", READ_RESOURCE, LIST_RESOURCES].contains(&entry.as_str())
                && !names.contains(entry.as_str())
        };
        let text = |entry: &String| {
            let entry_shown = visible_line(entry);
            let like = names.iter().find(|name| is_like(name, entry, &settings.name));
            let like = like.map(|name| format!(" (it has `{}`)", visible_line(name)));
            format!("`{list}` names `{entry_shown}`{}", like.unwrap_or_default())
        };
        entries.iter().filter(is_unknown).map(text).collect()
    };
    let unknown: Vec<String> = lists.into_iter().flat_map(of_list).collect();
    let all = unknown.join(", ");
    let problem = format!("the server has no such tool: {all}; lists go by its own names");
    (!unknown.is_empty()).then(|| shortened(&problem, PROBLEM_CHARS_MAX))
}

/// Whether somebody who wrote this may have meant that tool: other signs between the words, or its name here.
fn is_like(name: &str, written: &str, server: &str) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let here = tool_name(server, name);
    plain(name) == plain(written) || here == written || here.ends_with(&format!(".{written}"))
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
    let mut parameters = check_schema(&schema)?;
    let arguments = compile(&parameters)?;
    show_hidden(&mut parameters);
    if has_hidden(&parameters) {
        return Err("its `inputSchema` has hidden characters in names or values".to_owned());
    }
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
    compile_schema(schema)
        .map_err(|error| format!("its `inputSchema` cannot be used: {}", shortened(&error, 300)))
}

/// Makes everything visible that is hidden in the texts of a schema, for a mind. Its depth is bounded by then.
fn show_hidden(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(show_hidden),
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(text) if SCHEMA_TEXTS.contains(&key.as_str()) => {
                        *text = visible(text).into_owned();
                    }
                    _ => show_hidden(value),
                }
            }
        }
        _ => {}
    }
}

/// Whether names or values of a schema have something hidden, which cannot be shown: they would be others then.
fn has_hidden(value: &Value) -> bool {
    let is_hidden = |text: &str| visible(text) != text;
    match value {
        Value::String(text) => is_hidden(text),
        Value::Array(items) => items.iter().any(has_hidden),
        Value::Object(object) => {
            object.iter().any(|(key, value)| is_hidden(key) || has_hidden(value))
        }
        _ => false,
    }
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
    fn a_list_that_names_what_the_server_does_not_have_is_said() {
        let settings = McpServerSettings {
            allow: vec!["*".into(), "read".into()],
            deny: vec!["drop_all".into(), "drop-all".into(), "gone".into()],
            ..settings()
        };
        let listed = [tool("drop-all", json!({})), tool("read", json!({}))];
        let problem = Catalog::new(&listed, &settings, None).unknown_names.unwrap();
        assert!(
            problem.contains("`deny` names `drop_all` (it has `drop-all`), `deny` names `gone`;"),
            "{problem}"
        );
        assert!(!problem.contains("allow"), "{problem}");
        assert_eq!(Catalog::new(&[], &settings, None).unknown_names, None, "nothing is known yet");
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
        let catalog = Catalog::new(&listed, &settings(), None);
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
        assert!(catalog.waiting.is_empty(), "nobody has looked yet");
    }

    #[test]
    fn a_tool_whose_arguments_could_not_be_checked_in_time_is_dropped_and_its_neighbours_stay() {
        let mut defs = json!({"d40": {}});
        for at in 0..40 {
            let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
            defs[format!("d{at}")] = json!({"allOf": [next, next]});
        }
        let hostile = json!({"properties": {"p": {"$ref": "#/$defs/d0"}}, "$defs": defs});
        let endless = json!({"allOf": [{"$ref": "#"}]});
        let listed = [
            tool("a", json!({})),
            tool("hostile", hostile),
            tool("endless", endless),
            tool("b", json!({})),
        ];
        let catalog = Catalog::new(&listed, &settings(), None);
        let offered: Vec<&str> =
            catalog.offered.iter().map(|tool| tool.pin.tool.as_str()).collect();
        assert_eq!(offered, ["a", "b"]);
        let dropped: Vec<_> =
            catalog.dropped.iter().map(|tool| (tool.tool.as_str(), tool.reason.as_str())).collect();
        assert_eq!(
            dropped,
            [
                (
                    "hostile",
                    "its `inputSchema` cannot be used: it has more than 10000 schemas with its references written out"
                ),
                (
                    "endless",
                    "its `inputSchema` cannot be used: it contains itself for one and the same value: a check would never end"
                ),
            ]
        );
    }

    #[test]
    fn hidden_characters_in_the_texts_of_a_schema_are_shown_and_the_schema_itself_stays() {
        let schema = json!({
            "title": "a\u{200b}",
            "properties": {"description": {"description": "b\u{202e}", "const": "c"}},
            "anyOf": [{"$comment": "d\u{200b}"}],
        });
        let catalog = Catalog::new(&[tool("t", schema.clone())], &settings(), None);
        let offered = &catalog.offered[0];
        let shown = json!({
            "type": "object",
            "title": "a⟦U+200B⟧",
            "properties": {"description": {"description": "b⟦U+202E⟧", "const": "c"}},
            "anyOf": [{"$comment": "d⟦U+200B⟧"}],
        });
        assert_eq!(offered.spec.parameters, shown);
        assert!(offered.arguments.is_valid(&json!({"description": "c"})));
        let sent = super::ToolPin::new("s", "t", "does", schema, Value::Null);
        assert_eq!(offered.pin, sent);
    }

    #[test]
    fn where_a_person_accepted_nothing_all_is_blocked() {
        let listed = [tool("a", json!({})), tool("b", json!({}))];
        let catalog = Catalog::new(&listed, &settings(), Some(&[]));
        assert_eq!((catalog.offered.len(), catalog.waiting.len()), (0, 2));
        assert_eq!(catalog.pins.len(), 2, "a person can still accept them");
    }

    /// HB-09.
    #[test]
    fn arguments_are_held_against_the_schema_of_the_server() {
        let schema = json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
        let catalog = Catalog::new(&[tool("t", schema)], &settings(), None);
        let arguments = &catalog.offered[0].arguments;
        assert!(arguments.is_valid(&json!({"b": 1})));
        assert!(!arguments.is_valid(&json!({"c": 1})));
        assert!(!arguments.is_valid(&json!([])));
    }

    #[test]
    fn hints_count_only_where_the_server_is_trusted_and_settings_win() {
        let hinted = json!({"name": "h", "inputSchema": {}, "annotations": {"readOnlyHint": true, "idempotentHint": true}});
        let effect = |settings: &McpServerSettings| {
            let catalog = Catalog::new(std::slice::from_ref(&hinted), settings, None);
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
        let pins = Catalog::new(&before, &settings(), None).pins;
        let mut changed = before[1].clone();
        changed["description"] = json!("does\u{200b} more");
        let now = [before[0].clone(), changed, tool("c", json!({}))];
        let catalog = Catalog::new(&now, &settings(), Some(&pins));
        assert_eq!(catalog.offered.len(), 1);
        let waiting: Vec<&str> = catalog.waiting.iter().map(|tool| tool.tool.as_str()).collect();
        assert_eq!(waiting, ["b", "c"]);
        assert!(catalog.waiting[0].diff.contains("+does⟦U+200B⟧ more"), "{:?}", catalog.waiting);
        let accepted = Catalog::new(&now, &settings(), Some(&catalog.pins));
        assert_eq!((accepted.offered.len(), accepted.waiting.len()), (3, 0));
        assert_eq!(accepted.offered[1].spec.description, "does⟦U+200B⟧ more");
    }

    #[test]
    fn a_tool_with_hidden_characters_in_names_or_values_is_left_out() {
        let tool = |name: &str, schema: Value| json!({"name": name, "inputSchema": schema});
        let property =
            |name: &str, about: Value| json!({"type": "object", "properties": {name: about}});
        let listed = [
            tool("a", property("x", json!({"enum": ["fine\u{e0041}"]}))),
            tool("b", property("x\u{200b}", json!({}))),
            tool("c", property("x", json!({"default": "\u{202e}"}))),
            tool("d", property("x", json!({"description": "a\u{200b}b", "enum": ["fine"]}))),
        ];
        let catalog = Catalog::new(&listed, &settings(), None);
        let offered: Vec<_> = catalog.offered.iter().map(|tool| tool.pin.tool.as_str()).collect();
        assert_eq!((offered, catalog.dropped.len()), (vec!["d"], 3));
        let shown = catalog.offered[0].spec.parameters.to_string();
        assert!(shown.contains("a⟦U+200B⟧b"), "{shown}");
    }
}
