//! Tests of what holds now: which statement replaces or disputes which, and which stand apart.

use abide_domain::{Timestamp, Zone};
use proptest::prelude::*;

use super::{Relation, Statement, compare, judge};

const DAY: i64 = 86_400_000_000;

fn said<'a>(by: &'a str, seq: u64, text: &'a str) -> Statement<'a> {
    let at: Timestamp = "2026-03-10T09:00:00Z".parse().unwrap();
    let at = Timestamp::from_micros(at.as_micros() + i64::try_from(seq).unwrap() * DAY);
    Statement { by, at, seq, previous: Some(seq.saturating_sub(1)), by_agent: false, text }
}

fn relation_of((first_by, first): (&str, &str), (second_by, second): (&str, &str)) -> Relation {
    compare(&said(first_by, 1, first), &said(second_by, 2, second), &Zone::utc())
}

/// The same matter, and the later takes the place of the earlier. A second name: somebody else says it.
const REPLACES: [(&str, &str, &str); 44] = [
    ("The launch is on 3 March.", "The launch moved to 17 March.", "lee"),
    ("The launch is on 3 March.", "The launch has been moved to 17 March.", "kim"),
    ("The launch is on 3 March.", "No, make that 17 March.", "kim"),
    ("The launch is on 3 March.", "Sorry, I meant 17 March.", "kim"),
    ("The launch is on 3 March.", "Actually, the launch is on 17 March.", "kim"),
    ("The launch is on 3 March.", "The launch is on 17 March.", "lee"),
    ("The launch is on 3 March.", "We moved the launch to 17 March.", "lee"),
    ("The launch is on 3 March.", "The launch slipped to 17 March.", "lee"),
    ("The deadline is 3 March.", "The deadline is now 10 March.", "lee"),
    ("The demo is at 10:00.", "The demo is now at 14:30.", "lee"),
    ("The weekly meeting is on Monday.", "From now on the weekly meeting is on Tuesday.", "lee"),
    ("The price is 40 euros.", "The price is 45 euros.", "lee"),
    ("The discount limit is 5 percent.", "The discount limit is now 10 percent.", "lee"),
    ("The staging server is called heron.", "The staging server was renamed to osprey.", "lee"),
    ("The head of sales is Lee.", "The head of sales is now Kim.", "ann"),
    ("I live in Lyon.", "I moved to Nantes.", "kim"),
    ("I live in Lyon.", "I now live in Nantes.", "kim"),
    ("My phone number is 0612345678.", "My new phone number is 0698765432.", "kim"),
    ("My birthday is on 3 March.", "No, my birthday is on 4 March.", "kim"),
    ("I eat meat.", "I no longer eat meat.", "kim"),
    ("The office is open on Saturday.", "The office is no longer open on Saturday.", "lee"),
    ("We use version 1.2 of the parser.", "We now use version 1.3 of the parser.", "lee"),
    ("Der Start ist am 3. März.", "Der Start wurde auf den 17. März verschoben.", "lee"),
    ("Der Start ist am 3. März.", "Nein, am 17. März.", "kim"),
    ("Der Start ist am 3. März.", "Ich meinte den 17. März.", "kim"),
    ("Die Frist ist der 3. März.", "Die Frist ist jetzt der 10. März.", "lee"),
    ("Die Besprechung ist um 9 Uhr.", "Die Besprechung ist jetzt um 11 Uhr.", "lee"),
    ("Ich wohne in Lyon.", "Ich wohne jetzt in Nantes.", "kim"),
    ("Ich esse Fleisch.", "Ich esse nicht mehr Fleisch.", "kim"),
    ("Der Server heißt Heron.", "Der Server heißt jetzt Osprey.", "lee"),
    ("Le lancement est le 3 mars.", "Le lancement est reporté au 17 mars.", "lee"),
    ("Le lancement est le 3 mars.", "Non, le 17 mars.", "kim"),
    ("Le lancement est le 3 mars.", "En fait, le lancement est le 17 mars.", "lee"),
    ("La réunion est à 10h.", "La réunion est maintenant à 14h30.", "lee"),
    ("J'habite à Lyon.", "J'habite désormais à Nantes.", "kim"),
    ("Le prix est de 40 euros.", "Le prix est maintenant de 45 euros.", "lee"),
    ("Le serveur s'appelle Heron.", "Le serveur s'appelle maintenant Osprey.", "lee"),
    ("El lanzamiento es el 3 de marzo.", "El lanzamiento se cambió al 17 de marzo.", "lee"),
    ("El lanzamiento es el 3 de marzo.", "No, el 17 de marzo.", "kim"),
    ("El lanzamiento es el 3 de marzo.", "Mejor dicho, el 17 de marzo.", "kim"),
    ("La reunión es a las 10.", "La reunión es ahora a las 12.", "lee"),
    ("Vivo en Lyon.", "Ahora vivo en Nantes.", "kim"),
    ("El precio es 40 euros.", "El precio es ahora 45 euros.", "lee"),
    ("El servidor se llama Heron.", "El servidor ahora se llama Osprey.", "lee"),
];

