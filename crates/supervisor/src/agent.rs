//! The actor of one agent over all its runs: starts its process, and starts it again, until somebody says otherwise.
//!
//! It owns everything that belongs to the agent's process; all others see a status and send commands. It never waits for
//! the ledger, and it blocks on nothing: disk work is on other threads. Between two runs it is at `rest`.
//!
//! Reading order: this file, a run's state (`run`), its loop (`live`), what frames do (`frames`, `report`), how a run
//! ends (`ending`), the turns (`asks`), the disk (`disk`).

use std::{path::PathBuf, sync::Arc, time::Duration};

use abide_domain::{
    Clock, IdSource, RunId, Timestamp,
    event::{
        AgentEvent, Event, ExitReason, ProcessExited, RestartsFrequent, StartCause, StateTroubled,
    },
    turn::MindError,
};
use abide_ledger::Ledger;
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use crate::{
    link::Connection,
    private::{PrivateState, PrivateStateOptions, PrivateStateProblem, RestoreError},
    process::ShimCommand,
    recorder::Recorder,
    restart::{HELD_AFTER, Pause, RestartPolicy, WINDOW},
    roster::{
        AgentSpec, Command, Launch, ProcessCommandError, ProcessState, ProcessStatus,
        ReportedMetrics, RestoreSummary, StartMode, SupervisorSettings,
    },
};

mod asks;
mod disk;
mod ending;
mod frames;
mod live;
mod refuse;
mod report;
mod run;
mod throttle;

pub(crate) use asks::Ask;

use asks::Asks;
use disk::{Place, chain};
use ending::Then;
use run::Run;
use throttle::Throttle;

/// Starts in a row that came to nothing, after which those that wait for the process are told so.
const FRUITLESS_MAX: u32 = 3;
/// In which faults and evidence are counted.
const THROTTLE_WINDOW: Duration = Duration::from_mins(1);
/// Faults of one code that are recorded in a window.
const FAULTS_MAX: u32 = 3;
/// Evidence and proposals that are recorded in a window.
const REPORTS_MAX: u32 = 120;

/// What all actors share.
#[derive(Debug)]
pub(crate) struct House {
    pub(crate) home: PathBuf,
    pub(crate) ledger: Ledger,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) shim: ShimCommand,
    pub(crate) settings: SupervisorSettings,
    pub(crate) recorder: Recorder,
    pub(crate) stop: CancellationToken,
}

/// What an actor does while no run is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// It waits for a turn, or for the process to connect.
    Untouched,
    /// It starts the process then.
    Due { at: Duration, cause: StartCause },
    /// As untouched, after a run that had nothing to do.
    Hibernated,
    /// It waits for a person.
    Parked,
}

/// How a run begins.
#[derive(Debug)]
enum Start {
    Launch(StartCause),
    Link(Box<Connection>),
}

/// The actor of one agent.
#[derive(Debug)]
pub(crate) struct Agent {
    house: Arc<House>,
    spec: AgentSpec,
    commands: mpsc::Receiver<Command>,
    status: watch::Sender<ProcessStatus>,
    metrics: watch::Sender<Option<ReportedMetrics>>,
    rest: Rest,
    asks: Asks,
    policy: RestartPolicy,
    faults: Throttle,
    reports: Throttle,
    measured_at: Option<Duration>,
    /// The last trouble that was recorded, so that a disk that stays bad is not told of at every start.
    troubled: Vec<String>,
    /// Pumps of stderr, and farewells to connections that are not taken.
    children: JoinSet<()>,
    starts: u64,
}

impl Agent {
    /// An actor that was not started yet.
    pub(crate) fn new(
        house: Arc<House>,
        spec: AgentSpec,
        commands: mpsc::Receiver<Command>,
        status: watch::Sender<ProcessStatus>,
        metrics: watch::Sender<Option<ReportedMetrics>>,
    ) -> Self {
        let rest = match (spec.start, &spec.launch) {
            (StartMode::Parked, _) => Rest::Parked,
            (StartMode::WithKeeper, Launch::Stdio { .. }) => {
                Rest::Due { at: Duration::ZERO, cause: StartCause::Configured }
            }
            _ => Rest::Untouched,
        };
        let agent = Self {
            house,
            spec,
            commands,
            status,
            metrics,
            rest,
            asks: Asks::default(),
            policy: RestartPolicy::default(),
            faults: Throttle::new(THROTTLE_WINDOW, FAULTS_MAX),
            reports: Throttle::new(THROTTLE_WINDOW, REPORTS_MAX),
            measured_at: None,
            troubled: Vec::new(),
            children: JoinSet::new(),
            starts: 0,
        };
        // Whoever looks before the actor has run must see a parked agent as parked.
        agent.show_rest();
        agent
    }

