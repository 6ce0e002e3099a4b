//! What people set about tools: written here, in force once it is in the ledger.
//!
//! Nothing here widens what the configuration denies: such a setting is refused, so that nobody believes that it holds.

use std::sync::Arc;

use abide_domain::{
    AgentId, EntityName,
    event::{PolicySetting, ToolPolicyChanged},
    limits::TOOL_SETTINGS_MAX,
};
use abide_ledger::Draft;
use abide_tools::{ToolPolicy, UnknownToolError};

use super::{Keeper, OrderError};
use crate::agent_setup::AgentSetup;

/// A setting that a person wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolPolicyOrder {
    /// The tool.
    pub tool: String,
    /// The agent that it is for; none: all that have no setting of their own.
    pub agent: Option<AgentId>,
    /// What is to hold; none: what held without a setting.
    pub policy: Option<PolicySetting>,
}

/// What came of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolPolicySet {
    /// The setting that it took the place of.
    pub before: Option<PolicySetting>,
    /// The agents for which the tool does not run although it was set for all, in the order of the keeper's agents.
    pub still_denied: Vec<StillDenied>,
}

/// An agent whose own list of the configuration denies a tool whatever is set for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StillDenied {
    /// The agent.
    pub agent: AgentId,
    /// By which entry of which list.
    pub reason: String,
}

/// Says why something was not set. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum ToolPolicyOrderError {
    /// There is no such agent, or it could not be written.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// There is no such tool.
    #[error(transparent)]
    Unknown(#[from] UnknownToolError),
    /// The configuration denies the tool.
    #[error("{reason}, and no setting undoes that: take it out of there")]
    Denied {
        /// By which entry of which list.
        reason: String,
    },
    /// There are too many settings.
    #[error(
        "{TOOL_SETTINGS_MAX} settings are in force, and there can be no more: take one back, or use the lists of abide.toml"
    )]
    TooMany,
}

impl Keeper {
    /// Sets what agents may do with a tool, from the next call on.
    pub async fn set_tool_policy(
        &self,
        order: ToolPolicyOrder,
        by: EntityName,
    ) -> Result<ToolPolicySet, ToolPolicyOrderError> {
        let _turn = self.edit_turn().await?;
        let ToolPolicyOrder { tool, agent, policy } = order;
        let (before, count) = {
            let settings = &self.state().tool_settings;
            (settings.get(agent.as_ref(), &tool).map(|set| set.policy), settings.count())
        };
        // A setting for what is gone can be taken back.
        if before.is_none() || policy.is_some() {
            self.check_tool(&tool, agent.as_ref(), policy)?;
        }
        let still_denied = self.still_denied(&tool, agent.as_ref(), policy);
        if before == policy {
            return Ok(ToolPolicySet { before, still_denied });
        }
        if before.is_none() && count >= TOOL_SETTINGS_MAX {
            return Err(ToolPolicyOrderError::TooMany);
        }
        let (entity, event) =
            (EntityName::keeper(), ToolPolicyChanged { tool, agent, policy, before }.into());
        let draft = Draft { entity, author: by, epoch: None, event };
        let appended = self.services().ledger.append(vec![draft]).await;
        let appended = appended.map_err(OrderError::from)?;
        self.services().view.applied(appended.last_seq).await;
        Ok(ToolPolicySet { before, still_denied })
    }

    /// Those who have a tool and may not run it, although it is set for all that it runs.
    fn still_denied(
        &self,
        tool: &str,
        agent: Option<&AgentId>,
        policy: Option<PolicySetting>,
    ) -> Vec<StillDenied> {
        if agent.is_some() || matches!(policy, None | Some(PolicySetting::Deny)) {
            return Vec::new();
        }
        let denied = |agent: &Arc<AgentSetup>| {
            agent.tools.current().get(tool).ok()?;
            let reason = agent.policy.denied_by_list(tool)?;
            Some(StillDenied { agent: agent.id.clone(), reason })
        };
        self.agents().iter().filter_map(denied).collect()
    }

    /// Whether a tool exists for those whom a setting is for, and the configuration leaves anything to be set.
    fn check_tool(
        &self,
        tool: &str,
        agent: Option<&AgentId>,
        policy: Option<PolicySetting>,
    ) -> Result<(), ToolPolicyOrderError> {
        let agents = match agent {
            Some(agent) => vec![self.agent_or_error(agent)?],
            None => self.agents(),
        };
        let mut unknown = None;
        let mut denied = None;
        for agent in &agents {
            match agent.tools.current().get(tool) {
                Err(error) => unknown = unknown.or(Some(error)),
                Ok(_) => match agent.policy.denied_by_list(tool) {
                    Some(reason) => denied = denied.or(Some(reason)),
                    None => return Ok(()),
                },
            }
        }
        match (denied, unknown) {
            // To deny once more what is denied, or to take a setting back, is no error.
            (Some(_), _) if matches!(policy, None | Some(PolicySetting::Deny)) => Ok(()),
            (Some(reason), _) => Err(ToolPolicyOrderError::Denied { reason }),
            (None, Some(unknown)) => Err(unknown.into()),
            (None, None) => Ok(()),
        }
    }

    /// What an agent may do with its tools now: the configuration, and what people set.
    pub fn policy_of(&self, agent: &AgentSetup) -> ToolPolicy {
        self.services().policy_of(agent)
    }
}
