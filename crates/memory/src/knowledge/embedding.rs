//! Which texts lack a vector, and vectors as they are put.

use abide_domain::Timestamp;
use rusqlite::{Connection, TransactionBehavior, params};

use super::{
    change::IndexChange,
    columns::{from_sql, parse_json, row_count, to_sql},
    error::{KnowledgeError, storage},
    exchange_rows::stamps,
    passage_rows::{NAMES, part_row_and_number, passage_row, passages_of, seq_and_part_of_row},
    store::Knowledge,
    vectors::{
        MissingVector, VECTORS_BATCH_MAX, VectorCursor, VectorKey, is_there, model, to_bytes,
    },
};
use crate::{VectorModel, graph::searchable_text, search::VectorKind};

/// Texts without a vector, in order, from a cursor on.
pub(super) fn missing(
    connection: &Connection,
    agent: &str,
    (model_id, from): (&str, VectorCursor),
    limit: usize,
) -> rusqlite::Result<Vec<MissingVector>> {
    // Vectors of another model count as missing.
    let is_ours = model(connection)?.is_some_and(|(model, _)| model == model_id);
    let limit = limit.clamp(1, VECTORS_BATCH_MAX);
    let mut found = Vec::new();
    missing_of_facts_and_nodes(
        connection,
        is_ours,
        (to_sql(from.facts_and_nodes), limit),
        &mut found,
    )?;
    let rest = limit - found.len().min(limit);
    missing_of_passages(connection, agent, (is_ours, to_sql(from.passages), rest), &mut found)?;
    Ok(found)
}

fn missing_of_facts_and_nodes(
    connection: &Connection,
    is_ours: bool,
    (from, limit): (i64, usize),
    found: &mut Vec<MissingVector>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, valid_from, content, NULL FROM facts WHERE closed_seq IS NULL AND seq >= ?2
            AND NOT (?1 AND EXISTS (SELECT 1 FROM vectors WHERE kind = 0 AND row = facts.seq))
         UNION ALL
         SELECT seq, valid_from, NULL, json FROM nodes WHERE closed_seq IS NULL AND seq >= ?2
            AND NOT (?1 AND EXISTS (SELECT 1 FROM vectors WHERE kind = 0 AND row = nodes.seq))
         ORDER BY seq LIMIT ?3",
    )?;
    let rows = statement.query_map(params![is_ours, from, row_count(limit)], |row| {
        let content: Option<String> = row.get(2)?;
        let text = match content {
            Some(content) => content,
            None => searchable_text(&parse_json(row, 3)?),
        };
        Ok(MissingVector {
            key: VectorKey::FactOrNode(from_sql(row.get(0)?)),
            at: Timestamp::from_micros(row.get(1)?),
            speaker: String::new(),
            text,
        })
    })?;
    for row in rows {
        found.push(row?);
    }
    Ok(())
}

fn missing_of_passages(
    connection: &Connection,
    agent: &str,
    (is_ours, from, limit): (bool, i64, usize),
    found: &mut Vec<MissingVector>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT id, text FROM passages WHERE id >= ?2
            AND id / 256 NOT IN (SELECT exchanges.seq FROM exchanges JOIN bound_epochs USING (epoch))
            AND NOT (?1 AND (SELECT count(*) FROM vectors
                             WHERE kind = 1 AND row BETWEEN id * ?4 AND id * ?4 + ?4 - 1) >= cut_into)
         ORDER BY id LIMIT ?3",
    )?;
    let full = found.len() + limit;
    let (first, _) = part_row_and_number(from_sql(from));
    let parameters = params![is_ours, to_sql(first), row_count(limit), to_sql(NAMES)];
    let rows = statement
        .query_map(parameters, |row| Ok((from_sql(row.get(0)?), row.get::<_, String>(1)?)))?;
    for row in rows {
        let (part_row, text) = row?;
        let (seq, part) = seq_and_part_of_row(part_row);
        let Some(stamps) = stamps(connection, seq)? else { continue };
        for (number, passage) in passages_of(&text).into_iter().enumerate() {
            let key = VectorKey::Passage(passage_row(part_row, number));
            let is_before = to_sql(key.table_key().1) < from;
            if is_before || (is_ours && has_vector(connection, key)?) {
                continue;
            }
            if found.len() >= full {
                return Ok(());
            }
            found.push(MissingVector {
                key,
                at: stamps.at(part),
                speaker: stamps.speaker(agent, part).to_owned(),
                text: passage.to_owned(),
            });
        }
    }
    Ok(())
}

fn has_vector(connection: &Connection, key: VectorKey) -> rusqlite::Result<bool> {
    let (kind, row) = key.table_key();
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM vectors WHERE kind = ?1 AND row = ?2)")?
        .query_row(params![kind, to_sql(row)], |row| row.get(0))
}

impl Knowledge {
    /// Keeps vectors, in one transaction, and says what the indexes must follow.
    pub(super) fn put_vectors(
        &mut self,
        of: &VectorModel,
        vectors: &[(VectorKey, Vec<f32>)],
    ) -> Result<Vec<IndexChange>, KnowledgeError> {
        self.try_put(of, vectors).map_err(storage("updated"))
    }

    fn try_put(
        &mut self,
        of: &VectorModel,
        vectors: &[(VectorKey, Vec<f32>)],
    ) -> rusqlite::Result<Vec<IndexChange>> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut changes = Vec::new();
        if model(&transaction)? != Some((of.id.clone(), of.kind)) {
            transaction.execute("DELETE FROM vectors", [])?;
            transaction.execute(
                "UPDATE meta SET vectors_model = ?1, vectors_contextual = ?2 WHERE id = 1",
                params![of.id, of.kind == VectorKind::Contextual],
            )?;
            changes.push(IndexChange::Model { model: of.id.clone(), kind: of.kind });
        }
        for (key, vector) in vectors {
            if !is_there(&transaction, *key)? {
                continue;
            }
            let (kind, row) = key.table_key();
            transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO vectors(kind, row, vector) VALUES (?1, ?2, ?3)",
                )?
                .execute(params![kind, to_sql(row), to_bytes(vector)])?;
            changes.push(IndexChange::Vector { key: *key, vector: vector.clone() });
        }
        transaction.commit()?;
        Ok(if self.tracks { changes } else { Vec::new() })
    }
}
