//! `tools.*`: what people set about tools while the keeper runs, over the lists of the configuration. The entity is the keeper; the
//! author is who set it. What the configuration denies is not undone by it: that is for whoever decides about a call.

use serde::{Deserialize, Serialize};

use super::event_group;
use crate::AgentId;

event_group! {
    /// What people set about tools.
    ToolPolicyEvent {
        /// A person set what agents may do with a tool, or took that back. In force from the next call on.
        Changed(ToolPolicyChanged) = "tools.policy_changed" v 1,
    }
}

/// What a person sets for a tool, in place of what the lists `allow` and `ask` say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicySetting {
    /// It runs.
    Allow,
    /// It runs when a person approves.
    Ask,
    /// It does not run.
    Deny,
}

/// A person's setting for one tool's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolPolicyChanged {
    /// The tool.
    pub tool: String,
    /// The agent that it is for; none: all that have no setting of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// What is set; none: from now on there is no setting.
    pub policy: Option<PolicySetting>,
    /// The setting that it takes the place of; none: there was none.
    pub before: Option<PolicySetting>,
}

impl PolicySetting {
    /// Its word: `allow`, `ask` or `deny`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}
