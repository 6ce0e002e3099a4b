//! `config set` and `mcp add|rm`: change one value or one server in `abide.toml`, keep comments and order, and write only what passes
//! every check.

use toml::Value;

use super::{
    effective::Config,
    load::{Flag, Sources, read_file},
    problem::{ConfigError, Origin, Problem},
    sections, value,
};
use crate::home::write_atomically;

/// Sets keys, such as `keeper.listen` or `tools.rss.private`, to the values that their texts read as, all of them or none. The file
/// keeps all else; an invalid result is refused and the file stays as it was.
pub(crate) fn set(sources: Sources<'_>, pairs: &[(&str, &str)]) -> Result<(), ConfigError> {
    let mut values = Vec::with_capacity(pairs.len());
    for (key, text) in pairs {
        let Some(shape) = sections::shape_of(key) else {
            // The flag's own check gives the message for an unknown key.
            let flag = Flag { name: (*key).into(), key: (*key).into(), text: (*text).into() };
            return Config::load(Sources { flags: &[flag], ..sources }).map(drop);
        };
        let value = value::parse(shape, text).map_err(|message| refusal(key, message))?;
        values.push((*key, value));
    }
    rewrite(sources, |before| {
        let mut text = before.to_owned();
        for (key, value) in &values {
            text = edited(&text, key, value).map_err(|message| refusal(key, message))?;
        }
        Ok(text)
    })
}

pub(super) fn refusal(key: &str, message: String) -> ConfigError {
    let origin = Origin::Flag(key.into());
    ConfigError::Problems(vec![Problem { origin, message }])
}

/// Puts what an edit makes of the file in its place, where that passes every check.
fn rewrite(
    sources: Sources<'_>,
    edit: impl FnOnce(&str) -> Result<String, ConfigError>,
) -> Result<(), ConfigError> {
    rewrite_with(sources, |before, _| edit(before))
}

/// The same for an edit that needs to know what holds before it.
pub(super) fn rewrite_with(
    sources: Sources<'_>,
    edit: impl FnOnce(&str, &Config) -> Result<String, ConfigError>,
) -> Result<(), ConfigError> {
    let before = read_file(sources.file)?;
    // A file that is already wrong is shown as such, with its places, before anything is changed.
    let config = Config::from_text(&before, sources)?;
    let after = edit(&before, &config)?;
    Config::from_text(&after, sources)?;
    write_atomically(sources.file, after.as_bytes()).map_err(|source| ConfigError::File {
        path: sources.file.into(),
        action: "written",
        source,
    })
}

/// Adds an `[[mcp]]` at the end of the file, or takes the one of a name out of it. The file keeps all else; an invalid result is
/// refused and the file stays as it was.
pub(crate) fn edit_servers(sources: Sources<'_>, edit: &ServerEdit) -> Result<(), ConfigError> {
    rewrite(sources, |before| with_servers(before, edit).map_err(|message| refusal("mcp", message)))
}

/// A change of the list of servers.
pub(crate) enum ServerEdit {
    /// A server with the values of its keys.
    Add(Vec<(&'static str, Value)>),
    /// The name of the server that goes.
    Remove(String),
}

fn with_servers(text: &str, edit: &ServerEdit) -> Result<String, String> {
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let tables = document
        .entry("mcp")
        .or_insert(toml_edit::Item::ArrayOfTables(toml_edit::ArrayOfTables::new()))
        .as_array_of_tables_mut()
        .ok_or("is no list of [[mcp]] tables in the file; edit it by hand")?;
    match edit {
        ServerEdit::Add(values) => {
            let mut table = toml_edit::Table::new();
            for (key, value) in values {
                let value = edit_value(value).ok_or("has a value that cannot be written")?;
                table.insert(key, toml_edit::Item::Value(value));
            }
            tables.push(table);
        }
        ServerEdit::Remove(name) => {
            let is_it = |table: &toml_edit::Table| {
                table.get("name").and_then(toml_edit::Item::as_str) == Some(name)
            };
            let position = tables.iter().position(is_it);
            let position =
                position.ok_or_else(|| format!("there is no server named {name:?} in the file"))?;
            tables.remove(position);
            if tables.is_empty() {
                document.remove("mcp");
            }
        }
    }
    Ok(document.to_string())
}

fn edited(text: &str, path: &str, value: &Value) -> Result<String, String> {
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let (sections, key) = path.rsplit_once('.').ok_or("is not of the form section.key")?;
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for section in sections.split('.') {
        table = table_of(table, section)?;
    }
    put(table, key, value)?;
    Ok(document.to_string())
}

/// A section of the file, or of a table in it; it is begun where it is missing.
pub(super) fn table_of<'a>(
    table: &'a mut dyn toml_edit::TableLike,
    name: &str,
) -> Result<&'a mut dyn toml_edit::TableLike, String> {
    let begun = || {
        let mut section = toml_edit::Table::new();
        // Without keys of its own it needs no line: what stands in it names it.
        section.set_implicit(true);
        toml_edit::Item::Table(section)
    };
    let section = table.entry(name).or_insert_with(begun);
    section
        .as_table_like_mut()
        .ok_or_else(|| format!("stands in a section {name} that is not a table"))
}

/// Writes a value of a table; what stands beside the old one stays.
pub(super) fn put(
    table: &mut dyn toml_edit::TableLike,
    key: &str,
    value: &Value,
) -> Result<(), String> {
    let new = edit_value(value).ok_or("has a value that cannot be written")?;
    match table.get_mut(key).and_then(toml_edit::Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        None => {
            table.insert(key, toml_edit::Item::Value(new));
        }
    }
    Ok(())
}

pub(super) fn edit_value(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::String(text) => text.as_str().into(),
        Value::Integer(n) => (*n).into(),
        Value::Float(n) => (*n).into(),
        Value::Boolean(flag) => (*flag).into(),
        Value::Array(items) => {
            let items: Option<Vec<_>> = items.iter().map(edit_value).collect();
            toml_edit::Value::Array(items?.into_iter().collect())
        }
        Value::Datetime(_) | Value::Table(_) => return None,
    })
}
