//! `config set`: changes one value in `abide.toml`, keeps comments and order, and writes only what passes every check.

use toml::Value;

use super::{
    effective::Config,
    load::{Flag, Sources, read_file},
    problem::{ConfigError, Origin, Problem},
    sections, value,
};
use crate::home::write_atomically;

/// Sets `key` (`section.key`) to the value that `text` reads as. The file keeps all else; an invalid result is refused
/// and the file stays as it was.
pub(crate) fn set(sources: Sources<'_>, key: &str, text: &str) -> Result<(), ConfigError> {
    let flag = Flag { name: key.into(), key: key.into(), text: text.into() };
    // The flag's own check gives the message for an unknown key or a value that does not fit.
    let Some((_, shape)) = sections::leaf(key) else {
        return Config::load(Sources { flags: &[flag], ..sources }).map(drop);
    };
    let refused = |message: String| {
        let origin = Origin::Flag(key.into());
        ConfigError::Problems(vec![Problem { origin, message }])
    };
    let value = value::parse(shape, text).map_err(refused)?;
    let before = read_file(sources.file)?;
    // A file that is already wrong is shown as such, with its places, before anything is changed.
    Config::from_text(&before, sources)?;
    let after = edited(&before, key, &value).map_err(refused)?;
    Config::from_text(&after, sources)?;
    write_atomically(sources.file, after.as_bytes()).map_err(|source| ConfigError::File {
        path: sources.file.into(),
        action: "written",
        source,
    })
}

fn edited(text: &str, path: &str, value: &Value) -> Result<String, String> {
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let (section, key) = path.split_once('.').ok_or("is not of the form section.key")?;
    let section = document
        .entry(section)
        .or_insert_with(toml_edit::table)
        .as_table_like_mut()
        .ok_or("stands in a section that is not a table")?;
    let new = edit_value(value).ok_or("has a value that cannot be written")?;
    match section.get_mut(key).and_then(toml_edit::Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        None => {
            section.insert(key, toml_edit::Item::Value(new));
        }
    }
    Ok(document.to_string())
}

fn edit_value(value: &Value) -> Option<toml_edit::Value> {
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
