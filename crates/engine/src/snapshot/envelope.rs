//! The bytes of a snapshot. Pure.
//!
//! ```text
//! magic 16 | fold 16 | seq 8 | chain 64 | plain 8 | body | sha-256 32
//! ```
//! Numbers are little-endian; `fold` names the code that folded, `chain` is the chain value of the batch that ends with `seq`, `plain`
//! the length of the body before it was compressed. The digest is over all bytes before it. The body is MessagePack with names, so
//! that what an event leaves out reads as it does in a ledger line.

use rmp_serde::Serializer;
use serde::Serialize as _;
use sha2::{Digest as _, Sha256};

use crate::state::State;

/// First bytes of a snapshot; the number is the version of its form.
const MAGIC: &[u8; 16] = b"abide-state   1\n";
/// Names the code that folds.
const FOLD: &[u8; 16] = match env!("ABIDE_FOLD").as_bytes().first_chunk() {
    Some(fold) => fold,
    None => panic!("the fold's name has 16 characters"),
};
const CHAIN_CHARS: usize = 64;
const HEADER_BYTES: usize = MAGIC.len() + FOLD.len() + 8 + CHAIN_CHARS + 8;
const DIGEST_BYTES: usize = 32;
/// Bytes of a state before it is compressed: a hundred million epochs.
const PLAIN_BYTES_MAX: usize = 8 << 30;
/// How hard it is compressed: a start waits for it.
const LEVEL: i32 = 1;

/// A place in the ledger that a snapshot stands for: the end of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotPlace {
    /// The last event that is in it.
    pub seq: u64,
    /// The chain value there, 64 hex digits.
    pub chain: String,
}

/// Why a snapshot cannot be used. The ledger has all that it says.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotReadError {
    /// Another version of the program made it.
    #[error("another version of abide made it")]
    OtherFold,
    /// Its bytes are not what was written.
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
    /// It does not hold a state.
    #[error("its state cannot be read: {0}")]
    State(#[from] rmp_serde::decode::Error),
}

/// A state that cannot be written as a snapshot.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotEncodeError {
    /// Some part has no form.
    #[error("the state cannot be written: {0}")]
    State(#[from] rmp_serde::encode::Error),
    /// It could not be compressed.
    #[error("the state cannot be compressed")]
    Compress(#[from] std::io::Error),
    /// It is too large, or its place is no place.
    #[error("{0}")]
    Limit(&'static str),
}

/// The bytes of a state at a place, which is that of its last event.
pub(super) fn encode(state: &State, place: &SnapshotPlace) -> Result<Vec<u8>, SnapshotEncodeError> {
    if place.seq != state.seq || place.chain.len() != CHAIN_CHARS {
        return Err(SnapshotEncodeError::Limit("the state does not end where a batch does"));
    }
    let mut plain = Vec::new();
    state.serialize(&mut Serializer::new(&mut plain).with_struct_map())?;
    if plain.len() > PLAIN_BYTES_MAX {
        return Err(SnapshotEncodeError::Limit("the state is larger than a snapshot may be"));
    }
    let mut bytes = Vec::with_capacity(HEADER_BYTES + plain.len() / 4);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(FOLD);
    bytes.extend_from_slice(&state.seq.to_le_bytes());
    bytes.extend_from_slice(place.chain.as_bytes());
    bytes.extend_from_slice(&(plain.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&zstd::bulk::compress(&plain, LEVEL)?);
    let digest = Sha256::digest(&bytes);
    bytes.extend_from_slice(&digest);
    Ok(bytes)
}

/// The place and the state of a snapshot's bytes.
pub(super) fn decode(bytes: &[u8]) -> Result<(SnapshotPlace, State), SnapshotReadError> {
    let cut = || SnapshotReadError::Damaged("it is too short");
    let (magic, rest) = bytes.split_first_chunk::<16>().ok_or_else(cut)?;
    let (fold, rest) = rest.split_first_chunk::<16>().ok_or_else(cut)?;
    if !magic.starts_with(b"abide-state") {
        return Err(SnapshotReadError::Damaged("it does not begin as a snapshot does"));
    }
    if magic != MAGIC || fold != FOLD {
        return Err(SnapshotReadError::OtherFold);
    }
    let (covered, digest) = bytes.split_last_chunk::<DIGEST_BYTES>().ok_or_else(cut)?;
    if Sha256::digest(covered)[..] != digest[..] {
        return Err(SnapshotReadError::Damaged("its digest does not match its bytes"));
    }
    let (seq, rest) = rest.split_first_chunk::<8>().ok_or_else(cut)?;
    let (chain, rest) = rest.split_first_chunk::<CHAIN_CHARS>().ok_or_else(cut)?;
    let (plain, rest) = rest.split_first_chunk::<8>().ok_or_else(cut)?;
    let (body, _) = rest.split_last_chunk::<DIGEST_BYTES>().ok_or_else(cut)?;
    let plain = usize::try_from(u64::from_le_bytes(*plain)).unwrap_or(usize::MAX);
    if plain > PLAIN_BYTES_MAX {
        return Err(SnapshotReadError::Damaged("it claims more bytes than a snapshot may have"));
    }
    let state = zstd::bulk::decompress(body, plain);
    let state = state.map_err(|_| SnapshotReadError::Damaged("it cannot be decompressed"))?;
    let state: State = rmp_serde::from_slice(&state)?;
    let seq = u64::from_le_bytes(*seq);
    if state.seq != seq {
        return Err(SnapshotReadError::Damaged("its state ends elsewhere than it says"));
    }
    let chain = String::from_utf8_lossy(chain).into_owned();
    Ok((SnapshotPlace { seq, chain }, state))
}
