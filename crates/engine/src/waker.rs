//! The waker: gives agents the stimuli that they asked to be woken by, and those of their schedules (decision 50).
//!
//! It checks when an input came that a wake waits for, and when a time that one waits for has come; it never polls. A stimulus
//! and the event that ends its wake, or marks its run, are one batch: so each comes once, whatever happens in between. What
//! is due follows from the state, which is the same after every restart.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use abide_domain::{
    AgentId, EntityName, Timestamp, WakeId,
    envelope::Channel,
    event::{
        Event, StimulusAccepted, StimulusCause, WakeCancelled, WakeFired, WakeRan, WakeScheduled,
        WakeUnscheduled,
    },
};
use abide_ledger::{CLOCK_STEP_MAX, Draft};
use tokio_util::sync::CancellationToken;

mod due;

use crate::{
    entity_quotas::QuotaKind,
    intake::{AcceptError, StimulusIntake},
    schedule::Schedule,
    services::Services,
    state::{CurrentTime, State},
};
use due::{DueWake, WakeEnd, due_wakes};

/// The sender of wakes and schedules.
const SENDER: &str = "system";
/// The conversation of wakes that were set in none that is elsewhere.
const WAKE_SESSION: &str = "wake";
/// The longest time between two checks.
const CHECK_AGAIN: Duration = Duration::from_hours(1);
/// The longest time between two looks at the wall clock, which timers do not follow.
const CLOCK_LOOK: Duration = Duration::from_secs(30);
/// Between two tries where an agent's queue is full or the ledger cannot be written.
const TRY_AGAIN: Duration = Duration::from_secs(5);

/// A schedule of the configuration.
#[derive(Clone, Debug)]
pub struct AgentSchedule {
    /// The agent that it wakes.
    pub agent: AgentId,
    /// Its name, when as text, and what the agent is sent.
    pub scheduled: WakeScheduled,
    /// When it is due.
    pub when: Schedule,
}

/// One task for all agents.
#[derive(Debug)]
pub struct Waker {
    intake: Arc<StimulusIntake>,
    schedules: Vec<AgentSchedule>,
    /// By owner, the revision that was checked last, and when the time alone may change a status.
    checked: BTreeMap<EntityName, LastCheck>,
    /// When the schedules are to be checked next.
    runs_at: Option<Timestamp>,
    /// By schedule, since when it is due where its last run lies in the future: the wall clock was ahead then.
    bases: BTreeMap<usize, Option<Timestamp>>,
    /// The wall clock at the last check.
    looked_at: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug)]
struct LastCheck {
    revision: u64,
    again_at: Option<Timestamp>,
}

/// Why a wake that can never fire is cancelled.
const IMPOSSIBLE: &str = "its condition can never hold any more: what it excludes has happened";

impl Waker {
    pub(crate) fn new(intake: Arc<StimulusIntake>, schedules: Vec<AgentSchedule>) -> Self {
        Self {
            intake,
            schedules,
            checked: BTreeMap::new(),
            runs_at: None,
            bases: BTreeMap::new(),
            looked_at: None,
        }
    }

