//! What agents wait for: a fold of `wake.*` and of everything that the waiting ones hear.
//!
//! Each wake keeps what has come true of its condition since it was set: words about an entry once some entry fulfilled
//! them all, `from` and `response` once they were heard. So it is decided on events, the same after a restart as before,
//! and nothing has to be read again. What the time says is asked for when it is judged. It fires nothing itself: that is
//! the [`crate::waker`].

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use abide_domain::{
    EntityName, SpaceName, Timestamp, WakeId,
    event::{WakeRan, WakeScheduled, WakeSet},
    format_age,
    text::{indented, shortened},
};
use abide_grammar::{
    Command, Condition, EvalError, Expr, Field, FunctionCall, Literal, Operand, Truth, Watch, eval,
};

mod calls;
mod frame;

use crate::entry_scope::EntryScope;
use calls::{Nap, is_heard, nap};
use frame::{Frame, Future};

pub use calls::check_calls;

/// What a woken agent is told of what happened meanwhile: so many entries, the newest.
const HEARD_MAX: usize = 10;
/// Of each, so many characters.
const HEARD_CHARS_MAX: usize = 200;

/// All wakes and schedules.
#[derive(Debug, Default)]
pub struct Wakes {
    waiting: BTreeMap<EntityName, Waiting>,
    plans: BTreeMap<(EntityName, String), ScheduleSpec>,
}

/// The wakes of one agent.
#[derive(Debug, Default)]
struct Waiting {
    wakes: Vec<Wake>,
    /// Rises with everything that may change a verdict.
    revision: u64,
}

/// A schedule of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleSpec {
    /// When and what.
    pub scheduled: WakeScheduled,
    /// Since when it stands so: it is due from then on.
    pub since: Timestamp,
    /// The run that was made last.
    pub last_due: Option<Timestamp>,
}

/// One wake.
#[derive(Debug)]
pub struct Wake {
    /// Which.
    pub id: WakeId,
    /// What it waits for, in the words of the grammar.
    pub condition: String,
    /// What its agent tells itself.
    pub prompt: Arc<str>,
    /// When it was set.
    pub set_at: Timestamp,
    set_tick: u64,
    /// None where the condition cannot be read: `error` says why.
    watch: Option<Watched>,
    /// Why its condition cannot be told.
    error: Option<String>,
    /// What its agent heard since, the newest; and how much in all.
    heard: VecDeque<String>,
    heard_count: u64,
    /// The most steps from agent to agent that led to what it heard.
    hop: u32,
}

#[derive(Debug)]
struct Watched {
    condition: Condition,
    watch: Watch,
    /// By term, whether an entry fulfilled it.
    terms: Vec<bool>,
    /// By call, whether it was heard.
    calls: Vec<bool>,
}

/// Something that an agent hears: an entry of a log that it may read, words that were said to it, a reply.
#[derive(Clone, Copy, Debug)]
pub struct WakeInput<'a> {
    /// Its event's kind.
    pub kind: &'static str,
    /// In ticks.
    pub tick: u64,
    /// When.
    pub at: Timestamp,
    /// Whose words.
    pub from: &'a EntityName,
    /// The words.
    pub content: &'a str,
    /// Where they were said.
    pub space: Option<&'a SpaceName>,
    /// Whether they were said to the agent, by message or stimulus.
    pub is_said: bool,
    /// Whether they answer the agent.
    pub is_response: bool,
    /// How many steps from agent to agent led to them; 0 where a person said them.
    pub hop: u32,
}

impl<'a> WakeInput<'a> {
    /// What a condition sees of it.
    fn scope(&self) -> EntryScope<'a> {
        let Self { kind, tick, at, from, content, .. } = *self;
        EntryScope { tick, content, entity: from, at, kind }
    }
}

/// The present, as a condition is judged by it.
#[derive(Clone, Copy)]
pub struct EvaluationContext<'a> {
    /// In ticks.
    pub tick: u64,
    /// The time.
    pub now: Timestamp,
    /// Whether the wake's owner is in a space.
    pub is_member: &'a dyn Fn(&SpaceName) -> bool,
    /// What its questions gave, in the order of [`Wake::questions`]; none where they were not asked.
    pub answers: Option<&'a [Result<String, String>]>,
}

impl std::fmt::Debug for EvaluationContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Present").field("tick", &self.tick).finish_non_exhaustive()
    }
}

/// Where a wake stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WakeStatus {
    /// Not yet.
    Waits,
    /// Its condition holds.
    Due,
    /// Its condition cannot be told, which its owner has to know.
    Failed(String),
    /// Its questions decide.
    Asks,
    /// It can never hold any more: what it did not want has come.
    Hopeless,
}

