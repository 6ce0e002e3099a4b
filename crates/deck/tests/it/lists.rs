//! Lists in the forms of other programs (DM-01 to DM-03, DM-08, DM-11, DM-12, DM-13): line by line, header by header, whole.

use std::fmt::Write as _;

use abide_deck::{
    CardFinish, CardNames, DeckList, DeckZone, ListEntry, ListError, ListFormat, ListLineError,
    NoCardNames, ParsedList, PrintingRef, carried, parse_list, print_list,
};

use crate::fixture::table;

/// An entry in one line: count, name, zone, printing, finish, tags, label.
fn shown(entry: &ListEntry) -> String {
    let mut text = format!("{} {}", entry.count, entry.name);
    if entry.zone != DeckZone::Main {
        write!(text, " @{}", entry.zone.title().to_lowercase()).unwrap();
    }
    if let Some(PrintingRef { set, number }) = &entry.printing {
        write!(text, " ({set}:{})", number.as_deref().unwrap_or("-")).unwrap();
    }
    match entry.finish {
        CardFinish::Nonfoil => {}
        CardFinish::Foil => text += " foil",
        CardFinish::Etched => text += " etched",
    }
    for tag in &entry.tags {
        write!(text, " #{tag}").unwrap();
    }
    if let Some(label) = &entry.label {
        write!(text, " ^{label}").unwrap();
    }
    if let Some(id) = entry.mtgo_id {
        write!(text, " id={id}").unwrap();
    }
    text
}

fn parsed(text: &str, names: &dyn CardNames) -> ParsedList {
    let parsed = parse_list(text, names).unwrap();
    assert_eq!(parsed.lines.len(), parsed.list.entries.len(), "every entry has its line");
    parsed
}

fn entries(text: &str, names: &dyn CardNames) -> Vec<String> {
    parsed(text, names).list.entries.iter().map(shown).collect()
}

