//! `sleep.*`: days distilled into identity, knowledge and dreams.
//!
//! What a step found stands in `memory.*` lines of the same batch as its `sleep.step_finished`: both are durable or
//! neither, so that a sleep that was cut goes on behind its last step and nothing counts twice (decision 22).

use serde::{Deserialize, Serialize};

use super::{UsageRecord, event_group};
use crate::{EpochId, SleepId};

event_group! {
    /// What was distilled while an agent slept.
    SleepEvent {
        /// A sleep began.
        Started(SleepStarted) = "sleep.started" v 1,
        /// A step of it is done; its findings stand in the same batch.
        StepFinished(StepFinished) = "sleep.step_finished" v 1,
        /// It ended. If it did not fail, the short-term window ends in the same batch.
        Ended(SleepEnded) = "sleep.ended" v 1,
    }
}

/// A sleep and the epochs that it is about. No epoch is named by two sleeps, unless the first one failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SleepStarted {
    /// Its id.
    pub sleep_id: SleepId,
    /// Why now.
    pub trigger: SleepTrigger,
    /// The committed epochs that are distilled, oldest first.
    pub epochs: Vec<EpochId>,
    /// Epochs that ended at or before this sequence are asleep with it.
    pub through_seq: u64,
    /// What distils: `rules`, or `model <name>`.
    pub distiller: String,
    /// Of a scheduled sleep: the agent and the time that it was due, so that it runs once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_key: Option<String>,
}

/// Why an agent sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SleepTrigger {
    /// A person said so.
    Person,
    /// The time has come (`sleep.at`).
    Schedule,
    /// It had been idle and much had happened (`sleep.idle`, `sleep.epochs_min`).
    Idle,
    /// Its short-term memory no longer fits the prompt (decision 17).
    Pressure,
}

/// What is distilled, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SleepStep {
    /// What is known.
    Facts,
    /// Who the agent is.
    Identity,
    /// What it means.
    Dream,
}

/// How a step or a sleep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// It ran and found something.
    Ok,
    /// It ran and found nothing, which is valid.
    Empty,
    /// No usable answer came; nothing is forgotten for it.
    Failed,
    /// It cannot run without a model, and there is none.
    Skipped,
}

/// A step is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepFinished {
    /// Of which sleep.
    pub sleep_id: SleepId,
    /// Which step.
    pub step: SleepStep,
    /// Which part of it, from 1: long days are distilled in parts.
    pub part: u32,
    /// How many parts there are.
    pub parts: u32,
    /// How it ended.
    pub status: StepStatus,
    /// What came out, in words; of a failure, why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// What it cost, where something was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageRecord>,
}

/// How a whole sleep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SleepStatus {
    /// Something was found.
    Ok,
    /// All steps ran and found nothing.
    Empty,
    /// A step failed: nothing was reset, and its epochs will be read again.
    Failed,
}

/// A sleep is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SleepEnded {
    /// The sleep.
    pub sleep_id: SleepId,
    /// How the sleep ended.
    pub status: SleepStatus,
    /// What changed, in words; of a failure, why.
    pub message: String,
}
