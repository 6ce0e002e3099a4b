//! How what the music cannot do becomes an answer.

use abide_engine::keeper::MediaOrderError;
use abide_media::{LibraryError, PlayerError, PlaylistError, QueueError, SessionPlayersError};

use crate::{api::error::ApiError, media::MusicError};

impl From<MusicError> for ApiError {
    fn from(error: MusicError) -> Self {
        let message = error.to_string();
        match error {
            MusicError::Unavailable(_) => Self::conflict("no_player", message),
            MusicError::NoTrack(_)
            | MusicError::NoPlaylist(_)
            | MusicError::Queue(QueueError::NoEntry { .. })
            | MusicError::OtherPlayer(SessionPlayersError::Name { .. }) => Self::missing(message),
            MusicError::Queue(QueueError::Full { .. }) => Self::conflict("queue_full", message),
            MusicError::Queue(QueueError::Nothing) => Self::conflict("nothing_to_play", message),
            MusicError::Invalid { path, message } => Self::invalid_at(&path, "rule", &message),
            MusicError::Player(PlayerError::NothingLoaded) => {
                Self::conflict("nothing_is_played", message)
            }
            MusicError::Record(_) => Self::unavailable("not_recorded", message),
            MusicError::Library(LibraryError::Busy) => Self::conflict("scanning", message),
            MusicError::OtherPlayer(SessionPlayersError::Unable { .. }) => {
                Self::conflict("player_unable", message)
            }
            MusicError::Player(_) | MusicError::OtherPlayer(_) => {
                Self::unavailable("player", message)
            }
            MusicError::Playlists(error) => error.into(),
            error @ (MusicError::Library(_) | MusicError::Ended(_)) => Self::internal(&error),
        }
    }
}

impl From<MediaOrderError> for ApiError {
    fn from(error: MediaOrderError) -> Self {
        match error {
            MediaOrderError::Order(error) => error.into(),
            MediaOrderError::Playlist(error) => match error {
                PlaylistError::NoPlaylist { .. } | PlaylistError::NoEntry { .. } => {
                    Self::missing(error.to_string())
                }
                PlaylistError::Name => Self::invalid_at("name", "length", &error.to_string()),
                PlaylistError::Full => Self::conflict("playlists_full", error.to_string()),
            },
            MediaOrderError::Line(_) => Self::internal(&error),
        }
    }
}
