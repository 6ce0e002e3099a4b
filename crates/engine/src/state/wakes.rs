//! What agents wait for: a fold of `wake.*` and of everything that the waiting agents learn of.
//!
//! Each wake keeps what has come true of its condition since it was set: words about an entry once some entry fulfilled
//! them all, `from` and `response` once such words came. So it is decided on events, the same after a restart as before,
//! and nothing has to be read again. What depends on the time is evaluated when the wake is judged. Nothing is fired here:
//! the waker does that.

use std::collections::BTreeMap;

use abide_domain::{
    EntityName, Timestamp, WakeId,
    event::{WakeRan, WakeScheduled, WakeSet},
};
use serde::{Deserialize, Serialize};

mod calls;
mod frame;
mod input;
mod progress;
mod wake;

pub use calls::check_calls;
pub use frame::{CurrentTime, EvaluationContext};
pub use input::WakeInput;
pub(super) use wake::WakeOrigin;
pub use wake::{Wake, WakeStatus};

use crate::work_budget::WorkBudget;

/// All wakes and schedules.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wakes {
    waiting: BTreeMap<EntityName, OwnerWakes>,
    schedules: BTreeMap<(EntityName, String), ScheduleState>,
}

/// The wakes of one agent.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct OwnerWakes {
    wakes: Vec<Wake>,
    /// Rises with everything that may change the status of a wake.
    revision: u64,
}

/// A schedule of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleState {
    /// The cron expression, and what the agent is sent.
    pub scheduled: WakeScheduled,
    /// Since when it is in force: it is due from then on.
    pub since: Timestamp,
    /// The run that was made last.
    pub last_due: Option<Timestamp>,
}

impl Wakes {
    pub(super) fn set(&mut self, owner: &EntityName, set: &WakeSet, origin: WakeOrigin) {
        let waiting = self.waiting.entry(owner.clone()).or_default();
        waiting.wakes.push(Wake::new(set, origin));
        waiting.revision += 1;
    }

    /// Takes a wake away: it fired, or it was taken back.
    pub(super) fn remove(&mut self, owner: &EntityName, id: WakeId) {
        if let Some(waiting) = self.waiting.get_mut(owner) {
            waiting.wakes.retain(|wake| wake.id != id);
        }
    }

    pub(super) fn schedule(
        &mut self,
        owner: &EntityName,
        scheduled: &WakeScheduled,
        since: Timestamp,
    ) {
        let schedule = ScheduleState { scheduled: scheduled.clone(), since, last_due: None };
        self.schedules.insert((owner.clone(), scheduled.name.clone()), schedule);
    }

    pub(super) fn unschedule(&mut self, owner: &EntityName, name: &str) {
        self.schedules.remove(&(owner.clone(), name.to_owned()));
    }

    pub(super) fn ran(&mut self, owner: &EntityName, ran: &WakeRan) {
        if let Some(schedule) = self.schedules.get_mut(&(owner.clone(), ran.name.clone())) {
            schedule.last_due = Some(ran.due);
        }
    }

    /// Notes an input for all wakes of one agent.
    pub(super) fn observe(&mut self, owner: &EntityName, input: WakeInput<'_>) {
        let Some(waiting) = self.waiting.get_mut(owner) else { return };
        waiting.revision += 1;
        let budget = WorkBudget::of_input();
        for wake in &mut waiting.wakes {
            wake.observe(input, &budget);
        }
    }

    /// Notes that a wake may be judged otherwise though no input came: the members of a space have changed.
    pub(super) fn note_change(&mut self, owner: &EntityName) {
        if let Some(waiting) = self.waiting.get_mut(owner) {
            waiting.revision += 1;
        }
    }

    /// Whether an entity has any wake.
    pub fn has_any(&self, owner: &EntityName) -> bool {
        self.waiting.get(owner).is_some_and(|waiting| !waiting.wakes.is_empty())
    }

    /// The wakes of one agent, the oldest first.
    pub fn of(&self, owner: &EntityName) -> &[Wake] {
        self.waiting.get(owner).map_or(&[], |waiting| &waiting.wakes)
    }

    /// Who waits for anything, with a number that rises with everything that may change the status of a wake.
    pub fn owners(&self) -> impl Iterator<Item = (&EntityName, u64)> {
        let waiting = self.waiting.iter().filter(|(_, waiting)| !waiting.wakes.is_empty());
        waiting.map(|(owner, waiting)| (owner, waiting.revision))
    }

    /// All wakes with their owners.
    fn all(&self) -> impl Iterator<Item = (&EntityName, &Wake)> {
        self.waiting
            .iter()
            .flat_map(|(owner, waiting)| waiting.wakes.iter().map(move |wake| (owner, wake)))
    }

    /// All schedules with their agents.
    pub fn schedules(&self) -> impl Iterator<Item = (&EntityName, &ScheduleState)> {
        self.schedules.iter().map(|((owner, _), schedule)| (owner, schedule))
    }

    pub(super) fn parts(&self) -> serde_json::Value {
        let wakes: Vec<_> = self.all().map(|(owner, wake)| (owner, wake.parts())).collect();
        let schedules: Vec<_> = self
            .schedules()
            .map(|(owner, schedule)| (owner, &schedule.scheduled, schedule.last_due))
            .collect();
        serde_json::json!([wakes, schedules])
    }
}
