//! The sets: tools of servers and single steps with the tool that each needs.
//!
//! A file has its servers' tools either with whole schemas or in a short form that becomes one. What a set lacks to two hundred
//! tools is filled with servers of another file, so that every set is as hard to choose from.

use std::collections::BTreeMap;

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::Registry;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::BenchError;

/// Tools of a set at least.
const TOOLS_MIN: usize = 200;

const TUNE: &str = include_str!("tune.json");
const HELD_OUT: &str = include_str!("held_out.json");
const OTHER_WORDS: &str = include_str!("other_words.json");
const REAL: &str = include_str!("real.json");

/// Which tools and tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolTaskSet {
    /// What may be looked at while the choice is tuned.
    Tuned,
    /// Other servers, other words; written when the choice was tuned, and only counted.
    HeldOut,
    /// The tools of both, asked for in other languages.
    Languages,
    /// The same, asked for in a word or two, or vaguely.
    Short,
    /// Tools of public servers, as those describe them.
    Real,
}

impl ToolTaskSet {
    /// All of them, in their order.
    pub const ALL: [Self; 5] =
        [Self::Tuned, Self::HeldOut, Self::Languages, Self::Short, Self::Real];

    /// For tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tuned => "tuned on",
            Self::HeldOut => "held out: other servers, other words",
            Self::Languages => "held out: other languages",
            Self::Short => "held out: short and vague",
            Self::Real => "held out: tools of public servers",
        }
    }
}

/// A set that was read.
#[derive(Clone, Debug)]
pub(super) struct TaskSet {
    pub(super) set: ToolTaskSet,
    pub(super) specs: Vec<ToolSpec>,
    pub(super) tasks: Vec<ToolTask>,
}

/// A single step.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct ToolTask {
    /// What a person says.
    pub(super) ask: String,
    /// The tool that does it: server and name in the file, the whole name in a set.
    pub(super) tool: String,
    /// Three key words for it, as a mind would search.
    pub(super) keys: String,
}

#[derive(Debug, Deserialize)]
struct ToolFile {
    servers: BTreeMap<String, BTreeMap<String, ToolEntry>>,
    #[serde(default)]
    tasks: Vec<ToolTask>,
    #[serde(default)]
    short: Vec<ToolTask>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum ToolEntry {
    /// Text and parameters.
    Short(String, String),
    Whole {
        description: String,
        parameters: Value,
    },
}

/// Reads a set.
pub(super) fn load(set: ToolTaskSet) -> Result<TaskSet, BenchError> {
    let read = |text: &str| {
        serde_json::from_str::<ToolFile>(text).map_err(BenchError::of("read a file of tools"))
    };
    let (tune, held_out) = (read(TUNE)?, read(HELD_OUT)?);
    let mut specs = core_tools()?;
    let tasks = match set {
        ToolTaskSet::Tuned => {
            fill(&mut specs, &tune, usize::MAX);
            tune.tasks
        }
        ToolTaskSet::HeldOut => {
            fill(&mut specs, &held_out, usize::MAX);
            fill(&mut specs, &tune, TOOLS_MIN);
            held_out.tasks
        }
        ToolTaskSet::Languages | ToolTaskSet::Short => {
            fill(&mut specs, &held_out, usize::MAX);
            fill(&mut specs, &tune, usize::MAX);
            let words = read(OTHER_WORDS)?;
            if set == ToolTaskSet::Short { words.short } else { words.tasks }
        }
        ToolTaskSet::Real => {
            let real = read(REAL)?;
            fill(&mut specs, &real, usize::MAX);
            fill(&mut specs, &held_out, usize::MAX);
            fill(&mut specs, &tune, TOOLS_MIN);
            real.tasks
        }
    };
    specs.sort_by(|a, b| a.name.cmp(&b.name));
    let tasks: Vec<ToolTask> =
        tasks.into_iter().map(|task| ToolTask { tool: name_of(&task.tool), ..task }).collect();
    let known = |task: &&ToolTask| !specs.iter().any(|spec| spec.name == task.tool);
    if let Some(task) = tasks.iter().find(known) {
        return Err(BenchError::Wrong(format!("no tool `{}` for `{}`", task.tool, task.ask)));
    }
    Ok(TaskSet { set, specs, tasks })
}

/// What every agent has.
fn core_tools() -> Result<Vec<ToolSpec>, BenchError> {
    let registry = Registry::builtin(None).map_err(BenchError::of("make the built-in tools"))?;
    Ok(registry.specs().cloned().collect())
}

/// Adds whole servers while there are fewer tools than wanted; a server that is there already is left out.
fn fill(specs: &mut Vec<ToolSpec>, file: &ToolFile, tools_min: usize) {
    for (server, tools) in &file.servers {
        let start = name_of(&format!("{server}."));
        if specs.len() >= tools_min || specs.iter().any(|spec| spec.name.starts_with(&start)) {
            continue;
        }
        specs.extend(tools.iter().map(|(name, entry)| spec(server, name, entry)));
    }
}

/// A name as it is here.
fn name_of(server_and_tool: &str) -> String {
    format!("mcp.{}", server_and_tool.replace('-', "_"))
}

fn spec(server: &str, name: &str, entry: &ToolEntry) -> ToolSpec {
    let (description, parameters) = match entry {
        ToolEntry::Short(text, parameters) => (text.clone(), schema(parameters)),
        ToolEntry::Whole { description, parameters } => (description.clone(), parameters.clone()),
    };
    ToolSpec {
        name: name_of(&format!("{server}.{name}")),
        description,
        parameters,
        effect: EffectClass::World,
        idempotent: false,
    }
}

/// The schema of `name; #number?: text; []list; !flag`.
fn schema(short: &str) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for parameter in short.split(';').map(str::trim).filter(|parameter| !parameter.is_empty()) {
        let (head, text) = parameter.split_once(':').unwrap_or((parameter, ""));
        let name = head.trim_start_matches(['#', '!', '[', ']']).trim_end_matches('?');
        let kind = match head.as_bytes().first() {
            Some(b'#') => "integer",
            Some(b'!') => "boolean",
            Some(b'[') => "array",
            _ => "string",
        };
        let mut property = json!({ "type": kind });
        if let (false, Some(property)) = (text.is_empty(), property.as_object_mut()) {
            property.insert("description".into(), text.trim().into());
        }
        properties.insert(name.into(), property);
        if !head.ends_with('?') {
            required.push(name);
        }
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::{TOOLS_MIN, ToolTaskSet, load, schema};

    #[test]
    fn a_short_form_becomes_a_schema() {
        let expected = json!({
            "type": "object",
            "properties": {
                "to": {"type": "array", "description": "Who: all"}, "count": {"type": "integer"}
            },
            "required": ["to"]
        });
        assert_eq!(schema("[]to: Who: all; #count?"), expected);
    }

    #[test]
    fn every_set_has_two_hundred_tools_and_no_task_twice() {
        let mut asked = BTreeSet::new();
        let mut tasks = 0;
        for set in ToolTaskSet::ALL {
            let read = load(set).unwrap();
            assert!(read.specs.len() >= TOOLS_MIN, "{set:?}: {}", read.specs.len());
            let names: BTreeSet<&str> = read.specs.iter().map(|spec| spec.name.as_str()).collect();
            assert_eq!(names.len(), read.specs.len(), "{set:?}");
            tasks += read.tasks.len();
            asked.extend(read.tasks.into_iter().map(|task| task.ask));
        }
        assert_eq!(asked.len(), tasks);
        assert!(tasks >= 150, "{tasks}");
    }
}
