//! The machine of an agent's changes: which event may follow which, as one pure function (decisions 35 to 37).
//!
//! [`step`] takes a state and a move and gives the next state or refuses. The keeper asks it before it writes and asks it again
//! when it reads, so that an illegal order is neither written nor accepted:
//!
//! ```text
//! proposed → validated → checkpointed → shadowing ⇄ compared → decided ─┬─ rejected, reported
//!     └── rejected (why)                                               ├─ awaits a person ── rejected
//!                                                                      └─ accepted → backed up → reloaded ⇄ compared, next stage → kept
//!                                                                             └──── rolled back ──────┴───────────┴───────────────┘
//! ```
//! Whatever is not in force yet can be aborted; what is in force can be rolled back, and only that. A candidate is in force, for
//! its share of the requests, from `reloaded` on.

use serde::{Deserialize, Serialize};

use crate::event::EvolutionEvent;

mod target;

pub use target::EvolutionTarget;

/// Shares of a hundred requests that a candidate answers, one after the other, before it is kept.
pub const CANARY_PERCENTS: [u8; 3] = [10, 50, 100];

/// The state of a proposal, which [`step`] moves on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EvolutionState {
    /// Written down; nothing is checked yet.
    Proposed,
    /// It passed the checks that need no trial.
    Validated,
    /// It is known from where the trial begins.
    Checkpointed,
    /// Requests of the record are given to both.
    Shadowing {
        /// Pairs so far.
        pairs: u32,
    },
    /// Measured, and a person must say yes.
    AwaitsPerson,
    /// It is to be put in force.
    Accepted,
    /// What a rollback restores is safe.
    BackedUp,
    /// In force for a share of the requests, and watched.
    Watching {
        /// Of a hundred requests, how many it answers.
        percent: u8,
        /// Pairs of this stage so far.
        pairs: u32,
    },
    /// In force.
    Kept,
    /// Ended: the old code stays.
    Rejected,
    /// Ended: compared, as was asked for.
    Reported,
    /// Ended: the code from before is in force again.
    RolledBack,
    /// Ended without a decision.
    Aborted,
}

/// A step in the life of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvolutionMove {
    /// The checks passed.
    Validate,
    /// The trial's beginning is known.
    Checkpoint,
    /// The trial begins.
    Shadow,
    /// So many pairs are added.
    Compare(u32),
    /// The measurements say this.
    Decide(EvolutionVerdict),
    /// A person says yes or no.
    Answer(PersonAnswer),
    /// What a rollback restores is safe.
    BackUp,
    /// The candidate is loaded for a share of the requests.
    Reload(u8),
    /// The candidate answers a larger share.
    BeginStage(u8),
    /// The candidate passed the watch.
    Keep,
    /// The code from before is in force again.
    RollBack,
    /// It ends without a decision.
    Abort,
}

/// What measurements say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvolutionVerdict {
    /// Put it in force.
    Promote,
    /// Ask a person.
    AskPerson,
    /// The old code stays.
    Reject,
    /// Only a comparison was asked for.
    Report,
}

/// A person's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PersonAnswer {
    /// Put it in force.
    Approve,
    /// The old code stays.
    Refuse,
}

