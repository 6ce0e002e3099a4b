//! `abide evolve try --adopt`: what was tried becomes what holds, with a person's yes: settings in `abide.toml`, an identity as its next
//! version. What held before is said with it.

use clap::Args;
use serde_json::json;

use crate::{
    cli::{
        client::{Call, Client},
        context::Context,
        error::CliError,
        json_text::{display, query_string},
    },
    config::{self, Adoption, Sources, WrittenKey},
    evolution::MindChange,
};

/// Whether what was tried is written down.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct AdoptOptions {
    /// Writes what was tried into abide.toml after the report, when you say yes
    #[arg(long, conflicts_with = "no_wait")]
    pub(super) adopt: bool,
    /// Says yes to that without being asked
    #[arg(long, requires = "adopt")]
    pub(super) yes: bool,
}

/// A change that was tried.
pub(super) struct Adopt<'a> {
    pub(super) change: &'a MindChange,
    pub(super) agent: &'a str,
    /// Whether a person has said yes already.
    pub(super) yes: bool,
}

/// Refuses before anything is asked of a model what could not be agreed to afterwards.
pub(super) fn check_can_ask(context: &Context, yes: bool) -> Result<(), CliError> {
    if yes || context.terminal.is_interactive() {
        return Ok(());
    }
    let message = "--adopt asks before it writes, and there is nobody to ask";
    Err(CliError::usage(message).hint("--yes says yes beforehand"))
}

impl Adopt<'_> {
    /// Asks, and writes it.
    pub(super) async fn run(&self, context: &Context, client: &Client) -> Result<(), CliError> {
        if !self.yes && !context.terminal.agrees("write what was tried, so that it holds?")? {
            context.terminal.say("nothing was written");
            return Ok(());
        }
        self.adopt_settings(context)?;
        self.adopt_identity(context, client).await
    }

    fn adopt_settings(&self, context: &Context) -> Result<(), CliError> {
        if self.change.settings().next().is_none() {
            return Ok(());
        }
        let file = context.home.config_file();
        let sources = Sources { file: &file, environment: &context.environment, flags: &[] };
        let settings = context.config()?.settings;
        let section = settings.agents.iter().find(|agent| agent.id.as_str() == self.agent);
        let section = section.ok_or_else(|| {
            CliError::new(format!("{} is no agent of abide.toml, so it is not written", self.agent))
        })?;
        let is_other = |set: &&config::Setting| !set.key.starts_with("model.");
        let adoption = Adoption {
            agent: self.agent.to_owned(),
            model: self.change.apply(&section.model),
            settings: self.change.settings().filter(is_other).cloned().collect(),
        };
        let written = config::adopt(sources, &adoption)?;
        for key in &written {
            context.terminal.say(&in_words(key, self.agent));
        }
        if written.is_empty() {
            context.terminal.say("abide.toml says so already");
        } else {
            context.terminal.say("written; a running keeper uses it after its next start");
        }
        Ok(())
    }

    async fn adopt_identity(&self, context: &Context, client: &Client) -> Result<(), CliError> {
        let Some(identity) = &self.change.identity else { return Ok(()) };
        let query = query_string(&[("citizen", Some(self.agent))]);
        // One that has none yet has no version to go back to.
        let before = client.call(Call::get(&format!("/identity{query}"))).await?;
        let body = json!({"citizen": self.agent, "content": identity.as_ref(), "force": false});
        let written = client.fetch(Call::post("/identity", &body)).await?;
        context.terminal.say(&format!("version {} is in force", display(&written, "/version")));
        if before.status.is_success() {
            let version = display(&before.body, "/version");
            context.terminal.say(&format!(
                "`abide memory identity restore {version}` brings the one before back"
            ));
        }
        Ok(())
    }
}

/// What was written, and how it is taken back.
fn in_words(written: &WrittenKey, agent: &str) -> String {
    let WrittenKey { key, before, after } = written;
    let back = if key.starts_with("agent.") {
        format!("in [agent.model] of {agent}; {before} there brings it back")
    } else {
        let text = before.as_str().map_or_else(|| before.to_string(), str::to_owned);
        let holds = if key.starts_with("model.") { "" } else { "it holds for all agents; " };
        format!("{holds}`abide config set {key} {}` brings it back", quoted(&text))
    };
    format!("{key} = {after}, before {before}: {back}")
}

/// A value as a shell takes it.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-:/".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use toml::Value;

    use super::{in_words, quoted};
    use crate::config::WrittenKey;

    #[test]
    fn what_held_before_is_said_as_the_command_that_brings_it_back() {
        let key =
            |key: &str, before: Value, after: Value| WrittenKey { key: key.into(), before, after };
        let said = in_words(&key("model.name", "a b".into(), "new".into()), "felix");
        assert!(said.contains("`abide config set model.name 'a b'`"), "{said}");
        let said = in_words(&key("context.tokens_max", 9.into(), 8.into()), "felix");
        assert!(said.contains("all agents") && said.contains("context.tokens_max 9`"), "{said}");
        let said = in_words(&key("agent.model.name", "old".into(), "new".into()), "ivy");
        assert!(said.contains("[agent.model] of ivy") && said.contains("\"old\""), "{said}");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
