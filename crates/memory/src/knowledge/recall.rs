//! Reads through a handle: answers, passages, versions of nodes, lists.
//!
//! Nothing here writes, but vectors, which are no memory. Every answer is of the one agent whose file it is. It serves the
//! Dreamer, the tools and the API.

use abide_domain::{
    EpochId, FactId, Timestamp,
    event::MemoryRef,
    graph::{EdgeKind, NodeId, NodeKind},
};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    apply::edge_subject,
    ask,
    columns::{row_count, to_sql},
    embedding,
    error::{KnowledgeError, storage},
    exchange_rows,
    handle::KnowledgeHandle,
    items::{
        EdgeState, Fact, FactRight, FactsPage, GraphPage, Lookup, NodeState, PAGE_FACTS_MAX,
        RankablePassage, RecalledPassage, ReferencedItem, SEARCH_FACTS_MAX,
    },
    node_rows::{EDGE_COLUMNS, NODE_COLUMNS, edge_from_row, edge_name, node_from_row, node_kind},
    query::{self, cut_page},
    vectors::{self, EmbeddingState, MissingVector, VectorCursor, VectorKey},
};
use crate::{GraphQuery, Lead, QueryResult, VectorModel, search::HITS_MAX};

/// Which nodes a list holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct NodeFilter {
    /// Only of this type.
    pub kind: Option<NodeKind>,
    /// Whether closed versions are listed too.
    pub with_closed: bool,
}

/// Which edges a list holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct EdgeFilter<'a> {
    /// Only from or to this node.
    pub node: Option<&'a NodeId>,
    /// Only of this type.
    pub edge: Option<EdgeKind>,
    /// Whether closed edges are listed too.
    pub with_closed: bool,
}

impl KnowledgeHandle {
    /// Answers one of the eight queries. Never an error: what could not be looked for is a failed result.
    pub fn ask(&self, query: &GraphQuery, lead: &Lead<'_>) -> QueryResult {
        ask::ask(self, query, lead)
    }

    /// Passages of past conversations that a text is about, best first. `limit` is cut to [`HITS_MAX`].
    pub fn recall(&self, text: &str, lead: &Lead<'_>, limit: usize) -> Lookup<RecalledPassage> {
        let limit = limit.clamp(1, HITS_MAX);
        self.lookup_of(
            text,
            self.with_indexes(|connection, indexes| {
                ask::QueryExecution::new(connection, indexes, self.agent(), lead)
                    .recall(text, limit)
            }),
        )
    }

    /// The best passages that a question finds, with what they are ranked by, in the order in which they were found. `before` hides
    /// what was committed at or behind it in the ledger: what was not known yet when it was asked.
    pub fn rankable_passages(
        &self,
        question: &str,
        lead: &Lead<'_>,
        before: Option<u64>,
    ) -> Result<Vec<RankablePassage>, KnowledgeError> {
        self.with_indexes(|connection, indexes| {
            ask::QueryExecution::new(connection, indexes, self.agent(), lead)
                .rankable(question, before)
        })
    }

    /// Facts in force that a text is about, best first: by words, by meaning where there are vectors. `limit` is cut to
    /// [`SEARCH_FACTS_MAX`].
    pub fn search_facts(&self, text: &str, lead: &Lead<'_>, limit: usize) -> Lookup<Fact> {
        let limit = limit.clamp(1, SEARCH_FACTS_MAX);
        self.lookup_of(
            text,
            self.with_indexes(|connection, indexes| {
                ask::QueryExecution::new(connection, indexes, self.agent(), lead)
                    .search_facts(text, limit)
            }),
        )
    }

    /// Whether whoever asks may have a fact forgotten or replaced in an epoch: who told it may, and the keeper's owner.
    pub fn right_over(
        &self,
        fact_id: FactId,
        epoch: EpochId,
        lead: &Lead<'_>,
    ) -> Result<FactRight, KnowledgeError> {
        let fact = self.get(fact_id)?.filter(|fact| fact.valid_to.is_none());
        let Some(fact) = fact else {
            let is_staged = self.is_known(fact_id, Some(epoch))?;
            return Ok(if is_staged { FactRight::Theirs } else { FactRight::Unknown });
        };
        self.with_indexes(|_, indexes| {
            let told = indexes.provenance.heard_by(lead.listener, None);
            Ok(match fact.told_by {
                _ if !told.has_fact(fact.seq) => FactRight::Unknown,
                Some(teller) if !told.is_from_listener(fact.seq) => {
                    FactRight::OfAnother(teller.bare().to_owned())
                }
                _ => FactRight::Theirs,
            })
        })
    }

