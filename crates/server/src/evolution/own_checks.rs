//! What a proposal of tools or commands must pass before its trial: no name of it is taken, each tool can be offered, and its own cases
//! come out as it says.

use std::collections::{BTreeMap, BTreeSet};

use abide_domain::{COMMANDS, evolution::EvolutionTarget};
use abide_engine::state::EvolutionRecord;
use abide_modules::{ModuleDeclarations, ModuleKind};
use abide_tools::{FOREIGN_PREFIX, Registry};
use serde::Deserialize;
use serde_json::Value;

use super::{
    own_parts::spec_of,
    own_trial::{OwnSide, names_of},
    own_uses::{OwnUse, RecordedInner, UseInput},
};
use crate::agents::keeper_tool_names;

/// Cases that one proposal may bring.
const CASES_MAX: usize = 100;
/// The key of a proposal's change that holds them.
const CASES: &str = "cases";
/// What a tool or a command must give, as the proposer says.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OwnCase {
    /// The tool or command.
    name: String,
    /// What a tool is given.
    #[serde(default)]
    arguments: Option<Value>,
    /// What a command is given.
    #[serde(default)]
    text: Option<String>,
    /// What it gives then.
    result: Value,
}

impl OwnCase {
    fn used(&self) -> Result<OwnUse, String> {
        let input = match (&self.arguments, &self.text) {
            (Some(arguments), None) => UseInput::Arguments(arguments.clone()),
            (None, Some(text)) => UseInput::Text(text.clone()),
            _ => return Err("it has either `arguments` or `text`".to_owned()),
        };
        Ok(OwnUse { name: self.name.clone(), input, inner: RecordedInner::default() })
    }
}

/// Whether what would change beside the code can be read. Errors are words for its proposer.
pub(crate) fn check_cases(change: &BTreeMap<String, Value>) -> Result<(), String> {
    read_cases(change).map(drop)
}

/// The cases of a proposal. Errors are words for its proposer.
pub(super) fn read_cases(change: &BTreeMap<String, Value>) -> Result<Vec<OwnCase>, String> {
    if let Some(other) = change.keys().find(|key| *key != CASES) {
        return Err(format!("there is no {other:?} to change here; there is {CASES}"));
    }
    let Some(cases) = change.get(CASES) else { return Ok(Vec::new()) };
    let read = Vec::<OwnCase>::deserialize(cases).map_err(|error| format!("{CASES}: {error}"))?;
    if read.len() > CASES_MAX {
        return Err(format!(
            "{CASES}: there are {}, and at most {CASES_MAX} are looked at",
            read.len()
        ));
    }
    Ok(read)
}

/// Runs the cases. The error says the first that comes out otherwise.
pub(super) async fn run_cases(side: &mut OwnSide, cases: &[OwnCase]) -> Result<(), String> {
    for (place, case) in cases.iter().enumerate() {
        let wrong = |why: String| format!("its own case {} ({}): {why}", place + 1, case.name);
        let used = case.used().map_err(wrong)?;
        let given =
            side.run(&used).await.value.map_err(|error| wrong(format!("it fails: {error}")))?;
        if given != case.result {
            return Err(wrong(format!("it gives {given} in place of {}", case.result)));
        }
    }
    Ok(())
}

/// Whether what a module declares can be offered beside what the agent has. The error names the first that cannot.
pub(super) fn check_declared(
    declared: &ModuleDeclarations,
    given: &Registry,
) -> Result<(), String> {
    let taken = taken_namespaces(given);
    for tool in &declared.tools {
        let name = &tool.name;
        if taken.contains(space(name)) || name.starts_with(FOREIGN_PREFIX) {
            return Err(format!(
                "`{name}` is in the namespace {:?}, which has other tools: choose another one",
                space(name)
            ));
        }
        Registry::check(&spec_of(tool)).map_err(|error| error.to_string())?;
    }
    let known = declared.commands.iter().find(|command| COMMANDS.contains(&&*command.name));
    match known {
        Some(command) => Err(format!("there is a command \\{} already", command.name)),
        None => Ok(()),
    }
}

fn space(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}

/// The namespaces of tools that are not the agent's own.
fn taken_namespaces(given: &Registry) -> BTreeSet<String> {
    let given = given.specs().map(|spec| spec.name.clone());
    given.chain(keeper_tool_names()).map(|name| space(&name).to_owned()).collect()
}

/// Namespaces that a person could take for another's, for whoever decides.
pub(super) fn look_alikes(declared: &ModuleDeclarations, given: &Registry) -> Vec<String> {
    let taken = taken_namespaces(given);
    let own: BTreeSet<&str> = declared.tools.iter().map(|tool| space(&tool.name)).collect();
    let like = |own: &str| taken.iter().find(|taken| is_like(own, taken)).cloned();
    let notes = own.into_iter().filter_map(|own| Some((own, like(own)?)));
    notes
        .map(|(own, taken)| {
            format!("{own:?} is easily taken for {taken:?}, which is not the agent's")
        })
        .collect()
}

/// Whether two names look the same at a glance: by shapes, or but for one letter.
fn is_like(one: &str, other: &str) -> bool {
    let shape = |name: &str| -> String {
        let of = |letter: char| match letter {
            '0' => 'o',
            '1' | 'i' => 'l',
            '5' => 's',
            letter => letter,
        };
        name.chars().filter(|letter| letter.is_alphanumeric()).map(of).collect()
    };
    let (one, other) = (shape(one), shape(other));
    let is_long = one.len().min(other.len()) > 3;
    one == other || (is_long && strsim::osa_distance(&one, &other) == 1)
}

