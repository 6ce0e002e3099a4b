//! Live requests that a trial or a watch is given too, after they were answered. Bounded: what nobody takes in time is dropped, which
//! costs a pair and nothing else.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use abide_domain::{AgentId, EpochId};
use tokio::sync::Notify;

/// Requests that are kept for one agent.
const KEPT_MAX: usize = 32;

/// Epochs whose question was asked live and is to be asked again.
#[derive(Debug, Default)]
pub(super) struct LiveRequests {
    waiting: Mutex<HashMap<AgentId, VecDeque<EpochId>>>,
    /// Told with each request.
    pub(super) arrived: Notify,
}

impl LiveRequests {
    pub(super) fn add(&self, agent: &AgentId, epoch: EpochId) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let of_agent = waiting.entry(agent.clone()).or_default();
        if of_agent.len() < KEPT_MAX && !of_agent.contains(&epoch) {
            of_agent.push_back(epoch);
        }
        drop(waiting);
        self.arrived.notify_one();
    }

    /// Gives those that wait whose epoch has ended, and forgets those that never will.
    pub(super) fn take(
        &self,
        agent: &AgentId,
        has_ended: impl Fn(EpochId) -> Option<bool>,
    ) -> Vec<EpochId> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(of_agent) = waiting.get_mut(agent) else { return Vec::new() };
        let mut ended = Vec::new();
        of_agent.retain(|epoch| match has_ended(*epoch) {
            Some(true) => {
                ended.push(*epoch);
                false
            }
            Some(false) => true,
            None => false,
        });
        ended
    }

    /// Whether one waits whose epoch has ended.
    pub(super) fn has_ended(&self, agent: &AgentId, has_ended: impl Fn(EpochId) -> bool) -> bool {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.get(agent).is_some_and(|waiting| waiting.iter().any(|epoch| has_ended(*epoch)))
    }

    pub(super) fn forget(&self, agent: &AgentId) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(agent);
    }
}
