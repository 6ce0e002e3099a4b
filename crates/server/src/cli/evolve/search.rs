//! `abide evolve search`: looks for a better order of an agent's memories. The keeper searches; here it is started, watched and stopped.

use std::time::Duration;

use abide_domain::visible_line;
use clap::{Args, ValueEnum};
use http::StatusCode;
use serde_json::{Value, json};

use crate::cli::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{format_count, items, query_string, text},
    progress::Progress,
    table::{Table, table},
};

/// How often the keeper is asked how far it is.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The code of the refusal where one runs.
const RUNS: &str = "search_runs";

/// Looks for a better order of memories by what the agent was asked before; the best is proposed like any change
#[derive(Debug, Args)]
pub(super) struct SearchOptions {
    /// The agent [default: the only one]
    #[arg(long)]
    agent: Option<String>,
    /// Generations of each part, 1 to 500 [default: 60]
    #[arg(long, value_name = "N")]
    generations: Option<u32>,
    /// Expressions at a time, 12 to 1000 [default: 120]
    #[arg(long, value_name = "N")]
    population: Option<u32>,
    /// How far it goes [default: structure]
    #[arg(long)]
    kind: Option<SearchDepth>,
    /// What everything that is random follows from; the same on the same record finds the same [default: another each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Does not wait for its end
    #[arg(long)]
    no_wait: bool,
}

/// How far a search goes.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SearchDepth {
    /// Other expressions too, after the weights
    Structure,
    /// Weights alone
    Weights,
}

impl SearchOptions {
    pub(super) async fn run(self, context: &Context, client: &Client) -> Result<Exit, CliError> {
        let terminal = &context.terminal;
        let answer = client.call(Call::post("/evolutions/search", &self.body())).await?;
        let is_running =
            answer.status == StatusCode::CONFLICT && text(&answer.body, "/error/code") == RUNS;
        if !answer.status.is_success() && !is_running {
            return Err(answer.into_error());
        }
        let search = if is_running { self.running(client).await? } else { answer.body };
        let agent = text(&search, "/citizen").to_owned();
        if self.no_wait {
            if terminal.is_json() {
                terminal.json(&search)?;
            } else {
                terminal.data(&place(&search))?;
            }
            return Ok(Exit::Ok);
        }
        let seed = number(&search, "/seed");
        terminal.say(&if is_running {
            format!("a search for {agent} runs already (seed {seed}); this one shows it")
        } else {
            format!("searching for {agent} (seed {seed}); Ctrl-C stops it")
        });
        let ended = watched(context, client, search).await?;
        if terminal.is_json() {
            terminal.json(&ended)?;
        } else {
            report(context, &ended)?;
        }
        let is_done = ["proposed", "not_better"].contains(&text(&ended, "/outcome/kind"));
        Ok(if is_done { Exit::Ok } else { Exit::Failed })
    }

    fn body(&self) -> Value {
        let kind = self.kind.map(|kind| match kind {
            SearchDepth::Structure => "structure",
            SearchDepth::Weights => "weights",
        });
        json!({
            "citizen": self.agent, "generations": self.generations, "population": self.population, "kind": kind,
            "seed": self.seed,
        })
    }

    /// The search that runs already.
    async fn running(&self, client: &Client) -> Result<Value, CliError> {
        let query = query_string(&[("citizen", self.agent.as_deref())]);
        let found = client.fetch(Call::get(&format!("/evolutions/search{query}"))).await?;
        let running = items(&found, "/items").iter().find(|search| search["state"] != "ended");
        let any = running.or_else(|| items(&found, "/items").first());
        any.cloned().ok_or_else(|| CliError::new("the search that ran has ended; start it again"))
    }
}

