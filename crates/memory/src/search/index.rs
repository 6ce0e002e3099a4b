//! The index: documents with their words, neighbours, speakers and vectors.
//!
//! Holds no text. Documents have places ("slots") in the order in which they came; one that is removed leaves an empty
//! place until so many are empty that the index is packed.

use std::collections::HashMap;

use super::{
    Document,
    calendar::{Day, tells_a_time},
    days::Days,
    messages::Messages,
    postings::Postings,
    question::{Speakers, unique_words},
    roles::SpeakerRole,
    threads::{ThreadPosition, Threads},
    vectors::{VectorKind, Vectors},
    wishes::tells_a_wish,
    words::{tokens, words, words_of},
};

/// Empty places below which packing does not pay.
const PACKED_FROM: usize = 1_024;
/// No document.
pub(super) const NOWHERE: u32 = u32::MAX;

/// One document without its text.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "marks of a text, each by itself")]
pub(super) struct DocumentSlot {
    pub(super) id: u64,
    /// The number of its message.
    pub(super) message: u32,
    pub(super) stretch: u32,
    /// The document before it in the same stretch.
    pub(super) previous: u32,
    /// The document behind it in the same stretch.
    pub(super) next: u32,
    pub(super) speaker: u32,
    /// Its length in halves of words that mean something.
    pub(super) halves: u32,
    /// Its length in words.
    pub(super) length: u32,
    pub(super) day: Day,
    pub(super) role: SpeakerRole,
    pub(super) state: SlotState,
    /// It asks something.
    pub(super) asks: bool,
    /// It says when something happens.
    pub(super) tells_time: bool,
    /// It says how somebody wants things done.
    pub(super) wishes: bool,
}

impl DocumentSlot {
    /// What its vector counts in the sum of its message.
    #[expect(clippy::cast_precision_loss, reason = "lengths in formulas need no more than 24 bits")]
    pub(super) fn weight(&self) -> f32 {
        self.length.max(1) as f32
    }
}

/// Whether a document is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotState {
    Alive,
    Removed,
}

/// Documents in memory, ready to be searched.
#[derive(Clone, Debug, Default)]
pub struct Index {
    places: HashMap<u64, u32>,
    pub(super) slots: Vec<DocumentSlot>,
    pub(super) days: Days,
    pub(super) postings: Postings,
    pub(super) threads: Threads,
    pub(super) messages: Messages,
    pub(super) speakers: Speakers,
    pub(super) vectors: Vectors,
    /// The length of all documents in halves of words.
    pub(super) halves: u64,
}

impl Index {
    /// Makes an empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Documents that can be found.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether nothing can be found.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// An estimate of the memory in use.
    pub fn bytes(&self) -> usize {
        /// Of an entry in the map of identifiers: key, place, control byte, at three quarters full.
        const PLACE: usize = 24;
        self.slots.capacity() * size_of::<DocumentSlot>()
            + self.places.len() * PLACE
            + self.postings.bytes()
            + self.threads.bytes()
            + self.messages.bytes()
            + self.vectors.bytes()
    }

    /// Adds a document, behind all others of its thread. One with the same identifier is replaced.
    pub fn add(&mut self, document: Document<'_>) {
        self.remove(document.id);
        let Ok(slot) = u32::try_from(self.slots.len()) else { return };
        let text = tokens(document.text);
        let halves = self.postings.add(slot, &words_of(&text), &words_of(&tokens(document.aside)));
        let place = self.threads.append(document.thread, document.at, slot, halves);
        if let Some(before) = place.previous.and_then(|before| self.slots.get_mut(before as usize))
        {
            before.next = slot;
        }
        self.halves += u64::from(halves);
        let day = Day::of(document.at);
        self.days.add(day, slot);
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        self.slots.push(DocumentSlot {
            id: document.id,
            message: self.messages.append(document.message, document.role, slot, length),
            stretch: place.stretch,
            previous: place.previous.unwrap_or(NOWHERE),
            next: NOWHERE,
            speaker: self.speakers.count(document.speaker),
            halves,
            length,
            day,
            role: document.role,
            state: SlotState::Alive,
            asks: document.text.contains('?'),
            tells_time: tells_a_time(&text),
            wishes: tells_a_wish(&text),
        });
        self.places.insert(document.id, slot);
    }

    /// Keeps a document's vector. Not taken where the document is unknown, or the vector has another length than those
    /// before, or has no direction.
    pub fn set_vector(&mut self, id: u64, vector: &[f32]) -> bool {
        let Some(at) = self.places.get(&id).copied() else { return false };
        let is_taken = self.vectors.set(at as usize, vector);
        self.measure_message(at);
        is_taken
    }

