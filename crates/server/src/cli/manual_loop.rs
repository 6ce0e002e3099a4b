//! `abide loop`: the manual loop, with the play B01: a message, a reset, two hours of other work, and the question that
//! only memory can answer.
//!
//! It plays on a stage of its own (a keeper in a folder of its own), so that nothing of the caller's agents is touched.
//! `--auto` plays through and scores; without it each step waits for a key; `--paste` lets the person be the mind. What
//! was found, shown, said and scored is left in a folder. Exit 0 if everything passed, else 1.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use abide_domain::Clock as _;
use clap::Args;
use serde_json::{Value, json};

use super::{
    Context,
    client::{Call, Client},
    failure::{Exit, Failure},
    terminal::visible,
    words::{items, text},
};
use crate::system::SystemClock;

mod b01;
mod keys;
mod paste;
mod report;
mod stage;

use b01::{ACT_1, ACT_2, ACT_3, Act, CITIZEN, Message, SEED, score};
use keys::{Key, Keys};
use report::{ActReport, Check, Metrics, Report};
use stage::{Driver, Stage};

/// Longest wait for a reply; a person who pastes may take their time.
const REPLY_MAX: std::time::Duration = std::time::Duration::from_hours(3);

/// Plays B01 on a keeper of its own: does the agent know, a reset later, what was said before?
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct ManualLoop {
    /// Plays through without waiting for keys
    #[arg(long)]
    auto: bool,
    /// You are the mind: the context is shown, and you paste the reply
    #[arg(long, conflicts_with = "auto")]
    paste: bool,
    /// Kills the keeper in Act 2, as a power cut would
    #[arg(long)]
    kill: bool,
    /// Where findings, contexts, replies and the report go [default: loops/TIME in the home]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl ManualLoop {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        let folder = self.folder(context)?;
        let driver = if self.paste { Driver::Person } else { Driver::Configured };
        let stage = Stage::open(context, &folder, driver).await?;
        let mut play = Play {
            context,
            stage,
            keys: Keys::new(context.terminal.clone(), self.auto),
            is_killing: self.kill,
        };
        let played = if self.paste {
            let home = play.stage.home().clone();
            tokio::select! {
                played = play.run() => played,
                away = paste::person(&home, &context.terminal) => Err(away),
            }
        } else {
            play.run().await
        };
        let ended = match played {
            Ok(Some(report)) => finish(&play, &report, &folder).await,
            Ok(None) => {
                context.terminal.say("the play was ended before its last act; nothing was scored");
                Ok(Exit::Failed)
            }
            Err(failure) => Err(failure),
        };
        play.stage.kill().await;
        ended
    }

    fn folder(&self, context: &Context) -> Result<PathBuf, Failure> {
        let folder = self.out.clone().unwrap_or_else(|| {
            let now = SystemClock::new().now().to_string().replace(':', "-");
            context.home.root().join("loops").join(now)
        });
        let made = std::fs::create_dir_all(&folder).and_then(|()| std::fs::read_dir(&folder));
        let mut entries = made.map_err(|error| {
            Failure::new(format!("{} cannot be made", folder.display())).because(&error)
        })?;
        if entries.next().is_some() {
            return Err(Failure::usage(format!("{} is not empty", folder.display()))
                .hint("name another folder with --out"));
        }
        Ok(folder)
    }
}

async fn finish(play: &Play<'_>, report: &Report, folder: &Path) -> Result<Exit, Failure> {
    report.write(folder, &play.graph().await?)?;
    let terminal = &play.context.terminal;
    if terminal.is_json() {
        let json = serde_json::to_value(report).map_err(|error| Failure::from_error(&error))?;
        terminal.json(&json)?;
    } else {
        terminal.data(report.text().trim_end())?;
    }
    terminal.aside(&format!("all of it is in {}", folder.display()));
    Ok(if report.is_passed() { Exit::Ok } else { Exit::Failed })
}

/// A play under way.
struct Play<'a> {
    context: &'a Context,
    stage: Stage,
    keys: Keys,
    is_killing: bool,
}