    /// Runs until the keeper stops.
    pub(crate) async fn run(mut self) {
        let mut next = None;
        loop {
            let start = match next.take() {
                Some(start) => start,
                None => match self.rest().await {
                    Some(start) => start,
                    None => break,
                },
            };
            next = self.one_run(start).await;
        }
        let message = "the keeper is stopping".into();
        self.asks.fail_waiting(&MindError::Unavailable { message });
    }

    fn now(&self) -> Duration {
        self.house.clock.monotonic()
    }

    fn wall(&self) -> Timestamp {
        self.house.clock.now()
    }

    fn record(&self, event: impl Into<Event>) {
        self.house.recorder.by_keeper(&self.spec.id, event);
    }

    fn is_launched(&self) -> bool {
        matches!(self.spec.launch, Launch::Stdio { .. })
    }

    fn place(&self) -> Place {
        Place {
            folder: self.house.home.join("agents").join(self.spec.id.as_str()),
            options: PrivateStateOptions {
                agent: self.spec.id.clone(),
                limits: self.house.settings.private,
                clock: Arc::clone(&self.house.clock),
                ids: Arc::clone(&self.house.ids),
            },
        }
    }

    /// Waits until the process is to be started; none when the keeper stops.
    async fn rest(&mut self) -> Option<Start> {
        while !self.house.stop.is_cancelled() {
            self.show_rest();
            let now = self.now();
            let wait = match self.rest {
                Rest::Due { at, cause } if at <= now => return Some(Start::Launch(cause)),
                Rest::Due { at, .. } => Some(at.saturating_sub(now)),
                _ => None,
            };
            tokio::select! {
                () = self.house.stop.cancelled() => return None,
                command = self.commands.recv() => {
                    if let Some(start) = self.command_at_rest(command?).await {
                        return Some(start);
                    }
                }
                () = tokio::time::sleep(wait.unwrap_or_default()), if wait.is_some() => {}
                Some(_) = self.children.join_next() => {}
            }
        }
        None
    }

    fn show_rest(&self) {
        let state = match self.rest {
            Rest::Untouched => ProcessState::NotStarted,
            Rest::Hibernated => ProcessState::Hibernated,
            Rest::Parked => ProcessState::Parked,
            Rest::Due { at, .. } => {
                let wait = at.saturating_sub(self.now());
                if wait.is_zero() {
                    ProcessState::Starting
                } else {
                    ProcessState::Waiting { until: self.wall().plus(wait) }
                }
            }
        };
        self.status.send_modify(|status| {
            status.state = state;
            (status.pid, status.started_at) = (None, None);
        });
    }

    async fn command_at_rest(&mut self, command: Command) -> Option<Start> {
        match command {
            Command::Ask(ask) => {
                self.asks.push(*ask);
                self.wake(StartCause::Stimulus);
            }
            Command::Connected(connection) => return self.connected_at_rest(connection),
            Command::Restart(reply) => drop(reply.send(self.restart_at_rest())),
            Command::Park(reply) => {
                self.rest = Rest::Parked;
                drop(reply.send(Ok(())));
            }
            Command::Resume(reply) => drop(reply.send(self.resume())),
            Command::Ping(reply) => {
                let reason = "the agent's process does not run";
                drop(reply.send(Err(ProcessCommandError::conflict(reason))));
            }
            Command::Checkpoint(reply) => {
                let reason = "the agent's process does not run, and only it knows its state";
                drop(reply.send(Err(ProcessCommandError::conflict(reason))));
            }
            Command::Restore(id, reply) => drop(reply.send(self.restore(id).await)),
        }
        None
    }

    /// Starts the process if it is one that the keeper starts, and nothing speaks against it.
    fn wake(&mut self, cause: StartCause) {
        if self.is_launched() && matches!(self.rest, Rest::Untouched | Rest::Hibernated) {
            self.rest = Rest::Due { at: self.now(), cause };
        }
    }

    fn connected_at_rest(&mut self, connection: Box<Connection>) -> Option<Start> {
        if self.rest == Rest::Parked {
            self.turn_away(connection, "the agent is parked: a person has to resume it");
            return None;
        }
        if self.is_launched() {
            self.turn_away(connection, "this agent's process is started by the keeper itself");
            return None;
        }
        Some(Start::Link(connection))
    }

