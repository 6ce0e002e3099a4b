//! The loop of one run: waits for whatever comes first, does what it asks for, and never waits for anything else.
//!
//! Everything here but the waiting itself is done at once: reading, writing, the disk, the process and the clocks are
//! all branches of one wait, so that none of them can hold up another.

use std::{io, time::Duration};

use abide_domain::event::{ExitReason, ProcessUnresponsive};
use abide_wire::{
    CancelReason, CheckpointReason, CheckpointRequest, DeframeEvent, FrameReadError, LinkState,
    LostBoundaryError, Ping, ProcessCancel, Shutdown, Version,
};

use crate::{
    clocks::{Alarm, Overdue},
    process::{Process, ProcessEnd},
    roster::{Command, ProcessCommandError, ProcessState, Reply, StartMode},
};

use super::{
    Agent,
    disk::Outcome,
    ending::{EOF_GRACE, Ending, KillStep, LAST_WORD, Then, to_asker},
    run::{Beginning, Run},
};

/// How long what is left in the pipes is read after the process has ended.
const DRAIN: Duration = Duration::from_secs(5);
/// How long a person waits for a checkpoint.
const CHECKPOINT_WAIT: Duration = Duration::from_secs(30);
/// When a checkpoint that did not come is asked for again.
const CHECKPOINT_AGAIN: Duration = Duration::from_mins(1);

/// Bytes of noise that say whether it is text.
const BEGINNING: usize = 8;

/// What came first.
#[derive(Debug)]
enum Wake {
    Stop,
    Command(Option<Command>),
    Started(Option<u32>),
    Ended(ProcessEnd),
    Disk(Outcome),
    Written(io::Result<()>),
    Read(Result<Option<DeframeEvent>, FrameReadError>),
    Abandoned,
    Look,
}

impl Agent {
    /// Lives through a run until nothing of it is left.
    pub(super) async fn live(&mut self, run: &mut Run) {
        let mut is_stopping = false;
        while !run.is_over() {
            let wake = self.wait(run, is_stopping).await;
            is_stopping |= matches!(wake, Wake::Stop);
            self.take_wake(run, wake);
            self.ask_next(run);
        }
    }

    async fn wait(&mut self, run: &mut Run, is_stopping: bool) -> Wake {
        let wait = self.until_look(run);
        let reads = run.link.is_open() && !run.disk.is_behind();
        tokio::select! {
            () = self.house.stop.cancelled(), if !is_stopping => Wake::Stop,
            command = self.commands.recv(), if !self.commands.is_closed() => Wake::Command(command),
            wake = process_wake(run.process.as_mut(), run.beginning.is_pid_known), if run.exit.is_none() => wake,
            outcome = run.disk.done() => Wake::Disk(outcome),
            written = run.link.outbox.write(), if run.link.outbox.has_work() => Wake::Written(written),
            event = run.link.reader.next(), if reads => Wake::Read(event),
            () = self.asks.abandoned() => Wake::Abandoned,
            Some(_) = self.children.join_next() => Wake::Look,
            () = tokio::time::sleep(wait) => Wake::Look,
        }
    }

    fn until_look(&self, run: &Run) -> Duration {
        let dues = [Some(run.clocks.due()), run.ending.and_then(Ending::due), run.close_by];
        let due = dues.into_iter().flatten().min().unwrap_or_default();
        due.saturating_sub(self.now())
    }

    fn take_wake(&mut self, run: &mut Run, wake: Wake) {
        match wake {
            Wake::Stop => self.end(run, ExitReason::Shutdown, "the keeper stops"),
            Wake::Command(Some(command)) => self.command(run, command),
            Wake::Command(None) => self.end(run, ExitReason::Shutdown, "nobody keeps it any more"),
            Wake::Started(pid) => self.process_started(run, pid),
            Wake::Ended(ended) => self.process_ended(run, ended),
            Wake::Disk(outcome) => self.take_outcome(run, outcome),
            Wake::Written(Ok(())) => {}
            // Whoever does not take what it is told has closed its end: its own end follows, or is made to.
            Wake::Written(Err(error)) => {
                tracing::debug!(agent = %self.spec.id, %error, "a link cannot be written to");
                run.link.outbox.close();
            }
            Wake::Read(event) => self.take_read(run, event),
            Wake::Abandoned => self.withdraw(run),
            Wake::Look => self.look(run),
        }
    }

    fn process_started(&mut self, run: &mut Run, pid: Option<u32>) {
        run.beginning.is_pid_known = true;
        if let Some(started) = &mut run.beginning.event {
            started.pid = pid;
        }
        self.show(|status| status.pid = pid);
        self.tell_started(run);
    }

    /// Records that the run began, once everything that belongs to it is known.
    pub(super) fn tell_started(&self, run: &mut Run) {
        let Beginning { event, is_pid_known, is_opened } = &mut run.beginning;
        if *is_pid_known
            && *is_opened
            && let Some(started) = event.take()
        {
            self.record(started);
        }
    }

