//! Any text as a list of a deck, and as cards: never a crash, every line is an entry or is kept with its reason, counts and names
//! are within their bounds, and what was read comes back from every form as that form carries it, with all its cards.
#![no_main]

use std::{collections::BTreeMap, sync::LazyLock};

use abide_deck::{
    CardNames, CardTable, DeckList, ListError, ListFormat, NoCardNames, ParsedList, carried,
    judge_deck, parse_list, print_list, resolve,
};
use libfuzzer_sys::fuzz_target;

static CARDS: LazyLock<CardTable> = LazyLock::new(|| {
    let lines = include_str!("../../crates/deck/tests/fixtures/cards.jsonl");
    CardTable::from_lines(lines.lines()).expect("the fixture has cards only")
});

/// How many cards there are of each name, as every form writes it.
fn counts(list: &DeckList) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for entry in &list.entries {
        *counts.entry(entry.name.as_str()).or_default() += u64::from(entry.count);
    }
    counts
}

fn check(text: &str, names: &dyn CardNames) -> Option<ParsedList> {
    let parsed = match parse_list(text, names) {
        Ok(parsed) => parsed,
        Err(error) => {
            assert_eq!(error, ListError::TooLarge);
            return None;
        }
    };
    assert_eq!(parsed.lines.len(), parsed.list.entries.len());
    for entry in &parsed.list.entries {
        assert!((1..=999).contains(&entry.count) && !entry.name.is_empty());
        assert!(entry.name.chars().count() <= 200 && entry.tags.len() <= 20);
    }
    for unread in &parsed.unread {
        assert!(unread.line > 0 && unread.text.chars().count() <= 300);
    }
    for format in ListFormat::ALL {
        let (kept, _) = carried(&parsed.list, format);
        assert_eq!(counts(&kept), counts(&parsed.list), "{format:?} loses a card");
        assert_eq!(carried(&kept, format).0, kept, "{format:?} does not settle");
        match print_list(&parsed.list, format) {
            Ok(printed) => assert!(parse_list(&printed.text, names).is_ok()),
            Err(error) => assert!(matches!(error, ListError::NoMtgoId(_))),
        }
    }
    Some(parsed)
}

fuzz_target!(|text: &str| {
    check(text, &NoCardNames);
    if let Some(parsed) = check(text, &*CARDS) {
        let resolved = resolve(&parsed, &CARDS);
        let report = judge_deck(&resolved.deck, &CARDS);
        assert_eq!(
            report.is_legal,
            report.findings.iter().all(|finding| finding.level != abide_deck::FindingLevel::Error)
        );
        // What has the names of real cards comes back whole.
        let known = DeckList {
            name: None,
            entries: parsed
                .list
                .entries
                .into_iter()
                .filter(|entry| CARDS.has_name(&entry.name))
                .collect(),
        };
        for format in [ListFormat::Arena, ListFormat::Moxfield, ListFormat::MtgoText] {
            let printed = print_list(&known, format).expect("a text form prints everything");
            let again = parse_list(&printed.text, &*CARDS).expect("what was printed is read");
            assert_eq!(again.list, carried(&known, format).0, "{format:?}\n{}", printed.text);
        }
    }
    let mut table = CardTable::default();
    for line in text.lines().take(8) {
        let _ = table.add_line(line);
    }
});
