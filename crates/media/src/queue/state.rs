//! The queue as its events made it, and what comes after what.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::event::{QueueEntry, QueueEvent, RepeatMode};
use crate::{
    entry::EntryId,
    player::{PlayIntent, Volume},
};

/// The queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueState {
    entries: Vec<QueueEntry>,
    /// The order of playing; that of the entries where it is not shuffled.
    order: Vec<EntryId>,
    seed: Option<u64>,
    repeat: RepeatMode,
    current: Option<EntryId>,
    is_paused: bool,
    volume: Volume,
    /// Entries that could not be played the last time, with the reason.
    failed: BTreeMap<EntryId, String>,
    /// How many entries could not be played since one could.
    failures: usize,
    next_id: u64,
}

impl QueueState {
    /// The entries, in the order of the queue.
    pub fn entries(&self) -> &[QueueEntry] {
        &self.entries
    }

    /// An entry by its number.
    pub fn entry(&self, id: EntryId) -> Option<&QueueEntry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// The entries in the order of playing.
    pub fn order(&self) -> &[EntryId] {
        &self.order
    }

    /// What is played.
    pub const fn current(&self) -> Option<EntryId> {
        self.current
    }

    /// Whether it is to play or to stand.
    pub const fn intent(&self) -> PlayIntent {
        if self.is_paused { PlayIntent::Pause } else { PlayIntent::Play }
    }

    /// What comes after the last entry.
    pub const fn repeat(&self) -> RepeatMode {
        self.repeat
    }

    /// What the order is shuffled by.
    pub const fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// How loud.
    pub const fn volume(&self) -> Volume {
        self.volume
    }

    /// Why an entry could not be played the last time.
    pub fn failure(&self, id: EntryId) -> Option<&str> {
        self.failed.get(&id).map(String::as_str)
    }

    /// How many entries in a row could not be played.
    pub const fn failures(&self) -> usize {
        self.failures
    }

    /// The number of the next new entry.
    pub const fn next_id(&self) -> u64 {
        self.next_id
    }

    /// What is played when the present entry ends by itself.
    pub fn following(&self) -> Option<EntryId> {
        match self.repeat {
            RepeatMode::One if self.current.is_some_and(|id| !self.failed.contains_key(&id)) => {
                self.current
            }
            _ => self.after(),
        }
    }

    /// The next entry of the order, which somebody may ask for while one is repeated.
    pub fn after(&self) -> Option<EntryId> {
        let place = self.place()?;
        let wraps = self.repeat != RepeatMode::Off;
        let first = self.order.first().filter(|_| wraps);
        self.order.get(place + 1).or(first).copied()
    }

    /// The entry before the present one in the order.
    pub fn before(&self) -> Option<EntryId> {
        let place = self.place()?;
        let last = self.order.last().filter(|_| self.repeat != RepeatMode::Off);
        place.checked_sub(1).and_then(|place| self.order.get(place)).or(last).copied()
    }

    fn place(&self) -> Option<usize> {
        let current = self.current?;
        self.order.iter().position(|id| *id == current)
    }

    /// Takes an event in. One that does not fit, for its entry is gone, changes nothing.
    pub fn apply(&mut self, event: &QueueEvent) {
        match event {
            QueueEvent::Added { entries, before, play_next } => {
                self.add(entries, *before, *play_next);
            }
            QueueEvent::Removed { entries } => self.remove(entries),
            QueueEvent::Moved { entry, before } => self.put_before(*entry, *before),
            QueueEvent::Cleared => {
                self.entries.clear();
                self.order.clear();
                self.failed.clear();
                self.current = None;
            }
            QueueEvent::EntryStarted { entry } => {
                self.current = self.entry(*entry).map(|entry| entry.id);
            }
            QueueEvent::EntryFinished { entry } => {
                self.failed.remove(entry);
                self.failures = 0;
            }
            QueueEvent::EntryFailed { entry, reason } => {
                if self.entry(*entry).is_some() {
                    self.failed.insert(*entry, reason.clone());
                }
                self.failures += 1;
            }
            QueueEvent::IntentSet { intent } => self.is_paused = *intent == PlayIntent::Pause,
            QueueEvent::Stopped { .. } => (self.current, self.failures) = (None, 0),
            QueueEvent::RepeatSet { repeat } => self.repeat = *repeat,
            QueueEvent::ShuffleSet { seed } => {
                self.seed = *seed;
                self.arrange();
            }
            QueueEvent::VolumeSet { volume } => self.volume = *volume,
        }
    }

    fn add(&mut self, entries: &[QueueEntry], before: Option<EntryId>, play_next: bool) {
        let known: HashSet<EntryId> = self.entries.iter().map(|entry| entry.id).collect();
        let new: Vec<QueueEntry> =
            entries.iter().filter(|entry| !known.contains(&entry.id)).cloned().collect();
        for entry in &new {
            self.next_id = self.next_id.max(entry.id.0.saturating_add(1));
        }
        let place = self.index_before(before);
        let ids: Vec<EntryId> = new.iter().map(|entry| entry.id).collect();
        self.entries.splice(place..place, new);
        let Some(seed) = self.seed else {
            self.arrange();
            return;
        };
        // What is already in order stays; the new ones come somewhere in what is still to be played.
        let from = self.place().map_or(0, |place| place + 1);
        for (index, id) in ids.into_iter().enumerate() {
            let left = self.order.len() - from;
            let place = if play_next { index } else { spread(seed, id, left + 1) };
            self.order.insert(from + place.min(left), id);
        }
    }

    fn remove(&mut self, gone: &[EntryId]) {
        let gone: HashSet<EntryId> = gone.iter().copied().collect();
        if self.current.is_some_and(|current| gone.contains(&current)) {
            // What comes after it in the order, and stays, is next.
            let place = self.place().unwrap_or(0);
            let mut after = self.order.iter().skip(place + 1);
            self.current = after.find(|id| !gone.contains(id)).copied();
        }
        self.entries.retain(|entry| !gone.contains(&entry.id));
        self.order.retain(|id| !gone.contains(id));
        self.failed.retain(|id, _| !gone.contains(id));
    }

    fn put_before(&mut self, entry: EntryId, before: Option<EntryId>) {
        let Some(from) = self.entries.iter().position(|known| known.id == entry) else {
            return;
        };
        if before == Some(entry) {
            return;
        }
        let moved = self.entries.remove(from);
        let place = self.index_before(before);
        self.entries.insert(place, moved);
        if self.seed.is_none() {
            self.arrange();
        }
    }

    fn index_before(&self, before: Option<EntryId>) -> usize {
        let place = before.and_then(|id| self.entries.iter().position(|entry| entry.id == id));
        place.unwrap_or(self.entries.len())
    }

    /// The order anew: the queue's own, or by the seed with the present entry first.
    fn arrange(&mut self) {
        self.order = self.entries.iter().map(|entry| entry.id).collect();
        if let Some(seed) = self.seed {
            let current = self.current;
            self.order.sort_by_key(|id| (Some(*id) != current, mix(seed, *id), *id));
        }
    }
}

/// A place below `places`, the same for the same seed and entry.
fn spread(seed: u64, id: EntryId, places: usize) -> usize {
    let places = u64::try_from(places).unwrap_or(u64::MAX).max(1);
    usize::try_from(mix(seed, id) % places).unwrap_or(0)
}

/// Any bits, the same for the same seed and entry: the steps of SplitMix64.
const fn mix(seed: u64, id: EntryId) -> u64 {
    let mut bits = seed.wrapping_add(id.0.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
