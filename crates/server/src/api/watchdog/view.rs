//! What the watchdog shows: its state, its episodes, its report. Lengths of time are in milliseconds.

use std::{collections::BTreeMap, time::Duration};

use abide_domain::{
    Timestamp,
    event::watchdog::{BellFailure, Scanned},
    format_duration,
};
use abide_watchdog::{
    AgentReport, AgentVerdict, BellState, Episode, EpisodeEnd, EpisodeReport, JudgedAgent,
    NextEscalation, PageOutcome, ServiceReport, WatchdogReport, WatchdogStatus,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::super::app_state::AppState;

/// The watchdog.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub(crate) struct WatchdogView {
    /// Whether it runs; the rest is empty where it does not.
    enabled: bool,
    /// Time between two scans.
    interval_ms: u64,
    /// Silence that counts as a stall.
    threshold_ms: u64,
    /// The newest scan.
    last_scan: Option<ScanView>,
    /// Scans that are overdue.
    scans_missed: u64,
    /// The verdict on every agent at the newest scan.
    agents: Vec<JudgedView>,
    /// Open stalls.
    episodes: Vec<EpisodeView>,
    /// Who is notified next of them, while nobody has acknowledged them.
    next_steps: Vec<NextStepView>,
    /// Silences in force.
    silences: Vec<SilenceView>,
    /// Running maintenance.
    maintenance: Option<MaintenanceView>,
    /// Why agents cannot be judged, if so.
    blind: Option<String>,
    /// Why nothing can be recorded, if so.
    mute: Option<String>,
    /// Why the dead man's switch was not reached, if so.
    dead_man: Option<String>,
    /// Whether there is one.
    dead_man_set: bool,
    /// When it was last reached, since this start.
    dead_man_reached_at: Option<String>,
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
    /// `just_registered`, `idle`, `asleep`, `hibernated`, `parked`, `waiting_approval`, `paused`, `unreachable`, `waiting`, `unwatched`, `active` or `stalled`.
    verdict: &'static str,
    /// What it waits for, of `waiting`: `provider` (the pause that its model's provider asked for) or `tool` (a call within its time).
    waits_for: Option<&'static str>,
    /// When that ends at the latest.
    until: Option<String>,
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
    /// Who has acknowledged it.
    acknowledged_by: Option<String>,
    /// Until when.
    acknowledged_until: Option<String>,
    /// All of it in one line.
    pub(crate) summary: String,
}

/// The next step of an escalation.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct NextStepView {
    agent: String,
    episode: String,
    /// When, at the earliest.
    at: String,
    /// The services that notify.
    to: Vec<String>,
}

/// A silence.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct SilenceView {
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
    /// The watchdog of the keeper.
    pub(crate) fn of(app: &AppState) -> Self {
        let Some(watchdog) = app.watchdog() else { return Self::default() };
        let (status, now) = (watchdog.status(), app.now());
        let scans_missed = status.scans_missed(now);
        let WatchdogStatus { settings, last_scan, verdicts, episodes, silences, .. } = status;
        let silence = |(agent, until): &(Option<abide_domain::AgentId>, Timestamp)| {
            SilenceView::new(agent.as_ref(), *until)
        };
        Self {
            enabled: true,
            interval_ms: ms(settings.interval),
            threshold_ms: ms(settings.threshold),
            last_scan: last_scan.map(|scan| ScanView::new(scan.at, &scan.scanned)),
            scans_missed,
            agents: verdicts.iter().map(JudgedView::from).collect(),
            episodes: episodes.iter().map(|episode| EpisodeView::new(episode, now)).collect(),
            next_steps: status.next_steps.into_iter().map(NextStepView::from).collect(),
            silences: silences.iter().map(silence).collect(),
            maintenance: status.maintenance.map(|maintenance| MaintenanceView {
                since: maintenance.since.to_string(),
                until: maintenance.until.map(|until| until.to_string()),
                by: maintenance.by.bare().to_owned(),
                reason: maintenance.reason,
            }),
            blind: status.blind.map(|blind| blind.message),
            mute: status.write_error,
            dead_man_set: status.dead_man.is_some(),
            dead_man_reached_at: status
                .dead_man
                .as_ref()
                .and_then(|dead_man| dead_man.reached_at)
                .map(|at| at.to_string()),
            dead_man: status.dead_man.and_then(|dead_man| dead_man.failed),
        }
    }
}

