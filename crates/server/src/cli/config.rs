//! `abide config`: the values in force and where each comes from; the file and its schema; changing one value.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{
    context::Context,
    error::{CliError, Exit},
};
use crate::config::{self, Sources};

/// Shows and changes the configuration
#[derive(Debug, Args)]
pub(crate) struct ConfigCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Prints the values in force, each with its origin
    Print,
    /// Prints the path of abide.toml
    Path,
    /// Prints the JSON schema of abide.toml
    Schema {
        /// Prints the reference of all keys as Markdown instead
        #[arg(long, conflicts_with = "json")]
        markdown: bool,
    },
    /// Changes one value in abide.toml and keeps its comments
    Set {
        /// The key as section.key, such as keeper.listen
        key: String,
        /// The value; lists are separated by commas
        value: String,
    },
}

impl ConfigCommand {
    pub(crate) fn run(self, context: &Context) -> Result<Exit, CliError> {
        let file = context.home.config_file();
        let sources = Sources { file: &file, environment: &context.environment, flags: &[] };
        match self.action {
            Action::Print => print(context, &context.config()?)?,
            Action::Path => context.terminal.data(&file.display().to_string())?,
            Action::Schema { markdown: true } => context.terminal.data(&config::markdown())?,
            Action::Schema { markdown: false } => context.terminal.json(&config::json_schema())?,
            Action::Set { key, value } => {
                context.create_home()?;
                config::set(sources, &key, &value)?;
                let name = config::variable_of(&key);
                if context.environment.get(&name).is_some() {
                    context.terminal.say(&format!(
                        "{name} is set in the environment and takes precedence over the file"
                    ));
                }
                context.terminal.say("written; a running keeper uses it after its next start");
            }
        }
        Ok(Exit::Ok)
    }
}

fn print(context: &Context, config: &config::Config) -> Result<(), CliError> {
    let entries = config.entries();
    if context.terminal.is_json() {
        let items: Vec<Value> = entries
            .iter()
            .map(|entry| json!({"key": entry.path, "value": entry.value, "origin": entry.origin.to_string()}))
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
        let _ = writeln!(out, "{value:40} # {}", entry.origin);
    }
    context.terminal.data(&out)
}
