//! What a benchmark says: rows of figures, each with its reference of the same run, and the bar that it is held to.
//!
//! The serialised form is read by programs: it may grow and keeps its shape. A row must never hold a figure without the
//! spread that it was seen with.

use serde::Serialize;

use crate::{machine::Machine, spread::Spread};

mod table;

/// All figures of one run.
#[derive(Clone, Debug, Serialize)]
pub struct BenchReport {
    /// `ledger`, `wire`, `epoch` or `recovery`.
    pub bench: &'static str,
    /// The program's version.
    pub version: &'static str,
    /// Whether the program was built with optimisation.
    pub optimised: bool,
    /// Slices of each kind that alternated.
    pub rounds: u32,
    /// Where it ran.
    pub machine: Machine,
    /// The figures.
    pub rows: Vec<Row>,
}

/// One figure.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Stable name.
    pub id: &'static str,
    /// What was measured.
    pub title: String,
    /// The unit of the value and of the reference's.
    pub unit: &'static str,
    /// Over the rounds.
    pub value: Spread,
    /// What ran beside it.
    pub reference: Option<Reference>,
    /// What it is held to.
    pub bar: Option<Bar>,
    /// How it did; none without a bar.
    pub verdict: Option<BarVerdict>,
    /// What a reader must know beside the figure.
    pub note: Option<String>,
}

/// What ran beside a measurement, in the same rounds.
#[derive(Clone, Debug, Serialize)]
pub struct Reference {
    /// What it was.
    pub title: String,
    /// Over the rounds.
    pub value: Spread,
    /// Measured divided by reference, round by round.
    pub ratio: Spread,
}

/// What a figure is held to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bar {
    /// Which number.
    pub subject: BarSubject,
    /// From which side.
    pub rule: BarRule,
    /// Must hold.
    pub limit: f64,
    /// Is aimed at.
    pub reach: Option<f64>,
}

/// Which number a bar is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BarSubject {
    /// The median of the values.
    Value,
    /// The greatest value.
    Worst,
    /// The median of the ratios.
    Ratio,
}

/// From which side a bar holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BarRule {
    /// Not more.
    AtMost,
    /// Not less.
    AtLeast,
}

/// How a figure did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BarVerdict {
    /// What was aimed at.
    Reached,
    /// What must hold.
    Met,
    /// Less than what must hold.
    Missed,
}

impl Bar {
    /// A bar from above.
    pub(crate) const fn at_most(subject: BarSubject, limit: f64) -> Self {
        Self { subject, rule: BarRule::AtMost, limit, reach: None }
    }

    /// A bar from below.
    pub(crate) const fn at_least(subject: BarSubject, limit: f64) -> Self {
        Self { subject, rule: BarRule::AtLeast, limit, reach: None }
    }

    /// Adds what is aimed at.
    pub(crate) const fn reaching(self, reach: f64) -> Self {
        Self { reach: Some(reach), ..self }
    }

    fn judge(&self, number: f64) -> BarVerdict {
        let holds = |bound: f64| match self.rule {
            BarRule::AtMost => number <= bound,
            BarRule::AtLeast => number >= bound,
        };
        match self.reach {
            Some(reach) if holds(reach) => BarVerdict::Reached,
            _ if holds(self.limit) => BarVerdict::Met,
            _ => BarVerdict::Missed,
        }
    }
}

impl Row {
    /// A figure by itself.
    pub(crate) fn new(
        id: &'static str,
        title: impl Into<String>,
        unit: &'static str,
        values: &[f64],
    ) -> Self {
        Self {
            id,
            title: title.into(),
            unit,
            value: Spread::of(values),
            reference: None,
            bar: None,
            verdict: None,
            note: None,
        }
    }

    /// Sets what ran beside it: `measured` and `reference` are of the same rounds.
    #[must_use]
    pub(crate) fn beside(
        mut self,
        title: impl Into<String>,
        measured: &[f64],
        reference: &[f64],
    ) -> Self {
        let (value, ratio) = (Spread::of(reference), Spread::of_ratios(measured, reference));
        self.reference = Some(Reference { title: title.into(), value, ratio });
        self
    }

    /// Holds it to a bar. A bar about a ratio that was not measured is missed.
    #[must_use]
    pub(crate) fn held_to(mut self, bar: Bar) -> Self {
        let number = match bar.subject {
            BarSubject::Value => Some(self.value.median),
            BarSubject::Worst => Some(self.value.max),
            BarSubject::Ratio => self.reference.as_ref().map(|reference| reference.ratio.median),
        };
        self.verdict = Some(number.map_or(BarVerdict::Missed, |number| bar.judge(number)));
        self.bar = Some(bar);
        self
    }

    /// Adds what a reader must know.
    #[must_use]
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

impl BenchReport {
    /// Whether every bar held.
    pub fn is_met(&self) -> bool {
        self.rows.iter().all(|row| row.verdict != Some(BarVerdict::Missed))
    }
}

#[cfg(test)]
mod tests {
    use super::{Bar, BarSubject, BarVerdict, Row};

    #[test]
    fn a_bar_judges_the_number_that_it_is_about() {
        let row = |bar| {
            let (ours, raw) = ([90.0, 110.0, 300.0], [100.0, 100.0, 100.0]);
            Row::new("x", "x", "us", &ours).beside("raw", &ours, &raw).held_to(bar).verdict
        };
        let ratio = Bar::at_most(BarSubject::Ratio, 1.5);
        assert_eq!(row(ratio), Some(BarVerdict::Met));
        assert_eq!(row(ratio.reaching(1.2)), Some(BarVerdict::Reached));
        assert_eq!(row(Bar::at_most(BarSubject::Ratio, 1.0)), Some(BarVerdict::Missed));
        assert_eq!(row(Bar::at_most(BarSubject::Worst, 299.0)), Some(BarVerdict::Missed));
        assert_eq!(row(Bar::at_least(BarSubject::Value, 110.0)), Some(BarVerdict::Met));
    }

    #[test]
    fn a_bar_about_a_ratio_without_a_reference_is_missed() {
        let row = Row::new("x", "x", "us", &[1.0]).held_to(Bar::at_most(BarSubject::Ratio, 9.0));
        assert_eq!(row.verdict, Some(BarVerdict::Missed));
    }
}
