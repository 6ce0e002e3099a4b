//! Rows of facts: remembered, said again, superseded, taken back.
//!
//! A fact is never deleted: one that holds no longer is closed (`valid_to`) and leaves the indexes. Written by `apply`.

use abide_domain::{EntityName, EpochId, FactId, Timestamp, event::FactRemembered};
use rusqlite::{OptionalExtension as _, params};
use sha2::{Digest as _, Sha256};

use super::{
    change::IndexChange,
    columns::{from_sql, to_sql},
    items::SOURCES_MAX,
    provenance::FactTelling,
    transaction::{BatchWriter, EventStamps, WriteError, sources_of, to_json},
    vectors::drop_known,
};

/// The content of a fact as it is compared: case and space do not count.
pub fn normalise(content: &str) -> String {
    let mut normal = String::with_capacity(content.len());
    for word in content.split_whitespace() {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.extend(word.chars().flat_map(char::to_lowercase));
    }
    normal
}

/// Where a fact comes from, and whether a person confirmed it.
struct FactOrigin {
    sources: Vec<EpochId>,
    told_by: Option<EntityName>,
    trusted: bool,
}

/// Adds a fact. One that says the same as a fact in force becomes an alias of it and adds its epochs to the sources; an
/// id that is known already changes nothing. The fact that it supersedes is closed first.
pub(super) fn remember(
    writing: &mut BatchWriter<'_>,
    stamps: &EventStamps,
    fact: &FactRemembered,
) -> Result<(), WriteError> {
    let valid_from = fact.valid_from.unwrap_or(stamps.at);
    let mut sources = sources_of(stamps, &fact.sources);
    sources.truncate(SOURCES_MAX);
    // Outside epochs a person tells it, unless it was distilled from what others said.
    let author = Some(&stamps.author).filter(|_| sources.is_empty());
    let told_by = fact.told_by.as_ref().or(author).cloned();
    let origin = FactOrigin { sources, told_by, trusted: !fact.untrusted };
    if let Some(superseded) = fact.supersedes
        && !is_recorded(writing, fact.fact_id)?
    {
        close(writing, stamps, superseded, valid_from)?;
    }
    let digest: [u8; 32] = Sha256::digest(normalise(&fact.content)).into();
    let same: Option<(i64, String)> = writing
        .connection
        .prepare_cached(
            "SELECT seq, sources FROM facts WHERE content_digest = ?1 AND closed_seq IS NULL",
        )?
        .query_row([digest.as_slice()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match same {
        Some((seq, sources)) => {
            add_sources(writing, stamps, (seq, &sources), &origin)?;
            let sources = origin.sources.clone();
            writing.note(|| IndexChange::FactToldAgain { seq: from_sql(seq), sources });
            add_alias(writing, fact.fact_id, seq, &origin)
        }
        None => insert(writing, stamps, (fact, &digest, valid_from), &origin),
    }
}

fn is_recorded(writing: &BatchWriter<'_>, fact_id: FactId) -> Result<bool, WriteError> {
    let is_there = writing
        .connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM facts WHERE fact_id = ?1)")?
        .query_row([fact_id.to_string()], |row| row.get(0))?;
    Ok(is_there)
}

fn add_alias(
    writing: &BatchWriter<'_>,
    fact_id: FactId,
    seq: i64,
    origin: &FactOrigin,
) -> Result<(), WriteError> {
    let told_by = origin.told_by.as_ref().map(EntityName::as_str);
    writing
        .connection
        .prepare_cached(
            "UPDATE facts SET told_by = COALESCE(told_by, ?2), trusted = MAX(trusted, ?3)
             WHERE seq = ?1",
        )?
        .execute(params![seq, told_by, origin.trusted])?;
    writing
        .connection
        .prepare_cached("INSERT OR IGNORE INTO aliases(fact_id, seq) VALUES (?1, ?2)")?
        .execute(params![fact_id.to_string(), seq])?;
    Ok(())
}

fn insert(
    writing: &mut BatchWriter<'_>,
    stamps: &EventStamps,
    (fact, digest, valid_from): (&FactRemembered, &[u8; 32], Timestamp),
    origin: &FactOrigin,
) -> Result<(), WriteError> {
    let added = writing
        .connection
        .prepare_cached(
            "INSERT OR IGNORE INTO facts(seq, fact_id, content, content_digest, category, tags,
                 confidence, recorded_at, valid_from, supersedes, sources, told_by, trusted,
                 first_sources, first_told_by, first_trusted)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?11, ?12, ?13)",
        )?
        .execute(params![
            to_sql(stamps.seq),
            fact.fact_id.to_string(),
            fact.content,
            digest.as_slice(),
            fact.category,
            to_json(stamps, &fact.tags)?,
            fact.confidence,
            stamps.at.as_micros(),
            valid_from.as_micros(),
            fact.supersedes.map(|id| id.to_string()),
            to_json(stamps, &origin.sources)?,
            origin.told_by.as_ref().map(EntityName::as_str),
            origin.trusted,
        ])?;
    if added == 1 {
        let tags = fact.tags.join(" ");
        let (seq, at, content) = (stamps.seq, valid_from, &fact.content);
        let telling = FactTelling {
            category: fact.category.clone(),
            told_by: origin.told_by.clone(),
            sources: origin.sources.clone(),
            again: Vec::new(),
        };
        writing.note(|| IndexChange::Fact { seq, at, content: content.clone(), tags, telling });
    }
    Ok(())
}

fn add_sources(
    writing: &BatchWriter<'_>,
    stamps: &EventStamps,
    (seq, known): (i64, &str),
    origin: &FactOrigin,
) -> Result<(), WriteError> {
    let mut sources: Vec<EpochId> = serde_json::from_str(known)
        .map_err(|error| WriteError::Staged(stamps.seq, error.to_string()))?;
    let before = sources.len();
    for source in &origin.sources {
        if sources.len() < SOURCES_MAX && !sources.contains(source) {
            sources.push(*source);
        }
    }
    if sources.len() > before {
        writing
            .connection
            .prepare_cached("UPDATE facts SET sources = ?2 WHERE seq = ?1")?
            .execute(params![seq, to_json(stamps, &sources)?])?;
    }
    Ok(())
}

/// Closes a fact that was taken back, by its own id or that of an alias. An unknown or closed one stays as it is.
pub(super) fn forget(
    writing: &mut BatchWriter<'_>,
    stamps: &EventStamps,
    fact_id: FactId,
) -> Result<(), WriteError> {
    close(writing, stamps, fact_id, stamps.at)
}

fn close(
    writing: &mut BatchWriter<'_>,
    stamps: &EventStamps,
    fact_id: FactId,
    valid_to: Timestamp,
) -> Result<(), WriteError> {
    let seq: Option<i64> = writing
        .connection
        .prepare_cached(
            "UPDATE facts SET valid_to = MAX(valid_from, ?2), closed_seq = ?3
             WHERE closed_seq IS NULL AND seq = COALESCE(
                (SELECT seq FROM facts WHERE fact_id = ?1), (SELECT seq FROM aliases WHERE fact_id = ?1))
             RETURNING seq",
        )?
        .query_row(
            params![fact_id.to_string(), valid_to.as_micros(), to_sql(stamps.known_seq)],
            |row| row.get(0),
        )
        .optional()?;
    let Some(seq) = seq else { return Ok(()) };
    drop_known(writing.connection, seq)?;
    writing.note(|| IndexChange::FactClosed(from_sql(seq)));
    Ok(())
}
