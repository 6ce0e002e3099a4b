//! The times of many repetitions, round by round.

use crate::spread::{float_of, median, quantile_of};

/// Times, a list a round.
#[derive(Debug, Default)]
pub(crate) struct RoundTimes(Vec<Vec<f64>>);

impl RoundTimes {
    /// Adds a round.
    pub(crate) fn push(&mut self, round: Vec<f64>) {
        self.0.push(round);
    }

    /// The median of each round.
    pub(crate) fn p50s(&self) -> Vec<f64> {
        self.0.iter().map(|round| median(round)).collect()
    }

    /// The 99th percentile of each round: of a short round, its worst.
    pub(crate) fn p99s(&self) -> Vec<f64> {
        self.0.iter().map(|round| quantile_of(round, 0.99)).collect()
    }

    /// What one slow repetition in a round means, for the note of a row.
    pub(crate) fn note(&self, unit: &str) -> String {
        let all = self.0.concat();
        let mean = all.iter().sum::<f64>() / float_of(all.len().max(1));
        format!(
            "all {} together: p50 {:.1}, mean {mean:.1}, p99 {:.1} {unit}",
            all.len(),
            median(&all),
            quantile_of(&all, 0.99)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::RoundTimes;

    #[test]
    fn rounds_keep_their_own_figures_and_the_note_tells_of_all() {
        let mut times = RoundTimes::default();
        times.push(vec![1.0, 2.0, 30.0]);
        times.push(vec![4.0]);
        assert_eq!((times.p50s(), times.p99s()), (vec![2.0, 4.0], vec![30.0, 4.0]));
        assert_eq!(times.note("ms"), "all 4 together: p50 4.0, mean 9.2, p99 30.0 ms");
    }
}
