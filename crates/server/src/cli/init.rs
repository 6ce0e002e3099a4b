//! `abide init`: creates a home folder with a commented `abide.toml`. Asks nothing, and overwrites nothing without `--force`.

use std::fmt::Write as _;

use clap::Args;
use serde_json::json;

use super::{
    context::Context,
    error::{CliError, Exit},
};
use crate::{
    auth::Token,
    config::{self, Sources},
    home::write_atomically,
};

/// Creates a home folder with a token and a commented abide.toml
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The agent's id
    #[arg(long, default_value = "felix")]
    agent: String,
    /// The agent's display name [default: the id, capitalised]
    #[arg(long)]
    name: Option<String>,
    /// What the agent is for
    #[arg(long, default_value = "assistant")]
    role: String,
    /// The model's provider: auto, openai, openai-responses, anthropic, ollama or reflex
    #[arg(long)]
    provider: Option<String>,
    /// The model's name
    #[arg(long)]
    model: Option<String>,
    /// The model's address
    #[arg(long)]
    base_url: Option<String>,
    /// The environment variable that holds the model's key
    #[arg(long)]
    api_key_env: Option<String>,
    /// Address and port of the keeper
    #[arg(long)]
    listen: Option<String>,
    /// Replaces an existing abide.toml
    #[arg(long)]
    force: bool,
}

impl Init {
    pub(crate) fn run(self, context: &Context) -> Result<Exit, CliError> {
        let file = context.home.config_file();
        if file.exists() && !self.force {
            return Err(CliError::new(format!("{} exists already", file.display()))
                .hint("change it with `abide config set`, or replace it with --force"));
        }
        let text = self.document();
        let sources = Sources { file: &file, environment: &context.environment, flags: &[] };
        config::Config::from_text(&text, sources)?;
        context.create_home()?;
        write_atomically(&file, text.as_bytes()).map_err(|error| {
            CliError::new(format!("{} cannot be written", file.display())).caused_by(&error)
        })?;
        Token::load_or_create(&context.home)?;
        if context.terminal.is_json() {
            context.terminal.json(&json!({"home": context.home.root(), "config": file}))?;
        } else {
            context.terminal.data(&file.display().to_string())?;
            context.terminal.say("next: `abide up`, then `abide say \"hello\"`");
        }
        Ok(Exit::Ok)
    }

    fn document(&self) -> String {
        let quoted = |text: &str| toml::Value::String(text.into()).to_string();
        // Writing to a string cannot fail.
        let mut out = String::from(
            "# Abide. `abide config print` shows all values in force, docs/configuration.md all keys.\n",
        );
        if let Some(listen) = &self.listen {
            let _ = writeln!(out, "\n[keeper]\nlisten = {}", quoted(listen));
        }
        let model = [
            ("provider", &self.provider),
            ("name", &self.model),
            ("base_url", &self.base_url),
            ("api_key_env", &self.api_key_env),
        ];
        out.push_str("\n[model]\n# provider = \"auto\"  # auto | openai | openai-responses | anthropic | ollama | reflex\n");
        for (key, value) in model {
            if let Some(value) = value {
                let _ = writeln!(out, "{key} = {}", quoted(value));
            }
        }
        let name = self.name.clone().unwrap_or_else(|| capitalised(&self.agent));
        let (id, name, role) = (quoted(&self.agent), quoted(&name), quoted(&self.role));
        let _ = writeln!(out, "\n[[agent]]\nid = {id}\nname = {name}\nrole = {role}");
        out.push_str("# partners = [{ id = \"you\", name = \"You\", role = \"owner\" }]\n");
        out
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
