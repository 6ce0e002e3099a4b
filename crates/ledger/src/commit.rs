//! The committer: takes what the buffer holds, stamps it, writes once, syncs once, tells everybody once.
//!
//! It is the station through which every event becomes true. It runs on a thread of its own ([`Committer::spawn`]), or
//! as a task of a simulator ([`Committer::run`]); both run the same steps. There is no timer that waits for more events:
//! whatever queued while the last sync ran is the next batch.

use std::{io, sync::Arc, thread::JoinHandle, time::Duration};

use abide_domain::Clock;

use crate::{
    active::AppendFault,
    append::AppendError,
    intake::Work,
    shared::{LedgerStatus, Shared},
    writer::Writer,
};

/// The side file is written at most this long after the first sync of a burst.
const SIDE_DELAY: Duration = Duration::from_secs(1);
/// How often a disk that took nothing is tried again.
const PROBE_INTERVAL: Duration = Duration::from_secs(5);

/// The one who writes. Dropping it ends all writing.
#[derive(Debug)]
#[must_use = "nothing is written before the committer runs"]
pub struct Committer {
    shared: Arc<Shared>,
    writer: Writer,
    clock: Arc<dyn Clock>,
    /// When the first sync happened that the side file does not tell of.
    unsided_since: Option<Duration>,
}

/// Whether a step was the last one.
#[derive(PartialEq, Eq)]
enum Next {
    Go,
    End,
}

impl Committer {
    pub(crate) fn new(shared: Arc<Shared>, writer: Writer, clock: Arc<dyn Clock>) -> Self {
        let unsided_since = Some(clock.monotonic());
        Self { shared, writer, clock, unsided_since }
    }

    /// Runs on a thread of its own until the ledger is closed.
    pub fn spawn(mut self) -> io::Result<JoinHandle<()>> {
        std::thread::Builder::new().name("ledger".into()).spawn(move || {
            loop {
                let work = self.shared.intake.take_blocking(self.patience());
                if self.step(work) == Next::End {
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
            let work = self.next_work().await;
            if self.step(work) == Next::End {
                return;
            }
        }
    }

    async fn next_work(&self) -> Option<Work> {
        loop {
            if let Some(work) = self.shared.intake.take() {
                return Some(work);
            }
            let ready = self.shared.intake.ready();
            match self.patience() {
                None => ready.await,
                Some(patience) => match tokio::time::timeout(patience, ready).await {
                    Ok(()) => {}
                    Err(_) => return self.shared.intake.take(),
                },
            }
        }
    }

    /// How long to sleep without work; `None` for as long as it takes.
    fn patience(&self) -> Option<Duration> {
        let side = self
            .unsided_since
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

    /// Does what there is to do; without work, what is due.
    fn step(&mut self, work: Option<Work>) -> Next {
        let Some(work) = work else {
            self.idle();
            return Next::Go;
        };
        let is_last = work.is_last;
        self.commit(&work);
        if let Some(seal) = &work.seal {
            seal.give(self.seal());
        }
        self.shared.intake.finish(work);
        if is_last {
            self.finish();
            return Next::End;
        }
        let is_due = self
            .unsided_since
            .is_some_and(|since| self.clock.monotonic().saturating_sub(since) >= SIDE_DELAY);
        if is_due && !self.is_poisoned() {
            self.write_side();
        }
        Next::Go
    }

    fn commit(&mut self, work: &Work) {
        if work.bodies.items.is_empty() {
            return;
        }
        if let Some(reason) = self.shared.poison_reason() {
            work.ack.give(Err(AppendError::Poisoned { reason }));
            return;
        }
        let committed = match self.writer.append(&work.bodies) {
            Ok(committed) => {
                self.shared.set_status(LedgerStatus::Ok);
                self.unsided_since.get_or_insert_with(|| self.clock.monotonic());
                Ok(committed)
            }
            Err(trouble) => Err(self.suffer(&trouble)),
        };
        work.ack.give(committed);
    }

    fn seal(&mut self) -> Result<u64, AppendError> {
        if let Some(reason) = self.shared.poison_reason() {
            return Err(AppendError::Poisoned { reason });
        }
        let sealed = self.writer.arm().and_then(|()| self.writer.roll());
        sealed.map_err(|trouble| self.suffer(&trouble))
    }

    /// Shows trouble in the status, and says it as an answer.
    fn suffer(&mut self, trouble: &AppendFault) -> AppendError {
        let reason = Arc::clone(trouble.reason());
        match trouble {
            AppendFault::Full(_) => {
                // Each append tries again: only a change is worth a line.
                if self.shared.set_status(LedgerStatus::Degraded { reason: Arc::clone(&reason) }) {
                    tracing::warn!(%reason, "the ledger cannot be written at present");
                }
                AppendError::Degraded { reason }
            }
            AppendFault::Broken(_) => {
                tracing::error!(%reason, "the ledger is closed to writes until a restart");
                self.shared.poison(&reason);
                AppendError::Poisoned { reason }
            }
        }
    }

    fn idle(&mut self) {
        if self.is_poisoned() {
            self.unsided_since = None;
            return;
        }
        if self.is_degraded() {
            match self.writer.probe() {
                Ok(()) => {
                    self.shared.set_status(LedgerStatus::Ok);
                }
                Err(trouble) => {
                    self.suffer(&trouble);
                }
            }
        }
        if self.unsided_since.is_some() && !self.is_poisoned() {
            self.write_side();
        }
    }

    fn write_side(&mut self) {
        self.writer.write_side();
        self.unsided_since = None;
    }

    fn finish(&mut self) {
        if !self.is_poisoned()
            && let Err(trouble) = self.writer.finish()
        {
            self.suffer(&trouble);
        }
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.shared.end();
    }
}
