//! `abide status`: what the keeper and its agents are doing now.

use clap::Args;
use serde_json::{Value, json};

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, items, text},
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
        let health = client.fetch(Call::get("/health")).await?;
        let channels = json!({"irc": health.get("irc"), "telegram": health.get("telegram")});
        if context.terminal.is_json() {
            context.terminal.json(&json!({
                "keeper": keeper,
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
        context.terminal.data(&format!(
            "keeper {} on http://{} (process {}): {status}, seq {seq}, tick {tick}",
            text(&keeper, "/version"),
            presence.address,
            presence.pid
        ))?;
        context.terminal.data(&format_channels(&channels))?;
        context.terminal.data_part(&agent_table(&snapshot))?;
        context.terminal.data_part(&approval_table(&approvals))?;
        context.terminal.data_part(&attention_table(&attention))?;
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

fn agent_table(snapshot: &Value) -> String {
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
    let rows: Vec<_> = items(snapshot, "/agents").iter().map(row).collect();
    table(&["AGENT", "STATE", "LANE", "QUEUE", "EPOCH", "LAST EVIDENCE"], &rows)
}

fn approval_table(approvals: &Value) -> String {
    let row = |approval: &Value| {
        vec![
            display(approval, "/id"),
            display(approval, "/citizen"),
            display(approval, "/tool"),
            clip(&display(approval, "/arguments"), 60),
            display(approval, "/deadline"),
        ]
    };
    let rows: Vec<_> = items(approvals, "/items").iter().map(row).collect();
    table(&["APPROVAL", "AGENT", "TOOL", "ARGUMENTS", "DEADLINE"], &rows)
}

fn attention_table(attention: &Value) -> String {
    let row = |item: &Value| {
        vec![
            display(item, "/kind"),
            display(item, "/citizen"),
            display(item, "/since"),
            clip(&display(item, "/summary"), 100),
        ]
    };
    let rows: Vec<_> = items(attention, "/items").iter().map(row).collect();
    table(&["ATTENTION", "AGENT", "SINCE", "SUMMARY"], &rows)
}
