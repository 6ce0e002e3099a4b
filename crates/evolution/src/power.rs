//! How many pairs a comparison needs, worked out from a few before it is paid for. An estimate: it promises no verdict.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    limits::{
        LOOKS, PAIRS_ALONE, PAIRS_PER_VARIANCE, PILOT_PAIRS_MIN, RUNS_NOISY, SPREAD_NOISY,
        VARIANCE_OF_THREE,
    },
    pair::{Measure, Pair},
    sample::{ComparedTarget, Sample, log_ratios},
    statistics::{count, spread},
};

/// How many pairs find a true gain of 15 % nine times in ten. Its `Display` is a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairsNeeded {
    /// The pilot pairs that it follows from.
    pub pilot_pairs: usize,
    /// The spread of their log ratios, without unit.
    pub spread: f64,
    /// Pairs with one run a leg, at least [`PAIRS_ALONE`].
    pub pairs: usize,
    /// Runs a leg that are advised: 1 or [`RUNS_NOISY`].
    pub runs: u32,
    /// Pairs with that many runs, at least [`PAIRS_ALONE`].
    pub pairs_of_runs: usize,
}

/// Why the number of pairs cannot be worked out.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PilotError {
    /// Too few pilot pairs were measured in both legs.
    #[error("{pairs} pilot pairs have two measurements; {PILOT_PAIRS_MIN} are needed")]
    TooFew {
        /// Those that were.
        pairs: usize,
    },
}

/// Works it out from pilot pairs.
///
/// # Errors
/// [`PilotError::TooFew`] below [`PILOT_PAIRS_MIN`] measured pairs.
pub fn pairs_needed(
    pilot: &[Pair],
    target: ComparedTarget,
    size: Measure,
) -> Result<PairsNeeded, PilotError> {
    let sample = Sample::of(pilot, target, size);
    let ratios = log_ratios(&sample.usable, size);
    let too_few = PilotError::TooFew { pairs: ratios.len() };
    let spread = spread(&ratios).filter(|_| ratios.len() >= PILOT_PAIRS_MIN).ok_or(too_few)?;
    let variance = spread * spread;
    let pairs = pairs_of(variance);
    let is_noisy = spread > SPREAD_NOISY;
    let runs = if is_noisy { RUNS_NOISY } else { 1 };
    let pairs_of_runs = if is_noisy { pairs_of(variance * VARIANCE_OF_THREE) } else { pairs };
    Ok(PairsNeeded { pilot_pairs: ratios.len(), spread, pairs, runs, pairs_of_runs })
}

fn pairs_of(variance: f64) -> usize {
    let wanted = PAIRS_PER_VARIANCE * variance;
    // Counted up, since a number beyond all counts has no whole number; ten thousand pairs are out of reach anyway.
    (PAIRS_ALONE..10_000).find(|pairs| count(*pairs) >= wanted).unwrap_or(10_000)
}

impl fmt::Display for PairsNeeded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pilot_pairs, spread, pairs, runs, pairs_of_runs } = self;
        write!(
            formatter,
            "{pairs} pairs find a gain of 15 % nine times in ten (spread {spread:.2} in {pilot_pairs} pairs)"
        )?;
        if *runs > 1 {
            write!(formatter, "; with {runs} runs of each request {pairs_of_runs} do")?;
        }
        let [.., (pairs_last, _)] = LOOKS;
        if *pairs_of_runs > pairs_last {
            write!(
                formatter,
                "; {pairs_last} is all that are looked at, so that it may be missed"
            )?;
        }
        Ok(())
    }
}
