//! What belongs to one run of an agent's process: the process, its link, its clocks, its state on the disk.
//!
//! Dropped as a whole when the run is over; nothing of it reaches the next run.

use std::time::Duration;

use abide_domain::{
    RunId,
    event::{ExitReason, ProcessStarted, StartCause},
};

use crate::{
    checkpoint::StoredCheckpoint,
    clocks::{Clocks, Patience},
    link::{Connection, Link},
    process::{Process, ProcessEnd, Spawn},
    roster::{Launch, ProcessCommandError, ProcessState, Reply},
    stderr::{LastWords, StderrLog},
};

use super::{
    Agent,
    disk::Disk,
    ending::{self, Ending, Then, Verdict},
};

/// Checkpoints that persons may wait for at once.
const WAITERS_MAX: usize = 8;

/// One run.
pub(super) struct Run {
    pub(super) id: RunId,
    /// On the monotonic clock.
    pub(super) began_at: Duration,
    pub(super) beginning: Beginning,
    pub(super) process: Option<Process>,
    last_words: Option<LastWords>,
    /// How the process ended, once it has.
    pub(super) exit: Option<ProcessEnd>,
    /// How long the end of the link is waited for after that, or the end of the process after the link's.
    pub(super) close_by: Option<Duration>,
    pub(super) link: Link,
    pub(super) disk: Disk,
    pub(super) clocks: Clocks,
    pub(super) ending: Option<Ending>,
    verdict: Option<Verdict>,
    /// An error of its own that it called fatal, outside of any turn.
    pub(super) fatal: Option<String>,
    /// Where its frames ended inside one: a fault of a process that ended by itself, not of one that was ended.
    pub(super) cut_off: Option<String>,
    /// What follows, where a person ended it.
    pub(super) then: Option<Then>,
    /// A link that takes this one's place.
    pub(super) next_link: Option<Box<Connection>>,
    /// The first message of a link that came by itself.
    pub(super) hello: Option<abide_wire::Message<abide_wire::FromAgent>>,
    /// What is to be given back, until the peer has spoken.
    pub(super) restored: Option<crate::private::Restored>,
    /// The checkpoint and the number of entries that were given back.
    pub(super) given_back: (Option<uuid::Uuid>, u64),
    pub(super) was_ready: bool,
    /// By which number the outbox knows the open turn.
    pub(super) asked: u64,
    pub(super) durable: u64,
    pub(super) has_stored: bool,
    pub(super) keeping: Keeping,
    pub(super) pings: Pings,
    /// When it was last at work, as opposed to alive.
    pub(super) active_at: Duration,
}

/// How a run began: recorded once all that belongs to it is known.
#[derive(Debug, Default)]
pub(super) struct Beginning {
    /// None once it was recorded.
    pub(super) event: Option<ProcessStarted>,
    /// Whether it is known under which number it runs, or that it has none.
    pub(super) is_pid_known: bool,
    /// Whether the state was opened, or could not be.
    pub(super) is_opened: bool,
}

/// Checkpoints of a run: when one is to be asked for, and who waits for one.
#[derive(Debug)]
pub(super) struct Keeping {
    /// When one was made, or the run began.
    pub(super) kept_at: Duration,
    /// When one was asked for and did not come yet.
    pub(super) asked_at: Option<Duration>,
    /// Whether the agent has worked since.
    pub(super) is_dirty: bool,
    /// Persons that wait for one, and until when.
    pub(super) waiters: Vec<(Reply<StoredCheckpoint>, Duration)>,
}

impl Keeping {
    fn new(now: Duration) -> Self {
        Self { kept_at: now, asked_at: None, is_dirty: false, waiters: Vec::new() }
    }

    /// One more waits; not without bound.
    pub(super) fn wait(&mut self, reply: Reply<StoredCheckpoint>, until: Duration) {
        if self.waiters.len() >= WAITERS_MAX {
            drop(
                reply
                    .send(Err(ProcessCommandError::conflict("a checkpoint is on its way already"))),
            );
            return;
        }
        self.waiters.push((reply, until));
    }

    /// Those that have waited too long are told so.
    pub(super) fn let_go(&mut self, now: Duration, waited: Duration) {
        for (reply, _) in self.waiters.extract_if(.., |(_, until)| now >= *until) {
            drop(reply.send(Err(ProcessCommandError::TimedOut { seconds: waited.as_secs() })));
        }
    }
}

/// Who waits for a pong: by which nonce, and since when.
#[derive(Debug, Default)]
pub(super) struct Pings(Vec<(u64, Duration, Reply<Duration>)>);

impl Pings {
    /// One more waits; not without bound, and those that have gone wait no longer.
    pub(super) fn wait(&mut self, nonce: u64, now: Duration, reply: Reply<Duration>) -> bool {
        self.0.retain(|(_, _, reply)| !reply.is_closed());
        if self.0.len() >= WAITERS_MAX {
            drop(reply.send(Err(ProcessCommandError::conflict("it is asked already"))));
            return false;
        }
        self.0.push((nonce, now, reply));
        true
    }

    /// The process has answered.
    pub(super) fn answered(&mut self, nonce: u64, now: Duration) {
        for (_, since, reply) in self.0.extract_if(.., |(asked, ..)| *asked == nonce) {
            drop(reply.send(Ok(now.saturating_sub(since))));
        }
    }
}

impl Run {
    fn new(id: RunId, now: Duration, patience: Patience, link: Link) -> Self {
        Self {
            id,
            began_at: now,
            beginning: Beginning::default(),
            process: None,
            last_words: None,
            exit: None,
            close_by: None,
            link,
            disk: Disk::default(),
            clocks: Clocks::new(patience, now),
            ending: None,
            verdict: None,
            fatal: None,
            cut_off: None,
            then: None,
            next_link: None,
            hello: None,
            restored: None,
            given_back: (None, 0),
            was_ready: false,
            asked: 0,
            durable: 0,
            has_stored: false,
            keeping: Keeping::new(now),
            pings: Pings::default(),
            active_at: now,
        }
    }

