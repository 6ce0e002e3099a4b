//! `abide watchdog`: which agents stall and what was tried; maintenance and silences.

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, items, query_string, text},
    table::{Table, clip, table},
};

/// Shows and controls the watchdog, which finds agents that stall
#[derive(Debug, Args)]
pub(crate) struct WatchdogCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Shows the last scan, and the stalls that are open
    Status,
    /// Scans all agents now
    Scan,
    /// Begins maintenance: scans go on, nobody is notified
    Pause {
        /// How long, such as 2h [default: 1h]
        #[arg(long = "for", value_name = "LENGTH")]
        duration: Option<String>,
        /// Why
        #[arg(long)]
        reason: Option<String>,
    },
    /// Ends maintenance
    Resume,
    /// Takes stalls in hand: nobody is told of them again for a while
    Ack {
        /// An agent, a page or an episode [default: all open stalls]
        which: Option<String>,
        /// How long
        #[arg(long = "for", value_name = "LENGTH", default_value = "1h")]
        duration: String,
        /// Why
        #[arg(long)]
        reason: Option<String>,
    },
    /// Suppresses bells, pages and notices about an agent, or about all, for a while
    Silence {
        /// The agent [default: all]
        agent: Option<String>,
        /// How long
        #[arg(long = "for", value_name = "LENGTH", default_value = "1h")]
        duration: String,
        /// Why
        #[arg(long)]
        reason: Option<String>,
        /// Ends a silence
        #[arg(long, conflicts_with_all = ["duration", "reason"])]
        off: bool,
    },
    /// Sends a test page and a test notice
    TestPage,
    /// Prints what happened since a time
    Report {
        /// Since when: a time, or a length such as 8h
        #[arg(long, value_name = "WHEN", default_value = "24h")]
        since: String,
    },
}

impl WatchdogCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let client = Client::find(context)?;
        let watchdog = WatchdogClient { context, client: &client };
        match self.action {
            Action::Status => watchdog.status().await?,
            Action::Scan => watchdog.scan().await?,
            Action::Pause { duration, reason } => {
                let body = body(&[("for", duration), ("reason", reason)]);
                watchdog
                    .order("pause", &body, "maintenance began: scans go on, nobody is notified")
                    .await?;
            }
            Action::Resume => watchdog.order("resume", &json!({}), "maintenance ended").await?,
            Action::Ack { which, duration, reason } => {
                let mut order = body(&[("for", Some(duration.clone())), ("reason", reason)]);
                let (field, value) = watchdog.choose(which.as_deref()).await?;
                if let Value::Object(order) = &mut order {
                    order.insert(field.to_owned(), value);
                }
                watchdog.acknowledge(&order, &duration).await?;
            }
            Action::Silence { agent, off: true, .. } => {
                let body = body(&[("agent", agent)]);
                watchdog.order("unsilence", &body, "the silence ended").await?;
            }
            Action::Silence { agent, duration, reason, .. } => {
                let body = body(&[("agent", agent), ("for", Some(duration)), ("reason", reason)]);
                watchdog.silence(&body).await?;
            }
            Action::TestPage => return watchdog.test_page().await,
            Action::Report { since } => watchdog.report(&since).await?,
        }
        Ok(Exit::Ok)
    }
}

/// Calls of the keeper about its watchdog.
#[derive(Clone, Copy)]
struct WatchdogClient<'a> {
    context: &'a Context,
    client: &'a Client,
}

