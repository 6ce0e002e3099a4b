//! `abide evolve try`: whether another model, another identity or another setting would be better for an agent, asked of its own record.
//! What is asked of the keeper is a proposal like any other, that ends with its comparison; here it is waited for and shown. Nothing is
//! adopted before its report was.

use std::{collections::BTreeMap, time::Duration};

use clap::Args;
use http::StatusCode;
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

use super::{
    adopt::{Adopt, AdoptOptions, check_can_ask},
    propose::read_budget,
    report::{PlainPart, plain},
};
use crate::{
    cli::{
        client::{Call, Client},
        context::Context,
        error::{CliError, Exit},
        json_text::text,
        text_file::read_text,
    },
    evolution::MindChange,
};

/// Longest identity document that is read.
const IDENTITY_BYTES_MAX: u64 = abide_domain::limits::IDENTITY_BYTES_MAX as u64;
/// How often the keeper is asked how far it is.
const LOOK_EVERY: Duration = Duration::from_millis(500);

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
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    last: u32,
    /// What both models together may cost, in US dollars [default: nothing that costs]
    #[arg(long, value_name = "USD", value_parser = read_budget)]
    budget_usd: Option<f64>,
    /// Asks each model each request so many times, 1 to 5; the medians count
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=5))]
    repeat: Option<u32>,
    /// A model that says which of two replies is better, in both orders; it decides nothing
    #[arg(long, value_name = "MODEL")]
    judge: Option<String>,
    /// The provider of the judge [default: that of the agent]
    #[arg(long, value_name = "PROVIDER", requires = "judge")]
    judge_provider: Option<String>,
    #[command(flatten)]
    adopting: AdoptOptions,
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
        let AdoptOptions { adopt, yes } = self.adopting;
        if adopt {
            check_can_ask(context, yes)?;
        }
        let body = self.body(&change);
        let proposed = post_proposal(client, &body).await?;
        let id = text(&proposed, "/id").to_owned();
        if self.no_wait {
            context.terminal.data(&id)?;
            return Ok(Exit::Ok);
        }
        context.terminal.say(&format!(
            "trying it; `abide evolve show {id}` shows it later as well, Ctrl-C ends it"
        ));
        let compared = match wait(context, client, &id).await? {
            Waited::Ended(compared) => compared,
            Waited::Interrupted => {
                context.terminal.say(&format!("ended: {id} is aborted, and nothing more is asked"));
                return Ok(Exit::Failed);
            }
        };
        if context.terminal.is_json() {
            context.terminal.json(&compared)?;
        } else {
            show_report(context, client, &id).await?;
        }
        if text(&compared, "/state") != "reported" {
            return Ok(Exit::Failed);
        }
        if adopt {
            let adopt = Adopt { change: &read, agent: text(&compared, "/citizen"), yes };
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

/// Waits until it has ended, and says once behind which other change it waits. Ctrl-C ends it; one that has ended by then is shown.
async fn wait(context: &Context, client: &Client, id: &str) -> Result<Waited, CliError> {
    let mut interrupts = signal(SignalKind::interrupt())
        .map_err(|error| CliError::new("Ctrl-C cannot be noticed").caused_by(&error))?;
    let mut said = String::new();
    loop {
        let change = client.fetch(Call::get(&format!("/evolutions/{id}"))).await?;
        if ["reported", "rejected", "aborted"].contains(&text(&change, "/state")) {
            return Ok(Waited::Ended(change));
        }
        let first = text(&change, "/waits_for");
        if !first.is_empty() && first != said {
            let first_change = client.fetch(Call::get(&format!("/evolutions/{first}"))).await?;
            context.terminal.say(&waiting(first, text(&first_change, "/state")));
            first.clone_into(&mut said);
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

/// What stands in its way, and what a person can do about it.
fn waiting(first: &str, state: &str) -> String {
    let what = match state {
        "awaits_approval" => format!(
            "which waits for a yes: `abide evolve approve {first}` or `abide evolve reject {first}`"
        ),
        "watching" => format!(
            "which is in force and watched: `abide evolve show {first}` says how long, and `abide evolve rollback {first}` takes it back"
        ),
        state => format!(
            "which comes first ({}): `abide evolve show {first}` says where it is",
            state.replace('_', " ")
        ),
    };
    format!("it waits behind change {first}, {what}")
}

/// Prints the report of a change as text.
pub(super) async fn show_report(
    context: &Context,
    client: &Client,
    id: &str,
) -> Result<(), CliError> {
    let report = client.fetch(Call::get(&format!("/evolutions/{id}/report"))).await?;
    plain(&report, |part| match part {
        PlainPart::Line(line) => context.terminal.data(&line),
        PlainPart::Table(table) => context.terminal.table(&table),
    })
}

/// Sends a proposal. A value that the keeper does not take is wrong usage.
pub(super) async fn post_proposal(client: &Client, body: &Value) -> Result<Value, CliError> {
    let answer = client.call(Call::post("/evolutions", body)).await?;
    match answer.status {
        status if status.is_success() => Ok(answer.body),
        StatusCode::UNPROCESSABLE_ENTITY => Err(answer.into_error().with_exit(Exit::Usage)),
        _ => Err(answer.into_error()),
    }
}
