//! What the words of a question say about each document: BM25, and how many of the words are there at all.
//!
//! Works through the lists of the question's words, so that a document without any of them costs nothing but its place; in a
//! long memory only the documents on a `shortlist` cost more.
//! Knows nothing of meanings, persons and times.

use super::{
    QueryKind,
    index::{DocumentSlot, Index, NOWHERE, SlotState},
    postings::Posting,
    question::Question,
    shortlist::{CLOSE_MAX, Shortlist},
    vectors::count_as_f32,
    words::is_of_asking,
};

/// Saturation and length correction of BM25 for documents.
const DOCUMENT_BM25: (f32, f32) = (0.9, 0.3);
/// The same for stretches, which are long and differ more in length.
const STRETCH_BM25: (f32, f32) = (1.2, 0.75);
/// Neighbours on each side whose words count for a document.
const WINDOW: usize = 2;
/// Of a question longer than this many rare words no document is asked to hold a share of all: it is a message, of which
/// a part is enough.
const WORDS_JUDGED: f32 = 8.0;
/// How many documents there are taken to be at least when a match is judged: among a handful, a word that many of them
/// hold would say nothing, though it is what all of them are about.
const DOCUMENTS_JUDGED_MIN: usize = 200;

/// What a word counts where a match is judged that is of asking rather than of what is asked about.
const OF_ASKING_SHARE: f32 = 0.2;
/// Up to how many documents with a word all of them are looked at closely. Where more hold one, those are that hold most of
/// the question.
const HOLDERS_MAX: usize = 1_024;

/// In a long memory, a word that more than one document in so many holds says next to nothing: only the newest are asked for
/// it, so that words of everyday do not make a question dearer with every day.
const EVERYDAY_SHARE: usize = 4;

/// The question's words in the documents.
#[derive(Debug)]
pub(super) struct LexicalScores {
    /// Those that hold a word or stand beside one that does, as far as they were looked at closely.
    documents: Vec<DocumentScores>,
    /// By a document's place in the index, its place among these.
    places: Vec<u32>,
    /// BM25 of each stretch, by the weight of the question's words.
    stretches: Vec<f32>,
    /// BM25 of all passages of each message together.
    messages: Vec<f32>,
    /// The weight of all the question's words, with those that no document holds.
    mass: f32,
    /// The same as it is judged: by the words' weights among many documents.
    judged: f32,
    /// Of those that only say when, as it is judged.
    time_judged: f32,
    /// What shares are taken of at most.
    judged_max: f32,
}

/// Shares of the question's words, by their weights. More than 1 where the question is long.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordShares {
    /// Of those that a document holds.
    pub(super) held: f32,
    /// Of those that it or its neighbours hold.
    pub(super) covered: f32,
    /// Of those that only say when.
    pub(super) when: f32,
}

/// One document.
#[derive(Clone, Copy, Debug, Default)]
struct DocumentScores {
    /// Its place in the index.
    at: u32,
    /// BM25.
    words: f32,
    /// The weight of the words that it holds.
    own: f32,
    /// The same as it is judged.
    held: f32,
    /// The weight of the words that it or its neighbours hold.
    covered: f32,
    /// The same as it is judged.
    covered_judged: f32,
    /// The number of the last word that was counted into `covered`.
    last: u32,
    /// It holds the name of the speaker whom the question names.
    names_speaker: bool,
}

/// One word of the question.
#[derive(Debug)]
struct Word<'a> {
    /// From 1.
    number: u32,
    weight: f32,
    /// Its weight where a match is judged.
    judged: f32,
    /// Where it is looked at closely.
    held_by: Vec<Holder<'a>>,
}

/// A document that holds a word and is still there, with how often it holds it.
type Holder<'a> = (u32, &'a DocumentSlot, f32);

impl LexicalScores {
    /// Looks the question's words up.
    pub(super) fn of(index: &Index, question: &Question, (kind, end): (QueryKind, u32)) -> Self {
        let there = Documents { index, end };
        let all = there.len();
        let among = all.max(DOCUMENTS_JUDGED_MIN);
        let mut found = Self {
            documents: Vec::new(),
            places: vec![NOWHERE; index.slots.len()],
            stretches: vec![0.0; index.threads.stretches().len()],
            messages: vec![0.0; index.messages.len()],
            mass: 1e-6,
            judged: 1e-6,
            time_judged: 0.0,
            judged_max: WORDS_JUDGED * rarity(among, 1),
        };
        let mut frequencies = vec![0.0; found.stretches.len()];
        let mut stretch_mass = 1.0;
        let words = there.count_holders(question);
        let close = there.shortlist(&words);
        for (number, (holders, stem)) in (1..).zip(words) {
            let weight = rarity(all, holders.max(1));
            let share = if is_of_asking(stem) { OF_ASKING_SHARE } else { 1.0 };
            let judged = share * rarity(among, holders.max(1));
            found.mass += weight;
            found.judged += judged;
            found.time_judged += if question.is_time_word(stem) { judged } else { 0.0 };
            if holders == 0 {
                continue;
            }
            let held_by = there.held_by(stem, close.as_ref());
            let word = Word { number, weight, judged, held_by };
            found.add_word(index, &word);
            if kind == QueryKind::Plain {
                found.cover(index, &word, 0);
            } else {
                found.cover(index, &word, WINDOW);
                stretch_mass += found.add_stretches(index, &word.held_by, &mut frequencies);
            }
        }
        for score in &mut found.stretches {
            *score /= stretch_mass;
        }
        found.note_names(there, question);
        found
    }

