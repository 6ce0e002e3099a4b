//! The waker: gives agents the stimuli that they asked to be woken by, and those that come by the clock (decision 50).
//!
//! It looks when something was heard that somebody waits for, and when a time that somebody waits for has come; it never
//! polls. A stimulus and the event that ends its wake, or marks its run, are one batch: so each comes once, whatever
//! happens in between. What is due stands in the house, which is the same after every restart.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use abide_domain::{
    AgentId, EntityName, SpaceName, Timestamp, WakeId,
    envelope::Channel,
    event::{
        Event, StimulusAccepted, StimulusCause, WakeCancelled, WakeFired, WakeRan, WakeScheduled,
        WakeUnscheduled,
    },
    text::shortened,
};
use abide_ledger::Draft;
use tokio_util::sync::CancellationToken;

use crate::{
    console,
    keeper::{AcceptError, Keeper},
    schedule::Schedule,
    services::Services,
    state::{EvaluationContext, State, Wake, WakeStatus},
};

/// Who sends what comes from the house.
const SENDER: &str = "system";
/// The longest time without a look: what lies further away is looked at again.
const LOOK_AGAIN: Duration = Duration::from_hours(1);
/// Between two tries where an agent's queue is full or the disk takes nothing.
const TRY_AGAIN: Duration = Duration::from_secs(5);
/// Of a condition, so many characters are repeated to the woken agent.
const CONDITION_CHARS_MAX: usize = 500;

/// A schedule of the configuration.
#[derive(Clone, Debug)]
pub struct ScheduleOf {
    /// Whose.
    pub agent: AgentId,
    /// Its name, when as text, and what the agent is told.
    pub scheduled: WakeScheduled,
    /// When, read.
    pub cron: Schedule,
}

/// The service: one task for all agents.
#[derive(Debug)]
pub struct Waker {
    keeper: Keeper,
    schedules: Vec<ScheduleOf>,
    /// By owner, the revision that was judged last, and when the time may change the verdict.
    judged: BTreeMap<EntityName, Judged>,
    /// When a schedule is to be looked at.
    runs_at: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug)]
struct Judged {
    revision: u64,
    again_at: Option<Timestamp>,
}

/// A wake that is over.
#[derive(Debug)]
struct Due {
    owner: EntityName,
    wake_id: WakeId,
    end: End,
}

/// How a wake ends.
#[derive(Debug)]
enum End {
    /// Its owner is told.
    Fires {
        /// Why its condition cannot be told, where that is why.
        error: Option<String>,
        /// What its owner is told.
        content: String,
        /// How many steps from agent to agent led to it.
        hop: u32,
    },
    /// It can never fire.
    Lapses,
}

/// Why a wake is taken away that can never fire.
const LAPSED: &str = "what it did not want has come: it can never hold";

impl Waker {
    pub(crate) fn new(keeper: Keeper, schedules: Vec<ScheduleOf>) -> Self {
        Self { keeper, schedules, judged: BTreeMap::new(), runs_at: None }
    }

    /// Works until told to stop.
    pub async fn run(mut self, stop: CancellationToken) {
        let keeper = self.keeper.clone();
        let services = keeper.services();
        services.view.applied(services.ledger.head().seq).await;
        let mut applications = services.view.applications();
        let mut arrivals = services.agents.arrivals();
        loop {
            applications.borrow_and_update();
            arrivals.borrow_and_update();
            let until_next = self.look().await;
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                changed = applications.changed() => if changed.is_err() { return },
                changed = arrivals.changed() => if changed.is_err() { return },
                () = tokio::time::sleep(until_next) => {}
            }
        }
    }

    /// Fires all that is due, and says how long the next look may wait if nothing happens.
    async fn look(&mut self) -> Duration {
        let until_wake = self.look_at_wakes().await;
        let until_run = self.look_at_schedules().await;
        until_wake.min(until_run).min(LOOK_AGAIN)
    }

    /// Events change nothing about a schedule: it is looked at when its time has come.
    async fn look_at_schedules(&mut self) -> Duration {
        let now = self.keeper.services().now();
        if let Some(left) = self.runs_at.map(|at| at.since(now)).filter(|left| !left.is_zero()) {
            return left;
        }
        let mut until_next = LOOK_AGAIN;
        for schedule in &self.schedules {
            until_next = until_next.min(run_due(&self.keeper, schedule).await);
        }
        self.runs_at = Some(now.plus(until_next));
        until_next
    }

    async fn look_at_wakes(&mut self) -> Duration {
        let services = Arc::clone(self.keeper.services());
        let stirred = self.stirred();
        for (owner, revision) in stirred {
            // Asked before the verdicts: what comes due between the two is looked at again.
            let mut again_at = time_due(&services.view.read(), &owner, services.now());
            for due in due(&self.keeper, &owner).await {
                if !end(&self.keeper, due).await {
                    let try_at = services.now().plus(TRY_AGAIN);
                    again_at = Some(again_at.map_or(try_at, |at| at.min(try_at)));
                }
            }
            self.judged.insert(owner, Judged { revision, again_at });
        }
        let now = services.now();
        let next = self.judged.values().filter_map(|judged| judged.again_at).min();
        next.map_or(LOOK_AGAIN, |at| at.since(now))
    }

    /// The owners about whose wakes something may be new: they heard something, or a time has come.
    fn stirred(&mut self) -> Vec<(EntityName, u64)> {
        let services = self.keeper.services();
        let now = services.now();
        let house = services.view.read();
        let owners: Vec<_> = house.society.wakes.owners().collect();
        let waiting: BTreeSet<_> = owners.iter().map(|(owner, _)| *owner).collect();
        self.judged.retain(|owner, _| waiting.contains(owner));
        let is_new = |(owner, revision): &(&EntityName, u64)| {
            // The wakes of an agent that is not there stay for the day on which it is there again.
            citizen(services, owner).is_some()
                && self.judged.get(*owner).is_none_or(|judged| {
                    judged.revision != *revision || judged.again_at.is_some_and(|at| at <= now)
                })
        };
        let stirred = owners.into_iter().filter(is_new);
        stirred.map(|(owner, revision)| (owner.clone(), revision)).collect()
    }
}

