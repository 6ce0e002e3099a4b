//! All sources to one configuration, each value with the place it comes from.

use std::{collections::BTreeMap, path::Path};

use serde::Deserialize as _;
use toml::{Table, Value};

use super::{
    ConfigError, DEFAULT_TOML, Environment, Settings, keys, layer,
    nearest::nearest,
    problem::{Place, Problem},
    rules, value,
};

/// Longest configuration file.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// A value given on the command line.
#[derive(Clone, Debug)]
pub(crate) struct Flag {
    /// The flag as a person typed it, such as `--listen`.
    pub(crate) name: String,
    /// `section.key`.
    pub(crate) key: String,
    /// The value as text.
    pub(crate) text: String,
}

/// Where a configuration comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sources<'a> {
    /// The file; it need not exist.
    pub(crate) file: &'a Path,
    /// The process's variables.
    pub(crate) environment: &'a Environment,
    /// Flags; the last layer.
    pub(crate) flags: &'a [Flag],
}

/// The values in force.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// Typed.
    pub(crate) settings: Settings,
    /// As a table, for printing.
    pub(crate) table: Table,
    places: BTreeMap<String, Place>,
}

impl Config {
    /// Reads and checks everything. All problems are in the error.
    pub(crate) fn load(sources: Sources<'_>) -> Result<Self, ConfigError> {
        let text = match read_file(sources.file) {
            Ok(text) => text,
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(source) => {
                return Err(ConfigError::File {
                    path: sources.file.into(),
                    action: "read",
                    source,
                });
            }
        };
        Self::from_text(&text, sources)
    }

    /// The same with the file's text given, as `config set` checks what it is about to write.
    pub(crate) fn from_text(text: &str, sources: Sources<'_>) -> Result<Self, ConfigError> {
        let mut merged = Merged::default();
        merged.add(layer::read(DEFAULT_TOML, None));
        merged.add(layer::read(text, Some(sources.file)));
        let (values, problems) = sources.environment.layer();
        merged.problems.extend(problems);
        for (path, value, place) in values {
            merged.set(&path, value, place);
        }
        for flag in sources.flags {
            merged.flag(flag);
        }
        if !merged.problems.is_empty() {
            return Err(ConfigError::Problems(merged.problems));
        }
        let settings = Settings::deserialize(merged.table.clone())?;
        let config = Self { settings, table: merged.table, places: merged.places };
        let problems = rules::check(&config, sources.environment);
        if problems.is_empty() { Ok(config) } else { Err(ConfigError::Problems(problems)) }
    }

    /// Where a key's value comes from.
    pub(crate) fn place(&self, path: &str) -> Place {
        self.places.get(path).cloned().unwrap_or(Place::Default)
    }

    /// Whether anything of a section was set outside of the defaults.
    pub(crate) fn is_touched(&self, section: &str) -> Option<Place> {
        let inside = |path: &str| {
            path == section || path.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'))
        };
        let mut places =
            self.places.iter().filter(|(path, _)| inside(path)).map(|(_, place)| place);
        places.find(|place| **place != Place::Default).cloned()
    }
}

#[derive(Default)]
struct Merged {
    table: Table,
    places: BTreeMap<String, Place>,
    problems: Vec<Problem>,
}

impl Merged {
    fn add(&mut self, layer: layer::Layer) {
        // Agents given in a file replace the default ones, with all that was said about them.
        if layer.table.contains_key("agent") {
            self.places.retain(|path, _| !path.starts_with("agent"));
        }
        overlay(&mut self.table, layer.table);
        self.places.extend(layer.places);
        self.problems.extend(layer.problems);
    }

    fn set(&mut self, path: &str, value: Value, place: Place) {
        let Some((section, key)) = path.split_once('.') else {
            return;
        };
        let section = self.table.entry(section).or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(table) = section {
            table.insert(key.into(), value);
        }
        self.places.insert(path.into(), place);
    }

    fn flag(&mut self, flag: &Flag) {
        let place = Place::Flag(flag.name.clone());
        let Some(shape) = keys::leaf(&flag.key) else {
            let names: Vec<_> =
                keys::leaves().map(|(section, key, _)| format!("{section}.{}", key.name)).collect();
            let near = nearest(&flag.key, names.iter().map(String::as_str)).unwrap_or_default();
            let message = format!("unknown key `{}`; the nearest is `{near}`", flag.key);
            self.problems.push(Problem { place, message });
            return;
        };
        match value::parse(shape, &flag.text) {
            Ok(value) => self.set(&flag.key, value, place),
            Err(message) => {
                self.problems.push(Problem { place, message: format!("{} {message}", flag.key) });
            }
        }
    }
}

fn overlay(below: &mut Table, above: Table) {
    for (name, value) in above {
        match (below.get_mut(&name), value) {
            (Some(Value::Table(below)), Value::Table(above)) => overlay(below, above),
            (_, value) => {
                below.insert(name, value);
            }
        }
    }
}

fn read_file(path: &Path) -> std::io::Result<String> {
    use std::io::{Error, ErrorKind, Read as _};
    let mut text = String::new();
    std::fs::File::open(path)?.take(FILE_BYTES_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(Error::new(ErrorKind::FileTooLarge, "larger than 1 MiB"));
    }
    Ok(text)
}

/// A value in force, for printing.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// `section.key`; of agents `agent[0].key`.
    pub(crate) path: String,
    /// The value.
    pub(crate) value: Value,
    /// Where it comes from.
    pub(crate) place: Place,
}

impl Config {
    /// All values in force, in the order of the table of keys. None of them is a secret: keys are named by variable,
    /// and an address with a password is refused.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        for section in keys::ROOT {
            match self.table.get(section.name) {
                Some(Value::Table(table)) => {
                    self.list(section.name, table, section.node, &mut entries);
                }
                Some(Value::Array(items)) => {
                    let tables = items.iter().filter_map(Value::as_table).enumerate();
                    tables.for_each(|(index, table)| {
                        self.list(
                            &format!("{}[{index}]", section.name),
                            table,
                            section.node,
                            &mut entries,
                        );
                    });
                }
                _ => {}
            }
        }
        entries
    }

    fn list(&self, path: &str, table: &Table, node: keys::Node, entries: &mut Vec<Entry>) {
        let keys = match node {
            keys::Node::Table(keys) | keys::Node::Tables { keys, .. } => keys,
            keys::Node::Value(_) => &[],
        };
        let mut tables = Vec::new();
        for key in keys {
            let full = format!("{path}.{}", key.name);
            match (table.get(key.name), key.node) {
                (Some(Value::Table(inner)), keys::Node::Table(_)) => {
                    tables.push((full, inner, key.node));
                }
                (Some(value), _) => {
                    let place = self.place(&full);
                    entries.push(Entry { path: full, value: value.clone(), place });
                }
                (None, _) => {}
            }
        }
        for (path, inner, node) in tables {
            self.list(&path, inner, node, entries);
        }
    }
}

#[cfg(test)]
mod tests;
