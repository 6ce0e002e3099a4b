//! The eight queries over the tables and the indexes of one agent (decisions 7 and 8).
//!
//! Matching is hybrid: what is named literally comes first, then what the index finds by words and, where there are
//! vectors, by meaning. Filters come before limits. It must never say that nothing is there when it could not look.
//!
//! Reading order: here how a query is asked and how sure its answer is; `names` (when two are the same), `nodes` (what was
//! recorded), `facts` (what is known), `conversations` and `emotions` (what was said, and how it felt), `answers` (what answers
//! in other words), `later` (what bears on that since then), `rankable` (what an agent's own rule ranks).

use std::{sync::Arc, time::Instant};

use abide_domain::{EntityName, event::MemoryRef, graph::NodeKind};
use rusqlite::Connection;

use super::{
    exchange_rows,
    handle::KnowledgeHandle,
    indexes::{MemoryIndexes, SearchRequest},
    items::{Fact, NodeVersion, PAGE_FACTS_MAX, RecalledPassage},
    provenance::HeardBy,
    query, vectors,
};
use crate::{
    GraphQuery, ItemBody, Lead, QueryItem, QueryResult, QueryStatus, VectorKey,
    graph::{SearchCoverage, item_confidence},
    is_about_oneself,
    search::{Hit, STRENGTH_MIN, words},
};

mod answers;
mod conversations;
mod emotions;
mod facts;
mod later;
mod names;
mod nodes;
mod rankable;

/// Said where nothing was found and only words were compared.
const WORDS_ONLY: &str = "only words were compared, not meanings: not everything has a vector yet";

/// From what angle on a passage of somebody else's exchange means by itself what is asked, where it shares no word with it.
const MEANS_IT_COSINE: f32 = 0.4;

/// What share of the best score a passage must have that does not fit by itself: its neighbours do.
const BESIDE_SCORE: f32 = 0.25;

/// One query as it is answered: the tables, the indexes and what it is asked with.
pub(super) struct QueryExecution<'a> {
    pub(super) connection: &'a Connection,
    pub(super) indexes: &'a MemoryIndexes,
    agent: &'a str,
    lead: &'a Lead<'a>,
    /// What of it may be told: the one boundary that all answers go through.
    told: HeardBy<'a>,
}

/// What a query found, before its confidence is known.
pub(super) struct QueryAnswer {
    pub(super) data: Vec<QueryItem>,
    pub(super) coverage: SearchCoverage,
    pub(super) message: String,
}

impl QueryAnswer {
    pub(super) const fn of(data: Vec<QueryItem>, coverage: SearchCoverage) -> Self {
        Self { data, coverage, message: String::new() }
    }
}

/// Answers a query; an error becomes a failed result.
pub(super) fn ask(handle: &KnowledgeHandle, query: &GraphQuery, lead: &Lead<'_>) -> QueryResult {
    #[expect(clippy::disallowed_methods, reason = "a measurement that nothing is decided by")]
    let begun = Instant::now();
    let answered = query.check().and_then(|()| {
        handle
            .with_indexes(|connection, indexes| {
                QueryExecution::new(connection, indexes, handle.agent(), lead).answer(query)
            })
            .map_err(|error| error.with_cause())
    });
    let mut result = match answered {
        Err(message) => QueryResult::failed(message),
        Ok(answer) if answer.data.is_empty() && handle.is_behind() => {
            QueryResult::failed("the newest events are not in memory yet; ask again later")
        }
        Ok(answer) => to_result(answer, lead),
    };
    result.query_time_ms = begun.elapsed().as_secs_f64() * 1_000.0;
    result
}

