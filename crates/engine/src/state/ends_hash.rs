//! A hash over the ends of all epochs in their order.

use abide_domain::EpochId;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A hash that takes in one end after the other, so that the digest costs the same however many epochs there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct EndsHash([u8; 32]);

impl EndsHash {
    pub(super) fn add(&mut self, epoch: EpochId, is_committed: bool) {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(epoch.uuid().as_bytes());
        hash.update([u8::from(is_committed)]);
        self.0 = hash.finalize().into();
    }

    pub(super) fn hex(self) -> String {
        hex::encode(self.0)
    }
}
