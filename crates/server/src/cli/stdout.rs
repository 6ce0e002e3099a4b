//! `abide stdout`: the command language at the terminal, and who may read whose log.

use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    Context,
    client::{Call, Client},
    failure::{Exit, Failure},
    words::{items, text},
};

/// Carries out commands of the command language and prints their output alone
///
/// `abide stdout '\help ---'` lists the commands. Without --as they are carried out as @user, the person who holds the
/// token of this home.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true
)]
pub(crate) struct Stdout {
    /// As whom: an agent or a person
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
    Grant(Pair),
    /// Lets READER read the log of OWNER no more
    Revoke(Pair),
    /// Lists who may read whose log
    Grants,
}

#[derive(Debug, Args)]
struct Pair {
    /// Who reads
    #[arg(value_name = "@READER")]
    reader: String,
    /// Whose log
    #[arg(value_name = "@OWNER")]
    owner: String,
}

impl Stdout {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
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

impl Pair {
    async fn grant(&self, context: &Context, client: &Client) -> Result<(), Failure> {
        let answer = client.fetch(Call::post("/stdout/grants", &self.body())).await?;
        if context.terminal.is_json() {
            return context.terminal.json(&answer);
        }
        let (reader, owner) = (text(&answer, "/reader"), text(&answer, "/owner"));
        context.terminal.say(&format!("{reader} may read the stdout of {owner}"));
        Ok(())
    }

    async fn revoke(&self, context: &Context, client: &Client) -> Result<(), Failure> {
        client.fetch(Call::delete("/stdout/grants").with(&self.body())).await?;
        let Self { reader, owner } = self;
        context.terminal.say(&format!("{reader} may not read the stdout of {owner} any more"));
        Ok(())
    }

    fn body(&self) -> serde_json::Value {
        json!({"reader": self.reader, "owner": self.owner})
    }
}

async fn grants(context: &Context, client: &Client) -> Result<(), Failure> {
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
