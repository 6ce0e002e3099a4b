//! Persons, days and neighbours in questions.

use abide_memory::{Document, HITS_MAX, Index, SearchQuery, VectorKind};

use super::{fixture, fixture_index, found, noon, passage, question};

#[test]
fn an_answer_is_found_by_the_question_before_it() {
    let mut index = Index::new();
    for (id, speaker, text) in [
        (1, "Ines", "Nice weather"),
        (2, "Tomas", "What is the name of your lawyer?"),
        (3, "Ines", "Beatriz Lemos, in the old town."),
    ] {
        index.add(passage(id, speaker, text));
    }
    assert!(found(&index, &question("the lawyer of Ines")).starts_with(&[3]));
}

#[test]
fn neighbours_are_of_the_same_thread_only() {
    let mut index = Index::new();
    index.add(passage(1, "Ines", "the kiln"));
    index.add(Document { thread: "elsewhere", ..passage(2, "Ines", "nothing of it") });
    index.add(passage(3, "Ines", "nothing of that"));
    let hits = index.nearest(&question("kiln"));
    let strength = |id| hits.iter().find(|hit| hit.id == id).unwrap().strength;
    assert!(strength(3) > 0.0 && strength(2) == 0.0, "{hits:?}");
}

#[test]
fn those_who_ask_mean_themselves_by_i_and_my() {
    let mut index = Index::new();
    index.add(Document { thread: "a", ..passage(1, "Ines", "The sister is called Clara") });
    index.add(Document { thread: "b", ..passage(2, "Tomas", "The sister is called Rosa") });
    for (asker, id) in [("Ines", 1), ("Tomas", 2)] {
        let query = SearchQuery { asker: Some(asker), ..question("How is my sister called?") };
        assert_eq!(found(&index, &query)[0], id);
    }
}

#[test]
fn days_are_counted_from_the_present() {
    let mut index = Index::new();
    for (id, day) in [(1, "2026-07-01"), (2, "2026-07-04"), (3, "2025-07-04")] {
        let thread = id.to_string();
        index.add(Document {
            thread: &thread,
            at: noon(day),
            ..passage(id, "Ines", "We talked about rent")
        });
    }
    assert_eq!(found(&index, &question("What did we talk about yesterday?"))[0], 2);
    assert_eq!(found(&index, &question("What did we talk about last year?"))[0], 3);
    assert_eq!(found(&index, &question("What did we talk about four days ago?"))[0], 1);
}

#[test]
fn names_of_speakers_are_not_embedded_unless_nothing_else_is_there() {
    let index = fixture_index(&fixture());
    assert_eq!(index.embeddable("Where is Tomas's boat?"), "Where is boat?");
    assert_eq!(index.embeddable("Tomas?"), "Tomas?");
}

#[test]
fn parts_of_the_system_have_no_names() {
    let mut index = Index::new();
    index.add(passage(1, "agent", "The user agent of the crawler is empty"));
    assert_eq!(index.embeddable("user agent"), "user agent");
    assert_eq!(found(&index, &question("user agent")), [1]);
}

#[test]
fn no_more_is_returned_than_asked_for() {
    let index = fixture_index(&fixture());
    let hits = |limit| index.nearest(&SearchQuery { limit, ..question("boat") }).len();
    assert_eq!([hits(0), hits(3), hits(usize::MAX)], [0, 3, index.len().min(HITS_MAX)]);
}

#[test]
fn a_document_added_again_is_replaced() {
    let mut index = Index::new();
    index.add(passage(1, "Ines", "the kiln"));
    index.add(passage(1, "Ines", "the lake"));
    assert_eq!(index.len(), 1);
    assert!(found(&index, &question("kiln")).is_empty());
    assert_eq!(found(&index, &question("lake")), [1]);
    assert!(index.remove(1) && !index.remove(1) && index.is_empty());
}

#[test]
fn vectors_of_another_model_are_not_compared() {
    let mut index = Index::new();
    index.add(passage(1, "Ines", "the kiln"));
    assert!(index.set_vector(1, &[1.0, 0.0]) && !index.set_vector(2, &[1.0, 0.0]));
    index.clear_vectors(VectorKind::Contextual);
    let query = SearchQuery { vector: Some(&[1.0, 0.0]), ..question("kiln") };
    assert!(!index.search(&query)[0].dense);
}

#[test]
fn a_question_of_any_length_is_answered() {
    let index = fixture_index(&fixture());
    let long = "boat ".repeat(50_000);
    assert!(found(&index, &question(&long)).contains(&7));
}

#[test]
fn of_a_long_message_a_part_is_enough() {
    let index = fixture_index(&fixture());
    let message = "Good evening, I hope that your week went well. The weather here was awful, the train stood still \
        for hours and somebody spilled soup over my suitcase, so the meeting with the architects was a disaster. \
        Anyway, tell me: is the kiln really free on Monday? Otherwise our neighbours would lend us their garage.";
    assert!(found(&index, &question(message)).contains(&12));
}
