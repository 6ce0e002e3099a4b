//! One entry, as conditions see it: an entry of a log that is queried, or an input of a wake.

use std::borrow::Cow;

use abide_domain::{EntityName, Timestamp};
use abide_grammar::{Field, Scope, Value};

use crate::work_budget::WorkBudget;

/// The fields of one entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryScope<'a> {
    pub(crate) tick: u64,
    pub(crate) content: &'a str,
    pub(crate) entity: &'a EntityName,
    pub(crate) at: Timestamp,
    pub(crate) kind: &'static str,
    pub(crate) budget: &'a WorkBudget,
}

impl Scope for EntryScope<'_> {
    fn field(&self, field: Field) -> Option<Value<'_>> {
        Some(match field {
            Field::Tick => Value::Integer(i64::try_from(self.tick).unwrap_or(i64::MAX)),
            Field::Content => Value::Text(Cow::Borrowed(self.content)),
            Field::Entity => Value::Text(Cow::Borrowed(self.entity.as_str())),
            Field::Timestamp => Value::Micros(self.at.as_micros()),
            Field::Kind => Value::Text(Cow::Borrowed(self.kind)),
        })
    }

    fn charge(&self, steps: u64) -> Result<(), String> {
        self.budget.charge(steps)
    }
}
