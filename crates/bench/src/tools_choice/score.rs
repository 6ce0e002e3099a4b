//! How often the needed tool is there, and what the prompts hold.

use std::fmt;

use serde::Serialize;

use super::{
    set::{TaskSet, ToolTaskSet},
    systems::{Systems, ToolSystem},
    vectors::Vectors,
};

/// One system on one set; shares are of all tasks.
#[derive(Clone, Debug, Serialize)]
pub struct ToolChoiceScore {
    /// The set.
    pub set: ToolTaskSet,
    /// Who chose.
    pub system: ToolSystem,
    /// Tools that there are.
    pub tools: usize,
    /// Tasks.
    pub tasks: usize,
    /// The needed tool stands in the first prompt with its schema.
    pub first: f64,
    /// It stands there, or one search by the task's own words brings it.
    pub found_by_words: f64,
    /// It stands there, or one search by three key words brings it.
    pub found_by_keys: f64,
    /// It stands there, or its name does, which brings it when asked for.
    pub by_name: f64,
    /// Bytes of schemas and names in the first prompt, on average.
    pub bytes: f64,
    /// Their estimated tokens.
    pub tokens: f64,
}

/// Counts a system on a set; gives the tasks whose tool was not in the first prompt too.
pub(super) fn measure(
    set: &TaskSet,
    system: ToolSystem,
    vectors: Option<&Vectors>,
) -> (ToolChoiceScore, Vec<String>) {
    let systems = Systems::new(&set.specs);
    let (mut first, mut words, mut keys, mut named) = (0_u32, 0_u32, 0_u32, 0_u32);
    let (mut bytes, mut tokens, mut missed) = (0.0, 0.0, Vec::new());
    for (number, task) in (1_u64..).zip(&set.tasks) {
        let likeness = vectors.map(|vectors| vectors.likeness(&set.specs, &task.ask));
        let shown = systems.show(system, (task, &likeness.unwrap_or_default()), number);
        let is_needed =
            |place: &usize| systems.specs.get(*place).is_some_and(|spec| spec.name == task.tool);
        let is_first = shown.full.iter().any(is_needed);
        let is_found =
            |text: &str| is_first || systems.find(system, &shown, text).iter().any(is_needed);
        first += u32::from(is_first);
        words += u32::from(is_found(&task.ask));
        keys += u32::from(is_found(&task.keys));
        named += u32::from(is_first || shown.names.contains(&task.tool));
        bytes += float(shown.bytes as u64);
        tokens += float(shown.tokens);
        if !is_first {
            missed.push(format!("{} for: {}", task.tool, task.ask));
        }
    }
    let of = float(set.tasks.len().max(1) as u64);
    let share = |count: u32| f64::from(count) / of;
    let score = ToolChoiceScore {
        set: set.set,
        system,
        tools: set.specs.len(),
        tasks: set.tasks.len(),
        first: share(first),
        found_by_words: share(words),
        found_by_keys: share(keys),
        by_name: share(named),
        bytes: bytes / of,
        tokens: tokens / of,
    };
    (score, missed)
}

fn float(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

impl fmt::Display for ToolChoiceScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, found_by_words, found_by_keys, by_name, bytes, tokens, .. } = self;
        write!(
            f,
            "{:<28} {first:>6.3} {found_by_words:>11.3} {found_by_keys:>10.3} {by_name:>8.3} {bytes:>8.0} {tokens:>7.0}",
            self.system.name()
        )
    }
}
