//! What tests read from outside: how often a repeated one repeats, fewer times on every change and all of them in `make soak`; and
//! which program is tried.

use std::path::PathBuf;

/// Percent of the full rounds where `ABIDE_TEST_ROUNDS` does not say otherwise.
const PERCENT_DEFAULT: u32 = 10;

/// The rounds of a test that has `full` of them in `make soak`; at least one, so that no kind of test is ever skipped.
///
/// `ABIDE_TEST_ROUNDS` holds the percentage, from 1 to 100 and beyond.
pub fn rounds(full: u32) -> u32 {
    let percent = setting("ABIDE_TEST_ROUNDS");
    share(full, percent.and_then(|text| text.parse().ok()).unwrap_or(PERCENT_DEFAULT))
}

/// The program that tests start: the one that was built with them, unless `ABIDE_TEST_PROGRAM` names another, such as the one that
/// is handed out.
pub fn program(built: &str) -> PathBuf {
    setting("ABIDE_TEST_PROGRAM").map_or_else(|| built.into(), PathBuf::from)
}

fn setting(name: &str) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "the switches that tests read from outside")]
    std::env::var(name).ok()
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
