//! How often a repeated test repeats: fewer times on every change, all of them in `make soak`.

/// Percent of the full rounds where `ABIDE_TEST_ROUNDS` does not say otherwise.
const PERCENT_DEFAULT: u32 = 10;

/// The rounds of a test that has `full` of them in `make soak`; at least one, so that no kind of test is ever skipped.
///
/// `ABIDE_TEST_ROUNDS` holds the percentage, from 1 to 100 and beyond.
pub fn rounds(full: u32) -> u32 {
    #[expect(clippy::disallowed_methods, reason = "the one switch that tests read from outside")]
    let percent = std::env::var("ABIDE_TEST_ROUNDS").ok();
    share(full, percent.and_then(|text| text.parse().ok()).unwrap_or(PERCENT_DEFAULT))
}

fn share(full: u32, percent: u32) -> u32 {
    let rounds = u64::from(full) * u64::from(percent) / 100;
    u32::try_from(rounds).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn rounds_shrink_but_never_to_none() {
        assert_eq!([share(50, 100), share(50, 10), share(3, 10), share(0, 100)], [50, 5, 1, 1]);
        assert_eq!(share(u32::MAX, 200), u32::MAX);
    }
}
