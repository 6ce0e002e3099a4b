//! Intervals that people see, by resampling from a seed. They decide nothing: a bootstrap is too sure of small samples.

use serde::{Deserialize, Serialize};

use super::{count, location::trimmed, quantile};
use crate::{generator::Generator, limits::RESAMPLES};

/// Where a figure lies in 95 of 100 resamples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfidenceInterval {
    /// 2.5 of 100 lie below.
    pub low: f64,
    /// 2.5 of 100 lie above.
    pub high: f64,
}

/// The interval of the trimmed mean of `values`, the same for the same seed; `None` without values.
pub fn trimmed_mean_interval(values: &[f64], seed: u64) -> Option<ConfidenceInterval> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut generator = Generator::new(seed);
    let mut drawn = vec![0_usize; sorted.len()];
    let mut means = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        drawn.fill(0);
        for _ in 0..sorted.len() {
            if let Some(times) = drawn.get_mut(generator.below(sorted.len())) {
                *times += 1;
            }
        }
        means.push(trimmed_mean_of_counts(&sorted, &drawn)?);
    }
    // 2.5 and 97.5: half-way between whole percents.
    let low = quantile(&means, 2)?.midpoint(quantile(&means, 3)?);
    let high = quantile(&means, 97)?.midpoint(quantile(&means, 98)?);
    Some(ConfidenceInterval { low, high })
}

/// The trimmed mean of a sample that holds each sorted value as often as `drawn` says: no resample is sorted again.
fn trimmed_mean_of_counts(sorted: &[f64], drawn: &[usize]) -> Option<f64> {
    let length = sorted.len();
    let (from, to) = (trimmed(length), length - trimmed(length));
    let mut seen = 0;
    let mut sum = 0.0;
    for (value, times) in sorted.iter().zip(drawn) {
        let kept = (seen + times).min(to).saturating_sub(seen.max(from));
        sum += value * count(kept);
        seen += times;
    }
    (to > from).then(|| sum / count(to - from))
}

#[cfg(test)]
mod tests {
    use super::{trimmed_mean_interval, trimmed_mean_of_counts};
    use crate::{generator::Generator, statistics::trimmed_mean};

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let values: Vec<f64> = (0..40).map(f64::from).collect();
        let interval = trimmed_mean_interval(&values, 7).unwrap();
        assert_eq!(trimmed_mean_interval(&values, 7), Some(interval));
        assert_ne!(trimmed_mean_interval(&values, 8), Some(interval));
        assert!(interval.low < 19.5 && 19.5 < interval.high);
        assert_eq!(trimmed_mean_interval(&[], 7), None);
    }

    #[test]
    fn counts_give_the_trimmed_mean_of_the_values_that_they_stand_for() {
        let sorted = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
        let drawn = [0, 3, 1, 0, 0, 2, 0, 2];
        let values = [2.0, 2.0, 2.0, 4.0, 32.0, 32.0, 128.0, 128.0];
        assert_eq!(trimmed_mean_of_counts(&sorted, &drawn), trimmed_mean(&values));
    }

    #[test]
    fn intervals_hold_the_truth_about_as_often_as_they_say() {
        let mut generator = Generator::new(1);
        let mut held = 0;
        for seed in 0..200 {
            let values: Vec<f64> = (0..60).map(|_| generator.normal()).collect();
            let interval = trimmed_mean_interval(&values, seed).unwrap();
            held += u32::from(interval.low < 0.0 && 0.0 < interval.high);
        }
        assert!((178..=198).contains(&held), "{held} of 200");
    }
}
