//! Folding events into the tables: one transaction a batch.
//!
//! It must never let a staged event count before its epoch's commit, nor the same event count twice. Facts are never
//! deleted: a forgotten one is closed (`valid_to`) and leaves the full-text index. Driven by the ledger's feed.

use std::collections::HashSet;

use abide_domain::{
    EntityName, EpochId, FactId, Timestamp,
    event::{Event, FactForgotten, FactRemembered, MemoryEvent},
};
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use sha2::{Digest as _, Sha256};

use super::{
    Knowledge, KnowledgeError, SOURCES_MAX,
    query::parsed,
    schema::{from_sql, save_applied, to_sql},
    storage,
};
use crate::{Applied, staging::Step};

/// Events that do not concern facts move `applied_seq` in memory only; it is written after this many, which bounds what
/// a start after a crash reads again.
const SAVE_EVERY: u64 = 10_000;

/// The stamps of an event about a fact.
struct Stamps {
    seq: u64,
    at: Timestamp,
    author: EntityName,
    epoch: Option<EpochId>,
}

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

impl Knowledge {
    pub(super) fn apply_batch(&mut self, batch: &[Applied<'_>]) -> Result<(), KnowledgeError> {
        let Some(last) = batch.iter().map(|applied| applied.seq).max() else { return Ok(()) };
        let mut open = self.open_epochs.clone();
        let steps: Vec<_> = batch
            .iter()
            .filter(|applied| applied.seq > self.applied_seq && *applied.entity == self.entity)
            .map(|applied| (applied, Step::of(applied)))
            .filter(|(_, step)| concerns_facts(step, &mut open))
            .collect();
        if steps.is_empty() {
            return self.skip_to(last);
        }
        self.apply_steps(&steps, last).map_err(|error| match error {
            Failure::Storage(source) => storage("applied")(source),
            Failure::Staged(seq, message) => KnowledgeError::Staged { seq, message },
        })?;
        self.open_epochs = open;
        self.applied_seq = last;
        self.saved_seq = last;
        self.revision += 1;
        Ok(())
    }

    fn apply_steps(
        &mut self,
        steps: &[(&Applied<'_>, Step<'_>)],
        last: u64,
    ) -> Result<(), Failure> {
        // Immediate: a transaction that begins by reading cannot wait for another process's checkpoint when it comes to
        // write, and fails as busy at once.
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (applied, step) in steps {
            match step {
                Step::Stage(epoch, _) => stage(&transaction, applied, *epoch)?,
                Step::InForce(event) => {
                    let (seq, at, author) = (applied.seq, applied.at, applied.author.clone());
                    take_effect(&transaction, &Stamps { seq, at, author, epoch: None }, event)?;
                }
                Step::Commit(epoch, _) => commit(&transaction, *epoch)?,
                Step::Abort(epoch) => drop_staged(&transaction, *epoch)?,
                Step::Other => {}
            }
        }
        save_applied(&transaction, last)?;
        transaction.commit()?;
        Ok(())
    }

    fn skip_to(&mut self, last: u64) -> Result<(), KnowledgeError> {
        if last - self.saved_seq >= SAVE_EVERY {
            save_applied(&self.connection, last).map_err(storage("applied"))?;
            self.saved_seq = last;
        }
        self.applied_seq = last;
        Ok(())
    }
}

enum Failure {
    Storage(rusqlite::Error),
    Staged(u64, String),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Storage(error)
    }
}

/// Says whether a step touches the tables, following which epochs have something staged.
fn concerns_facts(step: &Step<'_>, open: &mut HashSet<EpochId>) -> bool {
    match step {
        Step::Stage(epoch, event) if is_fact(event) => {
            open.insert(*epoch);
            true
        }
        Step::InForce(event) => is_fact(event),
        Step::Commit(epoch, _) | Step::Abort(epoch) => open.remove(epoch),
        Step::Stage(..) | Step::Other => false,
    }
}

fn is_fact(event: &MemoryEvent) -> bool {
    fact_of(event).is_some()
}

fn fact_of(event: &MemoryEvent) -> Option<FactId> {
    match event {
        MemoryEvent::FactRemembered(fact) => Some(fact.fact_id),
        MemoryEvent::FactForgotten(fact) => Some(fact.fact_id),
        _ => None,
    }
}

fn stage(connection: &Connection, applied: &Applied<'_>, epoch: EpochId) -> Result<(), Failure> {
    let failed = |message: String| Failure::Staged(applied.seq, message);
    let Event::Memory(event) = applied.event else { return Ok(()) };
    let Some(fact_id) = fact_of(event) else { return Ok(()) };
    let json = applied.event.encode_data().map_err(|error| failed(error.to_string()))?;
    let kind = applied.event.kind();
    connection
        .prepare_cached(
            "INSERT INTO staged(seq, epoch, at, author, kind, version, fact_id, json)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            to_sql(applied.seq),
            epoch.to_string(),
            applied.at.as_micros(),
            applied.author.as_str(),
            kind.name,
            kind.version,
            fact_id.to_string(),
            json.get(),
        ])?;
    Ok(())
}

fn drop_staged(connection: &Connection, epoch: EpochId) -> Result<(), Failure> {
    connection
        .prepare_cached("DELETE FROM staged WHERE epoch = ?1")?
        .execute([epoch.to_string()])?;
    Ok(())
}

