//! What callers ask of music.

#![expect(dead_code, reason = "nothing is played yet: the routes refuse what they read")]

use serde::Deserialize;
use utoipa::ToSchema;

use super::view::MediaRepeat;

/// Where new entries of the queue go.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QueuePlace {
    /// Behind what is played, and the first of them is played at once.
    Now,
    /// Behind what is played.
    Next,
    /// To the end.
    #[default]
    End,
}

/// What is to be done. Tracks are ids of `/music/library`, entries numbers of the queue, players ids of other programs' players.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum MediaControlBody {
    /// Goes on; or plays tracks, a playlist or an entry of the queue at once; or lets another program's player go on. One of them at most.
    Play {
        /// Tracks, which are put behind what is played.
        tracks: Option<Vec<String>>,
        /// A playlist, which is put behind what is played.
        playlist: Option<u64>,
        /// An entry of the queue.
        entry: Option<u64>,
        /// Another program's player.
        player: Option<String>,
    },
    /// Stands.
    Pause {
        /// Another program's player.
        player: Option<String>,
    },
    /// Plays the next entry.
    Next {
        /// Another program's player.
        player: Option<String>,
    },
    /// Plays the present entry from its beginning, or the one before where it only just began.
    Previous {
        /// Another program's player.
        player: Option<String>,
    },
    /// Ends playing.
    Stop,
    /// Goes to a place of the present track.
    Seek {
        /// Where, in seconds from its beginning.
        position_s: f64,
    },
    /// Sets how loud.
    Volume {
        /// 0 to 100.
        volume: u8,
    },
    /// Puts tracks or a playlist into the queue. One of them.
    Queue {
        /// Tracks.
        tracks: Option<Vec<String>>,
        /// A playlist.
        playlist: Option<u64>,
        /// Where to [default: `end`].
        #[serde(default)]
        place: QueuePlace,
    },
    /// Takes entries out of the queue.
    Remove {
        /// Which.
        entries: Vec<u64>,
    },
    /// Puts an entry of the queue before another one.
    Move {
        /// Which.
        entry: u64,
        /// Before which other one; absent: to the end.
        before: Option<u64>,
    },
    /// Takes all entries out of the queue.
    Clear,
    /// Shuffles the order, or takes that of the queue.
    Shuffle {
        /// Whether.
        on: bool,
    },
    /// Sets what comes after the last entry.
    Repeat {
        /// What.
        mode: MediaRepeat,
    },
}

/// A scan to start.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MusicScanBody {
    /// Whether files that look unchanged are read too.
    #[serde(default)]
    pub(crate) everything: bool,
}

/// A playlist to make.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaylistCreateBody {
    /// Its name, 1 to 200 characters; absent: that of the imported list.
    pub(crate) name: Option<String>,
    /// Its tracks: ids of `/music/library`.
    #[serde(default)]
    pub(crate) tracks: Vec<String>,
    /// Bytes of an `.m3u` or `.m3u8` file to import, as base64.
    pub(crate) m3u_base64: Option<String>,
    /// The absolute path of the folder where the imported file lies, from which its relative names are read [default: the first music folder].
    pub(crate) m3u_folder: Option<String>,
}

/// What is to change in a playlist, in this order.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaylistChangeBody {
    /// Its new name.
    pub(crate) name: Option<String>,
    /// Entries to take out.
    pub(crate) remove: Option<Vec<u64>>,
    /// Tracks to put in.
    pub(crate) add: Option<PlaylistAddBody>,
    /// An entry to put elsewhere.
    #[serde(rename = "move")]
    pub(crate) moved: Option<PlaylistMoveBody>,
}

/// Tracks to put into a playlist.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaylistAddBody {
    /// Ids of `/music/library`.
    pub(crate) tracks: Vec<String>,
    /// Before which entry; absent: to the end.
    pub(crate) before: Option<u64>,
}

/// An entry to put elsewhere.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaylistMoveBody {
    /// Which.
    pub(crate) entry: u64,
    /// Before which other one; absent: to the end.
    pub(crate) before: Option<u64>,
}