    /// BM25 of a document.
    pub(super) fn words(&self, at: u32) -> f32 {
        self.document(at).map_or(0.0, |document| document.words)
    }

    /// The documents that hold a word of the question or stand beside one that does, in no order, each once.
    pub(super) fn marked(&self) -> impl Iterator<Item = u32> {
        self.documents.iter().map(|document| document.at)
    }

    /// Whether a document is one of them.
    pub(super) fn is_marked(&self, at: u32) -> bool {
        self.document(at).is_some()
    }

    fn document(&self, at: u32) -> Option<&DocumentScores> {
        self.documents.get(*self.places.get(at as usize)? as usize)
    }

    fn document_mut(&mut self, at: u32) -> Option<&mut DocumentScores> {
        let place = self.places.get_mut(at as usize)?;
        if *place == NOWHERE {
            *place = u32::try_from(self.documents.len()).ok()?;
            self.documents.push(DocumentScores { at, ..DocumentScores::default() });
        }
        self.documents.get_mut(*place as usize)
    }

    /// BM25 of a document by the weight of the question's words: about 0 to 2, whatever the question.
    pub(super) fn words_share(&self, at: u32) -> f32 {
        self.words(at) / self.mass
    }

    /// What of the question a document holds.
    pub(super) fn shares(&self, at: u32) -> WordShares {
        let document = self.document(at).copied().unwrap_or_default();
        let of = |weight: f32| weight / self.judged.min(self.judged_max);
        WordShares {
            held: of(document.held),
            covered: of(document.covered_judged),
            when: of(self.time_judged),
        }
    }

    /// Whether a document holds the name of the speaker whom the question names.
    pub(super) fn is_about_speaker(&self, at: u32) -> bool {
        self.document(at).is_some_and(|document| document.names_speaker)
    }

    /// The share of the question's words, by their weights, that a document or its neighbours hold.
    pub(super) fn covered(&self, at: u32) -> f32 {
        self.document(at).map_or(0.0, |document| document.covered / self.mass)
    }

    /// The share of the question's words, by their weights, that a document itself holds.
    pub(super) fn own(&self, at: u32) -> f32 {
        self.document(at).map_or(0.0, |document| document.own / self.mass)
    }

    /// BM25 of a passage's siblings in its message by the weight of the question's words, at most 1.
    pub(super) fn siblings_share(&self, at: u32, message: u32) -> f32 {
        let all = self.messages.get(message as usize).copied().unwrap_or(0.0);
        ((all - self.words(at)) / self.mass).clamp(0.0, 1.0)
    }

    /// BM25 of a stretch by the weight of the question's words.
    pub(super) fn stretch(&self, stretch: u32) -> f32 {
        self.stretches.get(stretch as usize).copied().unwrap_or(0.0)
    }

    /// Adds one word's BM25 to the documents that hold it.
    fn add_word(&mut self, index: &Index, word: &Word<'_>) {
        let mean = halves(index.halves) / count_as_f32(index.len());
        for (at, slot, frequency) in &word.held_by {
            let relative = halves(u64::from(slot.halves)) / mean;
            let gained = word.weight * bm25(*frequency, relative, DOCUMENT_BM25);
            if let Some(message) = self.messages.get_mut(slot.message as usize) {
                *message += gained;
            }
            if let Some(document) = self.document_mut(*at) {
                document.own += word.weight;
                document.held += word.judged;
                document.words += gained;
            }
        }
    }

    /// Marks the documents that hold the name of the speaker whom the question names.
    fn note_names(&mut self, there: Documents<'_>, question: &Question) {
        let name = question.named.map(|speaker| there.index.speakers.name_stems(speaker));
        for stem in name.unwrap_or_default() {
            for (at, _, _) in there.holders(&stem) {
                if let Some(document) = self.document_mut(at) {
                    document.names_speaker = true;
                }
            }
        }
    }

    /// Counts a word into what is covered of the documents that hold it and of their neighbours within reach that it lends to.
    fn cover(&mut self, index: &Index, word: &Word<'_>, reach: usize) {
        for (at, slot, _) in &word.held_by {
            self.mark(*at, word);
            let (mut before, mut behind) = (slot.previous, slot.next);
            for _ in 0..reach {
                let lent = [before, behind].into_iter().filter(|beside| index.lends(slot, *beside));
                lent.for_each(|beside| self.mark(beside, word));
                before = index.slot(before).map_or(before, |slot| slot.previous);
                behind = index.slot(behind).map_or(behind, |slot| slot.next);
            }
        }
    }

