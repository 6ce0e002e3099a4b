//! `abide config`: the values in force and where each comes from; the file; its schema; one change.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{
    Context,
    failure::{Exit, Failure},
};
use crate::config::{self, Sources};

/// Shows and changes the configuration
#[derive(Debug, Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Prints the values in force, each with its origin
    Print,
    /// Prints where abide.toml is
    Path,
    /// Prints the JSON schema of abide.toml
    Schema,
    /// Changes one value in abide.toml; comments stay
    Set {
        /// section.key, such as keeper.listen
        key: String,
        /// The value; lists are separated by commas
        value: String,
    },
}

impl Config {
    /// Runs the command.
    pub(crate) fn run(self, context: &Context) -> Result<Exit, Failure> {
        let file = context.home.config_file();
        let sources = Sources { file: &file, environment: &context.environment, flags: &[] };
        match self.action {
            Action::Print => print(context, &load(sources)?)?,
            Action::Path => context.terminal.data(&file.display().to_string())?,
            Action::Schema => context.terminal.json(&config::json_schema())?,
            Action::Set { key, value } => {
                context.home.create().map_err(|error| {
                    Failure::new(format!("{} cannot be made", context.home.root().display()))
                        .because(&error)
                })?;
                config::set(sources, &key, &value).map_err(|error| Failure::from_error(&error))?;
                let name = format!("ABIDE_{}", key.replace('.', "_").to_uppercase());
                if context.environment.get(&name).is_some() {
                    context.terminal.say(&format!("{name} is set and wins over the file"));
                }
                context.terminal.say("written; a running keeper takes it up at its next start");
            }
        }
        Ok(Exit::Ok)
    }
}

fn load(sources: Sources<'_>) -> Result<config::Config, Failure> {
    config::Config::load(sources).map_err(|error| Failure::from_error(&error))
}

fn print(context: &Context, config: &config::Config) -> Result<(), Failure> {
    let entries = config.entries();
    if context.terminal.is_json() {
        let items: Vec<Value> = entries
            .iter()
            .map(|entry| json!({"key": entry.path, "value": entry.value, "origin": entry.place.to_string()}))
            .collect();
        return context.terminal.json(&json!({"items": items}));
    }
    // Writing to a string cannot fail.
    let mut out = String::new();
    let mut section = "";
    for entry in &entries {
        let (head, name) = entry.path.rsplit_once('.').unwrap_or(("", &entry.path));
        if head != section {
            section = head;
            let _ = writeln!(out, "{}[{head}]", if out.is_empty() { "" } else { "\n" });
        }
        let value = format!("{name} = {}", entry.value);
        let _ = writeln!(out, "{value:40} # {}", entry.place);
    }
    context.terminal.data(&out)
}
