//! Values of columns, read and written.

use std::str::FromStr;

use rusqlite::{Row, types::Type};

/// Reads an id or a name from a text column.
pub(super) fn parse_column<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    let text: String = row.get(column)?;
    text.parse().map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

pub(super) fn parse_json<T: serde::de::DeserializeOwned>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

pub(super) fn row_count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// Reads something that has a name from a text column.
pub(super) fn parse_named<T>(
    row: &Row<'_>,
    column: usize,
    of: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    let name: String = row.get(column)?;
    of(&name).ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(
            column,
            Type::Text,
            format!("`{name}` is unknown").into(),
        )
    })
}

/// A sequence as SQLite keeps it. Sequences stay far below 2^63.
pub(super) fn to_sql(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

pub(super) fn from_sql(seq: i64) -> u64 {
    u64::try_from(seq).unwrap_or(0)
}
