//! Scans the library: at the start, every so often, and when somebody asks; one scan at a time, on a thread that yields to all others.

use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use abide_domain::{Clock, Timestamp};
use abide_media::{Library, ScanDepth, ScanProgress, ScanSummary};
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use super::limits::MISSING_MAX;

/// How little a scan's thread gets where others want to run.
const NICE: i32 = 19;

/// What the scan is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ScanStage {
    /// It waits.
    #[default]
    Idle,
    /// It runs.
    Scanning,
    /// The last one failed.
    Failed,
}

/// What is known of scans.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScanReport {
    /// What it is at.
    pub(crate) stage: ScanStage,
    /// Why the last one failed.
    pub(crate) why: Option<String>,
    /// Files that the running one has read, and is to read.
    pub(crate) progress: ScanProgress,
    /// When the last one ended.
    pub(crate) finished_at: Option<Timestamp>,
    /// What the last one that ended found.
    pub(crate) found: Option<ScanSummary>,
}

/// Where scans are asked for and looked at. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct ScanHandle {
    inner: Arc<HandleInner>,
}

#[derive(Debug, Default)]
struct HandleInner {
    report: Mutex<ScanReport>,
    wanted: Notify,
    /// The next one reads all files.
    is_thorough: AtomicBool,
    /// The first one has ended, well or not.
    first_ended: CancellationToken,
}

impl ScanHandle {
    /// What is known.
    pub(super) fn report(&self) -> ScanReport {
        self.lock().clone()
    }

    /// Asks for a scan. One that runs is not begun anew, but another one follows where all files are to be read.
    pub(super) fn start(&self, depth: ScanDepth) {
        let is_thorough = depth == ScanDepth::Everything;
        self.inner.is_thorough.fetch_or(is_thorough, Ordering::Relaxed);
        if is_thorough || self.lock().stage != ScanStage::Scanning {
            self.inner.wanted.notify_one();
        }
    }

    /// Says that the first scan has ended, well or not.
    pub(super) fn first_ended(&self) -> &CancellationToken {
        &self.inner.first_ended
    }

    fn lock(&self) -> MutexGuard<'_, ScanReport> {
        self.inner.report.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The task that scans.
pub(super) struct LibraryScanner {
    pub(super) library: Arc<Library>,
    pub(super) handle: ScanHandle,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) rescan: Option<Duration>,
}

impl LibraryScanner {
    /// Scans until it is stopped. A scan that is stopped goes on at the next start where it was.
    pub(super) async fn run(self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            self.scan(&stop).await;
            let pause = async {
                match self.rescan {
                    Some(rescan) => tokio::time::sleep(rescan).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = stop.cancelled() => {}
                () = pause => {}
                () = self.handle.inner.wanted.notified() => {}
            }
        }
    }

    async fn scan(&self, stop: &CancellationToken) {
        let is_thorough = self.handle.inner.is_thorough.swap(false, Ordering::Relaxed);
        let depth = if is_thorough { ScanDepth::Everything } else { ScanDepth::Changes };
        {
            let mut report = self.handle.lock();
            report.stage = ScanStage::Scanning;
            report.progress = ScanProgress::default();
        }
        let (done, ended) = oneshot::channel();
        let (library, handle, now) =
            (Arc::clone(&self.library), self.handle.clone(), self.clock.now());
        let halt = stop.clone();
        let work = move || {
            yield_to_others();
            let mut hear = |progress| {
                handle.lock().progress = progress;
                if halt.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let scanned = library.scan(depth, now, &mut hear);
            let scanned = scanned.and_then(|summary| {
                library.forget_missing(now, MISSING_MAX)?;
                Ok(summary)
            });
            // Nobody waits where the keeper stops.
            let _stopped = done.send(scanned.map_err(|error| error.to_string()));
        };
        // A thread of its own: its low priority must not be that of the pool's.
        let thread = std::thread::Builder::new().name("music-scan".to_owned()).spawn(work);
        let scanned = match thread {
            Err(error) => Err(format!("the scan could not be started: {error}")),
            Ok(_detached) => match stop.run_until_cancelled(ended).await {
                // A folder that does not answer must not hold the keeper up.
                None => return,
                Some(Ok(scanned)) => scanned,
                Some(Err(_)) => Err("the scan ended by itself; see the keeper's log".to_owned()),
            },
        };
        self.report(scanned);
    }

    fn report(&self, scanned: Result<ScanSummary, String>) {
        self.note(scanned);
        self.handle.inner.first_ended.cancel();
    }

    fn note(&self, scanned: Result<ScanSummary, String>) {
        let mut report = self.handle.lock();
        report.finished_at = Some(self.clock.now());
        match scanned {
            Ok(summary) => {
                tracing::info!(
                    event = "music_scanned",
                    found = summary.found,
                    added = summary.added,
                    missing = summary.missing,
                    "the music library is up to date"
                );
                (report.stage, report.why) = (ScanStage::Idle, None);
                report.found = Some(summary);
            }
            Err(why) => {
                tracing::warn!(
                    event = "music_scan_failed",
                    why,
                    "the music library was not scanned"
                );
                (report.stage, report.why) = (ScanStage::Failed, Some(why));
            }
        }
    }
}

/// Lowers the priority of this thread, and so of those that it starts. On other systems it would be that of the whole keeper.
#[cfg(target_os = "linux")]
fn yield_to_others() {
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::debug!(%error, event = "scan_priority", "the scan runs with the priority of the keeper");
    }
}

#[cfg(not(target_os = "linux"))]
fn yield_to_others() {
    let _ = NICE;
}