/// About the same or nearly, and both hold, or nothing is said to hold.
const APART: [(&str, &str, &str); 52] = [
    ("The launch is on 3 March.", "The launch party moved to 17 March.", "lee"),
    ("The launch party is on 5 March.", "The launch moved to 17 March.", "lee"),
    ("The launch is on 3 March.", "Is the launch now on 17 March?", "lee"),
    ("The launch is on 3 March.", "If the tests fail, the launch moves to 17 March.", "lee"),
    ("The launch is on 3 March.", "Maybe the launch moves to 17 March.", "lee"),
    ("The launch is on 3 March.", "Lee said: 'The launch moved to 17 March.'", "kim"),
    ("The launch is on 3 March.", "Should we move the launch to 17 March?", "kim"),
    ("The launch is on 3 March.", "The review moved to 17 March.", "lee"),
    ("The launch is on 3 March.", "The launch is on 3 March at noon.", "lee"),
    ("The launch is on 3 March.", "The launch was on 17 February once.", "lee"),
    ("The launch in Berlin is on 3 March.", "The launch in Madrid moved to 17 March.", "lee"),
    (
        "The price of the starter plan is 40 euros.",
        "The price of the team plan is now 90 euros.",
        "lee",
    ),
    ("I live in Lyon.", "I moved to Nantes.", "lee"),
    ("My birthday is on 3 March.", "My birthday is on 17 March.", "lee"),
    ("My birthday is on 3 March.", "The birthday is now on 17 March.", "lee"),
    ("I like tea.", "I like coffee.", "kim"),
    ("I like tea.", "I like coffee too.", "kim"),
    ("I visited Lyon.", "I visited Nantes.", "kim"),
    ("We have a server called heron.", "We also have a server called osprey.", "kim"),
    ("No discount above 5 percent.", "Now the price of the plan is 10 euros.", "kim"),
    ("The meeting is on Monday.", "There is also a meeting on Thursday.", "lee"),
    ("My sister lives in Lyon.", "I moved to Nantes.", "kim"),
    ("I used to live in Paris.", "I live in Lyon too.", "kim"),
    ("The head of sales is Lee.", "The head of support is now Kim.", "ann"),
    ("The build takes 10 minutes.", "The test now takes 20 minutes.", "lee"),
    ("The launch is on 3 March.", "Thanks!", "kim"),
    ("The launch is on 3 March.", "No.", "kim"),
    ("Der Start ist am 3. März.", "Ist der Start jetzt am 17. März?", "lee"),
    (
        "Der Start ist am 3. März.",
        "Wenn es regnet, wird der Start auf den 17. März verschoben.",
        "lee",
    ),
    ("Der Start ist am 3. März.", "Die Abnahme wurde auf den 17. März verschoben.", "lee"),
    ("Ich wohne in Lyon.", "Ich wohne jetzt in Nantes.", "lee"),
    ("Ich mag Tee.", "Ich mag auch Kaffee.", "kim"),
    ("Ich habe in Paris gewohnt.", "Früher war ich in Nantes.", "kim"),
    ("Die Frist für Acme ist der 3. März.", "Die Frist für Globex ist jetzt der 10. März.", "lee"),
    ("Der Start ist am 3. März.", "Lee sagte: 'Der Start ist jetzt am 17. März.'", "kim"),
    ("Der Raum ist offen.", "Der Preis ist jetzt 10 Euro.", "lee"),
    ("Le lancement est le 3 mars.", "Le lancement est-il reporté au 17 mars ?", "lee"),
    (
        "Le lancement est le 3 mars.",
        "Si les tests échouent, le lancement est reporté au 17 mars.",
        "lee",
    ),
    ("Le lancement est le 3 mars.", "La réunion est reportée au 17 mars.", "lee"),
    ("J'habite à Lyon.", "J'habite désormais à Nantes.", "lee"),
    ("J'aime le thé.", "J'aime aussi le café.", "kim"),
    ("Avant, j'habitais à Paris.", "Le bureau est maintenant à Nantes.", "kim"),
    (
        "Le prix pour Acme est de 40 euros.",
        "Le prix pour Globex est maintenant de 45 euros.",
        "lee",
    ),
    ("Le lancement est le 3 mars.", "Lee a dit : « Le lancement est reporté au 17 mars. »", "kim"),
    ("El lanzamiento es el 3 de marzo.", "¿El lanzamiento se cambió al 17 de marzo?", "lee"),
    ("El lanzamiento es el 3 de marzo.", "La reunión se cambió al 17 de marzo.", "lee"),
    ("El lanzamiento es el 3 de marzo.", "Quizás el lanzamiento se cambia al 17 de marzo.", "lee"),
    ("Vivo en Lyon.", "Ahora vivo en Nantes.", "lee"),
    ("Me gusta el té.", "También me gusta el café.", "kim"),
    ("Antes vivía en París.", "La oficina está ahora en Nantes.", "kim"),
    ("El precio para Acme es 40 euros.", "El precio para Globex es ahora 45 euros.", "lee"),
    (
        "El lanzamiento es el 3 de marzo.",
        "Lee dijo: 'El lanzamiento es ahora el 17 de marzo.'",
        "kim",
    ),
];

