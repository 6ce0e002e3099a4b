//! Medians and spreads: a single run says nothing, so nothing single is ever reported.

use serde::{Serialize, Serializer};

/// Several values of one kind, as median, least and most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// The middle one.
    #[serde(serialize_with = "rounded")]
    pub median: f64,
    /// The least.
    #[serde(serialize_with = "rounded")]
    pub min: f64,
    /// The most.
    #[serde(serialize_with = "rounded")]
    pub max: f64,
    /// How many there were.
    pub samples: usize,
}

impl Spread {
    /// The spread of some values; zeros where there are none.
    pub(crate) fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self {
            median: quantile(&sorted, 0.5),
            min: sorted.first().copied().unwrap_or_default(),
            max: sorted.last().copied().unwrap_or_default(),
            samples: sorted.len(),
        }
    }

    /// The spread of the quotients of pairs that were measured side by side.
    pub(crate) fn of_ratios(measured: &[f64], reference: &[f64]) -> Self {
        let pairs = measured.iter().zip(reference).filter(|(_, reference)| **reference > 0.0);
        Self::of(&pairs.map(|(measured, reference)| measured / reference).collect::<Vec<_>>())
    }
}

/// The value below which the share `q` of sorted values lies; zero where there are none.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a length lies within the length"
    )]
    let index = (float_of(last) * q).round() as usize;
    sorted.get(index.min(last)).copied().unwrap_or_default()
}

/// The median of unsorted values.
pub(crate) fn median(values: &[f64]) -> f64 {
    Spread::of(values).median
}

/// A quantile of unsorted values.
pub(crate) fn quantile_of(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile(&sorted, q)
}

/// A count as a number to divide by.
#[expect(clippy::cast_precision_loss, reason = "counts here stay far below 2^52")]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}

/// A length as a number to divide by.
#[expect(clippy::cast_precision_loss, reason = "lengths here stay far below 2^52")]
pub(crate) fn float_of(length: usize) -> f64 {
    length as f64
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn rounded<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((value * 1000.0).round() / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::{Spread, quantile_of};

    #[test]
    fn a_spread_is_the_middle_and_both_ends() {
        let spread = Spread::of(&[3.0, 1.0, 9.0, 2.0, 4.0]);
        assert_eq!(spread, Spread { median: 3.0, min: 1.0, max: 9.0, samples: 5 });
        assert_eq!(Spread::of(&[]), Spread::default());
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        // The ratio of the medians would be 1; the median of the ratios is what the rounds show.
        let spread = Spread::of_ratios(&[2.0, 10.0, 60.0], &[1.0, 10.0, 20.0]);
        assert_eq!(spread, Spread { median: 2.0, min: 1.0, max: 3.0, samples: 3 });
    }

    #[test]
    fn quantiles_lie_within_the_values() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        let found = [quantile_of(&values, 0.99), quantile_of(&values, 1.0), quantile_of(&[], 0.5)];
        assert_eq!(found.map(|value| value.to_string()), ["99", "100", "0"]);
    }
}
