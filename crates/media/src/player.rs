//! What plays files: one trait, an mpv behind it, and a silent one for tests.

mod control;
mod mpv;
mod outlet;
mod silent;

pub use control::{
    EntryEnd, PlayIntent, PlayItem, Player, PlayerError, PlayerEvent, PlayerState, PlayerStatus,
    Volume,
};
pub use mpv::{MpvAudio, MpvPlayer, MpvSettings, PlayerTask};
pub use outlet::PlayerEvents;
pub use silent::SilentPlayer;
