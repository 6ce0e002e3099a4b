//! Why something about music could not be done, in words that say what to do.

use abide_engine::keeper::MediaOrderError;
use abide_media::{
    LibraryError, PlaybackError, PlayerError, QueueError, QueueRecordError, SessionPlayersError,
};

/// Says why the music did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MusicError {
    /// Nothing can be played or scanned, and what to do about it.
    #[error("{0}")]
    Unavailable(String),
    /// The library has no such track.
    #[error("there is no track `{0}` in the music library; look it up in /music/library")]
    NoTrack(String),
    /// There is no such playlist.
    #[error("there is no playlist `{0}`; /music/playlists lists them")]
    NoPlaylist(u64),
    /// The queue cannot do it.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// What was asked for cannot be.
    #[error("{path}: {message}")]
    Invalid {
        /// Where in the request.
        path: String,
        /// What is wrong and what would be right.
        message: String,
    },
    /// It could not be written down, so it did not happen.
    #[error(transparent)]
    Record(#[from] QueueRecordError),
    /// The player could not do it; the queue says what is wanted all the same.
    #[error(transparent)]
    Player(PlayerError),
    /// The library could not be asked.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// Another program's player did not do it.
    #[error(transparent)]
    OtherPlayer(#[from] SessionPlayersError),
    /// The playlists did not take it.
    #[error(transparent)]
    Playlists(#[from] MediaOrderError),
    /// The work ended without an answer.
    #[error("the music library gave no answer: {0}")]
    Ended(String),
}

impl From<PlaybackError> for MusicError {
    fn from(error: PlaybackError) -> Self {
        match error {
            PlaybackError::Queue(error) => Self::Queue(error),
            PlaybackError::Record(error) => Self::Record(error),
            PlaybackError::Player(error @ PlayerError::Start { .. }) => {
                Self::Unavailable(format!("{error}; {START_HINT}"))
            }
            PlaybackError::Player(error) => Self::Player(error),
        }
    }
}

/// What to do where mpv does not start.
pub(super) const START_HINT: &str = "see whether `mpv --version` works for the keeper's user, or set `program` or `player` under [media], then play again";
