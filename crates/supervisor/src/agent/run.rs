//! What belongs to one run of an agent's process: the process, its link, its clocks, its state on the disk.
//!
//! Dropped as a whole when the run is over; nothing of it reaches the next run.

use std::time::Duration;

use abide_domain::{
    RunId,
    event::{ExitReason, ProcessStarted},
};

use crate::{
    checkpoint::StoredCheckpoint,
    clocks::{RunClocks, TimeLimits},
    disk_limit::{DiskExcess, DiskWatch},
    lifecycle::{KillSequence, RunExit, is_requested},
    link::{Connection, Link},
    private::RestoredState,
    process::{Process, ProcessEnd},
    stderr::LastWords,
    supervisor::{ProcessCommandError, Reply},
};

use super::{disk::StateDisk, follow_up::FollowUp, loaded_code::RunCode};

/// Checkpoints that persons may wait for at once.
const WAITERS_MAX: usize = 8;

/// One run.
pub(super) struct Run {
    pub(super) id: RunId,
    /// On the monotonic clock.
    pub(super) began_at: Duration,
    pub(super) start: PendingStart,
    pub(super) process: Option<Process>,
    pub(super) last_words: LastWords,
    /// How the process ended, once it has.
    pub(super) process_end: Option<ProcessEnd>,
    /// How long the end of the link is waited for after that, or the end of the process after the link's.
    pub(super) close_by: Option<Duration>,
    pub(super) link: Link,
    pub(super) disk: StateDisk,
    /// What the process itself keeps on the disk, as opposed to its private state.
    pub(super) disk_watch: DiskWatch<DiskExcess>,
    pub(super) clocks: RunClocks,
    pub(super) ending: Option<KillSequence>,
    /// The first reason to end it: what follows from it (a broken pipe, a signal) is not another.
    exit: Option<RunExit>,
    /// An error that the process called fatal, outside of any turn.
    pub(super) fatal_error: Option<String>,
    /// Where its frames ended inside one: a fault of a process that ended by itself, not of one that was ended.
    pub(super) truncated_frame: Option<String>,
    /// What follows, where a person ended it.
    pub(super) follow_up: Option<FollowUp>,
    /// A link that takes this one's place.
    pub(super) next_connection: Option<Box<Connection>>,
    /// The first message of a link that came by itself.
    pub(super) hello: Option<abide_wire::Message<abide_wire::FromAgent>>,
    /// What is sent to the process once it has said which version it speaks.
    pub(super) restored: Option<RestoredState>,
    /// The checkpoint and the number of entries that were sent.
    pub(super) restored_from: (Option<uuid::Uuid>, u64),
    /// The sequences up to which the process may say that it has restored: the last that was sent, and the last there is.
    pub(super) restored_through: (u64, u64),
    pub(super) was_ready: bool,
    /// By which number the outbox knows the open turn.
    pub(super) request_number: u64,
    pub(super) durable: u64,
    pub(super) has_stored: bool,
    pub(super) checkpoints: CheckpointSchedule,
    pub(super) pings: PendingPings,
    /// Code that it loads beside its own.
    pub(super) code: RunCode,
    /// When it was last at work, as opposed to alive.
    pub(super) active_at: Duration,
}

/// The start of a run: recorded once the process id is known and the state was opened.
#[derive(Debug, Default)]
pub(super) struct PendingStart {
    /// None once it was recorded.
    pub(super) event: Option<ProcessStarted>,
    /// Whether the process id is known, or that there is none.
    pub(super) is_pid_known: bool,
    /// Whether the state was opened, or could not be.
    pub(super) is_state_opened: bool,
}

/// Checkpoints of a run: when one is to be asked for, and who waits for one.
#[derive(Debug)]
pub(super) struct CheckpointSchedule {
    /// When one was made, or the run began.
    pub(super) stored_at: Duration,
    /// When one was requested that has not come yet.
    pub(super) requested_at: Option<Duration>,
    /// Whether the agent has worked since.
    pub(super) is_dirty: bool,
    /// Persons that wait for one, and until when.
    pub(super) waiters: Vec<(Reply<StoredCheckpoint>, Duration)>,
}

impl CheckpointSchedule {
    fn new(now: Duration) -> Self {
        Self { stored_at: now, requested_at: None, is_dirty: false, waiters: Vec::new() }
    }

    /// Adds a person that waits; not without bound.
    pub(super) fn wait(&mut self, reply: Reply<StoredCheckpoint>, until: Duration) {
        if self.waiters.len() >= WAITERS_MAX {
            drop(reply.send(Err(ProcessCommandError::conflict(
                "a checkpoint was requested already: wait for it",
            ))));
            return;
        }
        self.waiters.push((reply, until));
    }