    /// Says why it ends. The first to say so is right.
    pub(super) fn judge(&mut self, reason: ExitReason, message: impl Into<String>) {
        self.verdict.get_or_insert_with(|| Verdict { reason, message: message.into() });
    }

    /// Why it has ended. Of all that was heard, whatever was heard first.
    pub(super) fn verdict(&self) -> Verdict {
        let exit = self.exit.as_ref().map(ending::by_itself);
        let is_own_end = exit.as_ref().is_none_or(|exit| exit.reason == ExitReason::Exited);
        if let (None, None, Some(cut_off), true) =
            (&self.verdict, &self.fatal, &self.cut_off, is_own_end)
        {
            let how = exit.map_or_else(|| "it closed the connection".into(), |exit| exit.message);
            let message = format!("{cut_off}; {how}");
            return Verdict { reason: ExitReason::Protocol, message };
        }
        match (&self.verdict, exit) {
            // A reason of the house is told with how the process took it.
            (Some(verdict), Some(exit)) if !ending::is_asked_for(verdict.reason) => Verdict {
                reason: verdict.reason,
                message: format!("{}; {}", verdict.message, exit.message),
            },
            (Some(verdict), _) => verdict.clone(),
            (None, Some(exit)) => match &self.fatal {
                None => exit,
                Some(fatal) => Verdict {
                    reason: ExitReason::Fatal,
                    message: format!("{fatal}; {}", exit.message),
                },
            },
            (None, None) => {
                Verdict { reason: ExitReason::Exited, message: "it closed the connection".into() }
            }
        }
    }

    /// What it wrote last on stderr.
    pub(super) fn last_words(&self) -> LastWords {
        self.last_words.clone().unwrap_or_else(LastWords::none)
    }

    /// Whether nothing of it is left.
    pub(super) fn is_over(&self) -> bool {
        let is_gone = self.process.is_none() || self.exit.is_some();
        is_gone && self.link.is_closed() && self.disk.is_idle()
    }

    /// Kills it, and says why.
    pub(super) fn kill_for(&mut self, reason: ExitReason, message: impl Into<String>) {
        self.judge(reason, message);
        self.kill();
    }

    /// Kills it.
    pub(super) fn kill(&mut self) {
        self.ending = Some(Ending::Killed);
        match &self.process {
            Some(process) => process.kill(),
            None => self.link.close(),
        }
    }

    /// Those that wait for a checkpoint or a pong get none.
    pub(super) fn fail_waiters(&mut self, message: &str) {
        for (_, _, reply) in self.pings.0.drain(..) {
            drop(reply.send(Err(ProcessCommandError::failed(message))));
        }
        for (reply, _) in self.keeping.waiters.drain(..) {
            drop(reply.send(Err(ProcessCommandError::failed(message))));
        }
    }

    /// The process was at work.
    pub(super) fn worked(&mut self, now: Duration) {
        self.active_at = now;
        self.keeping.is_dirty = true;
    }
}

impl Agent {
    /// Starts the process under its shim.
    pub(super) fn launch(&mut self, cause: StartCause) -> Result<Run, (RunId, String)> {
        let id = RunId::new(&*self.house.ids, self.wall());
        let spawn = self.spawn(id);
        let started = Process::start(&self.house.shim, &spawn);
        let (process, pipes) = started.map_err(|error| (id, super::disk::chain(&error)))?;
        let log = StderrLog::new(self.spec.id.clone(), id);
        let last_words = log.last_words();
        self.children.spawn(log.pump(pipes.stderr));
        let link = Link::new(Box::new(pipes.stdout), Box::new(pipes.stdin));
        let mut run = self.begin(id, cause, link);
        run.process = Some(process);
        run.last_words = Some(last_words);
        Ok(run)
    }

    fn spawn(&self, run: RunId) -> Spawn {
        let (program, args, folder, environment) = match &self.spec.launch {
            Launch::Stdio { program, args, folder, environment } => {
                (program.clone(), args.clone(), folder.clone(), environment.clone())
            }
            Launch::Socket => Default::default(),
        };
        let (limits, agent) = (self.spec.limits, self.spec.id.clone());
        Spawn { program, args, folder, environment, limits, agent, run }
    }

    /// Takes up the link of a process that connected by itself.
    pub(super) fn take_link(&mut self, connection: Connection) -> Run {
        let id = RunId::new(&*self.house.ids, self.wall());
        let link = Link::new(connection.source, connection.sink);
        let mut run = self.begin(id, StartCause::Connected, link);
        run.beginning.is_pid_known = true;
        run.hello = Some(connection.hello);
        run
    }

    fn begin(&mut self, id: RunId, cause: StartCause, link: Link) -> Run {
        let patience = Patience::from(&self.house.settings);
        let mut run = Run::new(id, self.now(), patience, link);
        let past = (self.starts == 0).then(|| self.house.ledger.clone());
        run.disk.open(self.place(), past);
        self.starts += 1;
        let restarts = self.starts - 1;
        let started_at = self.wall();
        self.show(|status| {
            status.state = ProcessState::Starting;
            (status.pid, status.run) = (None, Some(id));
            status.restarts = restarts;
            status.started_at = Some(started_at);
            (status.protocol, status.sdk) = (None, None);
            (status.last_progress_at, status.progress) = (None, None);
        });
        let failures = self.policy.failures();
        run.beginning.event = Some(ProcessStarted { run: id, pid: None, cause, failures });
        run
    }
}
