//! Hands to try a deck with: the same seed gives the same cards, on every machine.

use serde::{Deserialize, Serialize};

use crate::{card::OracleId, deck::Deck, limits::HAND_CARDS, list::DeckZone};

/// A shuffled deck with its first hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaytestHand {
    /// Seven cards. With a mulligan so many of them go to the bottom as mulligans were taken; which, the player chooses.
    pub hand: Vec<OracleId>,
    /// The rest, the next card first.
    pub library: Vec<OracleId>,
    /// How many cards of the hand go to the bottom.
    pub to_bottom: u32,
}

/// Shuffles a deck without its commanders and draws. Each mulligan shuffles anew.
pub fn playtest_hand(deck: &Deck, seed: u64, mulligans: u32) -> PlaytestHand {
    let mut cards: Vec<OracleId> = deck
        .in_zone(DeckZone::Main)
        .flat_map(|entry| (0..entry.content.count).map(|_| entry.key.card.clone()))
        .collect();
    let mut random = SplitMix::new(seed ^ u64::from(mulligans).rotate_left(32));
    for last in (1..cards.len()).rev() {
        cards.swap(last, random.below(last + 1));
    }
    let library = cards.split_off(HAND_CARDS.min(cards.len()));
    let held = u32::try_from(cards.len()).unwrap_or(u32::MAX);
    // The first mulligan of a game of several players is free.
    PlaytestHand { to_bottom: mulligans.saturating_sub(1).min(held), hand: cards, library }
}

/// A generator of numbers by a seed: SplitMix64.
struct SplitMix(u64);

impl SplitMix {
    const fn new(seed: u64) -> Self {
        Self(seed)
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below a bound, each as likely as the others: what would favour the low ones is thrown away.
    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        let fair = u64::MAX - u64::MAX % bound;
        loop {
            let number = self.next();
            if number < fair {
                return usize::try_from(number % bound).unwrap_or_default();
            }
        }
    }
}
