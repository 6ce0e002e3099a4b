//! `abide evolve try`: whether another model, another identity or another setting would be better for an agent, asked of its own record.
//! What is asked of the keeper is a proposal like any other, that ends with its comparison; here it is waited for and shown. Nothing is
//! adopted before its report was.

use std::{collections::BTreeMap, time::Duration};

use abide_domain::{visible, visible_line};
use clap::Args;
use http::StatusCode;
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

use super::adopt::{Adopt, check_can_ask};
use crate::{
    cli::{
        client::{Call, Client},
        context::Context,
        error::{CliError, Exit},
        json_text::{items, text},
        table::{Table, clip, table},
        text_file::read_text,
    },
    evolution::MindChange,
};

/// Longest identity document that is read.
const IDENTITY_BYTES_MAX: u64 = abide_domain::limits::IDENTITY_BYTES_MAX as u64;
/// How often the keeper is asked how far it is.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Characters of a reply in a list.
const REPLY_CHARS: usize = 300;
/// Divergences that are shown side by side.
const DIVERGENCES_SHOWN: usize = 10;

/// Compares another model, another identity or other settings with what the agent has
#[derive(Debug, Args)]
pub(super) struct Compare {
    /// The model
    #[arg(long)]
    model: Option<String>,
    /// Its provider, such as `ollama` [default: that of the agent]
    #[arg(long)]
    provider: Option<String>,
    /// Where it is; no key is sent to another address than that of the configuration [default: the provider's own address]
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// A file with the identity that it is shown; `-` for stdin
    #[arg(long, value_name = "FILE")]
    identity: Option<String>,
    /// A key of [model], [context] or [limits] with its value, such as `context.tokens_max=8000`; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// The agent [default: the only one]
    #[arg(long)]
    agent: Option<String>,
    /// On so many of its newest conversations
    #[arg(long, default_value_t = 50, value_name = "N")]
    last: u32,
    /// What both models together may cost, in US dollars [default: nothing that costs]
    #[arg(long, value_name = "USD")]
    budget_usd: Option<f64>,
    /// Asks each model each request so many times, 1 to 5; the medians count
    #[arg(long, value_name = "N")]
    repeat: Option<u32>,
    /// A model that says which of two replies is better, in both orders; it decides nothing
    #[arg(long, value_name = "MODEL")]
    judge: Option<String>,
    /// The provider of the judge [default: that of the agent]
    #[arg(long, value_name = "PROVIDER", requires = "judge")]
    judge_provider: Option<String>,
    /// Writes what was tried into abide.toml after the report, when you say yes
    #[arg(long, conflicts_with = "no_wait")]
    adopt: bool,
    /// Says yes to that without being asked
    #[arg(long, requires = "adopt")]
    yes: bool,
    /// Does not wait for the report
    #[arg(long)]
    no_wait: bool,
}

/// How a trial that was waited for ended.
enum Waited {
    /// With this.
    Ended(Value),
    /// By whoever waited.
    Interrupted,
}

impl Compare {
    pub(super) async fn run(self, context: &Context, client: &Client) -> Result<Exit, CliError> {
        let change = self.change()?;
        let read = MindChange::read(&change).map_err(CliError::usage)?;
        if self.adopt {
            check_can_ask(context, self.yes)?;
        }
        let body = self.body(&change);
        let proposed = client.fetch(Call::post("/evolutions", &body)).await?;
        let id = text(&proposed, "/id").to_owned();
        if self.no_wait {
            context.terminal.data(&id)?;
            return Ok(Exit::Ok);
        }
        context.terminal.say(&format!(
            "trying it; `abide evolve show {id}` shows it later as well, Ctrl-C ends it"
        ));
        let compared = match wait(client, &id).await? {
            Waited::Ended(compared) => compared,
            Waited::Interrupted => {
                context.terminal.say(&format!("ended: {id} is aborted, and nothing more is asked"));
                return Ok(Exit::Failed);
            }
        };
        if context.terminal.is_json() {
            context.terminal.json(&compared)?;
        } else {
            report(context, &compared)?;
        }
        if text(&compared, "/state") != "reported" {
            return Ok(Exit::Failed);
        }
        if self.adopt {
            let adopt = Adopt { change: &read, agent: text(&compared, "/citizen"), yes: self.yes };
            adopt.run(context, client).await?;
        }
        Ok(Exit::Ok)
    }

    fn change(&self) -> Result<BTreeMap<String, Value>, CliError> {
        let mut change = BTreeMap::new();
        let named =
            [("model", &self.model), ("provider", &self.provider), ("base_url", &self.base_url)];
        for (key, value) in named {
            if let Some(value) = value {
                change.insert(key.to_owned(), json!(value));
            }
        }
        for setting in &self.settings {
            let (key, value) = setting.split_once('=').ok_or_else(|| {
                CliError::usage(format!(
                    "--set {setting:?} is not KEY=VALUE, such as context.tokens_max=8000"
                ))
            })?;
            if change.insert(key.to_owned(), json!(value)).is_some() {
                return Err(CliError::usage(format!("{key} is set twice")));
            }
        }
        if let Some(file) = &self.identity {
            change.insert("identity".to_owned(), json!(read_text(file, IDENTITY_BYTES_MAX)?));
        }
        if change.is_empty() {
            return Err(CliError::usage(
                "say what is to be tried: --model, --provider, --set or --identity",
            ));
        }
        Ok(change)
    }