impl Play<'_> {
    /// All acts; none where the person ended it.
    async fn run(&mut self) -> Result<Option<Report>, Failure> {
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
        let agent = self.stage.client()?.fetch(Call::get(&format!("/agents/{CITIZEN}"))).await?;
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

    async fn seed(&self) -> Result<(), Failure> {
        let body = json!({"citizen": CITIZEN, "lines": SEED});
        self.stage.client()?.fetch(Call::post("/memory/graph/seed", &body)).await?;
        Ok(())
    }

    /// Every node and edge, a line each.
    async fn graph(&self) -> Result<String, Failure> {
        let path = format!("/memory/graph/export?citizen={CITIZEN}");
        let answer = self.stage.client()?.fetch(Call::get(&path)).await?;
        Ok(text(&answer, "/lines").to_owned())
    }

    async fn act(&mut self, act: Act, message: Message) -> Result<Option<ActReport>, Failure> {
        let name = if act == Act::First { "act1" } else { "act3" };
        let terminal = &self.context.terminal;
        terminal.aside(&format!("{name}: {} says \"{}\"", message.sender, message.content));
        let Some(findings) = self.look(name, message).await? else { return Ok(None) };
        if self.keys.wait(&format!("{name}: send")).await? == Key::Quit {
            return Ok(None);
        }
        let client = self.stage.client()?;
        let begun = now();
        let epoch = say(&client, message).await?;
        let answered_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let shown = shown(&client, text(&epoch, "/epoch_id")).await?;
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
            .aside(&format!("{name}: the agent says \"{}\"", visible(&report.reply)));
        loop {
            match self.keys.wait(&format!("{name}: done")).await? {
                Key::Next | Key::Skip => return Ok(Some(report)),
                Key::Quit => return Ok(None),
                Key::Inspect | Key::Retry => self.context.terminal.say(&visible(&report.context)),
                Key::Dump => self.context.terminal.say(&pretty(&report.findings)),
            }
        }
    }

    /// Asks the eight queries one by one, as the Dreamer would begin.
    async fn look(&mut self, name: &str, message: Message) -> Result<Option<Vec<Value>>, Failure> {
        let client = self.stage.client()?;
        let mut findings = Vec::new();
        for (query, params) in queries(message) {
            let found = loop {
                match self.keys.wait(&format!("{name}: {query}")).await? {
                    Key::Quit => return Ok(None),
                    Key::Skip => break None,
                    Key::Dump | Key::Inspect => self.context.terminal.say(&pretty(&findings)),
                    Key::Next | Key::Retry => {
                        let body = json!({"citizen": CITIZEN, "query": query, "params": params});
                        break Some(client.fetch(Call::post("/memory/query", &body)).await?);
                    }
                }
            };
            let Some(found) = found else { continue };
            self.context.terminal.aside(&format!(
                "{query}: {}, {} items",
                text(&found, "/status"),
                items(&found, "/data").len()
            ));
            findings.push(json!({"query": query, "params": params, "result": found}));
        }
        Ok(Some(findings))
    }

    /// Act 2: a reset, other work, and a reset. Says whether nothing of Act 1 stood in the conversation shown.
    async fn other_work(&mut self, first_epoch: &str) -> Result<Option<bool>, Failure> {
        self.context.terminal.aside("act2: a reset, and two hours of other work");
        if self.keys.wait("act2: reset and other work").await? == Key::Quit {
            return Ok(None);
        }
        self.stage.reset().await?;
        let mut is_forgotten = true;
        for message in ACT_2 {
            let client = self.stage.client()?;
            let epoch = say(&client, message).await?;
            let shown = shown(&client, text(&epoch, "/epoch_id")).await?;
            let history = items(&shown, "/context/history");
            is_forgotten &= !history.iter().any(|told| text(told, "/epoch_id") == first_epoch);
        }
        self.stage.reset().await?;
        if self.is_killing {
            self.stage.kill().await;
            self.stage.start().await?;
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

/// Sends a message in the play's time and waits for the committed epoch.
async fn say(client: &Client, message: Message) -> Result<Value, Failure> {
    let body = json!({
        "stimulus": {
            "content": message.content, "sender": message.sender,
            "channel": message.channel, "timestamp": message.at,
        },
        "last_driver_output": {"content": null, "timestamp": null},
        "citizen": CITIZEN,
        "session_id": message.session,
    });
    let epoch = client.fetch(Call::post("/start-epoch?wait=1", &body).patient(REPLY_MAX)).await?;
    if text(&epoch, "/state") == "committed" {
        return Ok(epoch);
    }
    Err(Failure::new(format!("the epoch was aborted: {}", text(&epoch, "/abort/message"))))
}

async fn shown(client: &Client, epoch: &str) -> Result<Value, Failure> {
    client.fetch(Call::get(&format!("/epochs/{epoch}?context=1"))).await
}

/// The eight queries in the order of the lenses, asked with the message's own words.
fn queries(message: Message) -> [(&'static str, Value); 8] {
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
