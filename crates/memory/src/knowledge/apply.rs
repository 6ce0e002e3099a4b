//! Folding events into the tables: one transaction a batch.
//!
//! It must never let a staged event count before its epoch's commit, nor the same event count twice. What an epoch says
//! is collected in memory until it ends; after a restart it is collected again, from the events that are handed in again.
//! Nothing is deleted or overwritten: what holds no longer is closed. Driven by the ledger's feed.

use abide_domain::{
    EpochId, Timestamp,
    event::{Event, MemoryEvent},
};
use rusqlite::{Connection, TransactionBehavior, params};

use super::{
    change::IndexChange,
    columns::{from_sql, parse_column, to_sql},
    error::{KnowledgeError, storage},
    exchange_rows, fact_rows, forget_rows, node_rows,
    schema::{LedgerCursor, save_cursor},
    store::Knowledge,
    transaction::{BatchWriter, EventStamps, WriteError},
};
use crate::{DurableEvent, open_epoch::EndedEpoch, staging::MemoryStep};

/// Events that do not concern memory move the cursor in memory only; it is written after this many, which bounds what a
/// start after a crash reads again.
const SAVE_EVERY: u64 = 10_000;
/// What a staged row about a matter that is taken back has in place of an id.
const FORGOTTEN: &str = "forgotten";

/// What an event does to the tables.
enum BatchStep<'a> {
    Stage(EpochId),
    InForce(&'a MemoryEvent),
    Commit(EpochId, Option<Box<EndedEpoch>>),
    Abort(EpochId),
}

