//! How much an agent may have recorded and stored beside its work: evidence, proposals, checkpoints. Over all its runs, and
//! whole again with the keeper's restart.

use std::time::Duration;

use abide_domain::{
    limits::{
        CHECKPOINT_BYTES_QUOTA, CHECKPOINT_QUOTA, EVIDENCE_BYTES_QUOTA, PROPOSAL_BYTES_QUOTA,
        PROPOSAL_QUOTA,
    },
    quota::{QuotaError, QuotaLevel},
};

/// What is used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReportQuotas {
    evidence_bytes: QuotaLevel,
    proposals: QuotaLevel,
    proposal_bytes: QuotaLevel,
    checkpoints: QuotaLevel,
    checkpoint_bytes: QuotaLevel,
}

impl ReportQuotas {
    /// Takes an entry of evidence.
    pub(super) fn evidence(&mut self, bytes: usize, now: Duration) -> Result<(), QuotaError> {
        self.evidence_bytes.take(EVIDENCE_BYTES_QUOTA, count(bytes), now)
    }

    /// Takes a proposal of new code.
    pub(super) fn proposal(&mut self, bytes: usize, now: Duration) -> Result<(), QuotaError> {
        self.proposals.take(PROPOSAL_QUOTA, 1, now)?;
        self.proposal_bytes.take(PROPOSAL_BYTES_QUOTA, count(bytes), now)
    }

    /// Takes a checkpoint.
    pub(super) fn checkpoint(&mut self, bytes: usize, now: Duration) -> Result<(), QuotaError> {
        self.checkpoints.take(CHECKPOINT_QUOTA, 1, now)?;
        self.checkpoint_bytes.take(CHECKPOINT_BYTES_QUOTA, count(bytes), now)
    }
}

fn count(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::ReportQuotas;

    #[test]
    fn checkpoints_are_bounded_by_number_and_by_bytes() {
        let mut quotas = ReportQuotas::default();
        let stored = (0..6_528).filter(|_| quotas.checkpoint(10, Duration::ZERO).is_ok()).count();
        assert_eq!(stored, 60);
        let mut quotas = ReportQuotas::default();
        let large = 100 * 1024 * 1024;
        let stored = (0..100).filter(|_| quotas.checkpoint(large, Duration::ZERO).is_ok()).count();
        assert_eq!(stored, 5);
        assert!(quotas.checkpoint(large, Duration::from_mins(1)).is_ok());
    }
}
