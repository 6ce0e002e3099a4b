//! What is left over from writing does not go in: it is done, or it is an issue.

use crate::workspace::{Finding, Source};

/// Marks of unfinished work. Written in two halves, so that this file does not find itself.
const MARKERS: [&str; 4] =
    [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("HA", "CK")];
/// Macros of unfinished work.
const MACROS: [&str; 3] =
    [concat!("todo", "!("), concat!("unimpl", "emented!("), concat!("db", "g!(")];

/// Looks at one file.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        let marker = words.find(|word| MARKERS.contains(word));
        let marker = marker.or_else(|| MACROS.into_iter().find(|mark| line.contains(mark)));
        if let Some(marker) = marker {
            let message = format!("`{marker}`: finish it or file an issue");
            findings.push(Finding::at(&source.path, index, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::workspace::Source;

    #[test]
    fn markers_are_found_as_whole_words() {
        let text = [
            concat!("// TO", "DO: later"),
            "// todos, hacks and XXXL are words",
            concat!("    todo", "!()"),
            concat!("(FIX", "ME)"),
        ];
        let source = Source { path: "a.rs".into(), text: text.join("\n") };
        let places: Vec<_> = check(&source).into_iter().map(|found| found.place).collect();
        assert_eq!(places, ["a.rs:1", "a.rs:3", "a.rs:4"]);
    }
}
