//! Playlists as events: each change is one, and the playlists are what the events made of them.
//!
//! Entries hold tracks by their audio, so that a file that moves or is tagged anew stays in its playlists.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::{
    entry::EntryId,
    library::TrackRef,
    limits::{PLAYLIST_ENTRIES_MAX, PLAYLIST_NAME_CHARS_MAX, PLAYLISTS_MAX},
};

/// Number of a playlist, given once and never again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlaylistId(pub u64);

/// A place in a playlist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaylistEntry {
    /// Its number, of this playlist.
    pub id: EntryId,
    /// What is there.
    #[serde(flatten)]
    pub track: TrackRef,
}

/// One change of a playlist. `kind` says which, such as `media.playlist_created`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum PlaylistEvent {
    /// A playlist was made, empty.
    #[serde(rename = "media.playlist_created")]
    Created {
        /// Its number.
        playlist: PlaylistId,
        /// Its name.
        #[serde(rename = "title")]
        name: String,
    },
    /// A playlist has another name.
    #[serde(rename = "media.playlist_renamed")]
    Renamed {
        /// Which.
        playlist: PlaylistId,
        /// Its new name.
        #[serde(rename = "title")]
        name: String,
    },
    /// A playlist is gone.
    #[serde(rename = "media.playlist_deleted")]
    Deleted {
        /// Which.
        playlist: PlaylistId,
    },
    /// Entries were put in, before another one or at the end.
    #[serde(rename = "media.playlist_added")]
    Added {
        /// Into which.
        playlist: PlaylistId,
        /// The new entries.
        entries: Vec<PlaylistEntry>,
        /// Before which entry; none for the end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<EntryId>,
    },
    /// Entries were taken out.
    #[serde(rename = "media.playlist_removed")]
    Removed {
        /// Of which.
        playlist: PlaylistId,
        /// Which.
        entries: Vec<EntryId>,
    },
    /// An entry was put elsewhere.
    #[serde(rename = "media.playlist_moved")]
    Moved {
        /// Of which.
        playlist: PlaylistId,
        /// Which.
        entry: EntryId,
        /// Before which other; none for the end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<EntryId>,
    },
}

/// What somebody wants of the playlists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaylistCommand {
    /// Makes a playlist of tracks.
    Create {
        /// Its name.
        name: String,
        /// What is in it.
        tracks: Vec<TrackRef>,
    },
    /// Gives a playlist another name.
    Rename {
        /// Which.
        playlist: PlaylistId,
        /// Its new name.
        name: String,
    },
    /// Deletes a playlist.
    Delete {
        /// Which.
        playlist: PlaylistId,
    },
    /// Puts tracks into a playlist.
    Add {
        /// Into which.
        playlist: PlaylistId,
        /// Which tracks.
        tracks: Vec<TrackRef>,
        /// Before which entry; none for the end.
        before: Option<EntryId>,
    },
    /// Takes entries out.
    Remove {
        /// Of which.
        playlist: PlaylistId,
        /// Which.
        entries: Vec<EntryId>,
    },
    /// Puts an entry before another, or at the end.
    Move {
        /// Of which.
        playlist: PlaylistId,
        /// Which.
        entry: EntryId,
        /// Before which other.
        before: Option<EntryId>,
    },
}

/// The playlists cannot do that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaylistError {
    /// No such playlist.
    #[error("there is no playlist {}; list the playlists again", playlist.0)]
    NoPlaylist {
        /// Which.
        playlist: PlaylistId,
    },
    /// No such entry.
    #[error("entry {entry} is not in the playlist; look at the playlist again")]
    NoEntry {
        /// Which.
        entry: EntryId,
    },
    /// The name cannot be one.
    #[error("a playlist's name has 1 to {PLAYLIST_NAME_CHARS_MAX} characters, all of them visible")]
    Name,
    /// There are too many.
    #[error(
        "there are at most {PLAYLISTS_MAX} playlists of at most {PLAYLIST_ENTRIES_MAX} entries"
    )]
    Full,
}

/// One playlist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Playlist {
    /// Its name.
    pub name: String,
    /// What is in it, in its order.
    pub entries: Vec<PlaylistEntry>,
    next_entry: u64,
}

/// All playlists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Playlists {
    lists: BTreeMap<PlaylistId, Playlist>,
    next_list: u64,
}

impl Playlists {
    /// One playlist.
    pub fn get(&self, playlist: PlaylistId) -> Option<&Playlist> {
        self.lists.get(&playlist)
    }

    /// All of them, by number.
    pub fn iter(&self) -> impl Iterator<Item = (PlaylistId, &Playlist)> {
        self.lists.iter().map(|(id, list)| (*id, list))
    }