fn to_result(answer: QueryAnswer, lead: &Lead<'_>) -> QueryResult {
    let QueryAnswer { data, coverage, mut message } = answer;
    let Some(best) = data.first() else {
        if coverage == SearchCoverage::WordsOnly {
            message = if message.is_empty() {
                WORDS_ONLY.into()
            } else {
                format!("{message}; {WORDS_ONLY}")
            };
        }
        let confidence = coverage.absence();
        return QueryResult {
            status: QueryStatus::Empty,
            data,
            confidence,
            query_time_ms: 0.0,
            message,
        };
    };
    let confidence = item_confidence(best, lead.now);
    QueryResult { status: QueryStatus::Found, data, confidence, query_time_ms: 0.0, message }
}

impl<'a> QueryExecution<'a> {
    pub(super) fn new(
        connection: &'a Connection,
        indexes: &'a MemoryIndexes,
        agent: &'a EntityName,
        lead: &'a Lead<'a>,
    ) -> Self {
        let oneself = lead.asker.filter(|_| is_about_oneself(lead.said));
        let told = indexes.provenance.heard_by(lead.listener, oneself);
        Self { connection, indexes, agent: agent.bare(), lead, told }
    }

    fn answer(&self, query: &GraphQuery) -> rusqlite::Result<QueryAnswer> {
        let limit = query.limit();
        match query {
            GraphQuery::Partnerships { partner_id } => self.partnerships(partner_id),
            GraphQuery::Conversations { partner_id, keywords, .. } => {
                self.conversations(partner_id, keywords, limit)
            }
            GraphQuery::TechnicalContext { term, issue_type, .. } => {
                self.technical(term, issue_type.as_deref(), limit)
            }
            GraphQuery::EmotionalState { context_similar_to, emotion, .. } => {
                self.emotions(context_similar_to, emotion.as_deref(), limit)
            }
            GraphQuery::StrategyPatterns { situation_type, min_success_rate, .. } => {
                Ok(self.strategies(situation_type, *min_success_rate, limit))
            }
            GraphQuery::RelatedCode { filename, include_dependencies, .. } => {
                Ok(self.code(filename, *include_dependencies, limit))
            }
            GraphQuery::FailedAttempts { context, .. } => Ok(self.failures(context, limit)),
            GraphQuery::ActiveConstraints { constraint_type, min_severity, .. } => {
                Ok(self.constraints(constraint_type.as_deref(), *min_severity, limit))
            }
        }
    }

    /// Passages that a text is about, and how it was looked. The index gives all it has once something fits; here what
    /// neither fits by itself nor stands beside what fits is left out.
    pub(super) fn search_passages(&self, text: &str) -> (Vec<Hit>, SearchCoverage) {
        let (mut hits, coverage) =
            self.indexes.search_passages(self.request(text), &|row| self.told.has_passage(row));
        self.keep_fitting(&mut hits);
        self.apply_own_order(&mut hits, text);
        (hits, coverage)
    }

    fn keep_fitting(&self, hits: &mut Vec<Hit>) {
        // Of an exchange with somebody else, a passage is found by its own words and not by those around it.
        hits.retain(|hit| {
            let (seq, _) = exchange_rows::seq_and_part(hit.id);
            hit.lexical || self.told.has_exchange(seq) || (hit.dense && self.means_it(hit.id))
        });
        let least = hits.first().map_or(0.0, |best| best.score * BESIDE_SCORE);
        hits.retain(|hit| hit.strength >= STRENGTH_MIN || hit.score >= least);
    }

    /// Whether a passage means by itself what is asked.
    fn means_it(&self, row: u64) -> bool {
        let model = self.indexes.model.as_deref();
        let Some(asked) = model.and_then(|model| self.lead.vector_of(model)) else { return false };
        let own = vectors::of(self.connection, VectorKey::Passage(row)).ok().flatten();
        own.is_some_and(|own| cosine(asked, &own) >= MEANS_IT_COSINE)
    }

