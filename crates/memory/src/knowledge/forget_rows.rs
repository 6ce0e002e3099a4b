//! Rows of what was taken back: the epochs whose exchanges are recalled no more, and the slots of which nothing older is
//! learnt (decision 53).
//!
//! Nothing is deleted: the exchanges keep their rows, so that a prompt of that time can be rendered again, but no search,
//! list or sleep finds them. Written by `apply`; a rebuild writes the same.

use std::collections::HashSet;

use abide_domain::{EpochId, FactId, Timestamp, event::MemoryForgotten};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    change::IndexChange,
    columns::{from_sql, parse_column, to_sql},
    error::{KnowledgeError, storage},
    exchange_rows,
    handle::KnowledgeHandle,
    items::ExchangeStamps,
    passage_rows::{part_row, passage_row},
    transaction::{BatchWriter, EventStamps, WriteError},
};

/// Binds the epochs and slots of a matter that was taken back, and the epoch in which somebody asked for it.
pub(super) fn bind(
    writing: &mut BatchWriter<'_>,
    stamps: &EventStamps,
    forgotten: &MemoryForgotten,
) -> Result<(), WriteError> {
    for epoch in forgotten.epochs.iter().copied().chain(stamps.epoch) {
        let added = writing
            .connection
            .prepare_cached("INSERT OR IGNORE INTO bound_epochs(epoch, seq) VALUES (?1, ?2)")?
            .execute(params![epoch.to_string(), to_sql(stamps.known_seq)])?;
        if added == 1 {
            hide(writing, epoch)?;
        }
    }
    for fact in &forgotten.facts {
        writing
            .connection
            .prepare_cached("INSERT OR IGNORE INTO bound_facts(fact_id) VALUES (?1)")?
            .execute([fact.to_string()])?;
    }
    for slot in &forgotten.slots {
        writing
            .connection
            .prepare_cached(
                "INSERT INTO bound_slots(slot, at) VALUES (?1, ?2)
                 ON CONFLICT(slot) DO UPDATE SET at = MAX(at, excluded.at)",
            )?
            .execute(params![slot, stamps.at.as_micros()])?;
    }
    Ok(())
}

/// Takes an exchange out of the indexes, if it has just been added and its epoch was taken back before its end.
pub(super) fn hide_if_bound(
    writing: &mut BatchWriter<'_>,
    epoch: EpochId,
) -> Result<(), WriteError> {
    let is_bound: bool = writing
        .connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM bound_epochs WHERE epoch = ?1)")?
        .query_row([epoch.to_string()], |row| row.get(0))?;
    if is_bound { hide(writing, epoch) } else { Ok(()) }
}

/// Lets the vectors of an exchange go and takes its passages out of the indexes.
fn hide(writing: &mut BatchWriter<'_>, epoch: EpochId) -> Result<(), WriteError> {
    let found: Option<(i64, u32)> = writing
        .connection
        .prepare_cached("SELECT seq, parts FROM exchanges WHERE epoch = ?1")?
        .query_row([epoch.to_string()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((seq, parts)) = found else { return Ok(()) };
    let seq = from_sql(seq);
    writing
        .connection
        .prepare_cached("DELETE FROM vectors WHERE kind = 1 AND row >= ?1 AND row < ?2")?
        .execute([part_row(seq, 0), part_row(seq, parts)].map(|row| to_sql(passage_row(row, 0))))?;
    writing.note(|| IndexChange::ExchangeForgotten { seq, parts });
    Ok(())
}

impl KnowledgeHandle {
    /// The name of the agent whose memory it is, without its `@`.
    pub fn agent_name(&self) -> &str {
        self.agent().bare()
    }

    /// Which of these epochs were taken back.
    pub fn bound_among(&self, epochs: &[EpochId]) -> Result<HashSet<EpochId>, KnowledgeError> {
        self.read(|connection| bound_among(connection, epochs)).map_err(storage("read"))
    }

    /// The facts that were taken back, in force or not.
    pub fn bound_facts(&self) -> Result<HashSet<FactId>, KnowledgeError> {
        self.read(|connection| -> rusqlite::Result<HashSet<FactId>> {
            let mut statement = connection.prepare_cached("SELECT fact_id FROM bound_facts")?;
            let mut rows = statement.query([])?;
            let mut bound = HashSet::new();
            while let Some(row) = rows.next()? {
                bound.insert(parse_column(row, 0)?);
            }
            Ok(bound)
        })
        .map_err(storage("read"))
    }

    /// The slots that were taken back, such as `nicolas/home`, with the newest time at which each was.
    pub fn bound_slots(&self) -> Result<Vec<(String, Timestamp)>, KnowledgeError> {
        self.read(|connection| -> rusqlite::Result<Vec<(String, Timestamp)>> {
            let mut statement =
                connection.prepare_cached("SELECT slot, at FROM bound_slots ORDER BY slot")?;
            let rows = statement
                .query_map([], |row| Ok((row.get(0)?, Timestamp::from_micros(row.get(1)?))))?;
            rows.collect()
        })
        .map_err(storage("read"))
    }

    /// Walks over all passages that can still be recalled, oldest first: the stamps of the exchange, the number of the
    /// passage and its text.
    pub fn walk_exchanges(
        &self,
        visit: impl FnMut(&ExchangeStamps, u32, &str),
    ) -> Result<(), KnowledgeError> {
        self.read(|connection| exchange_rows::for_each(connection, visit)).map_err(storage("read"))
    }
}

fn bound_among(connection: &Connection, epochs: &[EpochId]) -> rusqlite::Result<HashSet<EpochId>> {
    let mut statement =
        connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM bound_epochs WHERE epoch = ?1)")?;
    let mut bound = HashSet::new();
    for epoch in epochs {
        if statement.query_row([epoch.to_string()], |row| row.get(0))? {
            bound.insert(*epoch);
        }
    }
    Ok(bound)
}
