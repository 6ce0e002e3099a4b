//! A question that is asked as of then finds what an index finds that never got what came later.

use abide_memory::{Index, SearchQuery};

use super::{found, passage, question};

const SAID: [(&str, &str); 8] = [
    ("Ines", "The kiln in the yard burns on Fridays."),
    ("Tomas", "My boat is green."),
    ("Ines", "The spare key hangs behind the clock."),
    ("Tomas", "I paint the boat in spring."),
    ("Ines", "The dog is called Pim."),
    // Right behind what they are about, and richer in the words of the questions.
    ("Tomas", "Where does the spare key of the shed hang, and who has the spare key?"),
    ("Tomas", "The dog, the dog of the neighbours: how is the dog called?"),
    ("Ines", "The boat, the kiln and the key."),
];

fn index(count: usize) -> Index {
    let mut index = Index::new();
    for (id, (speaker, text)) in (0..).zip(&SAID[..count]) {
        index.add(passage(id, speaker, text));
        let turn = f32::from(u8::try_from(id).unwrap());
        assert!(index.set_vector(id, &[turn.sin(), turn.cos(), 1.0]));
    }
    index
}

#[test]
fn what_came_later_is_not_found_and_changes_no_order() {
    let whole = index(SAID.len());
    for text in
        ["Where does the spare key hang?", "How is the dog called?", "Which colour has the boat?"]
    {
        for there in 1..SAID.len() {
            let then = SearchQuery { before: Some(there as u64), ..question(text) };
            assert_eq!(
                found(&whole, &then),
                found(&index(there), &question(text)),
                "{text} {there}"
            );
        }
    }
}

#[test]
fn a_question_right_behind_a_passage_lends_it_nothing_before_it_was_asked() {
    let (whole, then) = (index(SAID.len()), index(5));
    let text = "Where does the spare key of the shed hang?";
    let asked = SearchQuery { before: Some(5), vector: Some(&[0.0, 1.0, 1.0]), ..question(text) };
    let hits = whole.nearest(&asked);
    let features = whole.features(&asked, &hits);
    let asked_then = SearchQuery { before: None, ..asked };
    assert_eq!(hits.len(), 5);
    for (hit, features) in hits.iter().zip(features) {
        let before = then.features(&asked_then, &[*hit])[0];
        let of = |it: abide_memory::SearchFeatures| {
            (it.own, it.covered, it.siblings, it.answers, it.meaning_after == 0.0)
        };
        assert_eq!(of(features), of(before), "{hit:?}");
    }
    let today = whole.features(&asked_then, &hits);
    let covered = |features: &[abide_memory::SearchFeatures]| {
        features.iter().map(|it| it.covered).sum::<f32>()
    };
    assert!(covered(&today) > covered(&whole.features(&asked, &hits)), "today it lends");
}
