//! The actor of one agent over all its runs: starts its process, and starts it again, until somebody says otherwise.
//!
//! It owns everything that belongs to the agent's process; all others see a status and send commands. It never waits for
//! the ledger, and it blocks on nothing: disk work is on other threads. Between two runs it is idle.
//!
//! Reading order: this file, a run's state (`run`) and start (`launch`), its loop (`run_loop`), what frames do (`frames`,
//! `report`), what follows its end (`follow_up`), the turns (`turns`), the disk (`disk`, `private_state_problem`), code that is loaded while it runs (`code`, `loaded_code`).

use std::{sync::Arc, time::Duration};

use abide_domain::{
    Timestamp,
    event::{AgentEvent, Event, ExitReason, StartCause, StateTroubled},
    turn::MindError,
};
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
};

use crate::{
    disk_limit::{DiskLimit, DiskLimitParts},
    format::format_chain,
    lifecycle::{Lifecycle, RunExit, is_requested},
    link::Connection,
    private::{PrivateState, PrivateStateOptions, PrivateStateProblem, RestoreError},
    shared::SharedResources,
    supervisor::{
        AgentSpec, Command, Launch, ProcessCommandError, ProcessState, ProcessStatus,
        ReportedMetrics, RestoreSummary, StartMode,
    },
};

mod code;
mod connections;
mod disk;
mod follow_up;
mod frames;
mod launch;
mod loaded_code;
mod private_state_problem;
mod report;
mod report_quotas;
mod run;
mod run_loop;
mod throttle;
mod turns;

pub(crate) use turns::QueuedTurn;

use disk::StateLocation;
use follow_up::{FollowUp, mind_error};
use loaded_code::AgentCode;
use report_quotas::ReportQuotas;
use run::Run;
use throttle::Throttle;
use turns::TurnQueue;

/// Failed starts in a row after which the turns that wait for the process fail.
const FAILED_STARTS_MAX: u32 = 3;
/// In which faults and evidence are counted.
const THROTTLE_WINDOW: Duration = Duration::from_mins(1);
/// Faults of one code that are recorded in a window.
const FAULTS_MAX: u32 = 3;
/// Entries of evidence that are recorded in a window.
const REPORTS_MAX: u32 = 120;

/// Said of a command that only a running process can carry out.
const NOT_RUNNING: &str = "the agent's process is not running";

/// What an actor does between two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IdleState {
    /// It waits for a turn, or for the process to connect.
    NotStarted,
    /// It starts the process at that time.
    StartDue { at: Duration, cause: StartCause },
    /// As not started, after a run that had nothing to do.
    Hibernated,
    /// It waits for a person.
    Parked,
    /// It waits for room on its part of the disk.
    OverDiskLimit,
}

/// How a run begins.
#[derive(Debug)]
enum RunStart {
    Launch(StartCause),
    Connected(Box<Connection>),
}

/// The actor of one agent.
#[derive(Debug)]
pub(crate) struct AgentActor {
    shared: Arc<SharedResources>,
    lifecycle: Lifecycle,
    spec: AgentSpec,
    commands: mpsc::Receiver<Command>,
    metrics: watch::Sender<Option<ReportedMetrics>>,
    idle: IdleState,
    /// Until when a process that connects by itself is waited for, on the monotonic clock.
    connect_by: Duration,
    turns: TurnQueue,
    code: AgentCode,
    faults: Throttle,
    reports: Throttle,
    quotas: ReportQuotas,
    measured_at: Option<Duration>,
    /// What was recorded last, so that a disk that stays bad is not reported at every start.
    recorded_problems: Vec<String>,
    /// Last messages to connections that are not accepted.
    rejections: JoinSet<()>,
}

