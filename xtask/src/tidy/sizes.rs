//! Files stay small enough to be read at once; `lib.rs` and `main.rs` only lead the way.

use crate::workspace::{Finding, Source};

/// Longest file, without its tests.
const LINES_MAX: usize = 600;
/// Longest `lib.rs` or `main.rs`.
const ENTRY_LINES_MAX: usize = 120;

/// Looks at one Rust file. Tests may be longer: they are lists of cases.
pub(super) fn check(source: &Source) -> Option<Finding> {
    let is_entry = matches!(source.name(), "lib.rs" | "main.rs");
    let limit = if is_entry { ENTRY_LINES_MAX } else { LINES_MAX };
    let lines = product_lines(&source.text);
    let is_long = source.is_product() && lines > limit;
    is_long.then(|| {
        let message = format!(
            "{lines} lines without tests; at most {limit}. Split it where a sentence about the new file needs no \"and\""
        );
        Finding::new(&source.path, message)
    })
}

/// Lines before the unit tests, which stand last in a file.
fn product_lines(text: &str) -> usize {
    let lines: Vec<_> = text.lines().collect();
    let is_start = |pair: &[&str]| {
        matches!(pair, [attribute, module] if attribute.trim() == "#[cfg(test)]"
            && module.trim_start().starts_with("mod ") && module.trim_end().ends_with('{'))
    };
    lines.windows(2).position(is_start).unwrap_or(lines.len())
}

#[cfg(test)]
mod tests {
    use super::{check, product_lines};
    use crate::workspace::Source;

    #[test]
    fn tests_do_not_count() {
        assert_eq!(product_lines("a\nb\n#[cfg(test)]\nmod tests {\n}\n"), 2);
        assert_eq!(product_lines("a\n#[cfg(test)]\nmod tests;\nb\n"), 4);
        assert_eq!(product_lines(""), 0);
    }

    #[test]
    fn a_file_over_its_limit_is_found() {
        let found = |path: &str, lines: usize| {
            check(&Source { path: path.into(), text: "x\n".repeat(lines) }).is_some()
        };
        assert!(!found("crates/x/src/a.rs", 600) && found("crates/x/src/a.rs", 601));
        assert!(!found("crates/x/src/lib.rs", 120) && found("crates/x/src/lib.rs", 121));
        assert!(!found("crates/x/tests/it/a.rs", 601));
    }
}
