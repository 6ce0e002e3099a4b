//! Pairs of what was said and what may be made of it. A wrong claim must never pass; of the right ones a part must.

use super::{MeaningDoubt, SaidWords, check_meaning};

fn check(said: &str, claim: &str) -> Result<(), MeaningDoubt> {
    check_meaning(claim, SaidWords { speaker: "kim", own: said, before: None })
}

/// What was said, and claims that are wrong.
const WRONG: &[(&str, &[&str])] = &[
    (
        "No discount above 5 percent.",
        &["discount above 5 percent is a rule", "discount above 5 percent", "kim gives 5 percent"],
    ),
    (
        "I don't eat meat, but fish is fine.",
        &["kim eats meat", "kim eats no fish", "fish is not fine"],
    ),
    (
        "Maybe we'll move to Lyon in May.",
        &[
            "kim moves to Lyon in May",
            "kim moved to Lyon",
            "kim lives in Lyon",
            "kim will move to Lyon in May",
        ],
    ),
    (
        "Should we switch to Postgres?",
        &[
            "kim will switch to Postgres",
            "kim wants Postgres",
            "the team uses Postgres",
            "kim should switch to Postgres",
            "kim switches to Postgres",
        ],
    ),
    (
        "My sister Ana moved to Berlin last year.",
        &[
            "kim moved to Berlin",
            "kim moved",
            "Ana will move to Berlin",
            "kim's sister Ana moved to Bern",
        ],
    ),
    (
        "Lee said: 'I quit on Friday.'",
        &[
            "kim quits on Friday",
            "Lee did not quit",
            "Lee quit on Monday",
            "Lee quits on Friday",
            "kim: I quit on Friday",
        ],
    ),
    ("I used to smoke.", &["kim smokes", "kim will smoke", "kim never smoked"]),
    (
        "If the test fails, we ship on Monday.",
        &["kim ships on Monday", "the test fails", "if the test passes, kim ships on Monday"],
    ),
    (
        "Not everyone likes the new logo.",
        &["everyone likes the new logo", "nobody likes the new logo", "kim likes the new logo"],
    ),
    (
        "I can't come before 10.",
        &["kim comes before 10", "kim cannot come", "kim can come before 10"],
    ),
    (
        "The door code is 4711, don't tell anyone.",
        &["the door code is 4117", "kim tells anyone", "anyone may know the door code"],
    ),
    (
        "Ich esse kein Fleisch mehr.",
        &["kim isst Fleisch", "kim eats meat", "kim isst kein Fleisch"],
    ),
    ("On ne livre jamais le dimanche.", &["on livre le dimanche", "kim delivers on Sundays"]),
    (
        "Mi jefa quiere que trabaje el sábado.",
        &["kim quiere trabajar el sábado", "kim trabaja el sábado", "mi jefa trabaja el sábado"],
    ),
    (
        "Only Lee has the key; I returned mine on 3 March.",
        &["kim has the key", "kim returned mine on 13 March", "everybody has the key"],
    ),
    // Forty more.
    ("My brother works at Acme.", &["kim works at Acme"]),
    ("I hate coffee.", &["kim likes coffee"]),
    ("I never drink alcohol.", &["kim drinks alcohol"]),
    ("I might buy a Tesla.", &["kim buys a Tesla", "kim bought a Tesla"]),
    ("I hope to visit Japan.", &["kim visits Japan", "kim visited Japan"]),
    ("I want to learn Rust.", &["kim learns Rust", "kim learnt Rust"]),
    ("Do I live in Rome?", &["kim lives in Rome"]),
    ("Imagine I live in Rome.", &["kim lives in Rome"]),
    ("Lee thinks I live in Rome.", &["kim lives in Rome", "Lee lives in Rome"]),
    ("I heard that the server is down.", &["the server is down"]),
    ("The server is not down.", &["the server is down"]),
    ("The server was down.", &["the server is down"]),
    ("The server will be down.", &["the server is down"]),
    (
        "Some of our clients use Windows.",
        &["all of kim's clients use Windows", "kim's clients use Windows"],
    ),
    ("At most 5 people may enter.", &["at least 5 people may enter", "5 people may enter"]),
    ("The price is above 100.", &["the price is 100", "the price is below 100"]),
    ("We were going to hire Bob.", &["kim hired Bob", "kim hires Bob"]),
    ("I no longer work at Acme.", &["kim works at Acme"]),
    ("I hardly sleep.", &["kim sleeps"]),
    ("I sold my car to Ann.", &["Ann sold kim's car", "kim bought a car"]),
    ("Ann gave me her key.", &["kim gave Ann her key", "kim gave her key"]),
    ("My boss is Lee.", &["kim is the boss", "kim is Lee", "Lee's boss is kim"]),
    ("I have a dog.", &["kim is a dog", "kim has no dog"]),
    ("I would move to Lyon if they paid me.", &["kim would move to Lyon", "kim moves to Lyon"]),
    ("Unless it rains, we meet outside.", &["kim meets outside"]),
    ("I sometimes work on Sunday.", &["kim works on Sunday", "kim always works on Sunday"]),
    ("Ich wohne nicht in Bonn.", &["kim wohnt in Bonn"]),
    ("Vielleicht ziehe ich nach Bonn.", &["kim zieht nach Bonn"]),
    ("Wenn es regnet, bleibe ich zu Hause.", &["kim bleibt zu Hause"]),
    ("Meine Schwester wohnt in Bonn.", &["kim wohnt in Bonn"]),
    ("Früher wohnte ich in Bonn.", &["kim wohnt in Bonn"]),
    ("Je ne mange pas de viande.", &["kim mange de la viande"]),
    ("Peut-être que je vais à Lyon.", &["kim va à Lyon"]),
    ("Ma sœur habite à Lyon.", &["kim habite à Lyon"]),
    ("Est-ce que j'habite à Lyon ?", &["kim habite à Lyon"]),
    ("No como carne.", &["kim come carne"]),
    ("Quizás viva en Madrid.", &["kim vive en Madrid"]),
    ("Si llueve, trabajo en casa.", &["kim trabaja en casa"]),
    ("Mi hermano vive en Madrid.", &["kim vive en Madrid"]),
    ("I moved from Berlin to Lyon.", &["kim moved from Lyon to Berlin", "kim moved to Berlin"]),
    ("I quit smoking.", &["kim smokes"]),
    ("Nobody here uses Windows.", &["somebody here uses Windows", "kim uses Windows"]),
    ("I like Lyon less than Paris.", &["kim likes Lyon"]),
    ("I'm joking, I live on the moon.", &["kim lives on the moon"]),
    ("You live in the cloud.", &["kim lives in the cloud"]),
    ("He lives in Bonn.", &["kim lives in Bonn"]),
    ("I have to move to Lyon.", &["kim moves to Lyon", "kim moved to Lyon"]),
];