impl AgentActor {
    /// An actor that does nothing until it is [run](Self::run).
    pub(crate) fn new(
        shared: Arc<SharedResources>,
        spec: AgentSpec,
        commands: mpsc::Receiver<Command>,
        status: watch::Sender<ProcessStatus>,
        metrics: watch::Sender<Option<ReportedMetrics>>,
    ) -> Self {
        let idle = match (spec.start, &spec.launch) {
            (StartMode::Parked, _) => IdleState::Parked,
            (StartMode::WithKeeper, Launch::Stdio { .. }) => {
                IdleState::StartDue { at: Duration::ZERO, cause: StartCause::Configured }
            }
            _ => IdleState::NotStarted,
        };
        let code = AgentCode::new(shared.settings.awaits_code);
        let disk = disk_limit(&shared, &spec);
        let connect_by = shared.lifecycle.clock.monotonic() + shared.settings.first_connect_grace;
        let agent = Self {
            lifecycle: Lifecycle::new(spec.id.clone(), shared.lifecycle.clone(), status, disk),
            shared,
            spec,
            commands,
            metrics,
            idle,
            connect_by,
            turns: TurnQueue::default(),
            code,
            faults: Throttle::new(THROTTLE_WINDOW, FAULTS_MAX),
            reports: Throttle::new(THROTTLE_WINDOW, REPORTS_MAX),
            quotas: ReportQuotas::default(),
            measured_at: None,
            recorded_problems: Vec::new(),
            rejections: JoinSet::new(),
        };
        // Whoever looks before the actor has run must see a parked agent as parked.
        agent.show_idle_state();
        agent.show_not_connected(None);
        agent
    }

    /// Runs until the keeper stops.
    pub(crate) async fn run(mut self) {
        let mut next = None;
        loop {
            let start = match next.take() {
                Some(start) => start,
                None => match self.wait_for_start().await {
                    Some(start) => start,
                    None => break,
                },
            };
            next = self.run_once(start).await;
        }
        let message = "the keeper is stopping".into();
        self.turns.fail_waiting(&MindError::ProcessEnded { message });
    }

    fn now(&self) -> Duration {
        self.lifecycle.monotonic()
    }

    fn wall(&self) -> Timestamp {
        self.lifecycle.now()
    }

    fn record(&self, event: impl Into<Event>) {
        self.lifecycle.record(event);
    }

    fn is_launched(&self) -> bool {
        matches!(self.spec.launch, Launch::Stdio { .. })
    }

    fn state_location(&self) -> StateLocation {
        StateLocation {
            folder: self.shared.home.join("agents").join(self.spec.id.as_str()),
            options: PrivateStateOptions {
                agent: self.spec.id.clone(),
                limits: self.shared.settings.private,
                clock: Arc::clone(&self.lifecycle.parts.clock),
                ids: Arc::clone(&self.lifecycle.parts.ids),
            },
        }
    }

    /// Waits until the process is to be started; none when the keeper stops.
    async fn wait_for_start(&mut self) -> Option<RunStart> {
        while !self.shared.stop.is_cancelled() {
            self.show_idle_state();
            self.fail_held_turns();
            self.fail_unconnected_turns();
            let now = self.now();
            let wait = match self.idle {
                IdleState::StartDue { at, cause } if at <= now => {
                    return Some(RunStart::Launch(cause));
                }
                IdleState::StartDue { at, .. } => Some(at.saturating_sub(now)),
                _ => self.connection_wait(now),
            };
            tokio::select! {
                () = self.shared.stop.cancelled() => return None,
                command = self.commands.recv() => {
                    if let Some(start) = self.handle_idle_command(command?).await {
                        return Some(start);
                    }
                }
                () = tokio::time::sleep(wait.unwrap_or_default()), if wait.is_some() => {}
                () = self.lifecycle.room_again() => self.schedule_restart(),
                Some(_) = self.rejections.join_next() => {}
            }
        }
        None
    }

    /// Fails the turns that wait for a process that is held: only a person may make room, and that may take days.
    fn fail_held_turns(&mut self) {
        if let Some(message) = self.lifecycle.hold_reason() {
            self.turns.fail_waiting(&MindError::ProcessFailed { message });
        }
    }

    /// How long a process that connects by itself is still waited for; none where nobody waits for it.
    fn connection_wait(&self, now: Duration) -> Option<Duration> {
        let is_missed = !self.is_launched() && self.idle == IdleState::NotStarted;
        (is_missed && self.turns.are_waiting()).then(|| self.connect_by.saturating_sub(now))
    }

