//! The epoch machine: which event may follow which, as one pure function.
//!
//! [`step`] takes a state and a move and gives the next state or refuses. The engine asks it before it writes, the
//! projections ask it when they read, so that an illegal order is neither written nor accepted (decision 14):
//!
//! ```text
//! accepted → opened → context → (turn.started → (turn.failed | turn.completed → (requested → finished)*))* → committed
//!     └──────────┴────────┴───────────── aborted at any point before the end ─────────────────────────────┘
//! ```

use serde::{Deserialize, Serialize};

use crate::CallId;

/// The state of an epoch, which [`step`] moves on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EpochState {
    /// Accepted; waits for its lane.
    Queued,
    /// Taken up by its lane; no context yet.
    Open,
    /// The context is assembled, or all calls of `turn` are finished, or an attempt at the next turn failed: a mind may
    /// be asked.
    Ready {
        /// Turns completed so far.
        turn: u32,
        /// Attempts at the turn after it so far.
        attempts: u32,
    },
    /// A mind is asked.
    Thinking {
        /// The turn, from 1.
        turn: u32,
        /// The attempt, from 1.
        attempt: u32,
    },
    /// A turn is completed with calls, and not all are finished.
    Acting {
        /// The turn, from 1.
        turn: u32,
        /// Its calls, in order.
        calls: Vec<(CallId, CallState)>,
    },
    /// A turn is completed with a final response.
    Answered {
        /// The turn, from 1.
        turn: u32,
    },
    /// Ended with a reply.
    Committed,
    /// Ended without a reply.
    Aborted,
}

/// The state of a tool call within an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallState {
    /// The mind asked for it.
    Asked,
    /// The intent is recorded.
    Requested,
    /// The outcome is recorded.
    Finished,
}

/// A step in the life of an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EpochMove {
    /// The lane takes it up.
    Open,
    /// The context is assembled.
    Assemble,
    /// A mind is asked.
    StartTurn {
        /// The turn.
        turn: u32,
        /// The attempt.
        attempt: u32,
    },
    /// The attempt failed.
    FailTurn {
        /// The turn.
        turn: u32,
        /// The attempt.
        attempt: u32,
    },
    /// The mind answered with these calls; with none, its response is the reply.
    CompleteTurn {
        /// The turn.
        turn: u32,
        /// The attempt.
        attempt: u32,
        /// The calls it asks for.
        calls: Vec<CallId>,
    },
    /// The intent of a call.
    RequestCall(CallId),
    /// The outcome of a call. A call that was refused is finished without ever having been requested.
    FinishCall(CallId),
    /// The epoch ends with a reply.
    Commit {
        /// The turn whose response is the reply.
        turn: u32,
    },
    /// The epoch ends without a reply.
    Abort,
}

/// A move that the state does not allow. It is never written; in a ledger it is a defect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an epoch in state {state:?} does not allow {attempted:?}")]
pub struct IllegalMoveError {
    /// The state of the epoch.
    pub state: EpochState,
    /// The move that was attempted.
    pub attempted: EpochMove,
}