/// The state after a move; none where the state does not allow it.
pub fn step(state: EvolutionState, attempted: EvolutionMove) -> Option<EvolutionState> {
    use EvolutionMove as M;
    use EvolutionState as S;
    Some(match (state, attempted) {
        (S::Proposed, M::Validate) => S::Validated,
        (S::Validated, M::Checkpoint) => S::Checkpointed,
        (S::Checkpointed, M::Shadow) => S::Shadowing { pairs: 0 },
        (S::Shadowing { pairs }, M::Compare(more)) => {
            S::Shadowing { pairs: pairs.saturating_add(more) }
        }
        // A check that fails needs no trial.
        (
            S::Proposed | S::Validated | S::Checkpointed | S::Shadowing { .. },
            M::Decide(EvolutionVerdict::Reject),
        )
        | (S::AwaitsPerson, M::Answer(PersonAnswer::Refuse)) => S::Rejected,
        (S::Shadowing { .. }, M::Decide(verdict)) => match verdict {
            EvolutionVerdict::Promote => S::Accepted,
            EvolutionVerdict::AskPerson => S::AwaitsPerson,
            EvolutionVerdict::Report => S::Reported,
            EvolutionVerdict::Reject => S::Rejected,
        },
        (S::AwaitsPerson, M::Answer(PersonAnswer::Approve)) => S::Accepted,
        (S::Accepted, M::BackUp) => S::BackedUp,
        (S::BackedUp, M::Reload(percent)) if is_stage(percent) => S::Watching { percent, pairs: 0 },
        (S::Watching { percent, pairs }, M::Compare(more)) => {
            S::Watching { percent, pairs: pairs.saturating_add(more) }
        }
        (S::Watching { percent: before, .. }, M::BeginStage(percent))
            if is_stage(percent) && percent > before =>
        {
            S::Watching { percent, pairs: 0 }
        }
        (S::Watching { percent: 100, .. }, M::Keep) => S::Kept,
        // A load that fails is taken back as well: what a rollback restores is in force then, whatever was half done.
        (S::BackedUp | S::Watching { .. } | S::Kept, M::RollBack) => S::RolledBack,
        (
            S::Proposed
            | S::Validated
            | S::Checkpointed
            | S::Shadowing { .. }
            | S::AwaitsPerson
            | S::Accepted,
            M::Abort,
        ) => S::Aborted,
        _ => return None,
    })
}

fn is_stage(percent: u8) -> bool {
    CANARY_PERCENTS.contains(&percent)
}

impl EvolutionMove {
    /// The move that an event is; none for a proposal, which begins the machine.
    pub fn of(event: &EvolutionEvent) -> Option<Self> {
        use crate::event::EvolutionDecision as Decision;
        Some(match event {
            EvolutionEvent::Proposed(_) => return None,
            EvolutionEvent::Validated(_) => Self::Validate,
            EvolutionEvent::Checkpointed(_) => Self::Checkpoint,
            EvolutionEvent::ShadowStarted(_) => Self::Shadow,
            EvolutionEvent::Compared(event) => {
                Self::Compare(u32::try_from(event.pairs.len()).unwrap_or(u32::MAX))
            }
            EvolutionEvent::Decided(event) => Self::Decide(match event.decision {
                Decision::Promoted if event.needs_person => EvolutionVerdict::AskPerson,
                Decision::Promoted => EvolutionVerdict::Promote,
                Decision::Marginal => EvolutionVerdict::AskPerson,
                Decision::Rejected => EvolutionVerdict::Reject,
                Decision::Reported => EvolutionVerdict::Report,
            }),
            EvolutionEvent::Answered(event) if event.approved => {
                Self::Answer(PersonAnswer::Approve)
            }
            EvolutionEvent::Answered(_) => Self::Answer(PersonAnswer::Refuse),
            EvolutionEvent::BackedUp(_) => Self::BackUp,
            EvolutionEvent::Reloaded(event) => Self::Reload(event.percent),
            EvolutionEvent::StageBegun(event) => Self::BeginStage(event.percent),
            EvolutionEvent::Kept(_) => Self::Keep,
            EvolutionEvent::RolledBack(_) => Self::RollBack,
            EvolutionEvent::Aborted(_) => Self::Abort,
        })
    }
}

impl EvolutionState {
    /// Whether nothing more comes of it by itself. One that was kept can still be rolled back.
    pub const fn is_ended(self) -> bool {
        matches!(
            self,
            Self::Kept | Self::Rejected | Self::Reported | Self::RolledBack | Self::Aborted
        )
    }

