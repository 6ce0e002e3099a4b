//! The registry: which tools there are, and whether a call's arguments fit.
//!
//! Schemas are compiled once. Listings are in the order of names, so that prompts stay the same from turn to turn. It
//! must never let arguments through that the schema refuses. Asked by the engine before `tool.requested`.

use std::{collections::BTreeMap, fmt, path::Path, sync::Arc};

use abide_domain::{text::shortened, tool::ToolSpec, visible_line};
use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::Value;

use crate::{
    Append, Blob, CloseNode, FIND_TOOL_NAME, Fail, FindTools, ForgetFact, LinkNodes, Now,
    QueryMemory, Recall, RecordNode, RememberFact, SearchFacts, Stdout, Tool, ToolLimits,
    ToolPolicy, choose::nearest_names, policy::is_tool_name, schema_bounds::compile_schema,
};

/// Most problems in one message.
const PROBLEMS_MAX: usize = 8;
/// Longest message or path of a problem, in Unicode scalar values: it repeats the value or its keys, which may be large.
const PROBLEM_CHARS_MAX: usize = 300;

/// Says why a registry cannot be made: a defect of the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// The name is not valid.
    #[error("`{name}` is not a valid tool name")]
    Name {
        /// The name.
        name: String,
    },
    /// Two tools of the same name.
    #[error("there are two tools named `{name}`")]
    Twice {
        /// The name.
        name: String,
    },
    /// The schema of the arguments cannot be compiled.
    #[error("the argument schema of `{name}` cannot be compiled: {message}")]
    Schema {
        /// The tool.
        name: String,
        /// Why.
        message: String,
    },
}

/// Says that there is no such tool, and suggests others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownToolError {
    /// The name as it came, cut to the longest that a tool can have.
    pub name: String,
    /// Similar names, the most similar first; at most three.
    pub nearest: Vec<String>,
    /// Whether `tools.find` is among those that there are.
    pub has_search: bool,
}

impl UnknownToolError {
    /// The error for a name that none of the given tools has: it speaks of these alone.
    pub fn among(specs: &[ToolSpec], name: &str) -> Self {
        Self::of_names(|| specs.iter().map(|spec| spec.name.as_str()), name)
    }

    fn of_names<'a, N: Iterator<Item = &'a str>>(known: impl Fn() -> N, name: &str) -> Self {
        let name = shorten_name(name);
        let nearest = nearest_names(known(), &name);
        Self { name, nearest, has_search: known().any(|known| known == FIND_TOOL_NAME) }
    }

    /// What to try instead, for a mind; empty where nothing can be said.
    pub fn hint(&self) -> String {
        let near = match &*self.nearest {
            [] => None,
            [one] => Some(format!("the nearest name is `{one}`")),
            several => Some(format!("the nearest names are `{}`", several.join("`, `"))),
        };
        let search =
            self.has_search.then(|| format!("`{FIND_TOOL_NAME}` finds tools by what they do"));
        near.into_iter().chain(search).collect::<Vec<_>>().join("; ")
    }
}

impl fmt::Display for UnknownToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hint, name) = (self.hint(), &self.name);
        let separator = if hint.is_empty() { "" } else { "; " };
        write!(f, "there is no tool `{name}`{separator}{hint}")
    }
}

impl std::error::Error for UnknownToolError {}

/// What is wrong in a call's arguments, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentProblem {
    /// Path in the arguments, such as `/tags/0`; empty for the whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

/// Says why arguments are not valid, all problems at once (at most eight).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentsError {
    /// The tool.
    pub tool: String,
    /// Never empty.
    pub problems: Vec<ArgumentProblem>,
}

