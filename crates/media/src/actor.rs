//! Who changes the queue or a playlist.

/// Who did something to the music.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediaActor {
    /// A person, by name.
    Person(String),
    /// An agent, by its id.
    Agent(String),
    /// The player: what it plays ended, or cannot be played.
    Player,
}
