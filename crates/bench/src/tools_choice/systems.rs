//! Who chooses: nobody (all schemas), plain BM25, and the choice that a keeper makes.

use abide_domain::tool::ToolSpec;
use abide_memory::estimate_tokens;
use abide_tools::{
    FIND_MATCHES_DEFAULT, LIKELY_MIN, ToolIndex, ToolLimits, ToolQuery, ToolSearch, UsedTool,
    find_tools,
};
use serde::Serialize;

use super::{baseline::PlainSearch, set::ToolTask};
use crate::memory::rng::Rng;

/// Tools that the agent has used, where it has used some.
const USED: usize = 10;

/// What fills the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolSystem {
    /// Every schema.
    All,
    /// The first 20 of plain BM25; a second search brings 8 more.
    Plain,
    /// The choice, for an agent that never used a tool.
    Chosen,
    /// The choice, for an agent that used the needed tool and nine others in the last twenty epochs.
    ChosenByUse,
    /// The choice with vectors of meaning, for an agent that never used a tool.
    ChosenByMeaning,
    /// The same, for an agent that used the needed tool and nine others in the last twenty epochs.
    ChosenByMeaningAndUse,
}

impl ToolSystem {
    /// All of them, in their order.
    pub const ALL: [Self; 6] = [
        Self::All,
        Self::Plain,
        Self::Chosen,
        Self::ChosenByUse,
        Self::ChosenByMeaning,
        Self::ChosenByMeaningAndUse,
    ];

    /// Whether it needs vectors.
    pub(super) const fn needs_vectors(self) -> bool {
        matches!(self, Self::ChosenByMeaning | Self::ChosenByMeaningAndUse)
    }

    /// Whether the agent has used tools before.
    const fn knows_use(self) -> bool {
        matches!(self, Self::ChosenByUse | Self::ChosenByMeaningAndUse)
    }

    /// For tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all schemas",
            Self::Plain => "BM25, first 20",
            Self::Chosen => "chosen",
            Self::ChosenByUse => "chosen, it was used before",
            Self::ChosenByMeaning => "by words and vectors",
            Self::ChosenByMeaningAndUse => "the same, it was used before",
        }
    }
}

/// What a prompt holds.
#[derive(Clone, Debug, Default)]
pub(super) struct ShownTools {
    /// Places of the tools with schemas.
    pub(super) full: Vec<usize>,
    /// The names in its lines, whole.
    pub(super) names: Vec<String>,
    /// Bytes and tokens of schemas and names.
    pub(super) bytes: usize,
    pub(super) tokens: u64,
}

/// The tools of a set, ready to be chosen from.
#[derive(Debug)]
pub(super) struct Systems<'a> {
    pub(super) specs: &'a [ToolSpec],
    plain: PlainSearch,
    index: ToolIndex,
}

impl<'a> Systems<'a> {
    pub(super) fn new(specs: &'a [ToolSpec]) -> Self {
        Self { specs, plain: PlainSearch::new(specs), index: ToolIndex::new(specs) }
    }

    /// What the first prompt of a task holds; `number` makes what was used before differ from task to task.
    pub(super) fn show(
        &self,
        system: ToolSystem,
        (task, likeness): (&ToolTask, &[f64]),
        number: u64,
    ) -> ShownTools {
        let limits = ToolLimits::default();
        match system {
            ToolSystem::All => self.shown((0..self.specs.len()).collect(), ""),
            ToolSystem::Plain => {
                let mut full = self.plain.rank(&task.ask);
                full.truncate(LIKELY_MIN);
                self.shown(full, "")
            }
            _ => {
                let used = if system.knows_use() { self.used(task, number) } else { Vec::new() };
                let (text, used) = (&*task.ask, &*used);
                let query = ToolQuery { text, used, likeness, ..ToolQuery::default() };
                let choice = self.index.choose(self.specs, &query, &limits);
                self.shown(choice.full, &choice.names)
            }
        }
    }

    /// What one more search brings.
    pub(super) fn find(&self, system: ToolSystem, shown: &ShownTools, words: &str) -> Vec<usize> {
        match system {
            ToolSystem::All => Vec::new(),
            ToolSystem::Plain => {
                let ranked = self.plain.rank(words).into_iter();
                ranked
                    .filter(|place| !shown.full.contains(place))
                    .take(FIND_MATCHES_DEFAULT)
                    .collect()
            }
            _ => {
                let spec = |place: &usize| Some(self.specs.get(*place)?.name.clone());
                let names: Vec<String> = shown.full.iter().filter_map(spec).collect();
                let matches_max = FIND_MATCHES_DEFAULT;
                let search = ToolSearch { text: words, names: &[], matches_max, shown: &names };
                find_tools(self.specs, &self.index, &search).matches
            }
        }
    }

    fn shown(&self, full: Vec<usize>, names: &str) -> ShownTools {
        let (mut bytes, mut tokens) = (names.len(), estimate_tokens(names));
        for spec in full.iter().filter_map(|place| self.specs.get(*place)) {
            let parameters = spec.parameters.to_string();
            for text in [&spec.name, &spec.description, &parameters] {
                bytes += text.len();
                tokens += estimate_tokens(text);
            }
        }
        ShownTools { full, names: names_of(names), bytes, tokens }
    }

    fn used(&self, task: &ToolTask, number: u64) -> Vec<UsedTool> {
        let mut rng = Rng::new(number);
        let mut used = vec![task.tool.clone()];
        while used.len() < USED.min(self.specs.len()) {
            let other = rng.pick(self.specs).map(|spec| spec.name.clone());
            used.extend(other.filter(|other| !used.contains(other)));
        }
        let used = used.into_iter().map(|name| UsedTool {
            name,
            times: u32::try_from(1 + rng.below(5)).unwrap_or(1),
            epochs_ago: u32::try_from(1 + rng.below(20)).unwrap_or(1),
        });
        used.collect()
    }
}

/// The names that the lines say, as a mind puts them together.
fn names_of(lines: &str) -> Vec<String> {
    let of_line = |line: &str| -> Vec<String> {
        let (space, names) = line.split_once(": ").unwrap_or(("", line));
        names.split(", ").map(|name| format!("{space}{name}")).collect()
    };
    lines.lines().flat_map(of_line).collect()
}
