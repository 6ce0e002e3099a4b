//! `abide status`: what the keeper and its agents are doing now.

use clap::Args;
use serde_json::{Value, json};

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, items, text},
    style::Tone,
    table::{clip, table},
};

/// Shows the keeper, its agents, open approvals and what needs attention
#[derive(Debug, Args)]
pub(crate) struct Status {}

impl Status {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let client = Client::find(context)?;
        let keeper = client.fetch(Call::get("/")).await?;
        let status = text(&keeper, "/status").to_owned();
        let exit = if status == "ok" { Exit::Ok } else { Exit::Degraded };
        if status == "loading" {
            context.terminal.say("the keeper is starting: it is reading its ledger");
            return Ok(exit);
        }
        let snapshot = client.fetch(Call::get("/snapshot")).await?;
        let approvals = client.fetch(Call::get("/approvals")).await?;
        let attention = client.fetch(Call::get("/attention")).await?;
        // It answers 503 where something is wrong, and says what.
        let health = client.call(Call::get("/health")).await?.body;
        let channels = json!({"irc": health.get("irc"), "telegram": health.get("telegram")});
        if context.terminal.is_json() {
            context.terminal.json(&json!({
                "keeper": keeper,
                "reason": health.get("reason"),
                "pid": client.presence().pid,
                "address": client.presence().address.to_string(),
                "snapshot": snapshot,
                "approvals": approvals.get("items"),
                "attention": attention.get("items"),
                "channels": channels,
            }))?;
            return Ok(exit);
        }
        let presence = client.presence();
        let (seq, tick) = (display(&snapshot, "/seq"), display(&snapshot, "/tick"));
        let keeper = format!(
            "keeper {} on http://{} (process {}): ",
            text(&keeper, "/version"),
            presence.address,
            presence.pid
        );
        let state = (Tone::of_state(&status), status.clone());
        let position = (Tone::Plain, format!(", seq {seq}, tick {tick}"));
        context.terminal.lines(&[vec![(Tone::Plain, keeper), state, position]])?;
        for pointer in ["/reason", "/clock"] {
            if !text(&health, pointer).is_empty() {
                context.terminal.data(text(&health, pointer))?;
            }
        }
        context.terminal.data(&format_channels(&channels))?;
        let chars = |through_pipe| context.terminal.cell_chars(through_pipe);
        context.terminal.table(&table(&AGENTS, &agent_rows(&snapshot)))?;
        context.terminal.table(&table(&APPROVALS, &approval_rows(&approvals, chars(60))))?;
        context.terminal.table(&table(&ATTENTION, &attention_rows(&attention, chars(100))))?;
        Ok(exit)
    }
}

/// The state of each channel.
fn format_channels(channels: &Value) -> String {
    let channel = |state: &Value, name: &str| {
        let detail = text(state, "/detail");
        let detail = if detail.is_empty() { String::new() } else { format!(" ({detail})") };
        format!("{name} {}{detail}", text(state, "/state"))
    };
    let mut parts = vec![format!("irc {}", display(channels, "/irc/server"))];
    parts.extend(
        items(channels, "/irc/networks").iter().map(|one| channel(one, text(one, "/name"))),
    );
    parts.extend(
        channels.get("telegram").filter(|it| !it.is_null()).map(|it| channel(it, "telegram")),
    );
    parts.join(", ")
}

const AGENTS: [&str; 6] = ["AGENT", "STATE", "LANE", "QUEUE", "EPOCH", "LAST EVIDENCE"];
const APPROVALS: [&str; 5] = ["APPROVAL", "AGENT", "TOOL", "ARGUMENTS", "DEADLINE"];
const ATTENTION: [&str; 4] = ["ATTENTION", "AGENT", "SINCE", "SUMMARY"];

fn agent_rows(snapshot: &Value) -> Vec<Vec<String>> {
    let row = |agent: &Value| {
        vec![
            display(agent, "/id"),
            display(agent, "/state"),
            display(agent, "/lane"),
            display(agent, "/queue"),
            display(agent, "/epoch_id"),
            display(agent, "/last_evidence_at"),
        ]
    };
    items(snapshot, "/agents").iter().map(row).collect()
}

fn approval_rows(approvals: &Value, chars: usize) -> Vec<Vec<String>> {
    let row = |approval: &Value| {
        vec![
            display(approval, "/id"),
            display(approval, "/citizen"),
            display(approval, "/tool"),
            clip(&display(approval, "/arguments"), chars),
            display(approval, "/deadline"),
        ]
    };
    items(approvals, "/items").iter().map(row).collect()
}

fn attention_rows(attention: &Value, chars: usize) -> Vec<Vec<String>> {
    let row = |item: &Value| {
        vec![
            display(item, "/kind"),
            display(item, "/citizen"),
            display(item, "/since"),
            clip(&display(item, "/summary"), chars),
        ]
    };
    items(attention, "/items").iter().map(row).collect()
}
