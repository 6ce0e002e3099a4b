//! Rows of the graph: a version for each time a node was recorded, an edge for each time it was linked.
//!
//! A new version closes the one before at the time from which it holds itself; a node that is closed takes its edges with
//! it. Written by `apply`.

use std::sync::Arc;

use abide_domain::{
    EntityName, Timestamp,
    event::{EdgeClosed, EdgeRecorded, NodeClosed, NodeRecorded},
    graph::{EdgeKind, NodeId, NodeKind},
};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{
    change::IndexChange,
    columns::{from_sql, parse_column, parse_json, parse_named, to_sql},
    items::{EdgeState, NodeState, NodeVersion, SOURCES_MAX},
    transaction::{BatchWriter, EventStamps, WriteError, sources_of, to_json},
    vectors::drop_known,
};

/// The columns that [`node_from_row`] reads.
pub(super) const NODE_COLUMNS: &str =
    "seq, node_id, json, recorded_at, known_seq, valid_from, valid_to, closed_seq, author, sources";
/// The columns that [`edge_from_row`] reads.
pub(super) const EDGE_COLUMNS: &str =
    "seq, from_id, edge, to_id, dependency_type, valid_from, valid_to, closed_seq";

/// All types of edge.
const EDGES: [EdgeKind; 11] = [
    EdgeKind::HasPartnership,
    EdgeKind::HasConversation,
    EdgeKind::WithPerson,
    EdgeKind::HasTechnicalContext,
    EdgeKind::HasEmotionalState,
    EdgeKind::KnowsStrategy,
    EdgeKind::ReferencesCode,
    EdgeKind::LearnedFromFailure,
    EdgeKind::SubjectToConstraint,
    EdgeKind::DependsOn,
    EdgeKind::AboutTopic,
];

/// The specification's name of a type of edge.
pub(super) const fn edge_name(edge: EdgeKind) -> &'static str {
    match edge {
        EdgeKind::HasPartnership => "HAS_PARTNERSHIP",
        EdgeKind::HasConversation => "HAS_CONVERSATION",
        EdgeKind::WithPerson => "WITH_PERSON",
        EdgeKind::HasTechnicalContext => "HAS_TECHNICAL_CONTEXT",
        EdgeKind::HasEmotionalState => "HAS_EMOTIONAL_STATE",
        EdgeKind::KnowsStrategy => "KNOWS_STRATEGY",
        EdgeKind::ReferencesCode => "REFERENCES_CODE",
        EdgeKind::LearnedFromFailure => "LEARNED_FROM_FAILURE",
        EdgeKind::SubjectToConstraint => "SUBJECT_TO_CONSTRAINT",
        EdgeKind::DependsOn => "DEPENDS_ON",
        EdgeKind::AboutTopic => "ABOUT_TOPIC",
    }
}

/// Adds a version of a node and closes the one that was in force.
pub(super) fn record(
    writing: &mut BatchWriter<'_>,
    stamps: &EventStamps,
    recorded: &NodeRecorded,
) -> Result<(), WriteError> {
    let valid_from = recorded.valid_from.unwrap_or(stamps.at);
    close_version(writing, stamps, &recorded.node_id, valid_from)?;
    let mut sources = sources_of(stamps, &recorded.sources);
    sources.truncate(SOURCES_MAX);
    writing
        .connection
        .prepare_cached(
            "INSERT INTO nodes(seq, node_id, kind, json, recorded_at, known_seq, valid_from, author,
                               sources) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            to_sql(stamps.seq),
            recorded.node_id.as_str(),
            recorded.node.kind().as_str(),
            to_json(stamps, &recorded.node)?,
            stamps.at.as_micros(),
            to_sql(stamps.known_seq),
            valid_from.as_micros(),
            stamps.author.as_str(),
            to_json(stamps, &sources)?,
        ])?;
    writing.note(|| {
        IndexChange::Node(NodeVersion {
            seq: stamps.seq,
            node_id: recorded.node_id.clone(),
            node: Arc::new(recorded.node.clone()),
            valid_from,
            recorded_at: stamps.at,
            author: stamps.author.clone(),
            sources,
        })
    });
    Ok(())
}

/// Closes a node and its edges. An unknown or closed one stays as it is.
pub(super) fn close(
    writing: &mut BatchWriter<'_>,
    stamps: &EventStamps,
    closed: &NodeClosed,
) -> Result<(), WriteError> {
    let valid_to = closed.valid_to.unwrap_or(stamps.at);
    if !close_version(writing, stamps, &closed.node_id, valid_to)? {
        return Ok(());
    }
    let mut statement = writing.connection.prepare_cached(
        "UPDATE edges SET valid_to = MAX(valid_from, ?2), closed_seq = ?3
         WHERE closed_seq IS NULL AND (from_id = ?1 OR to_id = ?1) RETURNING seq",
    )?;
    let parameters =
        params![closed.node_id.as_str(), valid_to.as_micros(), to_sql(stamps.known_seq)];
    let seqs = statement.query_map(parameters, |row| row.get(0))?;
    for seq in seqs.collect::<Result<Vec<i64>, _>>()? {
        writing.note(|| IndexChange::EdgeClosed(from_sql(seq)));
    }
    Ok(())
}

fn close_version(
    writing: &mut BatchWriter<'_>,
    stamps: &EventStamps,
    node_id: &NodeId,
    valid_to: Timestamp,
) -> Result<bool, WriteError> {
    let seq: Option<i64> = writing
        .connection
        .prepare_cached(
            "UPDATE nodes SET valid_to = MAX(valid_from, ?2), closed_seq = ?3
             WHERE node_id = ?1 AND closed_seq IS NULL RETURNING seq",
        )?
        .query_row(
            params![node_id.as_str(), valid_to.as_micros(), to_sql(stamps.known_seq)],
            |row| row.get(0),
        )
        .optional()?;
    let Some(seq) = seq else { return Ok(false) };
    drop_known(writing.connection, seq)?;
    writing.note(|| IndexChange::NodeClosed(from_sql(seq)));
    Ok(true)
}

