//! What people set about tools while the keeper runs: the newest setting of each tool's name, for all agents and for single ones.
//!
//! A fold of the ledger. It says what was set, not what comes of it: that is for `abide_tools::ToolPolicy`, which no setting makes
//! forget what the configuration denies.

use std::collections::BTreeMap;

use abide_domain::{
    AgentId, EntityName, Timestamp,
    event::{Event, PolicySetting, ToolPolicyChanged, ToolPolicyEvent},
};
use abide_ledger::Entry;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A setting that is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSetting {
    /// What was set.
    pub policy: PolicySetting,
    /// The agent that it was set for; none: all that have none of their own.
    pub agent: Option<AgentId>,
    /// Who set it.
    pub by: EntityName,
    /// When.
    pub at: Timestamp,
}

/// The settings in force, by the names of tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSettings {
    for_all: BTreeMap<String, ToolSetting>,
    for_agents: BTreeMap<AgentId, BTreeMap<String, ToolSetting>>,
}

impl ToolSettings {
    pub(super) fn apply(&mut self, entry: &Entry) {
        let Event::ToolPolicy(ToolPolicyEvent::Changed(changed)) = &entry.event else { return };
        let ToolPolicyChanged { tool, agent, policy, .. } = changed;
        let settings = match agent {
            Some(agent) => self.for_agents.entry(agent.clone()).or_default(),
            None => &mut self.for_all,
        };
        match *policy {
            Some(policy) => {
                let (by, at) = (entry.author.clone(), entry.timestamp);
                let setting = ToolSetting { policy, agent: agent.clone(), by, at };
                settings.insert(tool.clone(), setting);
            }
            None => drop(settings.remove(tool)),
        }
        self.for_agents.retain(|_, settings| !settings.is_empty());
    }

    /// What is set for this agent alone, or for all where none is given.
    pub fn get(&self, agent: Option<&AgentId>, tool: &str) -> Option<&ToolSetting> {
        match agent {
            Some(agent) => self.for_agents.get(agent)?.get(tool),
            None => self.for_all.get(tool),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        let of_agents: usize = self.for_agents.values().map(BTreeMap::len).sum();
        of_agents + self.for_all.len()
    }

    /// What holds for an agent: what is set for it, then for who made it and so on, then for all. `line` is the agent with its
    /// makers, itself first.
    pub(super) fn of_line(&self, line: &[AgentId]) -> BTreeMap<&str, &ToolSetting> {
        let of_agents = line.iter().rev().filter_map(|agent| self.for_agents.get(agent));
        let settings = std::iter::once(&self.for_all).chain(of_agents).flatten();
        settings.map(|(tool, setting)| (tool.as_str(), setting)).collect()
    }

    pub(super) fn parts(&self) -> Value {
        let words = |settings: &BTreeMap<String, ToolSetting>| -> Value {
            settings.iter().map(|(tool, setting)| json!([tool, setting.policy])).collect()
        };
        let of_agents =
            self.for_agents.iter().map(|(agent, settings)| json!([agent, words(settings)]));
        json!([words(&self.for_all), of_agents.collect::<Value>()])
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::{
        AgentId, EntityName, Timestamp,
        event::{PolicySetting, ToolPolicyChanged},
    };
    use abide_ledger::Entry;

    use super::ToolSettings;

    #[test]
    fn the_nearest_setting_holds_and_one_that_is_taken_back_lets_the_next_show() {
        let [felix, kid]: [AgentId; 2] = ["felix", "kid"].map(|name| name.parse().unwrap());
        let mut settings = ToolSettings::default();
        let mut apply = |agent: Option<&AgentId>, policy| {
            let changed = ToolPolicyChanged {
                tool: "stdout".into(),
                agent: agent.cloned(),
                policy,
                before: None,
            };
            settings.apply(&Entry {
                seq: 1,
                tick: 1,
                timestamp: Timestamp::from_micros(1),
                entity: EntityName::keeper(),
                author: "@ann".parse().unwrap(),
                epoch: None,
                event: changed.into(),
            });
            let of = |line: &[AgentId]| {
                settings.of_line(line).get("stdout").map(|setting| setting.policy.as_str())
            };
            let made = [kid.clone(), felix.clone()];
            [of(std::slice::from_ref(&felix)), of(&made), of(&["ida".parse().unwrap()])]
        };
        let (allow, ask, deny) =
            (Some(PolicySetting::Allow), Some(PolicySetting::Ask), Some(PolicySetting::Deny));
        assert_eq!(apply(None, ask), [Some("ask"); 3]);
        assert_eq!(apply(Some(&felix), deny), [Some("deny"), Some("deny"), Some("ask")]);
        assert_eq!(apply(Some(&kid), allow), [Some("deny"), Some("allow"), Some("ask")]);
        assert_eq!(apply(Some(&felix), None), [Some("ask"), Some("allow"), Some("ask")]);
        assert_eq!(apply(None, None), [None, Some("allow"), None]);
        assert_eq!(apply(Some(&kid), None), [None; 3]);
        assert_eq!(settings, ToolSettings::default(), "nothing is left of what was taken back");
    }
}
