//! What is wrong with keeping an agent's private state at this moment: it cannot be opened, written or handed over.
//!
//! Shown with the status for as long as it lasts; what was lost once and for all is in the ledger.

use abide_domain::{
    event::{ExitReason, FaultSource},
    text::shortened,
};
use abide_wire::{RestoreAck, error_code};

use crate::{
    supervisor::{StateProblem, StateProblemKind},
    wal::WalAppendError,
};

use super::{AgentActor, run::Run};

/// Longest words of an agent about a restore, in Unicode scalar values.
const REASON_CHARS_MAX: usize = 500;

impl AgentActor {
    /// Shows a problem, since when it lasts.
    pub(super) fn show_state_problem(&self, kind: StateProblemKind, message: String) {
        let now = self.wall();
        self.update_status(|status| {
            let lasting = status.state_problem.take().filter(|problem| problem.kind == kind);
            let since = lasting.map_or(now, |problem| problem.since);
            status.state_problem = Some(StateProblem { kind, since, message });
        });
    }

    /// Shows no more problems of these kinds: what they hindered was done.
    pub(super) fn end_state_problems(&self, kinds: &[StateProblemKind]) {
        self.lifecycle.update_status_if(|status| {
            let ends =
                status.state_problem.as_ref().is_some_and(|problem| kinds.contains(&problem.kind));
            if ends {
                status.state_problem = None;
            }
            ends
        });
    }

    /// Shows that entries could not be stored, where the disk or the bounds of the log are why.
    pub(super) fn show_append_failure(&self, error: &WalAppendError, message: &str) {
        if error.code() == error_code::WAL_FULL || matches!(error, WalAppendError::Broken { .. }) {
            let message = format!("its log of operations cannot be written: {message}");
            self.show_state_problem(StateProblemKind::Log, message);
        }
    }

    /// Shows that a checkpoint could not be stored, where the disk is why.
    pub(super) fn show_checkpoint_failure(&self, code: &str, message: &str) {
        if code == error_code::CHECKPOINT_FAILED {
            let message = format!("no checkpoint of it can be stored: {message}");
            self.show_state_problem(StateProblemKind::Checkpoint, message);
        }
    }

    /// Ends a run whose process could not take over what it was sent.
    pub(super) fn restore_failed(&mut self, run: &mut Run, ack: RestoreAck) {
        let why = ack.error.map_or_else(
            || "it gave no reason".into(),
            |error| shortened(&error.message, REASON_CHARS_MAX),
        );
        self.end_unrestored(run, format!("the agent could not restore its state: {why}"));
    }

    /// Ends a run whose process did not take over what it was sent (decision 61): its next entries would follow on nothing.
    pub(super) fn check_restored(&mut self, run: &mut Run, ack: &RestoreAck) {
        let (least, most) = run.restored_through;
        if (least..=most).contains(&ack.sequence) {
            return;
        }
        let message = format!(
            "the agent did not restore the state that it was sent: its restore_ack says sequence {}, and {least} is right",
            ack.sequence
        );
        self.record_fault(run.id, FaultSource::Protocol, error_code::INVALID_MESSAGE, &message);
        self.end_unrestored(run, message);
    }

    fn end_unrestored(&mut self, run: &mut Run, message: String) {
        self.end_for_violation(run, ExitReason::RestoreFailed, &message);
        self.show_state_problem(StateProblemKind::Restore, message);
    }
}
