//! The words that are no longer ours: names that say what a thing is like instead of what it is, and turns of phrase that
//! nobody can search for. `docs/glossary.md` has the words to use.

use crate::workspace::{Finding, Source};

/// Words that no type, module, function or file may carry, in lower case, singular.
const NAMES: [&str; 20] = [
    "house",
    "desk",
    "ear",
    "eye",
    "mouth",
    "blow",
    "newborn",
    "crew",
    "nursery",
    "porter",
    "stranger",
    "misfit",
    "unready",
    "trouble",
    "purse",
    "shelf",
    "belonging",
    "told",
    "workshop",
    "outfitter",
];
/// What stands for something else in text for people and in comments.
const PHRASES: [&str; 9] = [
    "the house",
    "a house",
    "this house",
    "of the house",
    "lives here",
    "who lives",
    "pens down",
    "off its shelf",
    "newborn",
];
/// Where a word of everyday is meant as such: the made-up lives that memory is measured with.
const EVERYDAY: [&str; 2] = ["crates/bench/src/memory/own/", "crates/bench/src/memory/own.rs"];
/// How many words a name has at the most; more are a sentence, the name of a test.
const WORDS_MAX: usize = 4;
/// What introduces a name.
const KEYWORDS: [&str; 6] = ["struct", "enum", "trait", "type", "mod", "fn"];

/// Looks at the names of one Rust file and at its text.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    if source.path.starts_with("xtask/") {
        return Vec::new();
    }
    let mut findings = text(source);
    let stem = source.name().trim_end_matches(".rs");
    if let Some(word) = banned(stem) {
        findings.push(Finding::new(&source.path, message(word)));
    }
    for (index, line) in source.text.lines().enumerate() {
        let short = |name: &&str| super::names::words(name).len() <= WORDS_MAX;
        if let Some(word) = declared(line).filter(short).and_then(banned) {
            findings.push(Finding::at(&source.path, index, message(word)));
        }
    }
    findings
}

/// Looks at the text of any file that people read.
pub(super) fn text(source: &Source) -> Vec<Finding> {
    if EVERYDAY.iter().any(|path| source.path.starts_with(path)) || source.path.contains("/tests/")
    {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        let line = line.to_lowercase();
        let words: Vec<&str> =
            line.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
        let holds = |phrase: &&&str| {
            let wanted: Vec<&str> = phrase.split(' ').collect();
            words.windows(wanted.len()).any(|found| found == wanted.as_slice())
        };
        if let Some(phrase) = PHRASES.iter().find(holds) {
            findings.push(Finding::at(&source.path, index, message(phrase)));
        }
    }
    findings
}

fn message(word: &str) -> String {
    format!("`{word}` is none of our words any more: docs/glossary.md has them")
}

/// The name that a line declares.
fn declared(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| {
        word.starts_with("pub")
            || word.ends_with(')')
            || matches!(*word, "async" | "const" | "unsafe")
    });
    let keyword = words.next()?;
    let name = words.next()?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    KEYWORDS.contains(&keyword).then(|| name.get(..end)).flatten()
}

fn banned(name: &str) -> Option<&'static str> {
    let words = super::names::words(name);
    NAMES.into_iter().find(|banned| {
        words.iter().any(|word| word == banned || word.strip_suffix('s') == Some(banned))
    })
}

#[cfg(test)]
mod tests {
    use super::{check, text};
    use crate::workspace::Source;

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn old_words_are_found_in_names_of_every_sort() {
        let file = "pub(crate) struct FrontDoorDesk;\n    async fn told(x: u8) {}\nlet house = 1;\nfn clear() {}\n";
        let places: Vec<_> =
            check(&source("crates/x/src/ears.rs", file)).into_iter().map(|f| f.place).collect();
        assert_eq!(
            places,
            ["crates/x/src/ears.rs", "crates/x/src/ears.rs:1", "crates/x/src/ears.rs:2"]
        );
    }

    #[test]
    fn old_phrases_are_found_in_text_as_whole_words() {
        let page = "What the house does.\nThe household.\nNobody lives\nhere.\n";
        let places: Vec<_> =
            text(&source("docs/x.md", page)).into_iter().map(|f| f.place).collect();
        assert_eq!(places, ["docs/x.md:1"]);
    }
}
