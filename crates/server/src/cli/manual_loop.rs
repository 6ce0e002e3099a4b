//! `abide loop`: the manual loop, with the scenario B01: a message, a reset, two hours of other work, and a question that
//! only memory can answer.
//!
//! It runs on a keeper of its own in a folder of its own, so that the caller's agents are not touched. `--auto` runs all
//! steps and scores them; without it each step waits for a key; `--paste` lets the person be the mind. Findings, contexts,
//! replies and the score are written to a folder. Exit 0 if everything passed, else 1.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use abide_domain::{Clock as _, visible};
use clap::Args;
use serde_json::{Value, json};

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{items, text},
};
use crate::system::SystemClock;

mod b01;
mod keeper;
mod keys;
mod paste;
mod report;

use b01::{ACT_1, ACT_2, ACT_3, Act, CITIZEN, SEED, ScenarioMessage, score};
use keeper::{LoopKeeper, MindSource};
use keys::{StepKey, StepKeys};
use report::{ActReport, Check, Metrics, Report};

/// Longest wait for a reply; a person who pastes may take their time.
const REPLY_MAX: std::time::Duration = std::time::Duration::from_hours(3);

/// Runs the scenario B01 on a keeper of its own: does the agent know, after a reset, what was said before it?
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct ManualLoop {
    /// Runs all steps without waiting for keys
    #[arg(long)]
    auto: bool,
    /// Lets you be the mind: shows the context, and takes the reply that you paste
    #[arg(long, conflicts_with = "auto")]
    paste: bool,
    /// Kills the keeper in Act 2, as a power cut would
    #[arg(long)]
    kill: bool,
    /// The folder for findings, contexts, replies and the report [default: loops/TIME in the home folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl ManualLoop {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let folder = self.folder(context)?;
        let source = if self.paste { MindSource::Person } else { MindSource::Configured };
        let keeper = LoopKeeper::open(context, &folder, source).await?;
        let mut run = LoopRun {
            context,
            keeper,
            keys: StepKeys::new(context.terminal.clone(), self.auto),
            is_killing: self.kill,
        };
        let ended = if self.paste {
            let home = run.keeper.home().clone();
            tokio::select! {
                ended = run.run() => ended,
                error = paste::answer_turns(&home, &context.terminal) => Err(error),
            }
        } else {
            run.run().await
        };
        let exit = match ended {
            Ok(Some(report)) => finish(&run, &report, &folder).await,
            Ok(None) => {
                context
                    .terminal
                    .say("the scenario was ended before its last act; nothing was scored");
                Ok(Exit::Failed)
            }
            Err(error) => Err(error),
        };
        run.keeper.kill().await;
        exit
    }

    fn folder(&self, context: &Context) -> Result<PathBuf, CliError> {
        let folder = self.out.clone().unwrap_or_else(|| {
            let now = SystemClock::new().now().to_string().replace(':', "-");
            context.home.root().join("loops").join(now)
        });
        let entries = std::fs::create_dir_all(&folder).and_then(|()| std::fs::read_dir(&folder));
        let mut entries = entries.map_err(|error| {
            CliError::new(format!("{} cannot be created", folder.display())).caused_by(&error)
        })?;
        if entries.next().is_some() {
            return Err(CliError::usage(format!("{} is not empty", folder.display()))
                .hint("name another folder with --out"));
        }
        Ok(folder)
    }
}

async fn finish(run: &LoopRun<'_>, report: &Report, folder: &Path) -> Result<Exit, CliError> {
    report.write(folder, &run.graph().await?)?;
    let terminal = &run.context.terminal;
    if terminal.is_json() {
        let json = serde_json::to_value(report)?;
        terminal.json(&json)?;
    } else {
        terminal.data(report.text().trim_end())?;
    }
    terminal.say_dimmed(&format!("the report and its files are in {}", folder.display()));
    Ok(if report.is_passed() { Exit::Ok } else { Exit::Failed })
}

/// A running scenario.
struct LoopRun<'a> {
    context: &'a Context,
    keeper: LoopKeeper,
    keys: StepKeys,
    is_killing: bool,
}

