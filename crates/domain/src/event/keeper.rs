//! `keeper.*`: the keeper and its ledger. None of these is part of an agent's projected state.

use serde::{Deserialize, Serialize};

use super::event_group;
use crate::Timestamp;

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
    }
}

/// A keeper begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeeperStarted {
    /// The program's version.
    pub version: String,
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
