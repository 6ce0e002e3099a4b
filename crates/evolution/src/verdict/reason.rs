//! Why a verdict is what it is, in sentences with figures. They say what was measured and never what a code is like.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    limits::{PAIRS_ALONE, PAIRS_MIN},
    pair::Measure,
    statistics::ConfidenceInterval,
    wording::{level as level_words, needs_less, percent, probability, signed_percent, times},
};

/// Why a verdict is what it is. Its `Display` is one sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Reason {
    /// The comparison ended before its time.
    Aborted,
    /// The candidate gave no measurement in any pair.
    NeverMeasured,
    /// There are too few pairs.
    TooFewPairs {
        /// Usable pairs.
        pairs: usize,
    },
    /// An error of the candidate alone came again each time.
    RepeatedErrors {
        /// Requests on which it did.
        errors: usize,
    },
    /// Errors of the candidate alone were not run again, so that it is not known whether they come again.
    NotRunAgain {
        /// Requests with such an error.
        errors: usize,
    },
    /// The candidate failed more often.
    MoreErrors {
        /// Errors of main.
        main: usize,
        /// Errors of the candidate.
        candidate: usize,
        /// The p value of it.
        p: f64,
    },
    /// The candidate needs more memory than allowed.
    MoreMemory {
        /// The change: of all pairs or of the newest, whichever is larger.
        change: f64,
    },
    /// The candidate's answers agree too seldom.
    LessAgreement {
        /// The share of agreeing pairs.
        share: f64,
        /// The least share.
        floor: f64,
    },
    /// Too few pairs could be judged for agreement.
    AgreementUnknown {
        /// Those that could.
        judged: usize,
    },
    /// There are too few pairs to go on without a person.
    PersonDecides {
        /// The pairs that were looked at.
        pairs: usize,
    },
    /// The next look is at more pairs.
    NextLook {
        /// The pairs of the last look.
        pairs: usize,
    },
    /// The size measure is smaller, and that is no chance.
    Smaller {
        /// The size measure.
        measure: Measure,
        /// Its change.
        change: f64,
        /// The p value of it.
        p: f64,
    },
    /// The size measure is not enough smaller, or that may be chance.
    NotSmaller {
        /// The size measure.
        measure: Measure,
        /// Its change.
        change: f64,
        /// The p value of it.
        p: f64,
        /// What it had to stay below, at half of it where errors are no better.
        level: f64,
    },
    /// There are fewer errors, and that is no chance.
    FewerErrors {
        /// Errors of main.
        main: usize,
        /// Errors of the candidate.
        candidate: usize,
        /// The p value of it.
        p: f64,
    },
    /// No pair had two answers.
    NothingToCompare,
}

impl Reason {
    /// The sentence, with the interval of the change where it says one.
    pub fn sentence(&self, interval: &ConfidenceInterval) -> String {
        let range = format!(
            " (95 %: {} to {})",
            signed_percent(interval.low).trim_end_matches(" %"),
            signed_percent(interval.high).trim_end_matches(" %"),
        );
        self.words(&range)
    }

    /// The sentence; `range` follows the change of the size measure.
    fn words(&self, range: &str) -> String {
        match self {
            Self::Smaller { measure, change, p } => format!(
                "the candidate {}: {}{range}, {}",
                needs_less(*measure, ""),
                signed_percent(*change),
                probability(*p)
            ),
            Self::NotSmaller { measure, change, p, level } => format!(
                "it is not shown that the candidate {}: {}{range}, {} where less than {} is asked for",
                needs_less(*measure, "a tenth "),
                signed_percent(*change),
                probability(*p),
                level_words(level / 2.0)
            ),
            Self::FewerErrors { main, candidate, p } => format!(
                "the candidate fails less often: {} instead of {}, {}",
                times(*candidate),
                times(*main),
                probability(*p)
            ),
            Self::MoreErrors { main, candidate, p } => format!(
                "the candidate fails more often: {} instead of {}, {}",
                times(*candidate),
                times(*main),
                probability(*p)
            ),
            Self::MoreMemory { change } => {
                format!("the candidate needs too much memory: {}", signed_percent(*change))
            }
            Self::LessAgreement { share, floor } => format!(
                "too few of the candidate's answers agree: {} where at least {} is asked for",
                percent(*share),
                percent(*floor)
            ),
            other => other.words_without_change(),
        }
    }

