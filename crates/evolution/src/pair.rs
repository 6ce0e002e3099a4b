//! A pair: one request that main and the candidate both ran, side by side, with what was measured of each.
//!
//! The keeper makes them of what the ledger holds, which has a form of its own. A pair never holds what was said: divergences are short
//! texts, and a measurement that is missing is never taken for a good one.

use serde::{Deserialize, Serialize, Serializer};

use crate::{
    limits::{DIVERGENCE_BYTES_MAX, FAILURE_BYTES_MAX, MEASUREMENT_MAX, REQUEST_BYTES_MAX},
    statistics::median,
};

/// One request that both legs ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// The request, by a name that is unique in its comparison, such as an epoch's id and a number.
    #[serde(rename = "req")]
    pub request: String,
    /// Which leg ran first; chosen by [`first_leg`](crate::first_leg), so that load that comes in waves hits both alike.
    pub first: LegRole,
    /// What counts today.
    pub main: Leg,
    /// What is proposed.
    #[serde(rename = "cand")]
    pub candidate: Leg,
    /// Whether the candidate's answer is as good as the target asks for; `None` where that could not be judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agrees: Option<bool>,
    /// Why the record does not let the two legs be compared, where it does not. Such a pair counts for nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<RecordGap>,
    /// In what the answers differ first, for people.
    #[serde(rename = "diff", default, skip_serializing_if = "Option::is_none")]
    pub divergence: Option<String>,
}

/// What the record lacks for a fair answer of a tool. A call that was never recorded is none of these: it is a divergence of the
/// leg that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordGap {
    /// The tool takes other arguments today than it did then.
    SchemaChanged,
    /// What it gave was erased, or was never to be kept.
    OutcomeErased,
    /// What it gave is not known: a crash fell before its end was written.
    OutcomeUnknown,
}

/// Which of the two codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LegRole {
    /// What counts today.
    Main,
    /// What is proposed.
    Candidate,
}

/// One code's run of one request.
///
/// Measurements count in thousandths of their unit: as such they are the same numbers again after they have been JSON. What is no
/// measurement, such as NaN, is written as `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leg {
    /// How it ended.
    #[serde(rename = "end")]
    pub outcome: LegOutcome,
    /// Wall-clock time, in microseconds.
    #[serde(
        rename = "wall",
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "quantized"
    )]
    pub wall_us: Option<f64>,
    /// Processor time, in microseconds.
    #[serde(
        rename = "cpu",
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "quantized"
    )]
    pub cpu_us: Option<f64>,
    /// Memory of its process after it, in bytes.
    #[serde(
        rename = "mem",
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "quantized"
    )]
    pub memory_bytes: Option<f64>,
    /// Tokens of a model, in and out.
    #[serde(
        rename = "tok",
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "quantized"
    )]
    pub tokens: Option<f64>,
    /// What a model cost, in millionths of a dollar.
    #[serde(
        rename = "cost",
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "quantized"
    )]
    pub cost_microusd: Option<f64>,
    /// Calls of tools.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "quantized")]
    pub calls: Option<f64>,
}

/// How a leg ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LegOutcome {
    /// With an answer.
    Answered,
    /// Without one.
    Failed {
        /// What failed, such as `time` or `panic`.
        kind: String,
        /// Whether it failed again in both of two further runs; `None` where it was not run again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        repeats: Option<bool>,
    },
}

/// Something that is measured of each leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Wall-clock time, in microseconds.
    Wall,
    /// Processor time, in microseconds.
    Cpu,
    /// Memory, in bytes.
    Memory,
    /// Tokens of a model.
    Tokens,
    /// Cost, in millionths of a dollar.
    Cost,
    /// Calls of tools.
    Calls,
}

/// Why a pair cannot stand in the ledger.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PairError {
    /// A text is empty or too long.
    #[error("a pair's {field} has {bytes} bytes; 1 to {bytes_max} are allowed")]
    Text {
        /// Which text.
        field: &'static str,
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        bytes_max: usize,
    },
}

impl Measure {
    /// All of them, in the order in which reports show them.
    pub const ALL: [Self; 6] =
        [Self::Wall, Self::Cpu, Self::Memory, Self::Tokens, Self::Cost, Self::Calls];
}

