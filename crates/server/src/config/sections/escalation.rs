//! `[[escalation]]`: who is notified about which agents, and when.

use std::time::Duration;

use abide_watchdog::{EscalationPolicy, EscalationStep};

use crate::config::{
    shape::{DAY, Node, TEXTS, section, time},
    time_span::TimeSpan,
};

/// Every agent.
pub(crate) const ALL_AGENTS: &str = "*";

section! {
    /// `[[escalation]]`.
    pub(crate) struct EscalationSection {
        /// The agents that it is for; empty, or "*": all. The first escalation that names an agent counts.
        pub(crate) agents: Vec<String> = [], TEXTS;
        /// Who is notified at once, and who is notified next.
        pub(crate) steps: Vec<StepSection> = required, Node::Tables(StepSection::KEYS);
    }
}

section! {
    /// `[[escalation.steps]]`.
    pub(crate) struct StepSection {
        /// Time since the escalation began; the first step is at once.
        after: Option<TimeSpan> = unset, time(0, 30 * DAY);
        /// The services that notify, by their names in [[notify]].
        pub(crate) notify: Vec<String> = required, TEXTS;
    }
}

impl EscalationSection {
    /// Whether it is for every agent.
    pub(crate) fn is_for_all(&self) -> bool {
        self.agents.is_empty() || self.agents.iter().any(|name| name == ALL_AGENTS)
    }

    /// As the watchdog takes it.
    pub(crate) fn policy(&self) -> EscalationPolicy {
        let named = || self.agents.iter().filter_map(|name| name.to_lowercase().parse().ok());
        let step = |step: &StepSection| EscalationStep {
            after: step.after.map_or(Duration::ZERO, |after| after.0),
            to: step.notify.clone(),
        };
        EscalationPolicy {
            agents: (!self.is_for_all()).then(|| named().collect()),
            steps: self.steps.iter().map(step).collect(),
        }
    }
}
