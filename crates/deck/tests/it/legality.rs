//! Every situation of the table of legality, and what an illegal deck is allowed (DM-10, DM-14, DM-15).

use std::{collections::BTreeSet, fmt::Write as _};

use abide_deck::{
    CardTable, Colour, Deck, DeckZone, EntryContent, EntryKey, FindingLevel, LegalityFinding,
    NoCardNames, OracleId, commander_candidates, judge_deck, parse_list, resolve,
};

use crate::fixture::{card, table};

const CASES: &str = include_str!("../cases/legality.txt");

const ZONES: [(&str, DeckZone); 7] = [
    ("C: ", DeckZone::Commander),
    ("K: ", DeckZone::Companion),
    ("S: ", DeckZone::Sideboard),
    ("M: ", DeckZone::Maybeboard),
    ("A: ", DeckZone::Attractions),
    ("T: ", DeckZone::Stickers),
    ("X: ", DeckZone::Tokens),
];

/// A deck as a case writes it.
pub(crate) fn deck_of(cards: &str) -> Deck {
    let mut deck = Deck::default();
    let mut filler = None;
    for part in cards.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        if let Some(choice) = part.strip_prefix('=') {
            let (name, letter) = choice.rsplit_once(": ").expect("=Card: W");
            let colour = letter.chars().next().and_then(Colour::from_letter).expect("a colour");
            deck.chosen_colours.insert(card(name).id.clone(), colour);
        } else if let Some(name) = part.strip_prefix('*') {
            filler = Some(name);
        } else {
            let named =
                ZONES.iter().find_map(|(mark, zone)| Some((part.strip_prefix(mark)?, *zone)));
            let (line, zone) = named.unwrap_or((part, DeckZone::Main));
            add(&mut deck, line, zone);
        }
    }
    if let Some(name) = filler {
        let held = deck.count_in(DeckZone::Commander) + deck.count_in(DeckZone::Main);
        add(&mut deck, &format!("{} {name}", 100 - held), DeckZone::Main);
    }
    deck
}

fn add(deck: &mut Deck, line: &str, zone: DeckZone) {
    let line = if line.starts_with(|c: char| c.is_ascii_digit()) && line != "1996 World Champion" {
        line.to_owned()
    } else {
        format!("1 {line}")
    };
    let parsed = parse_list(&line, table()).unwrap();
    let entry = parsed.list.entries.first().unwrap_or_else(|| panic!("{line:?} is no entry"));
    let printing = entry.printing.as_ref().map(|at| (at.set.as_str(), at.number.as_deref()));
    let found = table()
        .find(&entry.name, printing)
        .found()
        .unwrap_or_else(|| panic!("no card {:?}", entry.name));
    let key = EntryKey {
        zone,
        card: found.card.id.clone(),
        printing: entry.printing.clone(),
        finish: entry.finish,
    };
    let content = EntryContent {
        count: entry.count,
        name: found.card.name.clone(),
        tags: Vec::new(),
        label: None,
    };
    deck.add(&key, content);
}

/// A finding as a case writes it.
fn shown(finding: &LegalityFinding) -> String {
    let code = serde_json::to_value(finding.code).unwrap();
    let mut text = code.as_str().unwrap().to_owned();
    if finding.level == FindingLevel::Warning {
        text.insert(0, '~');
    }
    if let Some(id) = &finding.card {
        write!(text, "@{}", table().card(id).unwrap().name).unwrap();
    }
    if !finding.colours.is_empty() {
        write!(text, " [{}]", finding.colours.colours().map(Colour::letter).collect::<String>())
            .unwrap();
    }
    text
}

/// A wanted finding with the card's whole name.
fn wanted(text: &str) -> String {
    let Some((code, rest)) = text.split_once('@') else { return text.to_owned() };
    let (name, colours) = rest.split_once(" [").unwrap_or((rest, ""));
    let name = &card(name).name;
    if colours.is_empty() { format!("{code}@{name}") } else { format!("{code}@{name} [{colours}") }
}

#[test]
fn decks_are_judged_as_the_table_says() {
    let mut ids = BTreeSet::new();
    let mut failures = Vec::new();
    for line in CASES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let parts: Vec<&str> = line.split(" | ").map(str::trim).collect();
        let [id, cards, expected] = parts[..] else { panic!("no case: {line}") };
        assert!(ids.insert(id), "{id} stands twice");
        let report = judge_deck(&deck_of(cards), table());
        let found: BTreeSet<String> = report.findings.iter().map(shown).collect();
        let wanted: BTreeSet<String> =
            expected.split("; ").filter(|part| *part != "ok").map(wanted).collect();
        if found != wanted {
            failures.push(format!("{id}: found {found:?}, wanted {wanted:?}"));
        }
        let is_legal = wanted.iter().all(|finding| finding.starts_with('~'));
        assert_eq!(report.is_legal, is_legal, "{id}");
        for finding in &report.findings {
            assert!(
                finding.text.len() > 10 && !finding.text.contains("OracleId"),
                "{id}: {}",
                finding.text
            );
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), ids.len(), failures.join("\n"));
    assert!(ids.len() >= 190, "{} cases", ids.len());
}

