//! What agents were asked, for the words of notices: the message of the epoch that is open or waits first, and of the one that
//! ended last without an answer. A message is remembered here only until its agent's next one, and written down nowhere.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use abide_domain::{AgentId, EpochId, text::shortened};
use abide_engine::state::{AgentState, EpochEnd, State};
use abide_watchdog::UnansweredTask;

/// Longest piece of a message, in Unicode scalar values.
const MESSAGE_CHARS_MAX: usize = 300;

/// The messages that agents were last seen to be at.
#[derive(Debug, Default)]
pub(super) struct TaskMessages {
    seen: Mutex<BTreeMap<AgentId, Vec<(EpochId, String)>>>,
}

impl TaskMessages {
    /// The message that an agent answers, or that waits for it.
    pub(super) fn see(&self, state: &State, id: &AgentId, agent: &AgentState) -> Option<String> {
        let epoch = agent.open.or_else(|| agent.queue.front().copied())?;
        let record = state.running.get(&epoch)?;
        let message = shortened(&record.stimulus.content, MESSAGE_CHARS_MAX);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = seen.entry(id.clone()).or_default();
        if seen.last().is_none_or(|(known, _)| *known != epoch) {
            seen.push((epoch, message.clone()));
            // The one before it has perhaps just ended.
            let more = seen.len().saturating_sub(2);
            seen.drain(..more);
        }
        Some(message)
    }

    /// The task of an agent that ended last, where that was without an answer.
    pub(super) fn unanswered(&self, id: &AgentId, agent: &AgentState) -> Option<UnansweredTask> {
        let ended = agent.last_ended.as_ref().filter(|ended| ended.end == EpochEnd::Aborted)?;
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let known = seen.get(id).into_iter().flatten().find(|(epoch, _)| *epoch == ended.epoch);
        Some(UnansweredTask {
            epoch: ended.epoch,
            seq: ended.seq,
            task: known.map(|(_, message)| message.clone()),
            why: reason(&ended.result).to_owned(),
        })
    }
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
