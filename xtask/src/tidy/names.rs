//! Names say what a thing is. Words that fit everything say nothing.

use crate::workspace::{Finding, Source};

/// Words that no type and no module may carry, in lower case, singular.
const BANNED: [&str; 9] =
    ["manager", "helper", "util", "common", "base", "core", "processor", "data", "info"];
/// What introduces the name of a type or module.
const KEYWORDS: [&str; 5] = ["struct", "enum", "trait", "type", "mod"];

/// Looks at one Rust file: its own name, and the types and modules that it declares.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let stem = source.name().trim_end_matches(".rs");
    if let Some(word) = banned(stem) {
        findings.push(Finding::new(&source.path, message(word)));
    }
    for (index, line) in source.text.lines().enumerate() {
        if let Some(word) = declared(line).and_then(banned) {
            findings.push(Finding::at(&source.path, index, message(word)));
        }
    }
    findings
}

fn message(word: &str) -> String {
    format!("`{word}` says nothing in a name: say what it does")
}

/// The name that a line declares.
fn declared(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub"));
    // `pub(in path)` falls apart at its space.
    let first = words.next()?;
    let keyword = if first.ends_with(')') { words.next()? } else { first };
    let name = words.next()?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    KEYWORDS.contains(&keyword).then(|| &name[..end])
}

/// The banned word in a name, where it has one.
fn banned(name: &str) -> Option<&'static str> {
    let words = words(name);
    BANNED.into_iter().find(|banned| {
        words.iter().any(|word| word == banned || word.strip_suffix('s') == Some(banned))
    })
}

/// The words of a name in camel or snake case, in lower case.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_uppercase() {
            words.push(String::new());
        }
        if let (Some(word), true) = (words.last_mut(), c != '_') {
            word.extend(c.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{banned, declared};

    #[test]
    fn banned_words_are_found_as_whole_words() {
        let cases = [
            ("LaneManager", Some("manager")),
            ("string_utils", Some("util")),
            ("Database", None),
            ("Base64", None),
            ("Metadata", None),
            ("DataFrame", Some("data")),
            ("Score", None),
        ];
        for (name, word) in cases {
            assert_eq!(banned(name), word, "{name}");
        }
    }

    #[test]
    fn declarations_are_recognised() {
        let cases = [
            ("pub struct Lane<'a> {", Some("Lane")),
            ("pub(crate) enum Kind {", Some("Kind")),
            ("pub(in crate::x) trait Role: Send {", Some("Role")),
            ("    type Error = ();", Some("Error")),
            ("mod data;", Some("data")),
            ("let data = 1;", None),
            ("// a struct in prose", None),
        ];
        for (line, name) in cases {
            assert_eq!(declared(line), name, "{line}");
        }
    }
}
