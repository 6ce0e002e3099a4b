//! Curve, types, colours, prices, brackets, hands, comparisons, and what EDHREC tells (DM-16, DM-17, DM-18).

use std::collections::BTreeMap;

use abide_deck::{
    CardFinish, Colour, Currency, DeckZone, EntryContent, EntryKey, PrintingRef, combos_of,
    compare_decks, deck_figures, deck_price, estimate_bracket, playtest_hand, salt_of,
};
use serde_json::json;

use crate::{
    fixture::{card, table, tags},
    legality::deck_of,
};

/// `W4U5`
fn by_colour(counts: &BTreeMap<Colour, u32>) -> String {
    let counts = counts.iter().map(|(colour, count)| format!("{}{count}", colour.letter()));
    counts.collect::<Vec<_>>().concat()
}

#[test]
fn cards_are_counted_by_value_type_and_colour() {
    let deck = deck_of(
        "C: Brago, King Eternal; Sol Ring; Counterspell; Fire // Ice; Baneslayer Angel; Emeria's Call; Elesh Norn, Grand Cenobite; \
         Baleful Strix; Tundra; Jace, the Mind Sculptor; Dryad Arbor; 2 Island; M: Kozilek, Butcher of Truth; S: Lightning Bolt",
    );
    let figures = deck_figures(&deck, table());
    assert_eq!(figures.cards, 13);
    assert_eq!(figures.curve, [0, 1, 2, 0, 3, 1, 0, 2]);
    // 4 + 1 + 2 + 4 + 5 + 7 + 7 + 2 + 4 = 36, of 9 cards
    assert_eq!(figures.mean_mana_value, Some(400));
    let types: Vec<_> =
        figures.types.iter().map(|(name, count)| format!("{count} {name}")).collect();
    assert_eq!(
        types,
        ["1 Artifact", "4 Creature", "2 Instant", "4 Land", "1 Planeswalker", "1 Sorcery"]
    );
    let colours = by_colour(&figures.colours);
    assert_eq!(colours, "W4U5B1R1");
    assert_eq!(figures.colourless, 1);
    let symbols = by_colour(&figures.symbols);
    assert_eq!(symbols, "W8U7B1R1");
    let lands = by_colour(&figures.land_colours);
    assert_eq!(lands, "W1U3G1");
    assert_eq!(deck_figures(&deck_of("99 Island"), table()).mean_mana_value, None);
}

#[test]
fn prices_are_of_the_printing_the_finish_and_the_currency() {
    use Currency::{Eur, Tix, Usd};
    let cases = [
        ("DM-16 own currency", "Sol Ring (C21) 263", Usd, 150, "1 of 1 priced"),
        ("DM-16 euros", "Sol Ring (C21) 263", Eur, 110, "1 of 1 priced"),
        ("DM-16 foil", "Sol Ring (C21) 263 *F*", Usd, 1_200, "1 of 1 priced"),
        ("DM-16 foil in euros", "Sol Ring (C21) 263 *F*", Eur, 900, "1 of 1 priced"),
        ("DM-16 etched", "Sol Ring (CMM) 703 *E*", Usd, 400, "1 of 1 priced"),
        ("DM-16 no euro price of this printing", "Sol Ring (CMM) 703", Eur, 0, "0 of 1 priced"),
        ("DM-16 foil has no price", "Tundra (3ED) 297 *F*", Usd, 0, "0 of 1 priced"),
        ("DM-16 no plain price, foil has one", "Brightstone Ritual", Usd, 0, "0 of 1 priced"),
        (
            "DM-16 foil where only foil has one",
            "Brightstone Ritual *F*",
            Usd,
            3_000,
            "1 of 1 priced",
        ),
        ("DM-16 no price at all", "Forest Bear", Usd, 0, "0 of 1 priced"),
        ("DM-16 several", "10 Island (FDN)", Usd, 100, "10 of 10 priced"),
        ("DM-16 cheapest of all printings", "Sol Ring", Usd, 150, "1 of 1 priced"),
        ("DM-16 cheapest of all printings online", "Sol Ring", Tix, 5, "1 of 1 priced"),
        ("DM-17 online-only printing", "Sol Ring (PZ2) 1", Usd, 0, "0 of 1 priced"),
        (
            "DM-17 online-only printing has a price online",
            "Sol Ring (PZ2) 1",
            Tix,
            5,
            "1 of 1 priced",
        ),
        ("DM-17 online-only card", "Forsaken Crossroads", Eur, 0, "0 of 1 priced"),
        (
            "what is not played has no price",
            "M: Tundra; S: Badlands; X: Treasure",
            Usd,
            0,
            "0 of 0 priced",
        ),
        (
            "commander and companion are played",
            "C: Isamaru, Hound of Konda; K: Kaheera, the Orphanguard",
            Usd,
            380,
            "2 of 2 priced",
        ),
        (
            "DM-16 97 of 100",
            "C: Isamaru, Hound of Konda; Forest Bear; Brightstone Ritual; Forsaken Crossroads; *Plains",
            Usd,
            1_260,
            "97 of 100 priced",
        ),
    ];
    for (id, cards, currency, total, coverage) in cases {
        let report = deck_price(&deck_of(cards), table(), currency);
        assert_eq!((report.total, report.coverage().as_str()), (total, coverage), "{id}");
        let unpriced = report.cards - report.priced;
        assert_eq!(unpriced > 0, !report.unpriced.is_empty(), "{id}");
    }
    let report = deck_price(&deck_of("Forest Bear; Sol Ring; Sol Ring (CMM) 703"), table(), Usd);
    assert_eq!(
        (report.unpriced.as_slice(), report.any_printing),
        (["Forest Bear".to_owned()].as_slice(), 1)
    );
}