    fn mark(&mut self, at: u32, word: &Word<'_>) {
        if let Some(document) = self.document_mut(at)
            && document.last != word.number
        {
            document.last = word.number;
            document.covered += word.weight;
            document.covered_judged += word.judged;
        }
    }

    /// Adds one word's BM25 to the stretches that hold it. Returns its weight among stretches.
    fn add_stretches(
        &mut self,
        index: &Index,
        held_by: &[Holder<'_>],
        frequencies: &mut [f32],
    ) -> f32 {
        let mut touched = Vec::new();
        for (_, slot, frequency) in held_by {
            if let Some(sum) = frequencies.get_mut(slot.stretch as usize) {
                if *sum == 0.0 {
                    touched.push(slot.stretch);
                }
                *sum += *frequency;
            }
        }
        let all = index.threads.non_empty();
        let weight = rarity(all, touched.len());
        let mean = halves(index.halves) / count_as_f32(all);
        for stretch in touched {
            let at = stretch as usize;
            let relative = halves(u64::from(index.threads.stretch(stretch).halves)) / mean;
            if let (Some(score), Some(sum)) = (self.stretches.get_mut(at), frequencies.get_mut(at))
            {
                *score += weight * bm25(*sum, relative, STRETCH_BM25);
                *sum = 0.0;
            }
        }
        weight
    }
}

/// The documents that a question is asked among: those that came before a slot.
#[derive(Clone, Copy)]
struct Documents<'i> {
    index: &'i Index,
    end: u32,
}

impl<'i> Documents<'i> {
    /// How many there are, of the whole index without those that are gone.
    fn len(self) -> usize {
        self.index.len().min(self.end as usize)
    }

    /// Where a word stands in them, in the order in which they came.
    fn postings(self, stem: &str) -> &'i [Posting] {
        let list = self.index.postings.list(stem);
        let end = list.partition_point(|posting| posting.slot < self.end);
        list.get(..end).unwrap_or_default()
    }

    /// The question's words with the number of documents that hold each.
    fn count_holders<'q>(self, question: &'q Question) -> Vec<(usize, &'q str)> {
        // Where none is gone, as is the rule, the length of the list says it.
        let is_whole = self.index.slots.len() == self.index.len();
        let count = |stem: &'q String| {
            let list = self.postings(stem);
            let living = if is_whole { list.len() } else { self.holders(stem).count() };
            (living, stem.as_str())
        };
        question.terms.iter().map(count).collect()
    }

    /// Those that are looked at closely, where not all can be.
    fn shortlist(self, words: &[(usize, &str)]) -> Option<Shortlist> {
        if words.iter().all(|(holders, _)| *holders <= HOLDERS_MAX) {
            return None;
        }
        let weighted = words.iter().map(|(holders, stem)| {
            (rarity(self.len(), (*holders).max(1)), self.postings_looked_at(stem))
        });
        Some(Shortlist::of(self.index.slots.len(), &weighted.collect::<Vec<_>>()))
    }

    /// Those that are asked for a word, in the order in which they came: all that hold it, or, where very many do, the newest.
    fn postings_looked_at(self, stem: &str) -> &'i [Posting] {
        let list = self.postings(stem);
        let is_everyday = list.len() > HOLDERS_MAX && list.len() > self.len() / EVERYDAY_SHARE;
        let from = if is_everyday { list.len().saturating_sub(CLOSE_MAX) } else { 0 };
        list.get(from..).unwrap_or_default()
    }

    /// Those with a word that are looked at closely and still there.
    fn held_by(self, stem: &str, close: Option<&Shortlist>) -> Vec<Holder<'i>> {
        let list = self.postings_looked_at(stem).iter();
        let close = list.filter(|posting| close.is_none_or(|close| close.has(posting.slot)));
        close.filter_map(|posting| self.holder(*posting)).collect()
    }

    /// All that hold a word and are still there.
    fn holders(self, stem: &str) -> impl Iterator<Item = Holder<'i>> {
        self.postings(stem).iter().filter_map(move |posting| self.holder(*posting))
    }

    fn holder(self, posting: Posting) -> Option<Holder<'i>> {
        let slot = self.index.slot(posting.slot).filter(|slot| slot.state == SlotState::Alive)?;
        Some((posting.slot, slot, posting.frequency()))
    }
}

/// How much a word says: more, the fewer of all documents hold it.
fn rarity(all: usize, holders: usize) -> f32 {
    (1.0 + (count_as_f32(all) - count_as_f32(holders) + 0.5) / (count_as_f32(holders) + 0.5)).ln()
}

/// BM25 of one word, without its weight; `relative` is the length by the mean length.
fn bm25(frequency: f32, relative: f32, (saturation, length): (f32, f32)) -> f32 {
    frequency * (saturation + 1.0) / (frequency + saturation * (1.0 - length + length * relative))
}

/// Halves of words as words.
#[expect(clippy::cast_precision_loss, reason = "lengths in formulas need no more than 24 bits")]
fn halves(halves: u64) -> f32 {
    halves as f32 / 2.0
}