impl SilenceView {
    /// A silence about an agent, or about everybody.
    pub(crate) fn new(agent: Option<&abide_domain::AgentId>, until: Timestamp) -> Self {
        Self { agent: agent.map(ToString::to_string), until: until.to_string() }
    }
}

impl From<NextEscalation> for NextStepView {
    fn from(next: NextEscalation) -> Self {
        let NextEscalation { agent, episode, at, to } = next;
        let [agent, episode, at] = [agent.to_string(), episode.to_string(), at.to_string()];
        Self { agent, episode, at, to }
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

impl From<&JudgedAgent> for JudgedView {
    fn from(judged: &JudgedAgent) -> Self {
        let silent_ms = match judged.verdict {
            AgentVerdict::Active { silent } | AgentVerdict::Stalled { silent, .. } => {
                Some(ms(silent))
            }
            _ => None,
        };
        let wait = match judged.verdict {
            AgentVerdict::Waiting(wait) => Some(wait),
            _ => None,
        };
        Self {
            agent: judged.agent.to_string(),
            verdict: judged.verdict.as_str(),
            waits_for: wait.map(|wait| wait.reason.as_str()),
            until: wait.map(|wait| wait.until.to_string()),
            silent_ms,
        }
    }
}

impl EpisodeView {
    /// An episode as it stands at a moment.
    pub(crate) fn new(episode: &Episode, now: Timestamp) -> Self {
        let silent = episode.silent_before + now.since(episode.opened_at);
        let tried = tried(episode, now);
        let ack = episode.ack.as_ref().filter(|ack| ack.until > now);
        let (agent, silence) = (&episode.agent, format_duration(silent));
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
                "{agent} has been silent for {silence} with something to do{never}; tried: {}",
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
    let untold: Vec<_> = episode.undelivered(now).map(|telling| telling.notice).collect();
    tried.extend(episode.notices.iter().map(|telling| {
        let by = match telling.to.as_slice() {
            [] => String::new(),
            names => format!(" by {}", names.join(", ")),
        };
        if untold.contains(&telling.notice) {
            let times = if telling.failed == 1 { "time" } else { "times" };
            format!("notifying a person{by} (failed {} {times})", telling.failed)
        } else {
            format!("a person was notified{by}")
        }
    }));
    tried
}

/// What happened in a span, as numbers and as text.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ReportView {
    since: String,
    until: String,
    scans: u64,
    /// Scans that were due and did not happen, down time left out.
    scans_missed: u64,
    /// Scans that could not judge agents.
    scans_blind: u64,
    /// How long the keeper was down.
    down_ms: u64,
    /// Starts of the keeper.
    starts: u64,
    stalls: u64,
    /// Agents paged.
    pages: u64,
    /// Pages that the channel did not deliver.
    pages_failed: u64,
    /// Stalls of which a person was to be notified.
    escalations: u64,
    /// Messages that reached a person.
    notices: u64,
    /// Attempts to reach one that failed.
    notices_failed: u64,
    /// The results of each service.
    services: BTreeMap<String, ServiceReportView>,
    /// Stalls that ended with evidence, by the rung after which it came.
    resolved: BTreeMap<&'static str, u64>,
    /// Stalls that ended because the agent could stall no more.
    withdrawn: u64,
    /// The newest, oldest first.
    episodes: Vec<EpisodeReportView>,
    /// Episodes that are not listed.
    episodes_left_out: u64,
    /// What each agent did.
    agents: BTreeMap<String, AgentReportView>,
    /// How often a person did something.
    human_acts: u64,
    last_human_at: Option<String>,
    /// The longest time that the keeper ran without a person.
    alone_longest_ms: u64,
    /// How long it has run without one at the end.
    alone_now_ms: u64,
    /// All of it, for reading.
    text: String,
}

/// The results of a service.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ServiceReportView {
    /// Messages that it accepted.
    taken: u64,
    /// Attempts that failed.
    failed: u64,
}

/// What an agent did in a span.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct AgentReportView {
    stimuli: u64,
    committed: u64,
    aborted: u64,
    /// Runs of its process that ended.
    exits: u64,
    stalls: u64,
}

