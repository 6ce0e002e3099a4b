//! The rule of `[alertmanager]`.

use crate::config::{Config, problem::Problem};

/// Whether the agent that alerts are given to exists.
pub(super) fn check(config: &Config) -> Option<Problem> {
    let wake = &config.settings.alertmanager.wake;
    let agents = &config.settings.agents;
    let is_there = agents.iter().any(|agent| agent.id.as_str() == wake.to_lowercase());
    (!wake.is_empty() && !is_there).then(|| {
        let ids: Vec<_> = agents.iter().map(|agent| agent.id.as_str()).collect();
        config.problem("alertmanager.wake", &format!("is {wake:?}; one of {}", ids.join(", ")))
    })
}