/// The state after a move, or an error where the state does not allow it.
pub fn step(state: EpochState, attempted: EpochMove) -> Result<EpochState, IllegalMoveError> {
    use EpochState as S;
    let next = match (&state, &attempted) {
        (S::Queued, EpochMove::Open) => S::Open,
        (S::Open, EpochMove::Assemble) => S::Ready { turn: 0, attempts: 0 },
        // The prompt did not fit the model, and the context is assembled again, shorter; or the keeper went down while the
        // mind was asked, and it is shown what it wrote down up to there.
        (S::Ready { .. } | S::Thinking { .. }, EpochMove::Assemble) => state.clone(),
        (S::Ready { turn: done, attempts }, EpochMove::StartTurn { turn, attempt })
            if *turn == done + 1 && *attempt == attempts + 1 =>
        {
            S::Thinking { turn: *turn, attempt: *attempt }
        }
        // The process died while the mind was asked: the same turn is asked again.
        (S::Thinking { turn: asked, attempt: last }, EpochMove::StartTurn { turn, attempt })
            if turn == asked && *attempt == last + 1 =>
        {
            S::Thinking { turn: *turn, attempt: *attempt }
        }
        (S::Thinking { turn: asked, attempt: last }, EpochMove::FailTurn { turn, attempt })
            if turn == asked && attempt == last =>
        {
            S::Ready { turn: turn - 1, attempts: *attempt }
        }
        (
            S::Thinking { turn: asked, attempt: last },
            EpochMove::CompleteTurn { turn, attempt, calls },
        ) if turn == asked && attempt == last => after_answer(*turn, calls),
        (S::Acting { turn, calls }, EpochMove::RequestCall(id)) => {
            match with_call_state(calls, id, &[CallState::Asked], CallState::Requested) {
                Some(calls) => S::Acting { turn: *turn, calls },
                None => return Err(IllegalMoveError { state, attempted }),
            }
        }
        (S::Acting { turn, calls }, EpochMove::FinishCall(id)) => {
            match with_call_state(
                calls,
                id,
                &[CallState::Asked, CallState::Requested],
                CallState::Finished,
            ) {
                Some(calls) => after_call(*turn, calls),
                None => return Err(IllegalMoveError { state, attempted }),
            }
        }
        (S::Answered { turn: answered }, EpochMove::Commit { turn }) if turn == answered => {
            S::Committed
        }
        (S::Committed | S::Aborted, EpochMove::Abort) => {
            return Err(IllegalMoveError { state, attempted });
        }
        (_, EpochMove::Abort) => S::Aborted,
        _ => return Err(IllegalMoveError { state, attempted }),
    };
    Ok(next)
}

impl EpochState {
    /// Whether the epoch is over.
    pub const fn is_ended(&self) -> bool {
        matches!(self, Self::Committed | Self::Aborted)
    }

    /// Whether the lane has taken the epoch up and it is not over.
    pub const fn is_running(&self) -> bool {
        !matches!(self, Self::Queued | Self::Committed | Self::Aborted)
    }
}

fn after_answer(turn: u32, calls: &[CallId]) -> EpochState {
    if calls.is_empty() {
        return EpochState::Answered { turn };
    }
    let calls = calls.iter().map(|id| (id.clone(), CallState::Asked)).collect();
    EpochState::Acting { turn, calls }
}

fn after_call(turn: u32, calls: Vec<(CallId, CallState)>) -> EpochState {
    if calls.iter().all(|(_, state)| *state == CallState::Finished) {
        EpochState::Ready { turn, attempts: 0 }
    } else {
        EpochState::Acting { turn, calls }
    }
}

