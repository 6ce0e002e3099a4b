//! `abide sleep`: lets an agent sleep over its days, shows how it goes on, and reports what changed.

use clap::Args;
use serde_json::{Value, json};

use super::{
    Context,
    client::{Call, Client},
    failure::{Exit, Failure},
    progress::Progress,
    stream::{EventStream, StreamEvent},
    words::{query, shown, text},
};

/// What is followed: the steps, and what they brought.
const KINDS: &str = "sleep.step_finished,sleep.ended,memory.fact_remembered,memory.identity_changed,memory.identity_proposed,memory.dream_written";
/// The steps beside the facts.
const OTHER_STEPS: u64 = 2;

/// Lets an agent sleep: its days become facts, identity and a dream, and leave the prompt
#[derive(Debug, Args)]
pub(crate) struct Sleep {
    /// Which agent; default: the only one
    #[arg(long)]
    agent: Option<String>,
    /// Distils by rules even where there is a model
    #[arg(long)]
    rules: bool,
    /// Does not wait for the end
    #[arg(long)]
    no_wait: bool,
}

/// What came of it.
#[derive(Debug, Default)]
struct Report {
    status: String,
    message: String,
    steps: Vec<Value>,
    facts: Vec<Value>,
    identity_version: Option<u64>,
    proposal: Option<Value>,
    dream: Option<String>,
}

impl Sleep {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        let client = Client::find(context)?;
        let body = json!({"citizen": self.agent, "rules": self.rules});
        let begun = client.fetch(Call::post("/management/sleep", &body)).await?;
        let terminal = &context.terminal;
        if text(&begun, "/status") == "nothing" {
            return nothing(context, &begun);
        }
        terminal.say(&format!(
            "asleep over {} epochs, distilled by {}",
            shown(&begun, "/epochs"),
            text(&begun, "/distiller")
        ));
        if self.no_wait {
            return terminal.json(&begun).map(|()| Exit::Ok);
        }
        let report = self.follow(context, &client, &begun).await?;
        show(context, &begun, &report)?;
        Ok(if report.status == "failed" { Exit::Failed } else { Exit::Ok })
    }

    /// Follows the sleep to its end.
    async fn follow(
        &self,
        context: &Context,
        client: &Client,
        begun: &Value,
    ) -> Result<Report, Failure> {
        let sleep_id = text(begun, "/sleep_id");
        let path = format!(
            "/events{}",
            query(&[("kinds", Some(KINDS)), ("citizen", self.agent.as_deref())])
        );
        let after = begun["seq"].to_string();
        let mut events = EventStream::new(client.stream(&path, Some(&after)).await?);
        let mut progress = Progress::new(&context.terminal);
        let mut report = Report::default();
        progress.show("asleep", 0, 1);
        while let Some(event) = events.next().await {
            if report.take(&event, sleep_id) {
                return Ok(report);
            }
            let all = report.parts() + OTHER_STEPS;
            progress.show("asleep", report.steps.len() as u64, all);
        }
        Err(Failure::new("the keeper went away; the sleep goes on at its next start"))
    }
}

impl Report {
    /// Takes an event in; true at the end of the sleep.
    fn take(&mut self, event: &StreamEvent, sleep_id: &str) -> bool {
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

    /// Into how many parts the facts were cut, as far as that is known.
    fn parts(&self) -> u64 {
        self.steps.iter().filter_map(|step| step["parts"].as_u64()).max().unwrap_or(1)
    }
}

fn nothing(context: &Context, begun: &Value) -> Result<Exit, Failure> {
    if context.terminal.is_json() {
        context.terminal.json(begun)?;
    } else {
        context.terminal.say("nothing has happened since the last sleep");
    }
    Ok(Exit::Ok)
}

fn show(context: &Context, begun: &Value, report: &Report) -> Result<(), Failure> {
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
        terminal.say("a large change of the identity waits for you: abide memory identity review");
    }
    if let Some(dream) = &report.dream {
        terminal.data(&format!("dream {dream}"))?;
    }
    Ok(())
}
