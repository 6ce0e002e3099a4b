//! What people and agents can ask of the music, in one form.

use std::time::Duration;

use abide_media::{AddPlace, EntryId, PlaylistId, RepeatMode, Volume};

/// Tracks that are put into the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AddedTracks {
    /// Tracks of the library, by what they are known by: 32 hexadecimal digits each.
    Tracks(Vec<String>),
    /// A playlist.
    Playlist(PlaylistId),
}

/// What is to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlayedNow {
    /// What stands goes on, or the queue begins.
    Queue,
    /// An entry of the queue, from its beginning.
    Entry(EntryId),
    /// Tracks, which are put behind what is played.
    Added(AddedTracks),
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MusicOrder {
    /// Plays.
    Play(PlayedNow),
    /// Stands.
    Pause,
    /// Plays the next entry.
    Next,
    /// Plays the present entry from its beginning, or the one before.
    Previous,
    /// Ends playing.
    Stop,
    /// Goes to a place of the present track.
    Seek(Duration),
    /// Sets how loud.
    Volume(Volume),
    /// Puts tracks into the queue.
    Add(AddedTracks, AddPlace),
    /// Takes entries out.
    Remove(Vec<EntryId>),
    /// Puts an entry before another one, or at the end.
    Move(EntryId, Option<EntryId>),
    /// Takes all entries out.
    Clear,
    /// Shuffles, or takes the order of the queue.
    Shuffle(bool),
    /// Sets what comes after the last entry.
    Repeat(RepeatMode),
}
