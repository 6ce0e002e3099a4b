//! `abide epochs`: what agents were asked, and what the result was.

use abide_domain::Clock as _;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

mod story;

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, items, query_string, text, url_encode},
    table::{clip, table},
};
use crate::system::SystemClock;

/// Columns of a terminal in which a list also says who asked.
const WIDE: usize = 120;

/// Lists, shows, aborts, forks and dismisses epochs
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
    /// Shows an epoch: what happened at a terminal, its data as JSON through a pipe
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
    /// Takes an epoch that ended without a reply off the list of what needs a person
    Dismiss {
        /// The epoch's id
        epoch: String,
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
                show(context, &client.fetch(Call::get(&path)).await?)?;
            }
            Action::Abort { epoch, reason } => {
                let path = format!("/epochs/{}/abort", url_encode(&epoch));
                show(context, &client.fetch(Call::post(&path, &json!({"reason": reason}))).await?)?;
            }
            Action::Dismiss { epoch } => {
                let path = format!("/epochs/{}/dismiss", url_encode(&epoch));
                client.fetch(Call::post(&path, &json!({}))).await?;
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

/// What happened, for a person; the data for a program.
fn show(context: &Context, epoch: &Value) -> Result<(), CliError> {
    if context.terminal.is_json() || context.terminal.screen().is_none() {
        return context.terminal.json(epoch);
    }
    context.terminal.lines(&story::tell(epoch, SystemClock::new().now()))
}

fn list(context: &Context, answer: &Value) -> Result<(), CliError> {
    if context.terminal.is_json() {
        return context.terminal.json(answer);
    }
    let terminal = &context.terminal;
    let chars = terminal.cell_chars(40);
    let row = |epoch: &Value| {
        let end = match text(epoch, "/state") {
            "committed" => display(epoch, "/final_response"),
            "aborted" => {
                format!("{}: {}", text(epoch, "/abort/code"), text(epoch, "/abort/message"))
            }
            _ => "-".into(),
        };
        let when = ["/ended_at", "/opened_at", "/stimulus/timestamp"]
            .map(|pointer| display(epoch, pointer))
            .into_iter()
            .find(|time| time != "-");
        [
            display(epoch, "/epoch_id"),
            display(epoch, "/citizen"),
            display(epoch, "/state"),
            when.unwrap_or_default(),
            display(epoch, "/stimulus/sender"),
            clip(&display(epoch, "/stimulus/content"), chars),
            clip(&end, chars),
        ]
    };
    let rows: Vec<_> = items(answer, "/items").iter().map(row).collect();
    let head = ["EPOCH", "AGENT", "STATE", "WHEN", "SENDER", "STIMULUS", "END"];
    // The time is new at a terminal; programs that read columns find those that there were.
    let shown: &[usize] = match terminal.screen() {
        None => &[0, 1, 2, 4, 5, 6],
        Some(screen) if screen.width >= WIDE => &[0, 1, 2, 3, 4, 5, 6],
        Some(_) => &[0, 2, 3, 5, 6],
    };
    let pick = |row: &[String]| shown.iter().filter_map(|at| row.get(*at).cloned()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| pick(row)).collect();
    let head: Vec<&str> = shown.iter().filter_map(|at| head.get(*at).copied()).collect();
    terminal.table(&table(&head, &rows))?;
    let next = text(answer, "/next");
    if !next.is_empty() {
        terminal.say_dimmed(&format!("more with --cursor {next}"));
    }
    Ok(())
}
