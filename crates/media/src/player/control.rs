//! The role of a player: what it can be asked.

use std::{fmt, path::PathBuf, time::Duration};

use futures_util::future::BoxFuture;

use super::{
    outlet::PlayerEvents,
    state::{PlayIntent, PlayItem, PlayerState, Volume},
};

/// A player could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// Only absolute paths are played.
    #[error("`{}` cannot be played: its path is not absolute", path.display())]
    RelativePath {
        /// Which path.
        path: PathBuf,
    },
    /// There is nothing to seek in.
    #[error("nothing is being played; load a track first")]
    NothingLoaded,
    /// The program could not be started.
    #[error("the player {program} could not be started: {reason}")]
    Start {
        /// Which program.
        program: String,
        /// Why not.
        reason: String,
    },
    /// The player is shut down.
    #[error("the player is shut down")]
    ShutDown,
}

/// What plays files. A call returns once it is taken on; what came of it is an event.
pub trait Player: Send + Sync + fmt::Debug {
    /// Plays a file from a place on, instead of all else, the next one included.
    fn load(
        &self,
        item: PlayItem,
        from: Duration,
        intent: PlayIntent,
    ) -> BoxFuture<'_, Result<(), PlayerError>>;

    /// Says what comes after the present entry, without a gap where the player can; none for nothing.
    fn set_next(&self, next: Option<PlayItem>) -> BoxFuture<'_, Result<(), PlayerError>>;

    /// Goes on.
    fn play(&self) -> BoxFuture<'_, Result<(), PlayerError>>;

    /// Stands still.
    fn pause(&self) -> BoxFuture<'_, Result<(), PlayerError>>;

    /// Ends what is played; the next one is dropped.
    fn stop(&self) -> BoxFuture<'_, Result<(), PlayerError>>;

    /// Goes to a place of the present entry.
    fn seek(&self, position: Duration) -> BoxFuture<'_, Result<(), PlayerError>>;

    /// Sets how loud.
    fn set_volume(&self, volume: Volume) -> BoxFuture<'_, Result<(), PlayerError>>;

    /// What it is at.
    fn state(&self) -> PlayerState;

    /// What it says from now on.
    fn events(&self) -> PlayerEvents;
}
