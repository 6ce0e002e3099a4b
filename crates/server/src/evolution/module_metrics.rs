//! How often modules of agents were asked live, how that ended and how long it took, as long as the process runs.

use std::time::Duration;

use abide_modules::{ModuleCallError, ModuleEndedError, ModuleKind};
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::Registry,
};

/// Upper bounds of the histogram's buckets, in seconds: a live question waits 50 ms.
const SECONDS: [f64; 8] = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1];

/// Counters of calls.
#[derive(Clone, Debug)]
pub(crate) struct ModuleMetrics {
    calls: Family<CallLabels, Counter>,
    seconds: Family<ModuleLabels, Histogram, fn() -> Histogram>,
}

/// How a call of a module ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallOutcome {
    /// With an answer that could be used.
    Ok,
    /// The code failed, or gave what is no answer.
    Failed,
    /// It did not answer in time.
    Late,
    /// Its process had ended.
    Ended,
    /// No process was there to be asked.
    Missing,
}

impl CallOutcome {
    /// How a call ended that was made.
    pub(super) const fn of<T>(asked: &Result<T, ModuleCallError>) -> Self {
        match asked {
            Ok(_) => Self::Ok,
            Err(ModuleCallError::Ended(ModuleEndedError::Deadline(_))) => Self::Late,
            Err(ModuleCallError::Ended(_)) => Self::Ended,
            Err(ModuleCallError::Script { .. } | ModuleCallError::Request(_)) => Self::Failed,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    module: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ModuleLabels {
    module: &'static str,
}

impl ModuleMetrics {
    /// With nothing counted.
    pub(crate) fn new() -> Self {
        let histogram: fn() -> Histogram = || Histogram::new(SECONDS);
        Self { calls: Family::default(), seconds: Family::new_with_constructor(histogram) }
    }

    /// Counts a call that took so long.
    pub(super) fn count(&self, module: ModuleKind, outcome: CallOutcome, took: Duration) {
        let module = module.name();
        let outcome = match outcome {
            CallOutcome::Ok => "ok",
            CallOutcome::Failed => "failed",
            CallOutcome::Late => "late",
            CallOutcome::Ended => "ended",
            CallOutcome::Missing => "missing",
        };
        self.calls.get_or_create(&CallLabels { module, outcome }).inc();
        self.seconds.get_or_create(&ModuleLabels { module }).observe(took.as_secs_f64());
    }

    /// Registers them under their names in `/metrics`.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let calls = self.calls.clone();
        registry.register("module_calls", "Calls of agents' own modules, by how they ended", calls);
        let seconds = self.seconds.clone();
        registry.register("module_seconds", "How long calls of agents' own modules took", seconds);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use prometheus_client::{encoding::text::encode, registry::Registry};

    use abide_modules::ModuleKind;

    use super::{CallOutcome, ModuleMetrics};

    #[test]
    fn calls_are_counted_by_how_they_ended_with_their_time() {
        let metrics = ModuleMetrics::new();
        let took = Duration::from_millis(2);
        metrics.count(ModuleKind::Memory, CallOutcome::Ok, took);
        metrics.count(ModuleKind::Memory, CallOutcome::Ok, took);
        metrics.count(ModuleKind::Memory, CallOutcome::Late, Duration::from_millis(50));
        let mut registry = Registry::with_prefix("abide");
        metrics.register(&mut registry);
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        for line in [
            "abide_module_calls_total{module=\"memory\",outcome=\"ok\"} 2",
            "abide_module_calls_total{module=\"memory\",outcome=\"late\"} 1",
            "abide_module_seconds_bucket{le=\"0.0025\",module=\"memory\"} 2",
            "abide_module_seconds_count{module=\"memory\"} 3",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
}