impl Wakes {
    pub(super) fn set(&mut self, owner: &EntityName, set: &WakeSet, tick: u64, at: Timestamp) {
        let waiting = self.waiting.entry(owner.clone()).or_default();
        waiting.wakes.push(Wake::new(set, tick, at));
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
        let plan = ScheduleSpec { scheduled: scheduled.clone(), since, last_due: None };
        self.plans.insert((owner.clone(), scheduled.name.clone()), plan);
    }

    pub(super) fn unschedule(&mut self, owner: &EntityName, name: &str) {
        self.plans.remove(&(owner.clone(), name.to_owned()));
    }

    pub(super) fn ran(&mut self, owner: &EntityName, ran: &WakeRan) {
        if let Some(plan) = self.plans.get_mut(&(owner.clone(), ran.name.clone())) {
            plan.last_due = Some(ran.due);
        }
    }

    /// Tells the wakes of one agent what it hears.
    pub(super) fn hear(&mut self, owner: &EntityName, heard: WakeInput<'_>) {
        let Some(waiting) = self.waiting.get_mut(owner) else { return };
        waiting.revision += 1;
        for wake in &mut waiting.wakes {
            wake.hear(heard);
        }
    }

    /// Notes that what one agent may wait for has changed without a word: who is in a space.
    pub(super) fn stir(&mut self, owner: &EntityName) {
        if let Some(waiting) = self.waiting.get_mut(owner) {
            waiting.revision += 1;
        }
    }

    /// Whether anybody waits who could hear something.
    pub fn is_anybody_waiting(&self, owner: &EntityName) -> bool {
        self.waiting.get(owner).is_some_and(|waiting| !waiting.wakes.is_empty())
    }

    /// The wakes of one agent, the oldest first.
    pub fn of(&self, owner: &EntityName) -> &[Wake] {
        self.waiting.get(owner).map_or(&[], |waiting| &waiting.wakes)
    }

    /// Who waits for anything, with a number that rises with everything that may change a verdict.
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
    pub fn plans(&self) -> impl Iterator<Item = (&EntityName, &ScheduleSpec)> {
        self.plans.iter().map(|((owner, _), plan)| (owner, plan))
    }

    pub(super) fn parts(&self) -> serde_json::Value {
        let wakes: Vec<_> = self
            .all()
            .map(|(owner, wake)| {
                let latches = wake.watch.as_ref().map(|watch| (&watch.terms, &watch.calls));
                serde_json::json!([
                    owner,
                    wake.id,
                    wake.condition,
                    latches,
                    wake.heard_count,
                    wake.hop
                ])
            })
            .collect();
        let plans: Vec<_> = self
            .plans()
            .map(|(owner, plan)| serde_json::json!([owner, plan.scheduled, plan.last_due]))
            .collect();
        serde_json::json!([wakes, plans])
    }
}

/// Whether a field is one of an entry. `tick` is the world's clock where a wake is judged.
fn is_of_entry(field: Field) -> bool {
    field != Field::Tick
}

impl Wake {
    fn new(set: &WakeSet, set_tick: u64, set_at: Timestamp) -> Self {
        let read: Result<Condition, _> = set.condition.parse();
        let (watch, error) = match read {
            Ok(condition) => (Some(Watched::new(condition)), None),
            // A program with another grammar wrote it.
            Err(error) => (None, Some(format!("the condition cannot be read: {}", error.brief()))),
        };
        Self {
            id: set.wake_id,
            condition: set.condition.clone(),
            prompt: set.prompt.clone(),
            set_at,
            set_tick,
            watch,
            error,
            heard: VecDeque::new(),
            heard_count: 0,
            hop: 0,
        }
    }

    fn hear(&mut self, heard: WakeInput<'_>) {
        self.heard_count += 1;
        self.hop = self.hop.max(heard.hop);
        if self.heard.len() == HEARD_MAX {
            self.heard.pop_front();
        }
        self.heard.push_back(line(heard));
        let Some(watch) = &mut self.watch else { return };
        if let Err(error) = watch.hear(heard) {
            self.error.get_or_insert_with(|| error.to_string());
        }
    }

    /// How many steps from agent to agent led to what it heard; 0 where it heard persons only, or nothing.
    pub fn hop(&self) -> u32 {
        self.hop
    }

    /// How long ago it was set, in words.
    pub fn age(&self, now: Timestamp) -> String {
        format_age(now, self.set_at).unwrap_or_else(|| "just now".to_owned())
    }

    /// What its agent heard since it was set, the newest last, each on a line, and how much that was in all.
    pub fn heard(&self) -> (impl Iterator<Item = &str>, u64) {
        (self.heard.iter().map(String::as_str), self.heard_count)
    }