    /// Fails the turns that wait for a process that connects by itself and has not for too long.
    fn fail_unconnected_turns(&mut self) {
        if self.connection_wait(self.now()).is_some_and(|wait| wait.is_zero()) {
            let message = self.not_connected();
            self.turns.fail_waiting(&MindError::ProcessFailed { message });
        }
    }

    fn not_connected(&self) -> String {
        let settings = &self.shared.settings;
        let path = settings.socket_path.as_ref().map(|path| path.display().to_string());
        let places: Vec<_> =
            path.into_iter().chain(settings.tcp.map(|address| address.to_string())).collect();
        format!(
            "no process of the agent is connected: start it, it connects to {} by itself",
            places.join(" or ")
        )
    }

    /// Shows that the process of an agent that connects by itself is not there, and why its last one went.
    fn show_not_connected(&self, exit: Option<&str>) {
        if !self.is_launched() && self.idle == IdleState::NotStarted {
            let last = exit.map(|exit| format!("; the last one: {exit}")).unwrap_or_default();
            let message = format!("{}{last}", self.not_connected());
            self.update_status(|status| status.message = Some(message));
        }
    }

    fn show_idle_state(&self) {
        let state = match self.idle {
            IdleState::NotStarted => ProcessState::NotStarted,
            IdleState::Hibernated => ProcessState::Hibernated,
            IdleState::Parked => ProcessState::Parked,
            IdleState::OverDiskLimit => ProcessState::OverDiskLimit,
            IdleState::StartDue { at, .. } => {
                let wait = at.saturating_sub(self.now());
                if wait.is_zero() {
                    ProcessState::Starting
                } else {
                    ProcessState::Waiting { until: self.wall().plus(wait) }
                }
            }
        };
        self.update_status(|status| {
            status.state = state;
            (status.pid, status.started_at) = (None, None);
        });
    }

    async fn handle_idle_command(&mut self, command: Command) -> Option<RunStart> {
        match command {
            Command::Ask(turn) => {
                self.turns.push(*turn);
                self.schedule_start(StartCause::Stimulus);
            }
            Command::Connected(connection) => return self.accept_idle_connection(connection),
            Command::Restart(reply) => drop(reply.send(self.restart_when_idle())),
            Command::Park(reply) => {
                self.park();
                drop(reply.send(Ok(())));
            }
            Command::Resume(reply) => drop(reply.send(self.resume())),
            Command::Ping(reply) => {
                drop(reply.send(Err(ProcessCommandError::conflict(NOT_RUNNING))));
            }
            Command::Checkpoint(reply) => {
                let reason =
                    "the agent's process is not running, and only it can make a checkpoint";
                drop(reply.send(Err(ProcessCommandError::conflict(reason))));
            }
            Command::Restore(id, reply) => drop(reply.send(self.restore(id).await)),
            Command::SayEvolutionResult(_, reply) => {
                drop(reply.send(Err(ProcessCommandError::conflict(NOT_RUNNING))));
            }
            Command::Wake(reply) => drop(reply.send(self.wake())),
            Command::RunCode(codes, with) => self.run_code_next(codes, with).await,
            Command::Reload(code, reply) => self.reload_when_idle(*code, reply),
        }
        None
    }

    /// Has the process started, if it is one that the keeper starts and nobody has parked it.
    fn schedule_start(&mut self, cause: StartCause) {
        if self.is_launched() && matches!(self.idle, IdleState::NotStarted | IdleState::Hibernated)
        {
            self.idle = IdleState::StartDue { at: self.now(), cause };
        }
    }

    fn accept_idle_connection(&mut self, connection: Box<Connection>) -> Option<RunStart> {
        if self.idle == IdleState::Parked {
            self.reject_connection(connection, "the agent is parked: a person has to resume it");
            return None;
        }
        if self.is_launched() {
            self.reject_connection(
                connection,
                "this agent's process is started by the keeper itself",
            );
            return None;
        }
        Some(RunStart::Connected(connection))
    }

    fn park(&mut self) {
        self.lifecycle.end_hold();
        // Nothing runs that it could hinder: the next run says it anew, where it still is so.
        self.update_status(|status| status.state_problem = None);
        self.idle = IdleState::Parked;
    }

