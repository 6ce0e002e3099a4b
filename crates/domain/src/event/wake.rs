//! `wake.*`: what an agent wants to be woken by, and the stimuli that come by the clock. The line's entity is the agent.
//!
//! A wake is set by an epoch and counts when that commits, or by a person at once. Its stimulus and `wake.fired` stand in
//! one batch, so that it fires once whatever happens; the same holds for `wake.ran` (decision 50).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::event_group;
use crate::{Timestamp, WakeId};

event_group! {
    /// What agents are woken by.
    WakeEvent {
        /// An agent is to be woken once, when a condition holds.
        Set(WakeSet) = "wake.set" v 1,
        /// A wake is taken back.
        Cancelled(WakeCancelled) = "wake.cancelled" v 1,
        /// A wake is over: its stimulus stands in the same batch, under the same epoch.
        Fired(WakeFired) = "wake.fired" v 1,
        /// A schedule of the configuration is in force, as it stands here, from here on.
        Scheduled(WakeScheduled) = "wake.scheduled" v 1,
        /// A schedule of the configuration is there no more.
        Unscheduled(WakeUnscheduled) = "wake.unscheduled" v 1,
        /// A scheduled stimulus was given: it stands in the same batch, under the same epoch.
        Ran(WakeRan) = "wake.ran" v 1,
    }
}

/// A wake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WakeSet {
    /// The wake.
    pub wake_id: WakeId,
    /// The condition, as the grammar prints it: `?(…)`.
    pub condition: String,
    /// What the agent tells itself.
    pub prompt: Arc<str>,
}

/// A wake that is not wanted any more, or can never fire any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WakeCancelled {
    /// The wake.
    pub wake_id: WakeId,
    /// Why it can never fire, where that is why; none where its owner took it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A wake that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WakeFired {
    /// The wake.
    pub wake_id: WakeId,
    /// Why its condition could not be told, where that is why its owner was woken; none where it held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WakeScheduled {
    /// Its name, unique for the agent.
    pub name: String,
    /// When: five fields of cron; empty where it comes once.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cron: String,
    /// The zone whose clock the fields of cron are read on; UTC where none stands here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// When, where it comes once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// What the agent is told.
    pub content: Arc<str>,
    /// The conversation that hears what the agent answers; its own where none stands here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// A schedule that is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WakeUnscheduled {
    /// Its name.
    pub name: String,
}

/// A run of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WakeRan {
    /// The schedule.
    pub name: String,
    /// When it was due. With agent and name, its run key: no run is made twice.
    pub due: Timestamp,
}
