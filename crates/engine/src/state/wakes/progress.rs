//! How far a wake's condition has come true: noted with each input, so that nothing has to be read again. Pure.

use abide_grammar::{Condition, EvalError, Field, FunctionCall, ParseError, Truth, Watch, eval};
use serde::{Deserialize, Serialize};

use super::{calls::is_fulfilled, input::WakeInput};
use crate::work_budget::WorkBudget;

/// A condition and what of it has come true since its wake was set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "KeptProgress", try_from = "KeptProgress")]
pub(super) struct ConditionProgress {
    pub(super) condition: Condition,
    pub(super) watch: Watch,
    /// By term, whether an entry fulfilled it.
    pub(super) terms: Vec<bool>,
    /// By call, whether an input fulfilled it.
    pub(super) calls: Vec<bool>,
}

/// What of it is kept: the rest follows from the words of the condition.
#[derive(Serialize, Deserialize)]
struct KeptProgress {
    condition: String,
    terms: Vec<bool>,
    calls: Vec<bool>,
}

impl From<ConditionProgress> for KeptProgress {
    fn from(progress: ConditionProgress) -> Self {
        let ConditionProgress { condition, terms, calls, .. } = progress;
        Self { condition: condition.to_string(), terms, calls }
    }
}

impl TryFrom<KeptProgress> for ConditionProgress {
    type Error = ParseError;

    fn try_from(kept: KeptProgress) -> Result<Self, ParseError> {
        let KeptProgress { condition, terms, calls } = kept;
        Ok(Self { terms, calls, ..Self::new(condition.parse()?) })
    }
}

/// Whether a field is one of an entry. `tick` and `timestamp` are the keeper's clocks where a wake is judged.
fn is_of_entry(field: Field) -> bool {
    !matches!(field, Field::Tick | Field::Timestamp)
}

impl ConditionProgress {
    pub(super) fn new(condition: Condition) -> Self {
        let watch = Watch::new(&condition, &is_of_entry);
        let (terms, calls) =
            (vec![false; watch.terms().len()], vec![false; condition.calls().len()]);
        Self { condition, watch, terms, calls }
    }

    /// Notes what an input fulfils. Gives the first error of a term; the others are evaluated all the same.
    pub(super) fn observe(
        &mut self,
        input: WakeInput<'_>,
        budget: &WorkBudget,
    ) -> Result<(), EvalError> {
        let mut first_error = Ok(());
        for (fulfilled, term) in self.terms.iter_mut().zip(self.watch.terms()) {
            match eval(term, &input.scope(budget)) {
                Ok(truth) => *fulfilled |= truth == Truth::True,
                Err(error) => first_error = first_error.and(Err(error)),
            }
        }
        for (came, call) in self.calls.iter_mut().zip(self.condition.calls()) {
            *came |= is_fulfilled(call, input);
        }
        first_error
    }

    /// Whether an input has fulfilled this call.
    pub(super) fn has_come(&self, call: &FunctionCall) -> bool {
        let calls = self.condition.calls();
        let index = calls.iter().position(|other| other.span == call.span);
        index.and_then(|index| self.calls.get(index)).copied().unwrap_or(false)
    }
}
