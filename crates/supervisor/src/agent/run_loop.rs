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
    disk_limit::DiskExcess,
    format::millis,
    lifecycle::{KillSequence, KillStep},
    process::{Process, ProcessEnd},
    supervisor::{Command, ProcessCommandError, ProcessState, Reply, StartMode},
};

use super::{
    AgentActor,
    disk::DiskResult,
    follow_up::{FollowUp, mind_error},
    run::{PendingStart, Run},
};

/// How long a process may take to read the last message before it is killed for what it did.
const FINAL_MESSAGE_GRACE: Duration = Duration::from_millis(200);
/// How long a process that closed its output may take to end.
const EOF_GRACE: Duration = Duration::from_secs(2);
/// How long what is left in the pipes is read after the process has ended.
const DRAIN: Duration = Duration::from_secs(5);
/// How long a person waits for a checkpoint.
const CHECKPOINT_WAIT: Duration = Duration::from_secs(30);
/// When a checkpoint that did not come is requested again.
const CHECKPOINT_AGAIN: Duration = Duration::from_mins(1);

/// Bytes of noise that say whether it is text.
const NOISE_START_BYTES: usize = 8;

/// What the loop woke up for.
#[derive(Debug)]
enum WakeEvent {
    Stop,
    Command(Option<Command>),
    Started(Option<u32>),
    Ended(ProcessEnd),
    Disk(DiskResult),
    /// The process keeps more on the disk than it may.
    DiskExceeded(DiskExcess),
    Written(io::Result<()>),
    Read(Result<Option<DeframeEvent>, FrameReadError>),
    /// Whoever asked the open turn has gone away.
    Abandoned,
    /// A candidate that was loaded is in force, or never will be.
    CodeConfirmed(bool),
    /// A timer is due.
    CheckDue,
}

impl AgentActor {
    /// Drives a run until nothing of it is left.
    pub(super) async fn drive_run(&mut self, run: &mut Run) {
        let mut is_stopping = false;
        while !run.is_over() {
            let wake = self.next_wake(run, is_stopping).await;
            is_stopping |= matches!(wake, WakeEvent::Stop);
            self.handle_wake(run, wake);
            self.load_next_code(run);
            self.ask_next_turn(run);
        }
    }

    async fn next_wake(&mut self, run: &mut Run, is_stopping: bool) -> WakeEvent {
        let wait = self.time_until_check(run);
        // What a process says waits until it is known which one it is: whoever was answered by it can be told its id.
        let is_known = run.process.is_none() || run.start.is_pid_known;
        let reads = run.link.is_open() && is_known && !run.disk.is_behind();
        tokio::select! {
            () = self.shared.stop.cancelled(), if !is_stopping => WakeEvent::Stop,
            command = self.commands.recv(), if !self.commands.is_closed() => WakeEvent::Command(command),
            wake = next_process_event(run.process.as_mut(), run.start.is_pid_known), if run.process_end.is_none() => wake,
            outcome = run.disk.done() => WakeEvent::Disk(outcome),
            excess = run.disk_watch.seen() => WakeEvent::DiskExceeded(excess),
            written = run.link.outbox.write(), if run.link.outbox.has_work() => WakeEvent::Written(written),
            event = run.link.reader.next(), if reads => WakeEvent::Read(event),
            () = self.turns.abandoned() => WakeEvent::Abandoned,
            is_in_force = run.code.confirmed() => WakeEvent::CodeConfirmed(is_in_force),
            Some(_) = self.rejections.join_next() => WakeEvent::CheckDue,
            () = tokio::time::sleep(wait) => WakeEvent::CheckDue,
        }
    }

    fn time_until_check(&self, run: &Run) -> Duration {
        let ending = run.ending.and_then(KillSequence::due);
        let dues = [Some(run.clocks.due()), ending, run.close_by, run.code.due()];
        let due = dues.into_iter().flatten().min().unwrap_or_default();
        due.saturating_sub(self.now())
    }

