//! What players are asked for and what they are at, as values.

use std::{path::PathBuf, time::Duration};

use serde::{Deserialize, Deserializer, Serialize};

use crate::entry::EntryId;

/// How loud, from 0 to 100. Whatever is beyond becomes the nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Volume(u8);

impl Volume {
    /// As loud as it gets.
    pub const MAX: Self = Self(100);

    /// A volume in percent.
    pub fn new(percent: i64) -> Self {
        Self(u8::try_from(percent.clamp(0, 100)).unwrap_or(100))
    }

    /// In percent.
    pub const fn percent(self) -> u8 {
        self.0
    }
}

impl Default for Volume {
    fn default() -> Self {
        Self::MAX
    }
}

impl<'de> Deserialize<'de> for Volume {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer).map(Self::new)
    }
}

/// A file to play, for an entry of the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayItem {
    /// Whose file it is.
    pub entry: EntryId,
    /// Where it lies. Absolute.
    pub path: PathBuf,
}

/// Whether it is to play or to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayIntent {
    /// It is to play.
    Play,
    /// It is to stand where it is.
    Pause,
}

/// What a player does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayerStatus {
    /// It has nothing to play.
    #[default]
    Idle,
    /// It plays.
    Playing,
    /// It stands within a track, because it was asked to or because its output is gone.
    Paused,
    /// It cannot be started. It is tried again when something is asked of it.
    Down,
}

/// What a player is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PlayerState {
    /// What it does.
    pub status: PlayerStatus,
    /// Whether it is asked to play. With the status `paused`, its output is gone.
    pub is_wanted: bool,
    /// What it plays.
    pub entry: Option<EntryId>,
    /// What comes after it without a gap.
    pub next: Option<EntryId>,
    /// Where it is, in milliseconds.
    pub position_ms: u64,
    /// How long the track is, in milliseconds, where that is known.
    pub duration_ms: Option<u64>,
    /// How loud.
    pub volume: Volume,
}

/// How an entry ended by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryEnd {
    /// It was played to its end.
    Finished,
    /// It could not be played, or not further.
    Failed {
        /// Why.
        reason: String,
    },
}

/// What a player says. An entry that another takes the place of does not end by itself, and nothing is said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerEvent {
    /// An entry begins, asked for or as the next one.
    Started {
        /// Which.
        entry: EntryId,
    },
    /// Where it is: about once a second.
    Position {
        /// In which entry.
        entry: EntryId,
        /// From its beginning.
        position: Duration,
    },
    /// An entry ended by itself. If there is a next one, the player is at it already.
    Ended {
        /// Which.
        entry: EntryId,
        /// How.
        end: EntryEnd,
    },
    /// Pause, volume or length are not what they were.
    Changed,
    /// The player was started anew and goes on where it was.
    Restarted {
        /// Why.
        reason: String,
    },
    /// The player cannot be started.
    Down {
        /// Why.
        reason: String,
    },
    /// Some of what it said was not taken in time: look at its state.
    Missed,
}
