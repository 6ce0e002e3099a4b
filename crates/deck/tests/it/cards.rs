//! Cards by the names that people write (DM-03 to DM-09, DM-13, DM-17), and cards on disk.

use std::io::Write as _;

use abide_deck::{
    CardFileError, CardFinish, CardLookup, CardTable, CommanderStatus, Currency, NameMatch,
    read_bulk_cards, read_card_table, write_card_table,
};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};

use crate::fixture::{card, lines, table, tags};

#[test]
fn names_lead_to_cards() {
    use NameMatch::{Alias, Face, Whole};
    let cases = [
        ("plain", "Sol Ring", "Sol Ring", Whole),
        ("case", "sOL rING", "Sol Ring", Whole),
        ("blanks", "  Sol   Ring ", "Sol Ring", Whole),
        ("DM-03 one slash", "Fire/Ice", "Fire // Ice", Whole),
        ("DM-03 two slashes", "Fire // Ice", "Fire // Ice", Whole),
        ("DM-03 two slashes, no blanks", "Fire//Ice", "Fire // Ice", Whole),
        ("DM-03 three slashes", "Fire /// Ice", "Fire // Ice", Whole),
        ("DM-03 one slash, blanks", "Fire / Ice", "Fire // Ice", Whole),
        ("DM-03 slashes in a word", "SP//dr, Piloted by Peni", "SP//dr, Piloted by Peni", Whole),
        ("DM-03 first half", "Fire", "Fire // Ice", Face),
        ("DM-03 second half", "Ice", "Fire // Ice", Face),
        (
            "DM-04 both",
            "Delver of Secrets // Insectile Aberration",
            "Delver of Secrets // Insectile Aberration",
            Whole,
        ),
        ("DM-04 front", "Delver of Secrets", "Delver of Secrets // Insectile Aberration", Face),
        ("DM-04 back", "Insectile Aberration", "Delver of Secrets // Insectile Aberration", Face),
        ("DM-04 adventure", "Stomp", "Bonecrusher Giant // Stomp", Face),
        (
            "DM-04 modal",
            "The Prismatic Bridge",
            "Esika, God of the Tree // The Prismatic Bridge",
            Face,
        ),
        (
            "DM-04 land on the back",
            "Emeria, Shattered Skyclave",
            "Emeria's Call // Emeria, Shattered Skyclave",
            Face,
        ),
        (
            "DM-04 legend with two faces",
            "Emet-Selch, Unsundered",
            "Emet-Selch, Unsundered // Hades, Sorcerer of Eld",
            Face,
        ),
        ("DM-05 whole name beats face", "Lightning Bolt", "Lightning Bolt", Whole),
        (
            "DM-05 the other card",
            "Emeritus of Conflict",
            "Emeritus of Conflict // Lightning Bolt",
            Face,
        ),
        (
            "DM-05 the other card, both",
            "Emeritus of Conflict // Lightning Bolt",
            "Emeritus of Conflict // Lightning Bolt",
            Whole,
        ),
        ("DM-06 no accent", "Nazgul", "Nazgûl", Whole),
        ("DM-06 decomposed", "Nazgu\u{302}l", "Nazgûl", Whole),
        ("DM-06 capitals", "NAZGÛL", "Nazgûl", Whole),
        ("DM-06 curly apostrophe", "Urza’s Saga", "Urza's Saga", Whole),
        ("DM-06 ligature", "Æther Vial", "Æther Vial", Whole),
        ("DM-06 ligature in letters", "Aether Vial", "Æther Vial", Whole),
        ("DM-06 umlaut", "Jotun Grunt", "Jötun Grunt", Whole),
        ("DM-06 two oddities", "Lim-Dul’s Vault", "Lim-Dûl's Vault", Whole),
        ("DM-06 grave", "Chicken a la King", "Chicken à la King", Whole),
        (
            "DM-07 flavour name",
            "Godzilla, King of the Monsters",
            "Zilortha, Strength Incarnate",
            Alias,
        ),
        ("DM-07 name of another world", "Eleven, the Mage", "Cecily, Haunted Mage", Alias),
        ("DM-07 reversible card", "Propaganda // Propaganda", "Propaganda", Alias),
        (
            "DM-09 rebalanced card",
            "A-Omnath, Locus of Creation",
            "A-Omnath, Locus of Creation",
            Whole,
        ),
        ("DM-09 the card itself", "Omnath, Locus of Creation", "Omnath, Locus of Creation", Whole),
        ("a number", "1996 World Champion", "1996 World Champion", Whole),
        ("brackets", "Hazmat Suit (Used)", "Hazmat Suit (Used)", Whole),
        ("an ampersand", "R&D’s Secret Lair", "R&D's Secret Lair", Whole),
        ("a token", "Treasure", "Treasure", Whole),
        (
            "DM-11 an art card only by its own name",
            "Sol Ring // Sol Ring",
            "Sol Ring // Sol Ring",
            Whole,
        ),
        ("a melded card", "Brisela, Voice of Nightmares", "Brisela, Voice of Nightmares", Whole),
    ];
    for (id, written, name, by) in cases {
        let found =
            table().find(written, None).found().unwrap_or_else(|| panic!("{id}: not found"));
        assert_eq!((found.card.name.as_str(), found.by), (name, by), "{id}");
    }
}

