//! Messages that were joined into one text, and what each said last: one that is changed, or whose preview is, is known by that.
//! Of the last ones only, in memory: the ledger holds the text alone. Pure.

use std::collections::VecDeque;

use abide_channels::telegram::MessageLocation;
use sha2::{Digest as _, Sha256};

/// What is remembered; the oldest is forgotten first.
const PIECES_MAX: usize = 1_000;

/// The last messages that were joined.
#[derive(Debug, Default)]
pub(super) struct RecentPieces(VecDeque<(MessageLocation, [u8; 32])>);

impl RecentPieces {
    /// Notes what a piece says now.
    pub(super) fn note(&mut self, piece: MessageLocation, content: &str) {
        self.0.retain(|(known, _)| *known != piece);
        if self.0.len() >= PIECES_MAX {
            self.0.pop_front();
        }
        self.0.push_back((piece, digest(content)));
    }

    /// Whether a piece said this last; none where it is none, or forgotten.
    pub(super) fn said(&self, piece: MessageLocation, content: &str) -> Option<bool> {
        let (_, said) = self.0.iter().rev().find(|(known, _)| *known == piece)?;
        Some(*said == digest(content))
    }
}

fn digest(content: &str) -> [u8; 32] {
    Sha256::digest(content).into()
}

#[cfg(test)]
mod tests {
    use abide_channels::telegram::MessageLocation;

    use super::{PIECES_MAX, RecentPieces};

    #[test]
    fn what_a_piece_said_last_is_known_and_many_fill_no_memory() {
        let piece = |message| MessageLocation { chat: -1001, message };
        let mut pieces = RecentPieces::default();
        assert_eq!(pieces.said(piece(1), "a"), None);
        pieces.note(piece(1), "a");
        assert_eq!(pieces.said(piece(1), "a"), Some(true));
        pieces.note(piece(1), "b");
        assert_eq!(
            [pieces.said(piece(1), "a"), pieces.said(piece(1), "b")],
            [Some(false), Some(true)]
        );
        for message in 2..10_000 {
            pieces.note(piece(message), "x");
        }
        assert_eq!(pieces.0.len(), PIECES_MAX);
        assert_eq!(pieces.said(piece(1), "b"), None);
    }
}
