//! How often each entity may write something to the ledger by itself. Whole again after a restart: they bound a rate.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use abide_domain::{
    Clock, EntityName,
    limits::{
        CHANGE_QUOTA, ENTRY_BYTES_QUOTA, ENTRY_QUOTA, EVIDENCE_BYTES_QUOTA, EVIDENCE_QUOTA,
        WAKE_QUOTA,
    },
    quota::{Quota, QuotaError, Quotas},
};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuotaKind {
    /// Entries of logs.
    Entry,
    /// Their bytes.
    EntryBytes,
    /// Other changes by commands.
    Change,
    /// Evidence that is recorded.
    Evidence,
    /// Its bytes.
    EvidenceBytes,
    /// Epochs that wakes start.
    Wake,
}

impl QuotaKind {
    const fn quota(self) -> Quota {
        match self {
            Self::Entry => ENTRY_QUOTA,
            Self::EntryBytes => ENTRY_BYTES_QUOTA,
            Self::Change => CHANGE_QUOTA,
            Self::Evidence => EVIDENCE_QUOTA,
            Self::EvidenceBytes => EVIDENCE_BYTES_QUOTA,
            Self::Wake => WAKE_QUOTA,
        }
    }
}

/// The quotas of all entities.
#[derive(Debug)]
pub struct EntityQuotas {
    clock: Arc<dyn Clock>,
    by_kind: Mutex<BTreeMap<QuotaKind, Quotas<EntityName>>>,
}

impl EntityQuotas {
    /// All of them whole.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, by_kind: Mutex::default() }
    }

    /// Takes something of an entity's quota, or says when there is enough again.
    pub fn take(&self, kind: QuotaKind, entity: &EntityName, cost: u64) -> Result<(), QuotaError> {
        let now = self.clock.monotonic();
        let mut by_kind = self.by_kind.lock().unwrap_or_else(PoisonError::into_inner);
        let quotas = by_kind.entry(kind).or_insert_with(|| Quotas::new(kind.quota()));
        quotas.take(entity, cost, now)
    }
}
