//! Stretches of conversation: what of a thread was said without a long pause and belongs together.
//!
//! Knows nothing of texts. A thread may run for years; a stretch of it is what a person would call one conversation.

use std::{collections::HashMap, time::Duration};

use abide_domain::Timestamp;

/// A pause that ends a conversation.
pub(super) const PAUSE: Duration = Duration::from_hours(1);
/// Documents of one stretch at most: a thread that never pauses (a clock that ticks into it) is cut.
pub(super) const STRETCH_DOCUMENTS_MAX: u32 = 128;

/// Documents that belong together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Stretch {
    thread: u32,
    /// Documents in it.
    documents: u32,
    /// Their words together, in halves.
    pub(super) halves: u32,
}

/// The end of a thread.
#[derive(Clone, Copy, Debug)]
struct ThreadEnd {
    slot: u32,
    at: Timestamp,
    stretch: u32,
}

/// Where a document stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ThreadPosition {
    /// Its stretch.
    pub(super) stretch: u32,
    /// The document before it in the same stretch.
    pub(super) previous: Option<u32>,
}

/// All threads and their stretches.
#[derive(Clone, Debug, Default)]
pub(super) struct Threads {
    names: HashMap<Box<str>, u32>,
    /// By the threads' numbers; none where the last stretch has lost all its documents.
    ends: Vec<Option<ThreadEnd>>,
    stretches: Vec<Stretch>,
    /// Stretches that hold a document.
    non_empty: usize,
}

impl Threads {
    /// Appends a document of so many halves of words to a thread.
    pub(super) fn append(
        &mut self,
        thread: &str,
        at: Timestamp,
        slot: u32,
        halves: u32,
    ) -> ThreadPosition {
        let thread = self.number_of(thread);
        let end = self.ends.get(thread as usize).copied().flatten();
        let before = end.filter(|end| {
            let pause = at.since(end.at).max(end.at.since(at));
            pause < PAUSE && self.stretch(end.stretch).documents < STRETCH_DOCUMENTS_MAX
        });
        let place = if let Some(end) = before {
            ThreadPosition { stretch: end.stretch, previous: Some(end.slot) }
        } else {
            self.stretches.push(Stretch { thread, ..Stretch::default() });
            let stretch = u32::try_from(self.stretches.len() - 1).unwrap_or(u32::MAX);
            ThreadPosition { stretch, previous: None }
        };
        if let Some(end) = self.ends.get_mut(thread as usize) {
            *end = Some(ThreadEnd { slot, at, stretch: place.stretch });
        }
        if let Some(stretch) = self.stretches.get_mut(place.stretch as usize) {
            self.non_empty += usize::from(stretch.documents == 0);
            stretch.documents += 1;
            stretch.halves = stretch.halves.saturating_add(halves);
        }
        place
    }

    fn number_of(&mut self, thread: &str) -> u32 {
        if let Some(number) = self.names.get(thread) {
            return *number;
        }
        let number = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        self.names.insert(thread.into(), number);
        self.ends.push(None);
        number
    }

    /// Takes a document out. Where it ended its thread, the one before it in the same stretch does now.
    pub(super) fn take_out(&mut self, slot: u32, place: ThreadPosition, halves: u32) {
        let Some(stretch) = self.stretches.get_mut(place.stretch as usize) else { return };
        self.non_empty -= usize::from(stretch.documents == 1);
        stretch.documents = stretch.documents.saturating_sub(1);
        stretch.halves = stretch.halves.saturating_sub(halves);
        if let Some(end) = self.ends.get_mut(stretch.thread as usize) {
            *end = end.and_then(|end| {
                let last = if end.slot == slot { place.previous } else { Some(end.slot) };
                last.map(|slot| ThreadEnd { slot, ..end })
            });
        }
    }

    /// Follows documents to their new places.
    pub(super) fn moved(&mut self, moved: &[u32]) {
        for end in self.ends.iter_mut().flatten() {
            end.slot = moved.get(end.slot as usize).copied().unwrap_or(u32::MAX);
        }
    }

    /// One stretch.
    pub(super) fn stretch(&self, stretch: u32) -> Stretch {
        self.stretches.get(stretch as usize).copied().unwrap_or_default()
    }

    /// Stretches that hold a document.
    pub(super) fn non_empty(&self) -> usize {
        self.non_empty
    }

    /// All stretches, with those that have become empty.
    pub(super) fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// An estimate of the memory in use.
    pub(super) fn bytes(&self) -> usize {
        /// Of a name in the map, beside its letters.
        const NAME: usize = 40;
        let names: usize = self.names.keys().map(|name| name.len() + NAME).sum();
        names
            + self.ends.capacity() * size_of::<Option<ThreadEnd>>()
            + self.stretches.capacity() * size_of::<Stretch>()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::Timestamp;

    use super::{PAUSE, STRETCH_DOCUMENTS_MAX, ThreadPosition, Threads};

    fn at(minutes: u64) -> Timestamp {
        Timestamp::from_micros(0).plus(Duration::from_mins(minutes))
    }

    #[test]
    fn a_pause_begins_a_new_stretch_and_threads_do_not_mix() {
        let mut threads = Threads::default();
        let places = [("a", 0), ("b", 1), ("a", 59), ("a", 59 + PAUSE.as_secs() / 60)]
            .into_iter()
            .enumerate();
        let places = places.map(|(slot, (thread, minutes))| {
            threads.append(thread, at(minutes), u32::try_from(slot).expect("few"), 2)
        });
        let expected = [(0, None), (1, None), (0, Some(0)), (2, None)];
        assert_eq!(
            places.collect::<Vec<_>>(),
            expected.map(|(stretch, previous)| ThreadPosition { stretch, previous })
        );
        assert_eq!((threads.non_empty(), threads.stretch(0).halves), (3, 4));
    }

    #[test]
    fn a_thread_that_never_pauses_is_cut() {
        let mut threads = Threads::default();
        let stretches =
            (0..=STRETCH_DOCUMENTS_MAX).map(|slot| threads.append("a", at(0), slot, 2).stretch);
        assert_eq!(stretches.last(), Some(1));
    }

    #[test]
    fn where_the_end_is_taken_out_the_one_before_it_is_the_end() {
        let mut threads = Threads::default();
        let first = threads.append("a", at(0), 0, 2);
        let second = threads.append("a", at(1), 1, 4);
        threads.take_out(1, second, 4);
        assert_eq!(
            threads.append("a", at(2), 2, 2),
            ThreadPosition { stretch: 0, previous: Some(0) }
        );
        threads.take_out(2, ThreadPosition { stretch: 0, previous: Some(0) }, 2);
        threads.take_out(0, first, 2);
        assert_eq!((threads.non_empty(), threads.stretch(0).halves), (0, 0));
        assert_eq!(threads.append("a", at(3), 3, 2).previous, None);
    }
}
