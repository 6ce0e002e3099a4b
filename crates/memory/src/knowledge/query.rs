//! Reading facts: search, pages, one fact, and the whole as text.
//!
//! All functions take a connection, so that the writer's and a reader's serve alike. None of them writes. "Nothing there"
//! and "could not look" are never the same answer. Before the context, the tools and the API on the walk.

use std::str::FromStr;

use abide_domain::{EpochId, FactId, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, Row, params, types::Type};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    Fact, FactsPage, Found, KnowledgeError, PAGE_FACTS_MAX, SEARCH_FACTS_MAX,
    matching::{Matching, choose},
    schema::{from_sql, to_sql},
    storage,
};

const COLUMNS: &str = "facts.fact_id, facts.content, facts.category, facts.tags, facts.confidence, \
     facts.valid_from, facts.valid_to, facts.sources, facts.told_by, facts.trusted, facts.seq";
const INSIDE: &str = "EXISTS (SELECT 1 FROM json_each(?1) \
     WHERE instr(lower(facts.content), json_each.value) > 0)";

pub(super) fn search(connection: &Connection, text: &str, limit: usize) -> Found {
    match try_search(connection, text, limit.clamp(1, SEARCH_FACTS_MAX)) {
        Ok(Some(facts)) if facts.is_empty() => Found::Empty,
        Ok(Some(facts)) => Found::Facts(facts),
        Ok(None) => Found::Failed("the query is blank: nothing was looked for".into()),
        Err(error) => Found::Failed(format!("the facts could not be searched: {error}")),
    }
}

fn try_search(
    connection: &Connection,
    text: &str,
    limit: usize,
) -> rusqlite::Result<Option<Vec<Fact>>> {
    let (sql, parameter) = match choose(connection, text)? {
        Matching::Blank => return Ok(None),
        Matching::FullText(expression) => (
            format!(
                // The best are picked before their texts are read: a common word matches many facts.
                "SELECT {COLUMNS} FROM (
                    SELECT rowid AS best, bm25(facts_fts, 1.0, 0.5) AS score FROM facts_fts
                    WHERE facts_fts MATCH ?1 ORDER BY score, best DESC LIMIT ?2
                 ) JOIN facts ON facts.seq = best ORDER BY score, best DESC"
            ),
            expression,
        ),
        Matching::Inside(needles) => (
            format!(
                "SELECT {COLUMNS} FROM facts WHERE valid_to IS NULL AND {INSIDE}
                 ORDER BY seq DESC LIMIT ?2"
            ),
            needles,
        ),
    };
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![parameter, row_count(limit)], fact_from_row)?;
    rows.collect::<Result<_, _>>().map(Some)
}

pub(super) fn list(
    connection: &Connection,
    before: Option<u64>,
    limit: usize,
    words: Option<&str>,
) -> Result<FactsPage, KnowledgeError> {
    try_list(connection, before, limit.clamp(1, PAGE_FACTS_MAX), words).map_err(storage("read"))
}

fn try_list(
    connection: &Connection,
    before: Option<u64>,
    limit: usize,
    words: Option<&str>,
) -> rusqlite::Result<FactsPage> {
    let matching = words.map_or(Ok(Matching::Blank), |words| choose(connection, words))?;
    let (filter, parameter) = match matching {
        Matching::Blank => ("?1 = ''", String::new()),
        Matching::FullText(expression) => {
            ("seq IN (SELECT rowid FROM facts_fts WHERE facts_fts MATCH ?1)", expression)
        }
        Matching::Inside(needles) => (INSIDE, needles),
    };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM facts WHERE valid_to IS NULL AND seq < ?2 AND {filter}
         ORDER BY seq DESC LIMIT ?3"
    ))?;
    let before = before.map_or(i64::MAX, to_sql);
    // One more than asked for tells whether there is a next page.
    let rows =
        statement.query_map(params![parameter, before, row_count(limit + 1)], fact_from_row)?;
    let mut items = rows.collect::<Result<Vec<_>, _>>()?;
    let more = items.len() > limit;
    items.truncate(limit);
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
            "SELECT EXISTS (SELECT 1 FROM staged WHERE epoch = ?1 AND fact_id = ?2
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
    let mut line = |value: &Value| {
        text.push_str(&value.to_string());
        text.push('\n');
    };
    let sql = format!("SELECT {COLUMNS} FROM facts ORDER BY seq");
    for fact in connection.prepare(&sql)?.query_map([], fact_from_row)? {
        let fact = fact?;
        line(&json!({
            "seq": fact.seq,
            "fact": state_of(&fact),
            "valid_from": fact.valid_from,
            "valid_to": fact.valid_to,
        }));
    }
    let sql = "SELECT fact_id, seq FROM aliases ORDER BY seq, fact_id";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (alias, seq): (String, i64) = (row.get(0)?, row.get(1)?);
        line(&json!({"alias": alias, "seq": seq}));
    }
    let sql = "SELECT seq, epoch, at, author, kind, json FROM staged ORDER BY seq";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (seq, epoch, at): (i64, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (author, kind, json): (String, String, String) =
            (row.get(3)?, row.get(4)?, row.get(5)?);
        line(
            &json!({"staged": kind, "seq": seq, "epoch": epoch, "at": at, "author": author, "data": json}),
        );
    }
    Ok(text)
}

pub(super) fn state_parts(connection: &Connection) -> Result<Value, KnowledgeError> {
    try_state_parts(connection).map_err(storage("read"))
}

fn try_state_parts(connection: &Connection) -> rusqlite::Result<Value> {
    let (mut count, mut hash) = (0_u64, Sha256::new());
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM facts ORDER BY seq"))?;
    for fact in statement.query_map([], fact_from_row)? {
        count += 1;
        hash.update(state_of(&fact?).to_string());
        hash.update("\n");
    }
    Ok(json!({"facts": count, "sha256": hex::encode(hash.finalize())}))
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
        fact_id: parsed(row, 0)?,
        content: row.get(1)?,
        category: row.get(2)?,
        tags: from_json(row, 3)?,
        confidence: row.get(4)?,
        valid_from: Timestamp::from_micros(row.get(5)?),
        valid_to: valid_to.map(Timestamp::from_micros),
        sources: from_json(row, 7)?,
        told_by: told_by.map(|_| parsed(row, 8)).transpose()?,
        trusted: row.get(9)?,
        seq: from_sql(row.get(10)?),
    })
}

/// Reads an id or a name from a text column.
pub(super) fn parsed<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    let text: String = row.get(column)?;
    text.parse().map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

fn from_json<T: serde::de::DeserializeOwned>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Vec<T>> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

fn row_count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
