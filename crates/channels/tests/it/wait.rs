//! Waiting for what is to have happened: looks again and again until it has, and fails after a time in which it always has.

use std::time::Duration;

use tokio::time::{sleep, timeout};

/// In which everything that a test waits for happens, on a machine that is busy with other things.
pub(crate) const LONG: Duration = Duration::from_mins(1);

/// Waits until `look` gives something.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LONG, looking).await.unwrap_or_else(|_| panic!("{what} did not happen"))
}