#[test]
fn what_is_no_name_leads_nowhere() {
    let cases = [
        ("DM-13 German", "Blitzschlag"),
        ("DM-13 Japanese", "稲妻"),
        ("DM-13 French", "Anneau solaire"),
        ("a slip", "Sol Rng"),
        ("nothing", ""),
        ("slashes alone", "//"),
        ("half of a word", "Sol"),
    ];
    for (id, written) in cases {
        assert!(matches!(table().find(written, None), CardLookup::Unknown), "{id}");
    }
}

#[test]
fn printings_are_found_by_set_and_number() {
    let cases = [
        ("set and number", "Sol Ring", "C21", Some("263"), Some(("c21", "263"))),
        ("set alone", "Sol Ring", "cmm", None, Some(("cmm", "703"))),
        ("DM-08 star", "Star Printing Elemental", "DTK", Some("349★"), Some(("dtk", "349★"))),
        (
            "DM-08 star as an asterisk",
            "Star Printing Elemental",
            "DTK",
            Some("349*"),
            Some(("dtk", "349★")),
        ),
        (
            "DM-08 set in the number",
            "Listed Dragon",
            "PLST",
            Some("DTK-217"),
            Some(("plst", "DTK-217")),
        ),
        (
            "DM-08 number in lower case",
            "Listed Dragon",
            "PLST",
            Some("dtk-217"),
            Some(("plst", "DTK-217")),
        ),
        (
            "DM-08 letter after the number",
            "Bruna, the Fading Light",
            "emn",
            Some("15a"),
            Some(("emn", "15a")),
        ),
        ("DM-08 wrong number", "Sol Ring", "C21", Some("999"), None),
        ("DM-08 leading asterisk", "Sol Ring", "C21", Some("*64"), None),
        ("DM-08 wrong set", "Sol Ring", "ZZZ", Some("263"), None),
        ("DM-09 Arena's code", "Forsaken Crossroads", "Y22", Some("62"), Some(("ymid", "62"))),
        (
            "DM-09 Arena's code of Dominaria",
            "Llanowar Elves",
            "DAR",
            Some("168"),
            Some(("dom", "168")),
        ),
        ("DM-09 Magic Online's code", "Path to Exile", "CONF", None, Some(("con", "15"))),
    ];
    for (id, name, set, number, wanted) in cases {
        let found = table()
            .find(name, Some((set, number)))
            .found()
            .unwrap_or_else(|| panic!("{id}: the name wins"));
        let printing =
            found.printing.map(|printing| (printing.set.as_str(), printing.number.as_str()));
        assert_eq!(printing, wanted, "{id}");
    }
}