/// What the proposal has and the agent had not before.
pub(super) fn added(declared: &ModuleDeclarations, before: &ModuleDeclarations) -> Vec<String> {
    names_of(declared).difference(&names_of(before)).cloned().collect()
}

/// What the proposal adds and takes away, for people.
pub(super) fn notes(declared: &ModuleDeclarations, before: &ModuleDeclarations) -> Vec<String> {
    let listed = |what: &str, names: Vec<String>| {
        (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
    };
    let (more, less) = (added(declared, before), added(before, declared));
    listed("adds", more).into_iter().chain(listed("takes away", less)).collect()
}

/// The module that a target is; none for a mind.
pub(super) const fn kind_of(target: EvolutionTarget) -> Option<ModuleKind> {
    match target {
        EvolutionTarget::MemorySystem => Some(ModuleKind::Memory),
        EvolutionTarget::ToolFramework => Some(ModuleKind::Tools),
        EvolutionTarget::Dsl => Some(ModuleKind::Dsl),
        EvolutionTarget::Mind => None,
    }
}

/// The module that a change replaces.
pub(super) fn kind_or_memory(record: &EvolutionRecord) -> ModuleKind {
    record.target().and_then(kind_of).unwrap_or(ModuleKind::Memory)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, sync::Arc};

    use abide_domain::tool::EffectClass;
    use abide_modules::{DeclaredCommand, DeclaredTool, ModuleDeclarations};
    use abide_tools::{Now, Registry, Tool};
    use serde_json::{Value, json};

    use super::{added, check_declared, look_alikes, notes, read_cases};

    fn tools(names: &[&str]) -> ModuleDeclarations {
        let tool = |name: &&str| DeclaredTool {
            name: (*name).to_owned(),
            description: "x".into(),
            schema: json!({"type": "object"}),
            effect: EffectClass::Read,
        };
        ModuleDeclarations {
            tools: names.iter().map(tool).collect(),
            ..ModuleDeclarations::default()
        }
    }

    #[test]
    fn a_tool_of_an_agent_stands_in_no_namespace_that_others_have() {
        let now: Vec<Arc<dyn Tool>> = vec![Arc::new(Now::new())];
        let given = Registry::new(now).unwrap();
        assert_eq!(check_declared(&tools(&["recipes.scale"]), &given), Ok(()));
        for name in ["clock.now", "clock.later", "mcp.files.read", "skills.read"] {
            assert!(check_declared(&tools(&[name]), &given).unwrap_err().contains(name));
        }
        let command = DeclaredCommand { name: "wake".into(), help: "x".into() };
        let commands =
            ModuleDeclarations { commands: vec![command], ..ModuleDeclarations::default() };
        assert!(check_declared(&commands, &given).unwrap_err().contains("\\wake"));
    }

    #[test]
    fn a_namespace_that_looks_like_another_is_said() {
        let now: Vec<Arc<dyn Tool>> = vec![Arc::new(Now::new())];
        let given = Registry::new(now).unwrap();
        for name in ["c1ock.now", "cloock.now", "clok.now", "mem0ry.recall", "memory_.recall"] {
            let notes = look_alikes(&tools(&[name]), &given);
            assert!(notes.len() == 1 && notes[0].contains("easily taken"), "{name}: {notes:?}");
        }
        assert!(look_alikes(&tools(&["recipes.scale", "kitchen.bell"]), &given).is_empty());
    }

    #[test]
    fn a_schema_that_asks_for_any_amount_of_work_is_refused() {
        let again = json!({"$ref": "#/$defs/it"});
        let schema = json!({
            "type": "object", "properties": {"a": again},
            "$defs": {"it": {"allOf": [{"properties": {"a": again}}, {"properties": {"a": again}}]}},
        });
        let mut declared = tools(&["kitchen.bomb"]);
        declared.tools[0].schema = schema;
        let refused = check_declared(&declared, &Registry::default()).unwrap_err();
        assert!(refused.contains("kitchen.bomb") && refused.contains("checked more"), "{refused}");
    }

    #[test]
    fn what_is_added_and_taken_away_is_said() {
        let found = notes(&tools(&["a.b", "c.d"]), &tools(&["a.b", "e.f"]));
        assert_eq!(found, ["adds c.d", "takes away e.f"]);
        assert_eq!(added(&tools(&["a.b", "c.d"]), &tools(&["a.b"])), ["c.d"]);
        assert!(notes(&tools(&["a.b"]), &tools(&["a.b"])).is_empty());
    }

    #[test]
    fn cases_that_are_none_are_said() {
        let read = |change: Value| {
            read_cases(&serde_json::from_value::<BTreeMap<String, Value>>(change).unwrap())
        };
        assert_eq!(read(json!({})).unwrap(), []);
        let whole = json!({"cases": [{"name": "a.b", "arguments": {}, "result": 1}]});
        assert_eq!(read(whole).unwrap().len(), 1);
        let many = json!({"cases": vec![json!({"name": "a.b", "text": "", "result": 1}); 101]});
        for (change, said) in [
            (json!({"model": "x"}), "there is cases"),
            (json!({"cases": 1}), "cases: "),
            (json!({"cases": [{"name": "a.b"}]}), "result"),
            (many, "at most 100"),
        ] {
            assert!(read(change.clone()).unwrap_err().contains(said), "{change}");
        }
        let neither = json!({"cases": [{"name": "a.b", "result": 1}]});
        assert!(read(neither).unwrap()[0].used().unwrap_err().contains("either"));
    }
}
