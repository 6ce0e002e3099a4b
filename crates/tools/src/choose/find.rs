//! `tools.find {query, names?}`: the schemas of tools that the prompt shows by name only, or that a search brings.
//!
//! What it returns counts as shown from the next turn on. It must never return a tool that the policy of the agent hides: what is
//! offered to the call holds none of those.

use std::collections::BTreeSet;

use abide_domain::{
    limits::TOOL_NAME_BYTES_MAX,
    tool::{EffectClass, ToolSpec},
};
use futures_util::future::{BoxFuture, ready};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    index::ToolIndex,
    nearest_names::nearest_names,
    query::{FIND_TOOL_NAME, bytes_of},
    rank,
    terms::split_name,
};
use crate::{Call, Output, Tool, ToolError, parse_arguments};

/// Tools that a search returns, unless it says how many.
pub const FIND_MATCHES_DEFAULT: usize = 8;
/// Tools that a search returns at most.
pub const FIND_MATCHES_MAX: usize = 20;
/// Names that one call may ask for.
pub const FIND_NAMES_MAX: usize = 20;
/// Bytes of names, descriptions and schemas that one call returns; the first match is returned whatever its size. Less than what
/// a result may have that stays in the ledger: which tools were found must be known after a restart.
pub const FIND_BYTES_MAX: usize = 20 * 1024;
/// Characters of a query.
const QUERY_CHARS_MAX: usize = 1_000;

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct ToolSearch<'a> {
    /// What the tool should do; may be blank where names are given.
    pub text: &'a str,
    /// Names as they stand in the prompt, whole or without their server where that is clear.
    pub names: &'a [String],
    /// Tools wanted by the text.
    pub matches_max: usize,
    /// Names of the tools whose schemas the prompt has: a search passes them over and says which of them fit.
    pub shown: &'a [String],
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundTools {
    /// Places in the list: first those asked for by name, then those that the text brought, the best first.
    pub matches: Vec<usize>,
    /// Places of those that fit as well as the matches and are shown already.
    pub shown: Vec<usize>,
    /// Places of those that did not fit into the answer's bytes.
    pub left_out: Vec<usize>,
    /// Names that no tool has, each with the nearest that there are.
    pub unknown: Vec<(String, Vec<String>)>,
}

/// Looks for tools. `specs` holds what the agent may use, and nothing else; the index is made of it.
pub fn find_tools(specs: &[ToolSpec], index: &ToolIndex, search: &ToolSearch<'_>) -> FoundTools {
    let mut found = FoundTools::default();
    let mut wanted: Vec<usize> = Vec::new();
    for name in search.names.iter().take(FIND_NAMES_MAX) {
        match places_named(specs, name) {
            places if places.is_empty() => {
                let name: String = name.chars().take(TOOL_NAME_BYTES_MAX).collect();
                let known = specs.iter().map(|spec| spec.name.as_str());
                let nearest = nearest_names(known, &name);
                found.unknown.push((name, nearest));
            }
            places => wanted.extend(places),
        }
    }
    let shown: BTreeSet<&str> = search.shown.iter().map(String::as_str).collect();
    let mut by_text = 0;
    for place in rank::fitting(index, search.text) {
        if by_text >= search.matches_max.min(FIND_MATCHES_MAX) {
            break;
        }
        if specs.get(place).is_some_and(|spec| shown.contains(spec.name.as_str())) {
            found.shown.push(place);
        } else {
            by_text += 1;
            wanted.push(place);
        }
    }
    let mut bytes = 0;
    for place in wanted {
        let Some(spec) = specs.get(place) else { continue };
        if found.matches.contains(&place) || found.left_out.contains(&place) {
            continue;
        }
        bytes += bytes_of(spec);
        if found.matches.is_empty() || bytes <= FIND_BYTES_MAX {
            found.matches.push(place);
        } else {
            found.left_out.push(place);
        }
    }
    found
}

