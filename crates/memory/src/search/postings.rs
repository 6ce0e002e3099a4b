//! Which documents hold which word, and how often.
//!
//! Lists only grow at their ends; a removed document stays in them until [`Postings::keep`] sweeps it out, so whoever
//! reads a list asks whether the document is still there.

use std::collections::HashMap;

/// How often one document holds a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    /// The document's place in the index.
    pub(super) slot: u32,
    /// Occurrences, counted in halves: a word of the text is two, a word of the aside one.
    pub(super) halves: u16,
}

impl Posting {
    /// Occurrences.
    pub(super) fn frequency(self) -> f32 {
        f32::from(self.halves) / 2.0
    }
}

/// Words and the documents that hold them.
#[derive(Clone, Debug, Default)]
pub(super) struct Postings {
    terms: HashMap<Box<str>, u32>,
    lists: Vec<Vec<Posting>>,
    /// Letters of all words, for the estimate of the size.
    letters: usize,
}

impl Postings {
    /// Notes a document's words. Returns its length in halves of words.
    pub(super) fn add(&mut self, slot: u32, text: &[String], aside: &[String]) -> u32 {
        let counted = text.iter().map(|word| (word, 2)).chain(aside.iter().map(|word| (word, 1)));
        let mut length = 0_u32;
        for (word, halves) in counted {
            let Some(list) = self.list_of(word) else { continue };
            match list.last_mut().filter(|last| last.slot == slot) {
                Some(last) => last.halves = last.halves.saturating_add(halves),
                None => list.push(Posting { slot, halves }),
            }
            length = length.saturating_add(u32::from(halves));
        }
        length
    }

    fn list_of(&mut self, word: &str) -> Option<&mut Vec<Posting>> {
        let term = if let Some(term) = self.terms.get(word) {
            *term
        } else {
            let term = u32::try_from(self.lists.len()).ok()?;
            self.letters += word.len();
            self.terms.insert(word.into(), term);
            self.lists.push(Vec::new());
            term
        };
        self.lists.get_mut(term as usize)
    }

    /// The documents that hold a word, in the order in which they came.
    pub(super) fn list(&self, word: &str) -> &[Posting] {
        let term = self.terms.get(word).copied();
        term.and_then(|term| self.lists.get(term as usize)).map_or(&[], Vec::as_slice)
    }

    /// Sweeps out documents that are gone: `moved` holds a document's new place, `u32::MAX` where it is gone.
    pub(super) fn keep(&mut self, moved: &[u32]) {
        for list in &mut self.lists {
            list.retain_mut(|posting| {
                posting.slot = moved.get(posting.slot as usize).copied().unwrap_or(u32::MAX);
                posting.slot != u32::MAX
            });
            list.shrink_to_fit();
        }
    }

    /// An estimate of the memory in use.
    pub(super) fn bytes(&self) -> usize {
        /// Of a word: its entry in the map, its list's header, and what the allocator adds to both.
        const TERM: usize = 32 + 24 + 32;
        let postings: usize = self.lists.iter().map(Vec::capacity).sum();
        postings * size_of::<Posting>() + self.lists.len() * TERM + self.letters
    }
}

#[cfg(test)]
mod tests {
    use super::{Posting, Postings};
    use crate::search::words::words;

    #[test]
    fn words_are_counted_and_an_aside_counts_half() {
        let mut postings = Postings::default();
        assert_eq!(postings.add(0, &words("dogs and a dog"), &words("the dog's basket")), 6);
        postings.add(1, &words("basket"), &[]);
        assert_eq!(postings.list("dog"), [Posting { slot: 0, halves: 5 }]);
        assert_eq!(
            postings.list("basket"),
            [Posting { slot: 0, halves: 1 }, Posting { slot: 1, halves: 2 }]
        );
        assert!(postings.list("cat").is_empty());
    }

    #[test]
    fn documents_that_are_gone_are_swept_out() {
        let mut postings = Postings::default();
        postings.add(0, &words("dog"), &[]);
        postings.add(1, &words("dog"), &[]);
        postings.keep(&[u32::MAX, 0]);
        assert_eq!(postings.list("dog"), [Posting { slot: 0, halves: 2 }]);
    }
}
