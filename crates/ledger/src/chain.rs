//! The chain: one SHA-256 value after each batch, over the value before it and the batch's bytes.
//!
//! It makes a batch whole or absent, and any later edit visible. It must never be computed over a re-serialised line:
//! only the bytes as they stand in the file count.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A chain value: 32 bytes, written as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Chain([u8; 32]);

impl Chain {
    /// The value before the first batch of a ledger.
    pub(crate) const START: Self = Self([0; 32]);

    /// Reads 64 lower-case hex digits.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let lower = text.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let mut value = [0; 32];
        (lower && hex::decode_to_slice(text, &mut value).is_ok()).then_some(Self(value))
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The value that follows this one after a batch whose bytes, up to its `,"chain"`, are these.
    pub(crate) fn after(self, bytes: &[u8]) -> Self {
        let mut link = ChainHasher::from(self);
        link.update(bytes);
        link.finish()
    }
}

impl From<[u8; 32]> for Chain {
    fn from(value: [u8; 32]) -> Self {
        Self(value)
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Computes a chain value, for batches that are read piece by piece.
pub(crate) struct ChainHasher(Sha256);

impl From<Chain> for ChainHasher {
    fn from(previous: Chain) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(previous.0);
        Self(hasher)
    }
}

impl ChainHasher {
    /// Takes the next bytes of the batch.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The new value.
    pub(crate) fn finish(self) -> Chain {
        Chain(self.0.finalize().into())
    }
}
