//! `!status` and the other commands for people on IRC. They act through the same handles as the HTTP routes do, and say
//! what came of it.

use std::time::Duration;

use abide_channels::irc::relay::BangCommand;
use abide_domain::{
    AgentId, EntityName, EpochId, Timestamp, event::watchdog::PageId, format_age,
    limits::REASON_CHARS_MAX,
};
use abide_engine::Keeper;
use abide_watchdog::{EpisodeChoice, WatchdogHandle};

use crate::api::{AppState, in_a_line};

/// How long a promise or a silence holds where a person does not say.
const HUSH_DEFAULT: Duration = Duration::from_hours(1);
/// Agents that `!agents` lists.
const AGENTS_SHOWN: usize = 30;

/// Carries a command out and gives the lines that answer it.
pub(super) async fn carry_out(front: &AppState, bang: BangCommand, by: &EntityName) -> Vec<String> {
    let done = match bang {
        BangCommand::Status => status(front),
        BangCommand::Agents => agents(front),
        BangCommand::Help => Ok(BangCommand::HELP.map(str::to_owned).to_vec()),
        BangCommand::Ack { episode } => acknowledge(front, episode.as_deref(), by).await,
        BangCommand::Silence { agent, lasts, reason } => {
            silence(front, (agent, lasts, reason), by).await
        }
        BangCommand::Abort { what, reason } => abort(front, what.as_deref(), &reason, by).await,
        // The relay moves gates by itself.
        BangCommand::Gate { .. } | BangCommand::Ungate { .. } => Ok(Vec::new()),
    };
    done.unwrap_or_else(|why| vec![why])
}

fn keeper(front: &AppState) -> Result<&Keeper, String> {
    front.keeper().map_err(|_| "The keeper is reading its ledger.".to_owned())
}

fn watchdog(front: &AppState) -> Result<&WatchdogHandle, String> {
    front.watchdog().ok_or_else(|| "The watchdog is off.".to_owned())
}

fn status(front: &AppState) -> Result<Vec<String>, String> {
    let keeper = keeper(front)?;
    let health = front.health();
    let reason = health.reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    let seq = keeper.ledger().head().seq;
    let mut lines = vec![format!(
        "abide {}: {}{reason}, seq {seq}, {} agents",
        crate::VERSION,
        health.status,
        keeper.agents().len()
    )];
    let Some(watchdog) = front.watchdog() else {
        lines.push("The watchdog is off.".to_owned());
        return Ok(lines);
    };
    let status = watchdog.status();
    let looked = status.last_scan.as_ref().map_or_else(
        || "has not looked yet".to_owned(),
        |scan| format!("looked {}", ago(front, scan.at)),
    );
    let paused = if status.maintenance.is_some() { ", paused" } else { "" };
    lines.push(format!("watchdog: {looked}{paused}, {} stalled", status.episodes.len()));
    for episode in &status.episodes {
        let page = episode.page.as_ref().map(|page| format!(" [page {}]", page.id));
        let ack = episode.ack.as_ref().map_or("", |_| ", somebody looks after it");
        let (agent, since) = (&episode.agent, ago(front, episode.opened_at));
        lines.push(format!("{agent} stalled {since}{}{ack}", page.unwrap_or_default()));
    }
    Ok(lines)
}

fn agents(front: &AppState) -> Result<Vec<String>, String> {
    let keeper = keeper(front)?;
    let all = keeper.agents();
    let house = keeper.house();
    let mut lines: Vec<_> =
        all.iter().take(AGENTS_SHOWN).map(|agent| in_a_line(front, &house, &agent.id)).collect();
    if let Some(more) = all.len().checked_sub(AGENTS_SHOWN).filter(|more| *more > 0) {
        lines.push(format!("… and {more} more: abide agents"));
    }
    Ok(lines)
}

async fn acknowledge(
    front: &AppState,
    which: Option<&str>,
    by: &EntityName,
) -> Result<Vec<String>, String> {
    let keeper = keeper(front)?;
    let which = match which {
        None => EpisodeChoice::All,
        Some(name) => {
            let agent = agent(keeper, name).map(EpisodeChoice::Agent);
            let page = || PageId::from_name(name).map(EpisodeChoice::Page);
            let episode = || name.parse().ok().map(EpisodeChoice::Episode);
            let found = agent.or_else(page).or_else(episode);
            found.ok_or_else(|| format!("{name} is no agent, page or episode."))?
        }
    };
    let done = watchdog(front)?.acknowledge(by.clone(), which, HUSH_DEFAULT, None).await;
    let episodes = done.map_err(|error| sentence(&error.to_string()))?;
    let stalls = if episodes.len() == 1 { "stall" } else { "stalls" };
    Ok(vec![format!("You look after {} {stalls} for an hour.", episodes.len())])
}

async fn silence(
    front: &AppState,
    (named, lasts, reason): (Option<String>, Option<Duration>, String),
    by: &EntityName,
) -> Result<Vec<String>, String> {
    let keeper = keeper(front)?;
    let of = match &named {
        Some(name) => Some(agent(keeper, name).ok_or_else(|| no_agent(name))?),
        None => None,
    };
    let reason = Some(reason).filter(|reason| !reason.is_empty());
    let lasts = lasts.unwrap_or(HUSH_DEFAULT);
    let until = watchdog(front)?.silence(by.clone(), of, lasts, reason).await;
    let until = until.map_err(|error| sentence(&error.to_string()))?;
    let whom = named.unwrap_or_else(|| "anybody".to_owned());
    Ok(vec![format!("Nobody is paged about {whom} until {until}.")])
}

async fn abort(
    front: &AppState,
    what: Option<&str>,
    reason: &str,
    by: &EntityName,
) -> Result<Vec<String>, String> {
    let keeper = keeper(front)?;
    let epoch = open_epoch(keeper, what)?;
    let words = if reason.is_empty() { "cancelled" } else { reason };
    let reason = format!("{words} ({by} on irc)").chars().take(REASON_CHARS_MAX).collect();
    keeper.abort(epoch, reason).await.map_err(|error| sentence(&error.to_string()))?;
    Ok(vec![format!("Aborted epoch {epoch}.")])
}

/// The epoch that is meant: a named one, an agent's open one, or the only one that is open.
fn open_epoch(keeper: &Keeper, what: Option<&str>) -> Result<EpochId, String> {
    if let Some(epoch) = what.and_then(|what| what.parse().ok()) {
        return Ok(epoch);
    }
    let house = keeper.house();
    if let Some(name) = what {
        let agent = agent(keeper, name).ok_or_else(|| format!("{name} is no agent or epoch."))?;
        let open = house.open_epoch(&agent).map(|record| record.id);
        return open.ok_or_else(|| format!("{agent} has no open epoch."));
    }
    let mut open = house.agents.values().filter_map(|state| state.open);
    match (open.next(), open.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err("No epoch is open.".to_owned()),
        (Some(_), Some(_)) => Err("Several epochs are open: !abort AGENT".to_owned()),
    }
}

fn agent(keeper: &Keeper, name: &str) -> Option<AgentId> {
    name.parse().ok().filter(|id| keeper.has_agent(id))
}

fn no_agent(name: &str) -> String {
    format!("{name} is no agent.")
}

fn ago(front: &AppState, at: Timestamp) -> String {
    format_age(front.now(), at).unwrap_or_else(|| "just now".to_owned())
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}
