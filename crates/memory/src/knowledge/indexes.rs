//! The indexes in memory: one for passages, one for facts, one for each type of node, and the graph in force.
//!
//! Loaded from the tables when something is first looked for, then kept in step by each batch that is applied. They hold
//! no texts of passages: what is found is read from the tables.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use abide_domain::{EntityName, Timestamp, graph::NodeKind};
use rusqlite::Connection;

use super::{
    change::IndexChange,
    exchange_rows,
    items::ExchangeStamps,
    node_rows,
    passage_rows::{part_row, passage_row, passages_of},
    provenance::Provenance,
    query, schema,
    vectors::{self, VectorKey},
};
use crate::{
    graph::{GraphView, SearchCoverage, searchable_text},
    search::{
        Document, HITS_MAX, Hit, Index, QueryKind, SearchFeatures, SearchQuery, SpeakerRole,
        VectorKind,
    },
    timeline::ClaimCache,
};

/// How many of the nearest are looked at, where rules decide.
pub(super) const NEAREST_MAX: usize = 24;
/// The emotive state that is not worth noting.
pub(super) const NEUTRAL: &str = "neutral";

/// Whether the indexes are there.
#[derive(Debug, Default)]
pub(super) enum IndexState {
    /// Nothing was looked for yet.
    #[default]
    NotLoaded,
    /// They are being made. What changes meanwhile waits here, with the sequence that the tables have then; vectors
    /// have none.
    Loading(Vec<(Option<u64>, Vec<IndexChange>)>),
    /// They are there.
    Loaded(Box<MemoryIndexes>),
}

impl IndexState {
    /// Takes changes in, or keeps them until there is something to take them.
    pub(super) fn follow(&mut self, seq: Option<u64>, changes: Vec<IndexChange>) {
        match self {
            Self::NotLoaded => {}
            Self::Loading(waiting) => waiting.push((seq, changes)),
            Self::Loaded(indexes) => changes.into_iter().for_each(|change| indexes.follow(change)),
        }
    }

    /// Puts what was made in place, with what changed since the tables were read.
    pub(super) fn set_loaded(&mut self, (mut indexes, read_seq): (Box<MemoryIndexes>, u64)) {
        if let Self::Loading(waiting) = std::mem::take(self) {
            let newer = waiting.into_iter().filter(|(seq, _)| seq.is_none_or(|seq| seq > read_seq));
            newer.flat_map(|(_, changes)| changes).for_each(|change| indexes.follow(change));
        }
        *self = Self::Loaded(indexes);
    }
}

/// An index and which of its documents have a vector.
#[derive(Debug, Default)]
pub(super) struct EmbeddedIndex {
    index: Index,
    embedded: HashSet<u64>,
}

impl EmbeddedIndex {
    fn add(&mut self, document: Document<'_>) {
        self.index.add(document);
    }

    fn remove(&mut self, id: u64) {
        self.index.remove(id);
        self.embedded.remove(&id);
    }

    fn set_vector(&mut self, id: u64, vector: &[f32]) {
        if self.index.set_vector(id, vector) {
            self.embedded.insert(id);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// What a search with or without a vector compares.
    fn coverage(&self, has_vector: bool) -> SearchCoverage {
        if self.index.is_empty() {
            SearchCoverage::Exact
        } else if has_vector && self.embedded.len() == self.index.len() {
            SearchCoverage::WordsAndMeaning
        } else {
            SearchCoverage::WordsOnly
        }
    }
}

/// What is searched for.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchRequest<'a> {
    pub(super) text: &'a str,
    pub(super) vector: Option<&'a [f32]>,
    pub(super) now: Timestamp,
    pub(super) asker: Option<&'a str>,
    /// The first row that was not there yet; none: all are there.
    pub(super) before: Option<u64>,
}

/// All indexes of one agent.
#[derive(Debug)]
pub(super) struct MemoryIndexes {
    agent: EntityName,
    passages: EmbeddedIndex,
    facts: EmbeddedIndex,
    nodes: BTreeMap<NodeKind, EmbeddedIndex>,
    pub(super) graph: GraphView,
    /// Where all of it was said.
    pub(super) provenance: Provenance,
    /// Commits of exchanges that ended in a state other than neutral.
    pub(super) felt: BTreeSet<u64>,
    /// The model of the vectors.
    pub(super) model: Option<String>,
    /// What passages and facts say; nothing of what was taken back.
    pub(super) claims: ClaimCache,
}

impl MemoryIndexes {
    /// Makes them from the tables, which must not change meanwhile (one look at them), and says up to which sequence that is.
    pub(super) fn load(
        connection: &Connection,
        agent: &EntityName,
    ) -> rusqlite::Result<(Box<Self>, u64)> {
        let indexes = Self::read(connection, agent)?;
        Ok((Box::new(indexes), schema::read_meta(connection)?.applied_seq))
    }

