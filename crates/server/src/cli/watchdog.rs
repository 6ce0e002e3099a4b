//! `abide watchdog`: who is silent, what was tried, what happened in the night; and the orders that people give it.

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::{
    Context,
    client::{Call, Client},
    failure::{Exit, Failure},
    table::{clip, table},
    words::{items, query, shown, text},
};

/// Shows and steers the watchdog, which notices agents that stall
#[derive(Debug, Args)]
pub(crate) struct WatchdogCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Shows what it found, and the stalls that are open
    Status,
    /// Has it look now
    Scan,
    /// Begins maintenance: it looks, and disturbs nobody
    Pause {
        /// How long, such as 2h; without it until `resume`
        #[arg(long = "for", value_name = "LENGTH")]
        hush: Option<String>,
        /// Why
        #[arg(long)]
        reason: Option<String>,
    },
    /// Ends maintenance
    Resume,
    /// Rings and pages nobody about an agent, or about any, for a while
    Silence {
        /// The agent; without it all of them
        agent: Option<String>,
        /// How long
        #[arg(long = "for", value_name = "LENGTH", default_value = "1h")]
        hush: String,
        /// Why
        #[arg(long)]
        reason: Option<String>,
        /// Ends a silence instead
        #[arg(long, conflicts_with_all = ["hush", "reason"])]
        off: bool,
    },
    /// Sends a test page and a test notice
    TestPage,
    /// Tells what happened while you slept
    Report {
        /// Since when: a time, or a length such as 8h
        #[arg(long, value_name = "WHEN", default_value = "24h")]
        since: String,
    },
}

impl WatchdogCommand {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        let client = Client::find(context)?;
        let desk = Desk { context, client: &client };
        match self.action {
            Action::Status => desk.status().await?,
            Action::Scan => desk.scan().await?,
            Action::Pause { hush, reason } => {
                let body = body(&[("for", hush), ("reason", reason)]);
                desk.order("pause", &body, "paused: it looks, and disturbs nobody").await?;
            }
            Action::Resume => desk.order("resume", &json!({}), "maintenance is over").await?,
            Action::Silence { agent, off: true, .. } => {
                let body = body(&[("agent", agent)]);
                desk.order("unsilence", &body, "the silence is over").await?;
            }
            Action::Silence { agent, hush, reason, .. } => {
                let body = body(&[("agent", agent), ("for", Some(hush)), ("reason", reason)]);
                desk.silence(&body).await?;
            }
            Action::TestPage => return desk.test_page().await,
            Action::Report { since } => desk.report(&since).await?,
        }
        Ok(Exit::Ok)
    }
}

/// What the actions work with.
#[derive(Clone, Copy)]
struct Desk<'a> {
    context: &'a Context,
    client: &'a Client,
}

