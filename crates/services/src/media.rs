//! `media.*`: the music of this machine: what is played, what there is, and what is to be played next.
//!
//! The player is the keeper's; here are the tools and what they ask of it ([`MusicControl`]). Titles, names and whatever else comes out
//! of files is text of others.

mod control;
mod form;
mod next;
mod pause;
mod play;
mod queue;
mod search;
mod status;
mod volume;

use std::sync::Arc;

use abide_tools::Tool;

pub use control::{MusicAct, MusicChoice, MusicControl, MusicPlace};
pub use next::PlayNext;
pub use pause::PauseMusic;
pub use play::PlayMusic;
pub use queue::QueueMusic;
pub use search::SearchMusic;
pub use status::ShowMusic;
pub use volume::SetVolume;

/// The names of the tools of `media.*`.
pub const MEDIA_TOOL_NAMES: [&str; 7] = [
    "media.next",
    "media.pause",
    "media.play",
    "media.queue",
    "media.search",
    "media.status",
    "media.volume",
];

/// The tools of `media.*`.
pub fn media_tools(music: &Arc<dyn MusicControl>) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(ShowMusic::new(Arc::clone(music))),
        Arc::new(SearchMusic::new(Arc::clone(music))),
        Arc::new(PlayMusic::new(Arc::clone(music))),
        Arc::new(PauseMusic::new(Arc::clone(music))),
        Arc::new(PlayNext::new(Arc::clone(music))),
        Arc::new(QueueMusic::new(Arc::clone(music))),
        Arc::new(SetVolume::new(Arc::clone(music))),
    ]
}
