//! A wake's condition at present: what came true before is taken as it was noted, what the time says is asked for now.
//!
//! It must never evaluate an entry: entries were evaluated when they came. Pure.

use std::time::Duration;

use abide_domain::{SpaceName, Timestamp};
use abide_grammar::{Command, Field, FunctionCall, Literal, Scope, Truth, Value};

use super::{
    calls::{SleepLength, sleep_length},
    progress::ConditionProgress,
};
use crate::work_budget::WorkBudget;

/// The current time, by the wall clock and by the ledger, which goes on where the wall clock was set back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurrentTime {
    /// The wall clock.
    pub wall: Timestamp,
    /// The time that an event would get.
    pub ledger: Timestamp,
}

impl CurrentTime {
    /// How long ago an event was: by the clock that says more.
    pub(crate) fn since(self, at: Timestamp) -> Duration {
        self.wall.since(at).max(self.ledger.since(at))
    }
}

/// The present that a wake's condition is evaluated in.
#[derive(Clone, Copy)]
pub struct EvaluationContext<'a> {
    /// The current tick.
    pub tick: u64,
    /// The current time.
    pub now: CurrentTime,
    /// Whether the wake's owner is in a space.
    pub is_member: &'a dyn Fn(&SpaceName) -> bool,
    /// The answers to the wake's questions, in their order; none where they were not asked.
    pub answers: Option<&'a [Result<String, String>]>,
}

impl std::fmt::Debug for EvaluationContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EvaluationContext").field("tick", &self.tick).finish_non_exhaustive()
    }
}

/// The frame around the terms, at present.
pub(super) struct Frame<'a> {
    pub(super) set_tick: u64,
    pub(super) set_at: Timestamp,
    pub(super) progress: &'a ConditionProgress,
    pub(super) present: &'a EvaluationContext<'a>,
    pub(super) budget: WorkBudget,
}

impl Scope for Frame<'_> {
    fn field(&self, field: Field) -> Option<Value<'_>> {
        match field {
            Field::Tick => {
                Some(Value::Integer(i64::try_from(self.present.tick).unwrap_or(i64::MAX)))
            }
            Field::Timestamp => Some(Value::Micros(self.present.now.wall.as_micros())),
            Field::Content | Field::Entity | Field::Kind => None,
        }
    }

    fn call(&self, call: &FunctionCall) -> Result<Truth, String> {
        let holds = match sleep_length(call) {
            Some(SleepLength::Ticks(ticks)) => {
                self.present.tick >= self.set_tick.saturating_add(ticks)
            }
            Some(SleepLength::Time(time)) => self.present.now.since(self.set_at) >= time,
            None => {
                self.check_space(call)?;
                self.progress.has_come(call)
            }
        };
        Ok(if holds { Truth::True } else { Truth::False })
    }

    fn query(&self, commands: &[Command]) -> Result<Option<String>, String> {
        let Some(answers) = self.present.answers else { return Ok(None) };
        let queries = self.progress.condition.queries();
        let index = queries.iter().position(|query| *query == commands);
        match index.and_then(|index| answers.get(index)) {
            Some(Ok(answer)) => Ok(Some(answer.clone())),
            Some(Err(error)) => Err(error.clone()),
            None => Ok(None),
        }
    }

    fn charge(&self, steps: u64) -> Result<(), String> {
        self.budget.charge(steps)
    }

    fn latched(&self, term: usize) -> Option<Truth> {
        let fulfilled = self.progress.terms.get(term)?;
        Some(if *fulfilled { Truth::True } else { Truth::False })
    }
}

/// The frame around the terms as the future may make it: what has come stays, all else is open.
pub(super) struct Future<'a>(pub(super) &'a ConditionProgress);

impl Scope for Future<'_> {
    fn field(&self, _: Field) -> Option<Value<'_>> {
        None
    }

    fn call(&self, call: &FunctionCall) -> Result<Truth, String> {
        Ok(if self.0.has_come(call) { Truth::True } else { Truth::Unknown })
    }

    fn query(&self, _: &[Command]) -> Result<Option<String>, String> {
        Ok(None)
    }

    fn latched(&self, term: usize) -> Option<Truth> {
        let is_fulfilled = self.0.terms.get(term)?;
        Some(if *is_fulfilled { Truth::True } else { Truth::Unknown })
    }
}

impl Frame<'_> {
    /// A space that the owner has left is an error, which is not the same as silence.
    fn check_space(&self, call: &FunctionCall) -> Result<(), String> {
        let Some(Literal::Space(name)) = call.args.first() else { return Ok(()) };
        let space = SpaceName::named(&name.lower()).map_err(|error| error.to_string())?;
        let is_member = (self.present.is_member)(&space);
        if is_member { Ok(()) } else { Err(format!("you are not in {space}")) }
    }
}