    fn process_ended(&mut self, run: &mut Run, ended: ProcessEnd) {
        run.exit = Some(ended);
        // What it said before it ended is still in the pipe: an end of the file comes when all of it is read.
        run.close_by = Some(self.now() + DRAIN);
        if run.link.has_stopped() {
            run.link.close();
        }
    }

    fn take_read(&mut self, run: &mut Run, event: Result<Option<DeframeEvent>, FrameReadError>) {
        match event {
            Ok(Some(event)) => self.take_event(run, event),
            Ok(None) => self.end_of_link(run),
            Err(error @ FrameReadError::CutOff(_)) => {
                if run.ending.is_none() {
                    run.cut_off = Some(error.to_string());
                }
                self.end_of_link(run);
            }
            Err(FrameReadError::Lost(lost)) => {
                self.tell_refusal(run, &lost.refusal());
                self.cut(run, ExitReason::Protocol, &words_of(&lost));
            }
            Err(FrameReadError::Io(error)) => {
                tracing::debug!(agent = %self.spec.id, %error, "a link cannot be read");
                self.end_of_link(run);
            }
        }
    }

    /// The process says nothing more: it has ended, or is about to.
    fn end_of_link(&mut self, run: &mut Run) {
        run.link.close();
        if run.exit.is_none() && run.ending.is_none() {
            run.close_by = Some(self.now() + EOF_GRACE);
        }
    }

    /// Ends a run for what its process did, after a moment in which it may read why.
    pub(super) fn cut(&mut self, run: &mut Run, reason: ExitReason, message: &str) {
        run.judge(reason, message);
        run.link.stop_reading();
        if run.ending.is_none() {
            run.ending = Some(Ending::Terminated { until: self.now() + LAST_WORD });
        }
    }

    /// Asks a process to end: told first, with a checkpoint where there is one to make.
    pub(super) fn end(&mut self, run: &mut Run, reason: ExitReason, message: &str) {
        if run.ending.is_some() {
            return;
        }
        run.judge(reason, message);
        let now = self.now();
        let can_be_told = matches!(run.link.state(), LinkState::Ready | LinkState::Older);
        run.ending = Some(if can_be_told && !run.link.is_closed() {
            let create_checkpoint = !matches!(run.then, Some(Then::Restore(..)));
            let shutdown = Shutdown { reason: message.into(), create_checkpoint };
            run.link.tell(self.wall(), shutdown);
            Ending::Told { until: now + self.house.settings.shutdown_grace }
        } else {
            Ending::Told { until: now }
        });
        self.asks.fail_open(to_asker(reason, message));
    }

    fn command(&mut self, run: &mut Run, command: Command) {
        match command {
            Command::Ask(ask) => self.asks.push(*ask),
            Command::Connected(connection) => self.connected(run, connection),
            Command::Restart(reply) => self.end_for(run, Then::Start(reply)),
            Command::Park(reply) => self.end_for(run, Then::Park(reply)),
            Command::Restore(id, reply) => self.end_for(run, Then::Restore(id, reply)),
            Command::Resume(reply) => {
                drop(reply.send(Err(ProcessCommandError::conflict("the agent is not parked"))));
            }
            Command::Ping(reply) => self.ping(run, reply),
            Command::Checkpoint(reply) if run.link.state() == LinkState::Ready => {
                run.keeping.wait(reply, self.now() + CHECKPOINT_WAIT);
                self.request_checkpoint(run, CheckpointReason::Manual);
            }
            Command::Checkpoint(reply) => {
                let reason = "the agent cannot be asked for a checkpoint now";
                drop(reply.send(Err(ProcessCommandError::conflict(reason))));
            }
        }
    }

    /// Asks whether it lives: its pong is the answer.
    fn ping(&mut self, run: &mut Run, reply: Reply<Duration>) {
        let can_answer = run.link.state() == LinkState::Ready
            && run.link.version() >= Version::V3
            && run.ending.is_none()
            && !run.link.is_closed();
        if !can_answer {
            let reason = "the agent's process cannot be asked now";
            drop(reply.send(Err(ProcessCommandError::conflict(reason))));
            return;
        }
        let now = self.now();
        let nonce = millis(now);
        if run.pings.wait(nonce, now, reply) {
            run.link.tell(self.wall(), Ping { nonce });
        }
    }

    fn end_for(&mut self, run: &mut Run, then: Then) {
        if let Some(then) = run.then.replace(then) {
            then.refuse(ProcessCommandError::conflict("another command took its place"));
        }
        self.end(run, ExitReason::Person, "a person ended it");
    }

    fn request_checkpoint(&mut self, run: &mut Run, reason: CheckpointReason) {
        if run.link.state() == LinkState::Ready {
            run.keeping.asked_at = Some(self.now());
            run.link.tell(self.wall(), CheckpointRequest { reason });
        }
    }

    /// Asks for a checkpoint because the log has grown, unless one is on its way.
    pub(super) fn want_checkpoint(&mut self, run: &mut Run, reason: CheckpointReason) {
        let now = self.now();
        let is_asked =
            run.keeping.asked_at.is_some_and(|at| now.saturating_sub(at) < CHECKPOINT_AGAIN);
        if !is_asked {
            self.request_checkpoint(run, reason);
        }
    }

