//! What is not there is not found, and what is there is.

use abide_memory::{Index, QueryKind, STRENGTH_MIN, SearchQuery};

use super::{fixture, fixture_index, found, passage, question};

/// Questions that the fixture's conversation answers, with a turn of the answer.
const ANSWERED: [(&str, u64); 14] = [
    ("What colour did Tomas paint the boat?", 3),
    ("Where does Tomas keep his boat?", 9),
    ("Since when is the boat afloat?", 7),
    ("Which class did Ines sign up for?", 4),
    ("Where did the pottery teacher move from?", 5),
    ("What cracked in the oven?", 10),
    ("When is the kiln free?", 12),
    ("When did Ines go swimming?", 13),
    ("How many children swam in the lake?", 15),
    ("Who is Rui?", 15),
    ("For how much did Tomas sell the van?", 18),
    ("Who got married in Braga?", 20),
    ("Until when did the band play?", 22),
    ("To whom did Ines give her bowls?", 23),
];
/// Questions that it does not answer; the last third shares words with it.
const UNANSWERED: [&str; 18] = [
    "What is the password of the router?",
    "Which university did Ines attend?",
    "What is Tomas allergic to?",
    "How tall is the lighthouse?",
    "Which programming language is the parser written in?",
    "What is the name of the dog?",
    "Did the invoice from the plumber arrive?",
    "What are the side effects of the medicine?",
    "When does the flight to Oslo leave?",
    "Who won the chess tournament?",
    "Why did the deployment fail?",
    "What does Ines think about the election?",
    "Which colour are the kitchen tiles of the new flat?",
    "Who repaired the roof above the market hall after the storm?",
    "Which illness did the grandfather of Tomas die of?",
    "When did Ines break her arm on the ski slope behind the hotel?",
    "How much rent does the sister of Tomas pay in Lisbon?",
    "Which music teacher gave Ines violin lessons at school?",
];

#[test]
fn questions_that_nothing_answers_find_nothing_and_others_find_their_answers() {
    let index = fixture_index(&fixture());
    let missed: Vec<_> = ANSWERED
        .into_iter()
        .filter(|(asked, turn)| !found(&index, &question(asked)).contains(turn))
        .collect();
    assert!(missed.len() <= 1, "{missed:?}");
    let false_hits: Vec<_> =
        UNANSWERED.into_iter().filter(|asked| !index.search(&question(asked)).is_empty()).collect();
    assert!(false_hits.len() <= 2, "{false_hits:?}");
}

#[test]
fn an_empty_index_and_an_empty_question_find_nothing() {
    assert!(Index::new().search(&question("boats")).is_empty());
    let index = fixture_index(&fixture());
    for text in ["", "?!", "what is it about"] {
        assert!(index.search(&question(text)).is_empty(), "{text}");
    }
}

#[test]
fn what_another_said_is_weaker_than_what_the_person_asked_about_said() {
    let mut index = Index::new();
    index.add(passage(1, "Ines", "I sold the blue piano"));
    index.add(abide_memory::Document {
        thread: "other",
        ..passage(2, "Tomas", "I sold the blue piano")
    });
    let hits = index.nearest(&question("What did Tomas sell?"));
    assert_eq!(hits[0].id, 2);
    assert!(
        hits[0].strength > STRENGTH_MIN && hits[1].strength < hits[0].strength / 2.0,
        "{hits:?}"
    );
}

#[test]
fn what_was_said_about_a_person_by_another_is_as_strong_as_their_own_words() {
    let mut index = Index::new();
    for (thread, speaker, text) in [
        ("a", "Ines", "Good morning"),
        ("b", "agent", "Ines prefers tea without sugar"),
        ("c", "agent", "The guest prefers tea without sugar"),
    ] {
        let id = index.len() as u64;
        index.add(abide_memory::Document { thread, ..passage(id, speaker, text) });
    }
    let hits = index.search(&question("Which tea does Ines prefer?"));
    let strength = |id| hits.iter().find(|hit| hit.id == id).unwrap().strength;
    assert!(strength(1) > 0.9 && strength(2) < 0.5, "{hits:?}");
}

#[test]
fn documents_that_stand_alone_are_left_out_where_they_are_too_weak() {
    let mut index = Index::new();
    index.add(passage(1, "", "The deployment key of the staging server rotates monthly"));
    index.add(passage(2, "", "Lunch with the server team"));
    index.add(passage(3, "", "Ines lives in Porto"));
    let plain = |text| SearchQuery { kind: QueryKind::Plain, ..question(text) };
    assert_eq!(found(&index, &plain("deployment key of the staging server")), [1]);
    assert_eq!(found(&index, &plain("where does Ines live")), [3]);
    assert_eq!(found(&index, &plain("In which town may Ines have her flat?")), [3]);
    assert!(found(&index, &plain("birthday")).is_empty());
}

#[test]
fn meaning_alone_finds_what_shares_no_word() {
    let mut index = Index::new();
    for (id, text, vector) in
        [(1, "My puppy is ill", [1.0, 0.1, 0.0]), (2, "Taxes are due", [0.0, 0.1, 1.0])]
    {
        index.add(passage(id, "Ines", text));
        assert!(index.set_vector(id, &vector));
    }
    let hits =
        index.search(&SearchQuery { vector: Some(&[1.0, 0.0, 0.1]), ..question("sick dog") });
    assert_eq!((hits[0].id, hits[0].lexical, hits[0].dense), (1, false, true));
    assert!(index.search(&question("sick dog")).is_empty());
}

#[test]
fn among_a_handful_what_all_of_them_are_about_is_still_found() {
    let mut index = Index::new();
    index.add(passage(1, "nicolas", "Hey Felix, the race condition is back."));
    for id in 2..8 {
        index.add(passage(
            id,
            "felix",
            "The race condition in the engine: the lock is let go too early.",
        ));
    }
    assert!(found(&index, &question("Did you figure out that race condition?")).contains(&1));
}

#[test]
fn a_word_that_everybody_uses_hides_nobody_who_says_a_rare_one() {
    let mut index = Index::new();
    index.add(passage(1, "ines", "The kiln of the pottery is broken."));
    for id in 2..6_000 {
        index.add(passage(id, "ines", "The pottery was nice today."));
    }
    assert_eq!(found(&index, &question("Is the kiln of the pottery broken?")).first(), Some(&1));
    assert_eq!(found(&index, &question("Was the pottery nice?")).len(), 5);
}