impl fmt::Display for ArgumentsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the arguments of `{}` are not valid", self.tool)?;
        for (index, problem) in self.problems.iter().enumerate() {
            let separator = if index == 0 { ": " } else { "; " };
            let path = if problem.path.is_empty() { "" } else { problem.path.as_str() };
            let colon = if path.is_empty() { "" } else { ": " };
            write!(f, "{separator}{path}{colon}{}", problem.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for ArgumentsError {}

/// The names that there are, where an argument has another one; empty for other problems.
fn known_names(error: &ValidationError<'_>, registered: &Registered) -> String {
    let is_name = matches!(error.kind(), ValidationErrorKind::AdditionalProperties { .. });
    if !is_name || !error.instance_path().as_str().is_empty() {
        return String::new();
    }
    let properties = registered.tool.spec().parameters.get("properties");
    let names: Vec<&str> = properties
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(serde_json::Map::keys)
        .map(String::as_str)
        .collect();
    if names.is_empty() {
        return "; it takes no arguments".to_owned();
    }
    format!("; it takes {}", names.join(", "))
}

/// The tools that there are.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    tools: BTreeMap<String, Registered>,
}

#[derive(Clone, Debug)]
struct Registered {
    tool: Arc<dyn Tool>,
    arguments: Arc<Validator>,
}

impl Registry {
    /// A registry of the given tools.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Result<Self, RegistryError> {
        let mut registry = Self::default();
        for tool in tools {
            registry.add(tool)?;
        }
        Ok(registry)
    }

    /// The tools that are built in. The `probe.*` ones are there only where `[test] probe_file` names their file.
    pub fn builtin(probe_file: Option<&Path>) -> Result<Self, RegistryError> {
        let mut tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(Now::new()),
            Arc::new(RememberFact::new()),
            Arc::new(SearchFacts::new()),
            Arc::new(ForgetFact::new()),
            Arc::new(Recall::new()),
            Arc::new(QueryMemory::new()),
            Arc::new(RecordNode::new()),
            Arc::new(LinkNodes::new()),
            Arc::new(CloseNode::new()),
            Arc::new(Stdout::new()),
            Arc::new(FindTools::new()),
        ];
        if let Some(path) = probe_file {
            tools.push(Arc::new(Append::new(path)));
            tools.push(Arc::new(Blob::new()));
            tools.push(Arc::new(Fail::new()));
        }
        Self::new(tools)
    }

    /// Adds a tool.
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), RegistryError> {
        let name = tool.spec().name.clone();
        if !is_tool_name(&name) {
            return Err(RegistryError::Name { name });
        }
        if self.tools.contains_key(&name) {
            return Err(RegistryError::Twice { name });
        }
        let arguments = match tool.compiled_schema() {
            Some(compiled) => compiled,
            None => Arc::new(compiled(tool.spec())?),
        };
        self.tools.insert(name, Registered { tool, arguments });
        Ok(())
    }

    /// Whether a tool of this description could be added to a registry that has none of its name.
    pub fn check(spec: &ToolSpec) -> Result<(), RegistryError> {
        if !is_tool_name(&spec.name) {
            return Err(RegistryError::Name { name: spec.name.clone() });
        }
        compiled(spec).map(|_| ())
    }

    /// Whether it has no tool.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// These tools with others, which take the place of those of the same names.
    #[must_use]
    pub fn overlaid(&self, others: &Self) -> Self {
        let mut tools = self.tools.clone();
        tools.extend(others.tools.clone());
        Self { tools }
    }

    /// All tools, in the order of their names.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.values().map(|registered| registered.tool.spec())
    }

    /// What a mind may use under a policy: the tools that may run, in the order of their names. The one that finds others is among
    /// them where there are more than a prompt shows.
    pub fn offered(&self, policy: &ToolPolicy) -> Arc<[ToolSpec]> {
        let all = self.specs().filter(|spec| policy.offers(&spec.name)).cloned();
        let mut all: Vec<ToolSpec> = all.collect();
        if ToolLimits::default().hold_all(&all) {
            all.retain(|spec| spec.name != FIND_TOOL_NAME);
        }
        all.into()
    }

    /// The tool of that name.
    pub fn get(&self, name: &str) -> Result<&Arc<dyn Tool>, UnknownToolError> {
        match self.tools.get(name) {
            Some(registered) => Ok(&registered.tool),
            None => Err(self.unknown(name)),
        }
    }

    /// Checks arguments against the tool's schema. A tool that does not exist refuses all.
    pub fn validate(&self, name: &str, arguments: &Value) -> Result<(), ArgumentsError> {
        let problems = match self.tools.get(name) {
            None => {
                vec![ArgumentProblem {
                    path: String::new(),
                    message: self.unknown(name).to_string(),
                }]
            }
            Some(registered) => registered
                .arguments
                .iter_errors(arguments)
                .take(PROBLEMS_MAX)
                .map(|error| ArgumentProblem {
                    path: shown(error.instance_path().as_str()),
                    message: shown(&format!("{error}{}", known_names(&error, registered))),
                })
                .collect(),
        };
        if problems.is_empty() {
            Ok(())
        } else {
            Err(ArgumentsError { tool: shorten_name(name), problems })
        }
    }

    fn unknown(&self, name: &str) -> UnknownToolError {
        UnknownToolError::of_names(|| self.tools.keys().map(String::as_str), name)
    }
}

/// A name as it is repeated to a mind: it came from a mind, and may be of any length.
fn shorten_name(name: &str) -> String {
    name.chars().take(abide_domain::limits::TOOL_NAME_BYTES_MAX).collect()
}

/// What repeats something of the arguments: cut, and with everything hidden in it made visible.
fn shown(text: &str) -> String {
    visible_line(&shortened(text, PROBLEM_CHARS_MAX)).into_owned()
}

fn compiled(spec: &ToolSpec) -> Result<Validator, RegistryError> {
    let wrong = |message| RegistryError::Schema { name: spec.name.clone(), message };
    compile_schema(&spec.parameters).map_err(wrong)
}