    /// Notes how long the sum of the vectors of a document's message is.
    fn measure_message(&mut self, at: u32) {
        let Some(message) = self.slot(at).map(|slot| slot.message) else { return };
        let places = self.messages.places(message);
        let weighted = places.filter_map(|at| {
            let slot = self.slot(at).filter(|slot| slot.state == SlotState::Alive)?;
            Some((at as usize, slot.weight()))
        });
        let norm = self.vectors.length_of_sum(weighted);
        self.messages.set_norm(message, norm);
    }

    /// Forgets all vectors: the next come from another model, of this kind.
    pub fn clear_vectors(&mut self, kind: VectorKind) {
        self.vectors.clear(kind);
    }

    /// Removes a document. Returns whether it was there.
    pub fn remove(&mut self, id: u64) -> bool {
        let Some(at) = self.places.remove(&id) else { return false };
        self.vectors.forget(at as usize);
        let Some(slot) = self.slots.get_mut(at as usize) else { return false };
        slot.state = SlotState::Removed;
        let slot = *slot;
        self.messages.take_out(slot.message, slot.length);
        self.measure_message(at);
        if let Some(before) = self.slots.get_mut(slot.previous as usize) {
            before.next = slot.next;
        }
        if let Some(behind) = self.slots.get_mut(slot.next as usize) {
            behind.previous = slot.previous;
        }
        let previous = Some(slot.previous).filter(|previous| *previous != NOWHERE);
        self.threads.take_out(at, ThreadPosition { stretch: slot.stretch, previous }, slot.halves);
        self.speakers.take_out(slot.speaker);
        self.halves = self.halves.saturating_sub(u64::from(slot.halves));
        let empty = self.slots.len() - self.places.len();
        if empty >= PACKED_FROM && empty > self.places.len() {
            self.pack();
        }
        true
    }

    /// Gives the empty places back.
    fn pack(&mut self) {
        let mut moved = Vec::with_capacity(self.slots.len());
        let mut next = 0_u32;
        for slot in &self.slots {
            let alive = slot.state == SlotState::Alive;
            moved.push(if alive { next } else { NOWHERE });
            next += u32::from(alive);
        }
        let to = |slot: u32| moved.get(slot as usize).copied().unwrap_or(NOWHERE);
        let messages = self.messages.moved(&moved);
        self.slots.retain(|slot| slot.state == SlotState::Alive);
        self.days = Days::default();
        for (at, slot) in (0..).zip(&mut self.slots) {
            self.days.add(slot.day, at);
            slot.previous = to(slot.previous);
            slot.next = to(slot.next);
            slot.message = messages.get(slot.message as usize).copied().unwrap_or(NOWHERE);
        }
        for place in self.places.values_mut() {
            *place = to(*place);
        }
        self.postings.keep(&moved);
        self.threads.moved(&moved);
        self.vectors.moved(&moved);
    }

    /// What of a question is to be embedded: without the names of those who speak, which are in no vector's meaning, and
    /// without words about the talk itself.
    pub fn embeddable(&self, text: &str) -> String {
        self.speakers.without_names(text)
    }

    /// Whether what a document says counts for one beside it: a message of several passages stands for itself, so that a
    /// short answer to a page is not found for the words of the page.
    pub(super) fn lends(&self, slot: &DocumentSlot, beside: u32) -> bool {
        self.messages.places(slot.message).len() <= 1
            || self.slot(beside).is_some_and(|other| other.message == slot.message)
    }

    /// The document of an identifier, with its place.
    pub(super) fn place_of(&self, id: u64) -> Option<(u32, &DocumentSlot)> {
        let at = self.places.get(&id).copied()?;
        Some((at, self.slot(at)?))
    }

    /// The document at a place, removed or not.
    /// The slot of the first document whose identifier is this one or a later one.
    pub(super) fn slot_of_first(&self, id: u64) -> u32 {
        let later = (0..).zip(&self.slots).find(|(_, slot)| slot.id >= id);
        later.map_or(NOWHERE, |(at, _)| at)
    }

    pub(super) fn slot(&self, at: u32) -> Option<&DocumentSlot> {
        self.slots.get(at as usize)
    }

    /// The documents that hold all words of a text, or any of them where none holds all; `None` where it has no words.
    pub(crate) fn holding(&self, text: &str) -> Option<Vec<u64>> {
        let stems = unique_words(words(text));
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for posting in stems.iter().flat_map(|stem| self.postings.list(stem)) {
            *counts.entry(posting.slot).or_default() += 1;
        }
        let living = counts.into_iter().filter_map(|(at, count)| Some((self.slot(at)?, count)));
        let living = living.filter(|(slot, _)| slot.state == SlotState::Alive);
        let (all, some): (Vec<_>, Vec<_>) = living.partition(|(_, count)| *count == stems.len());
        let found = if all.is_empty() { some } else { all };
        (!stems.is_empty()).then(|| found.into_iter().map(|(slot, _)| slot.id).collect())
    }
}
