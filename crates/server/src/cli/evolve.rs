//! `abide evolve`: changes of agents. They are proposed, listed and answered here; what is tried and judged happens in the keeper.
//!
//! Words of proposals and of what was measured are others': hidden characters in them are made visible.

use std::collections::HashSet;

use abide_domain::{limits::EVOLUTION_CODE_BYTES_MAX, visible_line};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

mod adopt;
mod compare;
mod modules;
mod propose;
mod report;
mod search;
mod story;

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, items, query_string, text, url_encode},
    table::{clip, table},
    text_file::read_text,
};
use crate::system::SystemClock;
use compare::Compare;
use modules::Modules;
use propose::Propose;
use search::SearchOptions;

/// Digits of an id: a whole one is not looked up.
const ID_CHARS: usize = 36;
/// The least of them that a list shows.
const ID_CHARS_MIN: usize = 13;
/// Changes that a short id is looked for in: the newest.
const LOOKED_FOR_MAX: usize = 500;
/// Longest file of cases.
const CASES_BYTES_MAX: u64 = 1 << 20;
/// Characters of a reason in a list through a pipe.
const REASON_CHARS: usize = 60;

/// Lists, shows and proposes changes of agents; approves, rejects, rolls back and aborts them
#[derive(Debug, Args)]
pub(crate) struct EvolveCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists changes, the newest first; * where it answers requests
    Ls {
        /// Only those of this agent
        #[arg(long)]
        agent: Option<String>,
        /// Only those in this state, such as `awaits_approval`
        #[arg(long)]
        state: Option<String>,
        /// At most this many
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=500))]
        limit: u16,
        /// Where to go on: the cursor that the page before printed
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Shows what happened with a change, and what was measured
    Show {
        /// The change, by its id or how that begins
        id: String,
        /// Prints its code too
        #[arg(long)]
        code: bool,
    },
    /// Prints the report of a change: every figure, and in what it differs. Made from the ledger, the same each time
    Report {
        /// The change, by its id or how that begins
        id: String,
        /// Prints it as Markdown
        #[arg(long, conflicts_with = "json")]
        markdown: bool,
    },
    /// Proposes a change; it is tried on the agent's own record before it counts
    Propose(Propose),
    Try(Compare),
    Search(SearchOptions),
    Modules(Modules),
    /// Says yes to a change that waits for one
    Approve(AnswerArguments),
    /// Says no to a change that waits for a yes
    Reject(AnswerArguments),
    /// Takes a change back that is in force: the code from before answers again
    Rollback(AnswerArguments),
    /// Ends a change that is not in force yet
    Abort(AnswerArguments),
}

#[derive(Debug, Args)]
struct AnswerArguments {
    /// The change, by its id or how that begins
    id: String,
    /// Why
    #[arg(long)]
    reason: Option<String>,
}

impl EvolveCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        if let Action::Modules(modules) = self.action {
            return modules.run(context).await;
        }
        let client = Client::find(context)?;
        match self.action {
            Action::Modules(_) => {}
            Action::Try(compare) => return compare.run(context, &client).await,
            Action::Search(search) => return search.run(context, &client).await,
            Action::Ls { agent, state, limit, cursor } => {
                let limit = limit.to_string();
                let query = query_string(&[
                    ("citizen", agent.as_deref()),
                    ("state", state.as_deref()),
                    ("limit", Some(&limit)),
                    ("cursor", cursor.as_deref()),
                ]);
                let found = client.fetch(Call::get(&format!("/evolutions{query}"))).await?;
                let chars = id_chars(context, &client).await?;
                list(context, &found, chars)?;
            }
            Action::Show { id, code } => {
                let path = format!("/evolutions/{}", whole_id(&client, &id).await?);
                show(context, &client.fetch(Call::get(&path)).await?, code)?;
            }
            Action::Report { id, markdown } => {
                print_report(context, &client, &whole_id(&client, &id).await?, markdown).await?;
            }
            Action::Propose(proposal) => {
                let text = read_text(proposal.file(), EVOLUTION_CODE_BYTES_MAX as u64)?;
                let cases = proposal.cases().map(|file| read_text(file, CASES_BYTES_MAX));
                let body = proposal.body(text, cases.transpose()?.as_deref())?;
                announce(context, &compare::post_proposal(&client, &body).await?)?;
            }
            Action::Approve(answer) => answer.give(context, &client, "approve").await?,
            Action::Reject(answer) => answer.give(context, &client, "reject").await?,
            Action::Rollback(answer) => answer.give(context, &client, "rollback").await?,
            Action::Abort(answer) => answer.give(context, &client, "abort").await?,
        }
        Ok(Exit::Ok)
    }
}

impl AnswerArguments {
    async fn give(self, context: &Context, client: &Client, action: &str) -> Result<(), CliError> {
        let path = format!("/evolutions/{}/{action}", whole_id(client, &self.id).await?);
        let body = self.reason.map_or_else(|| json!({}), |reason| json!({"reason": reason}));
        let answered = client.fetch(Call::post(&path, &body)).await;
        let show = format!("`abide evolve show {}` says where it is", self.id);
        let answered = answered.map_err(|error| with_next_step(error, &show))?;
        if context.terminal.is_json() {
            return context.terminal.json(&answered);
        }
        let state = text(&answered, "/state").replace('_', " ");
        context.terminal.say(&format!("{}: {state}", text(&answered, "/id")));
        Ok(())
    }
}

