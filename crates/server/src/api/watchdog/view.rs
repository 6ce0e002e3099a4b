//! What the watchdog shows: its state, its episodes, its report. Lengths of time are in milliseconds.

use std::time::Duration;

use abide_domain::{
    Timestamp,
    event::watchdog::{BellFailure, Scanned},
};
use abide_watchdog::{
    BellState, Ending, Episode, EpisodeReport, Judged, PageOutcome, Report, Status, Verdict,
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::super::front::Front;

/// The watchdog.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub(crate) struct WatchdogView {
    /// Whether it looks at all; the rest is empty where it does not.
    enabled: bool,
    /// Time between two scans.
    interval_ms: u64,
    /// Silence that counts as a stall.
    threshold_ms: u64,
    /// The newest scan.
    last_scan: Option<ScanView>,
    /// Scans that are overdue.
    scans_missed: u64,
    /// What every agent was found to be at the newest look.
    agents: Vec<JudgedView>,
    /// Open stalls.
    episodes: Vec<EpisodeView>,
    /// Silences in force.
    silences: Vec<SilenceView>,
    /// Maintenance under way.
    maintenance: Option<MaintenanceView>,
    /// Why agents cannot be judged, if so.
    blind: Option<String>,
    /// Why nothing can be written down, if so.
    mute: Option<String>,
    /// Why the dead man's switch was not reached, if so.
    dead_man: Option<String>,
}

/// A scan.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ScanView {
    at: String,
    /// How many agents were judged.
    scanned: u64,
    stalled: Vec<String>,
    paged: Vec<String>,
    escalated: Vec<String>,
    /// What was in the way, where agents could not be judged.
    blind: Option<&'static str>,
}

/// An agent.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct JudgedView {
    agent: String,
    /// `just_registered`, `idle`, `asleep`, `hibernated`, `parked`, `waiting_approval`, `paused`, `active` or `stalled`.
    verdict: &'static str,
    /// How long it was silent, where that counts.
    silent_ms: Option<u64>,
}

/// An open stall.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct EpisodeView {
    pub(crate) id: String,
    pub(crate) agent: String,
    pub(crate) opened_at: String,
    /// How long it has been silent, down time not taken off.
    silent_ms: u64,
    threshold_ms: u64,
    /// Whether it never showed any evidence.
    never_active: bool,
    /// `bell`, `channel` or `human`.
    rung: &'static str,
    /// What was tried, in words.
    tried: Vec<String>,
    /// The page's short name.
    page: Option<String>,
    /// Who has it in hand.
    acknowledged_by: Option<String>,
    /// Until when.
    acknowledged_until: Option<String>,
    /// All of it in one line.
    pub(crate) summary: String,
}

/// A silence.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct SilenceView {
    /// About whom; null for everybody.
    agent: Option<String>,
    until: String,
}

/// Maintenance.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct MaintenanceView {
    since: String,
    /// Null where a person ends it.
    until: Option<String>,
    by: String,
    reason: Option<String>,
}

impl WatchdogView {
    /// The watchdog of this front.
    pub(crate) fn of(front: &Front) -> Self {
        let Some(watchdog) = front.watchdog() else { return Self::default() };
        let (status, now) = (watchdog.status(), front.now());
        let scans_missed = status.scans_missed(now);
        let Status { settings, last_scan, verdicts, episodes, silences, .. } = status;
        let silence = |(agent, until): &(Option<abide_domain::AgentId>, Timestamp)| SilenceView {
            agent: agent.as_ref().map(ToString::to_string),
            until: until.to_string(),
        };
        Self {
            enabled: true,
            interval_ms: ms(settings.interval),
            threshold_ms: ms(settings.threshold),
            last_scan: last_scan.map(|scan| ScanView::new(scan.at, &scan.scanned)),
            scans_missed,
            agents: verdicts.iter().map(JudgedView::from).collect(),
            episodes: episodes.iter().map(|episode| EpisodeView::new(episode, now)).collect(),
            silences: silences.iter().map(silence).collect(),
            maintenance: status.maintenance.map(|maintenance| MaintenanceView {
                since: maintenance.since.to_string(),
                until: maintenance.until.map(|until| until.to_string()),
                by: maintenance.by.bare().to_owned(),
                reason: maintenance.reason,
            }),
            blind: status.trouble.map(|trouble| trouble.message),
            mute: status.mute,
            dead_man: status.dead_man,
        }
    }
}

impl ScanView {
    fn new(at: Timestamp, scanned: &Scanned) -> Self {
        let names = |agents: &[abide_domain::AgentId]| -> Vec<String> {
            agents.iter().map(ToString::to_string).collect()
        };
        Self {
            at: at.to_string(),
            scanned: scanned.judged,
            stalled: names(&scanned.stalled),
            paged: names(&scanned.paged),
            escalated: names(&scanned.escalated),
            blind: scanned.blind.map(abide_domain::event::watchdog::BlindCause::as_str),
        }
    }
}