    fn restart_at_rest(&mut self) -> Result<(), ProcessCommandError> {
        if self.rest == Rest::Parked {
            return Err(ProcessCommandError::conflict("the agent is parked: resume it"));
        }
        if !self.is_launched() {
            return Err(ProcessCommandError::conflict("the agent connects by itself, and has not"));
        }
        self.forget_ends();
        self.rest = Rest::Due { at: self.now(), cause: StartCause::Person };
        Ok(())
    }

    fn resume(&mut self) -> Result<(), ProcessCommandError> {
        if self.rest != Rest::Parked {
            return Err(ProcessCommandError::conflict("the agent is not parked"));
        }
        self.forget_ends();
        self.rest = Rest::Untouched;
        if self.spec.start == StartMode::WithKeeper || self.asks.are_waiting() {
            self.wake(StartCause::Person);
        }
        Ok(())
    }

    /// Goes back to a checkpoint. Nobody has the state open.
    async fn restore(&mut self, id: uuid::Uuid) -> Result<RestoreSummary, ProcessCommandError> {
        let place = self.place();
        let restored = tokio::task::spawn_blocking(move || {
            let (mut state, opened) = place.open().map_err(ProcessCommandError::failed)?;
            let restored = PrivateState::restore(&mut state, id).map_err(|error| match error {
                RestoreError::Unknown { id } => ProcessCommandError::UnknownCheckpoint { id },
                other => ProcessCommandError::failed(chain(&other)),
            })?;
            Ok((opened.report, restored))
        });
        let (troubles, restored) =
            restored.await.map_err(|error| ProcessCommandError::failed(error.to_string()))??;
        let Some(checkpoint) = restored.checkpoint else {
            return Err(ProcessCommandError::failed(
                "the checkpoint was restored and cannot be named",
            ));
        };
        let report: Vec<_> = troubles.into_iter().chain(restored.report).collect();
        self.tell_troubles(&report);
        let report = report.iter().map(ToString::to_string).collect();
        Ok(RestoreSummary { checkpoint, report })
    }

    /// Records what of a state is not as it was left; the same only once in a row.
    fn tell_troubles(&mut self, report: &[PrivateStateProblem]) {
        let words: Vec<_> = report.iter().map(ToString::to_string).collect();
        if words != self.troubled && !words.is_empty() {
            tracing::warn!(agent = %self.spec.id, ?words, "an agent's state is not as it was left");
            let is_lost = report.iter().any(PrivateStateProblem::is_loss);
            self.record(StateTroubled { is_lost, report: words.clone() });
        }
        self.troubled = words;
    }

    /// One run from its start to its end. Says what begins at once after it.
    async fn one_run(&mut self, start: Start) -> Option<Start> {
        let mut run = match start {
            Start::Launch(cause) => match self.launch(cause) {
                Ok(run) => run,
                Err((run, error)) => {
                    self.not_launched(run, &error);
                    return None;
                }
            },
            Start::Link(connection) => self.take_link(*connection),
        };
        self.live(&mut run).await;
        self.after(run).await
    }

    fn not_launched(&mut self, run: RunId, error: &str) {
        self.show(|status| status.message = Some(error.to_owned()));
        self.record(ProcessExited {
            run,
            reason: ExitReason::NotStarted,
            message: error.to_owned(),
            uptime_ms: 0,
            last_words: Vec::new(),
        });
        self.fell(Duration::ZERO, error);
        self.give_up_waiting(error);
    }

    /// Those that wait for a process that does not come up are told so, and decide themselves.
    fn give_up_waiting(&mut self, message: &str) {
        if self.policy.failures() >= FRUITLESS_MAX {
            let message = format!("the agent's process does not come up: {message}");
            self.asks.fail_waiting(&MindError::Unavailable { message });
        }
    }

    /// A run ended that nobody had asked to end.
    fn fell(&mut self, uptime: Duration, message: &str) {
        let now = self.now();
        let noise = self.house.ids.uuid(self.wall()).as_u128();
        let Pause { wait, pages } =
            self.policy.ended(now, uptime, u64::try_from(noise & 0xffff).unwrap_or(0));
        let (recent, failures) = (self.policy.recent(now), self.policy.failures());
        self.show(|status| {
            status.restarts_recent = recent;
            status.failures = failures;
            status.message = Some(message.to_owned());
        });
        if pages {
            let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            self.record(RestartsFrequent {
                restarts: recent,
                window_ms: millis(WINDOW),
                pause_ms: millis(wait),
                message: message.to_owned(),
            });
        }
        self.rest = if self.is_launched() {
            Rest::Due { at: now + wait, cause: StartCause::Restart }
        } else {
            Rest::Untouched
        };
    }

