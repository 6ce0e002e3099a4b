//! Which law did not hold.

use abide_domain::{AgentId, CallId, EpochId};

use super::spawned::SpawnedLawError;

/// A law that did not hold.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LawError {
    #[error("a keeper could not start: {0}")]
    Refused(String),
    #[error("a task panicked: {0}")]
    Panicked(String),
    #[error("{0} epochs never ended")]
    NeverQuiet(usize),
    #[error("one idempotency key became two epochs, {0} and {1}")]
    TwoEpochs(EpochId, EpochId),
    #[error("the ledger does not verify: {0}")]
    Unverified(String),
    #[error("stimulus {0} was acknowledged as {1} and is not in the ledger")]
    Forgotten(u64, EpochId),
    #[error("epoch {0} has not ended")]
    Open(EpochId),
    #[error("call {1} of epoch {0} ran {2} times and is not idempotent")]
    RanTwice(EpochId, CallId, u32),
    #[error("call {1} of epoch {0} ran and its intent is not in the ledger")]
    NoIntent(EpochId, CallId),
    #[error("call {1} of epoch {0} is said to have succeeded and never ran")]
    NeverRan(EpochId, CallId),
    #[error("a mind of epoch {0} was shown a call without its result")]
    Unpaired(EpochId),
    #[error("a rebuild gives another state: {0} is not {1}")]
    OtherState(String, String),
    #[error("{0} epochs left blobs behind")]
    Blobs(usize),
    #[error("{0} never woke")]
    Asleep(AgentId),
    #[error("epoch {0} is named by two sleeps that did not fail")]
    SleptTwice(EpochId),
    #[error("epoch {0} is named by a sleep and was never committed")]
    SleptOver(EpochId),
    #[error("the fact `{0}` is in the ledger twice")]
    LearntTwice(String),
    #[error("{0}")]
    Spawned(#[from] SpawnedLawError),
}
