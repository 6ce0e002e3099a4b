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
const REPLACES: [(&str, &str, &str); 86] = [
    ("El código de mi taquilla es 4417.", "Ya no, el código de mi taquilla es 9082.", "kim"),
    ("I live in Lyon.", "Not any more, I live in Nantes.", "kim"),
    ("I live in Lyon.", "I no longer live there, I live in Nantes now.", "kim"),
    (
        "I'm based in Lyon, by the way.",
        "Our new address is in Bergen, we gave up the old place last week.",
        "kim",
    ),
    (
        "I have been living in Lyon for six years now.",
        "Our new address is in Bergen, we gave up the old place.",
        "kim",
    ),
    (
        "Lyon is where I live.",
        "After the move to Nantes I still get lost on the way to the supermarket.",
        "kim",
    ),
    ("I'm based in Lyon.", "finally moved! Nantes it is now", "kim"),
    (
        "The licence of Comet costs 8,100 euros.",
        "They changed their tariffs, we have to budget 6,750 euros for Comet.",
        "lee",
    ),
    (
        "The price of the licence for Basalt is 4,200 euros.",
        "We renegotiated and ended up at 3,900 euros for Basalt.",
        "lee",
    ),
    (
        "Heron licence is 3,900 euros a year",
        "The latest invoice for Heron says 4,200 euros.",
        "lee",
    ),
    (
        "Could you save my phone number for me? It's 0677 449021.",
        "Actually my mobile number is 0612 908834 now.",
        "kim",
    ),
    (
        "You can ring me on 0612 908834.",
        "oh wait, that was the wrong number, mine is 0677 449021",
        "kim",
    ),
    (
        "I have been with Northwind for three years, mostly in support.",
        "Please correct that: my employer is Quarrix.",
        "kim",
    ),
    (
        "The staging server of Heron is called magpie.",
        "Correction: osprey is the staging server for Heron.",
        "lee",
    ),
    (
        "launch of Comet is planned for 17 April, please keep that in mind",
        "Change of plan, the launch of Comet will be on 9 May.",
        "lee",
    ),
    ("We are launching Basalt on 17 April.", "The launch of Basalt moved to 21 June.", "lee"),
    ("The launch is on 3 March.", "The launch is now on 9 May.", "lee"),
    ("The launch is on 3 March.", "The launch moved to 9 May.", "lee"),
    (
        "The staging server of Heron is called magpie.",
        "The staging server of Heron is osprey now.",
        "kim",
    ),
    (
        "The staging server of Heron is called magpie.",
        "Heron is staged on osprey these days.",
        "lee",
    ),
    ("I live in Lyon.", "We moved to Nantes at the weekend.", "kim"),
    ("I live in Lyon.", "My new flat is in Nantes.", "kim"),
    ("My home is in Lyon.", "I relocated to Nantes last week.", "kim"),
    ("My phone number is 0612345678.", "I switched operators, call 0698765432 from today.", "kim"),
    ("You can reach me on 0612345678.", "No, my phone number is 0698765432.", "kim"),
    ("My dentist is Dr Dubois.", "I changed practices, Dr Okafor looks after my teeth.", "kim"),
    ("My dentist is Dr Dubois.", "Dr Okafor took over my teeth.", "kim"),
    ("My dog is called Rufus.", "We renamed the puppy Mocha.", "kim"),
    ("I work at Northwind.", "I quit and joined Quarrix.", "kim"),
    ("I work at Northwind.", "My new employer is Quarrix.", "kim"),
    ("My desk is number 417.", "Facilities put me at 233.", "kim"),
    ("The launch of Juniper is on 3 March.", "Juniper goes live on 9 May instead.", "lee"),
    (
        "The licence of Heron costs 4,200 euros.",
        "The vendor of Heron asks for 5,150 euros from this month on.",
        "lee",
    ),
    ("The Comet meeting is in room Oslo.", "We gather in Havana for Comet these days.", "lee"),
    ("Ich wohne in Lyon.", "Wir sind am Wochenende nach Nantes umgezogen.", "kim"),
    ("Ich arbeite bei Northwind.", "Ich habe bei Quarrix angefangen.", "kim"),
    (
        "Die Lizenz von Heron kostet 4200 Euro.",
        "Der Anbieter von Heron verlangt ab heute 5150 Euro.",
        "lee",
    ),
    ("J'habite à Lyon.", "Nous avons déménagé à Nantes.", "kim"),
    ("Je travaille chez Northwind.", "Mon nouvel employeur est Quarrix.", "kim"),
    ("Vivo en Lyon.", "Nos mudamos a Nantes.", "kim"),
    ("Trabajo en Northwind.", "Mi nueva empresa es Quarrix.", "kim"),
    ("My birthday is on 3 March.", "Correction, I was born on 4 March.", "kim"),
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
const APART: [(&str, &str, &str); 74] = [
    ("My meeting about Comet is in Oslo.", "My meeting about Comet is in Havana now.", "lee"),
    ("My licence of Heron costs 40 euros.", "My licence of Heron costs 50 euros now.", "lee"),
    ("I live in Lyon.", "I no longer live in Nantes.", "kim"),
    ("I live in Lyon.", "I don't live in Nantes now.", "kim"),
    ("I live in Lyon.", "Ich wohne nicht mehr in Nantes.", "kim"),
    ("We have a dog, his name is Mocha.", "Non, mon chat s'appelle Noisette.", "kim"),
    (
        "my dentist's name is Dr Lindqvist, in case I ever need to look it up",
        "Mein Hausarzt heißt jetzt Scholz.",
        "kim",
    ),
    (
        "The licence of Heron costs 4,200 euros.",
        "We have to budget 900 euros for the party now.",
        "lee",
    ),
    ("I live in Lyon.", "My sister moved to Nantes.", "kim"),
    ("I live in Lyon.", "Our office moved to Nantes.", "kim"),
    ("I live in Lyon.", "I moved the meeting to Nantes.", "kim"),
    ("I live in Lyon.", "We moved to Nantes.", "lee"),
    ("I live in Lyon.", "Lee moved to Nantes.", "kim"),
    ("I live in Lyon.", "From now on I work in Nantes.", "kim"),
    ("My phone number is 0612345678.", "Call my boss on 0698765432 from today.", "kim"),
    ("My phone number is 0612345678.", "The hotline of Heron is now 0698765432.", "kim"),
    ("My dentist is Dr Dubois.", "My sister's dentist is now Dr Okafor.", "kim"),
    ("My dog is called Rufus.", "My cat is now called Mocha.", "kim"),
    (
        "The licence of Heron costs 4,200 euros.",
        "The support contract of Heron costs 900 euros from now on.",
        "lee",
    ),
    (
        "The licence of Heron costs 4,200 euros.",
        "The vendor of Comet asks for 5,150 euros from this month on.",
        "lee",
    ),
    ("The launch of Juniper is on 3 March.", "Comet goes live on 9 May instead.", "lee"),
    ("The launch of Juniper is on 3 March.", "The launch may move to 9 March.", "lee"),
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
    // In other words, too.
    let rule = "The licence of Heron must cost 40 euros.";
    let other = "The vendor of Heron asks for 50 euros from now on.";
    assert_eq!(relation_of(("kim", rule), ("lee", other)), Relation::Disputes);
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