/// The agent that an owner of wakes is, if it lives here.
fn citizen(services: &Services, owner: &EntityName) -> Option<AgentId> {
    owner.bare().parse().ok().filter(|agent| services.has_agent(agent))
}

/// When the time alone may change a verdict about one of an owner's wakes.
fn time_due(house: &State, owner: &EntityName, now: Timestamp) -> Option<Timestamp> {
    let (tick, interval) = house.tick_at(now);
    let wakes = house.society.wakes.of(owner).iter();
    wakes.filter_map(|wake| wake.time_left(tick, now, interval)).min().map(|left| now.plus(left))
}

/// The wakes of an owner that are over.
async fn due(keeper: &Keeper, owner: &EntityName) -> Vec<Due> {
    let mut due = Vec::new();
    let mut asking = Vec::new();
    {
        let (house, now) = (keeper.house(), keeper.services().now());
        for wake in house.society.wakes.of(owner) {
            match judge(&house, owner, (wake, None), now) {
                WakeStatus::Waits => {}
                WakeStatus::Asks => asking.push((wake.id, wake.questions())),
                verdict => due.extend(Due::of(owner, wake, verdict, now)),
            }
        }
    }
    for (wake_id, questions) in asking {
        let mut answers = Vec::with_capacity(questions.len());
        for question in questions {
            let answer = console::ask(keeper.services(), owner, &question).await;
            answers.push(answer.map_err(|error| error.to_string()));
        }
        let (house, now) = (keeper.house(), keeper.services().now());
        let wake = house.society.wakes.of(owner).iter().find(|wake| wake.id == wake_id);
        due.extend(wake.and_then(|wake| {
            let verdict = judge(&house, owner, (wake, Some(&answers)), now);
            Due::of(owner, wake, verdict, now)
        }));
    }
    due
}

fn judge(
    house: &State,
    owner: &EntityName,
    (wake, answers): (&Wake, Option<&[Result<String, String>]>),
    now: Timestamp,
) -> WakeStatus {
    let is_member = |space: &SpaceName| {
        house.society.spaces.get(space).is_some_and(|space| space.members.contains(owner))
    };
    let (tick, _) = house.tick_at(now);
    wake.judge(&EvaluationContext { tick, now, is_member: &is_member, answers })
}

impl Due {
    fn of(owner: &EntityName, wake: &Wake, verdict: WakeStatus, now: Timestamp) -> Option<Self> {
        let hop = wake.hop();
        let end = match verdict {
            WakeStatus::Waits | WakeStatus::Asks => return None,
            WakeStatus::Due => End::Fires { content: told(wake, now), error: None, hop },
            WakeStatus::Failed(error) => {
                End::Fires { content: failed(wake, &error, now), error: Some(error), hop }
            }
            WakeStatus::Hopeless => End::Lapses,
        };
        Some(Self { owner: owner.clone(), wake_id: wake.id, end })
    }
}

/// What a woken agent is told: its own words, and what happened since.
fn told(wake: &Wake, now: Timestamp) -> String {
    let (heard, count) = wake.heard();
    let heard: Vec<&str> = heard.collect();
    let age = wake.age(now);
    let condition = shortened(&wake.condition, CONDITION_CHARS_MAX);
    let since = match heard.len() {
        0 => "Nothing was said to you since.)".to_owned(),
        shown => {
            let what = if shown as u64 == count {
                String::new()
            } else {
                format!(", the last {shown} of {count}")
            };
            format!("What came since{what}:)\n{}", heard.join("\n"))
        }
    };
    format!("{}\n\n(You asked for this {age}: {condition} {since}", wake.prompt)
}

