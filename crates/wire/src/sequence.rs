//! Which WAL entry may come next: order comes from `sequence` alone (decision 28).

use crate::{
    field_error::{FieldError, FieldErrorCode, RefusalCode, RefusalError},
    wal::WalEntry,
};

/// Whether an entry is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceVerdict {
    /// It is the next one: store it, and acknowledge it once it is durable.
    New,
    /// It came before: acknowledge it and drop it.
    Replayed,
}

/// An entry that does not follow the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("sequence {found} is out of order: {expected} comes next")]
pub struct SequenceGapError {
    /// What comes next.
    pub expected: u64,
    /// What came.
    pub found: u64,
    /// Its place in the batch, from 0; `None` for a lone entry.
    pub index: Option<usize>,
}

impl SequenceGapError {
    /// The error that goes back: `SEQUENCE_GAP` at the entry's path.
    pub fn refusal(&self) -> RefusalError {
        let path = self
            .index
            .map_or_else(|| "data.sequence".into(), |index| format!("data[{index}].sequence"));
        let problem = FieldError::new(path, FieldErrorCode::Sequence, self.to_string());
        RefusalError::new(RefusalCode::SequenceGap, problem)
    }
}

/// Follows the sequences of one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceTracker {
    /// `None` until the first entry of a peer that begins where it likes.
    next: Option<u64>,
}

impl SequenceTracker {
    /// For version 3: the keeper says which comes next, from 1 and on over restarts.
    pub const fn expecting(next: u64) -> Self {
        Self { next: Some(next) }
    }

    /// For versions 1 and 2: whatever the first entry says.
    pub const fn anywhere() -> Self {
        Self { next: None }
    }

    /// What comes next, where that is known.
    pub const fn next(&self) -> Option<u64> {
        self.next
    }

    /// Takes one entry.
    pub fn take(&mut self, sequence: u64) -> Result<SequenceVerdict, SequenceGapError> {
        match self.next {
            Some(next) if sequence < next => Ok(SequenceVerdict::Replayed),
            Some(next) if sequence > next => {
                Err(SequenceGapError { expected: next, found: sequence, index: None })
            }
            _ => {
                // No agent comes to the last number of all: 2^64 entries are never written.
                self.next = Some(sequence.saturating_add(1));
                Ok(SequenceVerdict::New)
            }
        }
    }

    /// Takes a batch as a whole: with a gap anywhere in it, none of it is taken. A verdict an entry.
    pub fn take_batch(
        &mut self,
        entries: &[WalEntry],
    ) -> Result<Vec<SequenceVerdict>, SequenceGapError> {
        let mut after = *self;
        let verdicts = entries.iter().enumerate().map(|(index, entry)| {
            after.take(entry.sequence).map_err(|gap| SequenceGapError { index: Some(index), ..gap })
        });
        let verdicts = verdicts.collect::<Result<_, _>>()?;
        *self = after;
        Ok(verdicts)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        SequenceGapError, SequenceTracker,
        SequenceVerdict::{New, Replayed},
    };
    use crate::{raw::Raw, wal::WalEntry};

    fn batch(sequences: &[u64]) -> Vec<WalEntry> {
        sequences.iter().map(|n| WalEntry::new(*n, "x", Raw::empty_map())).collect()
    }

    #[test]
    fn entries_rise_by_one_and_replays_are_dropped() {
        let mut tracker = SequenceTracker::expecting(1);
        let verdicts: Vec<_> = [1, 2, 2, 1, 3].map(|n| tracker.take(n)).into();
        assert_eq!(verdicts, [New, New, Replayed, Replayed, New].map(Ok));
        assert_eq!(tracker.take(5), Err(SequenceGapError { expected: 4, found: 5, index: None }));
        assert_eq!(tracker.next(), Some(4), "a gap changes nothing");
    }

    #[test]
    fn an_old_peer_begins_anywhere() {
        let mut tracker = SequenceTracker::anywhere();
        assert_eq!(tracker.take(12_345), Ok(New));
        assert_eq!(tracker.take(12_345), Ok(Replayed));
        assert!(tracker.take(12_347).is_err());
    }

    #[test]
    fn a_batch_with_a_gap_is_taken_not_at_all() {
        let mut tracker = SequenceTracker::expecting(3);
        assert_eq!(
            tracker.take_batch(&batch(&[1, 2, 3, 4])),
            Ok(vec![Replayed, Replayed, New, New])
        );
        let gap = tracker.take_batch(&batch(&[4, 5, 7])).unwrap_err();
        assert_eq!((gap.index, gap.expected), (Some(2), 6));
        assert_eq!(gap.refusal().path(), "data[2].sequence");
        assert_eq!(tracker.take_batch(&batch(&[5, 6])), Ok(vec![New, New]));
    }

    #[test]
    fn the_last_number_does_not_overflow() {
        let mut tracker = SequenceTracker::expecting(u64::MAX);
        assert_eq!(tracker.take(u64::MAX), Ok(New));
        assert_eq!(tracker.next(), Some(u64::MAX));
    }
}