    fn lookup_of<T>(&self, text: &str, looked: Result<Vec<T>, KnowledgeError>) -> Lookup<T> {
        match looked {
            _ if text.trim().is_empty() => {
                Lookup::Failed("the query is blank; give words to search for".into())
            }
            Err(error) => Lookup::Failed(error.with_cause()),
            Ok(items) if !items.is_empty() => Lookup::Items(items),
            Ok(_) if self.is_behind() => {
                Lookup::Failed("the newest events are not in memory yet; ask again later".into())
            }
            Ok(_) => Lookup::Empty,
        }
    }

    /// What a reference names, as it was first recorded; later changes make no difference.
    pub fn resolve(&self, reference: MemoryRef) -> Result<Option<ReferencedItem>, KnowledgeError> {
        let agent = self.agent().bare();
        self.read(|connection| resolve(connection, agent, reference)).map_err(storage("read"))
    }

    /// The passages of the exchange that was committed at a sequence, in order; none if there is none.
    pub fn exchange(&self, seq: u64) -> Result<Vec<RecalledPassage>, KnowledgeError> {
        let agent = self.agent().bare();
        self.read(|connection| exchange(connection, agent, seq)).map_err(storage("read"))
    }

    /// The version of a node that is in force.
    pub fn node(&self, node_id: &NodeId) -> Result<Option<NodeState>, KnowledgeError> {
        self.one_node("node_id = ?1 AND closed_seq IS NULL", params![node_id.as_str()])
    }

    /// The version of a node that was recorded at a sequence, and how it ended.
    pub fn node_version(&self, seq: u64) -> Result<Option<NodeState>, KnowledgeError> {
        self.one_node("seq = ?1", params![to_sql(seq)])
    }

