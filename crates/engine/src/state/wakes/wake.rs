//! One wake: its condition, what came since it was set, and its status at a time.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use abide_domain::{Timestamp, WakeId, event::WakeSet, format_age, limits::WAKE_REST_MIN};
use abide_grammar::{Command, Condition, Expr, Field, Literal, Operand, Truth};
use serde::{Deserialize, Serialize};

use super::{
    calls::{SleepLength, sleep_length},
    frame::{CurrentTime, EvaluationContext, Frame, Future},
    input::WakeInput,
    progress::ConditionProgress,
};
use crate::work_budget::WorkBudget;

/// Inputs that a woken agent is shown, the newest.
const INPUTS_MAX: usize = 10;

/// When and by whom a wake was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WakeOrigin {
    /// The tick from which its condition counts.
    pub tick: u64,
    /// The time from which its condition counts.
    pub at: Timestamp,
    /// How many steps from agent to agent, or from wake to wake, led to it; 0 where a person set it.
    pub hop: u32,
    /// The conversation on Telegram in which it was set.
    pub session: Option<Arc<str>>,
}

/// One wake.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Wake {
    /// Its id.
    pub id: WakeId,
    /// What it waits for, in the words of the grammar.
    pub condition: String,
    /// What its agent wants to be told then.
    pub prompt: Arc<str>,
    /// When it was set.
    pub set_at: Timestamp,
    /// The conversation on Telegram in which it was set, and which hears what comes of it.
    pub session: Option<Arc<str>>,
    set_tick: u64,
    set_hop: u32,
    /// None where the condition cannot be parsed: `error` says why.
    progress: Option<ConditionProgress>,
    /// Why its condition cannot be evaluated.
    error: Option<String>,
    /// The newest inputs since it was set, and how many came in all.
    inputs: VecDeque<String>,
    input_count: u64,
    /// The most steps from agent to agent that led to an input.
    hop: u32,
}

/// The status of a wake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WakeStatus {
    /// Its condition does not hold yet.
    Waits,
    /// Its condition holds.
    Due,
    /// Its condition cannot be evaluated, which its owner has to know.
    Failed(String),
    /// Its questions have to be asked first.
    Asks,
    /// It can never hold any more: what it excludes has happened.
    Impossible,
}

impl Wake {
    pub(super) fn new(set: &WakeSet, origin: WakeOrigin) -> Self {
        let WakeOrigin { tick: set_tick, at: set_at, hop: set_hop, session } = origin;
        let read: Result<Condition, _> = set.condition.parse();
        let (progress, error) = match read {
            Ok(condition) => (Some(ConditionProgress::new(condition)), None),
            // A program with another grammar wrote it.
            Err(error) => {
                (None, Some(format!("the condition cannot be parsed: {}", error.brief())))
            }
        };
        Self {
            id: set.wake_id,
            condition: set.condition.clone(),
            prompt: set.prompt.clone(),
            set_at,
            session,
            set_tick,
            set_hop,
            progress,
            error,
            inputs: VecDeque::new(),
            input_count: 0,
            hop: 0,
        }
    }

    /// Notes an input of its owner; the budget is that of the input, for all wakes.
    pub(super) fn observe(&mut self, input: WakeInput<'_>, budget: &WorkBudget) {
        self.input_count += 1;
        self.hop = self.hop.max(input.hop);
        if self.inputs.len() == INPUTS_MAX {
            self.inputs.pop_front();
        }
        self.inputs.push_back(input.line());
        let Some(progress) = &mut self.progress else { return };
        if let Err(error) = progress.observe(input, budget) {
            self.error.get_or_insert_with(|| error.to_string());
        }
    }

    /// How many steps in a row led to its firing at this time: those that led to its inputs, and, where it fires soon after
    /// it was set, those that led to its setting. 0 where a person, or a long rest, was the beginning.
    pub fn hop(&self, now: Timestamp) -> u32 {
        let is_rested = now.since(self.set_at) >= WAKE_REST_MIN;
        if is_rested { self.hop } else { self.hop.max(self.set_hop) }
    }

    /// How long ago it was set, in words.
    pub fn age(&self, now: Timestamp) -> String {
        format_age(now, self.set_at).unwrap_or_else(|| "just now".to_owned())
    }

    /// The newest inputs since it was set, the newest last, each on a line, and how many came in all.
    pub fn recent_inputs(&self) -> (impl Iterator<Item = &str>, u64) {
        (self.inputs.iter().map(String::as_str), self.input_count)
    }