#[test]
fn a_name_of_one_printing_keeps_that_printing() {
    let found = table().find("Godzilla, King of the Monsters", None).found().unwrap();
    assert_eq!(found.printing.map(|printing| printing.number.as_str()), Some("371"));
    let found = table().find("Godzilla, King of the Monsters", Some(("IKO", Some("275")))).found();
    assert_eq!(found.unwrap().printing.map(|printing| printing.number.as_str()), Some("275"));
    let found = table().find("Eleven, the Mage", None).found().unwrap();
    assert_eq!(found.printing.map(|printing| printing.set.as_str()), Some("sld"));
}

#[test]
fn sets_are_known_by_the_codes_of_other_programs() {
    let cases = [
        ("C21", true),
        ("c21", true),
        ("Y22", true),
        ("DAR", true),
        ("Y25", false),
        ("Ramp", false),
        ("", false),
    ];
    for (code, is_set) in cases {
        assert_eq!(table().has_set(code), is_set, "{code}");
    }
}

#[test]
fn a_face_of_two_cards_needs_more_than_its_name() {
    let line = |id: &str, name: &str, set: &str| {
        format!(
            r#"{{"oracle_id":"{id}","name":"{name} // Twin","layout":"split","set":"{set}","collector_number":"1",
            "card_faces":[{{"name":"{name}"}},{{"name":"Twin"}}]}}"#
        )
        .replace('\n', " ")
    };
    let lines = [line("a", "Left", "aaa"), line("b", "Right", "bbb")];
    let table = CardTable::from_lines(lines.iter().map(String::as_str)).unwrap();
    let CardLookup::Ambiguous(cards) = table.find("Twin", None) else { panic!("one was picked") };
    assert_eq!(cards.len(), 2);
    assert_eq!(table.find("Twin", Some(("BBB", None))).found().unwrap().card.name, "Right // Twin");
}

#[test]
fn what_the_rules_need_is_read_from_every_shape() {
    assert_eq!(card("Fire // Ice").mana_value, 4);
    assert_eq!(card("Propaganda").mana_value, 3);
    assert_eq!(card("Propaganda").printings.len(), 2);
    assert_eq!(card("Propaganda").layout, "normal");
    assert_eq!(card("Kozilek's Sentinel").identity.to_string(), "red");
    assert!(card("Kozilek's Sentinel").colours.is_empty());
    assert_eq!(card("Valki, God of Lies").identity.to_string(), "black and red");
    assert_eq!(card("Black Lotus").commander, CommanderStatus::Banned);
    assert_eq!(card("Gunk Slug").commander, CommanderStatus::NotLegal);
    assert!(card("Rhystic Study").game_changer && !card("Sol Ring").game_changer);
    let sorts = [
        ("Brisela, Voice of Nightmares", false),
        ("Bruna, the Fading Light", true),
        ("Treasure", false),
        ("Sol Ring // Sol Ring", false),
        ("Balloon Stand", true),
    ];
    for (name, is_deck_card) in sorts {
        assert_eq!(card(name).is_deck_card(), is_deck_card, "{name}");
    }
    assert!(card("Balloon Stand").is_extra() && card("Carnival Elephant Meteor").is_extra());
    assert!(card("Wastes").is_basic_land() && card("Snow-Covered Wastes").is_basic_land());
    assert!(!card("Dryad Arbor").is_basic_land() && card("Dryad Arbor").is_land());
    assert!(
        card("Fire // Ice").is_of_type("instant") && !card("Westvale Abbey").is_of_type("Demon")
    );
    assert!(tags().has("mass-land-denial", &card("Armageddon").id));
}

