//! The test kit stays out of the product, unit tests included: these would see two copies of their own crate.

use crate::workspace::{Finding, Source};

/// How the test kit is named in code. In two halves, so that this file does not find itself.
const NAME: &str = concat!("abide_", "testkit");

/// Looks at one Rust file.
pub(super) fn check(source: &Source) -> Option<Finding> {
    let may = !source.is_product() || source.path.starts_with("crates/testkit/");
    let index = source.text.lines().position(is_use).filter(|_| !may)?;
    Some(Finding::at(&source.path, index, "the test kit is used from `tests/` folders only"))
}

/// Examples in the docs are programs of their own and may use it.
fn is_use(line: &str) -> bool {
    line.contains(NAME) && !line.trim_start().starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::{NAME, check};
    use crate::workspace::Source;

    #[test]
    fn only_tests_may_use_the_kit() {
        let found = |path: &str| {
            check(&Source { path: path.into(), text: format!("use {NAME}::FakeClock;") }).is_some()
        };
        assert!(found("crates/engine/src/lane.rs"));
        assert!(!found("crates/engine/tests/it/main.rs") && !found("crates/testkit/src/lib.rs"));
    }
}