    /// Works until it is told to stop.
    pub async fn run(mut self, stop: CancellationToken) {
        let services = Arc::clone(self.intake.services());
        services.view.applied(services.ledger.head().seq).await;
        let mut applications = services.view.applications();
        let mut arrivals = services.agents.arrivals();
        loop {
            applications.borrow_and_update();
            arrivals.borrow_and_update();
            let until_next = self.fire_due().await;
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                changed = applications.changed() => if changed.is_err() { return },
                changed = arrivals.changed() => if changed.is_err() { return },
                () = wait_until(&services, services.now().plus(until_next)) => {}
            }
        }
    }

    /// Fires all that is due, and gives how long the next check may wait if nothing happens.
    async fn fire_due(&mut self) -> Duration {
        let now = self.intake.services().now();
        // What was found out by a clock that has been set back since says nothing.
        if self.looked_at.replace(now).is_some_and(|before| now < before) {
            self.checked.clear();
            self.runs_at = None;
        }
        let until_wake = self.fire_wakes().await;
        let until_run = self.run_schedules().await;
        until_wake.min(until_run).min(CHECK_AGAIN)
    }

    /// Events change nothing about a schedule: it is checked when its time has come.
    async fn run_schedules(&mut self) -> Duration {
        let now = self.intake.services().now();
        if let Some(left) = self.runs_at.map(|at| at.since(now)).filter(|left| !left.is_zero()) {
            return left;
        }
        let mut until_next = CHECK_AGAIN;
        for (place, schedule) in self.schedules.iter().enumerate() {
            let base = self.bases.entry(place).or_default();
            until_next = until_next.min(run_due(&self.intake, schedule, base).await);
        }
        self.runs_at = Some(now.plus(until_next));
        until_next
    }

    async fn fire_wakes(&mut self) -> Duration {
        let services = Arc::clone(self.intake.services());
        let changed = self.changed_owners();
        for (owner, revision) in changed {
            // Computed before the wakes are judged: what comes due between the two is checked again.
            let mut again_at = time_due(&services.view.read(), &owner, services.both_now());
            for due in due_wakes(&services, &owner).await {
                if let Err(wait) = end(&self.intake, due).await {
                    let try_at = services.now().plus(wait);
                    again_at = Some(again_at.map_or(try_at, |at| at.min(try_at)));
                }
            }
            self.checked.insert(owner, LastCheck { revision, again_at });
        }
        let now = services.now();
        let next = self.checked.values().filter_map(|checked| checked.again_at).min();
        next.map_or(CHECK_AGAIN, |at| at.since(now))
    }

    /// The owners about whose wakes something may be new: an input came, or a time.
    fn changed_owners(&mut self) -> Vec<(EntityName, u64)> {
        let services = self.intake.services();
        let now = services.now();
        let state = services.view.read();
        let owners: Vec<_> = state.entities.wakes.owners().collect();
        let waiting: BTreeSet<_> = owners.iter().map(|(owner, _)| *owner).collect();
        self.checked.retain(|owner, _| waiting.contains(owner));
        let is_new = |(owner, revision): &(&EntityName, u64)| {
            // The wakes of an agent that does not run stay until it runs again.
            agent_of(services, owner).is_some()
                && self.checked.get(*owner).is_none_or(|checked| {
                    checked.revision != *revision || checked.again_at.is_some_and(|at| at <= now)
                })
        };
        let changed = owners.into_iter().filter(is_new);
        changed.map(|(owner, revision)| (owner.clone(), revision)).collect()
    }
}

/// Waits until the wall clock shows a time, also where that is set or the machine was suspended meanwhile.
async fn wait_until(services: &Services, until: Timestamp) {
    let begun = services.now();
    loop {
        let now = services.now();
        // A clock that was set back: what is due by it is found out anew.
        let left = if now < begun { Duration::ZERO } else { until.since(now) };
        if left.is_zero() {
            return;
        }
        tokio::time::sleep(left.min(CLOCK_LOOK)).await;
    }
}

/// The agent that an owner of wakes is, if it runs.
fn agent_of(services: &Services, owner: &EntityName) -> Option<AgentId> {
    owner.bare().parse().ok().filter(|agent| services.has_agent(agent))
}

/// When the time alone may change the status of one of an owner's wakes.
fn time_due(state: &State, owner: &EntityName, now: CurrentTime) -> Option<Timestamp> {
    let (tick, interval) = state.tick_at(now.ledger);
    let wakes = state.entities.wakes.of(owner).iter();
    let left = wakes.filter_map(|wake| wake.time_left(tick, now, interval)).min();
    left.map(|left| now.wall.plus(left))
}

/// Ends a wake: gives its agent the stimulus, or cancels it; or says after which time it has to be tried again.
async fn end(intake: &StimulusIntake, due: DueWake) -> Result<(), Duration> {
    let DueWake { owner, wake_id, end } = due;
    let Some(agent) = agent_of(intake.services(), &owner) else { return Ok(()) };
    let is_waiting = intake
        .services()
        .view
        .read()
        .entities
        .wakes
        .of(&owner)
        .iter()
        .any(|wake| wake.id == wake_id);
    if !is_waiting {
        // It was cancelled meanwhile.
        return Ok(());
    }
    let or_again = |is_done: bool| if is_done { Ok(()) } else { Err(TRY_AGAIN) };
    let WakeEnd::Fires { error, content, hop, session } = end else {
        return or_again(cancel(intake, owner, wake_id).await);
    };
    // What is due beyond the quota waits; nothing is lost.
    let taken = intake.services().quotas.take(QuotaKind::Wake, &owner, 1);
    taken.map_err(|error| error.retry_after)?;
    let cause = StimulusCause::Wake { wake_id, hop };
    let session = session.as_deref().unwrap_or(WAKE_SESSION);
    let stimulus = stimulus(intake, content.into(), session, cause);
    let fired = WakeFired { wake_id, error }.into();
    or_again(give(intake, &agent, stimulus, fired).await)
}