impl Desk<'_> {
    async fn status(self) -> Result<(), Failure> {
        let status = self.client.fetch(Call::get("/watchdog")).await?;
        let terminal = &self.context.terminal;
        if terminal.is_json() {
            return terminal.json(&status);
        }
        if status.pointer("/enabled") != Some(&Value::Bool(true)) {
            return terminal.data("the watchdog is off (watchdog.enabled = false)");
        }
        let (at, missed) = (shown(&status, "/last_scan/at"), shown(&status, "/scans_missed"));
        terminal.data(&format!("last scan {at}, {missed} missed"))?;
        for (pointer, words) in [
            ("/blind", "agents cannot be judged: "),
            ("/mute", "nothing can be written down: "),
            ("/dead_man", "the dead man's switch was not reached: "),
        ] {
            if !text(&status, pointer).is_empty() {
                terminal.data(&format!("{words}{}", text(&status, pointer)))?;
            }
        }
        if status.pointer("/dead_man_set") == Some(&Value::Bool(true)) {
            let at = shown(&status, "/dead_man_reached_at");
            terminal.data(&format!("the dead man's switch was last reached at {at}"))?;
        }
        if status.pointer("/maintenance").is_some_and(Value::is_object) {
            let by = shown(&status, "/maintenance/by");
            let until = shown(&status, "/maintenance/until");
            terminal.data(&format!("paused by {by} until {until}"))?;
        }
        terminal.data_part(&agents(&status))?;
        terminal.data_part(&episodes(&status))?;
        terminal.data_part(&next_steps(&status))?;
        terminal.data_part(&silences(&status))
    }

    async fn scan(self) -> Result<(), Failure> {
        let found = self.client.fetch(Call::post("/watchdog/scan", &json!({}))).await?;
        if self.context.terminal.is_json() {
            return self.context.terminal.json(&found);
        }
        let names = |pointer: &str| {
            let names: Vec<_> = items(&found, pointer).iter().filter_map(Value::as_str).collect();
            if names.is_empty() { "nobody".to_owned() } else { names.join(", ") }
        };
        let (scanned, stalled) = (shown(&found, "/scanned"), names("/stalled"));
        let blind = text(&found, "/blind");
        let blind = if blind.is_empty() { String::new() } else { format!("; blind: {blind}") };
        self.context.terminal.data(&format!("scanned {scanned}, stalled: {stalled}{blind}"))
    }

    async fn order(self, action: &str, body: &Value, words: &str) -> Result<(), Failure> {
        let path = format!("/watchdog/{action}");
        let answer = self.client.fetch(Call::post(&path, body)).await?;
        if self.context.terminal.is_json() {
            return self.context.terminal.json(&answer);
        }
        self.context.terminal.say(words);
        Ok(())
    }

    async fn silence(self, body: &Value) -> Result<(), Failure> {
        let answer = self.client.fetch(Call::post("/watchdog/silence", body)).await?;
        if self.context.terminal.is_json() {
            return self.context.terminal.json(&answer);
        }
        let (agent, until) = (shown(&answer, "/agent"), shown(&answer, "/until"));
        let whom = if agent == "-" { "anybody".to_owned() } else { agent };
        self.context.terminal.say(&format!("nobody is disturbed about {whom} until {until}"));
        Ok(())
    }

    /// Fails where the page or the notice reached nobody.
    async fn test_page(self) -> Result<Exit, Failure> {
        let tested = self.client.fetch(Call::post("/watchdog/test-page", &json!({}))).await?;
        let reached = |pointer: &str| match text(&tested, pointer) {
            "" => "delivered".to_owned(),
            why => format!("failed: {why}"),
        };
        let (page, notice) = (reached("/page_failed"), reached("/notify_failed"));
        if self.context.terminal.is_json() {
            self.context.terminal.json(&tested)?;
        } else {
            let name = text(&tested, "/page");
            self.context.terminal.data(&format!("page {name}: {page}\nnotice: {notice}"))?;
            for attempt in items(&tested, "/attempts") {
                let [service, outcome, words] =
                    ["/service", "/outcome", "/words"].map(|pointer| shown(attempt, pointer));
                self.context.terminal.data(&format!("  {service}: {outcome} ({words})"))?;
            }
        }
        let is_whole = page == "delivered" && notice == "delivered";
        Ok(if is_whole { Exit::Ok } else { Exit::Failed })
    }

    async fn report(self, since: &str) -> Result<(), Failure> {
        let path = format!("/watchdog/report{}", query(&[("since", Some(since))]));
        let report = self.client.fetch(Call::get(&path)).await?;
        if self.context.terminal.is_json() {
            return self.context.terminal.json(&report);
        }
        self.context.terminal.data(text(&report, "/text"))
    }
}

fn body(fields: &[(&str, Option<String>)]) -> Value {
    let given = fields.iter().filter_map(|(name, value)| {
        value.as_ref().map(|value| ((*name).to_owned(), Value::String(value.clone())))
    });
    Value::Object(given.collect::<Map<_, _>>())
}

fn agents(status: &Value) -> String {
    let row = |agent: &Value| {
        let silent = agent.pointer("/silent_ms").and_then(Value::as_u64);
        let silent = silent.map_or_else(|| "-".to_owned(), |ms| format!("{} s", ms / 1_000));
        vec![shown(agent, "/agent"), shown(agent, "/verdict"), silent]
    };
    let rows: Vec<_> = items(status, "/agents").iter().map(row).collect();
    table(&["AGENT", "STATE", "SILENT"], &rows)
}

fn episodes(status: &Value) -> String {
    let row = |episode: &Value| {
        vec![
            shown(episode, "/agent"),
            shown(episode, "/opened_at"),
            shown(episode, "/rung"),
            shown(episode, "/acknowledged_by"),
            clip(&shown(episode, "/summary"), 160),
        ]
    };
    let rows: Vec<_> = items(status, "/episodes").iter().map(row).collect();
    table(&["STALLED", "SINCE", "RUNG", "IN HAND", "WHAT"], &rows)
}

fn next_steps(status: &Value) -> String {
    let row = |next: &Value| {
        let to: Vec<_> = items(next, "/to").iter().filter_map(Value::as_str).collect();
        vec![shown(next, "/agent"), shown(next, "/at"), to.join(", ")]
    };
    let rows: Vec<_> = items(status, "/next_steps").iter().map(row).collect();
    table(&["TOLD NEXT", "AT", "BY"], &rows)
}

fn silences(status: &Value) -> String {
    let row = |silence: &Value| {
        let agent = shown(silence, "/agent");
        let agent = if agent == "-" { "everybody".to_owned() } else { agent };
        vec![agent, shown(silence, "/until")]
    };
    let rows: Vec<_> = items(status, "/silences").iter().map(row).collect();
    table(&["SILENCED", "UNTIL"], &rows)
}
