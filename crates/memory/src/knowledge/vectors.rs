//! Vectors beside the texts that they stand for: a cache of what an embedder said, never part of what is remembered.
//!
//! All vectors are of one model. When it changes they are let go and made again, step by step: what is missing can be
//! asked for at any time, so that a stop in the middle loses nothing. No dump and no digest holds them.

use abide_domain::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    columns::{from_sql, row_count, to_sql},
    passage_rows::part_row_and_number,
};
use crate::search::VectorKind;

/// Most texts that are given out at once for embedding.
pub const VECTORS_BATCH_MAX: usize = 1_024;

/// What a vector belongs to. Sorts in the order in which vectors are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VectorKey {
    /// A fact or a version of a node, by the sequence of its event.
    FactOrNode(u64),
    /// A passage, by its row.
    Passage(u64),
}

/// How far texts have been gone through, so that a look for new ones does not go through the old ones again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VectorCursor {
    pub(super) facts_and_nodes: u64,
    pub(super) passages: u64,
}

impl VectorCursor {
    /// Goes past a text.
    pub fn pass(&mut self, key: VectorKey) {
        match key {
            VectorKey::FactOrNode(seq) => self.facts_and_nodes = self.facts_and_nodes.max(seq + 1),
            VectorKey::Passage(row) => self.passages = self.passages.max(row + 1),
        }
    }
}

/// A text that has no vector of the model yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingVector {
    /// What it belongs to.
    pub key: VectorKey,
    /// When it was said or learnt.
    pub at: Timestamp,
    /// Who said it; empty for facts and nodes.
    pub speaker: String,
    /// What is to be embedded.
    pub text: String,
}

/// How far the vectors are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmbeddingState {
    /// The id of the model whose vectors these are; none where there are none.
    pub model: Option<String>,
    /// How many texts have a vector.
    pub done: u64,
    /// How many texts there are.
    pub total: u64,
}

/// The kinds of key in the table `vectors`.
const FACT_OR_NODE: i64 = 0;
const PASSAGE: i64 = 1;

impl VectorKey {
    pub(super) const fn table_key(self) -> (i64, u64) {
        match self {
            Self::FactOrNode(seq) => (FACT_OR_NODE, seq),
            Self::Passage(row) => (PASSAGE, row),
        }
    }
}

/// The model whose vectors the tables hold.
pub(super) fn model(connection: &Connection) -> rusqlite::Result<Option<(String, VectorKind)>> {
    connection
        .prepare_cached("SELECT vectors_model, vectors_contextual FROM meta WHERE id = 1")?
        .query_row([], |row| {
            let model: Option<String> = row.get(0)?;
            let kind = if row.get(1)? { VectorKind::Contextual } else { VectorKind::Static };
            Ok(model.map(|model| (model, kind)))
        })
}

/// Walks over all vectors.
pub(super) fn for_each(
    connection: &Connection,
    mut visit: impl FnMut(VectorKey, &[f32]),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT kind, row, vector FROM vectors")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let place = from_sql(row.get(1)?);
        let key = if row.get::<_, i64>(0)? == FACT_OR_NODE {
            VectorKey::FactOrNode(place)
        } else {
            VectorKey::Passage(place)
        };
        visit(key, &from_bytes(row.get_ref(2)?.as_blob()?));
    }
    Ok(())
}

/// The vector of a text, where there is one.
pub(super) fn of(connection: &Connection, key: VectorKey) -> rusqlite::Result<Option<Vec<f32>>> {
    let (kind, row) = key.table_key();
    connection
        .prepare_cached("SELECT vector FROM vectors WHERE kind = ?1 AND row = ?2")?
        .query_row(params![kind, to_sql(row)], |row| Ok(from_bytes(row.get_ref(0)?.as_blob()?)))
        .optional()
}

/// Lets the vector of a fact or a node go.
pub(super) fn drop_known(connection: &Connection, seq: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM vectors WHERE kind = ?1 AND row = ?2")?
        .execute([FACT_OR_NODE, seq])
        .map(|_| ())
}

pub(super) fn state(connection: &Connection) -> rusqlite::Result<EmbeddingState> {
    let count = |sql: &str| -> rusqlite::Result<u64> {
        connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).map(from_sql)
    };
    Ok(EmbeddingState {
        model: model(connection)?.map(|(model, _)| model),
        done: count("SELECT count(*) FROM vectors")?,
        total: count(
            "SELECT (SELECT coalesce(sum(cut_into), 0) FROM passages
                     WHERE id / 256 NOT IN (SELECT exchanges.seq FROM exchanges JOIN bound_epochs USING (epoch)))
                  + (SELECT count(*) FROM facts WHERE closed_seq IS NULL)
                  + (SELECT count(*) FROM nodes WHERE closed_seq IS NULL)",
        )?,
    })
}

pub(super) fn is_there(connection: &Connection, key: VectorKey) -> rusqlite::Result<bool> {
    let (_, row) = key.table_key();
    let sql = match key {
        VectorKey::FactOrNode(_) => {
            "SELECT EXISTS (SELECT 1 FROM facts WHERE seq = ?1 AND closed_seq IS NULL)
                 OR EXISTS (SELECT 1 FROM nodes WHERE seq = ?1 AND closed_seq IS NULL)"
        }
        VectorKey::Passage(passage) => {
            let (part_row, number) = part_row_and_number(passage);
            return connection
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM passages WHERE id = ?1 AND cut_into > ?2)",
                )?
                .query_row([to_sql(part_row), row_count(number)], |row| row.get(0));
        }
    };
    connection.prepare_cached(sql)?.query_row([to_sql(row)], |row| row.get(0))
}

pub(super) fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn from_bytes(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).filter_map(|four| four.try_into().ok()).map(f32::from_le_bytes).collect()
}
