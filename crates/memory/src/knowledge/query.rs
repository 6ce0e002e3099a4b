//! Reading facts: pages, one fact, and the whole as text.
//!
//! All functions take a connection, so that the writer's and a reader's serve alike. None of them writes. "Nothing there"
//! and "could not look" are never the same answer. They serve the context, the tools and the API.

use abide_domain::{EpochId, FactId, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    change::IndexChange,
    columns::{from_sql, parse_column, parse_json, row_count, to_sql},
    error::{KnowledgeError, storage},
    exchange_rows,
    items::{Fact, FactsPage, NodeState, OriginalFact, PAGE_FACTS_MAX},
    node_rows::{self, EDGE_COLUMNS, NODE_COLUMNS, edge_from_row, node_from_row},
    provenance::FactTelling,
};

const COLUMNS: &str = "facts.fact_id, facts.content, facts.category, facts.tags, facts.confidence, \
     facts.valid_from, facts.valid_to, facts.sources, facts.told_by, facts.trusted, facts.seq, \
     facts.supersedes, facts.closed_seq";

/// The fact of an event, closed or not.
pub(super) fn by_seq(connection: &Connection, seq: u64) -> rusqlite::Result<Option<Fact>> {
    connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM facts WHERE seq = ?1"))?
        .query_row([to_sql(seq)], fact_from_row)
        .optional()
}

/// The newest facts in force that somebody told.
pub(super) fn newest_by_teller(
    connection: &Connection,
    teller: &str,
    limit: usize,
) -> rusqlite::Result<Vec<Fact>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM facts WHERE told_by = ?1 AND closed_seq IS NULL
         ORDER BY seq DESC LIMIT ?2"
    ))?;
    statement.query_map(params![teller, row_count(limit)], fact_from_row)?.collect()
}

/// All facts in force, in order, as the indexes take them in.
pub(super) fn facts_in_force(connection: &Connection) -> rusqlite::Result<Vec<IndexChange>> {
    let mut statement = connection.prepare(
        "SELECT seq, valid_from, content, tags, category, first_told_by, first_sources, sources
         FROM facts WHERE closed_seq IS NULL ORDER BY seq",
    )?;
    let rows = statement.query_map([], |row| {
        let tags: Vec<String> = parse_json(row, 3)?;
        let told_by = row.get::<_, Option<String>>(5)?.map(|_| parse_column(row, 5)).transpose()?;
        let (sources, all): (Vec<EpochId>, Vec<EpochId>) =
            (parse_json(row, 6)?, parse_json(row, 7)?);
        let again = all.into_iter().filter(|epoch| !sources.contains(epoch)).collect();
        Ok(IndexChange::Fact {
            seq: from_sql(row.get(0)?),
            at: Timestamp::from_micros(row.get(1)?),
            content: row.get(2)?,
            tags: tags.join(" "),
            telling: FactTelling { category: row.get(4)?, told_by, sources, again },
        })
    })?;
    rows.collect()
}

/// A fact as it was first recorded.
pub(super) fn first_recorded(
    connection: &Connection,
    seq: u64,
) -> rusqlite::Result<Option<OriginalFact>> {
    connection
        .prepare_cached(
            "SELECT seq, fact_id, content, category, confidence, valid_from, recorded_at,
                    first_told_by, first_trusted, first_sources FROM facts WHERE seq = ?1",
        )?
        .query_row([to_sql(seq)], |row| {
            Ok(OriginalFact {
                seq: from_sql(row.get(0)?),
                fact_id: parse_column(row, 1)?,
                content: row.get(2)?,
                category: row.get(3)?,
                confidence: row.get(4)?,
                valid_from: Timestamp::from_micros(row.get(5)?),
                recorded_at: Timestamp::from_micros(row.get(6)?),
                told_by: row
                    .get::<_, Option<String>>(7)?
                    .map(|_| parse_column(row, 7))
                    .transpose()?,
                trusted: row.get(8)?,
                sources: parse_json(row, 9)?,
            })
        })
        .optional()
}

/// A page of all facts, closed ones too, newest first.
pub(super) fn history(
    connection: &Connection,
    before: Option<u64>,
    limit: usize,
) -> rusqlite::Result<FactsPage> {
    page(connection, before, limit, ("?3 = ''", ""))
}

/// A page of what was read with one more than asked for, and whether there is more.
pub(super) fn cut_page<T>(mut items: Vec<T>, limit: usize) -> (Vec<T>, bool) {
    let more = items.len() > limit;
    items.truncate(limit);
    (items, more)
}

