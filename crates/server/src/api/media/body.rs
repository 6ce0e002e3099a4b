//! What callers ask of music.

use serde::Deserialize;
use utoipa::ToSchema;

use super::view::MediaRepeat;
use crate::api::error::ApiError;

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
// It is read through `ControlFields`, so that what is wrong is said with its place.
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

/// What is to be done, by its word.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MediaAction {
    Play,
    Pause,
    Next,
    Previous,
    Stop,
    Seek,
    Volume,
    Queue,
    Remove,
    Move,
    Clear,
    Shuffle,
    Repeat,
}

/// All fields that an order may have.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ControlFields {
    action: MediaAction,
    tracks: Option<Vec<String>>,
    playlist: Option<u64>,
    entry: Option<u64>,
    player: Option<String>,
    position_s: Option<f64>,
    volume: Option<u8>,
    place: Option<QueuePlace>,
    entries: Option<Vec<u64>>,
    before: Option<u64>,
    on: Option<bool>,
    mode: Option<MediaRepeat>,
}

impl MediaAction {
    /// The fields that it may have.
    const fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Play => &["tracks", "playlist", "entry", "player"],
            Self::Pause | Self::Next | Self::Previous => &["player"],
            Self::Stop | Self::Clear => &[],
            Self::Seek => &["position_s"],
            Self::Volume => &["volume"],
            Self::Queue => &["tracks", "playlist", "place"],
            Self::Remove => &["entries"],
            Self::Move => &["entry", "before"],
            Self::Shuffle => &["on"],
            Self::Repeat => &["mode"],
        }
    }
}

impl ControlFields {
    /// The order that the fields make.
    pub(super) fn order(self) -> Result<MediaControlBody, ApiError> {
        self.check()?;
        let Self { tracks, playlist, entry, player, place, before, .. } = self;
        Ok(match self.action {
            MediaAction::Play => MediaControlBody::Play { tracks, playlist, entry, player },
            MediaAction::Pause => MediaControlBody::Pause { player },
            MediaAction::Next => MediaControlBody::Next { player },
            MediaAction::Previous => MediaControlBody::Previous { player },
            MediaAction::Stop => MediaControlBody::Stop,
            MediaAction::Seek => {
                MediaControlBody::Seek { position_s: given(self.position_s, "position_s")? }
            }
            MediaAction::Volume => {
                MediaControlBody::Volume { volume: given(self.volume, "volume")? }
            }
            MediaAction::Queue => {
                let place = place.unwrap_or_default();
                MediaControlBody::Queue { tracks, playlist, place }
            }
            MediaAction::Remove => {
                MediaControlBody::Remove { entries: given(self.entries, "entries")? }
            }
            MediaAction::Move => MediaControlBody::Move { entry: given(entry, "entry")?, before },
            MediaAction::Clear => MediaControlBody::Clear,
            MediaAction::Shuffle => MediaControlBody::Shuffle { on: given(self.on, "on")? },
            MediaAction::Repeat => MediaControlBody::Repeat { mode: given(self.mode, "mode")? },
        })
    }

    fn check(&self) -> Result<(), ApiError> {
        let set = [
            ("tracks", self.tracks.is_some()),
            ("playlist", self.playlist.is_some()),
            ("entry", self.entry.is_some()),
            ("player", self.player.is_some()),
            ("position_s", self.position_s.is_some()),
            ("volume", self.volume.is_some()),
            ("place", self.place.is_some()),
            ("entries", self.entries.is_some()),
            ("before", self.before.is_some()),
            ("on", self.on.is_some()),
            ("mode", self.mode.is_some()),
        ];
        let known = self.action.fields();
        let foreign = set.into_iter().find(|(name, is_set)| *is_set && !known.contains(name));
        let Some((name, _)) = foreign else { return Ok(()) };
        let message = match known {
            [] => "does not belong to this action, which has no fields".to_owned(),
            known => format!("does not belong to this action, which has {}", known.join(", ")),
        };
        Err(ApiError::invalid_at(name, "unknown", &message))
    }
}

fn given<T>(value: Option<T>, name: &str) -> Result<T, ApiError> {
    value.ok_or_else(|| ApiError::invalid_at(name, "missing", "is missing; this action needs it"))
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