/// Waits for the end of a search and shows how far it is. An interrupt stops it.
async fn watched(context: &Context, client: &Client, search: Value) -> Result<Value, CliError> {
    let agent = text(&search, "/citizen").to_owned();
    let path = format!("/evolutions/search{}", query_string(&[("citizen", Some(&agent))]));
    let mut progress = Progress::new(&context.terminal);
    let mut search = search;
    let started = text(&search, "/started_at").to_owned();
    while text(&search, "/state") != "ended" {
        progress.show(
            &place(&search),
            number(&search, "/generation"),
            number(&search, "/generations"),
        );
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            pressed = tokio::signal::ctrl_c() => {
                pressed?;
                drop(progress);
                let body = json!({"citizen": agent});
                let stopped = client.call(Call::post("/evolutions/search/stop", &body)).await?;
                context.terminal.say(if stopped.status.is_success() {
                    "stopped: nothing is proposed, and what was found is dropped"
                } else {
                    "it had ended already"
                });
                progress = Progress::new(&context.terminal);
            }
        }
        let found = client.fetch(Call::get(&path)).await?;
        let is_it = |found: &&Value| text(found, "/started_at") == started;
        let Some(found) = items(&found, "/items").iter().find(is_it) else {
            return Err(CliError::new("the keeper knows this search no more")
                .hint("its files in the cache were deleted; start it again"));
        };
        search = found.clone();
    }
    Ok(search)
}

fn number(search: &Value, pointer: &str) -> u64 {
    search.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// Where a search is, in a few words.
fn place(search: &Value) -> String {
    let score = |key: &str| search[key].as_f64().map(|score| format!("{score:.3}"));
    let of = match text(search, "/state") {
        "reading" => return "reading the record".to_owned(),
        "waiting" => return "waiting for another agent's search".to_owned(),
        "ended" => return "ended".to_owned(),
        _ => text(search, "/part"),
    };
    let (generation, all) = (&search["generation"], &search["generations"]);
    let best = score("best").map(|best| format!(", best {best}")).unwrap_or_default();
    let today = score("today").map(|today| format!(", today {today}")).unwrap_or_default();
    format!("{of}: generation {generation} of {all}{best}{today}")
}

/// What was found, beside today's order, and what came of it.
fn report(context: &Context, search: &Value) -> Result<(), CliError> {
    let terminal = &context.terminal;
    if search["report"].is_object() {
        let held_out = number(search, "/report/held_out");
        let chosen = number(search, "/questions");
        let evaluations = number(search, "/evaluations");
        terminal.say(&format!(
            "{} measured on {}; {} held out",
            format_count(evaluations, "expression"),
            format_count(chosen, "question"),
            format_count(held_out, "question")
        ));
        terminal.table(&figures(search))?;
    }
    terminal.data(&visible_line(text(search, "/outcome/text")))?;
    let id = text(search, "/outcome/evolution_id");
    if !id.is_empty() {
        terminal.say(&format!("`abide evolve show {id}` shows how it fares"));
    }
    Ok(())
}

fn figures(search: &Value) -> Table {
    let score = |value: &Value| {
        value.as_f64().map_or_else(|| "–".to_owned(), |score| format!("{score:.3}"))
    };
    let report = &search["report"];
    let today = vec![
        "today".to_owned(),
        score(&search["today"]),
        score(&report["today"]),
        report["today_missed"].to_string(),
        String::new(),
    ];
    let row = |found: &Value| {
        let mark = if found["is_winner"] == true { "*" } else { "" };
        vec![
            format!("{}{mark}", text(found, "/kind")),
            score(&found["chosen"]),
            score(&found["score"]),
            found["missed"].to_string(),
            score(&found["p"]),
        ]
    };
    let found = items(report, "/found").iter().map(row);
    let rows: Vec<_> = std::iter::once(today).chain(found).collect();
    table(&["ORDER", "CHOSEN ON", "HELD OUT", "MISSED", "P"], &rows)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::place;

    #[test]
    fn where_a_search_is_is_said_in_a_line() {
        let search = json!({
            "state": "searching", "part": "weights", "generation": 3, "generations": 120, "best": 0.71249, "today": 0.7,
        });
        assert_eq!(place(&search), "weights: generation 3 of 120, best 0.712, today 0.700");
        assert_eq!(place(&json!({"state": "reading"})), "reading the record");
        let first = json!({"state": "searching", "part": "weights", "generation": 0, "generations": 2, "best": null});
        assert_eq!(place(&first), "weights: generation 0 of 2");
    }
}
