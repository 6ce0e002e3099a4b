//! Every file opens with what it is: a module doc within its first lines. And `foo.rs` stands beside `foo/`.

use crate::workspace::{Finding, Source};

/// Lines within which the doc must begin; a lint attribute or two may stand before it.
const LINES: usize = 5;
/// Fewest characters of a first line that says anything.
const CHARS_MIN: usize = 10;

/// Looks at one Rust file.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    if source.name() == "mod.rs" {
        findings.push(Finding::new(&source.path, "put `foo.rs` beside `foo/` instead"));
    }
    let doc = source.text.lines().take(LINES).find_map(|line| line.strip_prefix("//!"));
    match doc {
        None => findings.push(Finding::at(&source.path, 0, "begins without a module doc (`//!`)")),
        Some(doc) if doc.trim().chars().count() < CHARS_MIN => {
            findings.push(Finding::at(&source.path, 0, "its module doc says nothing"));
        }
        Some(_) => {}
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::workspace::Source;

    #[test]
    fn a_file_without_a_doc_is_found() {
        let cases = [
            ("//! Reads lines of a log.\n", 0),
            ("#![no_std]\n//! Reads lines of a log.\n", 0),
            ("//! -\n", 1),
            ("\n\n\n\n\n//! Reads lines of a log.\n", 1),
            ("// Reads lines of a log.\n", 1),
            ("", 1),
        ];
        for (text, count) in cases {
            let source = Source { path: "crates/x/src/a.rs".into(), text: text.into() };
            assert_eq!(check(&source).len(), count, "{text}");
        }
    }
}