#[test]
fn lines_are_read() {
    let cases = [
        ("count and name", "1 Sol Ring", "1 Sol Ring"),
        ("x behind the count", "4x Lightning Bolt", "4 Lightning Bolt"),
        ("capital X", "4X Lightning Bolt", "4 Lightning Bolt"),
        ("times sign", "4× Lightning Bolt", "4 Lightning Bolt"),
        ("blanks", "  2   Sol   Ring  ", "2 Sol Ring"),
        ("tab", "2\tSol Ring", "2 Sol Ring"),
        ("set", "1 Sol Ring (C21)", "1 Sol Ring (c21:-)"),
        ("set and number", "1 Sol Ring (C21) 263", "1 Sol Ring (c21:263)"),
        ("set in lower case", "1x Sol Ring (c21) 263", "1 Sol Ring (c21:263)"),
        ("DM-01 foil and tag", "1 Sol Ring (C21) 263 *F* #ramp", "1 Sol Ring (c21:263) foil #ramp"),
        ("DM-01 etched", "1 Sol Ring (CMM) 703 *E*", "1 Sol Ring (cmm:703) etched"),
        ("DM-01 final F", "1 Sol Ring (C21) 263 F", "1 Sol Ring (c21:263) foil"),
        ("DM-01 final F behind the set", "1 Sol Ring (C21) F", "1 Sol Ring (c21:-) foil"),
        ("DM-01 foil without a set", "1 Sol Ring *F*", "1 Sol Ring foil"),
        ("DM-01 foil in lower case", "1 Sol Ring *f*", "1 Sol Ring foil"),
        ("DM-01 two tags", "1 Sol Ring #ramp #Mana Rock", "1 Sol Ring #ramp #Mana Rock"),
        ("DM-01 global tag", "1 Sol Ring #!Staple", "1 Sol Ring #Staple"),
        (
            "DM-01 tag before the finish",
            "1 Sol Ring (C21) 263 #ramp *F*",
            "1 Sol Ring (c21:263) foil #ramp",
        ),
        ("DM-01 an F that is no mark", "1 Mister F", "1 Mister F"),
        ("DM-01 foil in round brackets", "1 Sol Ring [C21] (F)", "1 Sol Ring (c21:-) foil"),
        ("DM-02 set in square brackets", "1 Sol Ring [C21]", "1 Sol Ring (c21:-)"),
        ("DM-02 set and number in square brackets", "1 Sol Ring [C21] 263", "1 Sol Ring (c21:263)"),
        ("DM-02 category", "1 Sol Ring [Ramp]", "1 Sol Ring #Ramp"),
        ("DM-02 a code that no set has", "1 Sol Ring [C99]", "1 Sol Ring #C99"),
        ("DM-02 two categories", "1 Sol Ring [Ramp,Mana Rock]", "1 Sol Ring #Ramp #Mana Rock"),
        ("DM-02 set and category", "1 Sol Ring (c21) 263 [Ramp]", "1 Sol Ring (c21:263) #Ramp"),
        (
            "DM-02 set and category, both square",
            "1 Sol Ring [C21] [Ramp]",
            "1 Sol Ring (c21:-) #Ramp",
        ),
        ("DM-02 maybeboard", "1 Sol Ring [Maybeboard{noDeck}]", "1 Sol Ring @maybeboard"),
        (
            "DM-02 maybeboard, two flags",
            "1x Sol Ring (c21) 263 [Maybeboard{noDeck}{noPrice}]",
            "1 Sol Ring @maybeboard (c21:263)",
        ),
        (
            "DM-02 own category out of the deck",
            "1 Sol Ring [Ideas{noDeck}]",
            "1 Sol Ring @maybeboard #Ideas",
        ),
        (
            "DM-02 commander",
            "1x Brago, King Eternal (cns) 41 [Commander{top}]",
            "1 Brago, King Eternal @commander (cns:41)",
        ),
        ("DM-02 sideboard", "1x Sol Ring [Sideboard]", "1 Sol Ring @sideboard"),
        (
            "DM-02 zone behind a category",
            "1x Sol Ring [Ramp,Sideboard]",
            "1 Sol Ring @sideboard #Ramp",
        ),
        (
            "DM-02 label",
            "1x Sol Ring (c21) 263 *F* [Ramp] ^Have,#37d67a^",
            "1 Sol Ring (c21:263) foil #Ramp ^Have,#37d67a",
        ),
        ("DM-02 label alone", "1x Sol Ring ^Want^", "1 Sol Ring ^Want"),
        ("DM-03 one slash", "1 Fire/Ice", "1 Fire // Ice"),
        ("DM-03 two slashes", "1 Fire // Ice", "1 Fire // Ice"),
        ("DM-03 three slashes", "1 Fire /// Ice", "1 Fire // Ice"),
        ("DM-03 slashes within a word", "1 SP//dr, Piloted by Peni", "1 SP//dr, Piloted by Peni"),
        ("DM-03 with a set", "1 Fire // Ice (MH2) 290", "1 Fire // Ice (mh2:290)"),
        (
            "DM-08 star",
            "1 Star Printing Elemental (DTK) 349★",
            "1 Star Printing Elemental (dtk:349★)",
        ),
        (
            "DM-08 asterisk",
            "1 Star Printing Elemental (DTK) *64",
            "1 Star Printing Elemental (dtk:*64)",
        ),
        (
            "DM-08 set in the number",
            "1 Listed Dragon (PLST) DTK-217",
            "1 Listed Dragon (plst:DTK-217)",
        ),
        (
            "DM-08 letter",
            "1 Bruna, the Fading Light (EMN) 15a *F*",
            "1 Bruna, the Fading Light (emn:15a) foil",
        ),
        ("DM-09 Arena's code", "1 Forsaken Crossroads (Y22) 62", "1 Forsaken Crossroads (y22:62)"),
        (
            "DM-09 rebalanced",
            "1 A-Omnath, Locus of Creation (ZNR) A-232",
            "1 A-Omnath, Locus of Creation (znr:A-232)",
        ),
        (
            "DM-13 foreign names are entries until they are looked up",
            "1 Blitzschlag",
            "1 Blitzschlag",
        ),
        ("no count", "Sol Ring", "1 Sol Ring"),
        ("no count, with a set", "Sol Ring (C21) 263", "1 Sol Ring (c21:263)"),
        ("a number that is a name", "1996 World Champion", "1 1996 World Champion"),
        ("a count and a number that is a name", "1 1996 World Champion", "1 1996 World Champion"),
        ("brackets in a name", "1 Hazmat Suit (Used)", "1 Hazmat Suit (Used)"),
        (
            "brackets in a name and a set",
            "1 Hazmat Suit (Used) (UST) 36",
            "1 Hazmat Suit (Used) (ust:36)",
        ),
        ("comma, apostrophe, ampersand", "1 R&D's Secret Lair", "1 R&D's Secret Lair"),
        ("sideboard prefix", "SB: 1 Sol Ring", "1 Sol Ring @sideboard"),
        (
            "sideboard prefix in lower case",
            "sb: 2x Sol Ring (C21) 263",
            "2 Sol Ring @sideboard (c21:263)",
        ),
        ("largest count", "999 Relentless Rats", "999 Relentless Rats"),
        ("number sign without a blank", "1 Sol Ring#1", "1 Sol Ring#1"),
        ("DM-06 accent", "9 Nazgûl (LTR) 100", "9 Nazgûl (ltr:100)"),
        ("mark of byte order", "\u{feff}1 Sol Ring", "1 Sol Ring"),
        ("a mark behind the set is no number", "1 Plains (XX) *F*", "1 Plains (xx:-) foil"),
        ("slashes with a blank between", "1 Fire / / Ice", "1 Fire // Ice"),
        ("invisible blank", "1 Sol\u{200b} Ring", "1 Sol Ring"),
    ];
    for (id, line, wanted) in cases {
        assert_eq!(entries(line, table()), [wanted], "{id}");
    }
}