impl LoopRun<'_> {
    /// Runs all acts; none where the person ended the scenario.
    async fn run(&mut self) -> Result<Option<Report>, CliError> {
        self.keys.help();
        self.seed().await?;
        let before = self.graph().await?;
        let Some(first) = self.act(Act::First, ACT_1).await? else { return Ok(None) };
        let Some(is_forgotten) = self.other_work(&first.epoch_id).await? else {
            return Ok(None);
        };
        let is_unchanged = self.graph().await? == before;
        let Some(third) = self.act(Act::Third, ACT_3).await? else { return Ok(None) };
        let conversation = first_conversation(&first);
        let is_same = conversation.is_some() && conversation == first_conversation(&third);
        let is_verified = first.context_verified && third.context_verified;
        let agent = self.keeper.client()?.fetch(Call::get(&format!("/agents/{CITIZEN}"))).await?;
        Ok(Some(Report {
            mind: text(&agent, "/mind").to_owned(),
            acts: vec![first, third],
            checks: vec![
                Check {
                    name: "Act 2 was shown nothing of Act 1's conversation",
                    holds: is_forgotten,
                },
                Check { name: "the graph did not change", holds: is_unchanged },
                Check { name: "both acts find the same conversation", holds: is_same },
                Check { name: "what was shown can be rendered again", holds: is_verified },
            ],
            keeper_killed: self.is_killing,
        }))
    }

    async fn seed(&self) -> Result<(), CliError> {
        let body = json!({"citizen": CITIZEN, "lines": SEED});
        self.keeper.client()?.fetch(Call::post("/memory/graph/seed", &body)).await?;
        Ok(())
    }

    /// Every node and edge, a line each.
    async fn graph(&self) -> Result<String, CliError> {
        let path = format!("/memory/graph/export?citizen={CITIZEN}");
        let answer = self.keeper.client()?.fetch(Call::get(&path)).await?;
        Ok(text(&answer, "/lines").to_owned())
    }

    async fn act(
        &mut self,
        act: Act,
        message: ScenarioMessage,
    ) -> Result<Option<ActReport>, CliError> {
        let name = if act == Act::First { "act1" } else { "act3" };
        let terminal = &self.context.terminal;
        terminal.say_dimmed(&format!("{name}: {} says \"{}\"", message.sender, message.content));
        let Some(findings) = self.query_memory(name, message).await? else { return Ok(None) };
        if self.keys.wait(&format!("{name}: send")).await? == StepKey::Quit {
            return Ok(None);
        }
        let client = self.keeper.client()?;
        let begun = now();
        let epoch = say(&client, message).await?;
        let answered_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let shown = epoch_with_context(&client, text(&epoch, "/epoch_id")).await?;
        let (context, reply) = (
            text(&shown, "/context/system").to_owned(),
            text(&epoch, "/final_response").to_owned(),
        );
        let report = ActReport {
            name,
            epoch_id: text(&epoch, "/epoch_id").to_owned(),
            context_verified: shown.pointer("/context/verified") == Some(&Value::Bool(true)),
            metrics: metrics(&findings, &context, answered_ms),
            verdicts: score(act, &context, &reply),
            context,
            reply,
            findings,
        };
        self.context
            .terminal
            .say_dimmed(&format!("{name}: the agent says \"{}\"", visible(&report.reply)));
        loop {
            match self.keys.wait(&format!("{name}: done")).await? {
                StepKey::Next | StepKey::Skip => return Ok(Some(report)),
                StepKey::Quit => return Ok(None),
                StepKey::Inspect | StepKey::Retry => {
                    self.context.terminal.say(&visible(&report.context));
                }
                StepKey::Dump => self.context.terminal.say(&pretty(&report.findings)),
            }
        }
    }

    /// Runs the eight queries one by one, as the Dreamer would begin.
    async fn query_memory(
        &mut self,
        name: &str,
        message: ScenarioMessage,
    ) -> Result<Option<Vec<Value>>, CliError> {
        let client = self.keeper.client()?;
        let mut findings = Vec::new();
        for (query, params) in queries(message) {
            let found = loop {
                match self.keys.wait(&format!("{name}: {query}")).await? {
                    StepKey::Quit => return Ok(None),
                    StepKey::Skip => break None,
                    StepKey::Dump | StepKey::Inspect => {
                        self.context.terminal.say(&pretty(&findings));
                    }
                    StepKey::Next | StepKey::Retry => {
                        let body = json!({"citizen": CITIZEN, "query": query, "params": params});
                        break Some(client.fetch(Call::post("/memory/query", &body)).await?);
                    }
                }
            };
            let Some(found) = found else { continue };
            self.context.terminal.say_dimmed(&format!(
                "{query}: {}, {} items",
                text(&found, "/status"),
                items(&found, "/data").len()
            ));
            findings.push(json!({"query": query, "params": params, "result": found}));
        }
        Ok(Some(findings))
    }

    /// Act 2: a reset, other work, and a reset. Returns whether the conversation that was shown had nothing of Act 1.
    async fn other_work(&mut self, first_epoch: &str) -> Result<Option<bool>, CliError> {
        self.context.terminal.say_dimmed("act2: a reset, and two hours of other work");
        if self.keys.wait("act2: reset and other work").await? == StepKey::Quit {
            return Ok(None);
        }
        self.keeper.reset().await?;
        let mut is_forgotten = true;
        for message in ACT_2 {
            let client = self.keeper.client()?;
            let epoch = say(&client, message).await?;
            let shown = epoch_with_context(&client, text(&epoch, "/epoch_id")).await?;
            let history = items(&shown, "/context/history");
            is_forgotten &= !history.iter().any(|entry| text(entry, "/epoch_id") == first_epoch);
        }
        self.keeper.reset().await?;
        if self.is_killing {
            self.keeper.kill().await;
            self.keeper.start().await?;
        }
        Ok(Some(is_forgotten))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a person waits for a reply, for the report alone"
)]
fn now() -> Instant {
    Instant::now()
}

