//! What agents' processes showed every few seconds: their silence and their steps, for the small pictures beside them.
//!
//! Held in memory alone: heartbeats are life, not history, and no events. It goes on while nobody looks.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use abide_domain::{AgentId, RunId, Timestamp};
use abide_supervisor::ProcessStatus;

/// Between two looks.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Looks that are kept of each process: five minutes.
const LOOKS_KEPT: usize = 60;

/// The newest looks at all processes.
#[derive(Debug, Default)]
pub(super) struct ProcessHistory {
    by_agent: Mutex<BTreeMap<AgentId, Looks>>,
}

/// The newest looks at one process, the oldest first.
#[derive(Debug, Default)]
struct Looks {
    kept: VecDeque<ProcessLook>,
    /// The run and the progress that the newest look showed.
    last: Option<(Option<RunId>, u64)>,
}

/// What a process showed at one look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessLook {
    /// How long ago it had been heard from; none where it never was.
    pub(crate) silent: Option<Duration>,
    /// Steps of its progress since the look before; a new run counts from its beginning.
    pub(crate) steps: u64,
}

impl ProcessHistory {
    /// Notes what a process shows now.
    pub(super) fn note(&self, agent: &AgentId, status: &ProcessStatus, now: Timestamp) {
        let mut by_agent = self.by_agent.lock().unwrap_or_else(PoisonError::into_inner);
        by_agent.entry(agent.clone()).or_default().note(status, now);
    }

    /// The newest looks at a process, the oldest first.
    pub(super) fn of(&self, agent: &AgentId) -> Vec<ProcessLook> {
        let by_agent = self.by_agent.lock().unwrap_or_else(PoisonError::into_inner);
        by_agent.get(agent).map(|looks| looks.kept.iter().copied().collect()).unwrap_or_default()
    }
}

impl Looks {
    fn note(&mut self, status: &ProcessStatus, now: Timestamp) {
        let progress = status.progress.unwrap_or_default();
        let before = self.last.replace((status.run, progress));
        let steps = match before {
            // What was done before the first look is no step since it.
            None => 0,
            Some((run, before)) if run == status.run => progress.saturating_sub(before),
            Some(_) => progress,
        };
        if self.kept.len() == LOOKS_KEPT {
            self.kept.pop_front();
        }
        let silent = status.last_heartbeat_at.map(|heard| now.since(heard));
        self.kept.push_back(ProcessLook { silent, steps });
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::Timestamp;
    use abide_supervisor::ProcessStatus;

    use super::{LOOKS_KEPT, ProcessHistory, ProcessLook};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_micros(second * 1_000_000)
    }

    #[test]
    fn looks_show_silence_and_steps_and_are_bounded() {
        let (history, felix) = (ProcessHistory::default(), "felix".parse().unwrap());
        let status = |run: u8, progress, heard: Option<i64>| ProcessStatus {
            run: Some(format!("019a0000-0000-7000-8000-00000000000{run}").parse().unwrap()),
            progress,
            last_heartbeat_at: heard.map(at),
            ..ProcessStatus::default()
        };
        assert_eq!(history.of(&felix), []);
        history.note(&felix, &status(1, None, None), at(0));
        history.note(&felix, &status(1, Some(5), Some(4)), at(5));
        history.note(&felix, &status(1, Some(9), Some(4)), at(10));
        history.note(&felix, &status(2, Some(2), Some(14)), at(15));
        let look = |silent: Option<u64>, steps| {
            let silent = silent.map(Duration::from_secs);
            ProcessLook { silent, steps }
        };
        let shown = [look(None, 0), look(Some(1), 5), look(Some(6), 4), look(Some(1), 2)];
        assert_eq!(history.of(&felix), shown);
        for second in 0..200 {
            history.note(&felix, &status(2, Some(2), Some(14)), at(20 + second));
        }
        assert_eq!(history.of(&felix).len(), LOOKS_KEPT);
        assert_eq!(history.of(&felix).last(), Some(&look(Some(205), 0)));
    }
}
