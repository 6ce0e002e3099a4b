//! Which turns are found: ours and what it is compared with, on the same questions in the same run.
//!
//! The formula of ours was chosen on the first five conversations; only the others say how good it is. No model writes
//! or judges anything here.

use std::{fmt, path::PathBuf};

use abide_memory::{Document, Hit, Index, QueryKind, SearchQuery, VectorKind, words};
use serde::Serialize;

use super::{
    baseline::{Bm25, cosines, named, ranked, reciprocal_ranks, z_sum},
    conversation::{Category, Conversation, SpokenTurn},
    embedding::Embed,
    locomo,
    metrics::{Measures, Score},
};
use crate::{
    error::BenchError,
    report::{Bar, BarSubject, Row},
};

/// Conversations that constants were chosen on; the rest is held out.
const TUNED_ON: usize = 5;
/// Turns that each system ranks.
const RANKED_MAX: usize = 100;

/// The conversations that a person has.
#[derive(Clone, Debug)]
pub struct Locomo {
    /// `locomo10.json`.
    pub data: PathBuf,
    /// Corrections of its evidence; without them the second table is left out.
    pub audit: Option<PathBuf>,
}

/// How one system did on one half of the conversations.
#[derive(Clone, Debug, Serialize)]
pub struct RecallScore {
    /// Which system.
    pub system: String,
    /// `tuned_on` or `held_out`.
    pub half: &'static str,
    /// `given` or `corrected`.
    pub evidence: &'static str,
    /// How it did.
    #[serde(flatten)]
    pub measures: Measures,
}

/// What one system ranked for each question of each conversation.
struct SystemRanking {
    system: String,
    /// The row of the report whose bar it is held to.
    row: Option<&'static str>,
    rankings: Vec<Vec<Vec<usize>>>,
}

/// Vectors of one conversation, in both forms.
struct Vectors {
    /// As ours has them: turns and questions without the names of speakers.
    turns: Vec<Vec<f32>>,
    questions: Vec<Vec<f32>>,
    /// As the compared systems have them: turns with their speakers, questions as they were asked.
    named: Vec<Vec<f32>>,
    asked: Vec<Vec<f32>>,
}