    fn read(connection: &Connection, agent: &EntityName) -> rusqlite::Result<Self> {
        let mut indexes = Self {
            agent: agent.clone(),
            passages: EmbeddedIndex::default(),
            facts: EmbeddedIndex::default(),
            nodes: BTreeMap::new(),
            graph: GraphView::default(),
            provenance: Provenance::default(),
            felt: BTreeSet::new(),
            model: None,
            claims: ClaimCache::default(),
        };
        exchange_rows::for_each(connection, |stamps, part, text| {
            indexes.add_part(stamps, part, text);
        })?;
        for fact in query::facts_in_force(connection)? {
            indexes.follow(fact);
        }
        let (nodes, edges) = node_rows::in_force(connection)?;
        for version in nodes {
            indexes.follow(IndexChange::Node(version));
        }
        for edge in edges {
            indexes.follow(IndexChange::Edge(edge));
        }
        if let Some((model, kind)) = vectors::model(connection)? {
            indexes.change_model(&model, kind);
            vectors::for_each(connection, |key, vector| indexes.set_vector(key, vector))?;
        }
        Ok(indexes)
    }

    pub(super) fn follow(&mut self, change: IndexChange) {
        match change {
            IndexChange::Node(version) => {
                let index = self.nodes.entry(version.node.kind()).or_default();
                let text = searchable_text(&version.node);
                index.add(Document {
                    id: version.seq,
                    message: version.seq,
                    role: SpeakerRole::Person,
                    thread: version.node_id.as_str(),
                    speaker: "",
                    at: version.valid_from,
                    text: &text,
                    aside: "",
                });
                self.graph.record(version);
            }
            IndexChange::NodeClosed(seq) => {
                if let Some(version) = self.graph.close(seq)
                    && let Some(index) = self.nodes.get_mut(&version.node.kind())
                {
                    index.remove(seq);
                }
            }
            IndexChange::Edge(edge) => self.graph.link(edge),
            IndexChange::EdgeClosed(seq) => self.graph.unlink(seq),
            IndexChange::Fact { seq, at, content, tags, telling } => {
                self.facts.add(Document {
                    id: seq,
                    message: seq,
                    role: SpeakerRole::Person,
                    thread: "",
                    speaker: "",
                    at,
                    text: &content,
                    aside: &tags,
                });
                self.provenance.add_fact(seq, &content, telling);
            }
            IndexChange::FactToldAgain { seq, sources } => {
                self.provenance.tell_again(seq, &sources);
            }
            IndexChange::FactClosed(seq) => {
                self.facts.remove(seq);
                self.provenance.close_fact(seq);
                self.claims.clear();
            }
            IndexChange::Exchange { stamps, texts } => {
                (0..).zip(&texts).for_each(|(part, text)| self.add_part(&stamps, part, text));
            }
            IndexChange::ExchangeForgotten { seq, parts } => {
                let first = passage_row(part_row(seq, 0), 0);
                let end = passage_row(part_row(seq, parts), 0);
                for row in first..end {
                    self.passages.remove(row);
                }
                self.provenance.forget_exchange(seq, first..end);
                self.felt.remove(&seq);
                self.claims.clear();
            }
            IndexChange::Model { model, kind } => self.change_model(&model, kind),
            IndexChange::Vector { key, vector } => self.set_vector(key, &vector),
        }
    }

    /// Adds a part of an exchange, in passages.
    fn add_part(&mut self, stamps: &ExchangeStamps, part: u32, text: &str) {
        let by_agent = stamps.is_by_agent(part);
        for (number, text) in passages_of(text).into_iter().enumerate() {
            let row = passage_row(part_row(stamps.seq, part), number);
            self.provenance.add_passage(stamps, part, row, text);
            self.passages.add(Document {
                id: row,
                message: stamps.seq.saturating_mul(2).saturating_add(u64::from(by_agent)),
                thread: &stamps.session,
                speaker: stamps.speaker(self.agent.bare(), part),
                role: if by_agent { SpeakerRole::Agent } else { SpeakerRole::Person },
                at: stamps.at(part),
                text,
                aside: "",
            });
        }
        if !stamps.emotive_state.trim().is_empty()
            && !stamps.emotive_state.eq_ignore_ascii_case(NEUTRAL)
        {
            self.felt.insert(stamps.seq);
        }
    }

    /// Lets all vectors go: the next are of this model.
    fn change_model(&mut self, model: &str, kind: VectorKind) {
        self.model = Some(model.to_owned());
        for kind_of_node in NodeKind::ALL {
            self.nodes.entry(kind_of_node).or_default();
        }
        for index in
            [&mut self.passages, &mut self.facts].into_iter().chain(self.nodes.values_mut())
        {
            index.index.clear_vectors(kind);
            index.embedded.clear();
        }
    }