/// The tools of that name; without its server, all that are called so.
fn places_named(specs: &[ToolSpec], name: &str) -> Vec<usize> {
    let name = name.trim();
    let same = |fits: &dyn Fn(&ToolSpec) -> bool| -> Vec<usize> {
        let fitting = specs.iter().enumerate().filter(|(_, spec)| fits(spec));
        fitting.map(|(place, _)| place).take(FIND_NAMES_MAX).collect()
    };
    let whole = same(&|spec| spec.name == name);
    if !whole.is_empty() {
        return whole;
    }
    same(&|spec| {
        let (server, own) = split_name(&spec.name);
        own == name || name.split_once('.') == Some((server, own))
    })
}

impl FoundTools {
    /// The answer for a mind.
    pub fn to_json(&self, specs: &[ToolSpec]) -> Value {
        let names = |places: &[usize]| -> Vec<&str> {
            places.iter().filter_map(|place| Some(specs.get(*place)?.name.as_str())).collect()
        };
        let matches = self.matches.iter().filter_map(|place| specs.get(*place));
        let tools: Vec<Value> = matches
            .map(|spec| {
                let ToolSpec { name, description, parameters, .. } = spec;
                json!({"name": name, "description": description, "parameters": parameters})
            })
            .collect();
        let mut answer = Map::new();
        answer.insert("tools".into(), json!(tools));
        let unknown = self.unknown.iter();
        let unknown: Vec<Value> =
            unknown.map(|(name, nearest)| json!({"name": name, "nearest": nearest})).collect();
        for (key, value) in [
            ("already_shown", json!(names(&self.shown))),
            ("too_long_to_add", json!(names(&self.left_out))),
            ("unknown_names", json!(unknown)),
        ] {
            if value.as_array().is_some_and(|list| !list.is_empty()) {
                answer.insert(key.into(), value);
            }
        }
        Value::Object(answer)
    }
}

/// The names of the tools that a result of `tools.find` holds, as it stands in the ledger; none where it holds none.
pub fn names_found(result: &str) -> Vec<String> {
    #[derive(Deserialize)]
    struct Answer {
        tools: Vec<Named>,
    }
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    let answer: Option<Answer> = serde_json::from_str(result).ok();
    let tools = answer.map(|answer| answer.tools).unwrap_or_default();
    tools.into_iter().map(|tool| tool.name).collect()
}

/// The tool `tools.find`.
#[derive(Clone, Debug)]
pub struct FindTools {
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
struct Arguments {
    query: Option<String>,
    names: Option<Vec<String>>,
    limit: Option<usize>,
}

impl FindTools {
    /// The tool. It looks among what is offered to whoever calls.
    pub fn new() -> Self {
        Self { spec: Self::specification() }
    }

    /// What a mind is shown of it.
    pub fn specification() -> ToolSpec {
        ToolSpec {
            name: FIND_TOOL_NAME.into(),
            description: "Brings the schemas of tools that are listed by name only. Search by what the tool should do, in English \
                          keywords, or ask for names from the list. May be called again with other words; what it returns can be \
                          called from then on."
                .into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string", "maxLength": QUERY_CHARS_MAX,
                        "description": "What the tool should do, such as `create calendar event`"
                    },
                    "names": {
                        "type": "array", "maxItems": FIND_NAMES_MAX,
                        "items": {"type": "string", "maxLength": TOOL_NAME_BYTES_MAX},
                        "description": "Names of tools, as they are listed"
                    },
                    "limit": {
                        "type": "integer", "minimum": 1, "maximum": FIND_MATCHES_MAX,
                        "description": "How many tools a search returns"
                    }
                },
                "additionalProperties": false
            }),
            effect: EffectClass::Read,
            idempotent: true,
        }
    }

    fn find(call: &Call<'_>) -> Result<Output, ToolError> {
        let Arguments { query, names, limit } = parse_arguments(call.arguments)?;
        let (text, names) = (query.unwrap_or_default(), names.unwrap_or_default());
        if text.trim().is_empty() && names.is_empty() {
            return Err(ToolError::new("query: say what the tool should do, or give names"));
        }
        let matches_max = limit.unwrap_or(FIND_MATCHES_DEFAULT);
        let search = ToolSearch { text: &text, names: &names, matches_max, shown: call.shown };
        let found = find_tools(call.offered, &ToolIndex::new(call.offered), &search);
        Ok(Output::json(&found.to_json(call.offered)))
    }
}

impl Default for FindTools {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for FindTools {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(ready(Self::find(&call)))
    }
}
