//! `agent.*`: agents, their pauses and the runs of their processes.

use serde::{Deserialize, Serialize};

use super::event_group;
use crate::AgentId;

mod process;

pub use process::{
    AgentCheckpointed, EvidenceReported, ExitReason, FaultSource, ProcessExited, ProcessFaulted,
    ProcessMeasured, ProcessReady, ProcessResponsive, ProcessSandbox, ProcessStarted,
    ProcessUnresponsive, RestartsFrequent, StartCause, StateBegun, StateTroubled,
};

event_group! {
    /// Agents and their processes.
    AgentEvent {
        /// An agent's profile is in force; written when it is new or has changed.
        Registered(AgentRegistered) = "agent.registered" v 1,
        /// An agent brought another into being; in force when the epoch that did commits.
        Spawned(AgentSpawned) = "agent.spawned" v 1,
        /// An agent takes stimuli up no more until it is resumed; they queue.
        Paused(AgentPaused) = "agent.paused" v 1,
        /// An agent goes on.
        Resumed(AgentResumed) = "agent.resumed" v 1,
        /// A run of an agent's process began.
        Started(ProcessStarted) = "agent.started" v 1,
        /// An agent's process has its state back and may be asked.
        Ready(ProcessReady) = "agent.ready" v 1,
        /// A run of an agent's process ended, with everything that it had started.
        Exited(ProcessExited) = "agent.exited" v 1,
        /// An agent's process was silent for a while and was pinged.
        Unresponsive(ProcessUnresponsive) = "agent.unresponsive" v 1,
        /// A silent process is heard again.
        Responsive(ProcessResponsive) = "agent.responsive" v 1,
        /// An agent's process ends again and again; it is still started again, and a person should look.
        RestartsFrequent(RestartsFrequent) = "agent.restarts_frequent" v 1,
        /// An agent's private state holds its first entry.
        StateBegun(StateBegun) = "agent.state_begun" v 1,
        /// A checkpoint of an agent's private state is durable and verified.
        Checkpointed(AgentCheckpointed) = "agent.checkpointed" v 1,
        /// An agent's private state was not found as it was left.
        StateTroubled(StateTroubled) = "agent.state_troubled" v 1,
        /// An agent's process said that something failed, or broke the protocol.
        Faulted(ProcessFaulted) = "agent.faulted" v 1,
        /// What an agent's process measured of itself, now and then.
        Measured(ProcessMeasured) = "agent.measured" v 1,
        /// What an agent's work produced outside of turns and tools: evidence.
        EvidenceReported(EvidenceReported) = "agent.evidence_reported" v 1,
    }
}

/// A new agent. Its maker is the line's entity; it thinks with the same mind and may use the same tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSpawned {
    /// Who is new.
    pub agent: AgentId,
    /// What it is for.
    pub role: String,
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