#[test]
fn a_deck_of_cards_that_are_not_in_the_table_says_so() {
    let mut deck = deck_of("C: Isamaru, Hound of Konda; 98 Plains");
    let key = EntryKey {
        zone: DeckZone::Main,
        card: OracleId::new("new"),
        printing: None,
        finish: abide_deck::CardFinish::Nonfoil,
    };
    deck.add(
        &key,
        EntryContent { count: 1, name: "Card of Tomorrow".into(), tags: Vec::new(), label: None },
    );
    let report = judge_deck(&deck, table());
    assert_eq!((report.size, report.is_legal, report.findings.len()), (100, false, 1));
    assert_eq!(
        report.findings[0].text,
        "Card of Tomorrow is not in the card table; pull the cards again"
    );
}

#[test]
fn an_illegal_deck_names_only_the_wrong_colours() {
    let report = judge_deck(
        &deck_of("C: Brago, King Eternal; Kynaios and Tiro of Meletis; *Island"),
        table(),
    );
    assert_eq!(
        report.findings[0].text,
        "Kynaios and Tiro of Meletis needs red and green, which the commanders lack",
        "DM-15"
    );
    assert_eq!(report.identity.to_string(), "white and blue");
}

#[test]
fn a_list_without_a_header_offers_who_could_lead_and_picks_nobody() {
    let list = "1 Isamaru, Hound of Konda\n1 Raised by Giants\n1 Path to Exile\n1 Westvale Abbey\n1 Jace, the Mind Sculptor\n97 Plains\n";
    let resolved = resolve(&parse_list(list, table()).unwrap(), table());
    assert_eq!(resolved.deck.count_in(DeckZone::Commander), 0, "DM-10");
    let names = |ids: &[OracleId]| {
        ids.iter().map(|id| table().card(id).unwrap().name.clone()).collect::<BTreeSet<_>>()
    };
    let wanted = ["Isamaru, Hound of Konda", "Raised by Giants"].map(str::to_owned);
    assert_eq!(names(&resolved.commander_candidates), BTreeSet::from(wanted), "DM-10");
    let mtgo = "1 Squee, Dubious Monarch\n98 Mountain\n\nSIDEBOARD:\n1 Krenko, Mob Boss\n";
    let resolved = resolve(&parse_list(mtgo, table()).unwrap(), table());
    let first = &resolved.commander_candidates[0];
    assert_eq!(table().card(first).unwrap().name, "Krenko, Mob Boss", "the sideboard's first");
    assert_eq!(resolved.commander_candidates.len(), 2);
    let led = deck_of("C: Isamaru, Hound of Konda; *Plains");
    assert_eq!(commander_candidates(&led, table()), []);
}

#[test]
fn what_a_list_says_of_unknown_cards_and_printings_stays_visible() {
    let list = "1 Sol Ring (C21) 999\n1 Blitzschlag\n# a note\n4 Sol Rng (C21) 263\n1 Balloon Stand\n1 Treasure\n1 Eleven, the Mage\n";
    let resolved = resolve(&parse_list(list, table()).unwrap(), table());
    let unread: Vec<_> = resolved
        .deck
        .unread
        .iter()
        .map(|line| (line.line, line.text.as_str(), line.reason.to_string()))
        .collect();
    let unknown = "no card has this English name".to_owned();
    assert_eq!(
        unread,
        [
            (2, "1 Blitzschlag", unknown.clone()),
            (3, "# a note", "a comment".to_owned()),
            (4, "4 Sol Rng", unknown)
        ],
        "DM-13"
    );
    let printing = &resolved.unknown_printings[0];
    assert_eq!(
        (printing.line, printing.name.as_str(), printing.printing.number.as_deref()),
        (1, "Sol Ring", Some("999")),
        "DM-08"
    );
    assert_eq!(resolved.deck.count_in(DeckZone::Attractions), 1);
    let ring = resolved
        .deck
        .in_zone(DeckZone::Main)
        .find(|entry| entry.content.name == "Sol Ring")
        .unwrap();
    assert_eq!(ring.key.printing, None, "DM-08: the name wins, the printing is unknown");
    let cecily = resolved
        .deck
        .in_zone(DeckZone::Main)
        .find(|entry| entry.content.name == "Cecily, Haunted Mage")
        .unwrap();
    assert_eq!(cecily.key.printing.as_ref().unwrap().set, "sld", "DM-07: the printing is kept");
}

#[test]
fn an_empty_table_judges_without_harm() {
    let empty = CardTable::default();
    let report = judge_deck(&deck_of("C: Isamaru, Hound of Konda; *Plains"), &empty);
    assert_eq!((report.size, report.is_legal), (100, false));
    let parsed = parse_list("1 Sol Ring", &NoCardNames).unwrap();
    assert_eq!(resolve(&parsed, &empty).deck.unread.len(), 1);
}
