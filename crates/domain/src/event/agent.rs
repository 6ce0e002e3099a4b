//! `agent.*`: agents as the house knows them.

use serde::{Deserialize, Serialize};

use super::event_group;

event_group! {
    /// Agents as the house knows them.
    AgentEvent {
        /// An agent's profile is in force; written when it is new or has changed.
        Registered(AgentRegistered) = "agent.registered" v 1,
        /// An agent takes stimuli up no more until it is resumed; they queue.
        Paused(AgentPaused) = "agent.paused" v 1,
        /// An agent goes on.
        Resumed(AgentResumed) = "agent.resumed" v 1,
    }
}

/// An agent's profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRegistered {
    /// Display name.
    pub name: String,
    /// What it is for.
    pub role: String,
    /// Its mind.
    pub mind: String,
    /// Whom it works with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partners: Vec<Partner>,
}

/// Somebody an agent works with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partner {
    /// The person's id.
    pub id: String,
    /// Display name.
    pub name: String,
    /// What they are to the agent.
    #[serde(default)]
    pub role: String,
}

/// An agent stops taking stimuli up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentPaused {
    /// Why, for programs.
    pub reason: PauseReason,
    /// Why, for people.
    pub message: String,
}

/// Why an agent pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    /// Its daily budget is spent.
    Budget,
    /// The provider says that the account has no money.
    MoneyOut,
    /// A person said so.
    Person,
}

/// An agent goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentResumed {
    /// Why, for people.
    pub message: String,
}
