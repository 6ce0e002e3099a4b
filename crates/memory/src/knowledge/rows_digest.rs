//! A digest of all that stands in the tables, kept by the one writer in the transaction of each change: rows that somebody else
//! changed, added or took away do not fit it, and the file is built again from the ledger.
//!
//! Each row has a SHA-256 of its table's name and its values; the digest is their sum, four numbers of 64 bits, so that a
//! change costs what the row costs, whatever the file holds. Triggers that only the writer's connection has keep it. It finds
//! damage and edits; it is no seal against somebody who works it out anew, for no secret is in it.

use rusqlite::{
    Connection,
    functions::{Context, FunctionFlags},
    types::ValueRef,
};
use sha2::{Digest as _, Sha256};

/// The name of the function in the triggers: `(digest, 1 or -1, table, values…)`.
const FUNCTION: &str = "abide_rows_digest";
/// Tables whose rows count.
const TABLES: [&str; 12] = [
    "facts",
    "aliases",
    "staged",
    "nodes",
    "edges",
    "exchanges",
    "bound_epochs",
    "bound_facts",
    "bound_slots",
    "conversations",
    "passages",
    "vectors",
];
/// The table of the one row about the file, and what counts of it.
const META: &str = "meta";
const META_COLUMNS: [&str; 7] = [
    "entity",
    "applied_seq",
    "collect_from",
    "exchanges",
    "said_digest",
    "vectors_model",
    "vectors_contextual",
];

/// The sum of the digests of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RowsDigest([u64; 4]);

impl RowsDigest {
    /// From its 32 bytes; nothing is an empty file's.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() {
            return Some(Self::default());
        }
        let mut lanes = [0; 4];
        let (parts, rest) = bytes.as_chunks::<8>();
        if parts.len() != lanes.len() || !rest.is_empty() {
            return None;
        }
        for (lane, part) in lanes.iter_mut().zip(parts) {
            *lane = u64::from_le_bytes(*part);
        }
        Some(Self(lanes))
    }

    fn to_bytes(self) -> Vec<u8> {
        self.0.iter().flat_map(|lane| lane.to_le_bytes()).collect()
    }

    fn add(&mut self, row: Self) {
        for (lane, other) in self.0.iter_mut().zip(row.0) {
            *lane = lane.wrapping_add(other);
        }
    }

    fn subtract(&mut self, row: Self) {
        for (lane, other) in self.0.iter_mut().zip(row.0) {
            *lane = lane.wrapping_sub(other);
        }
    }

    /// Of one row.
    fn of_row<'a>(table: &str, values: impl Iterator<Item = ValueRef<'a>>) -> Self {
        let mut hasher = Sha256::new();
        let mut part = |kind: u8, bytes: &[u8]| {
            // Kinds and lengths keep the boundaries between values in the digest.
            hasher.update([kind]);
            hasher.update((bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        part(0, table.as_bytes());
        for value in values {
            match value {
                ValueRef::Null => part(1, &[]),
                ValueRef::Integer(number) => part(2, &number.to_le_bytes()),
                ValueRef::Real(number) => part(3, &number.to_bits().to_le_bytes()),
                ValueRef::Text(text) => part(4, text),
                ValueRef::Blob(bytes) => part(5, bytes),
            }
        }
        Self::from_bytes(&hasher.finalize()).unwrap_or_default()
    }
}

/// Has a connection keep the digest with each change that it makes.
pub(super) fn keep(connection: &Connection) -> rusqlite::Result<()> {
    // Without it, a row that REPLACE takes away fires no trigger.
    connection.pragma_update(None, "recursive_triggers", "ON")?;
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function(FUNCTION, -1, flags, |context| changed_by(context))?;
    for table in TABLES {
        let columns = columns(connection, table)?;
        let (added, removed) =
            (change(table, "NEW", 1, &columns), change(table, "OLD", -1, &columns));
        connection.execute_batch(&format!(
            "CREATE TEMP TRIGGER {table}_added AFTER INSERT ON main.{table} BEGIN {added} END;
             CREATE TEMP TRIGGER {table}_removed AFTER DELETE ON main.{table} BEGIN {removed} END;
             CREATE TEMP TRIGGER {table}_changed AFTER UPDATE ON main.{table} BEGIN {removed} {added} END;"
        ))?;
    }
    let columns = META_COLUMNS.map(str::to_owned);
    let (added, removed) = (change(META, "NEW", 1, &columns), change(META, "OLD", -1, &columns));
    let of = META_COLUMNS.join(", ");
    connection.execute_batch(&format!(
        "CREATE TEMP TRIGGER meta_added AFTER INSERT ON main.meta BEGIN {added} END;
         CREATE TEMP TRIGGER meta_changed AFTER UPDATE OF {of} ON main.meta BEGIN {removed} {added} END;"
    ))
}

/// Whether all rows are what the writer wrote. Reads the whole file; to be called in a transaction where another writes.
pub(super) fn fits(connection: &Connection) -> rusqlite::Result<bool> {
    let mut sum = RowsDigest::default();
    for table in TABLES {
        add_rows(connection, table, &columns(connection, table)?, &mut sum)?;
    }
    add_rows(connection, META, &META_COLUMNS.map(str::to_owned), &mut sum)?;
    let kept: Vec<u8> =
        connection.query_row("SELECT rows_digest FROM meta WHERE id = 1", [], |row| row.get(0))?;
    Ok(RowsDigest::from_bytes(&kept) == Some(sum))
}

fn add_rows(
    connection: &Connection,
    table: &str,
    columns: &[String],
    sum: &mut RowsDigest,
) -> rusqlite::Result<()> {
    let mut statement =
        connection.prepare(&format!("SELECT {} FROM {table}", columns.join(", ")))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let values: Result<Vec<_>, _> = (0..columns.len()).map(|at| row.get_ref(at)).collect();
        sum.add(RowsDigest::of_row(table, values?.into_iter()));
    }
    Ok(())
}

/// The columns of a table, in their order.
fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement =
        connection.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
    statement.query_map([table], |row| row.get(0))?.collect()
}

/// The statement of a trigger that adds a row to the digest or takes it away.
fn change(table: &str, row: &str, sign: i32, columns: &[String]) -> String {
    let values: Vec<_> = columns.iter().map(|column| format!("{row}.{column}")).collect();
    let values = values.join(", ");
    format!(
        "UPDATE meta SET rows_digest = {FUNCTION}(rows_digest, {sign}, '{table}', {values}) WHERE id = 1;"
    )
}

/// The function in the triggers.
fn changed_by(context: &Context<'_>) -> rusqlite::Result<Vec<u8>> {
    let wrong = |what: &str| rusqlite::Error::UserFunctionError(what.into());
    let kept = context.get_raw(0).as_blob().map_err(|_| wrong("a digest is a blob"))?;
    let mut sum = RowsDigest::from_bytes(kept).ok_or_else(|| wrong("a digest has 32 bytes"))?;
    let sign: i64 = context.get(1)?;
    let table = context.get_raw(2).as_str().map_err(|_| wrong("a table has a name"))?;
    let row = RowsDigest::of_row(table, (3..context.len()).map(|at| context.get_raw(at)));
    if sign > 0 {
        sum.add(row);
    } else {
        sum.subtract(row);
    }
    Ok(sum.to_bytes())
}
