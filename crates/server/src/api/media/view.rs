//! What a caller sees of music. Tracks are known by a digest of their audio, entries of the queue by numbers that are given once.

use serde::Serialize;
use utoipa::ToSchema;

/// What a player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MediaState {
    /// It plays.
    Playing,
    /// It stands within a track.
    Paused,
    /// Nothing is to be played.
    Stopped,
    /// Nothing can be played; `why` says what to do.
    Unavailable,
}

/// What comes after the last entry of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MediaRepeat {
    /// Nothing.
    Off,
    /// The first one.
    All,
    /// After each entry comes the same again.
    One,
}

/// What plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MediaBackend {
    /// An mpv of the keeper's own.
    Mpv,
    /// A player without a sound.
    Silent,
    /// None.
    Off,
}

/// A track as it is shown.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct MediaTrackView {
    /// What it is known by, wherever its file lies: 32 hexadecimal digits.
    pub(crate) id: String,
    /// Its title.
    pub(crate) title: String,
    /// Its artists, joined by `, `; empty where nobody is known.
    pub(crate) artist: String,
    /// Its album.
    pub(crate) album: Option<String>,
    /// How long it is, in seconds.
    pub(crate) duration_s: Option<f64>,
    /// Its cover, for `/music/covers/{digest}`.
    pub(crate) cover: Option<String>,
}

/// An entry of the queue.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct MediaEntryView {
    /// Its number.
    pub(crate) entry: u64,
    /// What is played there.
    pub(crate) track: MediaTrackView,
    /// Why it could not be played the last time.
    pub(crate) failed: Option<String>,
}

/// A player of another program on this machine.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct OtherPlayerView {
    /// What it is asked by.
    pub(crate) id: String,
    /// What it calls itself.
    pub(crate) name: String,
    /// What it does.
    pub(crate) state: MediaState,
    /// Title of its track.
    pub(crate) title: Option<String>,
    /// Artists of its track, joined by `, `; empty where nobody is known.
    pub(crate) artist: String,
}

/// What is played and what is to be played.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct MediaStatusView {
    /// What the player does.
    pub(crate) state: MediaState,
    /// What is wrong and what to do about it; null where all is well.
    pub(crate) why: Option<String>,
    /// What is played.
    pub(crate) track: Option<MediaTrackView>,
    /// Its entry of the queue.
    pub(crate) entry: Option<u64>,
    /// Where it is, in seconds.
    pub(crate) position_s: f64,
    /// How loud, 0 to 100.
    pub(crate) volume: u8,
    /// The queue in the order of playing, from the present entry on; 500 at most. Where all is repeated, what comes round again too.
    pub(crate) queue: Vec<MediaEntryView>,
    /// How many entries the queue has.
    pub(crate) queue_total: usize,
    /// Whether the order is shuffled.
    pub(crate) shuffle: bool,
    /// What comes after the last entry.
    pub(crate) repeat: MediaRepeat,
    /// What plays.
    pub(crate) backend: MediaBackend,
    /// Players of other programs.
    pub(crate) players: Vec<OtherPlayerView>,
}

/// A track of the library.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct LibraryTrackView {
    /// What it is known by: 32 hexadecimal digits.
    pub(crate) id: String,
    /// Its title; the name of its file where no tag has one.
    pub(crate) title: String,
    /// Its artists, joined by `, `; empty where nobody is known.
    pub(crate) artist: String,
    /// Its album.
    pub(crate) album: Option<String>,
    /// What the album is asked for by, as `album` of `/music/library`.
    pub(crate) album_id: Option<String>,
    /// Its disc, from 1.
    pub(crate) disc: Option<u32>,
    /// Its number on the disc, from 1.
    pub(crate) track: Option<u32>,
    /// Year of recording.
    pub(crate) year: Option<u32>,
    /// How long it is, in seconds.
    pub(crate) duration_s: Option<f64>,
    /// Its cover, for `/music/covers/{digest}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cover: Option<String>,
    /// Whether its file was there when it was last looked for.
    pub(crate) available: bool,
}

/// What the scan of the library is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LibraryScanState {
    /// No folders are configured, so that nothing is scanned.
    Off,
    /// It waits for its next time.
    Idle,
    /// It runs.
    Scanning,
    /// The last one failed; `why` says so.
    Failed,
}

/// A file or folder that could not be read as it should.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct LibraryProblemView {
    /// Where it lies.
    pub(crate) path: String,
    /// What is wrong.
    pub(crate) problem: String,
}

/// The scan of the library.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct LibraryScanView {
    /// What it is at.
    pub(crate) state: LibraryScanState,
    /// What is wrong and what to do about it; null where all is well.
    pub(crate) why: Option<String>,
    /// Audio files that are known, missing ones included.
    pub(crate) files: u64,
    /// Files that are missing.
    pub(crate) missing: u64,
    /// Files that this scan has read.
    pub(crate) read: usize,
    /// Files that this scan reads in all.
    pub(crate) to_read: usize,
    /// When the last one ended.
    pub(crate) finished_at: Option<String>,
    /// What could not be read, folders that are offline first; 100 at most.
    pub(crate) errors: Vec<LibraryProblemView>,
    /// How many there are in all.
    pub(crate) errors_total: u64,
}

/// A page of the library.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct LibraryPageView {
    /// The tracks: the best matches first, or in the order of the library where nothing was asked for.
    pub(crate) items: Vec<LibraryTrackView>,
    /// The cursor of the next page; null at the end.
    pub(crate) next: Option<String>,
    /// How many match, of a search; null where nothing was asked for.
    pub(crate) matches: Option<usize>,
    /// Whether more match than were ranked: more words find less.
    pub(crate) more: bool,
    /// The scan that it comes from.
    pub(crate) scan: LibraryScanView,
}

/// An album.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct AlbumView {
    /// What it is asked for by, as `album` of `/music/library`.
    pub(crate) id: String,
    /// Its name.
    pub(crate) title: String,
    /// Whose it is; empty where nobody is known.
    pub(crate) artist: String,
    /// The earliest year of its tracks.
    pub(crate) year: Option<u32>,
    /// How many tracks it has.
    pub(crate) tracks: u32,
    /// How long it is, in seconds.
    pub(crate) duration_s: f64,
    /// A cover of its tracks, for `/music/covers/{digest}`.
    pub(crate) cover: Option<String>,
}

/// A playlist in the list of playlists.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct PlaylistItemView {
    /// Its number.
    pub(crate) id: u64,
    /// Its name.
    pub(crate) name: String,
    /// How many entries it has.
    pub(crate) entries: usize,
    /// How long it is, in seconds, of the tracks whose length is known.
    pub(crate) duration_s: f64,
}

/// An entry of a playlist.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct PlaylistEntryView {
    /// Its number, of this playlist.
    pub(crate) entry: u64,
    /// What is there.
    pub(crate) track: MediaTrackView,
    /// Whether a file with it was there when it was last looked for.
    pub(crate) available: bool,
}

/// A playlist, whole.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct PlaylistView {
    /// Its number.
    pub(crate) id: u64,
    /// Its name.
    pub(crate) name: String,
    /// What is in it, in its order.
    pub(crate) entries: Vec<PlaylistEntryView>,
    /// Lines of an imported list that name no track of the library; 100 at most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) unknown: Vec<String>,
    /// How many such lines there are in all.
    pub(crate) unknown_total: usize,
}