    fn set_vector(&mut self, key: VectorKey, vector: &[f32]) {
        match key {
            VectorKey::Passage(row) => self.passages.set_vector(row, vector),
            VectorKey::FactOrNode(seq) => {
                let kind = self.graph.node(seq).map(|version| version.node.kind());
                match kind {
                    Some(kind) => {
                        self.nodes.entry(kind).or_default().set_vector(seq, vector);
                    }
                    None => self.facts.set_vector(seq, vector),
                }
            }
        }
    }

    /// Passages that a question is about, best first, of those that are asked among.
    pub(super) fn search_passages(
        &self,
        request: SearchRequest<'_>,
        is_among: &dyn Fn(u64) -> bool,
    ) -> (Vec<Hit>, SearchCoverage) {
        search(&self.passages, request, QueryKind::Conversation, is_among)
    }

    /// What the scores of passages that a question found are made of, in the order of the hits.
    pub(super) fn passage_features(
        &self,
        request: SearchRequest<'_>,
        hits: &[Hit],
    ) -> Vec<SearchFeatures> {
        let SearchRequest { text, vector, now, asker, before } = request;
        let kind = QueryKind::Conversation;
        let query = SearchQuery { text, vector, now, asker, limit: HITS_MAX, kind, before };
        self.passages.index.features(&query, hits)
    }

    /// Passages nearest to a text, best first and however weak, of those that are asked among: for rules that decide.
    pub(super) fn nearest_passages(
        &self,
        request: SearchRequest<'_>,
        is_among: &dyn Fn(u64) -> bool,
    ) -> Vec<Hit> {
        nearest(&self.passages, request, QueryKind::Conversation, is_among)
    }

    /// Facts nearest to a text, in the same way.
    pub(super) fn nearest_facts(
        &self,
        request: SearchRequest<'_>,
        is_among: &dyn Fn(u64) -> bool,
    ) -> Vec<Hit> {
        nearest(&self.facts, request, QueryKind::Plain, is_among)
    }

    /// Facts that a question is about, best first, of those that are asked among.
    pub(super) fn search_facts(
        &self,
        request: SearchRequest<'_>,
        is_among: &dyn Fn(u64) -> bool,
    ) -> (Vec<Hit>, SearchCoverage) {
        search(&self.facts, request, QueryKind::Plain, is_among)
    }

    /// Nodes of a type that a question is about, best first, of those that are asked among.
    pub(super) fn search_nodes(
        &self,
        kind: NodeKind,
        request: SearchRequest<'_>,
        is_among: &dyn Fn(u64) -> bool,
    ) -> (Vec<Hit>, SearchCoverage) {
        let index = self.nodes.get(&kind);
        index.map_or_else(
            || (Vec::new(), SearchCoverage::Exact),
            |index| search(index, request, QueryKind::Plain, is_among),
        )
    }

    /// Facts that hold all words of a text, or any of them where none holds all; `None` where it has no words.
    pub(super) fn facts_holding(&self, text: &str) -> Option<Vec<u64>> {
        self.facts.index.holding(text)
    }

    pub(super) fn has_facts(&self) -> bool {
        !self.facts.is_empty()
    }

    /// What of a question is to be embedded.
    pub(super) fn embeddable(&self, text: &str) -> String {
        self.passages.index.embeddable(text)
    }

    /// An estimate of the memory in use, and how many documents there are.
    pub(super) fn size(&self) -> (usize, usize) {
        let indexes = || [&self.passages, &self.facts].into_iter().chain(self.nodes.values());
        let bytes = indexes().map(|index| index.index.bytes() + index.embedded.len() * 16).sum();
        (bytes, indexes().map(|index| index.index.len()).sum())
    }
}

fn nearest(
    index: &EmbeddedIndex,
    request: SearchRequest<'_>,
    kind: QueryKind,
    is_among: &dyn Fn(u64) -> bool,
) -> Vec<Hit> {
    let SearchRequest { text, vector, now, asker, before } = request;
    let query = SearchQuery { text, vector, now, asker, limit: NEAREST_MAX, kind, before };
    index.index.nearest_among(&query, is_among)
}

fn search(
    index: &EmbeddedIndex,
    request: SearchRequest<'_>,
    kind: QueryKind,
    is_among: &dyn Fn(u64) -> bool,
) -> (Vec<Hit>, SearchCoverage) {
    if index.is_empty() || request.text.trim().is_empty() {
        return (Vec::new(), index.coverage(request.vector.is_some()));
    }
    let SearchRequest { text, vector, now, asker, before } = request;
    let query = SearchQuery { text, vector, now, asker, limit: HITS_MAX, kind, before };
    let hits = index.index.search_among(&query, is_among);
    (hits, index.coverage(vector.is_some()))
}
