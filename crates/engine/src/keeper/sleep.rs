//! Sleep as a person asks for it.

use abide_domain::{
    AgentId, EntityName,
    event::{SleepStarted, SleepTrigger},
};

use super::Keeper;
use crate::sleep::{SleepError, SleepRequest};

impl Keeper {
    /// Lets an agent sleep, after its running epoch. Returns once the beginning is durable; the end comes by itself.
    /// `by_rules` leaves its model alone.
    pub async fn sleep(
        &self,
        agent: &AgentId,
        by_rules: bool,
        by: EntityName,
    ) -> Result<SleepStarted, SleepError> {
        let request = SleepRequest { trigger: SleepTrigger::Person, run_key: None, by_rules, by };
        tokio::select! {
            started = self.inner.sleep.sleep(agent.clone(), request) => started,
            () = self.inner.intake.stopping().cancelled() => Err(SleepError::Unavailable),
        }
    }
}