    fn restart_when_idle(&mut self) -> Result<(), ProcessCommandError> {
        if self.idle == IdleState::Parked {
            return Err(ProcessCommandError::conflict("the agent is parked: resume it first"));
        }
        if !self.is_launched() {
            return Err(ProcessCommandError::conflict(
                "the agent's process connects by itself, and is not connected: start it",
            ));
        }
        self.lifecycle.clear_failures();
        self.idle = IdleState::StartDue { at: self.now(), cause: StartCause::Person };
        Ok(())
    }

    fn resume(&mut self) -> Result<(), ProcessCommandError> {
        if self.idle != IdleState::Parked {
            return Err(ProcessCommandError::conflict("the agent is not parked"));
        }
        self.lifecycle.clear_failures();
        self.idle = IdleState::NotStarted;
        if self.spec.start == StartMode::WithKeeper || self.turns.are_waiting() {
            self.schedule_start(StartCause::Person);
        }
        Ok(())
    }

    /// Goes back to a checkpoint. No run may have the state open.
    async fn restore(&mut self, id: uuid::Uuid) -> Result<RestoreSummary, ProcessCommandError> {
        let location = self.state_location();
        let restored = tokio::task::spawn_blocking(move || {
            let (mut state, opened) = location.open().map_err(ProcessCommandError::failed)?;
            let restored = PrivateState::restore(&mut state, id).map_err(|error| match error {
                RestoreError::Unknown { id } => ProcessCommandError::UnknownCheckpoint { id },
                other => ProcessCommandError::failed(format_chain(&other)),
            })?;
            Ok((opened.report, restored))
        });
        let (found, restored) =
            restored.await.map_err(|error| ProcessCommandError::failed(error.to_string()))??;
        let Some(checkpoint) = restored.checkpoint else {
            return Err(ProcessCommandError::failed(
                "the checkpoint was restored, but its record cannot be read",
            ));
        };
        let report: Vec<_> = found.into_iter().chain(restored.report).collect();
        self.report_state_problems(&report);
        let report = report.iter().map(ToString::to_string).collect();
        Ok(RestoreSummary { checkpoint, report })
    }

    /// Records what is wrong with the private state; the same only once in a row.
    fn report_state_problems(&mut self, report: &[PrivateStateProblem]) {
        let problems: Vec<_> = report.iter().map(ToString::to_string).collect();
        if problems != self.recorded_problems && !problems.is_empty() {
            let is_lost = report.iter().any(PrivateStateProblem::is_loss);
            // A shadow has one checkpoint and nothing behind it, as is meant.
            if self.shared.ledger.is_some() {
                tracing::warn!(agent = %self.spec.id, event = "private_state_damaged", is_lost, ?problems, "agent private state has problems");
            }
            self.record(StateTroubled { is_lost, report: problems.clone() });
        }
        self.recorded_problems = problems;
    }

    /// One run from its start to its end. Says what begins at once after it.
    async fn run_once(&mut self, start: RunStart) -> Option<RunStart> {
        let mut run = match start {
            RunStart::Launch(cause) => match self.launch(cause) {
                Ok(run) => run,
                Err(error) => {
                    self.schedule_restart();
                    self.fail_waiting_turns(&error);
                    return None;
                }
            },
            RunStart::Connected(connection) => self.begin_connected_run(*connection),
        };
        self.drive_run(&mut run).await;
        self.finish_run(run).await
    }

    /// Fails the turns that wait for a process that does not come up: whoever asked decides what to do.
    fn fail_waiting_turns(&mut self, message: &str) {
        if self.lifecycle.failures() >= FAILED_STARTS_MAX {
            let message = format!("the agent's process does not come up: {message}");
            self.turns.fail_waiting(&MindError::ProcessFailed { message });
        }
    }

    /// After a run that nobody had asked to end, or once there is room for the next.
    fn schedule_restart(&mut self) {
        self.idle = if self.lifecycle.hold_reason().is_some() {
            IdleState::OverDiskLimit
        } else if self.is_launched() {
            let at = self.lifecycle.next_start_at();
            IdleState::StartDue { at, cause: StartCause::Restart }
        } else {
            IdleState::NotStarted
        };
    }

