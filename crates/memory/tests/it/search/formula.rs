//! The formula against numbers from an implementation of its own in another language.

use abide_memory::{Hit, Index, SearchQuery, VectorKind};
use serde_json::Value;

use super::{fixture, fixture_index, question};

/// Scores of words alone differ by rounding only.
const ROUNDING: f64 = 2e-3;
/// Vectors are kept as bytes: an angle is off by less than a hundredth, and is counted up to eight times.
const BYTES: f64 = 8e-2;

fn vector(value: &Value) -> Vec<f32> {
    let numbers = value["vector"].as_array().unwrap().iter();
    numbers.map(|number| f32::from(i16::try_from(number.as_i64().unwrap()).unwrap())).collect()
}

/// The hits must have the expected scores, in order; documents may change places where their scores are that near.
fn check(question: &Value, column: &str, hits: &[Hit], tolerance: f64) {
    let expected = question[column].as_array().unwrap();
    assert_eq!(hits.len(), expected.len(), "{question}");
    let score_of = |id: u64| hits.iter().find(|hit| hit.id == id).map(|hit| f64::from(hit.score));
    for (hit, pair) in hits.iter().zip(expected) {
        let (id, score) = (pair[0].as_u64().unwrap(), pair[1].as_f64().unwrap());
        assert!((f64::from(hit.score) - score).abs() < tolerance, "{column} {hit:?} {question}");
        if let Some(of_same) = score_of(id) {
            assert!((of_same - score).abs() < tolerance, "{column} {id} {hits:?} {question}");
        }
    }
    assert_eq!(score_of(expected[0][0].as_u64().unwrap()), Some(f64::from(hits[0].score)));
}

fn check_vectors(kind: VectorKind, column: &str) {
    let fixture = fixture();
    let mut index = fixture_index(&fixture);
    index.clear_vectors(kind);
    for (id, turn) in (0..).zip(fixture["turns"].as_array().unwrap()) {
        assert!(index.set_vector(id, &vector(turn)));
    }
    for asked in fixture["questions"].as_array().unwrap() {
        let vector = vector(asked);
        let query =
            SearchQuery { vector: Some(&vector), ..question(asked["text"].as_str().unwrap()) };
        let hits = index.nearest(&query);
        assert!(hits.iter().all(|hit| hit.dense));
        check(asked, column, &hits, BYTES);
    }
}

#[test]
fn scores_by_words_alone_are_those_of_the_formula() {
    let fixture = fixture();
    let index = fixture_index(&fixture);
    for asked in fixture["questions"].as_array().unwrap() {
        let hits = index.nearest(&question(asked["text"].as_str().unwrap()));
        assert!(hits.iter().all(|hit| !hit.dense));
        check(asked, "words", &hits, ROUNDING);
    }
}

#[test]
fn scores_with_vectors_of_a_table_are_those_of_the_formula() {
    check_vectors(VectorKind::Static, "static");
}

#[test]
fn scores_with_vectors_of_a_reading_model_are_those_of_the_formula() {
    check_vectors(VectorKind::Contextual, "contextual");
}

#[test]
fn of_equals_the_one_that_came_first_is_first() {
    let mut index = Index::new();
    for id in [7, 3, 5] {
        index.add(abide_memory::Document {
            thread: &id.to_string(),
            ..super::passage(id, "Ana", "a kite")
        });
    }
    assert_eq!(super::found(&index, &question("kites")), [7, 3, 5]);
}
