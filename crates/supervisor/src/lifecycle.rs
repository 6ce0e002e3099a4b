//! The process of one agent over all its runs, whatever protocol it speaks: started under the shim, its stderr logged, its
//! start and its end recorded, killed step by step, and when the restart policy and the room on the disk allow the next start.
//!
//! The actors of both kinds of agents own one. It never reads or writes what the process says over its protocol.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    AgentId, Clock, IdSource, RunId, Timestamp,
    event::{Event, ExitReason, ProcessExited, ProcessStarted, RestartsFrequent, StartCause},
};
use tokio::{
    process::{ChildStdin, ChildStdout},
    sync::watch,
    task::JoinSet,
};

use crate::{
    disk_limit::{DiskExcess, DiskLimit, DiskWatch},
    format::{format_chain, millis},
    process::{Process, ProcessEnd, ShimCommand, Spawn},
    recorder::Recorder,
    restart::{Pause, RestartPolicy, STABLE_AFTER, WINDOW},
    stderr::{LastWords, StderrLog},
    supervisor::{DiskHold, ProcessState, ProcessStatus},
};

mod ending;

pub(crate) use ending::{KillSequence, KillStep, RunExit, format_end, is_requested};

/// What processes are started and recorded with; the same for all agents of a supervisor.
#[derive(Clone, Debug)]
pub(crate) struct LifecycleParts {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) shim: ShimCommand,
    pub(crate) recorder: Recorder,
}

/// The process of one agent over all its runs.
#[derive(Debug)]
pub(crate) struct Lifecycle {
    pub(crate) parts: LifecycleParts,
    agent: AgentId,
    status: watch::Sender<ProcessStatus>,
    policy: RestartPolicy,
    /// On the monotonic clock.
    next_start_at: Duration,
    starts: u64,
    stderr_pumps: JoinSet<()>,
    disk: Option<DiskLimit>,
    hold: Option<HeldForRoom>,
}

/// Nothing is started until there is room on the agent's part of the disk.
#[derive(Debug)]
struct HeldForRoom {
    excess: DiskExcess,
    room: DiskWatch<()>,
}

/// A process that was started and has said nothing yet.
#[derive(Debug)]
pub(crate) struct LaunchedProcess {
    pub(crate) run: RunId,
    pub(crate) process: Process,
    pub(crate) last_words: LastWords,
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
}

impl Lifecycle {
    pub(crate) fn new(
        agent: AgentId,
        parts: LifecycleParts,
        status: watch::Sender<ProcessStatus>,
        disk: Option<DiskLimit>,
    ) -> Self {
        Self {
            parts,
            agent,
            status,
            policy: RestartPolicy::default(),
            next_start_at: Duration::ZERO,
            starts: 0,
            stderr_pumps: JoinSet::new(),
            disk,
            hold: None,
        }
    }

    pub(crate) fn monotonic(&self) -> Duration {
        self.parts.clock.monotonic()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.parts.clock.now()
    }

    /// Records an event about the agent that the keeper noticed.
    pub(crate) fn record(&self, event: impl Into<Event>) {
        self.parts.recorder.by_keeper(&self.agent, event);
    }

    pub(crate) fn update_status(&self, change: impl FnOnce(&mut ProcessStatus)) {
        self.status.send_modify(change);
    }

    /// Updates the status, and wakes those that watch it only where something changed.
    pub(crate) fn update_status_if(&self, change: impl FnOnce(&mut ProcessStatus) -> bool) {
        self.status.send_if_modified(change);
    }

    /// Starts the process under its shim. A failure is recorded as a run that ended at once, and counts as one.
    pub(crate) fn launch(
        &mut self,
        spawn: impl FnOnce(RunId) -> Spawn,
    ) -> Result<LaunchedProcess, String> {
        let run = RunId::new(&*self.parts.ids, self.now());
        match Process::start(&self.parts.shim, &spawn(run)) {
            Ok((process, pipes)) => {
                while self.stderr_pumps.try_join_next().is_some() {}
                let log = StderrLog::new(self.agent.clone(), run);
                let last_words = log.last_words();
                self.stderr_pumps.spawn(log.pump(pipes.stderr));
                self.begin(run);
                let (stdin, stdout) = (pipes.stdin, pipes.stdout);
                Ok(LaunchedProcess { run, process, last_words, stdin, stdout })
            }
            Err(error) => {
                let message = format_chain(&error);
                let exit = RunExit { reason: ExitReason::NotStarted, message: message.clone() };
                self.record_exit(run, Duration::ZERO, &exit, Vec::new());
                self.count_failure(Duration::ZERO, &message);
                Err(message)
            }
        }
    }

    /// Begins the run of a process that the keeper did not start.
    pub(crate) fn begin_connected(&mut self) -> RunId {
        let run = RunId::new(&*self.parts.ids, self.now());
        self.begin(run);
        run
    }

    fn begin(&mut self, run: RunId) {
        let restarts = self.starts;
        self.starts += 1;
        let started_at = self.now();
        self.update_status(|status| {
            status.state = ProcessState::Starting;
            (status.pid, status.run) = (None, Some(run));
            status.restarts = restarts;
            status.started_at = Some(started_at);
            (status.protocol, status.sdk, status.sandbox) = (None, None, None);
            (status.last_progress_at, status.progress) = (None, None);
        });
    }

    /// Runs that have begun.
    pub(crate) fn starts(&self) -> u64 {
        self.starts
    }

    /// The event of a run that begins; to be recorded once the process id is known.
    pub(crate) fn start_event(&self, run: RunId, cause: StartCause) -> ProcessStarted {
        ProcessStarted { run, pid: None, cause, failures: self.policy.failures(), sandbox: None }
    }

