//! A type that is an error says so in its name.

use crate::workspace::{Finding, Source};

/// Looks at one Rust file: what derives or implements `Error` ends in `Error`.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut is_error = false;
    for (index, line) in source.text.lines().enumerate().filter(|_| source.is_product()) {
        let line = line.trim_start();
        if let Some(name) = implementing(line) {
            findings.extend(finding(source, index, name));
        } else if line.starts_with("#[derive(") {
            is_error = line.split(|c: char| !c.is_alphanumeric()).any(|word| word == "Error");
        } else if let Some(name) = declared(line) {
            findings.extend(finding(source, index, name).filter(|_| is_error));
            is_error = false;
        }
    }
    findings
}

fn finding(source: &Source, index: usize, name: &str) -> Option<Finding> {
    let message = || format!("`{name}` is an error: its name ends in `Error`");
    (!name.ends_with("Error")).then(|| Finding::at(&source.path, index, message()))
}

fn declared(line: &str) -> Option<&str> {
    let mut words =
        line.split_whitespace().skip_while(|word| word.starts_with("pub") || word.ends_with(')'));
    let keyword = words.next()?;
    matches!(keyword, "struct" | "enum").then(|| words.next().map(bare)).flatten()
}

fn implementing(line: &str) -> Option<&str> {
    let (left, right) = line.strip_prefix("impl")?.split_once(" for ")?;
    let is_error = left.ends_with("error::Error") || left.trim() == "Error";
    is_error.then(|| bare(right.split_whitespace().next().unwrap_or_default()))
}

fn bare(name: &str) -> &str {
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::workspace::Source;

    #[test]
    fn errors_by_another_name_are_found() {
        let text = "#[derive(Debug, thiserror::Error)]\n#[error(\"no\")]\npub(crate) struct Misfit<'a>;\n\
            #[derive(Debug)]\nstruct Plan;\nimpl std::error::Error for Plan {}\n\
            #[derive(Error)]\nenum ReadError {}\nimpl fmt::Display for Plan {}\n";
        let source = Source { path: "crates/x/src/a.rs".to_owned(), text: text.to_owned() };
        let places: Vec<_> = check(&source).into_iter().map(|finding| finding.place).collect();
        assert_eq!(places, ["crates/x/src/a.rs:3", "crates/x/src/a.rs:6"]);
    }
}
