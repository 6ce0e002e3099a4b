//! Which documents of a long memory are looked at closely, where very many hold a word of the question.
//!
//! The lists of the question's words are gone through once, adding up what each document holds of their weights; those that
//! hold most are taken, of equals the newest. So a question costs about the same in a long life as in a short one, and an
//! old document that holds all of the words is found all the same. Knows nothing of neighbours, persons and times.

use super::postings::Posting;

/// Documents that are looked at closely, about.
pub(super) const CLOSE_MAX: usize = 512;
/// Steps between nothing and all of the question's weight.
const STEPS: usize = 1024;

/// The documents that are looked at closely.
#[derive(Debug)]
pub(super) struct Shortlist(Vec<bool>);

impl Shortlist {
    /// Of `documents`, by the question's words with their weights.
    pub(super) fn of(documents: usize, words: &[(f32, &[Posting])]) -> Self {
        let mut held = vec![0.0_f32; documents];
        for (weight, list) in words {
            for posting in *list {
                if let Some(held) = held.get_mut(posting.slot as usize) {
                    *held += *weight;
                }
            }
        }
        let all: f32 = words.iter().map(|(weight, _)| weight).sum();
        Self(best(&held, all))
    }

    /// Whether a document is among them.
    pub(super) fn has(&self, at: u32) -> bool {
        self.0.get(at as usize).copied().unwrap_or(false)
    }
}

/// Marks the documents that hold most, counted by steps rather than sorted: there may be very many.
fn best(held: &[f32], all: f32) -> Vec<bool> {
    let mut counts = [0_usize; STEPS + 1];
    for held in held {
        if let Some(count) = counts.get_mut(step(*held, all)) {
            *count += 1;
        }
    }
    let (mut above, mut least) = (0, STEPS);
    while least > 1 && above + counts.get(least).copied().unwrap_or(0) <= CLOSE_MAX {
        above += counts.get(least).copied().unwrap_or(0);
        least -= 1;
    }
    // Of those at the border, the newest that there is still room for.
    let mut room = CLOSE_MAX - above;
    let mut close = vec![false; held.len()];
    for (close, held) in close.iter_mut().zip(held).rev() {
        let step = step(*held, all);
        *close = step > least || (step == least && room > 0);
        room -= usize::from(step == least && room > 0);
    }
    close
}

/// From 0, which is nothing held, to [`STEPS`].
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share of 1,024"
)]
fn step(held: f32, all: f32) -> usize {
    if held <= 0.0 { 0 } else { ((held / all * STEPS as f32) as usize).clamp(1, STEPS) }
}

#[cfg(test)]
mod tests {
    use super::{CLOSE_MAX, Posting, Shortlist};

    fn list(slots: impl Iterator<Item = u32>) -> Vec<Posting> {
        slots.map(|slot| Posting { slot, halves: 2 }).collect()
    }

    #[test]
    fn an_old_document_with_all_words_is_taken_before_new_ones_with_one() {
        let (often, rarer) = (list(0..5_000), list((0..5_000).filter(|slot| slot % 10 == 3)));
        let words = [(1.0, often.as_slice()), (2.0, rarer.as_slice())];
        let short = Shortlist::of(5_000, &words);
        assert!(short.has(3) && short.has(4_993), "both words");
        assert!(short.has(4_999) && !short.has(4_000) && !short.has(0), "of one word the newest");
        assert_eq!((0..5_000).filter(|at| short.has(*at)).count(), CLOSE_MAX);
        assert!(!short.has(9_999));
    }

    #[test]
    fn where_few_hold_anything_all_of_them_are_taken() {
        let few = list([7, 70, 700].into_iter());
        let short = Shortlist::of(1_000, &[(1.0, few.as_slice())]);
        assert_eq!((0..1_000).filter(|at| short.has(*at)).collect::<Vec<_>>(), [7, 70, 700]);
    }
}
