//! `abide stdout`: the command language at the terminal, and grants to read logs.

use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{items, text},
};

/// Runs commands of the command language and prints their output
///
/// `abide stdout '\help ---'` lists the commands. Without --as they run as @user, the person who holds the token of this
/// home folder.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true
)]
pub(crate) struct Stdout {
    /// The agent or person that the commands run as
    #[arg(long = "as", value_name = "@A", default_value = "@user")]
    entity: String,
    /// One or several commands, such as '\stdout read: last 10 ---'; a first \stdout and the last --- may be left out
    #[arg(value_name = "COMMAND", required = true)]
    command: Option<String>,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lets READER read the log of OWNER
    Grant(GrantArguments),
    /// Ends a grant of READER to read the log of OWNER
    Revoke(GrantArguments),
    /// Lists all grants
    Grants,
}

#[derive(Debug, Args)]
struct GrantArguments {
    /// The agent or person that may read
    #[arg(value_name = "@READER")]
    reader: String,
    /// The agent or person whose log it is
    #[arg(value_name = "@OWNER")]
    owner: String,
}

impl Stdout {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let client = Client::find(context)?;
        match self.action {
            Some(Action::Grant(pair)) => pair.grant(context, &client).await?,
            Some(Action::Revoke(pair)) => pair.revoke(context, &client).await?,
            Some(Action::Grants) => grants(context, &client).await?,
            None => {
                let command = self.command.unwrap_or_default();
                let body = json!({"as": self.entity, "command": command});
                let answer = client.fetch(Call::post("/stdout", &body)).await?;
                if context.terminal.is_json() {
                    context.terminal.json(&answer)?;
                } else {
                    context.terminal.data(text(&answer, "/output"))?;
                }
            }
        }
        Ok(Exit::Ok)
    }
}

impl GrantArguments {
    async fn grant(&self, context: &Context, client: &Client) -> Result<(), CliError> {
        let answer = client.fetch(Call::post("/stdout/grants", &self.body())).await?;
        if context.terminal.is_json() {
            return context.terminal.json(&answer);
        }
        let (reader, owner) = (text(&answer, "/reader"), text(&answer, "/owner"));
        context.terminal.say(&format!("{reader} may read the stdout of {owner}"));
        Ok(())
    }

    async fn revoke(&self, context: &Context, client: &Client) -> Result<(), CliError> {
        client.fetch(Call::delete("/stdout/grants").with_body(&self.body())).await?;
        let Self { reader, owner } = self;
        context.terminal.say(&format!("{reader} may no longer read the stdout of {owner}"));
        Ok(())
    }

    fn body(&self) -> serde_json::Value {
        json!({"reader": self.reader, "owner": self.owner})
    }
}

async fn grants(context: &Context, client: &Client) -> Result<(), CliError> {
    let answer = client.fetch(Call::get("/stdout/grants?limit=500")).await?;
    if context.terminal.is_json() {
        return context.terminal.json(&answer);
    }
    for grant in items(&answer, "/items") {
        let (reader, owner) = (text(grant, "/reader"), text(grant, "/owner"));
        context.terminal.data(&format!("{reader} may read the stdout of {owner}"))?;
    }
    Ok(())
}
