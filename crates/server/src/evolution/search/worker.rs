//! The thread that a search is at work on. It takes one core at most and gives way to everything else: it is the nicest of threads, and
//! rests after each generation. It holds no thread of the runtime and no lock while it measures.

use std::{sync::Arc, time::Duration};

use abide_evolution::search::{
    Cascade, RankedCase, SearchKind, SearchStep, split_by_time, starting_points,
};
use tokio::sync::oneshot;

use super::{
    parts::{SearchControl, SearchesParts},
    record::{SearchPhase, SearchRecord},
};

/// How much nicer than the keeper the thread is (0 to 19).
const NICENESS: i32 = 15;
/// After a generation it rests for this part of the time that it took.
const REST_PART: u32 = 5;
/// How long it rests at most.
const REST_MAX: Duration = Duration::from_secs(1);
/// How often it is written down at most: what a death costs, besides one generation.
const WRITE_EVERY: Duration = Duration::from_secs(1);
/// How long a search is at work at most. Then it ends with what it has found.
const WORK_MAX: Duration = Duration::from_hours(2);

/// Measures until the search is done, its time is over, or it is stopped. Errors are words for people.
pub(super) async fn measure(
    parts: &Arc<SearchesParts>,
    control: &Arc<SearchControl>,
    (record, cases): (SearchRecord, Vec<RankedCase>),
) -> Result<SearchRecord, String> {
    let (done, finished) = oneshot::channel();
    let thread = std::thread::Builder::new().name("search".to_owned());
    let worker = SearchWorker { parts: Arc::clone(parts), control: Arc::clone(control), record };
    let work = move || {
        // Nobody waits any more where the keeper stops; what was measured is written.
        drop(done.send(worker.work(cases)));
    };
    // It ends by itself: it looks at the stop signal before each expression.
    drop(thread.spawn(work).map_err(|error| format!("no thread for the search: {error}"))?);
    finished.await.map_err(|_| "the thread of the search ended unexpectedly".to_owned())
}

struct SearchWorker {
    parts: Arc<SearchesParts>,
    control: Arc<SearchControl>,
    record: SearchRecord,
}

impl SearchWorker {
    fn work(mut self, cases: Vec<RankedCase>) -> SearchRecord {
        if let Err(error) = rustix::process::nice(NICENESS) {
            tracing::debug!(event = "search_not_nice", %error, "a search runs at the keeper's priority");
        }
        let Some(mut run) = self.record.run.take() else { return self.record };
        let (tuned, held_out) = split_by_time(cases);
        let points = starting_points(SearchKind::Structure);
        let Some(today) = points.first() else { return self.record };
        let cascade = Cascade::new(&tuned, today);
        let clock = Arc::clone(&self.parts.keeper.services().clock);
        let is_stopped = || self.control.stop.is_cancelled();
        let (started_from, began) =
            (Duration::from_millis(self.record.worked_ms), clock.monotonic());
        let mut rested = Duration::ZERO;
        let mut written = None;
        loop {
            let before = clock.monotonic();
            let step = run.step(&cascade, &is_stopped);
            let now = clock.monotonic();
            let worked = started_from + now.saturating_sub(began).saturating_sub(rested);
            self.record.worked_ms = u64::try_from(worked.as_millis()).unwrap_or(u64::MAX);
            if step == SearchStep::Interrupted {
                self.record.run = Some(run);
                return self.record;
            }
            if step == SearchStep::Done || worked >= WORK_MAX {
                break;
            }
            self.record.run = Some(run.clone());
            self.control.show(self.record.status(SearchPhase::Searching));
            if written.is_none_or(|at| now.saturating_sub(at) >= WRITE_EVERY) {
                self.write();
                written = Some(now);
            }
            std::thread::park_timeout((now.saturating_sub(before) / REST_PART).min(REST_MAX));
            rested += clock.monotonic().saturating_sub(now);
        }
        self.record.report = Some(run.report(&tuned, &held_out));
        self.record.run = Some(run);
        self.record
    }

    /// A search that cannot be written goes on all the same: only a death would cost more.
    fn write(&self) {
        if let Err(error) = self.parts.folder.write_search(&self.record) {
            tracing::warn!(agent = %self.record.agent, event = "search_not_written", %error,
                "how far a search is could not be written; after a death it would go on from before");
        }
    }
}
