//! Which tools an agent has used in its committed epochs: a fold of the ledger, for the choice among many.
//!
//! Asked once, when an epoch begins to be walked, so that all of its turns are chosen for alike. Bounded; it must never count an
//! epoch that was aborted.

use std::collections::BTreeMap;

use abide_tools::{USED_TOOLS_MAX, UsedTool};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Tools whose use is known; beyond it the one that was used longest ago is forgotten.
const KNOWN_MAX: usize = 4 * USED_TOOLS_MAX;

/// The use of tools, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// Committed epochs so far.
    epochs: u32,
    /// How often each was called, and in which epoch last.
    by_name: BTreeMap<String, (u32, u32)>,
}

impl ToolUse {
    /// Counts the calls of a committed epoch.
    pub(super) fn add<'a>(&mut self, calls: impl Iterator<Item = &'a str>) {
        self.epochs = self.epochs.saturating_add(1);
        for name in calls {
            let (times, last) = self.by_name.entry(name.to_owned()).or_default();
            *times = times.saturating_add(1);
            *last = self.epochs;
        }
        while self.by_name.len() > KNOWN_MAX {
            let oldest = self.by_name.iter().min_by_key(|(name, (_, last))| (*last, *name));
            let Some(oldest) = oldest.map(|(name, _)| name.clone()) else { break };
            self.by_name.remove(&oldest);
        }
    }

    /// The tools that were used last, at most so many as are looked at.
    pub fn newest(&self) -> Vec<UsedTool> {
        let mut used: Vec<UsedTool> = self
            .by_name
            .iter()
            .map(|(name, (times, last))| UsedTool {
                name: name.clone(),
                times: *times,
                epochs_ago: self.epochs.saturating_sub(*last).saturating_add(1),
            })
            .collect();
        used.sort_by(|a, b| a.epochs_ago.cmp(&b.epochs_ago).then_with(|| a.name.cmp(&b.name)));
        used.truncate(USED_TOOLS_MAX);
        used
    }

    pub(super) fn parts(&self) -> Value {
        json!([self.epochs, self.by_name])
    }
}

#[cfg(test)]
mod tests {
    use super::{KNOWN_MAX, ToolUse};

    #[test]
    fn what_was_used_last_is_known_and_the_rest_forgotten() {
        let mut used = ToolUse::default();
        used.add(["a", "b", "a"].into_iter());
        used.add(["b"].into_iter());
        let newest: Vec<_> =
            used.newest().into_iter().map(|it| (it.name, it.times, it.epochs_ago)).collect();
        assert_eq!(newest, [("b".to_owned(), 2, 1), ("a".to_owned(), 2, 2)]);
        for number in 0..2 * KNOWN_MAX {
            used.add([format!("t{number}").as_str()].into_iter());
        }
        assert_eq!(used.by_name.len(), KNOWN_MAX);
        assert!(!used.by_name.contains_key("a"));
    }
}