    /// Its word in routes and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Validated => "validated",
            Self::Checkpointed => "checkpointed",
            Self::Shadowing { .. } => "shadowing",
            Self::AwaitsPerson => "awaits_approval",
            Self::Accepted => "accepted",
            Self::BackedUp => "backed_up",
            Self::Watching { .. } => "watching",
            Self::Kept => "kept",
            Self::Rejected => "rejected",
            Self::Reported => "reported",
            Self::RolledBack => "rolled_back",
            Self::Aborted => "aborted",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        CANARY_PERCENTS, EvolutionMove as M, EvolutionState as S, EvolutionVerdict as V,
        PersonAnswer as A, step,
    };

    fn walk(moves: &[M]) -> Option<S> {
        moves.iter().try_fold(S::Proposed, |state, attempted| step(state, *attempted))
    }

    const TRIED: [M; 4] = [M::Validate, M::Checkpoint, M::Shadow, M::Compare(100)];

    fn tried_then(more: &[M]) -> Option<S> {
        walk(&[&TRIED[..], more].concat())
    }

    #[test]
    fn a_better_candidate_goes_through_all_stages_and_is_kept() {
        let promoted = [M::Decide(V::Promote), M::BackUp, M::Reload(10), M::Compare(30)];
        assert_eq!(tried_then(&promoted), Some(S::Watching { percent: 10, pairs: 30 }));
        let stages = [M::BeginStage(50), M::Compare(3), M::BeginStage(100), M::Compare(4)];
        let kept = [&promoted[..], &stages, &[M::Keep]].concat();
        assert_eq!(tried_then(&kept), Some(S::Kept));
        let undone = [&kept[..], &[M::RollBack]].concat();
        assert_eq!(tried_then(&undone), Some(S::RolledBack));
    }

    #[test]
    fn nothing_is_loaded_before_its_backup_and_nothing_kept_before_the_last_stage() {
        assert_eq!(tried_then(&[M::Decide(V::Promote), M::Reload(10)]), None);
        assert_eq!(tried_then(&[M::Decide(V::AskPerson), M::BackUp]), None);
        let loaded = [M::Decide(V::Promote), M::BackUp, M::Reload(10)];
        assert_eq!(tried_then(&[&loaded[..], &[M::Keep]].concat()), None);
        assert_eq!(tried_then(&[&loaded[..], &[M::BeginStage(10)]].concat()), None);
        assert_eq!(tried_then(&[&loaded[..], &[M::Abort]].concat()), None);
        assert_eq!(tried_then(&[M::Decide(V::Promote), M::BackUp, M::Reload(11)]), None);
    }

    #[test]
    fn a_person_decides_what_waits_and_nothing_else() {
        let waits = [M::Decide(V::AskPerson)];
        let with = |answer| tried_then(&[&waits[..], &[M::Answer(answer)]].concat());
        assert_eq!((with(A::Approve), with(A::Refuse)), (Some(S::Accepted), Some(S::Rejected)));
        assert_eq!(tried_then(&[M::Answer(A::Approve)]), None);
    }

    #[test]
    fn every_state_has_an_end_and_what_has_ended_moves_no_more_but_for_a_rollback_of_what_is_kept()
    {
        let open = [
            S::Proposed,
            S::Validated,
            S::Checkpointed,
            S::Shadowing { pairs: 3 },
            S::AwaitsPerson,
            S::Accepted,
        ];
        for state in open {
            assert_eq!(step(state, M::Abort), Some(S::Aborted), "{state:?}");
            assert_eq!(step(state, M::RollBack), None, "{state:?}");
        }
        for state in [S::BackedUp, S::Watching { percent: 50, pairs: 1 }, S::Kept] {
            assert_eq!(step(state, M::RollBack), Some(S::RolledBack), "{state:?}");
        }
        let all = [M::Validate, M::Checkpoint, M::Shadow, M::Compare(1), M::BackUp, M::Keep];
        let more = [M::Reload(10), M::BeginStage(50), M::RollBack, M::Abort, M::Answer(A::Approve)];
        for ended in [S::Rejected, S::Reported, S::RolledBack, S::Aborted] {
            assert!(ended.is_ended());
            for attempted in all.iter().chain(&more) {
                assert_eq!(step(ended, *attempted), None, "{ended:?} {attempted:?}");
            }
        }
        assert_eq!(CANARY_PERCENTS.last(), Some(&100));
    }

    #[test]
    fn a_check_that_fails_rejects_before_any_trial() {
        for before in [&TRIED[..0], &TRIED[..1], &TRIED[..2], &TRIED[..3]] {
            let rejected = walk(&[before, &[M::Decide(V::Reject)]].concat());
            assert_eq!(rejected, Some(S::Rejected));
            let promoted = walk(&[before, &[M::Decide(V::Promote)]].concat());
            assert_eq!(promoted.is_some(), before.len() == 3, "{before:?}");
        }
    }
}