/// A page of the facts in force, newest first.
pub(super) fn list(
    connection: &Connection,
    before: Option<u64>,
    limit: usize,
) -> Result<FactsPage, KnowledgeError> {
    page(connection, before, limit, ("closed_seq IS NULL AND ?3 = ''", "")).map_err(storage("read"))
}

/// The same, of those with one of these sequences.
pub(super) fn list_of(
    connection: &Connection,
    before: Option<u64>,
    limit: usize,
    seqs: &[u64],
) -> rusqlite::Result<FactsPage> {
    let seqs = Value::from(seqs).to_string();
    let filter = "closed_seq IS NULL AND seq IN (SELECT value FROM json_each(?3))";
    page(connection, before, limit, (filter, &seqs))
}

/// The same, of those whose content holds a text as it stands, small and large ASCII letters alike.
pub(super) fn list_holding(
    connection: &Connection,
    before: Option<u64>,
    limit: usize,
    text: &str,
) -> rusqlite::Result<FactsPage> {
    let filter = "closed_seq IS NULL AND instr(lower(content), ?3) > 0";
    page(connection, before, limit, (filter, &text.trim().to_ascii_lowercase()))
}

/// A page of facts; the filter has the parameter `?3`.
fn page(
    connection: &Connection,
    before: Option<u64>,
    limit: usize,
    (filter, parameter): (&str, &str),
) -> rusqlite::Result<FactsPage> {
    let limit = limit.clamp(1, PAGE_FACTS_MAX);
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM facts WHERE seq < ?1 AND {filter} ORDER BY seq DESC LIMIT ?2"
    ))?;
    let before = before.map_or(i64::MAX, to_sql);
    // One more than asked for tells whether there is a next page.
    let rows =
        statement.query_map(params![before, row_count(limit + 1), parameter], fact_from_row)?;
    let (items, more) = cut_page(rows.collect::<Result<Vec<_>, _>>()?, limit);
    let next = items.last().filter(|_| more).map(|fact| fact.seq);
    Ok(FactsPage { items, next })
}

pub(super) fn get(
    connection: &Connection,
    fact_id: FactId,
) -> Result<Option<Fact>, KnowledgeError> {
    connection
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM facts WHERE seq = COALESCE(
                (SELECT seq FROM facts WHERE fact_id = ?1), (SELECT seq FROM aliases WHERE fact_id = ?1))"
        ))
        .and_then(|mut statement| {
            statement.query_row([fact_id.to_string()], fact_from_row).optional()
        })
        .map_err(storage("read"))
}

pub(super) fn is_known(
    connection: &Connection,
    fact_id: FactId,
    epoch: Option<EpochId>,
) -> Result<bool, KnowledgeError> {
    if get(connection, fact_id)?.is_some_and(|fact| fact.valid_to.is_none()) {
        return Ok(true);
    }
    let Some(epoch) = epoch else { return Ok(false) };
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM staged WHERE epoch = ?1 AND subject = ?2
                            AND kind = 'memory.fact_remembered')",
        )
        .and_then(|mut statement| {
            statement.query_row([epoch.to_string(), fact_id.to_string()], |row| row.get(0))
        })
        .map_err(storage("read"))
}

pub(super) fn dump(connection: &Connection) -> Result<String, KnowledgeError> {
    try_dump(connection).map_err(storage("read"))
}

fn try_dump(connection: &Connection) -> rusqlite::Result<String> {
    let mut text = String::new();
    let mut line = |value: Value| {
        text.push_str(&value.to_string());
        text.push('\n');
    };
    let sql = format!("SELECT {COLUMNS} FROM facts ORDER BY seq");
    for fact in connection.prepare(&sql)?.query_map([], fact_from_row)? {
        let fact = fact?;
        line(json!({
            "seq": fact.seq,
            "fact": state_of(&fact),
            "valid_from": fact.valid_from,
            "valid_to": fact.valid_to,
            "supersedes": fact.supersedes,
        }));
    }
    let sql = "SELECT fact_id, seq FROM aliases ORDER BY seq, fact_id";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (alias, seq): (String, i64) = (row.get(0)?, row.get(1)?);
        line(json!({"alias": alias, "seq": seq}));
    }
    dump_graph(connection, &mut line)?;
    exchange_rows::dump(connection, &mut line)?;
    let sql = "SELECT seq, epoch, at, author, kind, json FROM staged ORDER BY seq";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (seq, epoch, at): (i64, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (author, kind, json): (String, String, String) =
            (row.get(3)?, row.get(4)?, row.get(5)?);
        line(
            json!({"staged": kind, "seq": seq, "epoch": epoch, "at": at, "author": author, "data": json}),
        );
    }
    Ok(text)
}

