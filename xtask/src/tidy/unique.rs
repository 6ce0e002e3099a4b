//! The name of a public type stands once in the workspace, or the glossary says why it stands twice.

use std::collections::BTreeMap;

use crate::workspace::{Finding, Source};

/// Where names that stand twice are listed.
pub(super) const GLOSSARY: &str = "docs/glossary.md";
/// The heading above their table.
const HEADING: &str = "## Names that stand twice";
/// What introduces a public type.
const KEYWORDS: [&str; 5] = ["pub struct ", "pub enum ", "pub trait ", "pub type ", "pub union "];

/// Looks at all Rust files together.
pub(super) fn check(rust: &[Source], glossary: Option<&Source>) -> Vec<Finding> {
    let mut types: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for source in
        rust.iter().filter(|source| source.is_product() && !source.path.contains("/tests"))
    {
        for (index, line) in source.text.lines().enumerate() {
            if let Some(name) = declared(line) {
                types.entry(name).or_default().push(format!("{}:{}", source.path, index + 1));
            }
        }
    }
    let listed = glossary.map(|glossary| listed(&glossary.text)).unwrap_or_default();
    let twice =
        types.into_iter().filter(|(name, places)| places.len() > 1 && !listed.contains(name));
    twice
        .map(|(name, places)| {
            let message = format!(
                "`{name}` is a public type at {} too",
                places.get(1..).unwrap_or_default().join(", ")
            );
            Finding::new(places.first().cloned().unwrap_or_default(), message)
        })
        .collect()
}

fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let name = KEYWORDS.iter().find_map(|keyword| line.strip_prefix(keyword))?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    name.get(..end).filter(|name| !name.is_empty())
}

/// The names in the first column of the table.
fn listed(glossary: &str) -> Vec<&str> {
    let rows = glossary
        .lines()
        .skip_while(|line| *line != HEADING)
        .skip(1)
        .take_while(|line| !line.starts_with('#'));
    rows.filter_map(|row| row.strip_prefix("| `")?.split('`').next()).collect()
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::workspace::Source;

    #[test]
    fn a_name_that_stands_twice_is_found_unless_the_glossary_lists_it() {
        let source =
            |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
        let rust = [
            source(
                "crates/x/src/a.rs",
                "pub struct Plan<T>(T);\npub(crate) struct Row;\npub enum State {\n",
            ),
            source("crates/y/src/b.rs", "pub trait Plan {\npub struct Row;\npub struct State;\n"),
            source("crates/y/tests/it/c.rs", "pub struct Plan;\n"),
        ];
        let glossary =
            source("docs/glossary.md", "## Names that stand twice\n\n| `State` | because |\n");
        let found: Vec<_> = check(&rust, Some(&glossary)).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            ["crates/x/src/a.rs:1: `Plan` is a public type at crates/y/src/b.rs:1 too"]
        );
    }
}
