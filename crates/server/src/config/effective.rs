//! The values in force, each with its origin.

use std::collections::BTreeMap;

use abide_domain::Zone;
use toml::{Table, Value};

use super::{
    problem::{Origin, Problem},
    sections::Settings,
    shape::{Key, Node},
};

/// The values in force.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// Typed.
    pub(crate) settings: Settings,
    /// Where the keeper's people are: as configured, else as this machine says.
    pub(crate) zone: Zone,
    /// As a table, for printing.
    pub(crate) table: Table,
    /// Of every key that is set outside of the defaults.
    pub(super) origins: BTreeMap<String, Origin>,
}

/// A value in force, for printing.
#[derive(Clone, Debug)]
pub(crate) struct EffectiveValue {
    /// `section.key`; of agents `agent[0].key`.
    pub(crate) path: String,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

impl Config {
    /// Where a key's value comes from.
    pub(crate) fn origin(&self, path: &str) -> Origin {
        self.origins.get(path).cloned().unwrap_or(Origin::Default)
    }

    /// A problem of a key; the message follows the key's path.
    pub(super) fn problem(&self, path: &str, message: &str) -> Problem {
        Problem { origin: self.origin(path), message: format!("{path} {message}") }
    }

    /// Where anything of a section was set outside of the defaults, if it was.
    pub(crate) fn section_origin(&self, section: &str) -> Option<Origin> {
        let is_inside = |path: &str| {
            path == section || path.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'))
        };
        let found = self.origins.iter().find(|(path, _)| is_inside(path));
        found.map(|(_, origin)| origin.clone())
    }

    /// All values in force, in the order of the sections. None of them is a secret: keys are named by variable, and an
    /// address with a password is refused.
    pub(crate) fn entries(&self) -> Vec<EffectiveValue> {
        let mut entries = Vec::new();
        for section in Settings::KEYS {
            match (section.node, self.table.get(section.name)) {
                (Node::Table(keys), Some(Value::Table(table))) => {
                    self.list(section.name, table, keys, &mut entries);
                }
                (Node::Tables(keys), Some(Value::Array(items))) => {
                    for (index, table) in items.iter().filter_map(Value::as_table).enumerate() {
                        self.list(&format!("{}[{index}]", section.name), table, keys, &mut entries);
                    }
                }
                _ => {}
            }
        }
        entries
    }

    fn list(&self, path: &str, table: &Table, keys: &[Key], entries: &mut Vec<EffectiveValue>) {
        let mut tables = Vec::new();
        for key in keys {
            let full = format!("{path}.{}", key.name);
            match (table.get(key.name), key.node) {
                (Some(Value::Table(inner)), Node::Table(keys)) => tables.push((full, inner, keys)),
                (Some(Value::Array(items)), Node::Tables(_)) if items.is_empty() => {}
                (Some(value), _) => {
                    let origin = self.origin(&full);
                    entries.push(EffectiveValue { path: full, value: value.clone(), origin });
                }
                (None, _) => {}
            }
        }
        for (path, inner, keys) in tables {
            self.list(&path, inner, keys, entries);
        }
    }
}
