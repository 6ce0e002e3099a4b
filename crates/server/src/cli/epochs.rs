//! `abide epochs`: what was asked and what came of it.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{
    Context,
    client::{Call, Client},
    failure::{Exit, Failure},
    table::{clip, table},
    words::{encoded, items, query, shown, text},
};

/// Lists, shows, aborts and forks epochs
#[derive(Debug, Args)]
pub(crate) struct Epochs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists them, the newest first
    Ls {
        /// Of one agent
        #[arg(long)]
        agent: Option<String>,
        /// At most so many
        #[arg(long, default_value_t = 20)]
        limit: u16,
        /// The `next` of the page before
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Shows one
    Show {
        /// Its id
        epoch: String,
        /// With the mind's thoughts
        #[arg(long)]
        thoughts: bool,
        /// With the text that the mind was shown, rendered again and checked against its digest
        #[arg(long)]
        context: bool,
    },
    /// Ends a queued or open one without a reply
    Abort {
        /// Its id
        epoch: String,
        /// Why
        #[arg(long, default_value = "cancelled at the command line")]
        reason: String,
    },
    /// Asks its stimulus again, as a new epoch
    Fork {
        /// Its id
        epoch: String,
        /// Another message in place of the old one
        #[arg(long)]
        message: Option<String>,
    },
}

impl Epochs {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        let client = Client::find(context)?;
        match self.action {
            Action::Ls { agent, limit, cursor } => {
                let limit = limit.to_string();
                let query = query(&[
                    ("citizen", agent.as_deref()),
                    ("limit", Some(&limit)),
                    ("cursor", cursor.as_deref()),
                ]);
                list(context, &client.fetch(Call::get(&format!("/epochs{query}"))).await?)?;
            }
            Action::Show { epoch, thoughts, context: with_context } => {
                let query = query(&[
                    ("thoughts", thoughts.then_some("1")),
                    ("context", with_context.then_some("1")),
                ]);
                let path = format!("/epochs/{}{query}", encoded(&epoch));
                context.terminal.json(&client.fetch(Call::get(&path)).await?)?;
            }
            Action::Abort { epoch, reason } => {
                let path = format!("/epochs/{}/abort", encoded(&epoch));
                context
                    .terminal
                    .json(&client.fetch(Call::post(&path, &json!({"reason": reason}))).await?)?;
            }
            Action::Fork { epoch, message } => {
                let path = format!("/epochs/{}/fork", encoded(&epoch));
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

fn list(context: &Context, answer: &Value) -> Result<(), Failure> {
    if context.terminal.is_json() {
        return context.terminal.json(answer);
    }
    let row = |epoch: &Value| {
        let end = match text(epoch, "/state") {
            "committed" => shown(epoch, "/final_response"),
            "aborted" => {
                format!("{}: {}", text(epoch, "/abort/code"), text(epoch, "/abort/message"))
            }
            _ => "-".into(),
        };
        vec![
            shown(epoch, "/epoch_id"),
            shown(epoch, "/citizen"),
            shown(epoch, "/state"),
            shown(epoch, "/stimulus/sender"),
            clip(&shown(epoch, "/stimulus/content"), 40),
            clip(&end, 40),
        ]
    };
    let rows: Vec<_> = items(answer, "/items").iter().map(row).collect();
    context
        .terminal
        .data_part(&table(&["EPOCH", "AGENT", "STATE", "SENDER", "STIMULUS", "END"], &rows))?;
    let next = text(answer, "/next");
    if !next.is_empty() {
        context.terminal.aside(&format!("more with --cursor {next}"));
    }
    Ok(())
}
