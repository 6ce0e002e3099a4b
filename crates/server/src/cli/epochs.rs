//! `abide epochs`: what agents were asked, and what the result was.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, items, query_string, text, url_encode},
    table::{clip, table},
};

/// Lists, shows, aborts and forks epochs
#[derive(Debug, Args)]
pub(crate) struct Epochs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists epochs, the newest first
    Ls {
        /// Only those of this agent
        #[arg(long)]
        agent: Option<String>,
        /// At most this many
        #[arg(long, default_value_t = 20)]
        limit: u16,
        /// Where to go on: the cursor that the page before printed
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Shows an epoch
    Show {
        /// The epoch's id
        epoch: String,
        /// Includes the mind's thoughts
        #[arg(long)]
        thoughts: bool,
        /// Includes the text that the mind was shown, rendered again and checked against its digest
        #[arg(long)]
        context: bool,
    },
    /// Ends a queued or open epoch without a reply
    Abort {
        /// The epoch's id
        epoch: String,
        /// The reason
        #[arg(long, default_value = "cancelled at the command line")]
        reason: String,
    },
    /// Sends an epoch's stimulus again, as a new epoch
    Fork {
        /// The epoch's id
        epoch: String,
        /// Another message instead of the original one
        #[arg(long)]
        message: Option<String>,
    },
}

impl Epochs {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let client = Client::find(context)?;
        match self.action {
            Action::Ls { agent, limit, cursor } => {
                let limit = limit.to_string();
                let query = query_string(&[
                    ("citizen", agent.as_deref()),
                    ("limit", Some(&limit)),
                    ("cursor", cursor.as_deref()),
                ]);
                list(context, &client.fetch(Call::get(&format!("/epochs{query}"))).await?)?;
            }
            Action::Show { epoch, thoughts, context: with_context } => {
                let query = query_string(&[
                    ("thoughts", thoughts.then_some("1")),
                    ("context", with_context.then_some("1")),
                ]);
                let path = format!("/epochs/{}{query}", url_encode(&epoch));
                context.terminal.json(&client.fetch(Call::get(&path)).await?)?;
            }
            Action::Abort { epoch, reason } => {
                let path = format!("/epochs/{}/abort", url_encode(&epoch));
                context
                    .terminal
                    .json(&client.fetch(Call::post(&path, &json!({"reason": reason}))).await?)?;
            }
            Action::Fork { epoch, message } => {
                let path = format!("/epochs/{}/fork", url_encode(&epoch));
                let body = message.map_or_else(|| json!({}), |message| json!({"message": message}));
                let answer = client.fetch(Call::post(&path, &body)).await?;
                if context.terminal.is_json() {
                    context.terminal.json(&answer)?;
                } else {
                    context.terminal.data(text(&answer, "/epoch_id"))?;
                }
            }
        }
        Ok(Exit::Ok)
    }
}

fn list(context: &Context, answer: &Value) -> Result<(), CliError> {
    if context.terminal.is_json() {
        return context.terminal.json(answer);
    }
    let row = |epoch: &Value| {
        let end = match text(epoch, "/state") {
            "committed" => display(epoch, "/final_response"),
            "aborted" => {
                format!("{}: {}", text(epoch, "/abort/code"), text(epoch, "/abort/message"))
            }
            _ => "-".into(),
        };
        vec![
            display(epoch, "/epoch_id"),
            display(epoch, "/citizen"),
            display(epoch, "/state"),
            display(epoch, "/stimulus/sender"),
            clip(&display(epoch, "/stimulus/content"), 40),
            clip(&end, 40),
        ]
    };
    let rows: Vec<_> = items(answer, "/items").iter().map(row).collect();
    context
        .terminal
        .data_part(&table(&["EPOCH", "AGENT", "STATE", "SENDER", "STIMULUS", "END"], &rows))?;
    let next = text(answer, "/next");
    if !next.is_empty() {
        context.terminal.say_dimmed(&format!("more with --cursor {next}"));
    }
    Ok(())
}
