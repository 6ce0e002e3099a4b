//! What plays files: one trait, an mpv behind it, and a silent one for tests.

mod control;
mod mpv;
mod outlet;
mod silent;
mod state;

pub use control::{Player, PlayerError};
pub use mpv::{MpvAudio, MpvPlayer, MpvSettings, PlayerTask};
pub use outlet::PlayerEvents;
pub use silent::SilentPlayer;
pub use state::{EntryEnd, PlayIntent, PlayItem, PlayerEvent, PlayerState, PlayerStatus, Volume};