/// Adds an edge. One that is there in the same way stays as it is; in another way it is closed.
pub(super) fn link(
    writing: &mut BatchWriter<'_>,
    stamps: &EventStamps,
    recorded: &EdgeRecorded,
) -> Result<(), WriteError> {
    let (from, to, name) = (&recorded.from, &recorded.to, edge_name(recorded.edge));
    let there: Option<Option<String>> = writing
        .connection
        .prepare_cached(
            "SELECT dependency_type FROM edges
             WHERE from_id = ?1 AND edge = ?2 AND to_id = ?3 AND closed_seq IS NULL",
        )?
        .query_row(params![from.as_str(), name, to.as_str()], |row| row.get(0))
        .optional()?;
    let valid_from = recorded.valid_from.unwrap_or(stamps.at);
    match there {
        Some(kind) if kind == recorded.dependency_type => return Ok(()),
        Some(_) => close_edge(writing, stamps, (from, recorded.edge, to), valid_from)?,
        None => {}
    }
    writing
        .connection
        .prepare_cached(
            "INSERT INTO edges(seq, from_id, edge, to_id, dependency_type, known_seq, valid_from)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            to_sql(stamps.seq),
            from.as_str(),
            name,
            to.as_str(),
            recorded.dependency_type,
            to_sql(stamps.known_seq),
            valid_from.as_micros(),
        ])?;
    writing.note(|| {
        IndexChange::Edge(EdgeState {
            seq: stamps.seq,
            from: from.clone(),
            edge: recorded.edge,
            to: to.clone(),
            dependency_type: recorded.dependency_type.clone(),
            valid_from,
            valid_to: None,
            closed_seq: None,
        })
    });
    Ok(())
}

/// Closes an edge. An unknown or closed one stays as it is.
pub(super) fn unlink(
    writing: &mut BatchWriter<'_>,
    stamps: &EventStamps,
    closed: &EdgeClosed,
) -> Result<(), WriteError> {
    close_edge(writing, stamps, (&closed.from, closed.edge, &closed.to), stamps.at)
}

fn close_edge(
    writing: &mut BatchWriter<'_>,
    stamps: &EventStamps,
    (from, edge, to): (&NodeId, EdgeKind, &NodeId),
    valid_to: Timestamp,
) -> Result<(), WriteError> {
    let seq: Option<i64> = writing
        .connection
        .prepare_cached(
            "UPDATE edges SET valid_to = MAX(valid_from, ?4), closed_seq = ?5
             WHERE from_id = ?1 AND edge = ?2 AND to_id = ?3 AND closed_seq IS NULL RETURNING seq",
        )?
        .query_row(
            params![
                from.as_str(),
                edge_name(edge),
                to.as_str(),
                valid_to.as_micros(),
                to_sql(stamps.known_seq)
            ],
            |row| row.get(0),
        )
        .optional()?;
    if let Some(seq) = seq {
        writing.note(|| IndexChange::EdgeClosed(from_sql(seq)));
    }
    Ok(())
}

pub(super) fn node_from_row(row: &Row<'_>) -> rusqlite::Result<NodeState> {
    let author: EntityName = parse_column(row, 8)?;
    Ok(NodeState {
        version: NodeVersion {
            seq: from_sql(row.get(0)?),
            node_id: parse_column(row, 1)?,
            node: Arc::new(parse_json(row, 2)?),
            valid_from: Timestamp::from_micros(row.get(5)?),
            recorded_at: Timestamp::from_micros(row.get(3)?),
            author,
            sources: parse_json(row, 9)?,
        },
        known_seq: from_sql(row.get(4)?),
        valid_to: row.get::<_, Option<i64>>(6)?.map(Timestamp::from_micros),
        closed_seq: row.get::<_, Option<i64>>(7)?.map(from_sql),
    })
}

pub(super) fn edge_from_row(row: &Row<'_>) -> rusqlite::Result<EdgeState> {
    Ok(EdgeState {
        seq: from_sql(row.get(0)?),
        from: parse_column(row, 1)?,
        edge: parse_named(row, 2, |name| EDGES.into_iter().find(|edge| edge_name(*edge) == name))?,
        to: parse_column(row, 3)?,
        dependency_type: row.get(4)?,
        valid_from: Timestamp::from_micros(row.get(5)?),
        valid_to: row.get::<_, Option<i64>>(6)?.map(Timestamp::from_micros),
        closed_seq: row.get::<_, Option<i64>>(7)?.map(from_sql),
    })
}

/// The type of a node by its name.
pub(super) fn node_kind(name: &str) -> Option<NodeKind> {
    NodeKind::ALL.into_iter().find(|kind| kind.as_str() == name)
}

/// All nodes in force, then all edges in force.
pub(super) fn in_force(
    connection: &Connection,
) -> rusqlite::Result<(Vec<NodeVersion>, Vec<EdgeState>)> {
    let sql = format!("SELECT {NODE_COLUMNS} FROM nodes WHERE closed_seq IS NULL ORDER BY seq");
    let nodes = connection
        .prepare(&sql)?
        .query_map([], |row| node_from_row(row).map(|state| state.version))?
        .collect::<Result<_, _>>()?;
    let sql = format!("SELECT {EDGE_COLUMNS} FROM edges WHERE closed_seq IS NULL ORDER BY seq");
    let edges =
        connection.prepare(&sql)?.query_map([], edge_from_row)?.collect::<Result<_, _>>()?;
    Ok((nodes, edges))
}