impl Leg {
    /// A leg that answered and of which nothing is measured yet.
    pub const fn answered() -> Self {
        Self {
            outcome: LegOutcome::Answered,
            wall_us: None,
            cpu_us: None,
            memory_bytes: None,
            tokens: None,
            cost_microusd: None,
            calls: None,
        }
    }

    /// A leg that failed with `kind`; `repeats` says whether it did so again in both of two further runs.
    pub fn failed(kind: impl Into<String>, repeats: Option<bool>) -> Self {
        let outcome = LegOutcome::Failed { kind: kind.into(), repeats };
        Self { outcome, ..Self::answered() }
    }

    /// Several runs of one request as one leg: it ended as the first run did, and each measurement is the median of the runs
    /// that answered. `None` without runs.
    ///
    /// The end is that of the first run alone: any failure of three would treble the rate of errors, a majority would hide them.
    pub fn of_runs(runs: &[Self]) -> Option<Self> {
        let mut leg = runs.first()?.clone();
        for measure in Measure::ALL {
            let answered = runs.iter().filter(|run| run.outcome == LegOutcome::Answered);
            let measured: Option<Vec<f64>> = answered.map(|run| run.measured(measure)).collect();
            *leg.place(measure) = measured.and_then(|values| median(&values));
        }
        Some(leg)
    }

    /// A measurement as it can be compared: `None` where it is missing, not above zero or beyond [`MEASUREMENT_MAX`].
    pub fn measured(&self, measure: Measure) -> Option<f64> {
        let value = match measure {
            Measure::Wall => self.wall_us,
            Measure::Cpu => self.cpu_us,
            Measure::Memory => self.memory_bytes,
            Measure::Tokens => self.tokens,
            Measure::Cost => self.cost_microusd,
            Measure::Calls => self.calls,
        };
        value.and_then(quantum)
    }

    /// Whether it ended without an answer.
    pub const fn has_failed(&self) -> bool {
        matches!(self.outcome, LegOutcome::Failed { .. })
    }

    const fn place(&mut self, measure: Measure) -> &mut Option<f64> {
        match measure {
            Measure::Wall => &mut self.wall_us,
            Measure::Cpu => &mut self.cpu_us,
            Measure::Memory => &mut self.memory_bytes,
            Measure::Tokens => &mut self.tokens,
            Measure::Cost => &mut self.cost_microusd,
            Measure::Calls => &mut self.calls,
        }
    }
}

impl Pair {
    /// Whether its texts are within their limits.
    ///
    /// # Errors
    /// [`PairError::Text`] with the first one that is not.
    pub fn check(&self) -> Result<(), PairError> {
        check_text("request", &self.request, REQUEST_BYTES_MAX)?;
        for leg in [&self.main, &self.candidate] {
            if let LegOutcome::Failed { kind, .. } = &leg.outcome {
                check_text("kind of failure", kind, FAILURE_BYTES_MAX)?;
            }
        }
        let divergence = self.divergence.as_ref();
        divergence.map_or(Ok(()), |text| check_text("divergence", text, DIVERGENCE_BYTES_MAX))
    }

    /// ln(candidate / main) of a measure; `None` unless both legs answered and have it.
    pub fn log_ratio(&self, measure: Measure) -> Option<f64> {
        if self.main.has_failed() || self.candidate.has_failed() {
            return None;
        }
        let ratio = self.candidate.measured(measure)? / self.main.measured(measure)?;
        Some(libm::log(ratio)).filter(|logarithm| logarithm.is_finite())
    }
}

/// A measurement in thousandths, if it is one.
fn quantum(value: f64) -> Option<f64> {
    // Below the bound thousandths have fewer than 16 digits, which every reader of JSON gives back exactly.
    let rounded = libm::round(value * 1_000.0) / 1_000.0;
    (rounded > 0.0 && rounded <= MEASUREMENT_MAX).then_some(rounded)
}

#[expect(clippy::ref_option, reason = "the signature that serde asks for")]
fn quantized<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    value.and_then(quantum).serialize(serializer)
}

