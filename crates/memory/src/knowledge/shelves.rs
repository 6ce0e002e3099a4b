//! The indexes in memory: one for passages, one for facts, one for each type of node, and the graph in force.
//!
//! Loaded from the tables when something is first looked for, then kept in step by each batch that is applied. They hold
//! no texts of passages: what is found is read from the tables. Between the tables and the queries on the walk.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use abide_domain::{EntityName, Timestamp, graph::NodeKind};
use rusqlite::Connection;

use super::{
    EdgeState, ExchangeStamps, NodeVersion, VectorKey, node_rows, query,
    said_rows::{self, row_of},
    schema, vectors,
};
use crate::{
    graph::{GraphView, Looked, searched},
    search::{Document, HITS_MAX, Hit, Index, QueryKind, SearchQuery, VectorKind},
};

/// The state of the world in which nobody feels anything worth noting.
pub(super) const NEUTRAL: &str = "neutral";

/// A change of the tables that the indexes follow.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Node(NodeVersion),
    NodeClosed(u64),
    Edge(EdgeState),
    EdgeClosed(u64),
    Fact {
        seq: u64,
        at: Timestamp,
        content: String,
        tags: String,
    },
    FactClosed(u64),
    Said {
        stamps: ExchangeStamps,
        texts: Vec<String>,
    },
    /// All vectors are let go: the next are of this model.
    Model {
        model: String,
        kind: VectorKind,
    },
    Vector {
        key: VectorKey,
        vector: Vec<f32>,
    },
}

/// Whether the indexes are there.
#[derive(Debug, Default)]
pub(super) enum Loading {
    /// Nothing was looked for yet.
    #[default]
    Not,
    /// They are being made. What changes meanwhile waits here, with the sequence that the tables have then; vectors
    /// have none.
    Under(Vec<(Option<u64>, Vec<Change>)>),
    /// They are there.
    Done(Box<Shelves>),
}

impl Loading {
    /// Takes changes in, or keeps them until there is something to take them.
    pub(super) fn follow(&mut self, seq: Option<u64>, changes: Vec<Change>) {
        match self {
            Self::Not => {}
            Self::Under(waiting) => waiting.push((seq, changes)),
            Self::Done(shelves) => changes.into_iter().for_each(|change| shelves.follow(change)),
        }
    }

    /// Puts what was made in place, with what changed since the tables were read.
    pub(super) fn done(&mut self, (mut shelves, read_seq): (Box<Shelves>, u64)) {
        if let Self::Under(waiting) = std::mem::take(self) {
            let newer = waiting.into_iter().filter(|(seq, _)| seq.is_none_or(|seq| seq > read_seq));
            newer.flat_map(|(_, changes)| changes).for_each(|change| shelves.follow(change));
        }
        *self = Self::Done(shelves);
    }
}

/// An index and which of its documents have a vector.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    index: Index,
    embedded: HashSet<u64>,
}

impl Shelf {
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

    /// How a search with or without a vector looks at this shelf.
    fn looked(&self, has_vector: bool) -> Looked {
        if self.index.is_empty() {
            Looked::Exactly
        } else if has_vector && self.embedded.len() == self.index.len() {
            Looked::ByBoth
        } else {
            Looked::ByWords
        }
    }
}

/// What is looked for on a shelf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sought<'a> {
    pub(super) text: &'a str,
    pub(super) vector: Option<&'a [f32]>,
    pub(super) now: Timestamp,
    pub(super) asker: Option<&'a str>,
}

/// Everything that is looked for in memory.
#[derive(Debug)]
pub(super) struct Shelves {
    agent: EntityName,
    said: Shelf,
    facts: Shelf,
    nodes: BTreeMap<NodeKind, Shelf>,
    pub(super) graph: GraphView,
    /// Commits of exchanges that ended in a state other than neutral.
    pub(super) felt: BTreeSet<u64>,
    /// The model of the vectors.
    pub(super) model: Option<String>,
}

impl Shelves {
    /// Makes them from the tables, which must not change meanwhile (one look at them), and says up to which sequence that is.
    pub(super) fn load(
        connection: &Connection,
        agent: &EntityName,
    ) -> rusqlite::Result<(Box<Self>, u64)> {
        let shelves = Self::read(connection, agent)?;
        Ok((Box::new(shelves), schema::read_meta(connection)?.applied_seq))
    }

