//! Whatever a list says, it comes back from every form as that form carries it, and no card is lost on the way.

use std::collections::BTreeMap;

use abide_deck::{
    CardFinish, CardNames, DeckList, DeckZone, ListEntry, ListFormat, NoCardNames, PrintingRef,
    carried, parse_list, print_list,
};
use proptest::{collection::vec, option, prelude::*, sample::select};

use crate::fixture::table;

/// Knows the names of one list, and no set.
struct Known(Vec<String>);

impl CardNames for Known {
    fn has_set(&self, _: &str) -> bool {
        false
    }

    fn has_name(&self, name: &str) -> bool {
        self.0.iter().any(|known| known == name)
    }
}

fn any_entry(name: impl Strategy<Value = String>) -> impl Strategy<Value = ListEntry> {
    let printing = ("[A-Za-z0-9_]{1,9}", option::of("[0-9A-Za-z★*#\\-]{0,6}"));
    (
        1_u32..1_200,
        name,
        select(DeckZone::ALL.to_vec()),
        option::of(printing),
        select(vec![CardFinish::Nonfoil, CardFinish::Foil, CardFinish::Etched]),
        vec("[A-Za-z#\\[{,^*! ]{0,9}", 0..4),
        option::of("[A-Za-z,#^ ]{0,8}"),
        1_u32..99_999,
    )
        .prop_map(|(count, name, zone, printing, finish, tags, label, id)| ListEntry {
            count,
            name,
            zone,
            printing: printing.map(|(set, number)| PrintingRef { set, number }),
            finish,
            tags,
            label,
            mtgo_id: Some(id),
        })
}

fn any_list(name: impl Strategy<Value = String>) -> impl Strategy<Value = DeckList> {
    (option::of("[ -~é]{0,20}"), vec(any_entry(name), 0..12))
        .prop_map(|(name, entries)| DeckList { name, entries })
}

fn real_name() -> impl Strategy<Value = String> {
    select(table().cards().iter().map(|card| card.name.clone()).collect::<Vec<_>>())
}

/// What a name looks like when a form prints it, which every form agrees on.
fn counts(list: &DeckList) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for entry in &list.entries {
        *counts.entry(entry.name.clone()).or_default() += u64::from(entry.count);
    }
    counts
}

fn comes_back(list: &DeckList, names: &dyn CardNames) -> Result<(), TestCaseError> {
    for format in ListFormat::ALL {
        let (wanted, _) = carried(list, format);
        prop_assert_eq!(&carried(&wanted, format).0, &wanted, "carrying settles: {:?}", format);
        let printed =
            print_list(list, format).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let parsed = parse_list(&printed.text, names)
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(&parsed.unread, &[], "{:?}\n{}", format, &printed.text);
        prop_assert_eq!(&parsed.list, &wanted, "{:?}\n{}", format, &printed.text);
    }
    Ok(())
}

proptest! {
    #[test]
    fn lists_of_real_cards_come_back(list in any_list(real_name())) {
        comes_back(&list, table())?;
        for format in ListFormat::ALL {
            prop_assert_eq!(counts(&carried(&list, format).0), counts(&list), "no card is lost");
        }
    }

    #[test]
    fn lists_of_made_up_names_come_back_without_knowing_them(list in any_list("[A-Za-z][A-Za-z',/ -]{0,20}[a-z]")) {
        comes_back(&list, &NoCardNames)?;
    }

    #[test]
    fn lists_of_odd_names_come_back_where_they_are_known(list in any_list("[A-Za-zé#\\[\\]()*^F0-9/ ]{1,16}")) {
        let names = carried(&list, ListFormat::Arena).0.entries.into_iter().map(|entry| entry.name);
        let known = Known(names.filter(|name| !name.contains('/')).collect());
        let mut list = list;
        list.entries.retain(|entry| known.has_name(&carried_name(&entry.name)));
        // A name that ends as another one with its tag is not to be told from it.
        let is_prefix = |a: &String, b: &String| a != b && b.starts_with(a.as_str());
        prop_assume!(!known.0.iter().any(|a| known.0.iter().any(|b| is_prefix(a, b))));
        prop_assume!(!known.0.iter().any(|name| name.starts_with(|c: char| c.is_ascii_digit())));
        comes_back(&list, &known)?;
    }

    #[test]
    fn any_text_is_read_line_by_line(text in "[ -~\\n#\\[\\]()*^/é]{0,400}") {
        let parsed = parse_list(&text, table()).unwrap();
        let entries = &parsed.list.entries;
        prop_assert!(entries.iter().all(|entry| (1..=999).contains(&entry.count) && !entry.name.is_empty()));
        for format in ListFormat::ALL {
            prop_assert_eq!(counts(&carried(&parsed.list, format).0), counts(&parsed.list));
        }
    }
}

fn carried_name(name: &str) -> String {
    let list = DeckList {
        name: None,
        entries: vec![ListEntry { count: 1, name: name.to_owned(), ..ListEntry::default() }],
    };
    carried(&list, ListFormat::Arena).0.entries.pop().map(|entry| entry.name).unwrap_or_default()
}
