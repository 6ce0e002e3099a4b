//! All sources to one configuration: the defaults < the file < variables < flags.

use std::{collections::BTreeMap, path::Path};

use abide_domain::Zone;
use serde::Deserialize as _;
use toml::{Table, Value};

use super::{
    effective::Config,
    environment::Environment,
    file,
    nearest::nearest,
    problem::{ConfigError, Origin, Problem},
    rules,
    sections::{Settings, leaf, name_services, paths},
    shape::fill,
    system_zone::system_zone,
    value,
};

use crate::home::{LinkRule, read_regular};

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
    /// Flags, which win over all else.
    pub(crate) flags: &'a [Flag],
}

impl Config {
    /// Reads and checks everything. All problems are in the error.
    pub(crate) fn load(sources: Sources<'_>) -> Result<Self, ConfigError> {
        Self::from_text(&read_file(sources.file)?, sources)
    }

    /// The same with the file's text given, as `config set` checks what it is about to write.
    pub(crate) fn from_text(text: &str, sources: Sources<'_>) -> Result<Self, ConfigError> {
        let mut merged = Merged::default();
        fill(Settings::KEYS, &mut merged.table);
        let file = file::parse(text, sources.file);
        overlay(&mut merged.table, file.table);
        merged.origins.extend(file.origins);
        merged.problems.extend(file.problems);
        let (values, problems) = sources.environment.values();
        merged.problems.extend(problems);
        for (path, value, origin) in values {
            merged.set(&path, value, origin);
        }
        for flag in sources.flags {
            merged.flag(flag);
        }
        if !merged.problems.is_empty() {
            return Err(ConfigError::Problems(merged.problems));
        }
        let settings = typed(merged.table.clone())?;
        let named = settings.keeper.time_zone.as_deref().and_then(|name| Zone::named(name).ok());
        let zone = named.unwrap_or_else(|| system_zone(sources.environment));
        let config = Self { settings, zone, table: merged.table, origins: merged.origins };
        let problems = rules::check(&config, sources.environment);
        if problems.is_empty() { Ok(config) } else { Err(ConfigError::Problems(problems)) }
    }
}

/// The text of a file; empty where there is none.
pub(crate) fn read_file(path: &Path) -> Result<String, ConfigError> {
    // A person may keep it elsewhere, so a link is followed.
    let read = read_regular(path, LinkRule::Follow, FILE_BYTES_MAX);
    let failed = |source| ConfigError::File { path: path.into(), action: "read", source };
    Ok(read.map_err(failed)?.unwrap_or_default())
}

#[derive(Default)]
struct Merged {
    table: Table,
    origins: BTreeMap<String, Origin>,
    problems: Vec<Problem>,
}

impl Merged {
    fn set(&mut self, path: &str, value: Value, origin: Origin) {
        let Some((section, key)) = path.split_once('.') else {
            return;
        };
        if let Some(Value::Table(table)) = self.table.get_mut(section) {
            table.insert(key.into(), value);
        }
        self.origins.insert(path.into(), origin);
    }

    fn flag(&mut self, flag: &Flag) {
        let origin = Origin::Flag(flag.name.clone());
        let Some((_, shape)) = leaf(&flag.key) else {
            let names = paths();
            let near = nearest(&flag.key, names.iter().map(String::as_str)).unwrap_or_default();
            let message = format!("unknown key `{}`; the nearest is `{near}`", flag.key);
            self.problems.push(Problem { origin, message });
            return;
        };
        match value::parse(shape, &flag.text) {
            Ok(value) => self.set(&flag.key, value, origin),
            Err(message) => {
                self.problems.push(Problem { origin, message: format!("{} {message}", flag.key) });
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

/// The values as types, with the defaults of the tables that the file has.
fn typed(mut table: Table) -> Result<Settings, ConfigError> {
    merge_models(&mut table);
    fill(Settings::KEYS, &mut table);
    let mut settings = Settings::deserialize(table)?;
    name_services(&mut settings.notifiers);
    Ok(settings)
}

/// Gives each agent its whole model: its own table over the default one. A provider of its own does not inherit the
/// default's address, name and key, which belong to another provider.
fn merge_models(table: &mut Table) {
    let Some(Value::Table(default)) = table.get("model").cloned() else { return };
    let agents = table.get_mut("agent").and_then(Value::as_array_mut);
    for agent in agents.into_iter().flatten().filter_map(Value::as_table_mut) {
        let mut model = default.clone();
        if let Some(Value::Table(own)) = agent.remove("model") {
            if own.get("provider").is_some_and(|own| Some(own) != default.get("provider")) {
                for key in ["base_url", "name", "api_key_env"] {
                    model.remove(key);
                }
            }
            overlay(&mut model, own);
        }
        agent.insert("model".into(), Value::Table(model));
    }
}

#[cfg(test)]
mod tests;