#[test]
fn lines_that_cannot_be_read_are_kept_with_their_reason() {
    let long = format!("1 {}", "x".repeat(201));
    let cases = [
        ("comment with slashes", "// my notes", ListLineError::Comment),
        ("comment with a number sign", "# my notes", ListLineError::Comment),
        ("prose", "This deck is for Friday.", ListLineError::NotACard),
        ("DM-13 foreign name without a count", "Blitzschlag", ListLineError::NotACard),
        ("zero", "0 Sol Ring", ListLineError::CountOfZero),
        ("too many", "1000 Sol Ring", ListLineError::CountTooLarge),
        (
            "no number has so many digits",
            "99999999999999999999 Sol Ring",
            ListLineError::CountTooLarge,
        ),
        ("count alone", "4", ListLineError::NoName),
        ("count and x alone", "4x", ListLineError::NoName),
        ("a name without end", long.as_str(), ListLineError::NameTooLong),
        ("negative", "-1 Sol Ring", ListLineError::NotACard),
    ];
    for (id, line, reason) in cases {
        let text = format!("1 Island\n{line}\n1 Forest\n");
        let parsed = parsed(&text, table());
        let found: Vec<_> =
            parsed.unread.iter().map(|line| (line.line, line.reason.clone())).collect();
        assert_eq!(found, [(2, reason)], "{id}");
        assert_eq!(parsed.unread[0].text, line.chars().take(300).collect::<String>(), "{id}");
        assert_eq!(parsed.lines, [1, 3], "{id}");
    }
}