    /// All versions of a node, oldest first; of more than [`PAGE_FACTS_MAX`] the newest.
    pub fn node_history(&self, node_id: &NodeId) -> Result<Vec<NodeState>, KnowledgeError> {
        let sql = format!(
            "SELECT {NODE_COLUMNS} FROM (SELECT * FROM nodes WHERE node_id = ?1
             ORDER BY seq DESC LIMIT ?2) ORDER BY seq"
        );
        self.read(|connection| -> rusqlite::Result<Vec<NodeState>> {
            connection
                .prepare_cached(&sql)?
                .query_map(params![node_id.as_str(), row_count(PAGE_FACTS_MAX)], node_from_row)?
                .collect()
        })
        .map_err(storage("read"))
    }

    /// What was so at a point in time, as it was known after a sequence; without one, as it is known now.
    pub fn node_as_of(
        &self,
        node_id: &NodeId,
        valid_at: Timestamp,
        known_seq: Option<u64>,
    ) -> Result<Option<NodeState>, KnowledgeError> {
        let known_seq = known_seq.map_or(i64::MAX, to_sql); // What was closed later than it is asked for was open then.
        let found = self.one_node(
            "node_id = ?1 AND known_seq <= ?3 AND valid_from <= ?2
             AND (closed_seq IS NULL OR closed_seq > ?3 OR valid_to > ?2)
             ORDER BY known_seq DESC, seq DESC LIMIT 1",
            params![node_id.as_str(), valid_at.as_micros(), known_seq],
        )?;
        Ok(found.map(|state| state.known_at(known_seq)))
    }

    fn one_node(
        &self,
        filter: &str,
        parameters: impl rusqlite::Params,
    ) -> Result<Option<NodeState>, KnowledgeError> {
        let sql = format!("SELECT {NODE_COLUMNS} FROM nodes WHERE {filter}");
        self.read(|connection| {
            connection.prepare_cached(&sql)?.query_row(parameters, node_from_row).optional()
        })
        .map_err(storage("read"))
    }

    /// The type of a node that an epoch may link or close: what that epoch itself staged last counts, else what is in
    /// force.
    pub fn known_node(
        &self,
        node_id: &NodeId,
        epoch: Option<EpochId>,
    ) -> Result<Option<NodeKind>, KnowledgeError> {
        self.read(|connection| match staged(connection, "memory.node_", node_id.as_str(), epoch)? {
            Some((kind, json)) if kind == "memory.node_recorded" => Ok(staged_kind(&json)),
            Some(_) => Ok(None),
            None => connection
                .prepare_cached("SELECT kind FROM nodes WHERE node_id = ?1 AND closed_seq IS NULL")?
                .query_row([node_id.as_str()], |row| row.get::<_, String>(0))
                .optional()
                .map(|kind| kind.and_then(|kind| node_kind(&kind))),
        })
        .map_err(storage("read"))
    }

    /// Whether an epoch may close that edge: what that epoch itself staged last counts, else what is in force.
    pub fn is_edge_known(
        &self,
        from: &NodeId,
        edge: EdgeKind,
        to: &NodeId,
        epoch: Option<EpochId>,
    ) -> Result<bool, KnowledgeError> {
        let subject = edge_subject(from, edge, to);
        self.read(|connection| match staged(connection, "memory.edge_", &subject, epoch)? {
            Some((kind, _)) => Ok(kind == "memory.edge_recorded"),
            None => connection
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM edges WHERE from_id = ?1 AND edge = ?2
                                    AND to_id = ?3 AND closed_seq IS NULL)",
                )?
                .query_row(params![from.as_str(), edge_name(edge), to.as_str()], |row| row.get(0)),
        })
        .map_err(storage("read"))
    }

    /// A page of nodes, newest version first; `before` is the cursor of the page before.
    pub fn nodes(
        &self,
        filter: NodeFilter,
        before: Option<u64>,
        limit: usize,
    ) -> Result<GraphPage<NodeState>, KnowledgeError> {
        let sql = format!(
            "SELECT {NODE_COLUMNS} FROM nodes
             WHERE seq < ?1 AND (?2 IS NULL OR kind = ?2) AND (?3 OR closed_seq IS NULL)
             ORDER BY seq DESC LIMIT ?4"
        );
        let limit = limit.clamp(1, PAGE_FACTS_MAX);
        let before = before.map_or(i64::MAX, to_sql);
        let kind = filter.kind.map(NodeKind::as_str);
        let items = self
            .read(|connection| -> rusqlite::Result<Vec<NodeState>> {
                let parameters = params![before, kind, filter.with_closed, row_count(limit + 1)];
                connection.prepare_cached(&sql)?.query_map(parameters, node_from_row)?.collect()
            })
            .map_err(storage("read"))?;
        let (items, more) = cut_page(items, limit);
        let next = items.last().filter(|_| more).map(|state| state.version.seq);
        Ok(GraphPage { items, next })
    }

    /// A page of edges, newest first; `before` is the cursor of the page before.
    pub fn edges(
        &self,
        filter: EdgeFilter<'_>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<GraphPage<EdgeState>, KnowledgeError> {
        let sql = format!(
            "SELECT {EDGE_COLUMNS} FROM edges
             WHERE seq < ?1 AND (?2 IS NULL OR from_id = ?2 OR to_id = ?2)
               AND (?3 IS NULL OR edge = ?3) AND (?4 OR closed_seq IS NULL)
             ORDER BY seq DESC LIMIT ?5"
        );
        let limit = limit.clamp(1, PAGE_FACTS_MAX);
        let before = before.map_or(i64::MAX, to_sql);
        let (node, edge) = (filter.node.map(NodeId::as_str), filter.edge.map(edge_name));
        let items = self
            .read(|connection| -> rusqlite::Result<Vec<EdgeState>> {
                let limit = row_count(limit + 1);
                let parameters = params![before, node, edge, filter.with_closed, limit];
                connection.prepare_cached(&sql)?.query_map(parameters, edge_from_row)?.collect()
            })
            .map_err(storage("read"))?;
        let (items, more) = cut_page(items, limit);
        let next = items.last().filter(|_| more).map(|edge| edge.seq);
        Ok(GraphPage { items, next })
    }

    /// A page of all facts, closed ones too, newest first.
    pub fn fact_history(
        &self,
        before: Option<u64>,
        limit: usize,
    ) -> Result<FactsPage, KnowledgeError> {
        self.read(|connection| query::history(connection, before, limit)).map_err(storage("read"))
    }

    /// What of a question is to be embedded: without the names of those who speak.
    pub fn embeddable(&self, text: &str) -> Result<String, KnowledgeError> {
        self.with_indexes(|_, indexes| Ok(indexes.embeddable(text)))
    }

    /// Bytes of the indexes in memory, as estimated, and how many documents they hold.
    pub fn index_size(&self) -> Result<(usize, usize), KnowledgeError> {
        self.with_indexes(|_, indexes| Ok(indexes.size()))
    }

    /// Texts without a vector of the model of that id, in order, from a cursor on; an empty list means that all from there on have one.
    pub fn missing_vectors(
        &self,
        model: &str,
        from: VectorCursor,
        limit: usize,
    ) -> Result<Vec<MissingVector>, KnowledgeError> {
        let agent = self.agent().bare();
        self.read(|connection| embedding::missing(connection, agent, (model, from), limit))
            .map_err(storage("read"))
    }

    /// Keeps vectors. Those of another model are let go. A key that is gone meanwhile is passed over.
    pub fn put_vectors(
        &self,
        model: &VectorModel,
        vectors: &[(VectorKey, Vec<f32>)],
    ) -> Result<(), KnowledgeError> {
        self.put(model, vectors)
    }

    /// How far the vectors are, and of which model.
    pub fn embedding_state(&self) -> Result<EmbeddingState, KnowledgeError> {
        self.read(vectors::state).map_err(storage("read"))
    }
}