    /// Passages that a text is about.
    pub(super) fn recall(
        &self,
        text: &str,
        limit: usize,
    ) -> rusqlite::Result<Vec<RecalledPassage>> {
        let (hits, _) = self.search_passages(text);
        let mut found = Vec::new();
        for hit in hits.into_iter().take(limit) {
            let (seq, part) = exchange_rows::seq_and_part(hit.id);
            let Some(stamps) = exchange_rows::stamps(self.connection, seq)? else { continue };
            let passage = exchange_rows::passage(self.connection, self.agent, &stamps, part)?;
            found.extend(
                passage.map(|passage| RecalledPassage { strength: hit.strength.into(), ..passage }),
            );
        }
        self.add_later_passages(&mut found)?;
        Ok(found)
    }

    /// Facts that a text is about; those that hold it as it stands where it has no words, such as signs.
    pub(super) fn search_facts(&self, text: &str, limit: usize) -> rusqlite::Result<Vec<Fact>> {
        let (hits, _) = self.search_fact_index(text);
        if hits.is_empty() && words(text).is_empty() {
            let mut facts = query::list_holding(self.connection, None, PAGE_FACTS_MAX, text)?.items;
            facts.retain(|fact| self.told.has_fact(fact.seq));
            facts.truncate(limit);
            return Ok(facts);
        }
        let facts = hits.into_iter().take(limit).map(|hit| query::by_seq(self.connection, hit.id));
        let mut facts: Vec<Fact> = facts.filter_map(Result::transpose).collect::<Result<_, _>>()?;
        self.add_later_facts(&mut facts)?;
        Ok(facts)
    }

    /// Facts that a text is about and that may be told, and how it was looked.
    fn search_fact_index(&self, text: &str) -> (Vec<Hit>, SearchCoverage) {
        self.indexes.search_facts(self.request(text), &|seq| self.told.has_fact(seq))
    }

    /// Whether a node may be told.
    fn may_tell(&self, version: &NodeVersion) -> bool {
        let asker = self.lead.listener.origin().map_or("", |here| here.person());
        self.told.has_node(version, |name| {
            names::is_same(name, asker) || names::is_any(name, &self.names_of(asker))
        })
    }

    /// The nodes of a type that may be told, newest first.
    fn nodes_of(&self, kind: NodeKind) -> impl Iterator<Item = &Arc<NodeVersion>> {
        self.indexes.graph.of_kind(kind).filter(|version| self.may_tell(version))
    }

    fn request<'t>(&self, text: &'t str) -> SearchRequest<'t>
    where
        'a: 't,
    {
        let model = self.indexes.model.as_deref();
        let vector = model.and_then(|model| self.lead.vector_of(model));
        SearchRequest { text, vector, now: self.lead.now, asker: self.lead.asker, before: None }
    }
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let dot = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    if lengths > 0.0 { dot(one, other) / lengths } else { 0.0 }
}

fn item_of_node(version: &NodeVersion, strength: f64) -> QueryItem {
    QueryItem {
        id: version.node_id.to_string(),
        body: ItemBody::Node((*version.node).clone()),
        valid_from: version.valid_from,
        valid_to: None,
        sources: version.sources.clone(),
        strength,
        reference: MemoryRef::Node { seq: version.seq },
    }
}

fn item_of_fact(fact: Fact, strength: f64) -> QueryItem {
    QueryItem {
        id: fact.fact_id.to_string(),
        valid_from: fact.valid_from,
        valid_to: fact.valid_to,
        sources: fact.sources.clone(),
        strength,
        reference: MemoryRef::Fact { seq: fact.seq },
        body: ItemBody::Fact(Box::new(fact)),
    }
}

/// Two lists that are each in order, put together by strength; equals from the first come first.
fn merge_by_strength(
    first: Vec<QueryItem>,
    second: Vec<QueryItem>,
    limit: usize,
) -> Vec<QueryItem> {
    let mut merge_by_strength = Vec::with_capacity(limit);
    let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
    while merge_by_strength.len() < limit {
        let from_first = match (first.peek(), second.peek()) {
            (Some(one), Some(other)) => one.strength >= other.strength,
            (one, _) => one.is_some(),
        };
        let Some(item) = (if from_first { first.next() } else { second.next() }) else { break };
        merge_by_strength.push(item);
    }
    merge_by_strength
}