    fn handle_wake(&mut self, run: &mut Run, wake: WakeEvent) {
        match wake {
            WakeEvent::Stop => self.end(run, ExitReason::Shutdown, "the keeper is stopping"),
            WakeEvent::Command(Some(command)) => self.handle_command(run, command),
            WakeEvent::Command(None) => {
                self.end(run, ExitReason::Shutdown, "the supervisor was dropped");
            }
            WakeEvent::Started(pid) => self.handle_process_started(run, pid),
            WakeEvent::Ended(ended) => self.handle_process_end(run, ended),
            WakeEvent::Disk(outcome) => self.handle_disk_result(run, outcome),
            WakeEvent::DiskExceeded(excess) => self.end_for_disk(run, excess),
            WakeEvent::Written(Ok(())) => {}
            // It has closed its input: it ends soon, or is ended.
            WakeEvent::Written(Err(error)) => {
                tracing::debug!(agent = %self.spec.id, run = %run.id, event = "link_write_failed", %error, "cannot write to the agent process");
                run.link.outbox.close();
            }
            WakeEvent::Read(event) => self.handle_read(run, event),
            WakeEvent::Abandoned => self.withdraw(run, None),
            WakeEvent::CodeConfirmed(is_in_force) => self.take_confirmation(run, is_in_force),
            WakeEvent::CheckDue => self.check_timers(run),
        }
    }

    fn handle_process_started(&mut self, run: &mut Run, pid: Option<u32>) {
        run.start.is_pid_known = true;
        if let Some(started) = &mut run.start.event {
            started.pid = pid;
        }
        self.update_status(|status| status.pid = pid);
        self.record_start(run);
    }

    /// Records that the run began, once everything that belongs to it is known.
    pub(super) fn record_start(&self, run: &mut Run) {
        let PendingStart { event, is_pid_known, is_state_opened } = &mut run.start;
        if *is_pid_known
            && *is_state_opened
            && let Some(started) = event.take()
        {
            self.record(started);
        }
    }

    fn handle_process_end(&mut self, run: &mut Run, ended: ProcessEnd) {
        run.process_end = Some(ended);
        // What it wrote before it ended is still in the pipe: the end of the file comes when all of it is read.
        run.close_by = Some(self.now() + DRAIN);
        if run.link.has_stopped() {
            run.link.close();
        }
    }

    fn handle_read(&mut self, run: &mut Run, event: Result<Option<DeframeEvent>, FrameReadError>) {
        match event {
            Ok(Some(event)) => self.handle_event(run, event),
            Ok(None) => self.handle_link_end(run),
            Err(error @ FrameReadError::CutOff(_)) => {
                if run.ending.is_none() {
                    run.truncated_frame = Some(error.to_string());
                }
                self.handle_link_end(run);
            }
            Err(FrameReadError::Lost(lost)) => {
                self.send_refusal(run, &lost.refusal());
                self.end_for_violation(run, ExitReason::Protocol, &format_lost_boundary(&lost));
            }
            Err(FrameReadError::Io(error)) => {
                tracing::debug!(agent = %self.spec.id, run = %run.id, event = "link_read_failed", %error, "cannot read from the agent process");
                self.handle_link_end(run);
            }
        }
    }

    /// The process has closed its output: it has ended, or is about to.
    fn handle_link_end(&mut self, run: &mut Run) {
        run.link.close();
        if run.process_end.is_none() && run.ending.is_none() {
            run.close_by = Some(self.now() + EOF_GRACE);
        }
    }

    /// Ends a run for what its process did, after a moment in which it may read why.
    pub(super) fn end_for_violation(&mut self, run: &mut Run, reason: ExitReason, message: &str) {
        run.set_exit(reason, message);
        run.link.stop_reading();
        if run.ending.is_none() {
            run.ending = Some(KillSequence::Terminated { until: self.now() + FINAL_MESSAGE_GRACE });
        }
    }

    /// Asks a process to end: over its protocol first, with a checkpoint where there is one to make.
    pub(super) fn end(&mut self, run: &mut Run, reason: ExitReason, message: &str) {
        if run.ending.is_some() {
            return;
        }
        run.set_exit(reason, message);
        let now = self.now();
        let can_be_asked = matches!(run.link.state(), LinkState::Ready | LinkState::Older);
        run.ending = Some(if can_be_asked && !run.link.is_closed() {
            let create_checkpoint = !matches!(run.follow_up, Some(FollowUp::Restore(..)));
            let shutdown = Shutdown { reason: message.into(), create_checkpoint };
            run.link.send(self.wall(), shutdown);
            KillSequence::Asked { until: now + self.shared.settings.shutdown_grace }
        } else {
            KillSequence::Asked { until: now }
        });
        self.turns.fail_open(mind_error(reason, message));
    }

    /// Ends a run at once that keeps more on the disk than it may, for each moment may be another gigabyte.
    fn end_for_disk(&mut self, run: &mut Run, excess: DiskExcess) {
        if run.ending.is_none() {
            run.kill_because(ExitReason::DiskLimit, format!("it {excess}"));
            self.lifecycle.hold_for_room(excess);
        }
    }

