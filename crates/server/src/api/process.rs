//! An agent's process, as `/agents` and `/snapshot` show it. Null where the mind runs in the keeper.

use abide_domain::AgentId;
use abide_engine::state::AgentState;
use abide_supervisor::{CheckpointStatus, DiskHold, ProcessState, ProcessStatus, StateProblem};
use serde::Serialize;
use utoipa::ToSchema;

use super::app_state::AppState;
use crate::agents::{LOOK_EVERY, ProcessLook};

/// A process.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ProcessView {
    /// `not_started`, `starting`, `ready`, `busy`, `unresponsive`, `waiting`, `hibernated`, `parked` or `over_disk_limit`.
    state: &'static str,
    /// Its process id; null where it does not run, or connected by itself.
    pid: Option<u32>,
    /// Names its run; frames of an older one are refused.
    run: Option<String>,
    /// The level at which it is confined (0, 1 or 2); null where the keeper did not start it.
    sandbox: Option<u8>,
    /// Version of the protocol that it speaks.
    protocol: Option<u32>,
    /// The kit that it uses, as it reports itself.
    sdk: Option<String>,
    /// Starts after the first since the keeper came up.
    restarts: u64,
    /// How long the run has lasted.
    uptime_s: Option<u64>,
    /// When it was last heard from: a sign of life, not of progress.
    last_heartbeat_at: Option<String>,
    /// When it last made progress.
    last_progress_at: Option<String>,
    /// Its progress counter.
    progress: Option<u64>,
    /// What it showed lately.
    recent: RecentView,
    /// The last entry of its log on the disk.
    wal_sequence: u64,
    /// Entries behind its newest checkpoint.
    wal_lag: u64,
    /// Bytes of its log.
    wal_bytes: u64,
    /// The newest checkpoint.
    checkpoint: Option<CheckpointView>,
    /// What its agent says it is doing, in its newest checkpoint (`idle`, `thinking`, `acting` or `evolving`); no evidence.
    agent_status: Option<&'static str>,
    /// What is wrong with its private state: a loss that no person has seen to, or what keeps it from being stored.
    state_problem: Option<StateProblemView>,
    /// When it is started again, where it waits for that.
    next_start_at: Option<String>,
    /// Why it is in this state.
    message: Option<String>,
}

/// What a process showed at the newest looks, the oldest first; kept while the keeper runs, whether anybody looks or not.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub(crate) struct RecentView {
    /// Seconds between two looks.
    every_s: u64,
    /// How long ago it had been heard from, at each look; null where it never was.
    silent_s: Vec<Option<u64>>,
    /// Steps of its progress since the look before, at each look.
    steps: Vec<u64>,
}

/// A checkpoint.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct CheckpointView {
    id: String,
    created_at: String,
    /// On disk.
    bytes: u64,
    /// The last entry of the log that it holds.
    wal_sequence: u64,
}

/// An agent's process, if it has one. Takes what the state holds of the agent: whoever asks reads the state already.
pub(crate) fn view(
    app: &AppState,
    id: &AgentId,
    agent: Option<&AgentState>,
) -> Option<ProcessView> {
    let status = app.processes()?.status(id)?;
    let now = app.now();
    let next_start_at = match status.state {
        ProcessState::Waiting { until } => Some(until.to_string()),
        _ => None,
    };
    Some(ProcessView {
        state: state_name(status.state),
        pid: status.pid,
        run: status.run.map(|run| run.to_string()),
        sandbox: status.sandbox,
        protocol: status.protocol,
        sdk: status.sdk,
        restarts: status.restarts,
        uptime_s: status.started_at.map(|at| now.since(at).as_secs()),
        last_heartbeat_at: status.last_heartbeat_at.map(|at| at.to_string()),
        last_progress_at: status.last_progress_at.map(|at| at.to_string()),
        progress: status.progress,
        recent: RecentView::from(&*app.processes()?.looks(id)),
        wal_sequence: status.wal_sequence,
        wal_lag: status.wal_entries,
        wal_bytes: status.wal_bytes,
        checkpoint: status.checkpoint.map(CheckpointView::from),
        agent_status: status.agent_status,
        state_problem: state_problem(agent, status.state_problem),
        next_start_at,
        message: status.message,
    })
}

/// Something that is wrong with a private state.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct StateProblemView {
    /// Since when.
    since: String,
    /// Whether state that had been stored is gone.
    is_lost: bool,
    /// What is wrong.
    message: String,
}

fn state_problem(
    agent: Option<&AgentState>,
    present: Option<StateProblem>,
) -> Option<StateProblemView> {
    if let Some(StateProblem { since, message, .. }) = present {
        return Some(StateProblemView { since: since.to_string(), is_lost: false, message });
    }
    let loss = agent?.private_state_loss.as_ref()?;
    let (since, message) = (loss.at.to_string(), loss.report.clone());
    Some(StateProblemView { since, is_lost: true, message })
}

/// The status of a process that ends again and again.
pub(crate) fn failing_process(app: &AppState, id: &AgentId) -> Option<ProcessStatus> {
    app.processes()?.failing(id)
}

/// What keeps an agent's process from being started, where it keeps more on the disk than it may.
pub(crate) fn disk_hold(app: &AppState, id: &AgentId) -> Option<DiskHold> {
    app.processes()?.disk_hold(id)
}

/// The state of an agent as its process determines it; none where the process is ready. A first start counts as part of the
/// work that it is for.
pub(crate) fn process_state(app: &AppState, id: &AgentId, is_busy: bool) -> Option<&'static str> {
    match app.processes()?.status(id)?.state {
        ProcessState::Unresponsive => Some("unresponsive"),
        ProcessState::OverDiskLimit => Some("over_disk_limit"),
        ProcessState::Waiting { .. } => Some("starting"),
        ProcessState::Starting if !is_busy => Some("starting"),
        ProcessState::Hibernated if !is_busy => Some("hibernated"),
        _ => None,
    }
}

const fn state_name(state: ProcessState) -> &'static str {
    match state {
        ProcessState::NotStarted => "not_started",
        ProcessState::Starting => "starting",
        ProcessState::Ready => "ready",
        ProcessState::Busy => "busy",
        ProcessState::Unresponsive => "unresponsive",
        ProcessState::Waiting { .. } => "waiting",
        ProcessState::Hibernated => "hibernated",
        ProcessState::Parked => "parked",
        ProcessState::OverDiskLimit => "over_disk_limit",
    }
}

impl From<&[ProcessLook]> for RecentView {
    fn from(looks: &[ProcessLook]) -> Self {
        Self {
            every_s: LOOK_EVERY.as_secs(),
            silent_s: looks.iter().map(|look| Some(look.silent?.as_secs())).collect(),
            steps: looks.iter().map(|look| look.steps).collect(),
        }
    }
}

impl From<CheckpointStatus> for CheckpointView {
    fn from(kept: CheckpointStatus) -> Self {
        Self {
            id: kept.id.to_string(),
            created_at: kept.created_at.to_string(),
            bytes: kept.bytes,
            wal_sequence: kept.wal_sequence,
        }
    }
}