    /// What a command comes to.
    pub fn decide(&self, command: PlaylistCommand) -> Result<Vec<PlaylistEvent>, PlaylistError> {
        Ok(match command {
            PlaylistCommand::Create { name, tracks } => self.create(&name, tracks)?,
            PlaylistCommand::Rename { playlist, name } => {
                self.find(playlist)?;
                vec![PlaylistEvent::Renamed { playlist, name: check_name(&name)? }]
            }
            PlaylistCommand::Delete { playlist } => {
                self.find(playlist)?;
                vec![PlaylistEvent::Deleted { playlist }]
            }
            PlaylistCommand::Add { playlist, tracks, before } => {
                let list = self.find(playlist)?;
                before.map_or(Ok(()), |entry| list.check(entry))?;
                if list.entries.len() + tracks.len() > PLAYLIST_ENTRIES_MAX {
                    return Err(PlaylistError::Full);
                }
                let entries = number(list.next_entry, tracks);
                vec![PlaylistEvent::Added { playlist, entries, before }]
            }
            PlaylistCommand::Remove { playlist, entries } => {
                let list = self.find(playlist)?;
                entries.iter().try_for_each(|entry| list.check(*entry))?;
                vec![PlaylistEvent::Removed { playlist, entries }]
            }
            PlaylistCommand::Move { playlist, entry, before } => {
                let list = self.find(playlist)?;
                before.into_iter().chain([entry]).try_for_each(|entry| list.check(entry))?;
                vec![PlaylistEvent::Moved { playlist, entry, before }]
            }
        })
    }

    /// Takes an event in. One that does not fit changes nothing.
    pub fn apply(&mut self, event: &PlaylistEvent) {
        match event {
            PlaylistEvent::Created { playlist, name } => {
                self.next_list = self.next_list.max(playlist.0.saturating_add(1));
                let list = Playlist { name: name.clone(), ..Playlist::default() };
                self.lists.entry(*playlist).or_insert(list);
            }
            PlaylistEvent::Deleted { playlist } => {
                self.lists.remove(playlist);
            }
            PlaylistEvent::Renamed { playlist, name } => {
                self.change(*playlist, |list| name.clone_into(&mut list.name));
            }
            PlaylistEvent::Added { playlist, entries, before } => {
                self.change(*playlist, |list| list.add(entries, *before));
            }
            PlaylistEvent::Removed { playlist, entries } => {
                let gone: HashSet<EntryId> = entries.iter().copied().collect();
                self.change(*playlist, |list| list.entries.retain(|e| !gone.contains(&e.id)));
            }
            PlaylistEvent::Moved { playlist, entry, before } => {
                self.change(*playlist, |list| list.put_before(*entry, *before));
            }
        }
    }

    fn create(
        &self,
        name: &str,
        tracks: Vec<TrackRef>,
    ) -> Result<Vec<PlaylistEvent>, PlaylistError> {
        if self.lists.len() >= PLAYLISTS_MAX || tracks.len() > PLAYLIST_ENTRIES_MAX {
            return Err(PlaylistError::Full);
        }
        let playlist = PlaylistId(self.next_list);
        let mut events = vec![PlaylistEvent::Created { playlist, name: check_name(name)? }];
        if !tracks.is_empty() {
            let entries = number(0, tracks);
            events.push(PlaylistEvent::Added { playlist, entries, before: None });
        }
        Ok(events)
    }

    fn find(&self, playlist: PlaylistId) -> Result<&Playlist, PlaylistError> {
        self.lists.get(&playlist).ok_or(PlaylistError::NoPlaylist { playlist })
    }

    fn change(&mut self, playlist: PlaylistId, change: impl FnOnce(&mut Playlist)) {
        if let Some(list) = self.lists.get_mut(&playlist) {
            change(list);
        }
    }
}

impl Playlist {
    fn check(&self, entry: EntryId) -> Result<(), PlaylistError> {
        let is_there = self.entries.iter().any(|known| known.id == entry);
        is_there.then_some(()).ok_or(PlaylistError::NoEntry { entry })
    }

    fn add(&mut self, entries: &[PlaylistEntry], before: Option<EntryId>) {
        let known: HashSet<EntryId> = self.entries.iter().map(|entry| entry.id).collect();
        let new: Vec<_> = entries.iter().filter(|e| !known.contains(&e.id)).cloned().collect();
        for entry in &new {
            self.next_entry = self.next_entry.max(entry.id.0.saturating_add(1));
        }
        let place = self.index_before(before);
        self.entries.splice(place..place, new);
    }

    fn put_before(&mut self, entry: EntryId, before: Option<EntryId>) {
        let from = self.entries.iter().position(|known| known.id == entry);
        if let Some(from) = from.filter(|_| before != Some(entry)) {
            let moved = self.entries.remove(from);
            let place = self.index_before(before);
            self.entries.insert(place, moved);
        }
    }

    fn index_before(&self, before: Option<EntryId>) -> usize {
        let place = before.and_then(|id| self.entries.iter().position(|entry| entry.id == id));
        place.unwrap_or(self.entries.len())
    }
}

fn number(from: u64, tracks: Vec<TrackRef>) -> Vec<PlaylistEntry> {
    (from..).zip(tracks).map(|(id, track)| PlaylistEntry { id: EntryId(id), track }).collect()
}

fn check_name(name: &str) -> Result<String, PlaylistError> {
    let name = name.trim();
    let length = name.chars().count();
    let is_visible = !name.chars().any(char::is_control);
    if is_visible && (1..=PLAYLIST_NAME_CHARS_MAX).contains(&length) {
        Ok(name.to_owned())
    } else {
        Err(PlaylistError::Name)
    }
}