fn commit(connection: &Connection, epoch: EpochId) -> Result<(), Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, at, author, kind, version, json FROM staged WHERE epoch = ?1 ORDER BY seq",
    )?;
    let mut rows = statement.query([epoch.to_string()])?;
    while let Some(row) = rows.next()? {
        let seq = from_sql(row.get(0)?);
        let stamps = Stamps {
            seq,
            at: Timestamp::from_micros(row.get(1)?),
            author: parsed(row, 2)?,
            epoch: Some(epoch),
        };
        let (kind, version, json): (String, u32, String) = (row.get(3)?, row.get(4)?, row.get(5)?);
        let event = Event::decode(&kind, version, &json)
            .map_err(|error| Failure::Staged(seq, error.to_string()))?;
        if let Event::Memory(event) = &event {
            take_effect(connection, &stamps, event)?;
        }
    }
    drop(rows);
    drop_staged(connection, epoch)
}

fn take_effect(
    connection: &Connection,
    stamps: &Stamps,
    event: &MemoryEvent,
) -> Result<(), Failure> {
    match event {
        MemoryEvent::FactRemembered(fact) => remember(connection, stamps, fact),
        MemoryEvent::FactForgotten(fact) => forget(connection, stamps, fact),
        _ => Ok(()),
    }
}

/// Adds a fact. One that says the same as a fact in force becomes an alias of it and adds its epoch to the sources; an
/// id that is known already changes nothing.
fn remember(
    connection: &Connection,
    stamps: &Stamps,
    fact: &FactRemembered,
) -> Result<(), Failure> {
    let fact_id = fact.fact_id.to_string();
    let digest = Sha256::digest(normalise(&fact.content).as_bytes());
    let same: Option<(i64, String)> = connection
        .prepare_cached(
            "SELECT seq, sources FROM facts WHERE content_digest = ?1 AND valid_to IS NULL",
        )?
        .query_row([digest.as_slice()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let told_by = match stamps.epoch {
        Some(_) => fact.told_by.as_ref(),
        None => Some(&stamps.author),
    };
    let told_by = told_by.map(EntityName::as_str);
    if let Some((seq, sources)) = same {
        add_source(connection, seq, &sources, stamps)?;
        connection
            .prepare_cached(
                "UPDATE facts SET told_by = COALESCE(told_by, ?2), trusted = MAX(trusted, ?3)
                 WHERE seq = ?1",
            )?
            .execute(params![seq, told_by, !fact.untrusted])?;
        connection
            .prepare_cached("INSERT OR IGNORE INTO aliases(fact_id, seq) VALUES (?1, ?2)")?
            .execute(params![fact_id, seq])?;
        return Ok(());
    }
    let sources: Vec<String> = stamps.epoch.iter().map(EpochId::to_string).collect();
    let added = connection
        .prepare_cached(
            "INSERT OR IGNORE INTO facts(seq, fact_id, content, content_digest, category, tags,
                                         confidence, valid_from, sources, told_by, trusted)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            to_sql(stamps.seq),
            fact_id,
            fact.content,
            digest.as_slice(),
            fact.category,
            to_json(stamps, &fact.tags)?,
            fact.confidence,
            stamps.at.as_micros(),
            to_json(stamps, &sources)?,
            told_by,
            !fact.untrusted,
        ])?;
    if added == 1 {
        connection
            .prepare_cached("INSERT INTO facts_fts(rowid, content, tags) VALUES (?1, ?2, ?3)")?
            .execute(params![to_sql(stamps.seq), fact.content, fact.tags.join(" ")])?;
    }
    Ok(())
}

fn add_source(
    connection: &Connection,
    seq: i64,
    sources: &str,
    stamps: &Stamps,
) -> Result<(), Failure> {
    let Some(epoch) = stamps.epoch else { return Ok(()) };
    let mut sources: Vec<String> = serde_json::from_str(sources)
        .map_err(|error| Failure::Staged(stamps.seq, error.to_string()))?;
    let epoch = epoch.to_string();
    if sources.len() >= SOURCES_MAX || sources.contains(&epoch) {
        return Ok(());
    }
    sources.push(epoch);
    connection
        .prepare_cached("UPDATE facts SET sources = ?2 WHERE seq = ?1")?
        .execute(params![seq, to_json(stamps, &sources)?])?;
    Ok(())
}

/// Closes a fact, by its own id or that of an alias. An unknown or closed one stays as it is.
fn forget(connection: &Connection, stamps: &Stamps, fact: &FactForgotten) -> Result<(), Failure> {
    let seq: Option<i64> = connection
        .prepare_cached(
            "UPDATE facts SET valid_to = ?2
             WHERE valid_to IS NULL AND seq = COALESCE(
                (SELECT seq FROM facts WHERE fact_id = ?1), (SELECT seq FROM aliases WHERE fact_id = ?1))
             RETURNING seq",
        )?
        .query_row(params![fact.fact_id.to_string(), stamps.at.as_micros()], |row| row.get(0))
        .optional()?;
    if let Some(seq) = seq {
        connection.prepare_cached("DELETE FROM facts_fts WHERE rowid = ?1")?.execute([seq])?;
    }
    Ok(())
}

fn to_json(stamps: &Stamps, words: &[String]) -> Result<String, Failure> {
    serde_json::to_string(words).map_err(|error| Failure::Staged(stamps.seq, error.to_string()))
}
