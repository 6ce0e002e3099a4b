//! Promises name tests that exist: every test in backticks on the pages of promises is a function of ours.

use std::collections::HashSet;

use crate::workspace::{Finding, Source};

/// The pages that say which test holds what.
pub(super) const PAGES: [&str; 2] = ["docs/guarantees.md", "docs/spec-map.md"];

/// Shortest name of a test, in words: names of tests are sentences, and nothing else in backticks is.
const WORDS_MIN: usize = 4;

/// Looks at one page; `sources` are all files that may hold the tests.
pub(super) fn check(page: &Source, sources: &[Source]) -> Vec<Finding> {
    let known: HashSet<&str> = sources.iter().flat_map(|source| functions(&source.text)).collect();
    let mut findings = Vec::new();
    for (index, line) in page.text.lines().enumerate() {
        for test in tests(line).filter(|test| !known.contains(test)) {
            findings.push(Finding::at(&page.path, index, format!("there is no test `{test}`")));
        }
    }
    findings
}

/// What looks like the name of a test in a line: words with `_` between them, in backticks.
fn tests(line: &str) -> impl Iterator<Item = &str> {
    let tokens = line.split('`').skip(1).step_by(2);
    tokens.filter(|token| {
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        token.chars().all(is_name) && token.split('_').count() >= WORDS_MIN
    })
}

/// Names of all functions in a text.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    let rests = text.lines().filter_map(|line| line.trim_start().split_once("fn "));
    let declared = rests.filter(|(before, _)| before.split_whitespace().all(is_qualifier));
    declared.filter_map(|(_, rest)| rest.split(['(', '<']).next())
}

fn is_qualifier(word: &str) -> bool {
    matches!(word, "async" | "const" | "unsafe") || word.starts_with("pub")
}

#[cfg(test)]
mod tests {
    use super::{PAGES, check};
    use crate::workspace::Source;

    #[test]
    fn a_promise_without_its_test_is_found() {
        let text = "    #[test]\n    fn one_test_that_exists() {}\nasync fn one_more_that_waits<T>() {}\n\
                    // fn one_in_a_comment()\n";
        let sources = [Source { path: "crates/a/tests/it/main.rs".into(), text: text.into() }];
        let cases = [
            ("`one_test_that_exists`, `one_more_that_waits`", 0),
            ("`one_in_a_comment`", 1),
            ("`one_test_that` and `one_test_that_exists_not`", 1),
            ("`turn.delta`, `ledger/`, `POST /start-epoch`, `kill -9`, `state_digest`", 0),
        ];
        for (line, count) in cases {
            let page = Source { path: PAGES[0].into(), text: line.into() };
            assert_eq!(check(&page, &sources).len(), count, "{line}");
        }
    }
}
