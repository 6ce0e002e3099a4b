//! Which position in the log a sequence of the agent is at. They rise together, except where an old protocol began
//! to count anew or where a rollback passed over numbers that had been used.
//!
//! Pure. It remembers the last stretches only: checkpoints name recent sequences.

use std::collections::VecDeque;

/// Stretches that are remembered.
const STRETCHES_MAX: usize = 64;

/// From here on positions and sequences rise one with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SequenceStretch {
    position: u64,
    sequence: u64,
    /// The first entry of the stretch: after a rollback, `position` belongs to the stretch before as well.
    first: u64,
}

/// The stretches, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SequenceMap {
    stretches: VecDeque<SequenceStretch>,
}

/// Before the first entry both are 0.
impl Default for SequenceMap {
    fn default() -> Self {
        Self { stretches: VecDeque::from([SequenceStretch { position: 0, sequence: 0, first: 1 }]) }
    }
}

impl SequenceMap {
    /// Takes in an entry.
    pub(super) fn entry(&mut self, position: u64, sequence: u64) {
        self.push(SequenceStretch { position, sequence, first: position });
    }

    /// Takes in a rollback: entries after `to` are gone, sequences through `sequence` are used.
    pub(super) fn roll_back(&mut self, to: u64, sequence: u64) {
        self.end_at(to);
        self.push(SequenceStretch { position: to, sequence, first: to + 1 });
    }

    /// Forgets entries after a position.
    pub(super) fn end_at(&mut self, position: u64) {
        self.stretches.retain(|stretch| stretch.position <= position);
    }

    fn push(&mut self, next: SequenceStretch) {
        let rises = self.stretches.back().is_some_and(|last| {
            let distance = next.position.checked_sub(last.position);
            distance.is_some() && distance == next.sequence.checked_sub(last.sequence)
        });
        if rises {
            return;
        }
        self.stretches.push_back(next);
        if self.stretches.len() > STRETCHES_MAX {
            self.stretches.pop_front();
        }
    }

    /// The last position, up to `last`, that a sequence covers; `None` where that is not known.
    pub(super) fn position_of(&self, sequence: u64, last: u64) -> Option<u64> {
        let mut end = last;
        for stretch in self.stretches.iter().rev() {
            if let Some(distance) = sequence.checked_sub(stretch.sequence) {
                return Some(stretch.position.saturating_add(distance).min(end));
            }
            end = stretch.first.saturating_sub(1);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::SequenceMap;

    #[test]
    fn sequences_that_a_rollback_skipped_stand_for_the_entry_before_it() {
        let mut numbers = SequenceMap::default();
        for position in 5..=9 {
            numbers.entry(position, position);
        }
        numbers.roll_back(7, 9);
        for position in 8..=10 {
            numbers.entry(position, position + 2);
        }
        let position = |sequence| numbers.position_of(sequence, 10);
        assert_eq!([4, 5, 6, 7].map(position), [4, 5, 6, 7].map(Some));
        assert_eq!([8, 9, 10, 12].map(position), [Some(7), Some(7), Some(8), Some(10)]);
    }

    #[test]
    fn a_count_that_began_anew_hides_the_one_before() {
        let mut numbers = SequenceMap::default();
        for (position, sequence) in [(1, 700), (2, 701), (3, 1), (4, 2)] {
            numbers.entry(position, sequence);
        }
        assert_eq!(numbers.position_of(0, 4), Some(0));
        assert_eq!([1, 2].map(|sequence| numbers.position_of(sequence, 4)), [Some(3), Some(4)]);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut numbers = SequenceMap::default();
        for position in 1..1_000 {
            numbers.entry(position, position * 2);
        }
        assert!(numbers.stretches.len() <= super::STRETCHES_MAX);
        assert_eq!(numbers.position_of(1_998, 999), Some(999));
        assert_eq!(numbers.position_of(4, 999), None);
    }
}