    /// Tells the process that nobody waits for its answer any more.
    fn withdraw(&mut self, run: &mut Run) {
        let now = self.now();
        if let Some((request_id, is_late)) = self.asks.withdraw(now) {
            let reason = if is_late { CancelReason::Deadline } else { CancelReason::Abort };
            run.link.tell(self.wall(), ProcessCancel { request_id, reason });
            run.clocks.withdrawn(now);
        }
    }

    /// Gives the process its next turn, if it may be asked and one waits.
    fn ask_next(&mut self, run: &mut Run) {
        if run.link.state() == LinkState::Older {
            let version = run.link.version();
            let message = format!(
                "the agent's process speaks version {version} of the protocol, which cannot be \
                 asked: it has to say hello in version 3"
            );
            self.asks.fail_waiting(&abide_domain::turn::MindError::Rejected { message });
        }
        let may_ask = run.link.state() == LinkState::Ready
            && run.ending.is_none()
            && !run.link.is_closed()
            && !self.asks.is_open();
        if may_ask && let Some((ask, left)) = self.asks.next(self.now()) {
            self.ask(run, ask, left);
        }
    }

    fn look(&mut self, run: &mut Run) {
        let now = self.now();
        // What waits in the pipe because the disk is behind is no silence of the process.
        if run.link.was_heard() || run.disk.is_behind() {
            self.heard(run);
        }
        for alarm in run.clocks.look(now) {
            self.take_alarm(run, alarm);
        }
        if let Some(blow) = run.ending.as_mut().and_then(|ending| ending.step(now)) {
            match (blow, &run.process) {
                (KillStep::Terminate, Some(process)) => process.terminate(),
                _ => run.kill(),
            }
        }
        if run.close_by.is_some_and(|at| now >= at) {
            run.close_by = None;
            run.link.close();
            if run.exit.is_none() {
                let (reason, cut_off) = match run.cut_off.take() {
                    Some(cut_off) => (ExitReason::Protocol, format!("{cut_off}; ")),
                    None => (ExitReason::Exited, String::new()),
                };
                run.kill_for(reason, format!("{cut_off}it closed its output and did not end"));
            }
        }
        run.keeping.let_go(now, CHECKPOINT_WAIT);
        self.show_ends(run.began_at);
        self.look_at_work(run, now);
    }

    fn look_at_work(&mut self, run: &mut Run, now: Duration) {
        if run.link.state() != LinkState::Ready || run.ending.is_some() {
            return;
        }
        let settings = &self.house.settings;
        let is_idle = !self.asks.is_open() && !self.asks.are_waiting();
        let may_rest = self.spec.start != StartMode::WithKeeper && self.is_launched();
        if may_rest && is_idle && now.saturating_sub(run.active_at) >= settings.hibernate_after {
            self.end(run, ExitReason::Hibernated, "it had nothing to do");
            return;
        }
        let is_old = now.saturating_sub(run.keeping.kept_at) >= settings.checkpoint_interval;
        if is_old && run.keeping.is_dirty {
            self.want_checkpoint(run, CheckpointReason::Interval);
        }
    }

    fn take_alarm(&mut self, run: &mut Run, alarm: Alarm) {
        if run.ending.is_some() {
            return;
        }
        match alarm {
            Alarm::Unresponsive(silent) => {
                self.show(|status| status.state = ProcessState::Unresponsive);
                self.record(ProcessUnresponsive { run: run.id, silent_ms: millis(silent) });
            }
            Alarm::Ping if run.link.version() >= Version::V3 => {
                run.link.tell(self.wall(), Ping { nonce: millis(self.now()) });
            }
            Alarm::Ping => {}
            Alarm::Withdraw => self.withdraw(run),
            Alarm::Kill(Overdue::NotReady) => {
                let limit = self.house.settings.ready_timeout;
                let message = format!("it did not say ready within {limit:?}");
                run.kill_for(ExitReason::NotReady, message);
            }
            Alarm::Kill(Overdue::Silent(silent)) => {
                let message = format!("nothing was heard of it for {} s", silent.as_secs());
                run.kill_for(ExitReason::Silent, message);
            }
            Alarm::Kill(Overdue::Unyielding) => {
                let grace = self.house.settings.yield_grace;
                let message = format!("it did not yield a withdrawn turn within {grace:?}");
                run.kill_for(ExitReason::Deadline, message);
            }
        }
    }
}

/// What is heard of the process itself: first its number, then its end.
async fn process_wake(process: Option<&mut Process>, is_pid_known: bool) -> Wake {
    match process {
        Some(process) if is_pid_known => Wake::Ended(process.ended().await),
        Some(process) => Wake::Started(process.started().await),
        None => std::future::pending().await,
    }
}

/// What a person is told of a lost boundary. Frames may follow a print, so that not all of the noise is text.
fn words_of(lost: &LostBoundaryError) -> String {
    let begins_as_text =
        lost.noise.iter().take(BEGINNING).all(|b| matches!(b, b' '..=b'~' | b'\n'));
    if begins_as_text && !lost.is_text() {
        format!("{lost} (it begins as text: logs belong on stderr)")
    } else {
        lost.to_string()
    }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