/// Runs all systems; the tables, and the rows of ours that have a bar.
pub(super) fn measure(
    locomo: &Locomo,
    embedders: &[Box<dyn Embed + '_>],
    tell: &dyn Fn(&str),
) -> Result<(Vec<RecallScore>, Vec<Row>), BenchError> {
    let conversations = locomo::read(&locomo.data, locomo.audit.as_deref())?;
    let mut runs = Vec::new();
    tell("recall by words alone");
    runs.extend(by_words(&conversations)?);
    for embedder in embedders {
        tell(&format!("recall with {}", embedder.name()));
        runs.extend(by_vectors(&conversations, embedder.as_ref())?);
    }
    let mut tables = Vec::new();
    for (half, evidence) in parts(locomo.audit.is_some()) {
        tables.extend(runs.iter().map(|run| recall(&conversations, run, half, evidence)));
    }
    let rows = runs.iter().filter_map(|run| row(&conversations, run)).collect();
    Ok((tables, rows))
}

fn parts(is_audited: bool) -> Vec<(&'static str, &'static str)> {
    let halves = ["held_out", "tuned_on"];
    let evidences: &[&str] = if is_audited { &["given", "corrected"] } else { &["given"] };
    evidences.iter().flat_map(|evidence| halves.map(|half| (half, *evidence))).collect()
}

fn recall(
    conversations: &[Conversation],
    run: &SystemRanking,
    half: &'static str,
    evidence: &'static str,
) -> RecallScore {
    let scores = scores(conversations, run, half, evidence == "corrected");
    RecallScore { system: run.system.clone(), half, evidence, measures: Measures::of(&scores) }
}

fn scores(
    conversations: &[Conversation],
    run: &SystemRanking,
    half: &str,
    is_corrected: bool,
) -> Vec<Score> {
    let mut scores = Vec::new();
    let is_held_out = half == "held_out";
    for (index, (conversation, rankings)) in conversations.iter().zip(&run.rankings).enumerate() {
        if (index >= TUNED_ON) != is_held_out {
            continue;
        }
        for (question, ranking) in conversation.questions.iter().zip(rankings) {
            let evidence = if is_corrected { &question.corrected } else { &question.given };
            scores.push(Score::of(question.category, &conversation.turns, ranking, evidence));
        }
    }
    scores
}

/// The row of a run of ours: recall at 10 on the conversations held out.
fn row(conversations: &[Conversation], run: &SystemRanking) -> Option<Row> {
    let id = run.row?;
    let measures = Measures::of(&scores(conversations, run, "held_out", false));
    if measures.questions == 0 {
        return None;
    }
    let (low, high) = measures.r10_interval;
    let title = format!("evidence among the first 10 turns, held out: {}", run.system);
    let row = Row::new(id, title, "of 1", &[measures.r10]);
    let row = row.held_to(Bar::at_least(BarSubject::Value, 0.76).reaching(0.80));
    let multi_hop = measures.category(Category::MultiHop).unwrap_or_default();
    Some(row.note(format!(
        "95 % of the bootstrap over {} questions: {low:.3} - {high:.3}; multi-hop {multi_hop:.3} (aim 0.500)",
        measures.questions
    )))
}

fn by_words(conversations: &[Conversation]) -> Result<Vec<SystemRanking>, BenchError> {
    let mut bm25 = Vec::new();
    let (mut ours, mut answered) = (Vec::new(), Vec::new());
    for conversation in conversations {
        let lexical = Bm25::new(&conversation.turns, words);
        let rank = |text: &str| ranked(&lexical.scores(&words(text)), RANKED_MAX);
        bm25.push(conversation.questions.iter().map(|question| rank(&question.text)).collect());
        let asked = ask_ours(conversation, None)?;
        ours.push(asked.ranked);
        answered.push(asked.answered);
    }
    Ok(vec![
        SystemRanking { system: "BM25 alone".into(), row: None, rankings: bm25 },
        SystemRanking {
            system: "ours, words alone".into(),
            row: Some("recall_words"),
            rankings: ours,
        },
        SystemRanking {
            system: "ours, words alone, as answered".into(),
            row: None,
            rankings: answered,
        },
    ])
}

fn by_vectors(
    conversations: &[Conversation],
    embedder: &dyn Embed,
) -> Result<Vec<SystemRanking>, BenchError> {
    let name = embedder.name();
    let titles = [
        format!("{name} alone"),
        format!("RRF k=60, BM25 and {name}"),
        format!("RRF k=10, BM25 and {name}"),
        format!("z-sum, BM25 and {name}"),
    ];
    let mut runs: Vec<SystemRanking> =
        titles.map(|system| SystemRanking { system, row: None, rankings: Vec::new() }).into();
    let row =
        if embedder.kind() == VectorKind::Static { "recall_static" } else { "recall_contextual" };
    let mut ours =
        SystemRanking { system: format!("ours with {name}"), row: Some(row), rankings: Vec::new() };
    let mut answered = SystemRanking {
        system: format!("ours with {name}, as answered"),
        row: None,
        rankings: Vec::new(),
    };
    for conversation in conversations {
        let vectors = embed(conversation, embedder)?;
        let compared = compared(conversation, &vectors);
        for (run, rankings) in runs.iter_mut().zip(compared) {
            run.rankings.push(rankings);
        }
        let asked = ask_ours(conversation, Some((&vectors, embedder.kind())))?;
        ours.rankings.push(asked.ranked);
        answered.rankings.push(asked.answered);
    }
    runs.push(ours);
    runs.push(answered);
    Ok(runs)
}

fn embed(conversation: &Conversation, embedder: &dyn Embed) -> Result<Vectors, BenchError> {
    let index = index(&conversation.turns);
    let texts =
        |of: &dyn Fn(&SpokenTurn) -> String| conversation.turns.iter().map(of).collect::<Vec<_>>();
    let asked: Vec<String> =
        conversation.questions.iter().map(|question| question.text.clone()).collect();
    let bare: Vec<String> = asked.iter().map(|text| index.embeddable(text)).collect();
    Ok(Vectors {
        turns: embedder.embed(&texts(&SpokenTurn::embeddable))?,
        questions: embedder.embed(&bare)?,
        named: embedder.embed(&texts(&named))?,
        asked: embedder.embed(&asked)?,
    })
}

/// The rankings of the four compared systems, question by question.
fn compared(conversation: &Conversation, vectors: &Vectors) -> [Vec<Vec<usize>>; 4] {
    let mut found: [Vec<Vec<usize>>; 4] = Default::default();
    let lexical = Bm25::new(&conversation.turns, words);
    for (question, vector) in conversation.questions.iter().zip(&vectors.asked) {
        let by_words = lexical.scores(&words(&question.text));
        let by_meaning = cosines(&vectors.named, vector);
        let scores = [
            by_meaning.clone(),
            reciprocal_ranks(&by_words, &by_meaning, 60.0),
            reciprocal_ranks(&by_words, &by_meaning, 10.0),
            z_sum(&by_words, &by_meaning),
        ];
        for (rankings, scores) in found.iter_mut().zip(&scores) {
            rankings.push(ranked(scores, RANKED_MAX));
        }
    }
    found
}

/// Our index over the turns of a conversation; the ordinals are the identifiers.
pub(super) fn index(turns: &[SpokenTurn]) -> Index {
    let mut index = Index::new();
    for (id, turn) in (0u64..).zip(turns) {
        index.add(Document {
            id,
            thread: &turn.thread,
            speaker: &turn.speaker,
            at: turn.at,
            text: &turn.text,
            aside: &turn.aside,
        });
    }
    index
}

/// What ours gives for each question.
#[derive(Debug, Default)]
struct OwnRanking {
    /// How all turns rank, as every system here ranks them.
    ranked: Vec<Vec<usize>>,
    /// What an agent is given: nothing where no match is strong enough, so that an unanswerable question has no answer.
    answered: Vec<Vec<usize>>,
}

/// Asks ours.
fn ask_ours(
    conversation: &Conversation,
    vectors: Option<(&Vectors, VectorKind)>,
) -> Result<OwnRanking, BenchError> {
    let mut index = index(&conversation.turns);
    if let Some((vectors, kind)) = vectors {
        index.clear_vectors(kind);
        for (id, vector) in (0u64..).zip(&vectors.turns) {
            index.set_vector(id, vector);
        }
    }
    let now = conversation.turns.last().map(|turn| turn.at).unwrap_or_default();
    let mut asked = OwnRanking::default();
    for (number, question) in conversation.questions.iter().enumerate() {
        let vector = vectors.and_then(|(vectors, _)| vectors.questions.get(number));
        let query = SearchQuery {
            text: &question.text,
            vector: vector.map(Vec::as_slice),
            now,
            asker: None,
            limit: RANKED_MAX,
            kind: QueryKind::Conversation,
        };
        asked.ranked.push(ordinals(&index.nearest(&query))?);
        asked.answered.push(ordinals(&index.search(&query))?);
    }
    Ok(asked)
}

fn ordinals(hits: &[Hit]) -> Result<Vec<usize>, BenchError> {
    let ordinals: Result<_, _> = hits.iter().map(|hit| usize::try_from(hit.id)).collect();
    ordinals.map_err(BenchError::of("read a hit"))
}

impl fmt::Display for RecallScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let it = &self.measures;
        write!(f, "{:<38}", self.system)?;
        for value in
            [it.r5, it.r10, it.r20, it.all10, it.mrr, it.session1, it.r500_tokens, it.r1000_tokens]
        {
            write!(f, " {value:>6.3}")?;
        }
        for (name, recall) in &it.categories {
            let width = name.len().max(6);
            match recall {
                Some(recall) => write!(f, " {recall:>width$.3}")?,
                None => write!(f, " {:>width$}", "-")?,
            }
        }
        Ok(())
    }
}

/// The line above the rows of a table.
pub(super) fn heading() -> String {
    let columns = ["R@5", "R@10", "R@20", "All@10", "MRR", "Sess@1", "R@500t", "R@1000t"];
    let columns = columns.map(|column| format!(" {column:>6}")).concat();
    let categories: String = Category::ALL.map(|it| format!(" {:>6}", it.as_str())).concat();
    format!("{:<38}{columns}{categories}", "system")
}
