//! `keeper.*`: the keeper and its ledger. None of these is part of an agent's projected state.

use serde::{Deserialize, Serialize};

use super::event_group;
use crate::{EntityName, EpochId, FactId, Timestamp};

event_group! {
    /// The keeper and its ledger.
    KeeperEvent {
        /// A keeper took the home and serves.
        Started(KeeperStarted) = "keeper.started" v 1,
        /// A keeper ended in good order.
        Stopped(KeeperStopped) = "keeper.stopped" v 1,
        /// A segment of the ledger begins; always its first line.
        SegmentOpened(SegmentOpened) = "keeper.segment_opened" v 1,
        /// Bytes that were never acknowledged stood at the end of the ledger and were set aside.
        TailQuarantined(TailQuarantined) = "keeper.tail_quarantined" v 1,
        /// Ticks have another length from here on.
        TickIntervalChanged(TickIntervalChanged) = "keeper.tick_interval_changed" v 1,
        /// Somebody asked that words be removed from the ledger for good.
        EraseRequested(EraseRequested) = "keeper.erase_requested" v 1,
        /// The words of these lines were removed: the lines stand, what was said in them does not.
        Erased(LedgerErased) = "keeper.erased" v 1,
    }
}

/// A keeper begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeeperStarted {
    /// The program's version.
    pub version: String,
    /// Whether an epoch without a reply stays a matter until it is asked again. Of an older keeper it stayed one only until the
    /// agent answered anything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub remembers_failures: bool,
}

/// A keeper ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeeperStopped {
    /// Why the keeper stopped.
    pub reason: String,
}

/// A segment begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentOpened {
    /// Its number, from 1.
    pub segment: u64,
    /// The chain value that the segment before it ended with; 64 zeros for the first.
    pub previous_chain: String,
    /// The world's beginning: tick 0. The same in every segment.
    pub genesis: Timestamp,
}

/// A torn tail was set aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TailQuarantined {
    /// The segment that it stood in.
    pub segment: u64,
    /// Where it began.
    pub offset: u64,
    /// How long it was.
    pub bytes: u64,
    /// The side file, relative to the ledger's folder.
    pub file: String,
}

/// Ticks change their length; the count goes on from the present tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickIntervalChanged {
    /// Milliseconds a tick from here on.
    pub interval_ms: u64,
    /// The tick at which the change falls.
    pub from_tick: u64,
    /// The time at which it falls.
    pub from_time: Timestamp,
}

/// Words are to be removed. It names where they stand and holds none of them; who asked is the line's author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EraseRequested {
    /// The epochs whose exchange is removed, where some were named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub epochs: Vec<EpochId>,
    /// The facts that are removed with what they rest on, where some were named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactId>,
    /// The person of whom everything is removed, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<EntityName>,
    /// How many lines hold it.
    pub lines: u64,
    /// Why, if said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Lines whose words were removed. The chain from the first of them on was made anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerErased {
    /// The request that it carries out, by its sequence.
    pub requested_seq: u64,
    /// Which part of the list this is, from 1.
    pub part: u32,
    /// How many parts there are.
    pub parts: u32,
    /// The lines, by sequence.
    pub lines: Vec<ErasedLine>,
}

/// One line whose words were removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasedLine {
    /// Its sequence.
    pub seq: u64,
    /// SHA-256 of its `data` as it stands since then, 64 hex digits: any other text there is not what the erasure left.
    pub sha256: String,
}