/// Cancels a wake that can never fire.
async fn cancel(intake: &StimulusIntake, owner: EntityName, wake_id: WakeId) -> bool {
    let event = WakeCancelled { wake_id, reason: Some(IMPOSSIBLE.to_owned()) }.into();
    let draft = Draft { entity: owner, author: EntityName::keeper(), epoch: None, event };
    let services = intake.services();
    match services.ledger.append(vec![draft]).await {
        Ok(appended) => {
            services.view.applied(appended.last_seq).await;
            true
        }
        Err(error) => {
            tracing::warn!(%wake_id, event = "wake_not_cancelled", %error,
                "a wake that can never fire could not be cancelled; it is tried again");
            false
        }
    }
}

/// Gives an agent its scheduled stimulus if a run is due that was not made, and says how long until the next one. Of the
/// runs that were missed, one is made.
async fn run_due(
    intake: &StimulusIntake,
    schedule: &AgentSchedule,
    base: &mut Option<Timestamp>,
) -> Duration {
    let now = intake.services().now();
    let (owner, name) = (schedule.agent.entity(), &schedule.scheduled.name);
    let last = {
        let state = intake.services().view.read();
        let mut schedules = state.entities.wakes.schedules();
        let found = schedules.find(|(agent, one)| **agent == owner && one.scheduled.name == *name);
        found.map(|(_, one)| one.last_due.unwrap_or(one.since).max(one.since))
    };
    // It is written at every start; where that was not possible, it is not in force yet.
    let Some(last) = last else { return TRY_AGAIN };
    let last = believable(last, now, base);
    if let Some(due) = schedule.when.newest(now).filter(|due| *due > last) {
        let cause = StimulusCause::Schedule { name: name.clone() };
        let content = Arc::clone(&schedule.scheduled.content);
        let session = schedule.scheduled.session.clone();
        let session = session.unwrap_or_else(|| format!("schedule:{name}"));
        let stimulus = stimulus(intake, content, &session, cause);
        let ran: Event = WakeRan { name: name.clone(), due }.into();
        if !give(intake, &schedule.agent, stimulus, ran).await {
            return TRY_AGAIN;
        }
    }
    schedule.when.next(now).map_or(CHECK_AGAIN, |next| next.since(now))
}

/// Since when a schedule is due. A run or a beginning far in the future was made by a clock that was ahead: the schedule goes
/// on from where that was noticed. A small difference is a clock that was set back a little: nothing runs twice for it.
fn believable(last: Timestamp, now: Timestamp, base: &mut Option<Timestamp>) -> Timestamp {
    if last.since(now) < CLOCK_STEP_MAX {
        *base = None;
        return last;
    }
    *base.get_or_insert(now)
}

async fn give(
    intake: &StimulusIntake,
    agent: &AgentId,
    stimulus: StimulusAccepted,
    why: Event,
) -> bool {
    match intake.accept_internal(agent, stimulus, why).await {
        Ok(()) => true,
        Err(AcceptError::Stopping) => false,
        Err(error) => {
            tracing::warn!(%agent, event = "stimulus_delayed", %error,
                "a wake or a schedule could not give its stimulus; it is tried again");
            false
        }
    }
}

fn stimulus(
    intake: &StimulusIntake,
    content: Arc<str>,
    session: &str,
    cause: StimulusCause,
) -> StimulusAccepted {
    StimulusAccepted {
        content,
        sender: SENDER.to_owned(),
        channel: Channel::System,
        sent_at: intake.services().now(),
        sender_zone: None,
        session_id: session.to_owned(),
        interactive: false,
        administrator: false,
        idempotency: None,
        claimed_output: None,
        cause: Some(cause),
    }
}

/// What a start writes so that the schedules of the configuration are in force, and others no more.
pub(crate) fn reconcile(state: &State, schedules: &[AgentSchedule]) -> Vec<Draft> {
    let keeper = EntityName::keeper();
    let draft = |entity: EntityName, event: Event| Draft {
        entity,
        author: keeper.clone(),
        epoch: None,
        event,
    };
    let is_configured = |owner: &EntityName, name: &str| {
        schedules.iter().any(|one| one.agent.entity() == *owner && one.scheduled.name == name)
    };
    let known = || state.entities.wakes.schedules();
    let gone = known().filter(|(owner, one)| !is_configured(owner, &one.scheduled.name));
    let gone = gone.map(|(owner, one)| {
        let name = one.scheduled.name.clone();
        draft(owner.clone(), WakeUnscheduled { name }.into())
    });
    let new = schedules.iter().filter(|one| {
        !known().any(|(owner, old)| *owner == one.agent.entity() && old.scheduled == one.scheduled)
    });
    let new = new.map(|one| draft(one.agent.entity(), one.scheduled.clone().into()));
    gone.chain(new).collect()
}
