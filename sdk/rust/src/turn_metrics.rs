//! Metrics that an agent reports every ten seconds, in milliseconds, bytes and per second, from its newest finished turns.
//! What is not known is left out.

use std::{collections::VecDeque, time::Duration};

use abide_wire::{Extra, Metrics};
use tokio::time::Instant;

use crate::limits::{METRICS_INTERVAL, METRICS_TURNS_MAX};

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnOutcome {
    Answered,
    Failed,
}

/// The newest finished turns: when, how long, how they ended.
#[derive(Debug, Default)]
pub(crate) struct TurnMetrics {
    turns: VecDeque<(Instant, Duration, TurnOutcome)>,
}

impl TurnMetrics {
    /// Adds a finished turn.
    pub(crate) fn add(&mut self, now: Instant, took: Duration, outcome: TurnOutcome) {
        if self.turns.len() >= METRICS_TURNS_MAX {
            self.turns.pop_front();
        }
        self.turns.push_back((now, took, outcome));
    }

    /// The metrics of the newest turns.
    #[expect(clippy::cast_precision_loss, reason = "at most a thousand turns")]
    pub(crate) fn report(&self, now: Instant) -> Metrics {
        let count = self.turns.len() as f64;
        let share = |part: usize| if count > 0.0 { part as f64 / count } else { 0.0 };
        let mut latencies: Vec<f64> =
            self.turns.iter().map(|(_, took, _)| took.as_secs_f64() * 1000.0).collect();
        latencies.sort_by(f64::total_cmp);
        let failed = self.turns.iter().filter(|turn| turn.2 == TurnOutcome::Failed).count();
        let is_recent = |at: Instant| now.saturating_duration_since(at) < METRICS_INTERVAL;
        let recent = self.turns.iter().filter(|turn| is_recent(turn.0)).count();
        Metrics {
            avg_latency: (count > 0.0).then(|| latencies.iter().sum::<f64>() / count),
            p50_latency: quantile(&latencies, 50),
            p95_latency: quantile(&latencies, 95),
            p99_latency: quantile(&latencies, 99),
            error_rate: Some(share(failed)),
            memory_usage: memory_bytes(),
            throughput: Some(recent as f64 / METRICS_INTERVAL.as_secs_f64()),
            active_tools: None,
            memory_blocks: None,
            extra: Extra::default(),
        }
    }
}

fn quantile(ordered: &[f64], percent: usize) -> Option<f64> {
    ordered.get(percent * ordered.len() / 100).or_else(|| ordered.last()).copied()
}

/// The resident set size of this process, where the system reports it.
fn memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, advance};

    use super::{TurnMetrics, TurnOutcome};
    use crate::limits::{METRICS_INTERVAL, METRICS_TURNS_MAX};

    #[tokio::test(start_paused = true)]
    async fn the_newest_turns_are_measured() {
        let mut metrics = TurnMetrics::default();
        let empty = metrics.report(Instant::now());
        assert_eq!(
            (empty.avg_latency, empty.error_rate, empty.throughput),
            (None, Some(0.0), Some(0.0))
        );
        metrics.add(Instant::now(), Duration::from_mins(1), TurnOutcome::Failed);
        for milliseconds in 1..=1000 {
            metrics.add(Instant::now(), Duration::from_millis(milliseconds), TurnOutcome::Answered);
        }
        assert_eq!(metrics.turns.len(), METRICS_TURNS_MAX);
        let report = metrics.report(Instant::now());
        assert_eq!(report.avg_latency, Some(500.5));
        assert_eq!((report.p50_latency, report.p99_latency), (Some(501.0), Some(991.0)));
        assert_eq!((report.error_rate, report.throughput), (Some(0.0), Some(100.0)));
        advance(METRICS_INTERVAL).await;
        assert_eq!(metrics.report(Instant::now()).throughput, Some(0.0));
    }
}
