//! A wake's condition at present: what came true before is taken as it was noted, what the time says is asked for now.
//!
//! It must never look at an entry: entries were looked at when they came. Pure.

use abide_domain::SpaceName;
use abide_grammar::{Command, Field, FunctionCall, Literal, Scope, Truth, Value};

use super::{
    EvaluationContext, Wake, Watched,
    calls::{Nap, nap},
};

/// The frame around the terms, at present.
pub(super) struct Frame<'a> {
    pub(super) wake: &'a Wake,
    pub(super) watch: &'a Watched,
    pub(super) present: &'a EvaluationContext<'a>,
}

impl Scope for Frame<'_> {
    fn field(&self, field: Field) -> Option<Value<'_>> {
        let tick = i64::try_from(self.present.tick).unwrap_or(i64::MAX);
        (field == Field::Tick).then_some(Value::Integer(tick))
    }

    fn call(&self, call: &FunctionCall) -> Result<Truth, String> {
        let holds = match nap(call) {
            Some(Nap::Ticks(ticks)) => {
                self.present.tick >= self.wake.set_tick.saturating_add(ticks)
            }
            Some(Nap::Time(time)) => self.wake.set_at.plus(time) <= self.present.now,
            None => {
                self.check_place(call)?;
                self.watch.came(call)
            }
        };
        Ok(if holds { Truth::True } else { Truth::False })
    }

    fn query(&self, commands: &[Command]) -> Result<Option<String>, String> {
        let Some(answers) = self.present.answers else { return Ok(None) };
        let queries = self.watch.condition.queries();
        let place = queries.iter().position(|query| *query == commands);
        match place.and_then(|place| answers.get(place)) {
            Some(Ok(answer)) => Ok(Some(answer.clone())),
            Some(Err(error)) => Err(error.clone()),
            None => Ok(None),
        }
    }

    fn latched(&self, term: usize) -> Option<Truth> {
        let fulfilled = self.watch.terms.get(term)?;
        Some(if *fulfilled { Truth::True } else { Truth::False })
    }
}

/// The frame around the terms as the future may make it: what has come stays, all else is open.
pub(super) struct Future<'a>(pub(super) &'a Watched);

impl Scope for Future<'_> {
    fn field(&self, _: Field) -> Option<Value<'_>> {
        None
    }

    fn call(&self, call: &FunctionCall) -> Result<Truth, String> {
        Ok(if self.0.came(call) { Truth::True } else { Truth::Unknown })
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
    /// A space that the owner has left says nothing to it any more, which is not the same as silence.
    fn check_place(&self, call: &FunctionCall) -> Result<(), String> {
        let Some(Literal::Space(name)) = call.args.first() else { return Ok(()) };
        let space = SpaceName::named(&name.lower()).map_err(|error| error.to_string())?;
        let is_member = (self.present.is_member)(&space);
        if is_member { Ok(()) } else { Err(format!("you are not in {space}")) }
    }
}