/// The id that begins as was typed.
async fn whole_id(client: &Client, typed: &str) -> Result<String, CliError> {
    if typed.len() == ID_CHARS {
        return Ok(url_encode(typed));
    }
    let found = client.fetch(Call::get(&format!("/evolutions?limit={LOOKED_FOR_MAX}"))).await?;
    let ids = items(&found, "/items").iter().map(|change| text(change, "/id"));
    let mut fitting = ids.filter(|id| !typed.is_empty() && id.starts_with(typed));
    match (fitting.next(), fitting.next()) {
        (Some(id), None) => Ok(id.to_owned()),
        (first, _) => {
            let count =
                if first.is_none() { "no change begins" } else { "more than one change begins" };
            let message = format!("{count} with {typed:?}");
            Err(CliError::new(message).hint("`abide evolve ls` lists them"))
        }
    }
}

/// How many characters of an id a person is shown: as many as tell it from all others that a short one is looked for in.
async fn id_chars(context: &Context, client: &Client) -> Result<usize, CliError> {
    if context.terminal.is_json() || context.terminal.screen().is_none() {
        return Ok(ID_CHARS);
    }
    let found = client.fetch(Call::get(&format!("/evolutions?limit={LOOKED_FOR_MAX}"))).await?;
    let ids: Vec<&str> = items(&found, "/items").iter().map(|change| text(change, "/id")).collect();
    Ok(chars_that_tell_apart(&ids))
}

/// The shortest length at which no two of them begin alike, and one more so that the next one begins otherwise too, as far as that goes.
fn chars_that_tell_apart(ids: &[&str]) -> usize {
    let begin_otherwise = |chars: &usize| {
        let begins: HashSet<&str> = ids.iter().map(|id| id.get(..*chars).unwrap_or(id)).collect();
        begins.len() == ids.len()
    };
    (ID_CHARS_MIN..ID_CHARS).find(begin_otherwise).map_or(ID_CHARS, |chars| chars + 1)
}

fn list(context: &Context, found: &Value, id_chars: usize) -> Result<(), CliError> {
    let terminal = &context.terminal;
    if terminal.is_json() {
        return terminal.json(found);
    }
    let chars = terminal.cell_chars(REASON_CHARS);
    let row = |change: &Value| {
        let why = match text(change, "/why") {
            "" => text(change, "/reason"),
            why => why,
        };
        vec![
            text(change, "/id").chars().take(id_chars).collect(),
            text(change, "/citizen").to_owned(),
            text(change, "/target").to_owned(),
            state_of(change),
            text(change, "/moved_at").to_owned(),
            display(change, "/pairs"),
            clip(&visible_line(why), chars),
        ]
    };
    let rows: Vec<_> = items(found, "/items").iter().map(row).collect();
    if rows.is_empty() {
        terminal
            .say("no changes; `abide evolve propose FILE --target memory --reason …` proposes one");
        return Ok(());
    }
    terminal
        .table(&table(&["CHANGE", "AGENT", "TARGET", "STATE", "WHEN", "PAIRS", "WHY"], &rows))?;
    let next = text(found, "/next");
    if !next.is_empty() {
        terminal.say_dimmed(&format!("more with --cursor {next}"));
    }
    Ok(())
}

/// Where it is, with its share of the requests and whether it answers any.
fn state_of(change: &Value) -> String {
    let mark = if change["in_force"] == true { "*" } else { "" };
    let share = change["stage_percent"].as_u64().map(|share| format!(" {share} %"));
    let waits = change.get("waits_for").and_then(Value::as_str);
    let waits = waits.map(|first| format!(", waits for {}", clip(first, ID_CHARS_MIN)));
    format!(
        "{}{}{mark}{}",
        text(change, "/state"),
        share.unwrap_or_default(),
        waits.unwrap_or_default()
    )
}

fn show(context: &Context, change: &Value, has_code: bool) -> Result<(), CliError> {
    if context.terminal.is_json() {
        return context.terminal.json(change);
    }
    let now = abide_domain::Clock::now(&SystemClock::new());
    context.terminal.lines(&story::story(change, context.terminal.screen().map(|_| now)))?;
    if has_code {
        context.terminal.data(&story::code(change))?;
    }
    Ok(())
}

async fn print_report(
    context: &Context,
    client: &Client,
    id: &str,
    is_markdown: bool,
) -> Result<(), CliError> {
    if !is_markdown && !context.terminal.is_json() {
        return compare::show_report(context, client, id).await;
    }
    let report = client.fetch(Call::get(&format!("/evolutions/{id}/report"))).await?;
    if is_markdown {
        return context.terminal.data(&report::markdown(&report));
    }
    context.terminal.json(&report)
}

fn announce(context: &Context, proposed: &Value) -> Result<(), CliError> {
    if context.terminal.is_json() {
        return context.terminal.json(proposed);
    }
    let id = text(proposed, "/id");
    context.terminal.data(id)?;
    context.terminal.say(&format!("proposed; `abide evolve show {id}` shows how it fares"));
    Ok(())
}

fn with_next_step(error: CliError, hint: &str) -> CliError {
    if error.next_step().is_some() { error } else { error.hint(hint) }
}

#[cfg(test)]
mod tests {
    use super::{ID_CHARS_MIN, chars_that_tell_apart};

    #[test]
    fn ids_are_shown_as_long_as_they_begin_alike() {
        let ids = ["0193e0f0-0000-7aaa-8000-000000000000", "0193e0f0-0000-7aab-8000-000000000000"];
        assert_eq!(chars_that_tell_apart(&ids), 19);
        assert_eq!(chars_that_tell_apart(&ids[..1]), ID_CHARS_MIN + 1);
    }
}
