//! Wilcoxon's signed-rank test, one-sided: whether paired differences lie on one side of zero.
//!
//! Exact for few differences without ties, else the normal approximation with corrections for ties and continuity. It holds its
//! level for any symmetric distribution, which a t test or a ratio of means does not with spikes.

use super::{count, normal_share_below};

/// Most differences of the exact distribution: all 2^50 signs fit into a number exactly.
const EXACT_MAX: usize = 50;

/// Which side the differences are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// That they lie below zero.
    Below,
    /// That they lie above zero.
    Above,
}

/// The p value of "no difference" against `tail`; 1 without differences other than zero, or where one is no number.
pub fn wilcoxon(differences: &[f64], tail: Tail) -> f64 {
    if differences.iter().any(|difference| difference.is_nan()) {
        return 1.0;
    }
    let mut signed: Vec<f64> = differences
        .iter()
        .filter(|difference| **difference != 0.0)
        .map(|difference| if tail == Tail::Below { *difference } else { -difference })
        .collect();
    signed.sort_by(|left, right| left.abs().total_cmp(&right.abs()));
    if signed.is_empty() {
        return 1.0;
    }
    let ranks = Ranks::of(&signed);
    if ranks.tie_sum == 0.0 && signed.len() <= EXACT_MAX {
        exact_share(signed.len(), ranks.doubled_sum_above / 2)
    } else {
        normal_share(count(signed.len()), &ranks)
    }
}

/// What is known of the ranks of the distances from zero.
struct Ranks {
    /// Twice the sum of the ranks above zero; mean ranks of ties are halves.
    doubled_sum_above: usize,
    /// t³ − t over all groups of t equal distances.
    tie_sum: f64,
}

impl Ranks {
    /// Of differences in ascending order of their distance from zero.
    fn of(signed: &[f64]) -> Self {
        let mut ranks = Self { doubled_sum_above: 0, tie_sum: 0.0 };
        let mut before = 0;
        // Bit for bit: a tie is the same number, as ratios of the same measured microseconds are.
        for group in signed.chunk_by(|left, right| left.abs().total_cmp(&right.abs()).is_eq()) {
            let above = group.iter().filter(|difference| **difference > 0.0).count();
            ranks.doubled_sum_above += above * (2 * before + group.len() + 1);
            let size = count(group.len());
            ranks.tie_sum += size * size * size - size;
            before += group.len();
        }
        ranks
    }
}

/// The share of all signs whose ranks above zero sum up to `sum` at most.
fn exact_share(length: usize, sum: usize) -> f64 {
    let mut ways = vec![1.0_f64];
    for rank in 1..=length {
        let mut next = vec![0.0; ways.len() + rank];
        for (total, number) in ways.iter().enumerate() {
            for place in [total, total + rank] {
                if let Some(sum) = next.get_mut(place) {
                    *sum += number;
                }
            }
        }
        ways = next;
    }
    let all: f64 = ways.iter().sum();
    ways.iter().take(sum + 1).sum::<f64>() / all
}

fn normal_share(length: f64, ranks: &Ranks) -> f64 {
    let mean = length * (length + 1.0) / 4.0;
    let variance = length * (length + 1.0) * (2.0 * length + 1.0) / 24.0 - ranks.tie_sum / 48.0;
    let sum = count(ranks.doubled_sum_above) / 2.0;
    normal_share_below((sum - mean + 0.5) / variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::{Tail, wilcoxon};

    fn is_near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-9, "{found} is not {wanted}");
    }

    #[test]
    fn few_differences_have_the_exact_value_of_scipy() {
        let values =
            [-0.31, 0.12, -0.22, -0.05, 0.07, -0.41, -0.18, 0.02, -0.27, -0.11, 0.33, -0.09];
        is_near(wilcoxon(&values, Tail::Below), 0.088_134_765_625);
        is_near(wilcoxon(&values, Tail::Above), 0.924_316_406_25);
        is_near(wilcoxon(&waves(50), Tail::Below), 0.033_166_002_519_454_53);
    }

    #[test]
    fn ties_and_zeros_have_the_approximate_value_of_scipy() {
        let values = [-2, -1, 0, 1, -1, -3, 2, -2, -4, -1, 0, -3, 1, -2].map(f64::from);
        is_near(wilcoxon(&values, Tail::Below), 0.023_573_842_698_425_523);
        is_near(wilcoxon(&values, Tail::Above), 0.980_508_673_711_974_9);
    }

    #[test]
    fn many_differences_have_the_approximate_value_of_scipy() {
        is_near(wilcoxon(&waves(80), Tail::Below), 0.018_580_684_667_116_782);
        is_near(wilcoxon(&waves(80), Tail::Above), 0.981_636_372_560_708_7);
    }

    #[test]
    fn nothing_to_compare_is_no_evidence() {
        assert!(wilcoxon(&[], Tail::Below) >= 1.0);
        assert!(wilcoxon(&[0.0, -0.0], Tail::Below) >= 1.0);
        assert!(wilcoxon(&[-1.0, f64::NAN, -2.0], Tail::Below) >= 1.0);
    }

    /// Rounded to six digits, as SciPy was given them.
    fn waves(length: u32) -> Vec<f64> {
        let wave = |index: f64| 0.3 * (index * 1.7).sin() - 0.08 + index * 0.0007;
        (0..length).map(|index| (wave(f64::from(index)) * 1e6).round() / 1e6).collect()
    }
}
