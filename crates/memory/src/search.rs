//! Search by scores over an index in memory: what was said or known that a question is about.
//!
//! Pure: no file, no clock, no task, no model. The store hands documents in and takes identifiers out; the index is
//! never the truth and is made again from the store. A [`Hit`] carries a [`strength`](Hit::strength) that can be
//! compared between questions, and where none reaches [`STRENGTH_MIN`], nothing is found: "nothing is known" can be said.
//!
//! Reading order: this file; `words` (what a text is cut into); `calendar` (times in texts and questions); `days`,
//! `postings`, `threads`, `messages` and `vectors` (what the index holds); `passages` (where a long text is cut); `index` (how
//! documents go in and out); `question` with `talking` (what a query asks for); `lexical` (what its words say about the
//! documents); `rank` with `roles` and `wishes` (the formula); `features` (its numbers by name); `strength` (whether a document fits at all).

mod calendar;
mod days;
mod features;
mod index;
mod lexical;
mod messages;
mod passages;
mod postings;
mod question;
mod rank;
mod roles;
mod shortlist;
mod strength;
mod talking;
mod threads;
mod vectors;
mod wishes;
mod words;

use abide_domain::Timestamp;

pub use self::{
    features::SearchFeatures, index::Index, passages::passages, roles::SpeakerRole,
    strength::STRENGTH_MIN, vectors::VectorKind, words::words,
};

/// Hits that one search returns at most.
pub const HITS_MAX: usize = 1_000;
/// Characters of a document or a query that are looked at; the rest is not searched.
pub const TEXT_CHARS_MAX: usize = 20_000;
/// Different words of a query that are looked for; the rest is ignored.
pub const QUERY_WORDS_MAX: usize = 64;

/// What can be found: a passage of a conversation, a fact, a node.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The caller's name for it. Adding the same again replaces it.
    pub id: u64,
    /// Where it was said: neighbours are looked for only within one thread, and within it only without a long pause.
    pub thread: &'a str,
    /// The message that it is a passage of; the passages of a message come one after the other. A message is one hit: its
    /// best passage.
    pub message: u64,
    /// Who said it. May be empty.
    pub speaker: &'a str,
    /// Whether that is the remembering agent itself.
    pub role: SpeakerRole,
    /// When it was said. Documents of one thread come in the order of their time.
    pub at: Timestamp,
    /// The text that is searched.
    pub text: &'a str,
    /// What came along with it and counts half: the description of a picture, the name of a file. May be empty.
    pub aside: &'a str,
}

/// What to rank by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
    /// Passages of conversations: what was said just before and after counts, and so do who spoke and when. Each message is
    /// found once, by its best passage.
    Conversation,
    /// Documents that stand alone, such as facts and nodes: the words and the meaning decide.
    Plain,
}

/// A question to the index.
#[derive(Clone, Copy, Debug)]
pub struct SearchQuery<'a> {
    /// The question in a person's words, or keywords.
    pub text: &'a str,
    /// The vector of [`Index::embeddable`] of the text, by the model that made the documents' vectors.
    pub vector: Option<&'a [f32]>,
    /// The present, from which "yesterday" is counted.
    pub now: Timestamp,
    /// Who asks, as a speaker is called: "I" and "my" in the question are theirs.
    pub asker: Option<&'a str>,
    /// Hits wanted, at most [`HITS_MAX`].
    pub limit: usize,
    /// What to rank by.
    pub kind: QueryKind,
    /// The first document that was not there yet, as if it and all behind it had never been added; none: all are there. What lies
    /// between two of them in time is measured by what is there today.
    pub before: Option<u64>,
}

/// A document that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The caller's name for the document.
    pub id: u64,
    /// Higher is better, within one search only.
    pub score: f32,
    /// From 0 to 1, comparable between searches: how much of the question is really there.
    pub strength: f32,
    /// The document shares a word with the question.
    pub lexical: bool,
    /// The document was compared by meaning.
    pub dense: bool,
}
