//! What tools of music ask of the keeper's player.

use std::fmt;

use abide_domain::AgentId;
use abide_tools::ToolError;
use futures_util::future::BoxFuture;
use serde_json::Value;

/// Where tracks go that an agent puts into the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MusicPlace {
    /// Behind what is played.
    Next,
    /// To the end.
    #[default]
    End,
}

/// What an agent wants to hear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MusicChoice {
    /// Tracks, by the ids that a search gave.
    Tracks(Vec<String>),
    /// A playlist, by its number.
    Playlist(u64),
    /// An entry of the queue, by its number.
    Entry(u64),
}

/// What an agent does to the music.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MusicAct {
    /// Goes on, or plays something at once.
    Play(Option<MusicChoice>),
    /// Stands.
    Pause,
    /// Plays the next entry.
    Next,
    /// Puts something into the queue.
    Queue(MusicChoice, MusicPlace),
    /// Sets how loud, 0 to 100.
    Volume(u8),
}

/// The player of the keeper, as agents' tools need it. Values are what a mind may be shown; errors say what to do.
pub trait MusicControl: Send + Sync + fmt::Debug {
    /// What is played and what comes next.
    fn status(&self) -> BoxFuture<'_, Result<Value, ToolError>>;

    /// Tracks of the library that match words, the best first, so many at most; and the playlists.
    fn search(&self, words: String, limit: usize) -> BoxFuture<'_, Result<Value, ToolError>>;

    /// Does something in the name of an agent; what is played then.
    fn act(&self, agent: AgentId, act: MusicAct) -> BoxFuture<'_, Result<Value, ToolError>>;
}