/// A batch as it was read, before anything is written.
struct BatchPlan<'b, 'e> {
    acts: Vec<(&'b DurableEvent<'e>, BatchStep<'e>)>,
    ended: Vec<EpochId>,
    /// The epochs that have something staged after it.
    staging: std::collections::HashSet<EpochId>,
    /// Whether facts or the graph may change.
    concerns_known: bool,
}

impl Knowledge {
    /// Folds durable events in, in one transaction: all of the batch counts or none. Events up to
    /// [`Self::applied_seq`] are only read again, so that applying again changes nothing. On an error nothing has
    /// changed, and the same events must be handed in again before later ones ([`KnowledgeError::Behind`]). After a
    /// restart the first events must be those from `OpenedKnowledge::replay_from` on.
    pub fn apply(&mut self, batch: &[DurableEvent<'_>]) -> Result<(), KnowledgeError> {
        let fresh = batch.iter().map(|applied| applied.seq).filter(|seq| *seq > self.collected_seq);
        let Some(first) = fresh.min() else { return Ok(()) };
        let due = self.missing_from.or(self.collect_from);
        if let Some(seq) = due.filter(|due| *due < first) {
            return Err(KnowledgeError::Behind { seq });
        }
        let applied = self.apply_batch(batch);
        if applied.is_ok() {
            self.collect_from = None;
        }
        self.missing_from = applied.is_err().then_some(first);
        self.is_suspect |= applied.as_ref().is_err_and(KnowledgeError::is_corrupt);
        applied
    }

    fn apply_batch(&mut self, batch: &[DurableEvent<'_>]) -> Result<(), KnowledgeError> {
        let Some(last) = batch.iter().map(|applied| applied.seq).max() else { return Ok(()) };
        let plan = self.plan(batch);
        let cursor = LedgerCursor {
            applied_seq: last.max(self.applied_seq),
            collect_from: self.open.first_seq_without(&plan.ended),
        };
        if plan.acts.is_empty() {
            self.skip_to(cursor)?;
        } else {
            let changes = self.write(&plan, cursor).map_err(|error| match error {
                WriteError::Storage(source) => storage("updated")(source),
                WriteError::Staged(seq, message) => KnowledgeError::Staged { seq, message },
            })?;
            self.changes.extend(changes);
            self.saved_seq = cursor.applied_seq;
            self.known_revision += u64::from(plan.concerns_known);
        }
        self.staging = plan.staging;
        for epoch in plan.ended {
            self.open.drop_epoch(epoch);
        }
        self.applied_seq = cursor.applied_seq;
        self.collected_seq = self.collected_seq.max(last);
        Ok(())
    }

    /// Reads a batch. Collecting what open epochs say is done at once: it changes nothing when it is done again.
    fn plan<'b, 'e>(&mut self, batch: &'b [DurableEvent<'e>]) -> BatchPlan<'b, 'e> {
        let mut plan = BatchPlan {
            acts: Vec::new(),
            ended: Vec::new(),
            staging: self.staging.clone(),
            concerns_known: false,
        };
        for applied in batch {
            if applied.seq <= self.collected_seq || *applied.entity != self.entity {
                continue;
            }
            let is_new = applied.seq > self.applied_seq;
            match MemoryStep::of(applied) {
                MemoryStep::Other => self.open.collect(applied),
                MemoryStep::Stage(epoch, event) if is_new && concerns(event) => {
                    plan.staging.insert(epoch);
                    plan.acts.push((applied, BatchStep::Stage(epoch)));
                }
                MemoryStep::InForce(event) if is_new && concerns(event) => {
                    plan.concerns_known = true;
                    plan.acts.push((applied, BatchStep::InForce(event)));
                }
                MemoryStep::Stage(..) | MemoryStep::InForce(_) => {}
                MemoryStep::Commit(epoch, turn) => {
                    let said = self.open.ended(epoch, turn, applied.at).map(Box::new);
                    plan.end(epoch);
                    let staged = plan.staging.remove(&epoch);
                    plan.concerns_known |= staged && is_new;
                    if is_new && (staged || said.is_some()) {
                        plan.acts.push((applied, BatchStep::Commit(epoch, said)));
                    }
                }
                MemoryStep::Abort(epoch) => {
                    plan.end(epoch);
                    if plan.staging.remove(&epoch) && is_new {
                        plan.acts.push((applied, BatchStep::Abort(epoch)));
                    }
                }
            }
        }
        plan
    }

    fn write(
        &mut self,
        plan: &BatchPlan<'_, '_>,
        cursor: LedgerCursor,
    ) -> Result<Vec<IndexChange>, WriteError> {
        // Immediate: a transaction that begins by reading cannot wait for another process's checkpoint when it comes to
        // write, and fails as busy at once.
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut writing =
            BatchWriter { connection: &transaction, changes: Vec::new(), tracks: self.tracks };
        for (applied, act) in &plan.acts {
            match act {
                BatchStep::Stage(epoch) => stage(&transaction, applied, *epoch)?,
                BatchStep::InForce(event) => {
                    let (seq, at, author) = (applied.seq, applied.at, applied.author.clone());
                    let stamps = EventStamps { seq, known_seq: seq, at, author, epoch: None };
                    take_effect(&mut writing, &stamps, event)?;
                }
                BatchStep::Commit(epoch, said) => {
                    if let Some(ended) = said {
                        exchange_rows::add(&mut writing, applied.seq, ended)?;
                        forget_rows::hide_if_bound(&mut writing, *epoch)?;
                    }
                    commit(&mut writing, *epoch, applied.seq)?;
                }
                BatchStep::Abort(epoch) => drop_staged(&transaction, *epoch)?,
            }
        }
        let changes = writing.changes;
        save_cursor(&transaction, cursor)?;
        transaction.commit()?;
        Ok(changes)
    }

    fn skip_to(&mut self, cursor: LedgerCursor) -> Result<(), KnowledgeError> {
        if cursor.applied_seq - self.saved_seq >= SAVE_EVERY {
            save_cursor(&self.connection, cursor).map_err(storage("updated"))?;
            self.saved_seq = cursor.applied_seq;
        }
        Ok(())
    }
}

impl BatchPlan<'_, '_> {
    fn end(&mut self, epoch: EpochId) {
        if !self.ended.contains(&epoch) {
            self.ended.push(epoch);
        }
    }
}

/// Whether an event is one of those that the tables hold.
fn concerns(event: &MemoryEvent) -> bool {
    subject(event).is_some()
}

/// What an event is about, as staged rows are looked up.
fn subject(event: &MemoryEvent) -> Option<String> {
    match event {
        MemoryEvent::FactRemembered(fact) => Some(fact.fact_id.to_string()),
        MemoryEvent::FactForgotten(fact) => Some(fact.fact_id.to_string()),
        MemoryEvent::Forgotten(_) => Some(FORGOTTEN.to_owned()),
        MemoryEvent::NodeRecorded(node) => Some(node.node_id.to_string()),
        MemoryEvent::NodeClosed(node) => Some(node.node_id.to_string()),
        MemoryEvent::EdgeRecorded(edge) => Some(edge_subject(&edge.from, edge.edge, &edge.to)),
        MemoryEvent::EdgeClosed(edge) => Some(edge_subject(&edge.from, edge.edge, &edge.to)),
        _ => None,
    }
}

/// An edge in one text. Ids hold no space.
pub(super) fn edge_subject(
    from: &abide_domain::graph::NodeId,
    edge: abide_domain::graph::EdgeKind,
    to: &abide_domain::graph::NodeId,
) -> String {
    format!("{from} {} {to}", node_rows::edge_name(edge))
}

fn stage(
    connection: &Connection,
    applied: &DurableEvent<'_>,
    epoch: EpochId,
) -> Result<(), WriteError> {
    let failed = |message: String| WriteError::Staged(applied.seq, message);
    let Event::Memory(event) = applied.event else { return Ok(()) };
    let Some(subject) = subject(event) else { return Ok(()) };
    let json = applied.event.encode_data().map_err(|error| failed(error.to_string()))?;
    let kind = applied.event.kind();
    connection
        .prepare_cached(
            "INSERT INTO staged(seq, epoch, at, author, kind, version, subject, json)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            to_sql(applied.seq),
            epoch.to_string(),
            applied.at.as_micros(),
            applied.author.as_str(),
            kind.name,
            kind.version,
            subject,
            json.get(),
        ])?;
    Ok(())
}

fn drop_staged(connection: &Connection, epoch: EpochId) -> Result<(), WriteError> {
    connection
        .prepare_cached("DELETE FROM staged WHERE epoch = ?1")?
        .execute([epoch.to_string()])?;
    Ok(())
}

fn commit(writing: &mut BatchWriter<'_>, epoch: EpochId, known_seq: u64) -> Result<(), WriteError> {
    let connection = writing.connection;
    let mut statement = connection.prepare_cached(
        "SELECT seq, at, author, kind, version, json FROM staged WHERE epoch = ?1 ORDER BY seq",
    )?;
    let mut rows = statement.query([epoch.to_string()])?;
    let mut any = false;
    while let Some(row) = rows.next()? {
        any = true;
        let seq = from_sql(row.get(0)?);
        let stamps = EventStamps {
            seq,
            known_seq,
            at: Timestamp::from_micros(row.get(1)?),
            author: parse_column(row, 2)?,
            epoch: Some(epoch),
        };
        let (kind, version, json): (String, u32, String) = (row.get(3)?, row.get(4)?, row.get(5)?);
        let event = Event::decode(&kind, version, &json)
            .map_err(|error| WriteError::Staged(seq, error.to_string()))?;
        if let Event::Memory(event) = &event {
            take_effect(writing, &stamps, event)?;
        }
    }
    drop(rows);
    if any { drop_staged(connection, epoch) } else { Ok(()) }
}

fn take_effect(
    writing: &mut BatchWriter<'_>,
    stamps: &EventStamps,
    event: &MemoryEvent,
) -> Result<(), WriteError> {
    match event {
        MemoryEvent::FactRemembered(fact) => fact_rows::remember(writing, stamps, fact),
        MemoryEvent::FactForgotten(fact) => fact_rows::forget(writing, stamps, fact.fact_id),
        MemoryEvent::Forgotten(forgotten) => forget_rows::bind(writing, stamps, forgotten),
        MemoryEvent::NodeRecorded(node) => node_rows::record(writing, stamps, node),
        MemoryEvent::NodeClosed(node) => node_rows::close(writing, stamps, node),
        MemoryEvent::EdgeRecorded(edge) => node_rows::link(writing, stamps, edge),
        MemoryEvent::EdgeClosed(edge) => node_rows::unlink(writing, stamps, edge),
        _ => Ok(()),
    }
}
