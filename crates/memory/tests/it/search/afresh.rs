//! An index that documents went in and out of finds what one made afresh from the remaining documents finds.

use abide_memory::{Hit, Index, QueryKind, SearchQuery};
use proptest::prelude::{Strategy, prop, prop_assert_eq, proptest};

use super::{passage, question};

const WORDS: [&str; 8] = ["boat", "green", "kiln", "lake", "music", "van", "when?", "yesterday"];
const SPEAKERS: [&str; 3] = ["Ines", "Tomas", ""];

#[derive(Clone, Debug)]
enum Change {
    Add { id: u64, thread: u8, speaker: usize, text: String, vector: Option<[i8; 3]> },
    Remove(u64),
}

fn change() -> impl Strategy<Value = Change> {
    let text = prop::collection::vec(prop::sample::select(&WORDS[..]), 0..6);
    let vector = prop::option::of([1_i8.., i8::MIN.., i8::MIN..]);
    let add = (0..12_u64, 0..3_u8, 0..SPEAKERS.len(), text, vector).prop_map(
        |(id, thread, speaker, text, vector)| Change::Add {
            id,
            thread,
            speaker,
            text: text.join(" "),
            vector,
        },
    );
    prop::strategy::Union::new_weighted(vec![
        (3, add.boxed()),
        (1, (0..12_u64).prop_map(Change::Remove).boxed()),
    ])
}

fn apply_all(index: &mut Index, changes: &[Change]) {
    for change in changes {
        apply(index, change);
    }
}

fn apply(index: &mut Index, change: &Change) {
    match change {
        Change::Add { id, thread, speaker, text, vector } => {
            let thread = thread.to_string();
            let document = passage(*id, SPEAKERS[*speaker], text);
            index.add(abide_memory::Document { thread: &thread, ..document });
            if let Some(vector) = vector {
                assert!(index.set_vector(*id, &vector.map(f32::from)));
            }
        }
        Change::Remove(id) => {
            index.remove(*id);
        }
    }
}

/// The changes whose documents remain, in the order in which they were made.
fn remaining(changes: &[Change]) -> Vec<Change> {
    let id_of = |change: &Change| match change {
        Change::Add { id, .. } | Change::Remove(id) => *id,
    };
    let is_last = |(at, change): &(usize, &Change)| {
        !changes[at + 1..].iter().any(|later| id_of(later) == id_of(change))
    };
    let last = changes.iter().enumerate().filter(is_last).map(|(_, change)| change.clone());
    last.filter(|change| matches!(change, Change::Add { .. })).collect()
}

/// Everything but the last digits of the scores.
fn rounded(hits: Vec<Hit>) -> Vec<(u64, String, String, bool, bool)> {
    let near = |number: f32| format!("{:.2}", number + 1e-4);
    hits.into_iter()
        .map(|hit| (hit.id, near(hit.score), near(hit.strength), hit.lexical, hit.dense))
        .collect()
}

proptest! {
    #[test]
    fn changes_leave_no_trace(changes in prop::collection::vec(change(), 0..60)) {
        let mut index = Index::new();
        let mut afresh = Index::new();
        apply_all(&mut index, &changes);
        apply_all(&mut afresh, &remaining(&changes));
        prop_assert_eq!(index.len(), afresh.len());
        for kind in [QueryKind::Conversation, QueryKind::Plain] {
            let query = SearchQuery { kind, limit: 20, ..question("When was the boat of Ines on the green lake?") };
            prop_assert_eq!(rounded(index.nearest(&query)), rounded(afresh.nearest(&query)));
        }
    }
}

#[test]
fn an_index_that_was_packed_finds_the_same() {
    let changes: Vec<Change> = (0..4_000_u64)
        .map(|id| Change::Add {
            id,
            thread: u8::try_from(id % 50).unwrap(),
            speaker: usize::try_from(id % 3).unwrap(),
            text: format!(
                "{} {}",
                WORDS[usize::try_from(id % 8).unwrap()],
                WORDS[usize::try_from(id % 7).unwrap()]
            ),
            vector: Some([1, i8::try_from(id % 100).unwrap(), -3]),
        })
        .chain((0..4_000).filter(|id| id % 4 != 0).map(Change::Remove))
        .chain((4_000..4_050).map(|id| Change::Add {
            id,
            thread: u8::try_from(id % 50).unwrap(),
            speaker: 0,
            text: "orchard".to_owned(),
            vector: None,
        }))
        .collect();
    let (mut index, mut afresh) = (Index::new(), Index::new());
    apply_all(&mut index, &changes);
    apply_all(&mut afresh, &remaining(&changes));
    for text in ["Which van, which lake?", "The orchard?"] {
        let query = SearchQuery { vector: Some(&[0.1, 1.0, 0.2]), limit: 300, ..question(text) };
        let hits = rounded(index.nearest(&query));
        assert_eq!(hits, rounded(afresh.nearest(&query)), "{text}");
        assert_eq!(hits.len(), 300);
    }
    assert!(index.bytes() < 4 * afresh.bytes(), "{} {}", index.bytes(), afresh.bytes());
}
