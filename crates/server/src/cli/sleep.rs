//! `abide sleep`: starts an agent's sleep, shows its progress, and reports what changed.

use clap::Args;
use serde_json::{Value, json};

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display_count, query_string, text},
    progress::Progress,
    stream::{EventStream, StreamEvent},
};

/// The events that are followed: the steps and their results.
const KINDS: &str = "sleep.step_finished,sleep.ended,memory.fact_remembered,memory.identity_changed,memory.identity_proposed,memory.dream_written";
/// Steps besides those of facts.
const OTHER_STEPS: u64 = 2;

/// Starts an agent's sleep: its epochs become facts, identity and a dream, and leave the prompt
#[derive(Debug, Args)]
pub(crate) struct Sleep {
    /// The agent [default: the only one]
    #[arg(long)]
    agent: Option<String>,
    /// Distils by rules, even where there is a model
    #[arg(long)]
    rules: bool,
    /// Does not wait until it has ended
    #[arg(long)]
    no_wait: bool,
}

/// The results of a sleep.
#[derive(Debug, Default)]
struct SleepResult {
    status: String,
    message: String,
    steps: Vec<Value>,
    facts: Vec<Value>,
    identity_version: Option<u64>,
    proposal: Option<Value>,
    dream: Option<String>,
}

impl Sleep {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let client = Client::find(context)?;
        let body = json!({"citizen": self.agent, "rules": self.rules});
        let begun = client.fetch(Call::post("/management/sleep", &body)).await?;
        let terminal = &context.terminal;
        if text(&begun, "/status") == "nothing" {
            return print_nothing(context, &begun);
        }
        terminal.say(&format!(
            "sleeping over {}, distilled by {}",
            display_count(&begun, "/epochs", "epoch"),
            text(&begun, "/distiller")
        ));
        if self.no_wait {
            return terminal.json(&begun).map(|()| Exit::Ok);
        }
        let report = self.follow(context, &client, &begun).await?;
        print_result(context, &begun, &report)?;
        Ok(if report.status == "failed" { Exit::Failed } else { Exit::Ok })
    }

    /// Follows the sleep to its end.
    async fn follow(
        &self,
        context: &Context,
        client: &Client,
        begun: &Value,
    ) -> Result<SleepResult, CliError> {
        let sleep_id = text(begun, "/sleep_id");
        let path = format!(
            "/events{}",
            query_string(&[("kinds", Some(KINDS)), ("citizen", self.agent.as_deref())])
        );
        let after = begun["seq"].to_string();
        let mut events = EventStream::new(client.stream(&path, Some(&after)).await?);
        let mut progress = Progress::new(&context.terminal);
        let mut report = SleepResult::default();
        progress.show("sleep", 0, 1);
        while let Some(event) = events.next().await {
            if report.add_event(&event, sleep_id) {
                return Ok(report);
            }
            let all = report.parts() + OTHER_STEPS;
            progress.show("sleep", report.steps.len() as u64, all);
        }
        Err(CliError::new(
            "the connection to the keeper was lost; the sleep continues when it starts again",
        )
        .with_exit(Exit::NotRunning))
    }
}

impl SleepResult {
    /// Adds an event; true at the end of the sleep.
    fn add_event(&mut self, event: &StreamEvent, sleep_id: &str) -> bool {
        let data = event.data.get("data").unwrap_or(&Value::Null);
        match event.name.as_str() {
            "memory.fact_remembered" if event.data.get("epoch").is_none_or(Value::is_null) => {
                self.facts.push(data.clone());
            }
            "memory.identity_changed" if text(data, "/source") == "sleep" => {
                self.identity_version = data["version"].as_u64();
            }
            "memory.identity_proposed" if text(data, "/sleep_id") == sleep_id => {
                self.proposal =
                    Some(json!({"proposal_id": data["proposal_id"], "change": data["change"]}));
            }
            "memory.dream_written" if text(data, "/sleep_id") == sleep_id => {
                self.dream = Some(text(data, "/filename").to_owned());
            }
            "sleep.step_finished" if text(data, "/sleep_id") == sleep_id => {
                self.steps.push(data.clone());
            }
            "sleep.ended" if text(data, "/sleep_id") == sleep_id => {
                text(data, "/status").clone_into(&mut self.status);
                text(data, "/message").clone_into(&mut self.message);
                return true;
            }
            _ => {}
        }
        false
    }

    /// The number of parts of the facts, as far as it is known.
    fn parts(&self) -> u64 {
        self.steps.iter().filter_map(|step| step["parts"].as_u64()).max().unwrap_or(1)
    }
}

fn print_nothing(context: &Context, begun: &Value) -> Result<Exit, CliError> {
    if context.terminal.is_json() {
        context.terminal.json(begun)?;
    } else {
        context.terminal.say("nothing has happened since the last sleep");
    }
    Ok(Exit::Ok)
}

fn print_result(context: &Context, begun: &Value, report: &SleepResult) -> Result<(), CliError> {
    let terminal = &context.terminal;
    if terminal.is_json() {
        return terminal.json(&json!({
            "sleep_id": begun["sleep_id"],
            "distiller": begun["distiller"],
            "epochs": begun["epochs"],
            "status": report.status,
            "message": report.message,
            "steps": report.steps,
            "facts": report.facts,
            "identity_version": report.identity_version,
            "proposal": report.proposal,
            "dream": report.dream,
        }));
    }
    terminal.say(&format!("{}: {}", report.status, report.message));
    for fact in &report.facts {
        let mark = if fact["supersedes"].is_null() { '+' } else { '~' };
        terminal.data(&format!("{mark} {}", text(fact, "/content")))?;
    }
    if let Some(version) = report.identity_version {
        terminal.data(&format!("identity version {version}"))?;
    }
    if report.proposal.is_some() {
        terminal.say(
            "a large change of the identity waits for your decision: abide memory identity review",
        );
    }
    if let Some(dream) = &report.dream {
        terminal.data(&format!("dream {dream}"))?;
    }
    Ok(())
}