impl NodeState {
    /// Without what came to be known after a sequence.
    fn known_at(mut self, known_seq: i64) -> Self {
        if self.closed_seq.is_some_and(|closed| to_sql(closed) > known_seq) {
            self.closed_seq = None;
            self.valid_to = None;
        }
        self
    }
}

fn resolve(
    connection: &Connection,
    agent: &str,
    reference: MemoryRef,
) -> rusqlite::Result<Option<ReferencedItem>> {
    match reference {
        MemoryRef::Node { seq } => {
            let sql = format!("SELECT {NODE_COLUMNS} FROM nodes WHERE seq = ?1");
            let state = connection
                .prepare_cached(&sql)?
                .query_row([to_sql(seq)], node_from_row)
                .optional()?;
            Ok(state.map(|state| ReferencedItem::Node(state.version)))
        }
        MemoryRef::Fact { seq } => {
            query::first_recorded(connection, seq).map(|fact| fact.map(ReferencedItem::Fact))
        }
        MemoryRef::Passage { seq, part } => {
            let Some(stamps) = exchange_rows::stamps(connection, seq)? else { return Ok(None) };
            let passage = exchange_rows::passage(connection, agent, &stamps, part)?;
            Ok(passage.map(ReferencedItem::Passage))
        }
    }
}

fn exchange(
    connection: &Connection,
    agent: &str,
    seq: u64,
) -> rusqlite::Result<Vec<RecalledPassage>> {
    let Some(stamps) = exchange_rows::stamps(connection, seq)? else { return Ok(Vec::new()) };
    let mut passages = Vec::new();
    for part in 0..stamps.parts {
        passages.extend(exchange_rows::passage(connection, agent, &stamps, part)?);
    }
    Ok(passages)
}

/// What an epoch staged last about something: the event's kind and its JSON.
fn staged(
    connection: &Connection,
    kinds: &str,
    subject: &str,
    epoch: Option<EpochId>,
) -> rusqlite::Result<Option<(String, String)>> {
    let Some(epoch) = epoch else { return Ok(None) };
    connection
        .prepare_cached(
            "SELECT kind, json FROM staged WHERE epoch = ?1 AND subject = ?2
                AND substr(kind, 1, length(?3)) = ?3 ORDER BY seq DESC LIMIT 1",
        )?
        .query_row(params![epoch.to_string(), subject, kinds], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

fn staged_kind(json: &str) -> Option<NodeKind> {
    let recorded: serde_json::Value = serde_json::from_str(json).ok()?;
    node_kind(recorded.pointer("/node/type")?.as_str()?)
}
