//! `media.*`: the queue of the home and its playlists. The entity is the keeper; the author is who did it, and `by` says what that is.
//!
//! Tracks are known by a digest of their audio; what is shown of them stands beside it, so that a queue can be read where no file has
//! a track any more. Where within a track something plays stands in no event: it would be one a second. What the crate `media` makes of
//! these is its own; here are their forms.

use serde::{Deserialize, Serialize};

use super::event_group;

event_group! {
    /// Music: what is to be played, what was played, and playlists.
    MediaEvent {
        /// Entries were put into the queue, before another one or at the end.
        QueueAdded(MediaQueueAdded) = "media.queue_added" v 1,
        /// Entries were taken out of the queue.
        QueueRemoved(MediaQueueRemoved) = "media.queue_removed" v 1,
        /// An entry of the queue was put elsewhere.
        QueueMoved(MediaQueueMoved) = "media.queue_moved" v 1,
        /// All entries were taken out of the queue.
        QueueCleared(MediaQueueCleared) = "media.queue_cleared" v 1,
        /// An entry is what is played from now on.
        EntryStarted(MediaEntryStarted) = "media.entry_started" v 1,
        /// An entry was played to its end.
        EntryFinished(MediaEntryFinished) = "media.entry_finished" v 1,
        /// An entry could not be played; it stays, marked.
        EntryFailed(MediaEntryFailed) = "media.entry_failed" v 1,
        /// Playing goes on, or stands.
        IntentSet(MediaIntentSet) = "media.intent_set" v 1,
        /// Nothing is played any more.
        Stopped(MediaStopped) = "media.stopped" v 1,
        /// What comes after the last entry was set.
        RepeatSet(MediaRepeatSet) = "media.repeat_set" v 1,
        /// The order was shuffled anew, or is that of the queue again.
        ShuffleSet(MediaShuffleSet) = "media.shuffle_set" v 1,
        /// The volume was set.
        VolumeSet(MediaVolumeSet) = "media.volume_set" v 1,
        /// A playlist was made, empty.
        PlaylistCreated(MediaPlaylistCreated) = "media.playlist_created" v 1,
        /// A playlist has another name.
        PlaylistRenamed(MediaPlaylistRenamed) = "media.playlist_renamed" v 1,
        /// A playlist is gone.
        PlaylistDeleted(MediaPlaylistDeleted) = "media.playlist_deleted" v 1,
        /// Entries were put into a playlist, before another one or at the end.
        PlaylistAdded(MediaPlaylistAdded) = "media.playlist_added" v 1,
        /// Entries were taken out of a playlist.
        PlaylistRemoved(MediaPlaylistRemoved) = "media.playlist_removed" v 1,
        /// An entry of a playlist was put elsewhere.
        PlaylistMoved(MediaPlaylistMoved) = "media.playlist_moved" v 1,
    }
}

/// What somebody is who did something to the music.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaAuthorKind {
    /// A person.
    Person,
    /// An agent.
    Agent,
    /// The player itself: a track ended, or could not be played.
    Player,
}

/// Who did something to the music.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaAuthor {
    /// What that is.
    pub who: MediaAuthorKind,
    /// The name.
    pub name: String,
}

/// A place in the queue or in a playlist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaEntry {
    /// Its number, given once.
    pub id: u64,
    /// What the track is known by: 32 hexadecimal digits.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Its artists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artists: Vec<String>,
    /// Its length in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// Whether it is to play or to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaIntent {
    /// To play.
    Play,
    /// To stand where it is.
    Pause,
}

/// Why nothing is played any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaStopReason {
    /// Somebody asked for it.
    Asked,
    /// The last entry ended.
    EndOfQueue,
    /// No entry of a whole round could be played.
    NothingPlayable,
}

/// What comes after the last entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaRepeatMode {
    /// Nothing.
    Off,
    /// The first one.
    All,
    /// After each entry comes the same again.
    One,
}

/// Entries that were put into the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaQueueAdded {
    /// Who.
    pub by: MediaAuthor,
    /// The new entries.
    pub entries: Vec<MediaEntry>,
    /// Before which entry; none for the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// They are played next even where the order is shuffled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub play_next: bool,
}

/// Entries that were taken out of the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaQueueRemoved {
    /// Who.
    pub by: MediaAuthor,
    /// Which.
    pub entries: Vec<u64>,
}

/// An entry of the queue that was put elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaQueueMoved {
    /// Who.
    pub by: MediaAuthor,
    /// Which.
    pub entry: u64,
    /// Before which other; none for the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
}

/// A queue that is empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaQueueCleared {
    /// Who.
    pub by: MediaAuthor,
}

/// An entry that is played from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaEntryStarted {
    /// Who.
    pub by: MediaAuthor,
    /// Which.
    pub entry: u64,
}

/// An entry that was played to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaEntryFinished {
    /// Who.
    pub by: MediaAuthor,
    /// Which.
    pub entry: u64,
}

/// An entry that could not be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaEntryFailed {
    /// Who.
    pub by: MediaAuthor,
    /// Which.
    pub entry: u64,
    /// Why.
    pub reason: String,
}

/// Playing that goes on or stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaIntentSet {
    /// Who.
    pub by: MediaAuthor,
    /// Which of the two.
    pub intent: MediaIntent,
}

/// The end of playing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaStopped {
    /// Who.
    pub by: MediaAuthor,
    /// Why.
    pub reason: MediaStopReason,
}

/// What comes after the last entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaRepeatSet {
    /// Who.
    pub by: MediaAuthor,
    /// What.
    pub repeat: MediaRepeatMode,
}

/// The order of playing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaShuffleSet {
    /// Who.
    pub by: MediaAuthor,
    /// The same seed gives the same order; none for the order of the queue.
    pub seed: Option<u64>,
}

/// The volume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaVolumeSet {
    /// Who.
    pub by: MediaAuthor,
    /// In percent.
    pub volume: u8,
}

/// A playlist that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaPlaylistCreated {
    /// Who.
    pub by: MediaAuthor,
    /// Its number.
    pub playlist: u64,
    /// Its name. What people call it is a word; a field `name` holds names of who and what.
    pub title: String,
}

/// A playlist with another name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaPlaylistRenamed {
    /// Who.
    pub by: MediaAuthor,
    /// Which.
    pub playlist: u64,
    /// Its new name.
    pub title: String,
}

/// A playlist that is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaPlaylistDeleted {
    /// Who.
    pub by: MediaAuthor,
    /// Which.
    pub playlist: u64,
}

/// Entries that were put into a playlist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaPlaylistAdded {
    /// Who.
    pub by: MediaAuthor,
    /// Into which.
    pub playlist: u64,
    /// The new entries.
    pub entries: Vec<MediaEntry>,
    /// Before which entry; none for the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
}

/// Entries that were taken out of a playlist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaPlaylistRemoved {
    /// Who.
    pub by: MediaAuthor,
    /// Of which.
    pub playlist: u64,
    /// Which.
    pub entries: Vec<u64>,
}

/// An entry of a playlist that was put elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaPlaylistMoved {
    /// Who.
    pub by: MediaAuthor,
    /// Of which.
    pub playlist: u64,
    /// Which.
    pub entry: u64,
    /// Before which other; none for the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
}