fn with_call_state(
    calls: &[(CallId, CallState)],
    id: &CallId,
    from: &[CallState],
    to: CallState,
) -> Option<Vec<(CallId, CallState)>> {
    let mut calls = calls.to_vec();
    let (_, state) = calls.iter_mut().find(|(call, state)| call == id && from.contains(state))?;
    *state = to;
    Some(calls)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{EpochMove, EpochState, step};
    use crate::CallId;

    fn run(moves: &[EpochMove]) -> Result<EpochState, usize> {
        moves.iter().enumerate().try_fold(EpochState::Queued, |state, (at, next)| {
            step(state, next.clone()).map_err(|_| at)
        })
    }

    fn call(index: usize) -> CallId {
        CallId::new(1, index)
    }

    fn to_acting() -> Vec<EpochMove> {
        vec![
            EpochMove::Open,
            EpochMove::Assemble,
            EpochMove::StartTurn { turn: 1, attempt: 1 },
            EpochMove::CompleteTurn { turn: 1, attempt: 1, calls: vec![call(1), call(2)] },
        ]
    }

    #[test]
    fn the_whole_life_with_two_calls_is_legal() {
        let mut moves = to_acting();
        moves.extend([
            EpochMove::RequestCall(call(1)),
            EpochMove::FinishCall(call(1)),
            EpochMove::FinishCall(call(2)),
            EpochMove::StartTurn { turn: 2, attempt: 1 },
            EpochMove::FailTurn { turn: 2, attempt: 1 },
            EpochMove::StartTurn { turn: 2, attempt: 2 },
            EpochMove::StartTurn { turn: 2, attempt: 3 },
            EpochMove::CompleteTurn { turn: 2, attempt: 3, calls: vec![] },
            EpochMove::Commit { turn: 2 },
        ]);
        assert_eq!(run(&moves), Ok(EpochState::Committed));
    }

    #[test]
    fn illegal_moves_are_refused() {
        let after = |extra: &[EpochMove]| {
            let mut moves = to_acting();
            moves.extend_from_slice(extra);
            run(&moves)
        };
        assert_eq!(run(&[EpochMove::Assemble]), Err(0), "context before opening");
        assert_eq!(run(&[EpochMove::Open, EpochMove::StartTurn { turn: 1, attempt: 1 }]), Err(1));
        assert_eq!(after(&[EpochMove::Commit { turn: 1 }]), Err(4), "commit with calls open");
        assert_eq!(
            after(&[EpochMove::StartTurn { turn: 2, attempt: 1 }]),
            Err(4),
            "calls not finished"
        );
        assert_eq!(after(&[EpochMove::RequestCall(call(3))]), Err(4), "a call nobody asked for");
        assert_eq!(
            after(&[EpochMove::FinishCall(call(1)), EpochMove::FinishCall(call(1))]),
            Err(5),
            "twice"
        );
        assert_eq!(after(&[EpochMove::Abort, EpochMove::Abort]), Err(5), "an end is an end");
        let stale = [
            EpochMove::Open,
            EpochMove::Assemble,
            EpochMove::StartTurn { turn: 1, attempt: 1 },
            EpochMove::StartTurn { turn: 1, attempt: 2 },
            EpochMove::CompleteTurn { turn: 1, attempt: 1, calls: vec![] },
        ];
        assert_eq!(run(&stale), Err(4), "only the newest attempt's answer counts");
    }

    fn any_move() -> impl Strategy<Value = EpochMove> {
        let small = 1..4u32;
        prop_oneof![
            Just(EpochMove::Open),
            Just(EpochMove::Assemble),
            (small.clone(), small.clone())
                .prop_map(|(turn, attempt)| EpochMove::StartTurn { turn, attempt }),
            (small.clone(), small.clone())
                .prop_map(|(turn, attempt)| EpochMove::FailTurn { turn, attempt }),
            (small.clone(), small.clone(), 0..3usize).prop_map(|(turn, attempt, n)| {
                EpochMove::CompleteTurn { turn, attempt, calls: (1..=n).map(call).collect() }
            }),
            (1..3usize).prop_map(|n| EpochMove::RequestCall(call(n))),
            (1..3usize).prop_map(|n| EpochMove::FinishCall(call(n))),
            small.prop_map(|turn| EpochMove::Commit { turn }),
            Just(EpochMove::Abort),
        ]
    }

    proptest! {
        #[test]
        fn an_ended_epoch_takes_no_move_and_a_commit_needs_an_answer(
            moves in prop::collection::vec(any_move(), 0..60)
        ) {
            let mut state = EpochState::Queued;
            for next in moves {
                let before = state.clone();
                match step(state.clone(), next.clone()) {
                    Ok(after) => {
                        prop_assert!(!before.is_ended());
                        if after == EpochState::Committed {
                            prop_assert!(matches!(before, EpochState::Answered { .. }), "{before:?} took {next:?}");
                        }
                        state = after;
                    }
                    Err(illegal) => prop_assert_eq!(illegal.state, before),
                }
            }
        }
    }
}