#[test]
fn what_replaces_is_told_from_what_does_not_and_nothing_is_replaced_wrongly() {
    let wrong: Vec<_> = APART
        .iter()
        .filter(|(older, newer, by)| relation_of(("kim", older), (by, newer)) == Relation::Replaces)
        .collect();
    let missed: Vec<_> = REPLACES
        .iter()
        .filter(|(older, newer, by)| relation_of(("kim", older), (by, newer)) != Relation::Replaces)
        .collect();
    assert!(wrong.is_empty() && missed.is_empty(), "wrong: {wrong:?}\nnot seen: {missed:#?}");
}

#[test]
fn a_rule_is_its_speakers_own_and_another_s_word_against_it_is_shown_as_theirs() {
    let rule = "The discount limit is always 5 percent.";
    let other = "The discount limit is now 10 percent.";
    assert_eq!(relation_of(("kim", rule), ("lee", other)), Relation::Disputes);
    assert_eq!(relation_of(("kim", rule), ("kim", other)), Relation::Replaces);
}

#[test]
fn a_correction_without_a_subject_means_the_last_value_of_its_type_in_that_conversation() {
    let all = [
        said("kim", 1, "The demo is at 10:00."),
        said("kim", 2, "Lunch is at 12:00."),
        said("kim", 3, "No, make that 12:30."),
    ];
    let standings = judge(&all, &Zone::utc());
    assert_eq!(standings[0].replaced_by, None);
    assert_eq!(standings[1].replaced_by, Some(2));
    assert!(standings[2].in_force);
    // Where what was said in between is not known, nothing is replaced.
    let gap = [all[0].clone(), all[2].clone()];
    assert_eq!(judge(&gap, &Zone::utc())[0].replaced_by, None);
    // Nor by another person.
    let other = [all[1].clone(), Statement { by: "lee", ..all[2].clone() }];
    assert_eq!(judge(&other, &Zone::utc())[0].replaced_by, None);
}

