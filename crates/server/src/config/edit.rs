//! `config set`: changes one value in `abide.toml`, keeps comments and order, and writes only what passes every check.

use std::path::Path;

use toml::Value;

use super::{
    Config, ConfigError, Flag, Sources, keys,
    problem::{Place, Problem},
    value,
};
use crate::home::write_atomically;

/// Sets `key` (`section.key`) to the value that `text` reads as. The file keeps all else; an invalid result is refused
/// and the file left as it was.
pub(crate) fn set(sources: Sources<'_>, key: &str, text: &str) -> Result<(), ConfigError> {
    let flag = Flag { name: key.into(), key: key.into(), text: text.into() };
    // The flag's own check gives the message for an unknown key or a value that does not fit.
    let Some(shape) = keys::leaf(key) else {
        return Config::load(Sources { flags: &[flag], ..sources }).map(drop);
    };
    let refused = |message: String| {
        let place = Place::Flag(key.into());
        ConfigError::Problems(vec![Problem { place, message }])
    };
    let value = value::parse(shape, text).map_err(refused)?;
    let before = match std::fs::read_to_string(sources.file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(file_error(sources.file, "read", source)),
    };
    // A file that is already wrong is shown as such, with its places, before anything is changed.
    Config::from_text(&before, sources)?;
    let after = edited(&before, key, &value).map_err(refused)?;
    Config::from_text(&after, sources)?;
    write_atomically(sources.file, after.as_bytes())
        .map_err(|source| file_error(sources.file, "written", source))
}

fn file_error(path: &Path, action: &'static str, source: std::io::Error) -> ConfigError {
    ConfigError::File { path: path.into(), action, source }
}

fn edited(text: &str, path: &str, value: &Value) -> Result<String, String> {
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let (section, key) = path.split_once('.').ok_or("is no section.key")?;
    let section = document
        .entry(section)
        .or_insert_with(toml_edit::table)
        .as_table_like_mut()
        .ok_or("its section is no table")?;
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
