//! `[[attention]]`: who is told of what waits for a person beside stalls, and when.

use abide_watchdog::AttentionRule;

use super::ALL_AGENTS;
use crate::config::{
    shape::{DAY, FLAG, TEXTS, section, time},
    time_span::TimeSpan,
};

section! {
    /// `[[attention]]`.
    pub(crate) struct AttentionSection {
        /// What it is for: approval, epoch_failed, budget, sleep, identity, fact, evolution, memory, process, disk, unreachable, question, clock; empty: all of them. The first table that fits counts.
        pub(crate) kinds: Vec<String> = [], TEXTS;
        /// The agents that it is for; empty, or "*": all, and the keeper.
        pub(crate) agents: Vec<String> = [], TEXTS;
        /// How long it waits before somebody is told; unset: an approval or a question 60s, a host that is out of reach 5m, all else nothing.
        after: Option<TimeSpan> = unset, time(0, 30 * DAY);
        /// The services that tell, by their names in [[notify]]; empty: all.
        pub(crate) notify: Vec<String> = [], TEXTS;
        /// Whether anybody is told.
        pub(crate) enabled: bool = true, FLAG;
    }
}

impl AttentionSection {
    /// As the watchdog takes it.
    pub(crate) fn rule(&self) -> AttentionRule {
        let is_for_all =
            self.agents.is_empty() || self.agents.iter().any(|name| name == ALL_AGENTS);
        let agents = || self.agents.iter().filter_map(|name| name.to_lowercase().parse().ok());
        AttentionRule {
            kinds: (!self.kinds.is_empty()).then(|| self.kinds.iter().cloned().collect()),
            agents: (!is_for_all).then(|| agents().collect()),
            after: self.after.map(|after| after.0),
            to: self.notify.clone(),
            is_off: !self.enabled,
        }
    }
}
