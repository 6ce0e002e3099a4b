//! Whose messages agents answer, for the words of notices: of the epoch that is open or waits first, and of the one that
//! ended last without an answer. Notices go to services outside, so no message's words are taken here, and none are kept.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use abide_domain::{AgentId, EpochId, event::StimulusCause};
use abide_engine::state::{AgentState, EpochRecord, State};
use abide_watchdog::{TaskOrigin, UnansweredTask};

/// Where the tasks came from that agents were last seen to be at.
#[derive(Debug, Default)]
pub(super) struct TaskOrigins {
    seen: Mutex<BTreeMap<AgentId, Vec<(EpochId, TaskOrigin)>>>,
}

impl TaskOrigins {
    /// Where the task comes from that an agent is at, or that waits for it.
    pub(super) fn see(
        &self,
        state: &State,
        id: &AgentId,
        agent: &AgentState,
    ) -> Option<TaskOrigin> {
        let epoch = agent.open.or_else(|| agent.queue.front().copied())?;
        let origin = origin_of(state.running.get(&epoch)?);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = seen.entry(id.clone()).or_default();
        if seen.last().is_none_or(|(known, _)| *known != epoch) {
            seen.push((epoch, origin.clone()));
            // The one before it has perhaps just ended.
            let more = seen.len().saturating_sub(2);
            seen.drain(..more);
        }
        Some(origin)
    }

    /// The task of an agent that ended last of those without an answer; others may have been answered since.
    pub(super) fn unanswered(&self, id: &AgentId, agent: &AgentState) -> Option<UnansweredTask> {
        let ended = agent.last_aborted.as_ref()?;
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let known = seen.get(id).into_iter().flatten().find(|(epoch, _)| *epoch == ended.epoch);
        Some(UnansweredTask {
            epoch: ended.epoch,
            at: ended.at,
            task: known.map(|(_, origin)| origin.clone()),
            why: reason(&ended.result).to_owned(),
        })
    }
}

fn origin_of(record: &EpochRecord) -> TaskOrigin {
    let stimulus = &record.stimulus;
    let is_wake =
        matches!(stimulus.cause, Some(StimulusCause::Wake { .. } | StimulusCause::Schedule { .. }));
    let sender = (!is_wake).then(|| stimulus.sender.clone());
    TaskOrigin { sender, channel: stimulus.channel, at: record.accepted_at }
}

/// The words of `aborted (code): words`.
fn reason(result: &str) -> &str {
    let words = result.strip_prefix("aborted (").and_then(|rest| rest.split_once("): "));
    words.map_or(result, |(_, words)| words).trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn the_reason_of_an_abort_is_told_without_its_code() {
        assert_eq!(
            reason("aborted (deadline): it took longer than 900 s"),
            "it took longer than 900 s"
        );
        assert_eq!(reason("something else"), "something else");
    }
}
