//! Vectors alone, compared exactly, one after the other, among ten thousand to a million.
//!
//! Beside each slice the same vectors are compared without being made smaller. What an index that skips most of them would save is in
//! `examples/nearest.rs`, which keeps such a library out of the program.

use abide_domain::Timestamp;
use abide_memory::{Document, Index, QueryKind, SearchQuery, VectorKind};

use super::corpus::Corpus;
use crate::{report::Row, spread::quantile_of, system::Stopwatch};

const DIMENSIONS: usize = 256;
/// Questions of a slice.
const QUESTIONS: usize = 20;
/// Nearest ones that are looked for.
const NEAREST: usize = 10;

/// The sizes, and the row of each.
const SIZES: [(usize, &str); 3] =
    [(10_000, "exact_10k"), (100_000, "exact_100k"), (1_000_000, "exact_1m")];

/// Times the search at every size up to `vectors_max`.
pub(super) fn measure(rounds: u32, vectors_max: usize, tell: &dyn Fn(&str)) -> Vec<Row> {
    let sizes = SIZES.iter().filter(|(count, _)| *count <= vectors_max);
    sizes
        .map(|(count, id)| {
            tell(&format!("{count} vectors"));
            at_size(rounds, *count, id)
        })
        .collect()
}

fn at_size(rounds: u32, count: usize, id: &'static str) -> Row {
    let mut corpus = Corpus::new(11);
    let (mut index, mut plain) = (Index::new(), Vec::with_capacity(count * DIMENSIONS));
    index.clear_vectors(VectorKind::Static);
    for number in 0..u64::try_from(count).unwrap_or_default() {
        index.add(Document {
            id: number,
            thread: "",
            speaker: "",
            at: Timestamp::default(),
            text: "",
            aside: "",
            message: number,
            role: abide_memory::SpeakerRole::Person,
        });
        let vector = corpus.vector(DIMENSIONS);
        index.set_vector(number, &vector);
        plain.extend_from_slice(&vector);
    }
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (mut slice, mut beside) = (Vec::new(), Vec::new());
        for _ in 0..QUESTIONS {
            let vector = corpus.vector(DIMENSIONS);
            slice.push(ask(&index, &vector));
            beside.push(ask_plain(&plain, &vector));
        }
        ours.push(quantile_of(&slice, 0.5));
        theirs.push(quantile_of(&beside, 0.5));
    }
    let title = format!("the nearest of {count} vectors of {DIMENSIONS} numbers, exactly, p50");
    Row::new(id, title, "ms", &ours).beside(
        "the same of 32-bit numbers, a bare loop",
        &ours,
        &theirs,
    )
}

/// Milliseconds of one look into our index.
fn ask(index: &Index, vector: &[f32]) -> f64 {
    let watch = Stopwatch::start();
    let hits = index.search(&SearchQuery {
        text: "",
        vector: Some(vector),
        now: Timestamp::default(),
        asker: None,
        limit: NEAREST,
        kind: QueryKind::Plain,
        before: None,
    });
    let taken = watch.millis();
    drop(std::hint::black_box(hits));
    taken
}

/// Milliseconds of a loop over all vectors that keeps the best.
fn ask_plain(plain: &[f32], vector: &[f32]) -> f64 {
    let watch = Stopwatch::start();
    let mut best = (0, f32::MIN);
    for (number, row) in plain.chunks_exact(DIMENSIONS).enumerate() {
        let product = row.iter().zip(vector).map(|(a, b)| a * b).sum::<f32>();
        if product > best.1 {
            best = (number, product);
        }
    }
    let taken = watch.millis();
    std::hint::black_box(best);
    taken
}
