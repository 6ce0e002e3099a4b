//! What a process reports of itself and of its work: measurements, evidence, faults, proposals. All of it is data.
//!
//! All of it is bounded: an agent that reports without end must not fill the ledger.

use std::{collections::BTreeMap, time::Duration};

use abide_domain::{
    EvolutionId, RunId,
    event::{
        EvidenceReported, EvolutionDecided, EvolutionDecision, EvolutionProposed, FaultSource,
        ProcessFaulted, ProcessMeasured,
    },
};
use abide_wire::{
    AgentError, Checkpoint, Decision, Evidence, EvolutionResult, Hypothesis, Improvement,
    KeeperError, KeeperErrorBody, Metrics, error_code,
};
use serde_json::json;

use crate::{evolution, supervisor::ReportedMetrics};

use super::{AgentActor, THROTTLE_WINDOW, run::Run, turns::ErrorEffect};

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
/// The claim of evidence that names none.
const CLAIM_DEFAULT: &str = "observation";

impl AgentActor {
    /// Records something that the protocol does not allow, or that could not be done.
    pub(super) fn record_fault(
        &mut self,
        run: RunId,
        source: FaultSource,
        code: &str,
        message: &str,
    ) {
        let Some(suppressed) = self.faults.admit(code, self.now()) else { return };
        tracing::warn!(agent = %self.spec.id, %run, event = "process_faulted", code, detail = message, "agent process broke the protocol");
        self.record(ProcessFaulted {
            run,
            source,
            code: code.into(),
            message: truncate(message),
            is_fatal: false,
            stack_trace: None,
            context: None,
            suppressed,
        });
    }

    pub(super) fn handle_agent_error(&mut self, run: &mut Run, error: AgentError) {
        let effect = self.turns.take_error(&error);
        if effect != ErrorEffect::Nothing {
            self.finish_turn(run);
        }
        let is_fatal = error.fatal == Some(true);
        if is_fatal && effect == ErrorEffect::Nothing {
            run.fatal_error =
                Some(format!("{}: {}", error.error.code, truncate(&error.error.message)));
        }
        // The engine records why an attempt failed; a withdrawn turn was to fail.
        let is_known = effect == ErrorEffect::Withdrawn
            || effect == ErrorEffect::Turn && is_about_model(&error.error.code);
        if !is_known {
            self.record_agent_fault(run.id, error, is_fatal || effect == ErrorEffect::Turn);
        }
    }

    fn record_agent_fault(&mut self, run: RunId, error: AgentError, is_fatal: bool) {
        let body = error.error;
        let Some(suppressed) = self.faults.admit(&body.code, self.now()) else { return };
        let context = body.context.filter(|context| {
            serde_json::to_string(context).is_ok_and(|json| json.len() <= FAULT_CONTEXT_BYTES_MAX)
        });
        self.record(ProcessFaulted {
            run,
            source: FaultSource::Agent,
            code: body.code,
            message: truncate(&body.message),
            is_fatal,
            stack_trace: body.stack_trace.as_deref().map(truncate),
            context,
            suppressed,
        });
    }