    /// The questions in its condition, in order.
    pub fn questions(&self) -> Vec<Vec<Command>> {
        let queries = self.watch.as_ref().map(|watch| watch.condition.queries());
        queries.unwrap_or_default().into_iter().map(<[Command]>::to_vec).collect()
    }

    /// Where it stands at present.
    pub fn judge(&self, present: &EvaluationContext<'_>) -> WakeStatus {
        if let Some(error) = &self.error {
            return WakeStatus::Failed(error.clone());
        }
        let Some(watch) = &self.watch else { return WakeStatus::Waits };
        let frame = Frame { wake: self, watch, present };
        match watch.watch.eval(&frame) {
            Ok(Truth::True) => WakeStatus::Due,
            Ok(Truth::Unknown)
                if !watch.is_hopeless()
                    && present.answers.is_none()
                    && !self.questions().is_empty() =>
            {
                WakeStatus::Asks
            }
            Ok(Truth::False | Truth::Unknown) if watch.is_hopeless() => WakeStatus::Hopeless,
            Ok(Truth::False | Truth::Unknown) => WakeStatus::Waits,
            Err(error) => WakeStatus::Failed(error.to_string()),
        }
    }

    /// How long until the time alone may change the verdict.
    pub fn time_left(
        &self,
        tick: u64,
        now: Timestamp,
        tick_interval: Duration,
    ) -> Option<Duration> {
        let watch = self.watch.as_ref()?;
        let until_tick = |due: u64| {
            let ticks = due.checked_sub(tick).filter(|left| *left > 0)?;
            Some(tick_interval.saturating_mul(u32::try_from(ticks).unwrap_or(u32::MAX)))
        };
        let calls = watch.condition.calls();
        let naps = calls.into_iter().filter_map(|call| match nap(call)? {
            Nap::Ticks(ticks) => until_tick(self.set_tick.saturating_add(ticks)),
            Nap::Time(time) => {
                Some(self.set_at.plus(time).since(now)).filter(|left| !left.is_zero())
            }
        });
        let turns = tick_turns(&watch.condition).into_iter().filter_map(until_tick);
        naps.chain(turns).min()
    }
}

/// The ticks at which a comparison with the world's clock may turn, wherever in the condition it stands.
fn tick_turns(condition: &Condition) -> Vec<u64> {
    let mut turns = Vec::new();
    let mut turn = |literal: &Literal| {
        let tick = match literal {
            Literal::Integer(tick) => u64::try_from(*tick).ok(),
            Literal::Decimal(tick) => Duration::try_from_secs_f64(*tick).ok().map(|t| t.as_secs()),
            _ => None,
        };
        turns.extend(tick.into_iter().flat_map(|tick| [tick, tick.saturating_add(1)]));
    };
    condition.visit(&mut |expr| match expr {
        Expr::Compare {
            left: Operand::Field(Field::Tick),
            right: Operand::Literal(literal),
            ..
        }
        | Expr::Compare {
            left: Operand::Literal(literal),
            right: Operand::Field(Field::Tick),
            ..
        } => {
            turn(literal);
        }
        Expr::Between { field: Field::Tick, low, high } => {
            turn(low);
            turn(high);
        }
        _ => {}
    });
    turns
}

impl Watched {
    fn new(condition: Condition) -> Self {
        let watch = Watch::new(&condition, &is_of_entry);
        let (terms, calls) =
            (vec![false; watch.terms().len()], vec![false; condition.calls().len()]);
        Self { condition, watch, terms, calls }
    }

    fn hear(&mut self, heard: WakeInput<'_>) -> Result<(), EvalError> {
        let mut first_error = Ok(());
        for (fulfilled, term) in self.terms.iter_mut().zip(self.watch.terms()) {
            match eval(term, &heard.scope()) {
                Ok(truth) => *fulfilled |= truth == Truth::True,
                Err(error) => first_error = first_error.and(Err(error)),
            }
        }
        for (came, call) in self.calls.iter_mut().zip(self.condition.calls()) {
            *came |= is_heard(call, heard);
        }
        first_error
    }

    /// Whether it is false whatever else may come.
    fn is_hopeless(&self) -> bool {
        // An error is told when the wake is judged.
        self.watch.eval(&Future(self)).is_ok_and(|truth| truth == Truth::False)
    }

    fn came(&self, call: &FunctionCall) -> bool {
        let calls = self.condition.calls();
        let place = calls.iter().position(|other| other.span == call.span);
        place.and_then(|place| self.calls.get(place)).copied().unwrap_or(false)
    }
}

fn line(heard: WakeInput<'_>) -> String {
    let place = heard.space.filter(|space| space.pair().is_none());
    let place = place.map(|space| format!(" in {space}")).unwrap_or_default();
    let words = indented(&shortened(heard.content, HEARD_CHARS_MAX));
    format!("[tick {}] {}{place}: {words}", heard.tick, heard.from)
}