/// The parts of the state: facts and graph as read, and what was said.
pub(super) fn with_exchanges(mut known: Value, said: Value) -> Value {
    if let Some(parts) = known.as_object_mut() {
        parts.insert("said".into(), said);
    }
    known
}

/// Number and digest of facts and nodes.
pub(super) fn known_parts(connection: &Connection) -> Result<Value, KnowledgeError> {
    try_known_parts(connection).map_err(storage("read"))
}

fn try_known_parts(connection: &Connection) -> rusqlite::Result<Value> {
    let (mut count, mut hash) = (0_u64, Sha256::new());
    let mut line = |value: Value| {
        hash.update(value.to_string());
        hash.update("\n");
    };
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM facts ORDER BY seq"))?;
    for fact in statement.query_map([], fact_from_row)? {
        count += 1;
        line(state_of(&fact?));
    }
    let mut nodes = 0_u64;
    let (in_force, edges) = node_rows::in_force(connection)?;
    for version in in_force {
        nodes += 1;
        line(json!({"node": version.node_id, "is": *version.node, "sources": version.sources}));
    }
    for edge in edges {
        line(json!({"from": edge.from, "edge": edge.edge, "to": edge.to}));
    }
    Ok(json!({"facts": count, "nodes": nodes, "sha256": hex::encode(hash.finalize())}))
}

/// Number and digest of the exchanges, kept up to date as they come.
pub(super) fn exchange_parts(connection: &Connection) -> Result<Value, KnowledgeError> {
    connection
        .prepare_cached("SELECT exchanges, said_digest FROM meta WHERE id = 1")
        .and_then(|mut statement| {
            statement.query_row([], |row| {
                let (exchanges, digest): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
                Ok(json!({"exchanges": exchanges, "sha256": hex::encode(digest)}))
            })
        })
        .map_err(storage("read"))
}

fn dump_graph(connection: &Connection, mut line: impl FnMut(Value)) -> rusqlite::Result<()> {
    let sql = format!("SELECT {NODE_COLUMNS} FROM nodes ORDER BY seq");
    for state in connection.prepare(&sql)?.query_map([], node_from_row)? {
        let NodeState { version, known_seq, valid_to, closed_seq } = state?;
        line(json!({"seq": version.seq, "node": version.node_id, "is": *version.node,
            "recorded_at": version.recorded_at, "known_seq": known_seq,
            "valid_from": version.valid_from, "valid_to": valid_to, "closed_seq": closed_seq,
            "author": version.author, "sources": version.sources}));
    }
    let sql = format!("SELECT {EDGE_COLUMNS} FROM edges ORDER BY seq");
    for edge in connection.prepare(&sql)?.query_map([], edge_from_row)? {
        let edge = edge?;
        line(json!({"seq": edge.seq, "from": edge.from, "edge": edge.edge, "to": edge.to,
            "dependency_type": edge.dependency_type, "valid_from": edge.valid_from,
            "valid_to": edge.valid_to, "closed_seq": edge.closed_seq}));
    }
    Ok(())
}

fn state_of(fact: &Fact) -> Value {
    json!({
        "fact_id": fact.fact_id,
        "content": fact.content,
        "category": fact.category,
        "tags": fact.tags,
        "confidence": fact.confidence,
        "in_force": fact.valid_to.is_none(),
        "sources": fact.sources,
        "told_by": fact.told_by,
        "trusted": fact.trusted,
    })
}

fn fact_from_row(row: &Row<'_>) -> rusqlite::Result<Fact> {
    let valid_to: Option<i64> = row.get(6)?;
    let told_by: Option<String> = row.get(8)?;
    Ok(Fact {
        fact_id: parse_column(row, 0)?,
        content: row.get(1)?,
        category: row.get(2)?,
        tags: parse_json(row, 3)?,
        confidence: row.get(4)?,
        valid_from: Timestamp::from_micros(row.get(5)?),
        valid_to: valid_to.map(Timestamp::from_micros),
        sources: parse_json(row, 7)?,
        told_by: told_by.map(|_| parse_column(row, 8)).transpose()?,
        trusted: row.get(9)?,
        seq: from_sql(row.get(10)?),
        supersedes: row.get::<_, Option<String>>(11)?.map(|_| parse_column(row, 11)).transpose()?,
    })
}
