//! The systems that are compared: ours, and what it must not fall below, on the same questions over the same words and
//! vectors.
//!
//! Ours takes a turn as a message that is cut into passages, knows who asks and which words are the agent's, and shows one
//! passage of a turn; the others take a turn as it is, with its speaker, and show it whole.

use abide_memory::{Document, Hit, Index, QueryKind, SearchQuery, VectorKind, passages, words};

use super::{
    baseline::{Bm25, cosines, named, ranked, reciprocal_ranks, z_sum},
    conversation::{Conversation, RankedTurn, SpokenTurn},
    embedding::Embed,
};
use crate::error::BenchError;

/// Turns that each system ranks.
pub(super) const RANKED_MAX: usize = 100;
/// Passages of a turn at most.
const PASSAGES_MAX: usize = 1_000;

/// What one system ranked for each question of each conversation.
pub(super) struct SystemRanking {
    pub(super) system: String,
    /// The row of the report whose bar it is held to.
    pub(super) row: Option<&'static str>,
    pub(super) rankings: Vec<Vec<Vec<RankedTurn>>>,
}

impl SystemRanking {
    fn new(system: impl Into<String>, row: Option<&'static str>) -> Self {
        Self { system: system.into(), row, rankings: Vec::new() }
    }
}

/// Vectors of one conversation, in both forms.
struct Vectors {
    kind: VectorKind,
    /// As ours has them: passages, and questions without the names of speakers.
    passages: Vec<Vec<f32>>,
    questions: Vec<Vec<f32>>,
    /// As the compared systems have them: turns with their speakers, questions as they were asked.
    named: Vec<Vec<f32>>,
    asked: Vec<Vec<f32>>,
}

/// The systems that compare words alone.
pub(super) fn by_words(conversations: &[Conversation]) -> Result<Vec<SystemRanking>, BenchError> {
    let mut bm25 = SystemRanking::new("BM25 alone", None);
    let mut ours = SystemRanking::new("ours, words alone", Some("recall_words"));
    let mut answered = SystemRanking::new("ours, words alone, as answered", None);
    for conversation in conversations {
        let lexical = Bm25::new(&conversation.turns, words);
        let rank = |text: &str| whole(&conversation.turns, &lexical.scores(&words(text)));
        bm25.rankings
            .push(conversation.questions.iter().map(|question| rank(&question.text)).collect());
        let asked = ask_ours(conversation, None)?;
        ours.rankings.push(asked.ranked);
        answered.rankings.push(asked.answered);
    }
    Ok(vec![bm25, ours, answered])
}

/// The systems that compare meanings too.
pub(super) fn by_vectors(
    conversations: &[Conversation],
    embedder: &dyn Embed,
) -> Result<Vec<SystemRanking>, BenchError> {
    let name = embedder.name();
    let mut runs: Vec<SystemRanking> = [
        format!("{name} alone"),
        format!("RRF k=60, BM25 and {name}"),
        format!("RRF k=10, BM25 and {name}"),
        format!("z-sum, BM25 and {name}"),
    ]
    .map(|system| SystemRanking::new(system, None))
    .into();
    let row =
        if embedder.kind() == VectorKind::Static { "recall_static" } else { "recall_contextual" };
    let mut ours = SystemRanking::new(format!("ours with {name}"), Some(row));
    let mut answered = SystemRanking::new(format!("ours with {name}, as answered"), None);
    for conversation in conversations {
        let vectors = embed(conversation, embedder)?;
        for (run, rankings) in runs.iter_mut().zip(compared(conversation, &vectors)) {
            run.rankings.push(rankings);
        }
        let asked = ask_ours(conversation, Some(&vectors))?;
        ours.rankings.push(asked.ranked);
        answered.rankings.push(asked.answered);
    }
    runs.push(ours);
    runs.push(answered);
    Ok(runs)
}

fn embed(conversation: &Conversation, embedder: &dyn Embed) -> Result<Vectors, BenchError> {
    let cut = MessageIndex::new(&conversation.turns);
    let turns = conversation.turns.iter().map(named).collect::<Vec<_>>();
    let asked: Vec<String> =
        conversation.questions.iter().map(|question| question.text.clone()).collect();
    let bare: Vec<String> = asked.iter().map(|text| cut.index.embeddable(text)).collect();
    Ok(Vectors {
        kind: embedder.kind(),
        passages: embedder.embed(&cut.texts)?,
        questions: embedder.embed(&bare)?,
        named: embedder.embed(&turns)?,
        asked: embedder.embed(&asked)?,
    })
}