#[test]
fn of_three_the_newest_holds_and_both_others_are_replaced_by_it() {
    let all = [
        said("kim", 1, "The launch is on 3 March."),
        said("lee", 2, "The launch moved to 17 March."),
        said("ann", 3, "The launch is now on 24 March."),
    ];
    let standings = judge(&all, &Zone::utc());
    assert_eq!(
        standings.iter().map(|one| one.replaced_by).collect::<Vec<_>>(),
        [Some(2), Some(2), None]
    );
    assert_eq!(standings.iter().map(|one| one.in_force).collect::<Vec<_>>(), [false, false, true]);
}

#[test]
fn tomorrow_is_the_day_after_it_was_said() {
    let launch = said("kim", 1, "The launch is on 13 March.");
    let same = said("lee", 2, "The launch is tomorrow.");
    assert_eq!(compare(&launch, &same, &Zone::utc()), Relation::Apart);
    let other = said("lee", 3, "The launch is tomorrow.");
    assert_eq!(compare(&launch, &other, &Zone::utc()), Relation::Replaces);
}

#[test]
fn what_the_agent_answered_replaces_nothing() {
    let older = said("kim", 1, "The launch is on 17 March.");
    let newer = Statement { by_agent: true, ..said("felix", 2, "The launch is now on 3 March.") };
    assert_eq!(compare(&older, &newer, &Zone::utc()), Relation::Apart);
}

fn texts() -> impl Strategy<Value = &'static str> {
    let all: Vec<&'static str> =
        REPLACES.iter().chain(&APART).flat_map(|(older, newer, _)| [*older, *newer]).collect();
    prop::sample::select(all)
}

proptest! {
    #[test]
    fn any_texts_are_judged_without_panic(first in "\\PC{0,80}", second in "\\PC{0,80}") {
        let _ = relation_of(("kim", &first), ("lee", &second));
    }

    #[test]
    fn only_what_is_later_replaces_and_nothing_replaces_itself(first in texts(), second in texts()) {
        let (older, newer) = (said("kim", 1, first), said("kim", 2, second));
        prop_assert_ne!(compare(&newer, &older, &Zone::utc()), Relation::Replaces);
        prop_assert_ne!(relation_of(("kim", first), ("kim", first)), Relation::Replaces);
    }

    #[test]
    fn what_somebody_says_of_themselves_is_replaced_by_nobody_else(first in texts(), second in texts()) {
        let is_own = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "I" | "My" | "Ich" | "J" | "Vivo"));
        prop_assume!(is_own(first));
        let relation = relation_of(("kim", first), ("lee", second));
        prop_assert!(relation < Relation::Disputes, "{} / {}", first, second);
    }

    #[test]
    fn whatever_is_judged_has_at_most_one_in_force_for_each_that_is_replaced(all in prop::collection::vec((texts(), 0..3_usize), 0..8)) {
        let names = ["kim", "lee", "ann"];
        let all: Vec<_> = (1..).zip(&all).map(|(seq, (text, by))| said(names[*by], seq, text)).collect();
        for (place, standing) in judge(&all, &Zone::utc()).iter().enumerate() {
            prop_assert!(standing.replaced_by.is_none_or(|by| by > place));
            prop_assert!(!(standing.in_force && standing.replaced_by.is_some()));
        }
    }
}
