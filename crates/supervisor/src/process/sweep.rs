//! The tree of a shim that was killed itself, found by the run in its environment.
//!
//! The last resort: while its shim lives, a tree is ended by the shim alone. A process that changed its environment is not
//! found. It must never signal a process that does not name this very run.

use std::{fs, path::Path, time::Duration};

use abide_domain::RunId;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::environment::RUN_VARIABLE;

/// Rounds of killing, for processes that were started during the round before or cannot end yet.
const ROUNDS_MAX: u32 = 200;
const ROUND: Duration = Duration::from_millis(10);

/// Kills what is left of `run` and returns once nothing is, or when there is no hope. Cancel-safe.
pub(super) async fn sweep(run: RunId) {
    let mark = format!("{RUN_VARIABLE}={run}");
    for _ in 0..ROUNDS_MAX {
        if kill_marked(mark.as_bytes()) == 0 {
            return;
        }
        tokio::time::sleep(ROUND).await;
    }
    tracing::error!(%run, event = "orphans_not_killed", "cannot end all processes of a run whose shim was lost");
}

/// How many were found.
fn kill_marked(mark: &[u8]) -> usize {
    let Ok(entries) = fs::read_dir("/proc") else { return 0 };
    let mut found = 0;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
        // Opened before it is looked at: the number cannot pass to another in between.
        let process = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        if let Some(process) = process.filter(|_| is_marked(&entry.path(), mark)) {
            found += 1;
            pidfd_send_signal(process, Signal::KILL).ok();
        }
    }
    found
}

/// A process that has ended but is not collected has no environment, and is not counted.
fn is_marked(process: &Path, mark: &[u8]) -> bool {
    fs::read(process.join("environ"))
        .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(|line| line == mark))
}