    /// Kills a process step by step, and returns how it ended once nothing of its tree is left.
    pub(crate) async fn stop(&self, process: &mut Process, mut steps: KillSequence) -> ProcessEnd {
        if steps == KillSequence::Killed {
            process.kill();
        }
        loop {
            let wait = steps.due().map(|due| due.saturating_sub(self.monotonic()));
            tokio::select! {
                end = process.ended() => return end,
                () = tokio::time::sleep(wait.unwrap_or_default()), if wait.is_some() => {
                    match steps.step(self.monotonic()) {
                        Some(KillStep::Terminate) => process.terminate(),
                        Some(KillStep::Kill) => process.kill(),
                        None => {}
                    }
                }
            }
        }
    }

    /// Records that a run ended, with the last lines of its stderr. Says how long it had lasted.
    pub(crate) async fn finish_run(
        &self,
        run: RunId,
        began_at: Duration,
        exit: &RunExit,
        words: &LastWords,
    ) -> Duration {
        let uptime = self.monotonic().saturating_sub(began_at);
        words.wait_complete().await;
        self.record_exit(run, uptime, exit, words.lines());
        let RunExit { reason, message } = exit;
        tracing::info!(agent = %self.agent, %run, event = "process_exited", ?reason, uptime_ms = millis(uptime), detail = message, "agent process exited");
        uptime
    }

    /// Records the end of a run.
    pub(crate) fn record_exit(
        &self,
        run: RunId,
        uptime: Duration,
        exit: &RunExit,
        last_words: Vec<String>,
    ) {
        let RunExit { reason, message } = exit.clone();
        self.record(ProcessExited { run, reason, message, uptime_ms: millis(uptime), last_words });
    }

    /// Counts a run that ended though nobody had asked it to: the next start has to wait, and a person is told where that is
    /// frequent.
    pub(crate) fn count_failure(&mut self, uptime: Duration, message: &str) {
        let now = self.monotonic();
        let noise = self.parts.ids.uuid(self.now()).as_u128();
        let Pause { wait, pages } =
            self.policy.count_end(now, uptime, u64::try_from(noise & 0xffff).unwrap_or(0));
        self.next_start_at = now + wait;
        let (recent, failures) = (self.policy.recent(now), self.policy.failures());
        self.update_status(|status| {
            status.restarts_recent = recent;
            status.failures = failures;
            status.message = Some(message.to_owned());
        });
        if pages {
            tracing::warn!(agent = %self.agent, event = "restarts_frequent", restarts = recent, pause_ms = millis(wait), "agent process ends again and again; restarting goes on");
            self.record(RestartsFrequent {
                restarts: recent,
                window_ms: millis(WINDOW),
                pause_ms: millis(wait),
                message: message.to_owned(),
            });
        }
    }

    /// Runs in a row that ended unasked.
    pub(crate) fn failures(&self) -> u32 {
        self.policy.failures()
    }

    /// When the restart policy allows the next start, on the monotonic clock.
    pub(crate) fn next_start_at(&self) -> Duration {
        self.next_start_at
    }

    /// Watches what the agent keeps on the disk, for a run.
    pub(crate) fn watch_disk(&self) -> DiskWatch<DiskExcess> {
        DiskWatch::until_exceeded(self.disk.as_ref())
    }

    /// Has nothing started until there is room: a process that fills its part of the disk would only do it again.
    pub(crate) fn hold_for_room(&mut self, excess: DiskExcess) {
        let Some(disk) = &self.disk else { return };
        tracing::warn!(agent = %self.agent, event = "disk_limit_exceeded", detail = %excess, "agent process ended: it keeps more on the disk than it may");
        let hold = DiskHold {
            since: self.now(),
            message: excess.to_string(),
            folder: excess.folder.clone(),
        };
        self.hold = Some(HeldForRoom { excess, room: DiskWatch::until_room(disk) });
        self.update_status(|status| status.disk_hold = Some(hold));
    }

    /// What keeps the process from being started, in words for whoever asked it; none where nothing does.
    pub(crate) fn hold_reason(&self) -> Option<String> {
        let excess = &self.hold.as_ref()?.excess;
        Some(format!("the agent's process is not started until there is room: it {excess}"))
    }

    /// Waits until what is held may be started again, where anything is. Cancel-safe.
    pub(crate) async fn room_again(&mut self) {
        let Some(hold) = &mut self.hold else { return std::future::pending().await };
        hold.room.seen().await;
        tracing::info!(agent = %self.agent, event = "disk_room_again", "agent process may start again: there is room on its part of the disk");
        self.end_hold();
    }

    /// Whatever comes next is measured anew.
    pub(crate) fn end_hold(&mut self) {
        self.hold = None;
        self.update_status_if(|status| status.disk_hold.take().is_some());
    }

    /// A person starts anew: what was before does not count.
    pub(crate) fn clear_failures(&mut self) {
        self.end_hold();
        self.policy.clear();
        self.next_start_at = Duration::ZERO;
        self.update_status(|status| (status.restarts_recent, status.failures) = (0, 0));
    }

    /// Shows how often the process has ended lately: that gets less with time, and a run that holds settles it.
    pub(crate) fn show_failures(&self, began_at: Duration) {
        let now = self.monotonic();
        let recent = self.policy.recent(now);
        let holds = now.saturating_sub(began_at) >= STABLE_AFTER;
        self.update_status_if(|status| {
            let failures = if holds { 0 } else { status.failures };
            let shown = (status.restarts_recent, status.failures);
            (status.restarts_recent, status.failures) = (recent, failures);
            shown != (recent, failures)
        });
    }
}
