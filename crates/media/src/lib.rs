//! Music: what files there are, what is to be played, and what plays it.
//!
//! A [`Library`] scans folders and answers questions; it is a cache of the disk. A [`QueueState`] and [`Playlists`] are pure:
//! commands become events, and events are all that changes them, so that whoever keeps the events has them over any restart.
//! A [`Player`] plays one file after the other: [`MpvPlayer`] through an mpv that may die or hang, [`SilentPlayer`] without a
//! sound for tests. [`Playback`] plays a queue with a player and keeps the place within the track ([`SavedPosition`]);
//! [`SessionPlayers`] sees and steers the players of other programs.
//!
//! Nothing here starts a task: whoever makes a player or a playback runs the [`PlayerTask`] that comes with it.
//!
//! ```
//! use abide_media::{AddPlace, EntryId, QueueCommand, QueueState, TrackKey, TrackRef};
//!
//! let mut queue = QueueState::default();
//! let key: TrackKey = "00112233445566778899aabbccddeeff".parse()?;
//! let track = TrackRef { key, title: "Jóga".into(), artists: vec!["Björk".into()], duration_ms: None };
//! for event in queue.decide(QueueCommand::Add { tracks: vec![track], place: AddPlace::Now })? {
//!     queue.apply(&event);
//! }
//! assert_eq!(queue.current(), Some(EntryId(0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: `library` (from `library/scan` on), `queue`, `playlist`, `m3u`, `player` (the trait is in `player/control`,
//! mpv's rules in `player/mpv/session`), `playback`, `position_file`, `session_players`, `ledger_line`, `limits`.

mod library;

mod m3u;
mod playlist;
mod queue;

mod playback;
mod player;
mod position_file;
mod session_players;

mod ledger_line;

mod actor;
mod entry;
mod limits;

pub use actor::MediaActor;
pub use entry::EntryId;
pub use ledger_line::{MediaChange, MediaLineError, media_change, playlist_line, queue_line};
pub use library::{
    Album, Cover, CoverDigest, FilePresence, FileProblem, Library, LibraryCounts, LibraryError,
    LibrarySettings, MediaDigestError, RootStatus, ScanDepth, ScanProgress, ScanSummary, Track,
    TrackKey, TrackPage, TrackRef,
};
pub use m3u::{M3uEntry, M3uError, M3uList, parse_m3u, print_m3u};
pub use playback::{
    Playback, PlaybackError, PlaybackParts, QueueRecordError, QueueRecorder, TrackFiles,
};
pub use player::{
    EntryEnd, MpvAudio, MpvPlayer, MpvSettings, PlayIntent, PlayItem, Player, PlayerError,
    PlayerEvent, PlayerEvents, PlayerState, PlayerStatus, PlayerTask, SilentPlayer, Volume,
};
pub use playlist::{
    Playlist, PlaylistCommand, PlaylistEntry, PlaylistError, PlaylistEvent, PlaylistId, Playlists,
};
pub use position_file::SavedPosition;
pub use queue::{
    AddPlace, QueueCommand, QueueEntry, QueueError, QueueEvent, QueueState, RepeatMode, StopReason,
};
pub use session_players::{
    SessionPlayer, SessionPlayerCommand, SessionPlayers, SessionPlayersError,
};
