//! `abide init`: creates a home folder with a commented `abide.toml`: who keeps it, where they are, and which model it
//! begins with. Asks only at a terminal and never waits without one; overwrites nothing without `--force`.

use std::{fmt::Write as _, io::BufRead as _, sync::Arc};

use abide_domain::{Clock, Zone};
use abide_http::{AddressPolicy, Client, ClientSettings};
use clap::Args;
use serde_json::json;

mod model;
mod person;

use self::{
    model::{ModelFlags, ModelLines},
    person::Person,
};

use super::{
    context::Context,
    error::{CliError, Exit},
};
use crate::{
    agents::probe_local_servers,
    auth::Token,
    config::{self, Sources, system_zone},
    home::write_atomically,
    system::SystemClock,
};

/// Longest answer that is read, in bytes.
const ANSWER_BYTES_MAX: u64 = 1_024;

/// Creates a home folder with a token and a commented abide.toml
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The agent's id
    #[arg(long, default_value = "felix")]
    agent: String,
    /// The agent's display name [default: the id, capitalised]
    #[arg(long, value_name = "NAME")]
    agent_name: Option<String>,
    /// Your name [default: asked for at a terminal, else your account's]
    #[arg(long)]
    name: Option<String>,
    /// Your time zone, such as Europe/Berlin [default: asked for at a terminal, else this machine's]
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<String>,
    /// Asks nothing
    #[arg(long, short)]
    yes: bool,
    /// What the agent is for
    #[arg(long, default_value = "assistant")]
    role: String,
    /// The model's provider: auto, openai, openai-responses, anthropic, ollama, reflex, or a known one such as openrouter,
    /// gemini, deepseek, mistral, groq, xai, vllm, llamacpp, lmstudio
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

/// What the file is made of.
struct Choices {
    person: Person,
    zone: Zone,
    model: ModelLines,
}

impl Init {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let file = context.home.config_file();
        if file.exists() && !self.force {
            return Err(CliError::new(format!("{} exists already", file.display()))
                .hint("change it with `abide config set`, or replace it with --force"));
        }
        let choices = self.choices(context).await?;
        let text = self.document(&choices);
        let sources = Sources { file: &file, environment: &context.environment, flags: &[] };
        config::Config::from_text(&text, sources)?;
        context.create_home()?;
        write_atomically(&file, text.as_bytes()).map_err(|error| {
            CliError::new(format!("{} cannot be written", file.display())).caused_by(&error)
        })?;
        Token::load_or_create(&context.home)?;
        let Choices { person, zone, model } = &choices;
        if context.terminal.is_json() {
            context.terminal.json(&json!({
                "home": context.home.root(),
                "config": file,
                "person": {"id": person.id, "name": person.name},
                "time_zone": zone.name(),
                "model": model.announcement,
            }))?;
        } else {
            context.terminal.data(&file.display().to_string())?;
            context.terminal.say(&format!(
                "you are {} ({}), in {}",
                person.name,
                person.id,
                zone.name()
            ));
            context.terminal.say(&model.announcement);
            context.terminal.say("next: `abide up`, then `abide say \"hello\"`");
        }
        Ok(Exit::Ok)
    }

    async fn choices(&self, context: &Context) -> Result<Choices, CliError> {
        let asks = context.terminal.is_interactive() && !self.yes && !context.terminal.is_json();
        let agent = self.agent.to_lowercase();
        let account = Person::of_account(&context.environment, &agent);
        let person = match &self.name {
            Some(name) => Person::named(name, &agent),
            None if asks => match ask(context, "Your name", &account.name)? {
                Some(name) => Person::named(&name, &agent),
                None => account,
            },
            None => account,
        };
        let here = system_zone(&context.environment);
        let zone = match &self.time_zone {
            Some(name) => named_zone(name)?,
            None if asks => match ask(context, "Your time zone", here.name())? {
                Some(name) => named_zone(&name)?,
                None => here,
            },
            None => here,
        };
        let flags = ModelFlags {
            provider: self.provider.as_deref(),
            name: self.model.as_deref(),
            base_url: self.base_url.as_deref(),
            api_key_env: self.api_key_env.as_deref(),
        };
        let local = if flags.leave_open() {
            let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
            probe_local_servers(&Client::new(ClientSettings::new(AddressPolicy::Any, clock))).await
        } else {
            Vec::new()
        };
        Ok(Choices { person, zone, model: flags.choose(&context.environment, &local) })
    }

    fn document(&self, choices: &Choices) -> String {
        let quoted = |text: &str| toml::Value::String(text.into()).to_string();
        // Writing to a string cannot fail.
        let mut out = String::from(
            "# Abide. `abide config print` shows all values in force, docs/configuration.md all keys.\n",
        );
        let zone = quoted(choices.zone.name());
        let _ = writeln!(
            out,
            "\n[keeper]\n# Where you are: when your days begin, and what \"tomorrow at 9\" is.\ntime_zone = {zone}"
        );
        if let Some(listen) = &self.listen {
            let _ = writeln!(out, "listen = {}", quoted(listen));
        }
        out.push_str("\n[model]\n# provider = \"auto\"  # auto | openai | openai-responses | anthropic | ollama | reflex | groq, mistral, … (docs/configuration.md)\n");
        for (key, value) in &choices.model.values {
            let _ = writeln!(out, "{key} = {}", quoted(value));
        }
        let name = self.agent_name.clone().unwrap_or_else(|| capitalised(&self.agent));
        let (id, name, role) = (quoted(&self.agent), quoted(&name), quoted(&self.role));
        let _ = writeln!(out, "\n[[agent]]\nid = {id}\nname = {name}\nrole = {role}");
        let (id, name) = (quoted(&choices.person.id), quoted(&choices.person.name));
        let _ = writeln!(out, "partners = [{{ id = {id}, name = {name}, role = \"owner\" }}]");
        out
    }
}

fn named_zone(name: &str) -> Result<Zone, CliError> {
    Zone::named(name.trim()).map_err(|error| CliError::usage(error.to_string()))
}

/// Asks at the terminal; none where nothing is answered.
fn ask(context: &Context, question: &str, default: &str) -> Result<Option<String>, CliError> {
    context.terminal.say_part(&format!("{question} [{default}]: "));
    let mut answer = String::new();
    let mut lines = std::io::Read::take(std::io::stdin().lock(), ANSWER_BYTES_MAX);
    lines.read_line(&mut answer).map_err(|error| {
        CliError::new("the terminal cannot be read").caused_by(&error).hint("--yes asks nothing")
    })?;
    let answer = answer.trim();
    Ok((!answer.is_empty()).then(|| answer.to_owned()))
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
