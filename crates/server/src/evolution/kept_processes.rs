//! The processes of a trial between two live requests. To start them for each would cost the requests that come meanwhile; what is not
//! needed for a minute ends.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use abide_domain::EvolutionId;

use super::memory_trial::TrialProcesses;

/// How long they wait for the next request.
const KEPT_FOR: Duration = Duration::from_mins(1);

/// Processes that wait, by change, with the time since which they do.
#[derive(Default)]
pub(super) struct KeptProcesses(Mutex<HashMap<EvolutionId, (Duration, Box<TrialProcesses>)>>);

impl KeptProcesses {
    pub(super) fn take(&self, id: EvolutionId) -> Option<Box<TrialProcesses>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.remove(&id).map(|(_, processes)| processes)
    }

    /// Keeps them from now on, a monotonic time; what has ended is not kept.
    pub(super) fn put(&self, id: EvolutionId, processes: Box<TrialProcesses>, now: Duration) {
        if !processes.have_ended() {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.insert(id, (now, processes));
        }
    }

    /// Ends those that have waited for long.
    pub(super) fn end_idle(&self, now: Duration) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, (since, _)| now.saturating_sub(*since) < KEPT_FOR);
    }
}