    fn handle_command(&mut self, run: &mut Run, command: Command) {
        match command {
            Command::Ask(turn) => self.turns.push(*turn),
            Command::Connected(connection) => self.accept_connection(run, connection),
            Command::Restart(reply) => self.end_for_person(run, FollowUp::Start(reply)),
            Command::Park(reply) => self.end_for_person(run, FollowUp::Park(reply)),
            Command::Restore(id, reply) => self.end_for_person(run, FollowUp::Restore(id, reply)),
            Command::Wake(reply) => drop(reply.send(Ok(()))),
            Command::RunCode(codes, with) => self.run_code_now(run, codes, with),
            Command::Reload(code, reply) => self.reload_next(*code, reply),
            Command::Resume(reply) => {
                drop(reply.send(Err(ProcessCommandError::conflict("the agent is not parked"))));
            }
            Command::Ping(reply) => self.ping(run, reply),
            Command::Checkpoint(reply) if run.link.state() == LinkState::Ready => {
                run.checkpoints.wait(reply, self.now() + CHECKPOINT_WAIT);
                self.request_checkpoint(run, CheckpointReason::Manual);
            }
            Command::Checkpoint(reply) => {
                let reason =
                    "the agent's process is not ready to make a checkpoint: try again once it is";
                drop(reply.send(Err(ProcessCommandError::conflict(reason))));
            }
            Command::SayEvolutionResult(result, reply) => {
                let is_ready = run.link.state() == LinkState::Ready && run.ending.is_none();
                let answer = if is_ready {
                    run.link.send(self.wall(), *result);
                    Ok(())
                } else {
                    Err(ProcessCommandError::conflict("the agent's process is not ready"))
                };
                drop(reply.send(answer));
            }
        }
    }

    /// Pings the process: its pong is the answer.
    fn ping(&mut self, run: &mut Run, reply: Reply<Duration>) {
        let can_answer = run.link.state() == LinkState::Ready
            && run.link.version() >= Version::V3
            && run.ending.is_none()
            && !run.link.is_closed();
        if !can_answer {
            let reason = "the agent's process cannot be pinged now: it is not ready, or speaks an older version of the protocol";
            drop(reply.send(Err(ProcessCommandError::conflict(reason))));
            return;
        }
        let now = self.now();
        let nonce = millis(now);
        if run.pings.push(nonce, now, reply) {
            run.link.send(self.wall(), Ping { nonce });
        }
    }

    fn end_for_person(&mut self, run: &mut Run, follow_up: FollowUp) {
        self.end_for_follow_up(run, follow_up, "a person ended it");
    }

    pub(super) fn end_for_follow_up(&mut self, run: &mut Run, follow_up: FollowUp, why: &str) {
        if let Some(earlier) = run.follow_up.replace(follow_up) {
            earlier.refuse(ProcessCommandError::conflict("a later command replaced this one"));
        }
        self.end(run, ExitReason::Person, why);
    }

    fn request_checkpoint(&mut self, run: &mut Run, reason: CheckpointReason) {
        if run.link.state() == LinkState::Ready {
            run.checkpoints.requested_at = Some(self.now());
            run.link.send(self.wall(), CheckpointRequest { reason });
        }
    }

    /// Requests a checkpoint because the log has grown, unless one was requested lately.
    pub(super) fn want_checkpoint(&mut self, run: &mut Run, reason: CheckpointReason) {
        let now = self.now();
        let is_requested = run
            .checkpoints
            .requested_at
            .is_some_and(|at| now.saturating_sub(at) < CHECKPOINT_AGAIN);
        if !is_requested {
            self.request_checkpoint(run, reason);
        }
    }

    /// Tells the process that nobody waits for its answer any more; where it is not known why, its time says whether that is
    /// over.
    fn withdraw(&mut self, run: &mut Run, known: Option<CancelReason>) {
        let now = self.now();
        if let Some((request_id, is_late)) = self.turns.withdraw(now) {
            let by_time = if is_late { CancelReason::Deadline } else { CancelReason::Abort };
            let reason = known.unwrap_or(by_time);
            run.link.send(self.wall(), ProcessCancel { request_id, reason });
            run.clocks.withdrawn(now);
        }
    }

    /// Gives the process its next turn, if it may be asked and one waits.
    fn ask_next_turn(&mut self, run: &mut Run) {
        if run.link.state() == LinkState::Older {
            let version = run.link.version();
            let message = format!(
                "the agent's process speaks version {version} of the protocol, which cannot \
                 answer turns: it has to say hello in version 3"
            );
            self.turns.fail_waiting(&abide_domain::turn::MindError::Rejected { message });
        }
        if let Some(by) = self.turns.yield_by() {
            run.clocks.yield_by(by);
        }
        let may_ask = run.link.state() == LinkState::Ready
            && run.ending.is_none()
            && !run.link.is_closed()
            // What may be about to be killed gets nothing new; where it is heard again, it does.
            && !run.clocks.is_unresponsive()
            && !self.turns.is_open()
            && self.may_answer(run);
        if may_ask && let Some((turn, left)) = self.turns.next(self.now()) {
            self.send_turn(run, turn, left);
        }
    }

