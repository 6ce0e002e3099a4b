//! Where values lie and how far they spread, by measures that a few wild values do not move.

use super::count;
use crate::limits::TRIM_PERCENT;

/// The interquartile range of a normal distribution in standard deviations.
const RANGE_OF_NORMAL: f64 = 1.349;

/// The values in ascending order.
fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The value below which `percent` of the values lie, between the two nearest by a straight line; `None` without values.
pub fn quantile(values: &[f64], percent: usize) -> Option<f64> {
    quantile_of_sorted(&sorted(values), percent)
}

fn quantile_of_sorted(sorted: &[f64], percent: usize) -> Option<f64> {
    let position = sorted.len().checked_sub(1)? * percent.min(100);
    let below = *sorted.get(position / 100)?;
    let above = sorted.get(position / 100 + 1).copied().unwrap_or(below);
    Some(below + (above - below) * count(position % 100) / 100.0)
}

/// The middle value; `None` without values.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 50)
}

/// The mean of what is left when a quarter of the values is cut from each end; `None` without values.
///
/// A quarter, because durations have spikes of any size in up to a tenth of all runs, and a median throws away half of the
/// power.
pub fn trimmed_mean(values: &[f64]) -> Option<f64> {
    let cut = trimmed(values.len());
    let sorted = sorted(values);
    let kept = sorted.get(cut..sorted.len() - cut).filter(|kept| !kept.is_empty())?;
    Some(kept.iter().sum::<f64>() / count(kept.len()))
}

/// How many of `length` values are cut from each end.
pub(super) const fn trimmed(length: usize) -> usize {
    length * TRIM_PERCENT / 100
}

/// The distance between the lower and the upper quartile; `None` without values.
pub fn interquartile_range(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    Some(quantile_of_sorted(&sorted, 75)? - quantile_of_sorted(&sorted, 25)?)
}

/// What the standard deviation would be if the middle half of the values were of a normal distribution.
pub fn spread(values: &[f64]) -> Option<f64> {
    interquartile_range(values).map(|range| range / RANGE_OF_NORMAL)
}

/// The median of the distances from the median; `None` without values.
pub fn median_absolute_deviation(values: &[f64]) -> Option<f64> {
    let middle = median(values)?;
    median(&values.iter().map(|value| (value - middle).abs()).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::{
        interquartile_range, median, median_absolute_deviation, quantile, spread, trimmed_mean,
    };

    /// What SciPy 1.17 was asked about as well.
    const VALUES: [f64; 12] =
        [-0.31, 0.12, -0.22, -0.05, 0.07, -0.41, -0.18, 0.02, -0.27, -0.11, 0.33, -0.09];

    fn is_near(found: Option<f64>, wanted: f64) {
        let found = found.unwrap();
        assert!((found - wanted).abs() < 1e-12, "{found} is not {wanted}");
    }

    #[test]
    fn figures_are_those_of_scipy() {
        is_near(trimmed_mean(&VALUES), -0.105);
        is_near(median(&VALUES), -0.1);
        is_near(interquartile_range(&VALUES), 0.265);
        is_near(spread(&VALUES), 0.265 / 1.349);
        is_near(median_absolute_deviation(&VALUES), 0.145);
        for (percent, wanted) in [(5, -0.355), (25, -0.2325), (75, 0.0325), (95, 0.2145)] {
            is_near(quantile(&VALUES, percent), wanted);
        }
    }

    #[test]
    fn few_values_have_figures_and_none_have_none() {
        assert_eq!(trimmed_mean(&[]), None);
        assert_eq!(median(&[]), None);
        assert_eq!(spread(&[]), None);
        assert_eq!(trimmed_mean(&[3.0]), Some(3.0));
        assert_eq!(median(&[3.0, 5.0]), Some(4.0));
        assert_eq!(quantile(&[1.0, 2.0], 100), Some(2.0));
    }

    #[test]
    fn spikes_do_not_move_the_trimmed_mean() {
        let mut values = [1.0; 100];
        values[..10].fill(1e6);
        assert_eq!(trimmed_mean(&values), Some(1.0));
    }
}
