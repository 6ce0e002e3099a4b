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

use crate::api::{AppState, agent_summary};

/// How long a silence or an acknowledgement holds where the command does not say.
const SILENCE_DEFAULT: Duration = Duration::from_hours(1);
/// Agents that `!agents` lists.
const AGENTS_SHOWN: usize = 30;

/// Runs a command and gives the lines that answer it.
pub(super) async fn run_bang(app: &AppState, bang: BangCommand, by: &EntityName) -> Vec<String> {
    let done = match bang {
        BangCommand::Status => status(app),
        BangCommand::Agents => agents(app),
        BangCommand::Help => Ok(BangCommand::HELP.map(str::to_owned).to_vec()),
        BangCommand::Ack { which } => acknowledge(app, which.as_deref(), by).await,
        BangCommand::Silence { agent, lasts, reason } => {
            silence(app, (agent, lasts, reason), by).await
        }
        BangCommand::Abort { what, reason } => abort(app, what.as_deref(), &reason, by).await, // Gates are the relay's, pages of answers the bridge's.
        BangCommand::Gate { .. } | BangCommand::Ungate { .. } | BangCommand::More { .. } => {
            Ok(Vec::new())
        }
    };
    done.unwrap_or_else(|refusal| vec![refusal])
}

fn keeper(app: &AppState) -> Result<&Keeper, String> {
    app.keeper()
        .map_err(|_| "The keeper is still reading its ledger; try again in a moment.".to_owned())
}

fn watchdog(app: &AppState) -> Result<&WatchdogHandle, String> {
    app.watchdog().ok_or_else(|| "The watchdog is off.".to_owned())
}

fn status(app: &AppState) -> Result<Vec<String>, String> {
    let keeper = keeper(app)?;
    let health = app.health();
    let reason = health.reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    let seq = keeper.ledger().head().seq;
    let mut lines = vec![format!(
        "abide {}: {}{reason}, seq {seq}, {} agents",
        crate::VERSION,
        health.status,
        keeper.agents().len()
    )];
    let Some(watchdog) = app.watchdog() else {
        lines.push("The watchdog is off.".to_owned());
        return Ok(lines);
    };
    let status = watchdog.status();
    let scanned = status.last_scan.as_ref().map_or_else(
        || "not scanned yet".to_owned(),
        |scan| format!("scanned {}", ago(app, scan.at)),
    );
    let paused = if status.maintenance.is_some() { ", paused" } else { "" };
    lines.push(format!("watchdog: {scanned}{paused}, {} stalled", status.episodes.len()));
    for episode in &status.episodes {
        let page = episode.page.as_ref().map(|page| format!(" [page {}]", page.id));
        let ack = episode.ack.as_ref().map_or("", |_| ", acknowledged");
        let (agent, since) = (&episode.agent, ago(app, episode.opened_at));
        lines.push(format!("{agent} stalled {since}{}{ack}", page.unwrap_or_default()));
    }
    Ok(lines)
}

fn agents(app: &AppState) -> Result<Vec<String>, String> {
    let keeper = keeper(app)?;
    let all = keeper.agents();
    let state = keeper.state();
    let mut lines: Vec<_> =
        all.iter().take(AGENTS_SHOWN).map(|agent| agent_summary(app, &state, &agent.id)).collect();
    if let Some(more) = all.len().checked_sub(AGENTS_SHOWN).filter(|more| *more > 0) {
        lines.push(format!("… and {more} more: abide agents"));
    }
    Ok(lines)
}

async fn acknowledge(
    app: &AppState,
    which: Option<&str>,
    by: &EntityName,
) -> Result<Vec<String>, String> {
    let keeper = keeper(app)?;
    let which = match which {
        None => EpisodeChoice::All,
        Some(name) => {
            let agent = agent(keeper, name).map(EpisodeChoice::Agent);
            let page = || PageId::from_name(name).map(EpisodeChoice::Page);
            let episode = || name.parse().ok().map(EpisodeChoice::Episode);
            let found = agent.or_else(page).or_else(episode);
            found.ok_or_else(|| format!("There is no page or agent {name}."))?
        }
    };
    let done = watchdog(app)?.acknowledge(by.clone(), which, SILENCE_DEFAULT, None).await;
    let episodes = done.map_err(|error| sentence(&error.to_string()))?;
    let stalls = if episodes.len() == 1 { "stall" } else { "stalls" };
    Ok(vec![format!("You have acknowledged {} {stalls} for one hour.", episodes.len())])
}

async fn silence(
    app: &AppState,
    (named, lasts, reason): (Option<String>, Option<Duration>, String),
    by: &EntityName,
) -> Result<Vec<String>, String> {
    let keeper = keeper(app)?;
    let of = match &named {
        Some(name) => Some(agent(keeper, name).ok_or_else(|| no_agent(name))?),
        None => None,
    };
    let reason = Some(reason).filter(|reason| !reason.is_empty());
    let lasts = lasts.unwrap_or(SILENCE_DEFAULT);
    let until = watchdog(app)?.silence(by.clone(), of, lasts, reason).await;
    let until = until.map_err(|error| sentence(&error.to_string()))?;
    let whom = named.unwrap_or_else(|| "anybody".to_owned());
    Ok(vec![format!("Nobody is paged about {whom} until {until}.")])
}

async fn abort(
    app: &AppState,
    what: Option<&str>,
    reason: &str,
    by: &EntityName,
) -> Result<Vec<String>, String> {
    let keeper = keeper(app)?;
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
    let state = keeper.state();
    if let Some(name) = what {
        let agent =
            agent(keeper, name).ok_or_else(|| format!("There is no agent or epoch {name}."))?;
        let open = state.open_epoch(&agent).map(|record| record.id);
        return open.ok_or_else(|| format!("{agent} has no open epoch."));
    }
    let mut open = state.agents.values().filter_map(|agent| agent.open);
    match (open.next(), open.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err("No epoch is open.".to_owned()),
        (Some(_), Some(_)) => Err("Several epochs are open; name one: !abort AGENT".to_owned()),
    }
}

fn agent(keeper: &Keeper, name: &str) -> Option<AgentId> {
    name.parse().ok().filter(|id| keeper.has_agent(id))
}

fn no_agent(name: &str) -> String {
    format!("There is no agent {name}.")
}

fn ago(app: &AppState, at: Timestamp) -> String {
    format_age(app.now(), at).unwrap_or_else(|| "just now".to_owned())
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}
