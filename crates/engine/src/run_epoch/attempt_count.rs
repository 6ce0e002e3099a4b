//! Which attempts at a turn count against `limits.attempts`, and which have bounds of their own.
//!
//! An attempt counts where the mind had its chance and failed. A repair, a shortened prompt, an end that a person or the keeper
//! ordered, a machine that slept and a keeper that ended are no failures of the mind; each of them is bounded all the same, so
//! that nothing is asked without end. Pure: all of it is in the record, so that it holds over restarts.

use abide_domain::event::TurnFailed;

use crate::state::EpochRecord;

/// The code of an attempt that ended with the agent's process.
pub(super) const CRASHED: &str = "crashed";
/// The code of an attempt whose process was ended by order.
pub(super) const PROCESS_ENDED: &str = "process_ended";
/// The code of an attempt that was given up for a page.
pub(super) const PAGED: &str = "paged";
/// The code of an attempt that failed after the machine or the keeper had stood still.
pub(super) const SUSPENDED: &str = "suspended";
/// The code of an answer that does not fit the voice.
pub(super) const BAD_VOICE: &str = "bad_voice";
/// The code of a prompt that is too long.
pub(super) const CONTEXT_TOO_LONG: &str = "context_too_long";
/// The code of a refusal that nobody understands and that may mean a long prompt.
pub(super) const PERHAPS_TOO_LONG: &str = "perhaps_too_long";

/// Ends by order and pages, in one turn, that do not count; further ones do.
const ORDERED_ENDS_MAX: usize = 5;
/// Attempts of one turn that failed because the machine slept and do not count; further ones do.
const SUSPENDS_MAX: usize = 10;
/// Ends of the keeper while one turn was asked; after so many its message may be the cause, and it is given up. More than the
/// attempts, because a keeper is ended for many reasons; fewer than a service manager's patience with one that ends at once.
const KEEPER_ENDS_MAX: u32 = 5;

/// The failures at the turn that comes next which count, in their order.
pub(super) fn counted_failures(record: &EpochRecord) -> impl Iterator<Item = &TurnFailed> {
    let (mut ordered_ends, mut suspends) = (0, 0);
    record.failures.iter().filter(move |failed| match failed.code.as_str() {
        BAD_VOICE | CONTEXT_TOO_LONG | PERHAPS_TOO_LONG => false,
        PROCESS_ENDED | PAGED => {
            ordered_ends += 1;
            ordered_ends > ORDERED_ENDS_MAX
        }
        SUSPENDED => {
            suspends += 1;
            suspends > SUSPENDS_MAX
        }
        _ => true,
    })
}

/// How the attempts at a turn have ended so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AttemptCount {
    /// Those that count against `limits.attempts`.
    pub(super) counted: u32,
    /// Those that ended with the keeper.
    pub(super) keeper_ends: u32,
}

impl AttemptCount {
    /// Of the turn that comes next, at which so many attempts were made.
    pub(super) fn of(record: &EpochRecord, attempts: u32) -> Self {
        let whole = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        // An attempt without a failure ended with the keeper that made it.
        let keeper_ends = attempts.saturating_sub(whole(record.failures.len()));
        Self { counted: whole(counted_failures(record).count()), keeper_ends }
    }

    /// Whether the keeper has ended too often; where more attempts are allowed than that, as often as they are.
    pub(super) fn has_ended_the_keeper(self, attempts_max: u32) -> bool {
        self.keeper_ends >= KEEPER_ENDS_MAX.max(attempts_max)
    }
}
