//! The conformance vectors, as they stand in `docs/wire/vectors/`.

use std::{fs, path::PathBuf};

use serde_json::Value;

use crate::{
    End, good, malformed, read,
    vector::{Expected, Vector, index},
};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/wire/vectors")
}

fn vectors() -> Vec<Vector> {
    good::vectors().into_iter().chain(malformed::vectors()).collect()
}

fn json(name: &str) -> Value {
    let text = fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_files_are_as_they_were_generated() {
    let vectors = vectors();
    for vector in &vectors {
        let path = folder().join(format!("{}.msgpack", vector.name));
        assert_eq!(fs::read(&path).unwrap(), vector.bytes, "{}", vector.name);
        assert_eq!(json(vector.name), vector.meaning(), "{}", vector.name);
    }
    let is_index = json("index") == index(&vectors);
    assert!(is_index, "run `cargo run -p abide-wire --example vectors`");
    let files = fs::read_dir(folder()).unwrap().count();
    assert_eq!(files, 2 * vectors.len() + 1, "a file that belongs to no vector");
}

#[test]
fn each_vector_comes_to_what_the_index_says() {
    for vector in vectors() {
        let (mut messages, end) = read(vector.direction, [&*vector.bytes]);
        let last = messages.pop();
        match (&vector.expected, last, end) {
            (Expected::Message { is_canonical }, Some(Ok(message)), End::Clean) => {
                let again = message.encode();
                assert_eq!(again == vector.bytes, *is_canonical, "{}: {again:02x?}", vector.name);
                let reread = read(vector.direction, [&*again]).0.remove(0);
                assert_eq!(reread, Ok(message), "{}", vector.name);
            }
            (Expected::Refused { code, path, problem }, Some(Err(refusal)), _) => {
                let first = &refusal.problems[0];
                let found = (refusal.code.as_str(), &*first.path, first.code.as_str());
                assert_eq!(found, (*code, *path, *problem), "{}: {refusal}", vector.name);
            }
            (Expected::Lost, _, End::Lost(_)) | (Expected::CutOff, _, End::CutOff(_)) => {}
            (expected, last, end) => {
                panic!("{}: expected {expected:?}, found {last:?} and {end:?}", vector.name)
            }
        }
    }
}

#[test]
fn any_cut_of_a_vector_comes_to_the_same() {
    for vector in vectors() {
        let whole = read(vector.direction, [&*vector.bytes]);
        for size in [1, 2, 3, 7, 64, 1000] {
            if size > 1 || vector.bytes.len() < 5000 {
                let cut = read(vector.direction, vector.bytes.chunks(size));
                // What noise is shown depends on how much of it has come.
                let same_end =
                    matches!((&cut.1, &whole.1), (End::Lost(_), End::Lost(_))) || cut.1 == whole.1;
                let is_same = cut.0 == whole.0 && same_end;
                assert!(is_same, "{} in pieces of {size}: {cut:?}", vector.name);
            }
        }
    }
}

#[test]
fn every_type_has_a_vector_in_each_direction_that_it_goes() {
    use abide_wire::{Direction, MessageType};
    let vectors = good::vectors();
    for kind in MessageType::ALL {
        for direction in [Direction::FromAgent, Direction::ToAgent] {
            let is_shown = vectors.iter().any(|vector| {
                vector.direction == direction && vector.meaning()["type"] == kind.name()
            });
            assert_eq!(is_shown, kind.goes(direction), "{kind} {direction}");
        }
    }
}

#[test]
fn names_of_vectors_are_unique() {
    let mut names: Vec<_> = vectors().iter().map(|vector| vector.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