#[test]
fn brackets_are_estimated_by_what_can_be_counted() {
    let cases = [
        ("none", "C: Talrand, Sky Summoner; *Island", 2),
        ("one game changer", "C: Talrand, Sky Summoner; Rhystic Study; *Island", 3),
        (
            "three",
            "C: Talrand, Sky Summoner; Rhystic Study; Cyclonic Rift; Thassa's Oracle; *Island",
            3,
        ),
        (
            "four",
            "C: Lazav, Dimir Mastermind; Rhystic Study; Cyclonic Rift; Thassa's Oracle; Demonic Tutor; *Island",
            4,
        ),
        ("the commander counts", "C: Tergrid, God of Fright; *Swamp", 3),
        (
            "maybeboard does not",
            "C: Talrand, Sky Summoner; M: Rhystic Study; S: Cyclonic Rift; *Island",
            2,
        ),
        ("land denial", "C: Isamaru, Hound of Konda; Armageddon; *Plains", 4),
        ("the same twice is one", "C: Talrand, Sky Summoner; 4 Rhystic Study; *Island", 3),
        (
            "a tutor that is no game changer",
            "C: Drana, Kalastria Bloodchief; Beseech the Queen; *Swamp",
            2,
        ),
    ];
    for (id, cards, bracket) in cases {
        let estimate = estimate_bracket(&deck_of(cards), table(), Some(tags()), None);
        assert_eq!(estimate.bracket, bracket, "{id}");
        assert!(estimate.land_denial.is_some() && estimate.early_combos.is_none(), "{id}");
    }
    let deck = deck_of("C: Isamaru, Hound of Konda; Armageddon; *Plains");
    let estimate = estimate_bracket(&deck, table(), None, None);
    assert_eq!(
        (estimate.bracket, estimate.land_denial),
        (2, None),
        "what is not known is not counted, and that is said"
    );
}

#[test]
fn combos_and_salt_are_what_edhrec_tells_and_nothing_else() {
    let deck = deck_of(
        "C: Lazav, Dimir Mastermind; Thassa's Oracle; Demonic Consultation; Counterspell; *Island",
    );
    let views = |names: &[&str]| names.iter().map(|name| json!({"name": name})).collect::<Vec<_>>();
    let page = json!({"container": {"json_dict": {"cardlists": [
        {"cardviews": views(&["Thassa's Oracle", "Demonic Consultation"]), "combo": {"results": ["Win the game"], "comboVote": {"bracket": "4"}}},
        {"cardviews": views(&["Thassa's Oracle", "Demonic Tutor"]), "combo": {}},
        [{"cardviews": views(&["Counterspell", "Thassa's Oracle", "Lazav, Dimir Mastermind"])}],
        {"cardviews": views(&["Counterspell"])},
        {"cardviews": "none"},
        7
    ]}}});
    let combos = combos_of(&deck, table(), &page);
    assert_eq!(combos.len(), 2);
    assert_eq!(
        (combos[0].cards.join(" + ").as_str(), combos[0].is_early),
        ("Thassa's Oracle + Demonic Consultation", true)
    );
    assert_eq!((combos[1].cards.len(), combos[1].is_early), (3, false));
    let estimate = estimate_bracket(&deck, table(), None, Some(&combos));
    assert_eq!((estimate.bracket, estimate.early_combos.map(|found| found.len())), (4, Some(1)));
    for odd in [json!(null), json!({"container": {"json_dict": {"cardlists": {}}}}), json!([])] {
        assert_eq!(combos_of(&deck, table(), &odd), []);
    }
    let told = |name: &str, salt: serde_json::Value| json!({"container": {"json_dict": {"card": {"name": name, "salt": salt}}}});
    let pages = [
        told("Thassa's Oracle", json!(1.5)),
        told("Counterspell", json!("high")),
        told("Armageddon", json!(3.0)),
        json!({}),
    ];
    let salt = salt_of(&deck, table(), &pages);
    assert_eq!((salt.told_cards, salt.cards), (1, 5));
    assert!((salt.total - 1.5).abs() < 1e-9 && salt.by_card.contains_key("Thassa's Oracle"));
}

