//! What happened to the queue, as a ledger keeps it.

use serde::{Deserialize, Serialize};

use crate::{
    entry::EntryId,
    library::TrackRef,
    player::{PlayIntent, Volume},
};

/// A place in the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueEntry {
    /// Its number.
    pub id: EntryId,
    /// What is played there.
    #[serde(flatten)]
    pub track: TrackRef,
}

/// What comes after the last entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepeatMode {
    /// Nothing.
    #[default]
    Off,
    /// The first one.
    All,
    /// After each entry comes the same again.
    One,
}

/// Why nothing is played any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Somebody asked for it.
    Asked,
    /// The last entry ended.
    EndOfQueue,
    /// No entry of a whole round could be played.
    NothingPlayable,
}

/// One change of the queue. `kind` says which, such as `media.queue_added`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum QueueEvent {
    /// Entries were put in, before another one or at the end.
    #[serde(rename = "media.queue_added")]
    Added {
        /// The new entries.
        entries: Vec<QueueEntry>,
        /// Before which entry; none for the end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<EntryId>,
        /// They are played next even where the order is shuffled.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        play_next: bool,
    },
    /// Entries were taken out.
    #[serde(rename = "media.queue_removed")]
    Removed {
        /// Which.
        entries: Vec<EntryId>,
    },
    /// An entry was put elsewhere.
    #[serde(rename = "media.queue_moved")]
    Moved {
        /// Which.
        entry: EntryId,
        /// Before which other; none for the end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<EntryId>,
    },
    /// All entries were taken out.
    #[serde(rename = "media.queue_cleared")]
    Cleared,
    /// An entry is what is played from now on.
    #[serde(rename = "media.entry_started")]
    EntryStarted {
        /// Which.
        entry: EntryId,
    },
    /// An entry was played to its end.
    #[serde(rename = "media.entry_finished")]
    EntryFinished {
        /// Which.
        entry: EntryId,
    },
    /// An entry could not be played; it stays, marked.
    #[serde(rename = "media.entry_failed")]
    EntryFailed {
        /// Which.
        entry: EntryId,
        /// Why.
        reason: String,
    },
    /// Playing goes on, or stands.
    #[serde(rename = "media.intent_set")]
    IntentSet {
        /// Which of the two.
        intent: PlayIntent,
    },
    /// Nothing is played any more.
    #[serde(rename = "media.stopped")]
    Stopped {
        /// Why.
        reason: StopReason,
    },
    /// What comes after the last entry was set.
    #[serde(rename = "media.repeat_set")]
    RepeatSet {
        /// What.
        repeat: RepeatMode,
    },
    /// The order was shuffled anew, or is that of the queue again.
    #[serde(rename = "media.shuffle_set")]
    ShuffleSet {
        /// The same seed gives the same order; none for the order of the queue.
        seed: Option<u64>,
    },
    /// The volume was set.
    #[serde(rename = "media.volume_set")]
    VolumeSet {
        /// In percent.
        volume: Volume,
    },
}
