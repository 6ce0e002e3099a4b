//! How long a question takes among ten thousand and a hundred thousand turns, and what the index takes in memory.
//!
//! Beside each slice a plain BM25 ranks the same turns for the same questions.

use abide_memory::{Index, QueryKind, SearchQuery, VectorKind, words};

use super::{
    baseline::{Bm25, ranked},
    conversation::SpokenTurn,
    corpus::Corpus,
    embedding::Embed,
    systems::MessageIndex,
};
use crate::{
    error::BenchError,
    report::{Bar, BarSubject, Row},
    spread::{float_of, quantile_of},
    system::Stopwatch,
};

/// Questions of a slice.
const QUESTIONS: usize = 100;
/// Numbers in a vector where no embedder says otherwise.
const DIMENSIONS: usize = 256;
/// What a prompt would hold.
const HITS: usize = 20;

/// How a corpus of one size is reported.
#[derive(Clone, Copy, Debug)]
struct CorpusSpeed {
    turns: usize,
    by_words: [&'static str; 2],
    by_meaning: [&'static str; 2],
    bytes: [&'static str; 2],
    /// Milliseconds within which 95 of a hundred questions must be answered.
    limit_ms: f64,
}

const SIZES: [CorpusSpeed; 2] = [
    CorpusSpeed {
        turns: 10_000,
        by_words: ["query_10k_words", "query_10k_words_p95"],
        by_meaning: ["query_10k", "query_10k_p95"],
        bytes: ["index_bytes_10k_words", "index_bytes_10k"],
        limit_ms: 5.0,
    },
    CorpusSpeed {
        turns: 100_000,
        by_words: ["query_100k_words", "query_100k_words_p95"],
        by_meaning: ["query_100k", "query_100k_p95"],
        bytes: ["index_bytes_100k_words", "index_bytes_100k"],
        limit_ms: 50.0,
    },
];

/// Times of one kind of search.
#[derive(Debug, Default)]
struct SearchTimes {
    p50: Vec<f64>,
    p95: Vec<f64>,
}

impl SearchTimes {
    fn add(&mut self, slice: &[f64]) {
        self.p50.push(quantile_of(slice, 0.5));
        self.p95.push(quantile_of(slice, 0.95));
    }
}

/// A corpus that is ready to be asked.
struct PreparedCorpus {
    corpus: Corpus,
    turns: Vec<SpokenTurn>,
    index: Index,
    /// Only for plain BM25.
    bm25: Bm25,
}

/// Times questions at every size up to `turns_max`.
pub(super) fn measure(
    rounds: u32,
    turns_max: usize,
    embedders: &[Box<dyn Embed + '_>],
    tell: &dyn Fn(&str),
) -> Result<Vec<Row>, BenchError> {
    let mut rows = Vec::new();
    for size in SIZES.iter().filter(|size| size.turns <= turns_max) {
        tell(&format!("questions among {} turns", size.turns));
        let mut ready = PreparedCorpus::new(size.turns);
        let bare = float_of(ready.index.bytes()) / float_of(size.turns);
        rows.extend(ready.time(rounds, size, None)?);
        ready.give_vectors(DIMENSIONS, VectorKind::Static);
        let full = float_of(ready.index.bytes()) / float_of(size.turns);
        rows.extend(ready.time(rounds, size, Some(DIMENSIONS))?);
        rows.extend(bytes(size, bare, full));
        if size.turns == 10_000 {
            for embedder in embedders {
                rows.extend(ready.time_embedded(rounds, embedder.as_ref())?);
            }
        }
    }
    Ok(rows)
}

fn bytes(size: &CorpusSpeed, bare: f64, full: f64) -> [Row; 2] {
    let title = |what: &str| format!("memory of the index a turn among {}, {what}", size.turns);
    let [of_words, of_all] = size.bytes;
    let vectors = format!("with vectors of {DIMENSIONS} numbers, a byte each");
    [
        Row::new(of_words, title("words alone"), "bytes", &[bare]),
        Row::new(of_all, title(&vectors), "bytes", &[full]),
    ]
}

impl PreparedCorpus {
    fn new(count: usize) -> Self {
        let mut corpus = Corpus::new(7);
        let turns = corpus.turns(count);
        let (index, bm25) = (MessageIndex::new(&turns).index, Bm25::new(&turns, words));
        Self { corpus, turns, index, bm25 }
    }

    fn give_vectors(&mut self, dimensions: usize, kind: VectorKind) {
        self.index.clear_vectors(kind);
        for (id, _) in (0u64..).zip(&self.turns) {
            self.index.set_vector(id, &self.corpus.vector(dimensions));
        }
    }

    /// Milliseconds of one question to our index, and whether anything was found.
    fn ask(&self, text: &str, vector: Option<&[f32]>) -> (f64, bool) {
        let now = self.turns.last().map(|turn| turn.at).unwrap_or_default();
        let watch = Stopwatch::start();
        let kind = QueryKind::Conversation;
        let hits = self.index.search(&SearchQuery {
            text,
            vector,
            now,
            asker: None,
            limit: HITS,
            kind,
            before: None,
        });
        (watch.millis(), !hits.is_empty())
    }

    /// Milliseconds of one question to plain BM25.
    fn ask_bm25(&self, text: &str) -> f64 {
        let watch = Stopwatch::start();
        let found = ranked(&self.bm25.scores(&words(text)), HITS);
        let taken = watch.millis();
        drop(std::hint::black_box(found));
        taken
    }

    fn time(
        &mut self,
        rounds: u32,
        size: &CorpusSpeed,
        dimensions: Option<usize>,
    ) -> Result<[Row; 2], BenchError> {
        let (mut ours, mut plain) = (SearchTimes::default(), SearchTimes::default());
        for _ in 0..rounds {
            let (mut slice, mut beside, mut answered) = (Vec::new(), Vec::new(), 0);
            for _ in 0..QUESTIONS {
                let text = self.corpus.question(&self.turns);
                let vector = dimensions.map(|dimensions| self.corpus.vector(dimensions));
                let (taken, is_found) = self.ask(&text, vector.as_deref());
                slice.push(taken);
                beside.push(self.ask_bm25(&text));
                answered += usize::from(is_found);
            }
            if 2 * answered < QUESTIONS {
                return Err(BenchError::Wrong(format!("{answered} of {QUESTIONS} were found")));
            }
            ours.add(&slice);
            plain.add(&beside);
        }
        let how = if dimensions.is_some() { "words and vectors" } else { "words alone" };
        let title = format!("a question among {} turns, {how}, p50", size.turns);
        let [p50, p95] = if dimensions.is_some() { size.by_meaning } else { size.by_words };
        Ok([
            Row::new(p50, title, "ms", &ours.p50).beside("plain BM25, p50", &ours.p50, &plain.p50),
            Row::new(p95, "the same, p95", "ms", &ours.p95)
                .beside("plain BM25, p95", &ours.p95, &plain.p95)
                .held_to(Bar::at_most(BarSubject::Value, size.limit_ms)),
        ])
    }

    /// The same with the question's embedding; vectors are as long as the embedder's.
    fn time_embedded(&mut self, rounds: u32, embedder: &dyn Embed) -> Result<[Row; 2], BenchError> {
        // The first text reads the weights, which no later question waits for.
        let first = embedder.embed(&["Good morning!".to_owned()])?;
        let dimensions = first.first().map_or(DIMENSIONS, Vec::len);
        self.give_vectors(dimensions, embedder.kind());
        let (mut embedded, mut whole) = (SearchTimes::default(), SearchTimes::default());
        // What people ask: invented words are cut into many more pieces by a model's tokenizer.
        let questions = super::own::questions();
        for _ in 0..rounds {
            let (mut alone, mut slice) = (Vec::new(), Vec::new());
            for question in questions.iter().take(QUESTIONS) {
                let watch = Stopwatch::start();
                let vector = embedder.embed(&[self.index.embeddable(question)])?.into_iter().next();
                let taken = watch.millis();
                alone.push(taken);
                let asked = self.corpus.question(&self.turns);
                slice.push(taken + self.ask(&asked, vector.as_deref()).0);
            }
            embedded.add(&alone);
            whole.add(&slice);
        }
        let ids = match embedder.kind() {
            VectorKind::Static => ["query_10k_static", "query_10k_static_p95"],
            VectorKind::Contextual => ["query_10k_contextual", "query_10k_contextual_p95"],
        };
        let name = embedder.name();
        let title = format!("a question among 10000 turns with its embedding by {name}, p50");
        let [p50, p95] = ids;
        Ok([
            Row::new(p50, title, "ms", &whole.p50).beside(
                "the embedding alone",
                &whole.p50,
                &embedded.p50,
            ),
            Row::new(p95, "the same, p95", "ms", &whole.p95)
                .beside("the embedding alone, p95", &whole.p95, &embedded.p95)
                .held_to(Bar::at_most(BarSubject::Value, 20.0)),
        ])
    }
}
