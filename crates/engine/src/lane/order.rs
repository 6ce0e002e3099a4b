//! What a lane may be told from outside, and how it says that it cannot be done at present.
//!
//! An order is carried out by the lane alone; whoever gives it is told once the outcome is durable.

use abide_domain::{EntityName, EpochId, event::SleepStarted};
use abide_ledger::AppendError;
use tokio::sync::oneshot;

use crate::{
    run_epoch::{DecideError, DecisionOrder},
    sleep::{SleepError, SleepRequest},
};

/// What a lane may be told.
#[derive(Debug)]
pub enum LaneOrder {
    /// End an epoch, running or waiting.
    Abort {
        /// Which.
        epoch: EpochId,
        /// Why, for people.
        reason: String,
        /// Told once the end is durable; false when it had ended before.
        reply: oneshot::Sender<Result<bool, AppendError>>,
    },
    /// Decide on an approval.
    Decide(DecisionOrder),
    /// Give the asking under way up and ask its turn again: a page for an agent that does not move (decision 40).
    AskAgain {
        /// Why, for people.
        reason: String,
        /// Told whether an epoch runs that it could reach.
        reply: oneshot::Sender<bool>,
    },
    /// End the short-term window after the running epoch.
    Reset {
        /// End the running epoch first.
        force: bool,
        /// Who wants it.
        by: EntityName,
        /// Told once it is durable.
        reply: oneshot::Sender<Option<ResetDone>>,
    },
    /// Fall asleep after the running epoch: nothing is taken up until the sleep has ended.
    Sleep {
        /// Why, and who wants it.
        wish: SleepRequest,
        /// What will distil.
        distiller: String,
        /// Told once it is durable.
        reply: oneshot::Sender<Result<SleepStarted, SleepError>>,
    },
}

/// A reset that is durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResetDone {
    /// The sequence of `memory.reset`.
    pub seq: u64,
    /// The segment that was sealed.
    pub sealed_segment: u64,
    /// How many epochs left the window.
    pub epochs: u64,
}

/// Answers whoever gave an order that the ledger takes nothing: it may come again.
pub(super) fn refuse(order: LaneOrder, error: AppendError) {
    match order {
        LaneOrder::Abort { reply, .. } => drop(reply.send(Err(error))),
        LaneOrder::Decide(order) => drop(order.reply.send(Err(DecideError::Unavailable))),
        LaneOrder::AskAgain { reply, .. } => _ = reply.send(false),
        LaneOrder::Reset { reply, .. } => _ = reply.send(None),
        LaneOrder::Sleep { reply, .. } => drop(reply.send(Err(SleepError::Unavailable))),
    }
}