#[test]
fn headers_say_which_zone_follows() {
    use DeckZone::{
        Attractions, Commander, Companion, Main, Maybeboard, Sideboard, Stickers, Tokens,
    };
    let cases = [
        ("Commander", Commander),
        ("COMMANDER", Commander),
        ("Commander:", Commander),
        ("Commanders (2)", Commander),
        ("// Commander", Commander),
        ("//Commander", Commander),
        ("# Commander", Commander),
        ("== Commander ==", Commander),
        ("~~Commanders~~", Commander),
        ("[Commander]", Commander),
        ("Companion", Companion),
        ("Companion (1)", Companion),
        ("Deck", Main),
        ("Deck (99)", Main),
        ("Mainboard", Main),
        ("Main Deck", Main),
        ("Sideboard", Sideboard),
        ("SIDEBOARD:", Sideboard),
        ("Sideboard (15)", Sideboard),
        ("Maybeboard", Maybeboard),
        ("Maybeboard:", Maybeboard),
        ("Considering", Maybeboard),
        ("Attractions", Attractions),
        ("Stickers:", Stickers),
        ("Sticker Sheets (10)", Stickers),
        ("Tokens", Tokens),
        ("Tokens & Extras", Tokens),
    ];
    for (header, zone) in cases {
        let text = format!("1 Island\n\n{header}\n1 Sol Ring\n1 Forest\n");
        let parsed = parsed(&text, table());
        let zones: Vec<_> = parsed.list.entries.iter().map(|entry| entry.zone).collect();
        assert_eq!(zones, [Main, zone, zone], "{header}");
        assert!(parsed.unread.is_empty(), "{header}");
    }
    for kind in [
        "Creatures (30)",
        "Lands",
        "// Instants",
        "Sorceries:",
        "Other Spells",
        "Planeswalkers [2]",
    ] {
        let text = format!(
            "Commander\n1 Brago, King Eternal\n{kind}\n1 Sol Ring\nSideboard\n1 Island\n{kind}\n1 Forest\n"
        );
        let zones: Vec<_> =
            parsed(&text, table()).list.entries.iter().map(|entry| entry.zone).collect();
        assert_eq!(zones, [Commander, Main, Sideboard, Sideboard], "{kind}");
    }
}

#[test]
fn a_gap_ends_the_commanders_section_and_begins_a_sideboard_only_as_magic_online_had_it() {
    let commander = "Commander\n1 Brago, King Eternal\n\n1 Sol Ring\n\n1 Island\n";
    assert_eq!(
        entries(commander, table()),
        ["1 Brago, King Eternal @commander", "1 Sol Ring", "1 Island"]
    );
    let wide = "Commander\n\n1 Brago, King Eternal\nDeck\n1 Sol Ring\n";
    assert_eq!(entries(wide, table())[0], "1 Brago, King Eternal @commander");
    let bare = "30 Island\n1 Sol Ring\n\n1 Brago, King Eternal\n";
    assert_eq!(entries(bare, table())[2], "1 Brago, King Eternal @sideboard");
    let leader = "1 Brago, King Eternal\n\n30 Island\n1 Sol Ring\n";
    assert!(
        entries(leader, table()).iter().all(|entry| !entry.contains('@')),
        "DM-10: nothing is picked"
    );
    let blocks = "30 Island\n\n1 Sol Ring\n\n1 Forest\n";
    assert!(entries(blocks, table()).iter().all(|entry| !entry.contains('@')));
    let large = "30 Island\n\n16 Forest\n";
    assert!(entries(large, table()).iter().all(|entry| !entry.contains('@')));
    let titled = "Deck\n30 Island\n\n1 Forest\n";
    assert!(entries(titled, table()).iter().all(|entry| !entry.contains('@')));
}

const ARENA: &str = "About\nName Blink Forever\n\nCommander\n1 Brago, King Eternal (CNS) 41\n\nCompanion\n1 Yorion, Sky Nomad\n\n\
    Deck\n1 Sol Ring (C21) 263\n38 Island (UNF) 236\n1 Delver of Secrets\n\nSideboard\n1 Fire // Ice\n";
