//! The state of an agent's sleep: which epochs wait to be distilled, which run is under way, how the last ones
//! ended. Pure: no clock, no I/O.
//!
//! Every committed epoch waits here until a run that did not fail has named it, and then never again: this is the cursor
//! of BC-27. A run that failed gives its epochs back, in their order, and its finished steps count for the next run over
//! the same epochs, so that nothing is distilled or paid for twice.

use std::collections::VecDeque;

use abide_domain::{
    EpochId, Timestamp,
    event::{
        EpochEvent, Event, SleepEnded, SleepEvent, SleepStarted, SleepStatus, SleepStep,
        StepFinished, StepStatus,
    },
};
use abide_ledger::Entry;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Epochs of which one run distils at most; the rest wait for the next.
pub const SLEEP_EPOCHS_MAX: usize = 500;
/// A run of more epochs than this that found nothing at all is shown to a person: that is usually a defect.
pub const SLEEP_EMPTY_EPOCHS_MAX: usize = 10;

/// The sleep of one agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SleepState {
    waiting: VecDeque<WaitingEpoch>,
    running: Option<SleepRun>,
    /// What a failed run had done, for the next run over the same epochs.
    carried: Option<CarriedSteps>,
    last: Option<SleepReport>,
    failures: u32,
    newest_key: Option<String>,
    consolidated: DistilledEpochs,
}

/// A committed epoch that no sleep has distilled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingEpoch {
    /// Its id.
    pub epoch: EpochId,
    /// The sequence of its commit.
    pub seq: u64,
    /// When it was committed.
    pub at: Timestamp,
}

/// A run that is under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SleepRun {
    /// The start of the run.
    pub started: SleepStarted,
    /// When it started.
    pub started_at: Timestamp,
    /// Where it begins in the ledger.
    pub seq: u64,
    /// What is done, in order.
    pub steps: Vec<StepFinished>,
    epochs: Vec<WaitingEpoch>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct CarriedSteps {
    epochs: Vec<EpochId>,
    steps: Vec<StepFinished>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SleepReport {
    /// The start of the run.
    pub started: SleepStarted,
    /// When it started.
    pub started_at: Timestamp,
    /// Its steps.
    pub steps: Vec<StepFinished>,
    /// The end of the run.
    pub ended: SleepEnded,
    /// When it ended.
    pub ended_at: Timestamp,
    /// Where its end stands in the ledger.
    pub seq: u64,
}

/// Which epochs were distilled: their number and a hash over them in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct DistilledEpochs {
    epochs: u64,
    hash: [u8; 32],
}

impl SleepState {
    /// Folds one durable event of the agent in.
    pub(super) fn apply(&mut self, entry: &Entry) {
        match &entry.event {
            Event::Epoch(EpochEvent::Committed(_)) => {
                let Some(epoch) = entry.epoch else { return };
                self.waiting.push_back(WaitingEpoch { epoch, seq: entry.seq, at: entry.timestamp });
            }
            Event::Sleep(SleepEvent::Started(started)) => self.begin(started, entry),
            Event::Sleep(SleepEvent::StepFinished(finished)) => {
                if let Some(run) = self.running.as_mut().filter(|run| run.is(finished)) {
                    run.steps.push(finished.clone());
                }
            }
            Event::Sleep(SleepEvent::Ended(ended)) => self.end(ended, entry),
            _ => {}
        }
    }

    fn begin(&mut self, started: &SleepStarted, entry: &Entry) {
        let is_named = |waiting: &WaitingEpoch| started.epochs.contains(&waiting.epoch);
        let (named, left) = self.waiting.drain(..).partition::<Vec<_>, _>(is_named);
        self.waiting = left.into();
        if let Some(key) = &started.run_key {
            self.newest_key = Some(key.clone()).max(self.newest_key.take());
        }
        let carried = self.carried.take().filter(|carried| carried.epochs == started.epochs);
        self.running = Some(SleepRun {
            started: started.clone(),
            started_at: entry.timestamp,
            seq: entry.seq,
            steps: carried.map_or_else(Vec::new, |carried| carried.steps),
            epochs: named,
        });
    }

