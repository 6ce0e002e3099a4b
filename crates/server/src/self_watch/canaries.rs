//! Whether the runtime and its pool of blocking threads still run anything: each is given a small task again and again.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::SelfWatch;

/// How often each is tried.
const TRY_EVERY: Duration = Duration::from_secs(1);

/// Tries both until it is told to stop. A pool that is full gets one task, which waits, and no others.
pub(crate) async fn run_canaries(watch: SelfWatch, stop: CancellationToken) {
    let runtime = watch.watch_signs("the runtime");
    let pool = watch.watch_signs("the pool of blocking threads");
    let mut trying = None;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(TRY_EVERY) => {}
        }
        runtime.done(watch.now());
        if trying.as_ref().is_none_or(tokio::task::JoinHandle::is_finished) {
            let (pool, watch) = (pool.clone(), watch.clone());
            trying = Some(tokio::task::spawn_blocking(move || pool.done(watch.now())));
        }
    }
}