    /// The sentence of a reason that is about numbers of pairs alone.
    fn words_without_change(&self) -> String {
        match self {
            Self::Aborted => "the comparison was aborted".to_owned(),
            Self::NeverMeasured => {
                "the candidate answered no request with a measurement".to_owned()
            }
            Self::TooFewPairs { pairs } => {
                format!("only {pairs} of at least {PAIRS_MIN} pairs can be used so far")
            }
            Self::RepeatedErrors { errors } => {
                format!("errors of the candidate alone come again each time (requests: {errors})")
            }
            Self::NotRunAgain { errors } => {
                format!("errors of the candidate alone were not run again (requests: {errors})")
            }
            Self::AgreementUnknown { judged } => {
                format!("agreement could be judged in only {judged} of at least {PAIRS_MIN} pairs")
            }
            Self::PersonDecides { pairs } => format!(
                "{pairs} pairs are too few to go on without a person; {PAIRS_ALONE} are needed"
            ),
            Self::NextLook { pairs } => {
                format!("{pairs} pairs do not decide it; the next look is at more")
            }
            _ => "no request was answered by both".to_owned(),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.words(""))
    }
}

#[cfg(test)]
mod tests {
    use super::Reason;
    use crate::{pair::Measure, statistics::ConfidenceInterval};

    #[test]
    fn every_reason_is_a_sentence_with_its_figures() {
        let (measure, change) = (Measure::Tokens, -0.138);
        let cases = [
            (
                Reason::NotSmaller { measure, change: 0.02, p: 0.8, level: 0.009_05 },
                "it is not shown that the candidate uses a tenth fewer tokens: +2.0 % (95 %: −18 to −9.0), p = 0.80 where less than 0.0045 is asked for",
            ),
            (
                Reason::Smaller { measure: Measure::Wall, change, p: 0.003 },
                "the candidate takes less time: −14 % (95 %: −18 to −9.0), p = 0.003",
            ),
            (
                Reason::FewerErrors { main: 15, candidate: 0, p: 0.000_03 },
                "the candidate fails less often: never instead of 15 times, p < 0.001",
            ),
            (
                Reason::MoreErrors { main: 1, candidate: 9, p: 0.02 },
                "the candidate fails more often: 9 times instead of once, p = 0.020",
            ),
            (Reason::MoreMemory { change: 0.734 }, "the candidate needs too much memory: +73 %"),
            (
                Reason::LessAgreement { share: 0.896, floor: 0.9 },
                "too few of the candidate's answers agree: 89.6 % where at least 90.0 % is asked for",
            ),
            (Reason::TooFewPairs { pairs: 1 }, "only 1 of at least 30 pairs can be used so far"),
            (
                Reason::AgreementUnknown { judged: 0 },
                "agreement could be judged in only 0 of at least 30 pairs",
            ),
        ];
        let interval = ConfidenceInterval { low: -0.182, high: -0.09 };
        for (reason, sentence) in cases {
            assert_eq!(reason.sentence(&interval), sentence);
        }
    }

    #[test]
    fn reasons_are_the_same_after_they_have_been_json() {
        let reason = Reason::Smaller { measure: Measure::Wall, change: -0.25, p: 0.0625 };
        let text = serde_json::to_string(&reason).unwrap();
        assert_eq!(text, r#"{"reason":"smaller","measure":"wall","change":-0.25,"p":0.0625}"#);
        assert_eq!(serde_json::from_str::<Reason>(&text).unwrap(), reason);
        let text = serde_json::to_string(&Reason::Aborted).unwrap();
        assert_eq!(serde_json::from_str::<Reason>(&text).unwrap(), Reason::Aborted);
    }
}
