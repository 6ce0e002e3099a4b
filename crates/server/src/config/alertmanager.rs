//! `[alertmanager]`: who is woken by an alert that comes in.

use abide_domain::AgentId;
use serde::Deserialize;

use super::{Config, problem::Problem};

/// `[alertmanager]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct AlertmanagerSettings {
    wake: String,
}

impl AlertmanagerSettings {
    /// The agent that alerts are told to, if one is.
    pub(crate) fn wake(&self) -> Option<AgentId> {
        // Checked with the configuration: empty, or an agent's id.
        self.wake.parse().ok()
    }
}

/// Whether there is such an agent.
pub(super) fn check(config: &Config) -> Option<Problem> {
    let wake = &config.settings.alertmanager.wake;
    let agents = &config.settings.agents;
    let is_there = agents.iter().any(|agent| agent.id.as_str() == wake.to_lowercase());
    let problem = || {
        let names: Vec<_> = agents.iter().map(|agent| agent.id.as_str()).collect();
        let message = format!("alertmanager.wake is {wake:?}; one of {}", names.join(", "));
        Problem { place: config.place("alertmanager.wake"), message }
    };
    (!wake.is_empty() && !is_there).then(problem)
}