    fn end(&mut self, ended: &SleepEnded, entry: &Entry) {
        let Some(run) = self.running.take_if(|run| run.started.sleep_id == ended.sleep_id) else {
            return;
        };
        if ended.status == SleepStatus::Failed {
            self.failures = self.failures.saturating_add(1);
            for waiting in run.epochs.iter().rev() {
                self.waiting.push_front(*waiting);
            }
            let is_usable = |step: &&StepFinished| step.status != StepStatus::Failed;
            let steps = run.steps.iter().filter(is_usable).cloned().collect();
            self.carried = Some(CarriedSteps { epochs: run.started.epochs.clone(), steps });
        } else {
            self.failures = 0;
            self.consolidated.add(&run.started.epochs);
        }
        self.last = Some(SleepReport {
            started: run.started,
            started_at: run.started_at,
            steps: run.steps,
            ended: ended.clone(),
            ended_at: entry.timestamp,
            seq: entry.seq,
        });
    }

    /// The epochs that wait, oldest first.
    pub fn waiting(&self) -> &VecDeque<WaitingEpoch> {
        &self.waiting
    }

    /// The epochs that the next run is about: those of a failed one again, so that what it did counts; else the oldest.
    pub fn due(&self) -> Vec<WaitingEpoch> {
        let count = self.carried.as_ref().map_or(SLEEP_EPOCHS_MAX, |carried| carried.epochs.len());
        self.waiting.iter().take(count).copied().collect()
    }

    /// The run that is under way: while there is one the agent is asleep.
    pub fn running(&self) -> Option<&SleepRun> {
        self.running.as_ref()
    }

    /// How the last run ended.
    pub fn last(&self) -> Option<&SleepReport> {
        self.last.as_ref()
    }

    /// How many runs in a row have failed.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// The newest key of a scheduled run.
    pub fn newest_key(&self) -> Option<&str> {
        self.newest_key.as_deref()
    }

    /// How many epochs were distilled in all.
    pub fn consolidated(&self) -> u64 {
        self.consolidated.epochs
    }

    /// The last run, if it found nothing in so many epochs that it should be shown to a person.
    pub fn suspicious(&self) -> Option<&SleepReport> {
        self.last.as_ref().filter(|report| {
            let is_all_empty = report.steps.iter().all(|step| step.status == StepStatus::Empty);
            let is_long = report.started.epochs.len() > SLEEP_EMPTY_EPOCHS_MAX;
            report.ended.status == SleepStatus::Empty && is_all_empty && is_long
        })
    }

    /// Its part of `state_digest`.
    pub(super) fn parts(&self) -> Value {
        json!({
            "waiting": self.waiting.len(),
            "running": self.running.as_ref().map(|run| json!([run.started.sleep_id, run.steps.len()])),
            "failures": self.failures,
            "key": self.newest_key,
            "consolidated": self.consolidated.epochs,
            "sha256": hex::encode(self.consolidated.hash),
        })
    }
}

impl SleepRun {
    fn is(&self, finished: &StepFinished) -> bool {
        self.started.sleep_id == finished.sleep_id
    }

    /// Whether a part of a step is done.
    pub fn has_done(&self, step: SleepStep, part: u32, parts: u32) -> bool {
        self.steps.iter().any(|done| (done.step, done.part, done.parts) == (step, part, parts))
    }
}

impl DistilledEpochs {
    fn add(&mut self, epochs: &[EpochId]) {
        for epoch in epochs {
            let mut hash = Sha256::new();
            hash.update(self.hash);
            hash.update(epoch.uuid().as_bytes());
            self.hash = hash.finalize().into();
        }
        self.epochs += epochs.len() as u64;
    }
}
