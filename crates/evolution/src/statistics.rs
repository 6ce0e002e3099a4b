//! The statistics of paired measurements: location and spread, two exact tests, a correction, an interval.
//!
//! Pure functions over slices of finite numbers. They never judge: thresholds stand in [`crate::limits`], what follows from a
//! figure in the verdict. Logarithms and the normal distribution come from `libm`, so that figures are the same everywhere.

mod bootstrap;
mod location;
mod mcnemar;
mod wilcoxon;

pub use bootstrap::{ConfidenceInterval, trimmed_mean_interval};
pub use location::{
    interquartile_range, median, median_absolute_deviation, quantile, spread, trimmed_mean,
};
pub use mcnemar::mcnemar;
pub use wilcoxon::{Tail, wilcoxon};

/// Holm's correction over two p values: which of them is significant at `level` together.
pub fn holm(p_values: [f64; 2], level: f64) -> [bool; 2] {
    let [first, second] = p_values;
    let is_first_lower = first <= second;
    let (lower, upper) = if is_first_lower { (first, second) } else { (second, first) };
    let lower_holds = lower <= level / 2.0;
    let upper_holds = lower_holds && upper <= level;
    if is_first_lower { [lower_holds, upper_holds] } else { [upper_holds, lower_holds] }
}

/// Benjamini and Hochberg's adjusted p values, in the order of `p_values`.
pub fn adjusted_p_values(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    let p_of = |index: &usize| p_values.get(*index).copied().unwrap_or(1.0);
    order.sort_by(|left, right| p_of(right).total_cmp(&p_of(left)));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut lowest = 1.0_f64;
    for (position, index) in order.iter().enumerate() {
        let rank = count(p_values.len() - position);
        lowest = lowest.min(p_of(index) * count(p_values.len()) / rank);
        if let Some(place) = adjusted.get_mut(*index) {
            *place = lowest;
        }
    }
    adjusted
}

/// A count as a number to reckon with.
pub(crate) fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::INFINITY, f64::from)
}

/// The standard normal distribution's share below `z`.
fn normal_share_below(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::{adjusted_p_values, holm, normal_share_below};

    #[test]
    fn holm_halves_the_level_of_the_smaller_value_alone() {
        assert_eq!(holm([0.02, 0.5], 0.05), [true, false]);
        assert_eq!(holm([0.03, 0.5], 0.05), [false, false]);
        assert_eq!(holm([0.04, 0.02], 0.05), [true, true]);
        assert_eq!(holm([0.06, 0.02], 0.05), [false, true]);
        assert!(!holm([f64::NAN, 0.02], 0.05)[0]);
    }

    #[test]
    fn adjusted_values_are_those_of_the_published_procedure() {
        let adjusted = adjusted_p_values(&[0.01, 0.04, 0.03, 0.5]);
        let expected = [0.04, 0.16 / 3.0, 0.16 / 3.0, 0.5];
        for (found, wanted) in adjusted.iter().zip(expected) {
            assert!((found - wanted).abs() < 1e-12, "{adjusted:?}");
        }
        assert!(adjusted_p_values(&[]).is_empty());
    }

    #[test]
    fn the_normal_distribution_is_that_of_the_tables() {
        for (z, share) in
            [(-3.0, 0.001_349_9), (-1.96, 0.024_997_9), (0.5, 0.691_462_46), (2.0, 0.977_249_87)]
        {
            assert!((normal_share_below(z) - share).abs() < 1e-7);
        }
    }
}
