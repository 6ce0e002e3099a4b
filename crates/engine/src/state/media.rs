//! The queue of the home and its playlists, as they follow from their lines.
//!
//! What a line means is the crate `media`'s. Where within a track something plays is in no line and not here.

use abide_domain::event::Event;
use abide_ledger::Entry;
use abide_media::{MediaChange, Playlists, QueueState, media_change};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// What is to be played, and playlists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    /// The queue.
    pub queue: QueueState,
    /// The playlists.
    pub playlists: Playlists,
}

impl Media {
    /// Takes a line in. One that has not the form of what can happen changes nothing.
    pub(super) fn apply(&mut self, entry: &Entry) {
        let Event::Media(line) = &entry.event else { return };
        match media_change(line) {
            Ok(MediaChange::Queue(event)) => self.queue.apply(&event),
            Ok(MediaChange::Playlist(event)) => self.playlists.apply(&event),
            Err(_) => {}
        }
    }

    pub(super) fn parts(&self) -> Value {
        // Both have a form that can be written: they consist of numbers and texts.
        let form = serde_json::to_vec(&(&self.queue, &self.playlists)).unwrap_or_default();
        json!(hex::encode(Sha256::digest(&form)))
    }
}
