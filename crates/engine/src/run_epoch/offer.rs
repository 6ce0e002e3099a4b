//! The tools that a turn shows: all that the agent may use, or, where those are too many for a prompt, the likely ones with their
//! schemas and the names of all. Between the context and the asking of each turn; which ones are likely is for `abide_tools::choose_tools`'s
//! index to say.
//!
//! It follows from the record of the epoch, from what the state knew when the epoch was opened and from what people have set about tools by
//! now, so that a turn that is asked again after a restart shows the same. It must never show or name a tool that the policy does not offer.

use std::sync::Arc;

use abide_domain::{event::OfferedTools, tool::ToolSpec};
use abide_memory::estimate_tokens;
use abide_tools::{
    AgentTools, FIND_TOOL_NAME, ToolChoice, ToolIndex, ToolLimits, ToolQuery, UsedTool, names_found,
};
use serde_json::Value;

use crate::{
    context::offered_tools,
    state::{EpochRecord, TurnRecord},
};

/// What stands above the names.
const NAMES_HEAD: &str = "## More tools\n\nThese tools exist as well. `tools.find` brings the schema of any of them; then it can be \
     called. Each line is a server or a namespace, and behind it what it has.\n\n";

/// What an agent may use in an epoch, and how it is chosen from.
#[derive(Debug)]
pub(crate) struct ToolOffer {
    all: Arc<[ToolSpec]>,
    /// None where a prompt shows all.
    index: Option<ToolIndex>,
    used: Vec<UsedTool>,
    /// How like each is to the stimulus by meaning; empty where that is not known.
    likeness: Vec<f64>,
}

/// What one turn shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ShownTools {
    /// Those that stand there with their schemas.
    pub(crate) tools: Arc<[ToolSpec]>,
    /// The names of all, for the part of a prompt that stays; none where all have their schemas.
    pub(crate) names: Option<String>,
}

impl ToolOffer {
    /// What may be used, and what was used before.
    pub(crate) fn new(all: Arc<[ToolSpec]>, used: impl FnOnce() -> Vec<UsedTool>) -> Self {
        let index = (!ToolLimits::default().hold_all(&all)).then(|| ToolIndex::new(&all));
        let used = if index.is_some() { used() } else { Vec::new() };
        Self { all, index, used, likeness: Vec::new() }
    }

    /// Looks how like the tools are to the stimulus by meaning, where they are chosen from.
    pub(super) async fn liken(&mut self, tools: &AgentTools, stimulus: &str) {
        if self.index.is_some() {
            self.likeness = tools.likeness(&self.all, stimulus).await;
        }
    }

    /// All that may be used.
    pub(super) fn all(&self) -> Arc<[ToolSpec]> {
        Arc::clone(&self.all)
    }

    /// What is recorded of it: all that may be used, and the tokens of about what the first prompt shows.
    pub(super) fn summary(&self, stimulus: &str) -> OfferedTools {
        let first = self.after(&[], stimulus, "");
        let names = first.names.as_deref().map_or(0, estimate_tokens);
        let tokens = offered_tools(&first.tools).tokens.saturating_add(names);
        OfferedTools { tokens, ..offered_tools(&self.all) }
    }

    /// What the turn that comes next shows. `recent` is what was said before this stimulus.
    pub(crate) fn of_next_turn(&self, record: &EpochRecord, recent: &str) -> ShownTools {
        self.after(&record.turns, &record.stimulus.content, recent)
    }

    fn after(&self, turns: &[TurnRecord], text: &str, recent: &str) -> ShownTools {
        let Some(index) = &self.index else {
            return ShownTools { tools: self.all(), names: None };
        };
        let (used, likeness) = (&*self.used, &*self.likeness);
        let (mut found, mut shown) = (Vec::new(), Vec::new());
        let mut choice = ToolChoice::default();
        for turn in std::iter::once(None).chain(turns.iter().map(Some)) {
            if let Some(turn) = turn {
                found.extend(found_in(turn, &shown));
            }
            let query = ToolQuery { text, recent, used, likeness, found: &found, shown: &shown };
            choice = index.choose(&self.all, &query, &ToolLimits::default());
            shown = self.names_of(&choice);
        }
        let tools = choice.full.iter().filter_map(|place| self.all.get(*place).cloned()).collect();
        let names = Some(choice.names).filter(|names| !names.is_empty());
        ShownTools { tools, names: names.map(|names| format!("{NAMES_HEAD}{names}")) }
    }

    fn names_of(&self, choice: &ToolChoice) -> Vec<String> {
        let name = |place: &usize| self.all.get(*place).map(|spec| spec.name.clone());
        choice.full.iter().filter_map(name).collect()
    }
}

/// The tools that a turn found, or called by a name that it saw without its schema.
fn found_in(turn: &TurnRecord, shown: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for (call, record) in turn.voice.tool_calls.iter().zip(&turn.calls) {
        if call.name == FIND_TOOL_NAME {
            // A result that is too large for the ledger is not there after a restart; what was asked for by name is.
            let names = call.arguments.get("names").and_then(Value::as_array).into_iter().flatten();
            found.extend(names.filter_map(Value::as_str).map(str::to_owned));
            let content = record.finished.as_ref().map(|finished| &*finished.content);
            found.extend(content.map(names_found).unwrap_or_default());
        } else if !shown.contains(&call.name) {
            found.push(call.name.clone());
        }
    }
    found
}
