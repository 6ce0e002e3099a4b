//! What is known about a server right now, for people and pages. No mind is shown any of it.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use abide_domain::Timestamp;
use serde::Serialize;

use crate::limits::DECLINED_LOG_EVERY;

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum McpState {
    /// A process is being started, or has not listed its tools yet.
    Starting,
    /// Calls go through.
    Ready,
    /// The process ended or did not start; it is started again after a wait.
    Waiting,
    /// The remote server takes requests of a person who logged in there; somebody has to.
    LoginNeeded,
    /// It was stopped, for good.
    Stopped,
}

/// Which of the two lifecycles a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum McpLifecycle {
    /// `initialize`, then `initialized`.
    Initialize,
    /// `server/discover`, with the context in each request.
    Discover,
}

/// What a server wrote on stdout that is no message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SkippedLines {
    /// Lines that are not JSON.
    pub not_json: u64,
    /// JSON that is no message: lists, texts, objects of other kinds.
    pub not_a_message: u64,
    /// Lines that were too long to be read whole.
    pub too_long: u64,
}

/// What a server asked and nobody granted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeclinedRequests {
    /// How many.
    pub count: u64,
    /// Why the last one was.
    pub last_reason: Option<String>,
}

/// A tool that is not offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WithheldTool {
    /// The tool, by the server's own name, with everything hidden in it made visible.
    pub tool: String,
    /// Why.
    pub reason: String,
}

/// All that is known about a server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct McpStatus {
    /// Its name in the settings.
    pub server: String,
    /// Where its connection stands.
    pub state: McpState,
    /// The leader of its processes.
    pub pid: Option<u32>,
    /// The address of a remote server, without its query.
    pub address: Option<String>,
    /// Why somebody has to log in at it.
    pub login_needed: Option<String>,
    /// The name that it gives itself.
    pub server_name: Option<String>,
    /// Its version.
    pub server_version: Option<String>,
    /// The version of the protocol.
    pub protocol_version: Option<String>,
    /// Its lifecycle, remembered from its last start.
    pub lifecycle: Option<McpLifecycle>,
    /// What it would have a mind read. No mind does.
    pub instructions: Option<String>,
    /// How many of its tools are offered.
    pub tools: usize,
    /// Tools that cannot be used, and why.
    pub dropped: Vec<WithheldTool>,
    /// How often a process was started, or a session with a remote server.
    pub starts: u64,
    /// How often the list of tools was read.
    pub listings: u64,
    /// What its lists lack: a cursor that came again, too many pages or tools.
    pub list_problem: Option<String>,
    /// Lines that were skipped, of all its processes.
    pub skipped: SkippedLines,
    /// Questions to people, models and folders that were refused, and requests that could not be read.
    pub declined: DeclinedRequests,
    /// Since when no call goes through.
    pub broken_since: Option<Timestamp>,
    /// The last thing that went wrong with the connection.
    pub last_error: Option<String>,
    /// The newest of what it wrote on stderr.
    pub stderr_tail: String,
}

/// Counts that tasks of a connection add to.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) not_json: AtomicU64,
    pub(crate) not_a_message: AtomicU64,
    pub(crate) too_long: AtomicU64,
    /// Processes that were started.
    pub(crate) starts: AtomicU64,
    declined: Mutex<Declined>,
}

/// What was refused, and how much of it the log has.
#[derive(Debug, Default)]
struct Declined {
    requests: DeclinedRequests,
    /// When the log last had a line about it, and of how many it knew.
    logged: Option<(Duration, u64)>,
}

impl Declined {
    /// How many the log does not know, where it is time for a line.
    fn due(&mut self, now: Duration) -> Option<u64> {
        let (at, known) = self.logged.unwrap_or_default();
        let is_due = self.logged.is_none() || now.saturating_sub(at) >= DECLINED_LOG_EVERY;
        is_due.then(|| {
            self.logged = Some((now, self.requests.count));
            self.requests.count - known
        })
    }
}

impl Counts {
    /// One more.
    pub(crate) fn add(count: &AtomicU64) {
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes a refusal. A server may ask as often as it likes; the log has one line a minute about it.
    pub(crate) fn decline(&self, server: &str, reason: &str, now: Duration) {
        let due = {
            let mut declined = self.declined.lock().unwrap_or_else(PoisonError::into_inner);
            declined.requests.count += 1;
            declined.requests.last_reason = Some(reason.to_owned());
            declined.due(now)
        };
        if let Some(requests) = due {
            tracing::warn!(
                server,
                requests,
                event = "requests_declined",
                reason,
                "a server asked for something that it did not get; further requests like it are counted, with one line a minute"
            );
        }
    }

    pub(crate) fn skipped(&self) -> SkippedLines {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        SkippedLines {
            not_json: read(&self.not_json),
            not_a_message: read(&self.not_a_message),
            too_long: read(&self.too_long),
        }
    }

    pub(crate) fn starts(&self) -> u64 {
        self.starts.load(Ordering::Relaxed)
    }

    pub(crate) fn declined(&self) -> DeclinedRequests {
        self.declined.lock().unwrap_or_else(PoisonError::into_inner).requests.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Declined;

    #[test]
    fn the_log_has_one_line_a_minute_about_what_is_refused() {
        let mut declined = Declined::default();
        let mut lines = Vec::new();
        for second in 0..150 {
            declined.requests.count += 1;
            lines.extend(declined.due(Duration::from_secs(second)));
        }
        assert_eq!(lines, [1, 60, 60]);
    }
}