#[test]
fn the_same_seed_gives_the_same_hand() {
    let deck = deck_of(
        "C: Isamaru, Hound of Konda; Sol Ring; Path to Exile; Swords to Plowshares; *Plains",
    );
    let first = playtest_hand(&deck, 7, 0);
    assert_eq!(first, playtest_hand(&deck, 7, 0));
    assert_eq!((first.hand.len(), first.library.len(), first.to_bottom), (7, 92, 0));
    let leader = &card("Isamaru, Hound of Konda").id;
    assert!(!first.hand.contains(leader) && !first.library.contains(leader));
    let mut all: Vec<_> = first.hand.iter().chain(&first.library).cloned().collect();
    all.sort();
    let again = playtest_hand(&deck, 7, 1);
    let mut others: Vec<_> = again.hand.iter().chain(&again.library).cloned().collect();
    others.sort();
    assert_eq!(all, others, "a mulligan keeps the cards");
    assert_ne!(first, again);
    assert_ne!(first, playtest_hand(&deck, 8, 0));
    let bottoms: Vec<_> = (0..12).map(|taken| playtest_hand(&deck, 7, taken).to_bottom).collect();
    assert_eq!(bottoms, [0, 0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7]);
    let small = playtest_hand(&deck_of("3 Island"), 1, 0);
    assert_eq!((small.hand.len(), small.library.len()), (3, 0));
    // Each of 99 cards is as likely as another to be on top: 990 seeds, 3 special cards, about 30 expected.
    let ring = &card("Sol Ring").id;
    let on_top =
        (0..990).filter(|seed| playtest_hand(&deck, *seed, 0).hand.first() == Some(ring)).count();
    assert!((2..=25).contains(&on_top), "{on_top} of 990, 10 expected");
}

#[test]
fn decks_are_compared_by_counts_too() {
    let before =
        deck_of("C: Isamaru, Hound of Konda; Sol Ring; 10 Plains; Path to Exile; M: Counterspell");
    let after = deck_of(
        "C: Talrand, Sky Summoner; Sol Ring (CMM) 703; 8 Plains; Isamaru, Hound of Konda; Counterspell",
    );
    let differences: Vec<_> = compare_decks(&before, &after)
        .into_iter()
        .map(|at| format!("{}: {} {} -> {}", at.zone.title(), at.name, at.before, at.after))
        .collect();
    let mut wanted = vec![
        "Commander: Isamaru, Hound of Konda 1 -> 0",
        "Commander: Talrand, Sky Summoner 0 -> 1",
        "Deck: Counterspell 0 -> 1",
        "Deck: Isamaru, Hound of Konda 0 -> 1",
        "Deck: Path to Exile 1 -> 0",
        "Deck: Plains 10 -> 8",
        "Maybeboard: Counterspell 1 -> 0",
    ];
    let mut found: Vec<&str> = differences.iter().map(String::as_str).collect();
    wanted.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, wanted, "DM-18");
    assert_eq!(compare_decks(&before, &before), []);
    let mut foil = before.clone();
    let key = EntryKey {
        zone: DeckZone::Main,
        card: card("Sol Ring").id.clone(),
        printing: Some(PrintingRef { set: "cmm".into(), number: Some("703".into()) }),
        finish: CardFinish::Foil,
    };
    foil.add(
        &key,
        EntryContent { count: 1, name: "Sol Ring".into(), tags: Vec::new(), label: None },
    );
    assert_eq!(compare_decks(&before, &foil).len(), 1, "printings of one card are added up");
}