    fn read(connection: &Connection, agent: &EntityName) -> rusqlite::Result<Self> {
        let mut shelves = Self {
            agent: agent.clone(),
            said: Shelf::default(),
            facts: Shelf::default(),
            nodes: BTreeMap::new(),
            graph: GraphView::default(),
            felt: BTreeSet::new(),
            model: None,
        };
        said_rows::for_each(connection, |stamps, part, text| shelves.hear(stamps, part, text))?;
        for (seq, at, content, tags) in query::facts_in_force(connection)? {
            shelves.follow(Change::Fact { seq, at, content, tags });
        }
        let (nodes, edges) = node_rows::in_force(connection)?;
        for version in nodes {
            shelves.follow(Change::Node(version));
        }
        for edge in edges {
            shelves.follow(Change::Edge(edge));
        }
        if let Some((model, kind)) = vectors::model(connection)? {
            shelves.change_model(&model, kind);
            vectors::for_each(connection, |key, vector| shelves.set_vector(key, vector))?;
        }
        Ok(shelves)
    }

    pub(super) fn follow(&mut self, change: Change) {
        match change {
            Change::Node(version) => {
                let shelf = self.nodes.entry(version.node.kind()).or_default();
                let text = searched(&version.node);
                shelf.add(Document {
                    id: version.seq,
                    thread: version.node_id.as_str(),
                    speaker: "",
                    at: version.valid_from,
                    text: &text,
                    aside: "",
                });
                self.graph.record(version);
            }
            Change::NodeClosed(seq) => {
                if let Some(version) = self.graph.close(seq)
                    && let Some(shelf) = self.nodes.get_mut(&version.node.kind())
                {
                    shelf.remove(seq);
                }
            }
            Change::Edge(edge) => self.graph.link(edge),
            Change::EdgeClosed(seq) => self.graph.unlink(seq),
            Change::Fact { seq, at, content, tags } => self.facts.add(Document {
                id: seq,
                thread: "",
                speaker: "",
                at,
                text: &content,
                aside: &tags,
            }),
            Change::FactClosed(seq) => self.facts.remove(seq),
            Change::Said { stamps, texts } => {
                (0..).zip(&texts).for_each(|(part, text)| self.hear(&stamps, part, text));
            }
            Change::Model { model, kind } => self.change_model(&model, kind),
            Change::Vector { key, vector } => self.set_vector(key, &vector),
        }
    }

    fn hear(&mut self, stamps: &ExchangeStamps, part: u32, text: &str) {
        self.said.add(Document {
            id: row_of(stamps.seq, part),
            thread: &stamps.session,
            speaker: stamps.speaker(self.agent.bare(), part),
            at: stamps.at(part),
            text,
            aside: "",
        });
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
        for shelf in [&mut self.said, &mut self.facts].into_iter().chain(self.nodes.values_mut()) {
            shelf.index.clear_vectors(kind);
            shelf.embedded.clear();
        }
    }

    fn set_vector(&mut self, key: VectorKey, vector: &[f32]) {
        match key {
            VectorKey::Said(row) => self.said.set_vector(row, vector),
            VectorKey::Known(seq) => {
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

    /// Passages that a question is about, best first.
    pub(super) fn search_said(&self, sought: Sought<'_>) -> (Vec<Hit>, Looked) {
        search(&self.said, sought, QueryKind::Conversation)
    }

    /// Facts that a question is about, best first.
    pub(super) fn search_facts(&self, sought: Sought<'_>) -> (Vec<Hit>, Looked) {
        search(&self.facts, sought, QueryKind::Plain)
    }

    /// Nodes of a type that a question is about, best first.
    pub(super) fn search_nodes(&self, kind: NodeKind, sought: Sought<'_>) -> (Vec<Hit>, Looked) {
        let shelf = self.nodes.get(&kind);
        shelf.map_or_else(
            || (Vec::new(), Looked::Exactly),
            |shelf| search(shelf, sought, QueryKind::Plain),
        )
    }

    pub(super) fn has_facts(&self) -> bool {
        !self.facts.is_empty()
    }

    /// What of a question is to be embedded.
    pub(super) fn embeddable(&self, text: &str) -> String {
        self.said.index.embeddable(text)
    }

    /// An estimate of the memory in use, and how many documents there are.
    pub(super) fn size(&self) -> (usize, usize) {
        let shelves = || [&self.said, &self.facts].into_iter().chain(self.nodes.values());
        let bytes = shelves().map(|shelf| shelf.index.bytes() + shelf.embedded.len() * 16).sum();
        (bytes, shelves().map(|shelf| shelf.index.len()).sum())
    }
}

fn search(shelf: &Shelf, sought: Sought<'_>, kind: QueryKind) -> (Vec<Hit>, Looked) {
    if shelf.is_empty() || sought.text.trim().is_empty() {
        return (Vec::new(), shelf.looked(sought.vector.is_some()));
    }
    let Sought { text, vector, now, asker } = sought;
    let hits = shelf.index.search(&SearchQuery { text, vector, now, asker, limit: HITS_MAX, kind });
    (hits, shelf.looked(vector.is_some()))
}