    /// The questions in its condition, in order.
    pub fn questions(&self) -> Vec<Vec<Command>> {
        let queries = self.progress.as_ref().map(|progress| progress.condition.queries());
        queries.unwrap_or_default().into_iter().map(<[Command]>::to_vec).collect()
    }

    /// Its status at present.
    pub fn judge(&self, present: &EvaluationContext<'_>) -> WakeStatus {
        if let Some(error) = &self.error {
            return WakeStatus::Failed(error.clone());
        }
        let Some(progress) = &self.progress else { return WakeStatus::Waits };
        let (set_tick, set_at) = (self.set_tick, self.set_at);
        let budget = WorkBudget::of_judgement();
        let frame = Frame { set_tick, set_at, progress, present, budget };
        // An error is found by the evaluation below.
        let is_impossible =
            || progress.watch.eval(&Future(progress)).is_ok_and(|truth| truth == Truth::False);
        match progress.watch.eval(&frame) {
            Ok(Truth::True) => WakeStatus::Due,
            Ok(Truth::Unknown)
                if !is_impossible()
                    && present.answers.is_none()
                    && !self.questions().is_empty() =>
            {
                WakeStatus::Asks
            }
            Ok(Truth::False | Truth::Unknown) if is_impossible() => WakeStatus::Impossible,
            Ok(Truth::False | Truth::Unknown) => WakeStatus::Waits,
            Err(error) => WakeStatus::Failed(error.to_string()),
        }
    }

    /// How long until the time alone may change its status.
    pub fn time_left(
        &self,
        tick: u64,
        now: CurrentTime,
        tick_interval: Duration,
    ) -> Option<Duration> {
        let condition = &self.progress.as_ref()?.condition;
        let until_tick = |due: u64| {
            let ticks = due.checked_sub(tick).filter(|left| *left > 0)?;
            Some(tick_interval.saturating_mul(u32::try_from(ticks).unwrap_or(u32::MAX)))
        };
        let calls = condition.calls();
        let sleeps = calls.into_iter().filter_map(|call| match sleep_length(call)? {
            SleepLength::Ticks(ticks) => until_tick(self.set_tick.saturating_add(ticks)),
            SleepLength::Time(time) => {
                Some(time.saturating_sub(now.since(self.set_at))).filter(|left| !left.is_zero())
            }
        });
        let turns = turns(condition);
        let ticks = turns.ticks.into_iter().filter_map(until_tick);
        let times = turns.times.into_iter().map(|at| at.since(now.wall));
        sleeps.chain(ticks).chain(times.filter(|left| !left.is_zero())).min()
    }
}

/// The ticks and times at which a comparison with the keeper's clocks may turn.
#[derive(Debug, Default)]
struct ClockTurns {
    ticks: Vec<u64>,
    times: Vec<Timestamp>,
}

impl ClockTurns {
    fn add(&mut self, literal: &Literal) {
        let tick = match literal {
            Literal::Integer(tick) => u64::try_from(*tick).ok(),
            Literal::Decimal(tick) => Duration::try_from_secs_f64(*tick).ok().map(|t| t.as_secs()),
            Literal::Time(time) => {
                let at = Timestamp::from_micros(time.micros());
                self.times.extend([at, at.plus(Duration::from_micros(1))]);
                None
            }
            _ => None,
        };
        self.ticks.extend(tick.into_iter().flat_map(|tick| [tick, tick.saturating_add(1)]));
    }
}

/// The turns of a condition, wherever in it they stand.
fn turns(condition: &Condition) -> ClockTurns {
    const CLOCKS: [Field; 2] = [Field::Tick, Field::Timestamp];
    let mut turns = ClockTurns::default();
    condition.visit(&mut |expr| match expr {
        Expr::Compare { left: Operand::Field(field), right: Operand::Literal(literal), .. }
        | Expr::Compare { left: Operand::Literal(literal), right: Operand::Field(field), .. }
            if CLOCKS.contains(field) =>
        {
            turns.add(literal);
        }
        Expr::Between { field, low, high } if CLOCKS.contains(field) => {
            turns.add(low);
            turns.add(high);
        }
        _ => {}
    });
    turns
}

impl Wake {
    /// Its part of `state_digest`.
    pub(super) fn parts(&self) -> serde_json::Value {
        let latches = self.progress.as_ref().map(|progress| (&progress.terms, &progress.calls));
        serde_json::json!([self.id, self.condition, latches, self.input_count, self.hop])
    }
}
