//! Kinds of talk that are made here from seeds, with questions whose evidence is known because it was thrown.
//!
//! One kind alone fits a formula to itself: friends write lines, an assistant writes pages, a team speaks in turns, code and
//! logs repeat their names, a diary tells many things at once, and two languages share names only. Each kind has seeds that
//! constants may be chosen on and others that are held out. Nothing comes from a data set.
//!
//! Reading order: `talk` (a talk while it is made); `topics` with `persons`, `code`, `bilingual` (what is said).

use super::{conversation::Conversation, rng::Rng};

mod bilingual;
mod code;
mod persons;
mod talk;
mod topics;

/// Seeds of each half of a kind.
pub(super) const SEEDS: u64 = 3;
/// The first seed that is held out.
const HELD_OUT_FROM: u64 = 101;

/// A kind of talk.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    /// For tables.
    pub(super) name: &'static str,
    make: fn(&mut Rng) -> Conversation,
}

/// All of them.
pub(super) const KINDS: [Kind; 6] = [
    Kind { name: "two friends", make: persons::friends },
    Kind { name: "person and assistant", make: persons::assistant },
    Kind { name: "team of six", make: persons::team },
    Kind { name: "code and logs", make: code::make },
    Kind { name: "diary", make: persons::diary },
    Kind { name: "two languages", make: bilingual::make },
];

impl Kind {
    /// Talks of this kind: of the seeds that constants may be chosen on, or of those held out.
    pub(super) fn talks(&self, seeds: u64, is_held_out: bool) -> Vec<Conversation> {
        let first = if is_held_out { HELD_OUT_FROM } else { 1 };
        (first..first + seeds).map(|seed| (self.make)(&mut Rng::new(seed))).collect()
    }
}
