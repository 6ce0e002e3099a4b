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
    /// Changes values in abide.toml, all or none, and keeps its comments
    Set {
        /// The key, such as keeper.listen or tools.rss.private
        key: String,
        /// The value; lists are separated by commas
        value: String,
        /// More keys, each with its value
        #[arg(value_name = "KEY VALUE")]
        more: Vec<String>,
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
            Action::Set { key, value, more } => {
                let (others, rest) = more.as_chunks::<2>();
                if let [lonely] = rest {
                    return Err(CliError::usage(format!("{lonely} has no value")));
                }
                let others = others.iter().map(|[key, value]| (key.as_str(), value.as_str()));
                let pairs: Vec<_> =
                    std::iter::once((key.as_str(), value.as_str())).chain(others).collect();
                context.create_home()?;
                config::set(sources, &pairs)?;
                let names = pairs.iter().filter_map(|(key, _)| config::key_reference(key).variable);
                for name in names.filter(|name| context.environment.get(name).is_some()) {
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