/// What an agent is told whose condition nobody can tell: an error is not a no.
fn failed(wake: &Wake, error: &str, now: Timestamp) -> String {
    let age = wake.age(now);
    let (condition, prompt) = (shortened(&wake.condition, CONDITION_CHARS_MAX), &wake.prompt);
    format!(
        "A wake that you set {age} is over, for its condition cannot be told: {error}\nIts condition: {condition}\nWhat you wanted to be told: {prompt}"
    )
}

/// Ends a wake: gives its agent the stimulus, or takes it away; false where that has to be tried again.
async fn end(keeper: &Keeper, due: Due) -> bool {
    let Due { owner, wake_id, end } = due;
    let Some(agent) = citizen(keeper.services(), &owner) else { return true };
    let is_waiting = keeper.house().society.wakes.of(&owner).iter().any(|wake| wake.id == wake_id);
    if !is_waiting {
        // It was taken back while its turn came.
        return true;
    }
    let End::Fires { error, content, hop } = end else {
        return lapse(keeper, owner, wake_id).await;
    };
    let cause = StimulusCause::Wake { wake_id, hop };
    let stimulus = stimulus(keeper, content.into(), "wake", cause);
    let fired = WakeFired { wake_id, error }.into();
    give(keeper, &agent, stimulus, fired).await
}

/// Takes a wake away that can never fire.
async fn lapse(keeper: &Keeper, owner: EntityName, wake_id: WakeId) -> bool {
    let event = WakeCancelled { wake_id, reason: Some(LAPSED.to_owned()) }.into();
    let draft = Draft { entity: owner, author: EntityName::keeper(), epoch: None, event };
    let services = keeper.services();
    match services.ledger.append(vec![draft]).await {
        Ok(appended) => {
            services.view.applied(appended.last_seq).await;
            true
        }
        Err(error) => {
            tracing::warn!(%error, "a wake that can never fire stays");
            false
        }
    }
}

/// Gives an agent its scheduled stimulus if a run is due that was not made, and says how long until the next one. Of the
/// runs that were missed, one is made.
async fn run_due(keeper: &Keeper, schedule: &ScheduleOf) -> Duration {
    let now = keeper.services().now();
    let (owner, name) = (schedule.agent.entity(), &schedule.scheduled.name);
    let last = {
        let house = keeper.house();
        let mut plans = house.society.wakes.plans();
        let plan = plans.find(|(agent, plan)| **agent == owner && plan.scheduled.name == *name);
        plan.map(|(_, plan)| plan.last_due.unwrap_or(plan.since).max(plan.since))
    };
    // It is written down at every start; where the disk did not take that, it is not in force yet.
    let Some(last) = last else { return TRY_AGAIN };
    if let Some(due) = schedule.cron.newest(now).filter(|due| *due > last) {
        let cause = StimulusCause::Schedule { name: name.clone() };
        let content = Arc::clone(&schedule.scheduled.content);
        let stimulus = stimulus(keeper, content, &format!("schedule:{name}"), cause);
        let ran: Event = WakeRan { name: name.clone(), due }.into();
        if !give(keeper, &schedule.agent, stimulus, ran).await {
            return TRY_AGAIN;
        }
    }
    schedule.cron.next(now).map_or(LOOK_AGAIN, |next| next.since(now))
}

async fn give(keeper: &Keeper, agent: &AgentId, stimulus: StimulusAccepted, why: Event) -> bool {
    match keeper.accept_own(agent, stimulus, why).await {
        Ok(()) => true,
        Err(AcceptError::Stopping) => false,
        Err(error) => {
            tracing::warn!(%agent, %error, "a stimulus of the house waits");
            false
        }
    }
}

fn stimulus(
    keeper: &Keeper,
    content: Arc<str>,
    session: &str,
    cause: StimulusCause,
) -> StimulusAccepted {
    StimulusAccepted {
        content,
        sender: SENDER.to_owned(),
        channel: Channel::System,
        sent_at: keeper.services().now(),
        session_id: session.to_owned(),
        interactive: false,
        idempotency: None,
        claimed_output: None,
        cause: Some(cause),
    }
}

/// What a start writes so that the schedules of the configuration are in force, and others no more.
pub(crate) fn reconcile(house: &State, schedules: &[ScheduleOf]) -> Vec<Draft> {
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
    let plans = || house.society.wakes.plans();
    let gone = plans().filter(|(owner, plan)| !is_configured(owner, &plan.scheduled.name));
    let gone = gone.map(|(owner, plan)| {
        let name = plan.scheduled.name.clone();
        draft(owner.clone(), WakeUnscheduled { name }.into())
    });
    let new = schedules.iter().filter(|one| {
        !plans()
            .any(|(owner, plan)| *owner == one.agent.entity() && plan.scheduled == one.scheduled)
    });
    let new = new.map(|one| draft(one.agent.entity(), one.scheduled.clone().into()));
    gone.chain(new).collect()
}