/// An episode of a span.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct EpisodeReportView {
    id: String,
    agent: String,
    opened_at: String,
    /// How long it had been silent then.
    silent_ms: u64,
    /// Whether its process answered the bell.
    alive: bool,
    page: Option<String>,
    escalated: bool,
    /// `open`, `resolved`, `unanswered` (its task was given up without an answer) or `withdrawn`.
    ending: &'static str,
    /// The rung after which it moved, why its task was given up, or the state in which it could stall no more.
    after: Option<String>,
    ended_at: Option<String>,
}

impl From<&WatchdogReport> for ReportView {
    fn from(report: &WatchdogReport) -> Self {
        let (agents, services) = (report.agents.iter(), report.services.iter());
        Self {
            since: report.since.to_string(),
            until: report.until.to_string(),
            scans: report.scans,
            scans_missed: report.scans_missed,
            scans_blind: report.scans_blind,
            down_ms: ms(report.down),
            starts: report.starts,
            stalls: report.stalls,
            pages: report.pages,
            pages_failed: report.pages_failed,
            escalations: report.escalations,
            notices: report.notices,
            notices_failed: report.notices_failed,
            services: services.map(|(service, row)| (service.clone(), (*row).into())).collect(),
            resolved: report.resolved.iter().map(|(rung, count)| (rung.as_str(), *count)).collect(),
            withdrawn: report.withdrawn,
            episodes: report.episodes.iter().map(EpisodeReportView::from).collect(),
            episodes_left_out: report.episodes_left_out,
            agents: agents.map(|(agent, row)| (agent.to_string(), (*row).into())).collect(),
            human_acts: report.human_acts,
            last_human_at: report.last_human_at.map(|at| at.to_string()),
            alone_longest_ms: ms(report.alone_longest),
            alone_now_ms: ms(report.alone_now),
            text: report.text(),
        }
    }
}

impl From<ServiceReport> for ServiceReportView {
    fn from(row: ServiceReport) -> Self {
        let ServiceReport { taken, failed } = row;
        Self { taken, failed }
    }
}

impl From<AgentReport> for AgentReportView {
    fn from(row: AgentReport) -> Self {
        let AgentReport { stimuli, committed, aborted, exits, stalls } = row;
        Self { stimuli, committed, aborted, exits, stalls }
    }
}

impl From<&EpisodeReport> for EpisodeReportView {
    fn from(episode: &EpisodeReport) -> Self {
        let (ending, after) = match &episode.ending {
            EpisodeEnd::Open => ("open", None),
            EpisodeEnd::Resolved(rung) => ("resolved", Some(rung.as_str().to_owned())),
            EpisodeEnd::Withdrawn(state) => ("withdrawn", Some(state.clone())),
            EpisodeEnd::Unanswered(why) => ("unanswered", Some(why.clone())),
        };
        Self {
            id: episode.episode.to_string(),
            agent: episode.agent.to_string(),
            opened_at: episode.opened_at.to_string(),
            silent_ms: ms(episode.silent_before),
            alive: episode.is_alive,
            page: episode.page.as_ref().map(ToString::to_string),
            escalated: episode.is_escalated,
            ending,
            after,
            ended_at: episode.ended_at.map(|at| at.to_string()),
        }
    }
}

fn ms(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}
