//! The committer: takes all queued batches, stamps them, writes once, syncs once, acknowledges once.
//!
//! Every event becomes durable here. It runs on a thread of its own ([`Committer::spawn`]), or
//! as a task of a simulator ([`Committer::run`]); both run the same steps. There is no timer that waits for more events:
//! whatever queued while the last sync ran is the next batch.

use std::{io, sync::Arc, thread::JoinHandle, time::Duration};

use abide_domain::Clock;

use crate::{
    active::WriteError,
    append::AppendError,
    shared::{LedgerStatus, Shared},
    write_queue::QueuedBatch,
    writer::Writer,
};

/// The side file is written at most this long after the first sync of a burst.
const SIDE_DELAY: Duration = Duration::from_secs(1);
/// How often a disk that refused writes is tried again.
const PROBE_INTERVAL: Duration = Duration::from_secs(5);

/// The task that writes the queued batches. Dropping it ends all writing.
#[derive(Debug)]
#[must_use = "nothing is written before the committer runs"]
pub struct Committer {
    shared: Arc<Shared>,
    writer: Writer,
    clock: Arc<dyn Clock>,
    /// When the first sync happened that the side file does not record yet.
    unrecorded_since: Option<Duration>,
}

/// What follows a step.
#[derive(PartialEq, Eq)]
enum AfterStep {
    Continue,
    Stop,
}

impl Committer {
    pub(crate) fn new(shared: Arc<Shared>, writer: Writer, clock: Arc<dyn Clock>) -> Self {
        let unrecorded_since = Some(clock.monotonic());
        Self { shared, writer, clock, unrecorded_since }
    }

    /// Runs on a thread of its own until the ledger is closed.
    pub fn spawn(mut self) -> io::Result<JoinHandle<()>> {
        std::thread::Builder::new().name("ledger".into()).spawn(move || {
            loop {
                let queued = self.shared.write_queue.take_blocking(self.wait_time());
                if self.step(queued) == AfterStep::Stop {
                    break;
                }
            }
        })
    }

    /// Runs as a task until the ledger is closed. Disk work happens inline, so this is for simulators, whose disk is
    /// memory and whose runtime has one thread and a timer.
    pub async fn run(mut self) {
        self.shared.set_inline();
        loop {
            let queued = self.next_queued().await;
            if self.step(queued) == AfterStep::Stop {
                return;
            }
        }
    }

    async fn next_queued(&self) -> Option<QueuedBatch> {
        loop {
            if let Some(queued) = self.shared.write_queue.take() {
                return Some(queued);
            }
            let ready = self.shared.write_queue.ready();
            match self.wait_time() {
                None => ready.await,
                Some(wait_time) => match tokio::time::timeout(wait_time, ready).await {
                    Ok(()) => {}
                    Err(_) => return self.shared.write_queue.take(),
                },
            }
        }
    }

    /// How long to wait for work; `None` without limit.
    fn wait_time(&self) -> Option<Duration> {
        let side = self
            .unrecorded_since
            .map(|since| SIDE_DELAY.saturating_sub(self.clock.monotonic().saturating_sub(since)));
        let probe = self.is_degraded().then_some(PROBE_INTERVAL);
        [side, probe].into_iter().flatten().min()
    }

    fn is_degraded(&self) -> bool {
        matches!(*self.shared.status.borrow(), LedgerStatus::Degraded { .. })
    }

    fn is_poisoned(&self) -> bool {
        self.shared.poison_reason().is_some()
    }

    /// One step, with the clock by which others see that it does not come to an end.
    fn step(&mut self, queued: Option<QueuedBatch>) -> AfterStep {
        self.shared.committer.begin(self.clock.monotonic());
        let after = self.work(queued);
        self.shared.committer.done(self.clock.monotonic());
        after
    }

    /// Commits what was queued; with nothing queued, does what is due.
    fn work(&mut self, queued: Option<QueuedBatch>) -> AfterStep {
        let Some(queued) = queued else {
            self.idle();
            return AfterStep::Continue;
        };
        let is_last = queued.is_last;
        self.commit(&queued);
        if let Some(seal) = &queued.seal {
            seal.resolve(self.seal());
        }
        self.shared.write_queue.finish(queued);
        if is_last {
            self.finish();
            return AfterStep::Stop;
        }
        let is_due = self
            .unrecorded_since
            .is_some_and(|since| self.clock.monotonic().saturating_sub(since) >= SIDE_DELAY);
        if is_due && !self.is_poisoned() {
            self.write_side();
        }
        AfterStep::Continue
    }

    fn commit(&mut self, queued: &QueuedBatch) {
        if queued.bodies.items.is_empty() {
            return;
        }
        if let Some(reason) = self.shared.poison_reason() {
            queued.ack.resolve(Err(AppendError::Poisoned { reason }));
            return;
        }
        let committed = match self.writer.append(&queued.bodies) {
            Ok(committed) => {
                self.shared.set_status(LedgerStatus::Ok);
                self.unrecorded_since.get_or_insert_with(|| self.clock.monotonic());
                Ok(committed)
            }
            Err(error) => Err(self.report_error(&error)),
        };
        queued.ack.resolve(committed);
    }

    fn seal(&mut self) -> Result<u64, AppendError> {
        if let Some(reason) = self.shared.poison_reason() {
            return Err(AppendError::Poisoned { reason });
        }
        let sealed = self.writer.prepare().and_then(|()| self.writer.roll());
        sealed.map_err(|error| self.report_error(&error))
    }

    /// Shows an error in the status, and turns it into an answer.
    fn report_error(&mut self, error: &WriteError) -> AppendError {
        let reason = Arc::clone(error.reason());
        match error {
            WriteError::Temporary(_) => {
                // Each append tries again: only a change is logged.
                if self.shared.set_status(LedgerStatus::Degraded { reason: Arc::clone(&reason) }) {
                    tracing::warn!(event = "ledger_degraded", %reason, "ledger cannot be written at present");
                }
                AppendError::Degraded { reason }
            }
            WriteError::Fatal(_) => {
                tracing::error!(event = "ledger_poisoned", %reason, "ledger takes no appends until a restart");
                self.shared.poison(&reason);
                AppendError::Poisoned { reason }
            }
        }
    }

    fn idle(&mut self) {
        if self.is_poisoned() {
            self.unrecorded_since = None;
            return;
        }
        if self.is_degraded() {
            match self.writer.probe() {
                Ok(()) => {
                    self.shared.set_status(LedgerStatus::Ok);
                }
                Err(error) => {
                    self.report_error(&error);
                }
            }
        }
        if self.unrecorded_since.is_some() && !self.is_poisoned() {
            self.write_side();
        }
    }

    fn write_side(&mut self) {
        self.writer.write_side();
        self.unrecorded_since = None;
    }

    fn finish(&mut self) {
        if !self.is_poisoned()
            && let Err(error) = self.writer.finish()
        {
            self.report_error(&error);
        }
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.shared.mark_closed();
    }
}
