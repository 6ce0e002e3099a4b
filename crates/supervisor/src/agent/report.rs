//! What a process reports of itself and of its work: measurements, evidence, faults, proposals. All of it is data.
//!
//! None of it is taken without bound: an agent that talks without end must not fill the ledger.

use std::{collections::BTreeMap, time::Duration};

use abide_domain::{
    EvolutionId, RunId,
    event::{
        EvidenceReported, EvolutionDecided, EvolutionDecision, EvolutionProposed, FaultSource,
        ProcessFaulted, ProcessMeasured,
    },
};
use abide_wire::{
    AgentError, Decision, Evidence, EvolutionResult, Hypothesis, Improvement, Metrics, error_code,
};

use crate::{evolution, roster::ReportedMetrics};

use super::{Agent, asks::Ended, run::Run};

/// How often measurements are written down.
const MEASURED_EVERY: Duration = Duration::from_mins(5);
/// Longest text of a fault that is written down, in characters.
const FAULT_CHARS_MAX: usize = 4_000;
/// Longest context of a fault that is written down, in bytes of JSON.
const FAULT_CONTEXT_BYTES_MAX: usize = 16 * 1024;
/// Measurements of one report that are kept.
const MEASUREMENTS_MAX: usize = 64;
/// Tags of one piece of evidence that are kept.
const TAGS_MAX: usize = 32;
/// Longest tag, in characters.
const TAG_CHARS_MAX: usize = 64;
/// What evidence claims where it does not say.
const CLAIM_DEFAULT: &str = "observation";

impl Agent {
    /// Records something that the protocol does not allow, or that could not be done.
    pub(super) fn fault(&mut self, run: RunId, source: FaultSource, code: &str, message: &str) {
        let Some(suppressed) = self.faults.admit(code, self.now()) else { return };
        tracing::warn!(agent = %self.spec.id, %run, code, message, "an agent's process is at fault");
        self.record(ProcessFaulted {
            run,
            source,
            code: code.into(),
            message: cut(message),
            is_fatal: false,
            stack_trace: None,
            context: None,
            suppressed,
        });
    }

    pub(super) fn agent_error(&mut self, run: &mut Run, error: AgentError) {
        let ended = self.asks.error(&error);
        if ended != Ended::Nothing {
            self.turn_over(run);
        }
        let is_fatal = error.fatal == Some(true);
        if is_fatal && ended == Ended::Nothing {
            run.fatal = Some(format!("{}: {}", error.error.code, cut(&error.error.message)));
        }
        // The engine records why an attempt failed; a withdrawn turn was to fail.
        let is_known =
            ended == Ended::Withdrawn || ended == Ended::Turn && is_about_model(&error.error.code);
        if !is_known {
            self.agent_fault(run.id, error, is_fatal || ended == Ended::Turn);
        }
    }

    fn agent_fault(&mut self, run: RunId, error: AgentError, is_fatal: bool) {
        let body = error.error;
        let Some(suppressed) = self.faults.admit(&body.code, self.now()) else { return };
        let context = body.context.filter(|context| {
            serde_json::to_string(context).is_ok_and(|json| json.len() <= FAULT_CONTEXT_BYTES_MAX)
        });
        self.record(ProcessFaulted {
            run,
            source: FaultSource::Agent,
            code: body.code,
            message: cut(&body.message),
            is_fatal,
            stack_trace: body.stack_trace.as_deref().map(cut),
            context,
            suppressed,
        });
    }

    pub(super) fn metrics(&mut self, run: &Run, metrics: &Metrics) {
        let (now, at) = (self.now(), self.wall());
        let values = values(metrics);
        self.metrics.send_replace(Some(ReportedMetrics {
            at,
            run: run.id,
            values: values.clone(),
        }));
        let is_due = self.measured_at.is_none_or(|last| now.saturating_sub(last) >= MEASURED_EVERY);
        if is_due && !values.is_empty() {
            self.measured_at = Some(now);
            self.record(ProcessMeasured { run: run.id, metrics: values });
        }
    }