impl WatchdogClient<'_> {
    async fn status(self) -> Result<(), CliError> {
        let status = self.client.fetch(Call::get("/watchdog")).await?;
        let terminal = &self.context.terminal;
        if terminal.is_json() {
            return terminal.json(&status);
        }
        if status.pointer("/enabled") != Some(&Value::Bool(true)) {
            return terminal.data("the watchdog is off (watchdog.enabled = false)");
        }
        let (at, missed) = (display(&status, "/last_scan/at"), display(&status, "/scans_missed"));
        terminal.data(&format!("last scan {at}, {missed} missed"))?;
        for (pointer, words) in [
            ("/blind", "agents cannot be checked: "),
            ("/mute", "nothing can be recorded: "),
            ("/dead_man", "the dead man's switch was not reached: "),
        ] {
            if !text(&status, pointer).is_empty() {
                terminal.data(&format!("{words}{}", text(&status, pointer)))?;
            }
        }
        if status.pointer("/dead_man_set") == Some(&Value::Bool(true)) {
            let at = display(&status, "/dead_man_reached_at");
            terminal.data(&format!("the dead man's switch was last reached at {at}"))?;
        }
        if status.pointer("/maintenance").is_some_and(Value::is_object) {
            let by = display(&status, "/maintenance/by");
            let until = display(&status, "/maintenance/until");
            terminal.data(&format!("paused by {by} until {until}"))?;
        }
        terminal.table(&agent_table(&status))?;
        terminal.table(&episode_table(&status))?;
        terminal.table(&next_step_table(&status))?;
        terminal.table(&silence_table(&status))
    }

    async fn scan(self) -> Result<(), CliError> {
        let found = self.client.fetch(Call::post("/watchdog/scan", &json!({}))).await?;
        if self.context.terminal.is_json() {
            return self.context.terminal.json(&found);
        }
        let names = |pointer: &str| {
            let names: Vec<_> = items(&found, pointer).iter().filter_map(Value::as_str).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        let (scanned, stalled) = (display(&found, "/scanned"), names("/stalled"));
        let blind = text(&found, "/blind");
        let blind = if blind.is_empty() {
            String::new()
        } else {
            format!("; agents cannot be checked: {blind}")
        };
        self.context.terminal.data(&format!("scanned {scanned}, stalled: {stalled}{blind}"))
    }

    async fn order(self, action: &str, body: &Value, words: &str) -> Result<(), CliError> {
        let path = format!("/watchdog/{action}");
        let answer = self.client.fetch(Call::post(&path, body)).await?;
        if self.context.terminal.is_json() {
            return self.context.terminal.json(&answer);
        }
        self.context.terminal.say(words);
        Ok(())
    }

    /// Names the stalls that are meant: an agent, a page or an episode of one that is open.
    async fn choose(self, which: Option<&str>) -> Result<(&'static str, Value), CliError> {
        let Some(name) = which else {
            return Ok(("all", Value::Bool(true)));
        };
        let name = name.trim_start_matches('@');
        let status = self.client.fetch(Call::get("/watchdog")).await?;
        let fields = [("agent", "/agent"), ("page", "/page"), ("episode", "/id")];
        let episodes = items(&status, "/episodes");
        let field = fields.into_iter().find(|(_, pointer)| {
            episodes.iter().any(|episode| text(episode, pointer).eq_ignore_ascii_case(name))
        });
        let (field, _) = field.ok_or_else(|| {
            CliError::new(format!("no open stall is of an agent, page or episode {name}"))
                .hint("`abide watchdog status` lists the stalls that are open")
        })?;
        Ok((field, name.into()))
    }

    async fn acknowledge(self, order: &Value, duration: &str) -> Result<(), CliError> {
        let answer = self.client.fetch(Call::post("/watchdog/ack", order)).await?;
        if self.context.terminal.is_json() {
            return self.context.terminal.json(&answer);
        }
        let count = items(&answer, "/episodes").len();
        let stalls = if count == 1 { "stall" } else { "stalls" };
        self.context
            .terminal
            .say(&format!("you have acknowledged {count} {stalls} for {duration}"));
        Ok(())
    }

    async fn silence(self, body: &Value) -> Result<(), CliError> {
        let answer = self.client.fetch(Call::post("/watchdog/silence", body)).await?;
        if self.context.terminal.is_json() {
            return self.context.terminal.json(&answer);
        }
        let (agent, until) = (display(&answer, "/agent"), display(&answer, "/until"));
        let agent = if agent == "-" { "all agents".to_owned() } else { agent };
        self.context.terminal.say(&format!("nobody is notified about {agent} until {until}"));
        Ok(())
    }

    /// Fails where the page or the notice was not delivered.
    async fn test_page(self) -> Result<Exit, CliError> {
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
                    ["/service", "/outcome", "/words"].map(|pointer| display(attempt, pointer));
                self.context.terminal.data(&format!("  {service}: {outcome} ({words})"))?;
            }
        }
        let is_whole = page == "delivered" && notice == "delivered";
        Ok(if is_whole { Exit::Ok } else { Exit::Failed })
    }

    async fn report(self, since: &str) -> Result<(), CliError> {
        let path = format!("/watchdog/report{}", query_string(&[("since", Some(since))]));
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

fn agent_table(status: &Value) -> Table {
    let row = |agent: &Value| {
        let silent = agent.pointer("/silent_ms").and_then(Value::as_u64);
        let silent = silent.map_or_else(|| "-".to_owned(), |ms| format!("{} s", ms / 1_000));
        vec![display(agent, "/agent"), display(agent, "/verdict"), silent]
    };
    let rows: Vec<_> = items(status, "/agents").iter().map(row).collect();
    table(&["AGENT", "STATE", "SILENT"], &rows)
}

fn episode_table(status: &Value) -> Table {
    let row = |episode: &Value| {
        vec![
            display(episode, "/agent"),
            display(episode, "/opened_at"),
            display(episode, "/rung"),
            display(episode, "/acknowledged_by"),
            clip(&display(episode, "/summary"), 160),
        ]
    };
    let rows: Vec<_> = items(status, "/episodes").iter().map(row).collect();
    table(&["STALLED", "SINCE", "RUNG", "ACKNOWLEDGED BY", "WHAT"], &rows)
}

fn next_step_table(status: &Value) -> Table {
    let row = |next: &Value| {
        let to: Vec<_> = items(next, "/to").iter().filter_map(Value::as_str).collect();
        vec![display(next, "/agent"), display(next, "/at"), to.join(", ")]
    };
    let rows: Vec<_> = items(status, "/next_steps").iter().map(row).collect();
    table(&["NEXT NOTICE", "AT", "BY"], &rows)
}

fn silence_table(status: &Value) -> Table {
    let row = |silence: &Value| {
        let agent = display(silence, "/agent");
        let agent = if agent == "-" { "all agents".to_owned() } else { agent };
        vec![agent, display(silence, "/until")]
    };
    let rows: Vec<_> = items(status, "/silences").iter().map(row).collect();
    table(&["SILENCED", "UNTIL"], &rows)
}