    /// Closes the books on a run and says what begins at once after it.
    async fn after(&mut self, mut run: Run) -> Option<Start> {
        let uptime = self.now().saturating_sub(run.began_at);
        let verdict = run.verdict();
        let message = verdict.message.clone();
        (run.beginning.is_pid_known, run.beginning.is_opened) = (true, true);
        self.tell_started(&mut run);
        let words = run.last_words();
        words.all_said().await;
        self.record(ProcessExited {
            run: run.id,
            reason: verdict.reason,
            message: message.clone(),
            uptime_ms: u64::try_from(uptime.as_millis()).unwrap_or(u64::MAX),
            last_words: words.lines(),
        });
        tracing::info!(agent = %self.spec.id, run = %run.id, reason = ?verdict.reason, message, "run ended");
        if run.link.outbox.is_delivered(run.asked) {
            self.asks.fail_open(ending::to_asker(verdict.reason, &message));
        } else {
            self.asks.reopen();
        }
        run.fail_waiters(&message);
        self.show(|status| status.message = Some(message.clone()));
        let was_ready = run.was_ready;
        let (then, next_link) = (run.then.take(), run.next_link.take());
        drop(run);
        self.go_on(then, verdict.reason, (uptime, &message)).await;
        if !was_ready && !ending::is_asked_for(verdict.reason) {
            self.give_up_waiting(&message);
        }
        match next_link {
            Some(connection) if self.rest != Rest::Parked => Some(Start::Link(connection)),
            Some(connection) => {
                self.turn_away(connection, "the agent is parked: a person has to resume it");
                None
            }
            None => None,
        }
    }

    /// What an actor does after a run: what it was ended for, or another one.
    async fn go_on(&mut self, then: Option<Then>, reason: ExitReason, end: (Duration, &str)) {
        self.rest = Rest::Untouched;
        match then {
            Some(Then::Start(reply)) => {
                self.forget_ends();
                self.wake(StartCause::Person);
                drop(reply.send(Ok(())));
            }
            Some(Then::Park(reply)) => {
                self.rest = Rest::Parked;
                drop(reply.send(Ok(())));
            }
            Some(Then::Restore(id, reply)) => {
                let restored = self.restore(id).await;
                self.wake(StartCause::Person);
                drop(reply.send(restored));
            }
            None if reason == ExitReason::Hibernated => {
                self.rest = Rest::Hibernated;
                if self.asks.are_waiting() {
                    self.wake(StartCause::Stimulus);
                }
            }
            None if ending::is_asked_for(reason) => {}
            None => self.fell(end.0, end.1),
        }
    }

    /// A person starts anew: what was is no matter any more.
    fn forget_ends(&mut self) {
        self.policy.forget();
        self.show(|status| (status.restarts_recent, status.failures) = (0, 0));
    }

    /// Shows how often the process has ended lately; that gets less by itself, and a run that holds settles it.
    fn show_ends(&self, began_at: Duration) {
        let now = self.now();
        let recent = self.policy.recent(now);
        let holds = now.saturating_sub(began_at) >= HELD_AFTER;
        self.status.send_if_modified(|status| {
            let failures = if holds { 0 } else { status.failures };
            let shown = (status.restarts_recent, status.failures);
            (status.restarts_recent, status.failures) = (recent, failures);
            shown != (recent, failures)
        });
    }

    fn show(&self, change: impl FnOnce(&mut ProcessStatus)) {
        self.status.send_modify(change);
    }

    /// Says how the last run of an earlier keeper ended, where nobody could.
    fn close_books(&self, last: Option<&(Timestamp, Event)>) {
        let Some((at, Event::Agent(AgentEvent::Started(started)))) = last else { return };
        let uptime = self.wall().since(*at);
        self.record(ProcessExited {
            run: started.run,
            reason: ExitReason::KeeperLost,
            message: "the keeper ended before it".into(),
            uptime_ms: u64::try_from(uptime.as_millis()).unwrap_or(u64::MAX),
            last_words: Vec::new(),
        });
    }
}
