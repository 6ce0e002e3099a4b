//! What may be asked of sleep, and why it may be refused.

use abide_domain::{AgentId, EntityName, event::SleepTrigger};

/// A person or a trigger wants an agent to sleep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SleepRequest {
    /// What caused it.
    pub trigger: SleepTrigger,
    /// The key of a scheduled run, which begins only once.
    pub run_key: Option<String>,
    /// Whether to distil by rules even where there is a model.
    pub by_rules: bool,
    /// The entity that asked for it.
    pub by: EntityName,
}

/// Why an agent does not go to sleep.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SleepError {
    /// No such agent.
    #[error("there is no agent `{0}`")]
    NoAgent(AgentId),
    /// No epoch waits to be distilled.
    #[error("nothing has happened since the last sleep")]
    Nothing,
    /// It sleeps, or will as soon as its epoch has ended.
    #[error("the agent is already asleep or about to sleep")]
    Asleep,
    /// This scheduled run was begun before.
    #[error("the scheduled run {0} was already started")]
    Begun(String),
    /// The ledger cannot be written, or the keeper stops.
    #[error("the ledger cannot be written at present, or the keeper is stopping; try again later")]
    Unavailable,
}