/// Sends a message at the scenario's time and waits for the committed epoch.
async fn say(client: &Client, message: ScenarioMessage) -> Result<Value, CliError> {
    let body = json!({
        "stimulus": {
            "content": message.content, "sender": message.sender,
            "channel": message.channel, "timestamp": message.at,
        },
        "last_driver_output": {"content": null, "timestamp": null},
        "citizen": CITIZEN,
        "session_id": message.session,
    });
    let epoch =
        client.fetch(Call::post("/start-epoch?wait=1", &body).with_timeout(REPLY_MAX)).await?;
    if text(&epoch, "/state") == "committed" {
        return Ok(epoch);
    }
    Err(CliError::new(format!("the epoch was aborted: {}", text(&epoch, "/abort/message"))))
}

async fn epoch_with_context(client: &Client, epoch: &str) -> Result<Value, CliError> {
    client.fetch(Call::get(&format!("/epochs/{epoch}?context=1"))).await
}

/// The eight queries in the order of the lenses, with the message's own words.
fn queries(message: ScenarioMessage) -> [(&'static str, Value); 8] {
    let words = message.content;
    [
        ("query_partnerships", json!({"partner_id": message.sender})),
        ("query_conversations", json!({"partner_id": message.sender, "keywords": [words]})),
        ("query_technical_context", json!({"term": words})),
        ("query_emotional_state", json!({"context_similar_to": words})),
        ("query_strategy_patterns", json!({"situation_type": words})),
        ("query_failed_attempts", json!({"context": words})),
        ("query_active_constraints", json!({})),
        (
            "query_related_code",
            json!({"filename": "energy_accumulator.py", "include_dependencies": true}),
        ),
    ]
}

fn metrics(findings: &[Value], context: &str, answered_ms: u64) -> Metrics {
    let mut metrics = Metrics {
        queries: findings.len(),
        context_tokens: abide_memory::estimate_tokens(context),
        answered_ms,
        ..Metrics::default()
    };
    for finding in findings {
        metrics.queries_ms +=
            finding.pointer("/result/query_time_ms").and_then(Value::as_f64).unwrap_or(0.0);
        metrics.queries_found += usize::from(text(finding, "/result/status") == "found");
        metrics.items += items(finding, "/result/data").len();
    }
    metrics
}

/// The seeded conversation as the act's second query gave it.
fn first_conversation(act: &ActReport) -> Option<&Value> {
    let asked =
        act.findings.iter().find(|finding| text(finding, "/query") == "query_conversations")?;
    let recorded = items(asked, "/result/data").iter().filter_map(|item| item.get("id"));
    recorded.into_iter().find(|id| id.as_str().is_some_and(|id| SEED.contains(id)))
}

fn pretty(values: &[Value]) -> String {
    serde_json::to_string_pretty(values).unwrap_or_default()
}