    pub(super) fn evidence(&mut self, run: &mut Run, evidence: Evidence) {
        let now = self.now();
        run.worked(now);
        if self.reports.admit("evidence", now).is_none() {
            let message = "more evidence than is recorded; some of it is left out";
            self.fault(run.id, FaultSource::Protocol, "EVIDENCE_FLOOD", message);
            return;
        }
        let short = |text: String| text.chars().take(TAG_CHARS_MAX).collect::<String>();
        let event = EvidenceReported {
            run: Some(run.id),
            claim_type: evidence.claim_type.map_or_else(|| CLAIM_DEFAULT.into(), short),
            tags: evidence.tags.into_iter().take(TAGS_MAX).map(short).collect(),
            body: evidence.body,
        };
        self.house.recorder.by_agent(&self.spec.id, event);
    }

    /// Holds a proposal against its rules, records it, and says what becomes of it.
    pub(super) fn evolution(&mut self, run: &mut Run, hypothesis: Hypothesis) {
        let now = self.now();
        run.worked(now);
        let reason = match evolution::check(&hypothesis) {
            Ok(()) => evolution::NOT_TRIED.to_owned(),
            Err(unsound) => unsound.to_string(),
        };
        if self.reports.admit("evolution", now).is_some() {
            self.record_proposal(run.id, hypothesis, &reason);
        } else {
            let message = "more proposals than are recorded; some are left out";
            self.fault(run.id, FaultSource::Protocol, "EVOLUTION_FLOOD", message);
        }
        let result =
            EvolutionResult { success: false, decision: Decision::Rejected, metrics: None, reason };
        run.link.tell(self.wall(), result);
    }

    fn record_proposal(&self, run: RunId, hypothesis: Hypothesis, reason: &str) {
        let evolution_id = EvolutionId::new(&*self.house.ids, self.wall());
        let expected = hypothesis.expected_improvement.as_ref().map(expected).unwrap_or_default();
        let proposed = EvolutionProposed {
            evolution_id,
            run,
            reason: cut(&hypothesis.reason),
            target: hypothesis.target,
            code: hypothesis.new_code,
            expected,
        };
        self.house.recorder.by_agent(&self.spec.id, proposed);
        let decision = EvolutionDecision::Rejected;
        self.record(EvolutionDecided { evolution_id, decision, reason: reason.into() });
    }
}

fn is_about_model(code: &str) -> bool {
    code.starts_with("MODEL_")
        || code == error_code::CONTEXT_TOO_LONG
        || code == error_code::BAD_VOICE
}

/// A text as it is written down.
fn cut(text: impl AsRef<str>) -> String {
    text.as_ref().chars().take(FAULT_CHARS_MAX).collect()
}

fn expected(improvement: &Improvement) -> BTreeMap<String, f64> {
    let named = [
        ("latency", improvement.latency),
        ("memory", improvement.memory),
        ("accuracy", improvement.accuracy),
    ];
    named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// Measurements by name; those of the agent's own too, where they are numbers.
#[expect(clippy::cast_precision_loss, reason = "counts beyond 2^53 are no measurements")]
fn values(metrics: &Metrics) -> BTreeMap<String, f64> {
    let named = [
        ("avg_latency", metrics.avg_latency),
        ("p50_latency", metrics.p50_latency),
        ("p95_latency", metrics.p95_latency),
        ("p99_latency", metrics.p99_latency),
        ("error_rate", metrics.error_rate),
        ("memory_usage", metrics.memory_usage.map(|bytes| bytes as f64)),
        ("throughput", metrics.throughput),
        ("active_tools", metrics.active_tools.map(|count| count as f64)),
        ("memory_blocks", metrics.memory_blocks.map(|count| count as f64)),
    ];
    let known = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let own = metrics.extra.0.iter().filter_map(|(name, value)| {
        let number = value.to_json().ok()?.as_f64()?;
        Some((name.chars().take(TAG_CHARS_MAX).collect(), number))
    });
    known.chain(own).filter(|(_, value)| value.is_finite()).take(MEASUREMENTS_MAX).collect()
}