/// What was said, and claims that follow it closely enough.
const RIGHT: &[(&str, &[&str])] = &[
    (
        "I live in Berlin and we use Postgres 15.",
        &["kim lives in Berlin", "kim uses Postgres 15", "kim: I live in Berlin"],
    ),
    (
        "I don't eat meat, but fish is fine.",
        &["kim eats no meat", "kim does not eat meat", "fish is fine"],
    ),
    (
        "Maybe we'll move to Lyon in May.",
        &["kim may move to Lyon", "maybe kim will move to Lyon in May"],
    ),
    ("I used to smoke.", &["kim used to smoke", "kim smoked"]),
    ("If the test fails, we ship on Monday.", &["if the test fails, kim ships on Monday"]),
    ("I can't come before 10.", &["kim cannot come before 10"]),
    ("The door code is 4711, don't tell anyone.", &["the door code is 4711"]),
    ("My name is Ada.", &["kim's name is Ada"]),
    ("remember that my phone number is 0612345678", &["kim's phone number is 0612345678"]),
    ("I'm a vegetarian.", &["kim is a vegetarian"]),
    ("I'm working at Acme now.", &["kim works at Acme"]),
    ("I've moved to Oslo.", &["kim has moved to Oslo", "kim moved to Oslo"]),
    ("I prefer tea over coffee.", &["kim prefers tea over coffee"]),
    (
        "The deadline for the launch is 25 November.",
        &["the deadline for the launch is 25 November"],
    ),
    (
        "We decided to rewrite the parser.",
        &["kim decided to rewrite the parser", "kim: We decided to rewrite the parser"],
    ),
    ("The old API is retired.", &["the old API is retired"]),
    ("Ich wohne in Bonn.", &["kim wohnt in Bonn"]),
    ("On ne livre jamais le dimanche.", &["on ne livre jamais le dimanche"]),
    (
        "My sister Ana moved to Berlin last year.",
        &["kim's sister Ana moved to Berlin last year", "kim's sister Ana moved to Berlin"],
    ),
    ("No, I live in Paris.", &["kim lives in Paris"]),
    ("I want to learn Rust.", &["kim wants to learn Rust"]),
    ("I no longer work at Acme.", &["kim no longer works at Acme"]),
];

#[test]
fn a_wrong_claim_never_passes() {
    let mut passed = Vec::new();
    for (said, claims) in WRONG {
        let held = claims.iter().filter(|claim| check(said, claim).is_ok());
        passed.extend(held.map(|claim| format!("{said} / {claim}")));
    }
    assert_eq!(passed, Vec::<String>::new());
}

#[test]
fn a_claim_that_follows_a_statement_passes() {
    let mut missed = Vec::new();
    for (said, claims) in RIGHT {
        let failed = claims.iter().filter_map(|claim| Some((claim, check(said, claim).err()?)));
        missed.extend(failed.map(|(claim, doubt)| format!("{said} / {claim}: {doubt:?}")));
    }
    assert_eq!(missed, Vec::<String>::new());
}

#[test]
fn a_doubt_says_what_is_the_matter() {
    let cases = [
        ("I don't eat meat.", "kim eats meat", MeaningDoubt::Denial),
        ("Do I live in Rome?", "kim lives in Rome", MeaningDoubt::Question),
        ("I live in Rome if they let me.", "kim lives in Rome", MeaningDoubt::Condition),
        ("I can live in Rome.", "kim lives in Rome", MeaningDoubt::Certainty),
        ("I moved to Rome.", "kim moves to Rome", MeaningDoubt::Time),
        ("All clients use Windows.", "clients use Windows", MeaningDoubt::Quantity),
        ("My sister lives in Rome.", "kim lives in Rome", MeaningDoubt::Reworded),
    ];
    for (said, claim, doubt) in cases {
        assert_eq!(check(said, claim), Err(doubt), "{said} / {claim}");
    }
}

#[test]
fn what_the_agent_said_counts_where_it_was_confirmed() {
    let said = |own, before| SaidWords { speaker: "kim", own, before: Some(before) };
    assert_eq!(
        check_meaning("kim likes jazz", said("Yes, exactly.", "You also like jazz.")),
        Ok(())
    );
    assert!(check_meaning("kim likes jazz", said("No.", "You also like jazz.")).is_err());
    assert!(check_meaning("kim likes jazz", said("Yes, exactly.", "I like jazz.")).is_err());
}