/// The best turns by score, whole.
fn whole(turns: &[SpokenTurn], scores: &[f64]) -> Vec<RankedTurn> {
    let ranked = ranked(scores, RANKED_MAX).into_iter();
    let shown = |turn| RankedTurn { turn, tokens: turns.get(turn).map_or(0, SpokenTurn::tokens) };
    ranked.map(shown).collect()
}

/// The rankings of the four compared systems, question by question.
fn compared(conversation: &Conversation, vectors: &Vectors) -> [Vec<Vec<RankedTurn>>; 4] {
    let mut found: [Vec<Vec<RankedTurn>>; 4] = Default::default();
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
            rankings.push(whole(&conversation.turns, scores));
        }
    }
    found
}

/// Our index over the turns of a conversation, and what of which turn each of its documents shows.
pub(super) struct MessageIndex {
    /// The ordinals of `shown` are the identifiers.
    pub(super) index: Index,
    /// By document.
    shown: Vec<RankedTurn>,
    /// What an embedder is given, by document.
    texts: Vec<String>,
}

impl MessageIndex {
    pub(super) fn new(turns: &[SpokenTurn]) -> Self {
        let mut made = Self { index: Index::new(), shown: Vec::new(), texts: Vec::new() };
        for (message, turn) in turns.iter().enumerate() {
            made.add(message, turn);
        }
        made
    }

    fn add(&mut self, message: usize, turn: &SpokenTurn) {
        let cut = passages(&turn.text, PASSAGES_MAX);
        let cut = if cut.is_empty() { vec![""] } else { cut };
        let is_whole = cut.len() == 1;
        for text in cut {
            self.index.add(Document {
                id: u64::try_from(self.shown.len()).unwrap_or(u64::MAX),
                message: u64::try_from(message).unwrap_or(u64::MAX),
                thread: &turn.thread,
                speaker: &turn.speaker,
                role: turn.role,
                at: turn.at,
                text,
                aside: &turn.aside,
            });
            self.shown.push(RankedTurn { turn: message, tokens: turn.tokens_of(text) });
            self.texts.push(if is_whole { turn.embeddable() } else { text.to_owned() });
        }
    }

    /// What its hits show, in their order.
    pub(super) fn shown(&self, hits: &[Hit]) -> Result<Vec<RankedTurn>, BenchError> {
        let shown = |hit: &Hit| self.shown.get(usize::try_from(hit.id).ok()?).copied();
        let found: Option<Vec<RankedTurn>> = hits.iter().map(shown).collect();
        found.ok_or_else(|| BenchError::Wrong("a hit is of no turn".into()))
    }
}

/// What ours gives for each question.
#[derive(Debug, Default)]
struct OwnRanking {
    /// How all turns rank, as every system here ranks them.
    ranked: Vec<Vec<RankedTurn>>,
    /// What an agent is given: nothing where no match is strong enough, so that an unanswerable question has no answer.
    answered: Vec<Vec<RankedTurn>>,
}

/// Asks ours.
fn ask_ours(
    conversation: &Conversation,
    vectors: Option<&Vectors>,
) -> Result<OwnRanking, BenchError> {
    let mut cut = MessageIndex::new(&conversation.turns);
    if let Some(vectors) = vectors {
        cut.index.clear_vectors(vectors.kind);
        for (id, vector) in (0u64..).zip(&vectors.passages) {
            cut.index.set_vector(id, vector);
        }
    }
    let now = conversation.turns.last().map(|turn| turn.at).unwrap_or_default();
    let mut asked = OwnRanking::default();
    for (number, question) in conversation.questions.iter().enumerate() {
        let vector = vectors.and_then(|vectors| vectors.questions.get(number));
        let query = SearchQuery {
            text: &question.text,
            vector: vector.map(Vec::as_slice),
            now,
            asker: question.asker.as_deref(),
            limit: RANKED_MAX,
            kind: QueryKind::Conversation,
            before: None,
        };
        asked.ranked.push(cut.shown(&cut.index.nearest(&query))?);
        asked.answered.push(cut.shown(&cut.index.search(&query))?);
    }
    Ok(asked)
}