    /// Fails those that have waited too long.
    pub(super) fn expire_waiters(&mut self, now: Duration, waited: Duration) {
        for (reply, _) in self.waiters.extract_if(.., |(_, until)| now >= *until) {
            drop(reply.send(Err(ProcessCommandError::TimedOut { seconds: waited.as_secs() })));
        }
    }
}

/// Who waits for a pong: by which nonce, and since when.
#[derive(Debug, Default)]
pub(super) struct PendingPings(Vec<(u64, Duration, Reply<Duration>)>);

impl PendingPings {
    /// Adds one that waits; not without bound, and those that have gone wait no longer.
    pub(super) fn push(&mut self, nonce: u64, now: Duration, reply: Reply<Duration>) -> bool {
        self.0.retain(|(_, _, reply)| !reply.is_closed());
        if self.0.len() >= WAITERS_MAX {
            drop(reply.send(Err(ProcessCommandError::conflict(
                "the agent's process was pinged already: wait for its answer",
            ))));
            return false;
        }
        self.0.push((nonce, now, reply));
        true
    }

    /// Answers those that wait for this nonce.
    pub(super) fn resolve(&mut self, nonce: u64, now: Duration) {
        for (_, since, reply) in self.0.extract_if(.., |(asked, ..)| *asked == nonce) {
            drop(reply.send(Ok(now.saturating_sub(since))));
        }
    }
}

impl Run {
    pub(super) fn new(id: RunId, now: Duration, limits: TimeLimits, link: Link) -> Self {
        Self {
            id,
            began_at: now,
            start: PendingStart::default(),
            process: None,
            last_words: LastWords::none(),
            process_end: None,
            close_by: None,
            link,
            disk: StateDisk::default(),
            disk_watch: DiskWatch::until_exceeded(None),
            clocks: RunClocks::new(limits, now),
            ending: None,
            exit: None,
            fatal_error: None,
            truncated_frame: None,
            follow_up: None,
            next_connection: None,
            hello: None,
            restored: None,
            restored_from: (None, 0),
            restored_through: (0, 0),
            was_ready: false,
            request_number: 0,
            durable: 0,
            has_stored: false,
            checkpoints: CheckpointSchedule::new(now),
            pings: PendingPings::default(),
            code: RunCode::default(),
            active_at: now,
        }
    }

    /// Says why it ends. The first reason stands.
    pub(super) fn set_exit(&mut self, reason: ExitReason, message: impl Into<String>) {
        self.exit.get_or_insert_with(|| RunExit { reason, message: message.into() });
    }

    /// Why it has ended: the first reason of all, with how the process took it.
    pub(super) fn exit(&self) -> RunExit {
        let closed =
            || RunExit { reason: ExitReason::Exited, message: "it closed the connection".into() };
        let process = self.process_end.as_ref().map(RunExit::from);
        let ended_itself = process.as_ref().is_none_or(|exit| exit.reason == ExitReason::Exited);
        if let (None, None, Some(truncated), true) =
            (&self.exit, &self.fatal_error, &self.truncated_frame, ended_itself)
        {
            let message = format!("{truncated}; {}", process.unwrap_or_else(closed).message);
            return RunExit { reason: ExitReason::Protocol, message };
        }
        match (&self.exit, process) {
            (Some(exit), Some(process)) if !is_requested(exit.reason) => RunExit {
                reason: exit.reason,
                message: format!("{}; {}", exit.message, process.message),
            },
            (Some(exit), _) => exit.clone(),
            (None, Some(process)) => match &self.fatal_error {
                None => process,
                Some(fatal) => RunExit {
                    reason: ExitReason::Fatal,
                    message: format!("{fatal}; {}", process.message),
                },
            },
            (None, None) => closed(),
        }
    }

    /// Whether nothing of it is left.
    pub(super) fn is_over(&self) -> bool {
        let is_gone = self.process.is_none() || self.process_end.is_some();
        is_gone && self.link.is_closed() && self.disk.is_idle()
    }

    /// Kills it, and says why.
    pub(super) fn kill_because(&mut self, reason: ExitReason, message: impl Into<String>) {
        self.set_exit(reason, message);
        self.kill();
    }

    /// Kills it.
    pub(super) fn kill(&mut self) {
        self.ending = Some(KillSequence::Killed);
        match &self.process {
            Some(process) => process.kill(),
            None => self.link.close(),
        }
    }

    /// Fails those that wait for a checkpoint or a pong.
    pub(super) fn fail_waiters(&mut self, message: &str) {
        for (_, _, reply) in self.pings.0.drain(..) {
            drop(reply.send(Err(ProcessCommandError::failed(message))));
        }
        for (reply, _) in self.checkpoints.waiters.drain(..) {
            drop(reply.send(Err(ProcessCommandError::failed(message))));
        }
    }

    /// The process was at work: it is not idle, and its last checkpoint is out of date.
    pub(super) fn mark_active(&mut self, now: Duration) {
        self.active_at = now;
        self.checkpoints.is_dirty = true;
    }
}