    fn check_timers(&mut self, run: &mut Run) {
        let now = self.now();
        // What waits in the pipe because the disk is behind does not count as silence.
        if run.link.take_received() || run.disk.is_behind() {
            self.note_heard(run);
        }
        for alarm in run.clocks.check(now) {
            self.handle_alarm(run, alarm);
        }
        if let Some(step) = run.ending.as_mut().and_then(|ending| ending.step(now)) {
            match (step, &run.process) {
                (KillStep::Terminate, Some(process)) => process.terminate(),
                _ => run.kill(),
            }
        }
        if run.close_by.is_some_and(|at| now >= at) {
            run.close_by = None;
            run.link.close();
            if run.process_end.is_none() {
                let (reason, truncated_frame) = match run.truncated_frame.take() {
                    Some(truncated_frame) => (ExitReason::Protocol, format!("{truncated_frame}; ")),
                    None => (ExitReason::Exited, String::new()),
                };
                run.kill_because(
                    reason,
                    format!("{truncated_frame}it closed its output and did not end"),
                );
            }
        }
        run.checkpoints.expire_waiters(now, CHECKPOINT_WAIT);
        self.check_loading(run, now);
        self.lifecycle.show_failures(run.began_at);
        self.check_workload(run, now);
    }

    fn check_workload(&mut self, run: &mut Run, now: Duration) {
        if run.link.state() != LinkState::Ready || run.ending.is_some() {
            return;
        }
        let settings = &self.shared.settings;
        let is_idle = !self.turns.is_open() && !self.turns.are_waiting();
        let may_hibernate = self.spec.start != StartMode::WithKeeper && self.is_launched();
        if may_hibernate && is_idle && now.saturating_sub(run.active_at) >= settings.hibernate_after
        {
            self.end(run, ExitReason::Hibernated, "it had nothing to do");
            return;
        }
        let is_old = now.saturating_sub(run.checkpoints.stored_at) >= settings.checkpoint_interval;
        if is_old && run.checkpoints.is_dirty {
            self.want_checkpoint(run, CheckpointReason::Interval);
        }
    }

    fn handle_alarm(&mut self, run: &mut Run, alarm: Alarm) {
        if run.ending.is_some() {
            return;
        }
        match alarm {
            Alarm::Unresponsive(silent) => {
                self.update_status(|status| status.state = ProcessState::Unresponsive);
                self.record(ProcessUnresponsive { run: run.id, silent_ms: millis(silent) });
            }
            Alarm::Ping if run.link.version() >= Version::V3 => {
                run.link.send(self.wall(), Ping { nonce: millis(self.now()) });
            }
            Alarm::Ping => {}
            Alarm::Withdraw => self.withdraw(run, Some(CancelReason::Deadline)),
            Alarm::Kill(Overdue::NotReady) => {
                let limit = self.shared.settings.ready_timeout;
                let message = format!("it was not ready within {limit:?}");
                run.kill_because(ExitReason::NotReady, message);
            }
            Alarm::Kill(Overdue::Silent(silent)) => {
                let message = format!("nothing was heard from it for {} s", silent.as_secs());
                run.kill_because(ExitReason::Silent, message);
            }
            Alarm::Kill(Overdue::NotYielded(grace)) => {
                let message = format!("it did not give up a withdrawn turn within {grace:?}");
                run.kill_because(ExitReason::Deadline, message);
            }
        }
    }
}

/// What is known of the process itself: first its id, then its end.
async fn next_process_event(process: Option<&mut Process>, is_pid_known: bool) -> WakeEvent {
    match process {
        Some(process) if is_pid_known => WakeEvent::Ended(process.ended().await),
        Some(process) => WakeEvent::Started(process.started().await),
        None => std::future::pending().await,
    }
}

/// A lost frame boundary, for a person. Frames may follow a print, so that not all of the noise is text.
fn format_lost_boundary(lost: &LostBoundaryError) -> String {
    let begins_as_text =
        lost.noise.iter().take(NOISE_START_BYTES).all(|b| matches!(b, b' '..=b'~' | b'\n'));
    if begins_as_text && !lost.is_text() {
        format!("{lost} (it begins as text: logs belong on stderr)")
    } else {
        lost.to_string()
    }
}
