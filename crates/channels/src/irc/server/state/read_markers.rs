//! How far each account has read, by channel and query.

use std::collections::BTreeMap;

use abide_domain::Timestamp;

use crate::irc::{limits::READ_MARKERS_MAX, server::interfaces::ReadMarker};

/// How far each account has read, by account and target.
#[derive(Debug, Default)]
pub(super) struct ReadMarkers(BTreeMap<(String, String), Timestamp>);

impl ReadMarkers {
    pub(super) fn find(&self, account: &str, target: &str) -> Option<Timestamp> {
        self.0.get(&(account.to_owned(), target.to_owned())).copied()
    }

    /// Moves a marker forward; false where it is there already. Of too many the oldest moment is forgotten.
    pub(super) fn advance(&mut self, marker: &ReadMarker) -> bool {
        let key = (marker.account.clone(), marker.target.clone());
        if self.0.get(&key).is_some_and(|known| *known >= marker.at) {
            return false;
        }
        self.0.insert(key, marker.at);
        if self.0.len() > READ_MARKERS_MAX {
            let oldest = self.0.iter().min_by_key(|(_, at)| **at).map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                self.0.remove(&oldest);
            }
        }
        true
    }
}
