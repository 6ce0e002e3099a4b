//! Which alerts are recorded: the newest of them, in memory, read from the ledger once a start.
//!
//! The list is taken out of its cache while alerts are recorded. Where that fails, or the caller goes away in the middle, it
//! is not put back, and the next request reads it again: it never differs from the ledger. It must never grow beyond its
//! bound.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Mutex, PoisonError},
};

use abide_domain::{
    EntityName,
    event::{Event, EvidenceEvent},
};
use abide_ledger::{Ledger, Query, QueryOrder};

use crate::api::error::ApiError;

/// Entries that are known; firing and resolved are two. A repeated one counts as the newest; a repetition of one that was
/// dropped is recorded again.
const KNOWN_MAX: usize = 20_000;

/// Keeps the list between two messages.
#[derive(Debug, Default)]
pub(crate) struct KnownAlertsCache {
    alerts: Mutex<Option<KnownAlerts>>,
}

impl KnownAlertsCache {
    /// Takes the list, if it is there.
    pub(super) fn take(&self) -> Option<KnownAlerts> {
        self.alerts.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Puts it back: all its alerts are recorded.
    pub(super) fn put_back(&self, alerts: KnownAlerts) {
        *self.alerts.lock().unwrap_or_else(PoisonError::into_inner) = Some(alerts);
    }
}

/// The ids of the alerts that are known.
#[derive(Debug, Default)]
pub(super) struct KnownAlerts {
    by_id: BTreeMap<String, u64>,
    by_turn: BTreeMap<u64, String>,
    next_turn: u64,
}

impl KnownAlerts {
    /// Reads the newest of an author's entries. Blocking.
    pub(super) fn read(ledger: &Ledger, author: EntityName) -> Result<Self, ApiError> {
        let mut newest = Vec::new();
        for record in ledger.query(Query {
            kinds: vec!["evidence.recorded".to_owned()],
            author: Some(author),
            limit: KNOWN_MAX,
            order: QueryOrder::NewestFirst,
            ..Query::default()
        }) {
            let record = record.map_err(|error| ApiError::internal(&error))?;
            let entry = record.entry().map_err(|error| ApiError::internal(&error))?;
            if let Event::Evidence(EvidenceEvent::Recorded(recorded)) = entry.event {
                newest.push(recorded.evidence_id.as_str().to_owned());
            }
        }
        let mut known = Self::default();
        for id in newest.iter().rev() {
            known.note(id);
        }
        Ok(known)
    }

    /// Notes an entry as the newest. Returns whether it was not known.
    pub(super) fn note(&mut self, id: &str) -> bool {
        let turn = self.next_turn;
        self.next_turn = turn.saturating_add(1);
        let before = self.by_id.insert(id.to_owned(), turn);
        if let Some(before) = before {
            self.by_turn.remove(&before);
        }
        self.by_turn.insert(turn, id.to_owned());
        while self.by_turn.len() > KNOWN_MAX {
            let Some((_, oldest)) = self.by_turn.pop_first() else { break };
            self.by_id.remove(&oldest);
        }
        before.is_none()
    }

    /// Whether there is such an entry.
    pub(super) fn has(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// The ids that begin so, in order.
    pub(super) fn beginning_with<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        let from = (Bound::Included(prefix), Bound::Unbounded);
        let ids = self.by_id.range::<str, _>(from).map(|(id, _)| id.as_str());
        ids.take_while(move |id| id.starts_with(prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::{KNOWN_MAX, KnownAlerts};

    #[test]
    fn the_newest_are_known_and_a_repetition_is_new_again() {
        let mut known = KnownAlerts::default();
        for index in 0..KNOWN_MAX {
            assert!(known.note(&format!("alert-{index}")));
        }
        assert!(!known.note("alert-0"));
        assert!(known.note("another"));
        assert!(known.has("alert-0") && known.has("another"));
        assert!(!known.has("alert-1"), "the one that was not repeated for longest");
        assert_eq!((known.by_id.len(), known.by_turn.len()), (KNOWN_MAX, KNOWN_MAX));
        let found: Vec<_> = known.beginning_with("an").collect();
        assert_eq!(found, ["another"]);
    }
}
