//! A question to a model outside any turn: what the Dreamer or sleep asks.
//!
//! It offers no tools, no history and no identity, and nothing of it is ever shown to a person.

use std::{sync::Arc, time::Duration};

use abide_domain::{AgentId, EpochId, Timestamp, Zone, envelope::Channel, turn::TurnRequest};
use uuid::Uuid;

/// A question to a model outside any turn.
#[derive(Clone, Debug)]
pub(crate) struct SideQuestion {
    /// The agent it is asked for.
    pub(crate) agent: AgentId,
    /// Who asks: `dreamer` or `sleep`.
    pub(crate) asker: &'static str,
    /// The task, as the system text.
    pub(crate) system: Arc<str>,
    /// The material, as the message.
    pub(crate) message: Arc<str>,
    /// The present of the material.
    pub(crate) now: Timestamp,
    /// How long the model may think.
    pub(crate) deadline: Duration,
}

impl SideQuestion {
    /// The question in the form that models are asked in.
    pub(crate) fn into_request(self) -> TurnRequest {
        TurnRequest {
            agent: self.agent,
            // It belongs to no epoch.
            epoch: EpochId::from_uuid(Uuid::nil()),
            turn: 1,
            attempt: 1,
            repair: None,
            system: self.system,
            context: "".into(),
            time_zone: Zone::utc(),
            history: [].into(),
            message: self.message,
            sender: "keeper".to_owned(),
            channel: Channel::System,
            session_id: self.asker.to_owned(),
            sent_at: self.now,
            last_driver_output: None,
            tools: [].into(),
            steps: Vec::new(),
            deadline: self.deadline,
            deadline_streaming: self.deadline,
        }
    }
}