    /// Records the end of a run and says what begins at once after it.
    async fn finish_run(&mut self, mut run: Run) -> Option<RunStart> {
        let mut exit = run.exit();
        (run.start.is_pid_known, run.start.is_state_opened) = (true, true);
        self.record_start(&mut run);
        let uptime = self.lifecycle.finish_run(run.id, run.began_at, &exit, &run.last_words).await;
        // Whoever asked may have done so where others read along, and stderr may hold anything: its line is for whoever looks.
        let exit_alone = exit.message.clone();
        if let Some(word) = run.last_words.cause().filter(|_| !is_requested(exit.reason)) {
            exit.message = format!("{}; on its stderr: {word}", exit.message);
        }
        self.connect_by = self.now() + self.shared.settings.reconnect_grace;
        let message = &exit.message;
        if run.link.outbox.is_delivered(run.request_number) {
            self.turns.fail_open(mind_error(exit.reason, &exit_alone));
        } else {
            self.turns.reopen();
        }
        run.fail_waiters(message);
        self.end_loading(&mut run, &exit_alone);
        self.update_status(|status| status.message = Some(message.clone()));
        let was_ready = run.was_ready;
        let (follow_up, next_connection) = (run.follow_up.take(), run.next_connection.take());
        drop(run);
        self.apply_follow_up(follow_up, &exit, uptime).await;
        self.show_not_connected(Some(message));
        if !was_ready && !is_requested(exit.reason) {
            self.fail_waiting_turns(&exit_alone);
        }
        match next_connection {
            Some(connection) if self.idle != IdleState::Parked => {
                Some(RunStart::Connected(connection))
            }
            Some(connection) => {
                self.reject_connection(
                    connection,
                    "the agent is parked: a person has to resume it",
                );
                None
            }
            None => None,
        }
    }

    /// Does what a run was ended for, or schedules another one.
    async fn apply_follow_up(
        &mut self,
        follow_up: Option<FollowUp>,
        exit: &RunExit,
        uptime: Duration,
    ) {
        self.idle = IdleState::NotStarted;
        match follow_up {
            Some(FollowUp::Start(reply)) => {
                self.lifecycle.clear_failures();
                self.schedule_start(StartCause::Person);
                drop(reply.send(Ok(())));
            }
            Some(FollowUp::Park(reply)) => {
                self.park();
                drop(reply.send(Ok(())));
            }
            Some(FollowUp::Restore(id, reply)) => {
                self.lifecycle.end_hold();
                let restored = self.restore(id).await;
                self.schedule_start(StartCause::Person);
                drop(reply.send(restored));
            }
            None if exit.reason == ExitReason::Hibernated => {
                self.idle = IdleState::Hibernated;
                if self.turns.are_waiting() {
                    self.schedule_start(StartCause::Stimulus);
                }
            }
            None if is_requested(exit.reason) => {}
            None => {
                self.lifecycle.count_failure(uptime, &exit.message);
                self.schedule_restart();
            }
        }
    }

    fn update_status(&self, change: impl FnOnce(&mut ProcessStatus)) {
        self.lifecycle.update_status(change);
    }

    /// Records how the last run of an earlier keeper ended, where that keeper could not.
    fn record_lost_run(&self, last: Option<&(Timestamp, Event)>) {
        let Some((at, Event::Agent(AgentEvent::Started(started)))) = last else { return };
        let uptime = self.wall().since(*at);
        let exit = RunExit {
            reason: ExitReason::KeeperLost,
            message: "the keeper ended before the process did".into(),
        };
        self.lifecycle.record_exit(started.run, uptime, &exit, Vec::new());
    }
}

/// What the agent may keep on the disk; only that of a process that the keeper starts is bounded.
fn disk_limit(shared: &SharedResources, spec: &AgentSpec) -> Option<DiskLimit> {
    let bytes = spec.limits.disk_bytes.filter(|_| matches!(spec.launch, Launch::Stdio { .. }))?;
    Some(DiskLimit::new(DiskLimitParts {
        home: shared.home.clone(),
        agent: spec.id.clone(),
        bytes,
        interval: shared.settings.disk_interval,
    }))
}