    pub(super) fn handle_metrics(&mut self, run: &Run, metrics: &Metrics) {
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

    pub(super) fn record_evidence(&mut self, run: &mut Run, evidence: Evidence) {
        let now = self.now();
        run.mark_active(now);
        let bytes = evidence.body.to_string().len();
        let refused = match self.quotas.evidence(bytes, now) {
            Err(error) => Some(error.retry_after),
            Ok(()) => self.reports.admit("evidence", now).is_none().then_some(THROTTLE_WINDOW),
        };
        if let Some(retry_after) = refused {
            let message = "the agent sends more evidence than is recorded: some of it is left out";
            self.record_fault(run.id, FaultSource::Protocol, "EVIDENCE_FLOOD", message);
            self.refuse_too_often(run, error_code::TOO_OFTEN, message, retry_after);
            return;
        }
        let short = |text: String| text.chars().take(TAG_CHARS_MAX).collect::<String>();
        let event = EvidenceReported {
            run: Some(run.id),
            claim_type: evidence.claim_type.map_or_else(|| CLAIM_DEFAULT.into(), short),
            tags: evidence.tags.into_iter().take(TAGS_MAX).map(short).collect(),
            body: evidence.body,
        };
        self.lifecycle.parts.recorder.by_agent(&self.spec.id, event);
    }

    /// Stores a checkpoint, unless the agent sends more than are stored. One that the keeper asked for is always stored.
    pub(super) fn take_checkpoint(&mut self, run: &mut Run, frame: Checkpoint) {
        let taken = self.quotas.checkpoint(frame.state.as_bytes().len(), self.now());
        match taken {
            Err(error) if run.checkpoints.requested_at.is_none() => {
                let message = format!("the checkpoint was not stored: {error}; the old one stays");
                let code = error_code::CHECKPOINT_FAILED;
                self.record_fault(run.id, FaultSource::Protocol, "CHECKPOINT_FLOOD", &message);
                self.refuse_too_often(run, code, &message, error.retry_after);
            }
            Ok(()) | Err(_) => run.disk.checkpoint(frame),
        }
    }

    fn refuse_too_often(&self, run: &mut Run, code: &str, message: &str, retry_after: Duration) {
        let retry_after_ms = u64::try_from(retry_after.as_millis()).unwrap_or(u64::MAX);
        let error = KeeperErrorBody {
            code: code.into(),
            message: message.into(),
            details: Some(json!({"retry_after_ms": retry_after_ms})),
        };
        run.link.send(self.wall(), KeeperError { error, request_id: None });
    }

    /// Checks a proposal of new code and records it. One that is not valid is answered at once; what becomes of the others is
    /// decided by whoever tries them.
    pub(super) fn take_proposal(&mut self, run: &mut Run, hypothesis: Hypothesis) {
        let now = self.now();
        run.mark_active(now);
        let refused = evolution::check(&hypothesis).err().map(|error| error.to_string());
        let bytes = hypothesis.new_code.len() + hypothesis.reason.len();
        let reason = match self.quotas.proposal(bytes, now) {
            Ok(()) => {
                self.record_proposal(run.id, hypothesis, refused.as_deref());
                refused
            }
            Err(error) => {
                let message =
                    "the agent sends more proposals than are recorded: some of them are left out";
                self.record_fault(run.id, FaultSource::Protocol, "EVOLUTION_FLOOD", message);
                Some(format!("the proposal was not recorded: {error}"))
            }
        };
        if let Some(reason) = reason {
            let decision = Decision::Rejected;
            let result = EvolutionResult { success: false, decision, metrics: None, reason };
            run.link.send(self.wall(), result);
        }
    }

    fn record_proposal(&self, run: RunId, hypothesis: Hypothesis, refused: Option<&str>) {
        let evolution_id = EvolutionId::new(&*self.lifecycle.parts.ids, self.wall());
        let expected = hypothesis.expected_improvement.as_ref().map(expected).unwrap_or_default();
        let proposed = EvolutionProposed {
            evolution_id,
            run: Some(run),
            reason: truncate(&hypothesis.reason),
            target: hypothesis.target,
            code: hypothesis.new_code,
            change: BTreeMap::new(),
            expected,
            trial: None,
        };
        self.lifecycle.parts.recorder.by_agent(&self.spec.id, proposed);
        if let Some(reason) = refused {
            self.record(EvolutionDecided {
                evolution_id,
                decision: EvolutionDecision::Rejected,
                reason: reason.into(),
                measured: BTreeMap::new(),
                needs_person: false,
            });
        }
    }
}

fn is_about_model(code: &str) -> bool {
    code.starts_with("MODEL_")
        || code == error_code::CONTEXT_TOO_LONG
        || code == error_code::BAD_VOICE
}

/// A text as it is written down.
fn truncate(text: impl AsRef<str>) -> String {
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