fn check_text(field: &'static str, text: &str, bytes_max: usize) -> Result<(), PairError> {
    if (1..=bytes_max).contains(&text.len()) {
        return Ok(());
    }
    Err(PairError::Text { field, bytes: text.len(), bytes_max })
}

#[cfg(test)]
mod tests {
    use super::{Leg, LegRole, Measure, Pair, PairError};

    fn pair() -> Pair {
        Pair {
            request: "e1".to_owned(),
            first: LegRole::Candidate,
            main: Leg { wall_us: Some(200.0), ..Leg::answered() },
            candidate: Leg { wall_us: Some(100.0), ..Leg::answered() },
            agrees: Some(true),
            gap: None,
            divergence: None,
        }
    }

    #[test]
    fn a_pair_is_a_short_line_that_reads_back() {
        let mut pair = pair();
        let line = serde_json::to_string(&pair).unwrap();
        assert_eq!(
            line,
            r#"{"req":"e1","first":"candidate","main":{"end":"answered","wall":200.0},"cand":{"end":"answered","wall":100.0},"agrees":true}"#
        );
        pair.candidate = Leg::failed("panic", Some(true));
        let line = serde_json::to_string(&pair).unwrap();
        assert!(line.contains(r#""end":{"failed":{"kind":"panic","repeats":true}}"#), "{line}");
        assert_eq!(serde_json::from_str::<Pair>(&line).unwrap(), pair);
    }

    /// EV-06: none of these is ever the smallest time of all.
    #[test]
    fn what_cannot_be_compared_is_no_measurement() {
        for value in [None, Some(f64::NAN), Some(0.0), Some(-3.0), Some(f64::INFINITY), Some(1e13)]
        {
            let mut pair = pair();
            pair.candidate.wall_us = value;
            assert_eq!(pair.candidate.measured(Measure::Wall), None, "{value:?}");
            assert_eq!(pair.log_ratio(Measure::Wall), None, "{value:?}");
        }
        assert!((pair().log_ratio(Measure::Wall).unwrap() + std::f64::consts::LN_2).abs() < 1e-12);
        let line = r#"{"end":"answered","wall":null}"#;
        assert_eq!(serde_json::from_str::<Leg>(line).unwrap(), Leg::answered());
    }

    /// Readers of JSON may be off by a bit in the sixteenth digit.
    #[test]
    fn measurements_are_the_same_numbers_after_they_have_been_json() {
        for value in [933_763.761_854_590_7, 0.000_6, 1.0 / 3.0, 3_999_999_999_999.999_9, 4e12] {
            let leg = Leg { tokens: Some(value), ..Leg::answered() };
            let text = serde_json::to_string(&leg).unwrap();
            let read: Leg = serde_json::from_str(&text).unwrap();
            let both = [&leg, &read].map(|leg| leg.measured(Measure::Tokens).map(f64::to_bits));
            assert_eq!(both[0], both[1], "{text}");
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
    }

    #[test]
    fn three_runs_have_the_median_and_the_first_ones_end() {
        let run = |us| Leg { wall_us: Some(us), ..Leg::answered() };
        let leg = Leg::of_runs(&[run(300.0), run(100.0), run(9e9)]).unwrap();
        assert_eq!(leg.measured(Measure::Wall), Some(300.0));
        assert_eq!(leg.measured(Measure::Cpu), None);
        let failed = Leg::of_runs(&[Leg::failed("time", None), run(1.0)]).unwrap();
        assert!(failed.has_failed());
        let unmeasured = Leg::of_runs(&[run(1.0), run(f64::NAN)]).unwrap();
        assert!(unmeasured.measured(Measure::Wall).is_none(), "one hole is not filled by a run");
        assert_eq!(Leg::of_runs(&[]), None);
    }

    #[test]
    fn texts_beyond_their_limits_are_refused_by_name() {
        assert_eq!(pair().check(), Ok(()));
        let long = Pair { divergence: Some("x".repeat(1_025)), ..pair() };
        let error = long.check().unwrap_err();
        assert!(matches!(error, PairError::Text { field: "divergence", bytes: 1_025, .. }));
        assert!(Pair { request: String::new(), ..pair() }.check().is_err());
        let failed = Pair { main: Leg::failed("x".repeat(65), None), ..pair() };
        assert!(failed.check().is_err());
    }
}
