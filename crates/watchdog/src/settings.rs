//! The settings of `[watchdog]`, and the bounds that are no matter of configuration.

use std::time::Duration;

/// How far the loop may be late, or the wall clock ahead, before the time between counts as not watched (decision 32).
pub(crate) const LATE_MAX: Duration = Duration::from_secs(2);
/// How long one delivery, or one look, may take before it counts as failed.
pub(crate) const DELIVERY_MAX: Duration = Duration::from_secs(10);
/// The pause after the first failed attempt to tell a person; each further one doubles it.
const RETRY_FIRST: Duration = Duration::from_secs(30);
/// The longest pause between two attempts to tell a person: it never gives up.
const RETRY_MAX: Duration = Duration::from_mins(10);
/// Attempts to tell a service that something is over.
pub const CLOSING_ATTEMPTS_MAX: u32 = 3;
/// How old a failure to reach a model may be and still speak of the network as it is.
pub(crate) const UNREACHED_MAX: Duration = Duration::from_mins(5);
/// Agents whose newest askings failed on the way before the network is taken to be down; fewer where there are no more.
pub(crate) const UNREACHED_AGENTS: usize = 2;
/// Hosts that an outage names.
pub(crate) const HOSTS_NAMED_MAX: usize = 5;
/// How soon it looks again at something that is overdue and cannot be done yet.
pub(crate) const REWRITE_AFTER: Duration = Duration::from_secs(1);
/// Agents that share one page.
pub(crate) const PAGE_LINES_MAX: usize = 20;
/// Spans in which nobody was watched that are remembered apart; older ones grow together.
pub(crate) const SPANS_MAX: usize = 64;
/// Commands that wait.
pub(crate) const REQUESTS_MAX: usize = 64;
/// The longest silence or acknowledgement: nothing is silenced for ever.
pub(crate) const SILENCE_MAX: Duration = Duration::from_hours(30 * 24);
/// Longest words of a role that are recorded, in Unicode scalar values.
pub(crate) const MESSAGE_CHARS_MAX: usize = 500;

/// The pause after so many failed attempts to tell a person.
pub fn retry_pause(failed: u32) -> Duration {
    let doublings = failed.saturating_sub(1).min(16);
    RETRY_FIRST.saturating_mul(1 << doublings).min(RETRY_MAX)
}

/// When silence counts, and how long each rung has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchdogTimings {
    /// Time between two scans.
    pub interval: Duration,
    /// Silence strictly longer than this is a stall, before fatigue and confidence move it.
    pub threshold: Duration,
    /// Time that the bell has to work.
    pub bell_window: Duration,
    /// Time that a page has to work.
    pub channel_window: Duration,
    /// Time after a page in which the same agent is not paged again.
    pub cooldown: Duration,
    /// Time after its registration in which an agent cannot stall.
    pub grace: Duration,
}

impl Default for WatchdogTimings {
    fn default() -> Self {
        Self {
            interval: Duration::from_mins(1),
            threshold: Duration::from_mins(5),
            bell_window: Duration::from_secs(30),
            channel_window: Duration::from_mins(2),
            cooldown: Duration::from_mins(3),
            grace: Duration::from_mins(1),
        }
    }
}