#[test]
fn prices_are_those_of_a_currency_and_a_finish() {
    let ring = &card("Sol Ring").printings;
    let cases = [
        (0, Currency::Usd, CardFinish::Nonfoil, Some(150)),
        (0, Currency::Usd, CardFinish::Foil, Some(1_200)),
        (0, Currency::Usd, CardFinish::Etched, None),
        (0, Currency::Eur, CardFinish::Foil, Some(900)),
        (0, Currency::Tix, CardFinish::Foil, Some(30)),
        (1, Currency::Usd, CardFinish::Etched, Some(400)),
        (1, Currency::Eur, CardFinish::Nonfoil, None),
        (2, Currency::Usd, CardFinish::Nonfoil, None),
        (2, Currency::Tix, CardFinish::Nonfoil, Some(5)),
    ];
    for (index, currency, finish, wanted) in cases {
        assert_eq!(
            ring[index].prices.of(currency, finish),
            wanted,
            "{index} {currency:?} {finish:?}"
        );
    }
    assert!(ring[2].is_digital && !ring[0].is_digital);
}

fn packed(text: &str) -> (Vec<u8>, String) {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    let bytes = packed.finish().unwrap();
    let digest = hex::encode(Sha256::digest(&bytes));
    (bytes, digest)
}

#[test]
fn pulled_cards_become_a_table_on_disk_that_says_the_same() {
    let (bytes, digest) = packed(lines());
    let pulled = read_bulk_cards(bytes.as_slice(), &digest).unwrap();
    assert_eq!(pulled.cards(), table().cards());
    let mut file = Vec::new();
    let table_digest = write_card_table(&pulled, &digest, &mut file).unwrap();
    assert_eq!(table_digest, hex::encode(Sha256::digest(&file)));
    let (read, source) = read_card_table(file.as_slice(), &table_digest).unwrap();
    assert_eq!((read.cards(), source), (pulled.cards(), digest));
    for name in ["Nazgul", "Eleven, the Mage", "Insectile Aberration", "Propaganda // Propaganda"] {
        let found =
            |table: &CardTable| table.find(name, None).found().map(|found| found.card.id.clone());
        assert_eq!(found(&read), found(&pulled), "{name}");
    }
    assert!(read.has_set("Y22"));
}

#[test]
fn nothing_of_altered_cards_is_used() {
    let (bytes, digest) = packed(lines());
    let wrong = read_bulk_cards(bytes.as_slice(), &"0".repeat(64));
    assert!(matches!(&wrong, Err(CardFileError::Digest { found, .. }) if *found == digest));
    for cut in [0, 1, 10, bytes.len() / 2, bytes.len() - 1] {
        assert!(read_bulk_cards(&bytes[..cut], &digest).is_err(), "cut at {cut}");
    }
    let mut more = bytes.clone();
    more.extend_from_slice(b"trailing");
    assert!(read_bulk_cards(more.as_slice(), &digest).is_err());
    let (bytes, digest) = packed("{\"layout\":\"normal\"}\n");
    let error = read_bulk_cards(bytes.as_slice(), &digest).unwrap_err();
    assert_eq!(error.to_string(), "line 1 of the cards: the line has no `oracle_id`");
    let (bytes, digest) = packed(&"x".repeat(300 << 10));
    assert!(matches!(read_bulk_cards(bytes.as_slice(), &digest), Err(CardFileError::TooLarge(_))));
    let tables = [
        ("", "it says another number"),
        ("{}", "missing field"),
        (r#"{"kind":"abide cards","version":2,"source":"","cards":0}"#, "of version 2"),
        (r#"{"kind":"abide cards","version":1,"source":"","cards":3}"#, "another number"),
        (
            "{\"kind\":\"abide cards\",\"version\":1,\"source\":\"\",\"cards\":1}\n{}",
            "missing field",
        ),
    ];
    for (text, wanted) in tables {
        let (bytes, digest) = packed(text);
        let error = read_card_table(bytes.as_slice(), &digest).unwrap_err().to_string();
        assert!(error.contains(wanted), "{text}: {error}");
    }
}