    fn body(&self, change: &BTreeMap<String, Value>) -> Value {
        let reason = match &self.model {
            Some(model) => format!("is {model} better?"),
            None => "is it better?".to_owned(),
        };
        let judge = self.judge.as_ref();
        let judge = judge.map(|model| json!({"model": model, "provider": self.judge_provider}));
        json!({
            "citizen": self.agent,
            "target": "mind",
            "change": change,
            "reason": reason,
            "trial": {
                "last": self.last, "only_compare": true, "budget_usd": self.budget_usd, "repeat": self.repeat, "judge": judge,
            },
        })
    }
}

/// Waits until it has ended. Ctrl-C ends it; one that has ended by then is shown.
async fn wait(client: &Client, id: &str) -> Result<Waited, CliError> {
    let mut interrupts = signal(SignalKind::interrupt())
        .map_err(|error| CliError::new("Ctrl-C cannot be noticed").caused_by(&error))?;
    loop {
        let change = client.fetch(Call::get(&format!("/evolutions/{id}"))).await?;
        if ["reported", "rejected", "aborted"].contains(&text(&change, "/state")) {
            return Ok(Waited::Ended(change));
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            _ = interrupts.recv() => {
                let body = json!({"reason": "ended at the command line"});
                let ended = client.call(Call::post(&format!("/evolutions/{id}/abort"), &body)).await?;
                if ended.status.is_success() {
                    return Ok(Waited::Interrupted);
                }
                if ended.status != StatusCode::CONFLICT {
                    return Err(ended.into_error());
                }
            }
        }
    }
}

/// The report as people read it: what was asked, the figures of both, then what differs.
fn report(context: &Context, change: &Value) -> Result<(), CliError> {
    let terminal = &context.terminal;
    for note in items(change, "/notes").iter().filter_map(Value::as_str) {
        terminal.data(&visible_line(note))?;
    }
    let pairs = items(change, "/compared");
    if !pairs.is_empty() {
        terminal.table(&figures(pairs))?;
        let agreeing = pairs.iter().filter(|pair| pair["agrees"] == true).count();
        terminal.data(&format!("{agreeing} of {} answered alike", pairs.len()))?;
    }
    terminal.data(&visible_line(text(change, "/why")))?;
    let differing: Vec<&Value> = pairs.iter().filter(|pair| pair["agrees"] != true).collect();
    for pair in differing.iter().take(DIVERGENCES_SHOWN) {
        terminal.data("")?;
        let differs = visible_line(text(pair, "/divergence"));
        terminal.data(&format!("{}: {differs}", text(pair, "/request")))?;
        for (name, leg) in [("now", &pair["main"]), ("new", &pair["candidate"])] {
            let said = match text(leg, "/error") {
                "" => text(leg, "/answer"),
                error => error,
            };
            let said = visible(said).replace('\n', " ");
            terminal.data(&format!("  {name}  {}", clip(&said, REPLY_CHARS)))?;
        }
    }
    if differing.len() > DIVERGENCES_SHOWN {
        let more = differing.len() - DIVERGENCES_SHOWN;
        terminal.say(&format!("and {more} more; --json has all"));
    }
    Ok(())
}

fn figures(pairs: &[Value]) -> Table {
    let median = |leg: &str, figure: &str| {
        let mut values: Vec<u64> =
            pairs.iter().filter_map(|pair| pair.get(leg)?.get(figure)?.as_u64()).collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied()
    };
    let errors = |leg: &str| {
        pairs.iter().filter(|pair| !text(pair, &format!("/{leg}/error")).is_empty()).count()
    };
    let total = |leg: &str| -> u64 {
        pairs.iter().filter_map(|pair| pair.get(leg)?.get("cost_microusd")?.as_u64()).sum()
    };
    let row = |title: &str, leg: &str| {
        let shown =
            |value: Option<u64>| value.map_or_else(|| "–".to_owned(), |value| value.to_string());
        let dollars = abide_engine::format_dollars(total(leg));
        let milliseconds = median(leg, "wall_us").map(|wall| wall / 1_000);
        vec![
            title.to_owned(),
            shown(milliseconds),
            shown(median(leg, "tokens")),
            dollars,
            errors(leg).to_string(),
        ]
    };
    let rows = [row("now", "main"), row("new", "candidate")];
    table(&["", "MS", "TOKENS", "COST", "ERRORS"], &rows)
}