impl From<&Judged> for JudgedView {
    fn from(judged: &Judged) -> Self {
        let silent_ms = match judged.verdict {
            Verdict::Active { silent } | Verdict::Stalled { silent, .. } => Some(ms(silent)),
            _ => None,
        };
        Self { agent: judged.agent.to_string(), verdict: judged.verdict.as_str(), silent_ms }
    }
}

impl EpisodeView {
    /// An episode as it stands at a moment.
    pub(crate) fn new(episode: &Episode, now: Timestamp) -> Self {
        let silent = episode.silent_before + now.since(episode.opened_at);
        let tried = tried(episode, now);
        let ack = episode.ack.as_ref().filter(|ack| ack.until > now);
        let (agent, seconds) = (&episode.agent, silent.as_secs());
        let never = if episode.is_never_active() { ", and never was active" } else { "" };
        Self {
            id: episode.id.to_string(),
            agent: agent.to_string(),
            opened_at: episode.opened_at.to_string(),
            silent_ms: ms(silent),
            threshold_ms: ms(episode.threshold),
            never_active: episode.is_never_active(),
            rung: episode.rung.as_str(),
            summary: format!(
                "{agent} has been silent for {seconds} s with something to do{never}; tried: {}",
                if tried.is_empty() { "nothing yet".to_owned() } else { tried.join(", ") }
            ),
            tried,
            page: episode.page.as_ref().map(|page| page.id.to_string()),
            acknowledged_by: ack.map(|ack| ack.by.bare().to_owned()),
            acknowledged_until: ack.map(|ack| ack.until.to_string()),
        }
    }
}

/// What was tried and what came of it, rung by rung.
fn tried(episode: &Episode, now: Timestamp) -> Vec<String> {
    let mut tried = Vec::new();
    tried.extend(match episode.bell {
        BellState::Due => None,
        BellState::Rung => Some("bell (no answer yet)".to_owned()),
        BellState::Answered(_) => Some("bell (alive, not moving)".to_owned()),
        BellState::Failed(BellFailure::NoProcess) => Some("bell (there is no process)".to_owned()),
        BellState::Failed(BellFailure::NotDelivered) => Some("bell (not delivered)".to_owned()),
    });
    tried.extend(episode.page.as_ref().map(|page| {
        let outcome = match page.outcome {
            PageOutcome::Unknown => "outcome unknown",
            PageOutcome::Delivered(_) => "delivered",
            PageOutcome::Failed => "failed",
        };
        format!("page {} ({outcome})", page.id)
    }));
    tried.extend(episode.escalation.as_ref().map(|escalation| {
        if episode.is_told(now) {
            "a person was told".to_owned()
        } else {
            format!("telling a person (failed {} times)", escalation.failed)
        }
    }));
    tried
}

/// A report as numbers and as text.
pub(super) fn report(report: &Report) -> Value {
    let agents = report.agents.iter().map(|(agent, row)| {
        let row = json!({
            "stimuli": row.stimuli, "committed": row.committed, "aborted": row.aborted,
            "exits": row.exits, "stalls": row.stalls,
        });
        (agent.to_string(), row)
    });
    let resolved = report.resolved.iter().map(|(rung, count)| (rung.as_str().to_owned(), count));
    json!({
        "since": report.since.to_string(),
        "until": report.until.to_string(),
        "scans": report.scans,
        "scans_missed": report.scans_missed,
        "scans_blind": report.scans_blind,
        "down_ms": ms(report.down),
        "starts": report.starts,
        "stalls": report.stalls,
        "pages": report.pages,
        "pages_failed": report.pages_failed,
        "escalations": report.escalations,
        "notices": report.notices,
        "notices_failed": report.notices_failed,
        "resolved": resolved.map(|(rung, count)| (rung, json!(count)))
            .collect::<serde_json::Map<_, _>>(),
        "withdrawn": report.withdrawn,
        "episodes": report.episodes.iter().map(episode_report).collect::<Vec<_>>(),
        "episodes_left_out": report.episodes_left_out,
        "agents": agents.collect::<serde_json::Map<_, _>>(),
        "human_acts": report.human_acts,
        "last_human_at": report.last_human_at.map(|at| at.to_string()),
        "alone_longest_ms": ms(report.alone_longest),
        "alone_now_ms": ms(report.alone_now),
        "text": report.text(),
    })
}

fn episode_report(episode: &EpisodeReport) -> Value {
    let (ending, after) = match &episode.ending {
        Ending::Open => ("open", None),
        Ending::Resolved(rung) => ("resolved", Some(rung.as_str().to_owned())),
        Ending::Withdrawn(state) => ("withdrawn", Some(state.clone())),
    };
    json!({
        "id": episode.episode.to_string(),
        "agent": episode.agent.as_str(),
        "opened_at": episode.opened_at.to_string(),
        "silent_ms": ms(episode.silent_before),
        "alive": episode.is_alive,
        "page": episode.page.as_ref().map(ToString::to_string),
        "escalated": episode.is_escalated,
        "ending": ending,
        "after": after,
        "ended_at": episode.ended_at.map(|at| at.to_string()),
    })
}

fn ms(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}
