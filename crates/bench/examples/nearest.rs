//! From how many vectors on does an index pay? Exact search as memory has it, beside hierarchical small worlds
//! (`instant-distance`), on the same vectors in one process.
//!
//! An example, and no part of the program: the library and what it brings along is built for this question alone.
//! `cargo run --release -p abide-bench --example nearest -- 10000 100000`

use std::{collections::HashSet, env, error::Error, time::Instant};

use abide_domain::Timestamp;
use abide_memory::{Document, Index, QueryKind, SearchQuery, SpeakerRole, VectorKind};
use instant_distance::{Builder, Hnsw, Point, PointId, Search};

const DIMENSIONS: usize = 256;
const QUESTIONS: usize = 100;
const NEAREST: usize = 10;
/// Candidates that the index keeps: more of them find more and take longer.
const CANDIDATES: [usize; 2] = [100, 400];

/// A vector of length one.
#[derive(Clone, Debug)]
struct Direction(Vec<f32>);

impl Point for Direction {
    fn distance(&self, other: &Self) -> f32 {
        1.0 - self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum::<f32>()
    }
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn share(&mut self) -> f32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f32::from(u16::try_from(self.0 >> 48).unwrap_or_default()) / 65_536.0
    }

    /// A vector near one of 300 directions, as those of texts lie together.
    fn vector(&mut self) -> Direction {
        let mut around = Self((self.share() * 300.0).floor().to_bits().into());
        let raw = (0..DIMENSIONS).map(|_| around.share() - 0.5 + 0.8 * (self.share() - 0.5));
        let raw: Vec<f32> = raw.collect();
        let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        Direction(raw.iter().map(|x| x / length).collect())
    }
}

#[expect(clippy::print_stdout, reason = "an example speaks to a person")]
fn main() -> Result<(), Box<dyn Error>> {
    for count in env::args().skip(1) {
        let count: u32 = count.parse()?;
        let mut dice = Dice(7);
        let points: Vec<Direction> = (0..count).map(|_| dice.vector()).collect();
        let asked: Vec<Direction> = (0..QUESTIONS).map(|_| dice.vector()).collect();
        let truth: Vec<HashSet<usize>> =
            asked.iter().map(|asked| nearest(&points, asked)).collect();
        let exact = index(&points);
        let (ms, _) = timed(&asked, |asked| {
            let vector = Some(asked.0.as_slice());
            let (now, kind) = (Timestamp::default(), QueryKind::Plain);
            exact
                .search(&SearchQuery {
                    text: "",
                    vector,
                    now,
                    asker: None,
                    limit: NEAREST,
                    kind,
                    before: None,
                })
                .len()
        });
        println!("{count} vectors: exact {ms:.3} ms a question");
        for candidates in CANDIDATES {
            compare(&points, &asked, &truth, candidates, ms);
        }
    }
    Ok(())
}

/// Builds an index and says what it costs, saves and overlooks.
#[expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "an example measures and says so"
)]
fn compare(
    points: &[Direction],
    asked: &[Direction],
    truth: &[HashSet<usize>],
    candidates: usize,
    exact_ms: f64,
) {
    let watch = Instant::now();
    let builder = Builder::default().seed(1).ef_construction(candidates).ef_search(candidates);
    let (graph, places): (Hnsw<Direction>, Vec<PointId>) = builder.build_hnsw(points.to_vec());
    let seconds = watch.elapsed().as_secs_f64();
    let (ms, found) = timed(asked, |asked| {
        let mut search = Search::default();
        let found = graph.search(asked, &mut search).take(NEAREST);
        found.map(|item| item.pid).collect::<Vec<PointId>>()
    });
    let mut right = 0_u32;
    for (found, truth) in found.iter().zip(truth) {
        let wanted = truth.iter().filter_map(|number| places.get(*number));
        right += wanted.map(|place| u32::from(found.contains(place))).sum::<u32>();
    }
    let recall = f64::from(right) / f64::from(u32::try_from(QUESTIONS * NEAREST).unwrap_or(1));
    let saved = exact_ms - ms;
    let pays = if saved > 0.0 {
        format!("pays after {:.0} questions", seconds * 1e3 / saved)
    } else {
        "never pays".to_owned()
    };
    println!(
        "  index, {candidates} candidates: {ms:.3} ms a question, finds {recall:.3} of the nearest {NEAREST}, \
         built in {seconds:.1} s on all cores, {pays}"
    );
}

fn index(points: &[Direction]) -> Index {
    let mut index = Index::new();
    index.clear_vectors(VectorKind::Static);
    for (id, point) in (0u64..).zip(points) {
        let at = Timestamp::default();
        index.add(Document {
            id,
            thread: "",
            speaker: "",
            at,
            text: "",
            aside: "",
            message: id,
            role: SpeakerRole::Person,
        });
        index.set_vector(id, &point.0);
    }
    index
}

/// The truth, by looking at every one.
fn nearest(points: &[Direction], asked: &Direction) -> HashSet<usize> {
    let mut all: Vec<(f32, usize)> =
        points.iter().enumerate().map(|(number, point)| (asked.distance(point), number)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().take(NEAREST).map(|(_, number)| number).collect()
}

/// The median of the milliseconds, and what was found.
#[expect(clippy::disallowed_methods, reason = "an example measures")]
fn timed<T>(asked: &[Direction], mut ask: impl FnMut(&Direction) -> T) -> (f64, Vec<T>) {
    let (mut times, mut found) = (Vec::new(), Vec::new());
    for asked in asked {
        let watch = Instant::now();
        found.push(ask(asked));
        times.push(watch.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    (times.get(times.len() / 2).copied().unwrap_or_default(), found)
}
