//! `abide status`: what the keeper and its agents do right now.

use clap::Args;
use serde_json::{Value, json};

use super::{
    Context,
    client::{Call, Client},
    failure::{Exit, Failure},
    table::{clip, table},
    words::{items, shown, text},
};

/// Shows the keeper, its agents, open approvals and what needs attention
#[derive(Debug, Args)]
pub(crate) struct Status {}

impl Status {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        let client = Client::find(context)?;
        let keeper = client.fetch(Call::get("/")).await?;
        let status = text(&keeper, "/status").to_owned();
        let exit = if status == "ok" { Exit::Ok } else { Exit::Degraded };
        if status == "loading" {
            context.terminal.say("the keeper is reading its ledger");
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
        let (seq, tick) = (shown(&snapshot, "/seq"), shown(&snapshot, "/tick"));
        context.terminal.data(&format!(
            "keeper {} on http://{} (process {}): {status}, seq {seq}, tick {tick}",
            text(&keeper, "/version"),
            presence.address,
            presence.pid
        ))?;
        context.terminal.data(&reached(&channels))?;
        context.terminal.data_part(&agents(&snapshot))?;
        context.terminal.data_part(&waiting(&approvals))?;
        context.terminal.data_part(&needs(&attention))?;
        Ok(exit)
    }
}

/// Where people reach agents, and where they cannot just now.
fn reached(channels: &Value) -> String {
    let seat = |seat: &Value, name: &str| {
        let detail = text(seat, "/detail");
        let detail = if detail.is_empty() { String::new() } else { format!(" ({detail})") };
        format!("{name} {}{detail}", text(seat, "/state"))
    };
    let mut parts = vec![format!("irc {}", shown(channels, "/irc/server"))];
    parts.extend(items(channels, "/irc/networks").iter().map(|one| seat(one, text(one, "/name"))));
    parts
        .extend(channels.get("telegram").filter(|it| !it.is_null()).map(|it| seat(it, "telegram")));
    parts.join(", ")
}

fn agents(snapshot: &Value) -> String {
    let row = |agent: &Value| {
        vec![
            shown(agent, "/id"),
            shown(agent, "/state"),
            shown(agent, "/lane"),
            shown(agent, "/queue"),
            shown(agent, "/epoch_id"),
            shown(agent, "/last_evidence_at"),
        ]
    };
    let rows: Vec<_> = items(snapshot, "/agents").iter().map(row).collect();
    table(&["AGENT", "STATE", "LANE", "QUEUE", "EPOCH", "LAST EVIDENCE"], &rows)
}

fn waiting(approvals: &Value) -> String {
    let row = |approval: &Value| {
        vec![
            shown(approval, "/id"),
            shown(approval, "/citizen"),
            shown(approval, "/tool"),
            clip(&shown(approval, "/arguments"), 60),
            shown(approval, "/deadline"),
        ]
    };
    let rows: Vec<_> = items(approvals, "/items").iter().map(row).collect();
    table(&["APPROVAL", "AGENT", "TOOL", "ARGUMENTS", "DEADLINE"], &rows)
}

fn needs(attention: &Value) -> String {
    let row = |item: &Value| {
        vec![
            shown(item, "/kind"),
            shown(item, "/citizen"),
            shown(item, "/since"),
            clip(&shown(item, "/summary"), 100),
        ]
    };
    let rows: Vec<_> = items(attention, "/items").iter().map(row).collect();
    table(&["ATTENTION", "AGENT", "SINCE", "SUMMARY"], &rows)
}