const MOXFIELD: &str = "Commander\n1 Brago, King Eternal (CNS) 41 *F*\n\nDeck\n1 Sol Ring (CMM) 703 *E* #ramp #Mana Rock\n\
    1 Star Printing Elemental (DTK) 349★\n\nSideboard\n1 Fire // Ice\n\nMaybeboard\n1 Counterspell #maybe\n\nAttractions\n1 Ferris Wheel\n\n\
    Stickers\n1 Cool Fluffy Loxodon\n\nTokens\n1 Treasure\n";
const MTGO: &str = "1 Sol Ring\n38 Island\n1 Fire/Ice\n\nSIDEBOARD:\n1 Brago, King Eternal\n";
const DEK: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>
<Deck xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">
  <NetDeckID>0</NetDeckID>
  <PreconstructedDeckID>0</PreconstructedDeckID>
  <Cards CatID=\"58267\" Quantity=\"1\" Sideboard=\"false\" Name=\"Sol Ring\" Annotation=\"0\" />
  <Cards CatID=\"91000\" Quantity=\"1\" Sideboard=\"false\" Name=\"Fire/Ice\" Annotation=\"0\" />
  <Cards CatID=\"7\" Quantity=\"1\" Sideboard=\"true\" Name=\"R&amp;D&apos;s Secret Lair\" Annotation=\"0\" />
</Deck>
";
const ARCHIDEKT: &str = "1x Brago, King Eternal (cns) 41 [Commander{top}]\n1x Sol Ring (c21) 263 *F* [Ramp,Mana Rock] ^Have,#37d67a^\n\
    38x Island (unf) 236 [Land]\n1x Fire // Ice\n1x Counterspell [Sideboard]\n1x Path to Exile [Maybeboard{noDeck}{noPrice},Removal]\n\
    1x Treasure [Tokens{noDeck}{noPrice}]\n";

#[test]
fn whole_lists_are_printed_as_they_were_written() {
    let cases = [
        (ListFormat::Arena, ARENA),
        (ListFormat::Moxfield, MOXFIELD),
        (ListFormat::MtgoText, MTGO),
        (ListFormat::MtgoDek, DEK),
        (ListFormat::Archidekt, ARCHIDEKT),
    ];
    for (format, text) in cases {
        let parsed = parsed(text, table());
        assert_eq!(parsed.unread, [], "{format:?}");
        let printed = print_list(&parsed.list, format).unwrap();
        assert_eq!(printed.text, text, "{format:?}");
        assert_eq!(printed.moved, [], "{format:?}");
        assert_eq!(carried(&parsed.list, format).0, parsed.list, "{format:?}");
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(parse_list(&crlf, table()).unwrap().list, parsed.list, "{format:?} with CRLF");
        let marked = format!("\u{feff}{text}");
        assert_eq!(
            parse_list(&marked, table()).unwrap().list,
            parsed.list,
            "{format:?} with a mark"
        );
    }
}

#[test]
fn what_a_form_lacks_goes_to_the_nearest_zone_and_is_said() {
    use DeckZone::{Attractions, Commander, Maybeboard, Sideboard, Stickers, Tokens};
    let list = parsed(MOXFIELD, table()).list;
    let printed = print_list(&list, ListFormat::Arena).unwrap();
    assert_eq!(
        printed.moved,
        [
            (Maybeboard, Sideboard, 1),
            (Attractions, Sideboard, 1),
            (Stickers, Sideboard, 1),
            (Tokens, Sideboard, 1)
        ]
    );
    assert!(!printed.text.contains("*F*") && !printed.text.contains("#ramp"));
    let printed = print_list(&list, ListFormat::MtgoText).unwrap();
    assert_eq!(printed.moved[0], (Commander, Sideboard, 1));
    assert!(printed.text.ends_with("1 Treasure\n"), "{}", printed.text);
}

