//! McNemar's exact test, one-sided: whether one of two legs fails more often on the same requests.
//!
//! Exact, because a bootstrap calls three failures against none significant.

use super::{count, normal_share_below};

/// Most requests of the exact sum; beyond it 2^-n leaves the range of numbers.
const EXACT_MAX: usize = 1_000;

/// The p value of "both fail as often" where on `more` requests the one leg failed alone, on `fewer` the other.
pub fn mcnemar(more: usize, fewer: usize) -> f64 {
    let total = more.saturating_add(fewer);
    if total > EXACT_MAX {
        let z = (count(more) - 0.5 - count(total) / 2.0) / (count(total).sqrt() / 2.0);
        return normal_share_below(-z);
    }
    // The terms of the binomial distribution from none upwards, each from the one before; those below `more` are left out.
    let mut term = libm::exp2(-count(total));
    let mut share = 0.0;
    for successes in 0..=total {
        if successes >= more {
            share += term;
        }
        term *= count(total - successes) / count(successes + 1);
    }
    share.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::mcnemar;

    #[test]
    fn values_are_those_of_the_binomial_test_of_scipy() {
        let cases = [
            (3, 0, 0.125),
            (5, 0, 0.031_25),
            (10, 3, 0.046_142_578_125),
            (60, 40, 0.028_443_966_820_490_444),
            (500, 450, 0.055_919_322_570_789_47),
        ];
        for (more, fewer, wanted) in cases {
            let found = mcnemar(more, fewer);
            assert!((found - wanted).abs() < 1e-9, "{more} to {fewer}: {found} is not {wanted}");
        }
    }

    #[test]
    fn no_failures_are_no_evidence() {
        assert!(mcnemar(0, 0) >= 1.0);
        assert!(mcnemar(0, 9) >= 1.0);
    }

    #[test]
    fn the_approximation_goes_on_where_the_exact_sum_ends() {
        assert!((mcnemar(520, 480) - mcnemar(521, 480)).abs() < 0.01);
    }
}