#[test]
fn files_of_magic_online_need_its_numbers() {
    let list = DeckList {
        name: None,
        entries: vec![
            ListEntry {
                count: 1,
                name: "Sol Ring".into(),
                mtgo_id: Some(58_267),
                ..ListEntry::default()
            },
            ListEntry { count: 1, name: "Forest Bear".into(), ..ListEntry::default() },
            ListEntry { count: 1, name: "Tundra".into(), mtgo_id: Some(0), ..ListEntry::default() },
        ],
    };
    let error = print_list(&list, ListFormat::MtgoDek).unwrap_err();
    assert_eq!(error, ListError::NoMtgoId(vec!["Forest Bear".into(), "Tundra".into()]), "DM-12");
    let file = "<Deck><Cards Quantity=\"4\" Name=\"Sol Ring\"/><Cards CatID=\"x\" Quantity=\"2\" Sideboard=\"TRUE\" Name=\"Fire/Ice\"></Cards></Deck>";
    assert_eq!(
        entries(file, table()),
        ["4 Sol Ring", "2 Fire // Ice @sideboard"],
        "DM-12: read by name"
    );
}

#[test]
fn parts_of_files_that_cannot_be_read_are_kept() {
    let cases = [
        ("no name", "<Cards CatID=\"1\" Quantity=\"1\" />", ListLineError::NoName),
        ("no count", "<Cards CatID=\"1\" Name=\"Sol Ring\" />", ListLineError::NotACard),
        ("zero", "<Cards Quantity=\"0\" Name=\"Sol Ring\" />", ListLineError::CountOfZero),
        ("too many", "<Cards Quantity=\"4000\" Name=\"Sol Ring\" />", ListLineError::CountTooLarge),
        ("broken off", "<Cards Quantity=\"1\" Name=\"Sol", ListLineError::NotXml),
    ];
    for (id, part, reason) in cases {
        let text = format!("<Deck>\n<Cards Quantity=\"1\" Name=\"Island\" />\n{part}");
        let parsed = parsed(&text, table());
        assert_eq!(parsed.list.entries.len(), 1, "{id}");
        assert_eq!(parsed.unread.len(), 1, "{id}");
        assert_eq!(parsed.unread[0].reason, reason, "{id}");
        assert!(parsed.unread[0].text.contains("Cards"), "{id}: {}", parsed.unread[0].text);
    }
}

#[test]
fn without_knowledge_of_cards_every_line_needs_a_count() {
    assert_eq!(
        entries("1 Sol Ring (C21) 263 *F* #ramp", &NoCardNames),
        ["1 Sol Ring (c21:263) foil #ramp"]
    );
    assert_eq!(entries("1 Sol Ring [C21]", &NoCardNames), ["1 Sol Ring #C21"]);
    assert_eq!(parsed("Sol Ring", &NoCardNames).unread[0].reason, ListLineError::NotACard);
    assert_eq!(
        parsed("1996 World Champion", &NoCardNames).unread[0].reason,
        ListLineError::CountTooLarge
    );
}

#[test]
fn a_list_is_read_up_to_its_bounds() {
    assert_eq!(parse_list(&"x".repeat((1 << 20) + 1), table()), Err(ListError::TooLarge));
    let many = "1 Island\n".repeat(2_001);
    let read = parsed(&many, table());
    assert_eq!((read.list.entries.len(), read.unread.len()), (2_000, 1));
    assert_eq!(read.unread[0].reason, ListLineError::TooManyEntries);
    let long = "\n".repeat(10_000) + "1 Island\n1 Forest\n";
    let read = parsed(&long, table());
    assert_eq!((read.list.entries.len(), read.unread.len(), read.unread[0].line), (0, 1, 10_001));
    let tags = (0..40).map(|number| format!(" #t{number}")).collect::<Vec<_>>().concat();
    assert_eq!(parsed(&format!("1 Island{tags}"), table()).list.entries[0].tags.len(), 20);
    let large = DeckList {
        name: None,
        entries: vec![ListEntry { count: 2_500, name: "Island".into(), ..ListEntry::default() }],
    };
    let printed = print_list(&large, ListFormat::MtgoText).unwrap();
    assert_eq!(printed.text, "999 Island\n999 Island\n502 Island\n");
}
